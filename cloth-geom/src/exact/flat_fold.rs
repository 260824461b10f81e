//! Two faces that share an edge and lie flat on each other: the contact that the intersection rule cannot
//! see.

use nalgebra::Point3;

use super::finite::check_finite;
use super::{Axis, Sign, orient2d, orient3d};

/// Whether the faces (`edge`, `apex_a`) and (`edge`, `apex_b`) lie exactly flat on each other.
///
/// True if all four points are coplanar and both apexes lie strictly on the same side of the line of the
/// edge. A face without area folds on nothing: it is a fault of its own. True if a coordinate is not finite,
/// so that it does not pass as clean.
#[must_use]
pub fn is_flat_fold(edge: [&Point3<f64>; 2], apex_a: &Point3<f64>, apex_b: &Point3<f64>) -> bool {
    let [p, q] = edge;
    if orient3d(p, q, apex_a, apex_b) != Sign::Zero {
        return false;
    }
    if check_finite([p, q, apex_a, apex_b]).is_err() {
        return true;
    }
    // The plane is seen without loss along any axis for which one of its triangles keeps an area.
    let turns = Axis::ALL.map(|axis| (axis, orient2d(p, q, apex_a, axis)));
    let seen = turns.into_iter().find(|&(_, turn)| turn != Sign::Zero);
    seen.is_some_and(|(axis, turn)| orient2d(p, q, apex_b, axis) == turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_fold(a: [f64; 3], b: [f64; 3]) -> bool {
        let (p, q) = (Point3::new(0.0, 0.0, 0.0), Point3::new(1.0, 1.0, 1.0));
        let (a, b) = (a.into(), b.into());
        let verdict = is_flat_fold([&p, &q], &a, &b);
        assert_eq!(verdict, is_flat_fold([&q, &p], &a, &b));
        assert_eq!(verdict, is_flat_fold([&p, &q], &b, &a));
        verdict
    }

    #[test]
    fn finds_faces_folded_flat_on_each_other() {
        assert!(is_fold([1.0, 0.0, 0.0], [2.0, 1.0, 1.0]));
        assert!(is_fold([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]));
    }

    #[test]
    fn lets_an_open_flat_pair_and_a_crease_pass() {
        assert!(!is_fold([1.0, 0.0, 0.0], [0.0, 1.0, 1.0]));
        assert!(!is_fold([1.0, 0.0, 0.0], [2.0, 1.0, 1.0_f64.next_up()]));
        assert!(!is_fold([1.0, 0.0, 0.0], [2.0, 1.0, 1.0_f64.next_down()]));
    }

    #[test]
    fn does_not_fold_a_face_without_area() {
        assert!(!is_fold([1.0, 0.0, 0.0], [3.0, 3.0, 3.0]));
        assert!(!is_fold([0.0, 0.0, 0.0], [0.5, 0.5, 0.5]));
        let (p, a) = (Point3::origin(), Point3::new(1.0, 0.0, 0.0));
        assert!(!is_flat_fold([&p, &p], &a, &a));
    }

    #[test]
    fn does_not_pass_what_is_not_finite_as_clean() {
        assert!(is_fold([f64::NAN, 0.0, 0.0], [1.0, 0.0, 0.0]));
        assert!(is_fold([1.0, 0.0, 0.0], [0.0, f64::INFINITY, 0.0]));
    }
}
