//! The star-contour method: normals against fourteen fixed directions, then the border as a star-shaped
//! polygon.
//!
//! The patch-normal test of Volino and Magnenat-Thalmann (1994) as used by Zhang 2014: is there one of
//! fourteen directions that has a positive product with all normals of a patch? The result of a face is
//! fourteen bits, and that of a patch the bitwise `and` over its faces, so results of adjacent patches
//! combine before any contour is tested.
//!
//! Zhang uses the directions from the centre of the patch's box to its corners and sides. For a flat or long
//! box they are unevenly distributed, and they differ between patches, so bits could not be combined; here
//! the box is a cube. Any direction is within 36.3 degrees of one of them, so a patch whose normals are
//! within 53.7 degrees of their mean always has one.

use nalgebra::{Point3, Vector3};

use super::{Certificate, Contour, View, star::is_star};

/// Relative bound on the products: `(3 + 16 e) e` for a coordinate of the cross product with `e = 2^-53`
/// (Shewchuk 1997, section 4.1), and two sums; this is `8 e` of all that is added.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Signs of the seven directions whose opposites are the other seven: axes, then diagonals.
const DIRECTIONS: [[f64; 3]; 7] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, -1.0],
];

/// The method of Zhang et al. 2014, after Schvartzman, Perez and Otaduy 2010 ("Star-contours for efficient
/// hierarchical self-collision detection").
#[derive(Clone, Copy, Debug, Default)]
pub struct StarContour;

/// The directions from which all faces of a set are front-facing.
#[derive(Clone, Copy, Debug)]
pub struct Fronts {
    /// Bit `k`: along direction `k`; bit `k + 7`: along its opposite.
    seen: u16,
    /// The sum of the normals, twice the area long: it chooses among several directions, and decides nothing.
    area: Vector3<f64>,
}

impl Certificate for StarContour {
    type Normals = Fronts;

    #[inline]
    fn of_faces<'a>(faces: impl Iterator<Item = [&'a Point3<f64>; 3]> + Clone) -> Fronts {
        let none = Fronts { seen: (1 << 14) - 1, area: Vector3::zeros() };
        faces.fold(none, |all, face| Self::join(&all, &Fronts::from_corners(face)))
    }

    #[inline]
    fn join(a: &Fronts, b: &Fronts) -> Fronts {
        Fronts { seen: a.seen & b.seen, area: a.area + b.area }
    }

    fn view(fronts: &Fronts) -> Option<View> {
        let mut best: Option<(f64, usize)> = None;
        for bit in (0..14).filter(|bit| fronts.seen >> bit & 1 == 1) {
            let direction = direction(bit);
            let facing = fronts.area.dot(&direction) / direction.norm();
            if best.is_none_or(|(most, _)| facing > most) {
                best = Some((facing, bit));
            }
        }
        best.map(|(_, bit)| view_along(bit))
    }

    fn is_strictly_simple(contour: &mut Contour) -> bool {
        is_star(contour)
    }
}

impl Fronts {
    #[inline]
    fn from_corners([a, b, c]: [&Point3<f64>; 3]) -> Self {
        let (u, v) = (b - a, c - a);
        let (plus_x, minus_x) = (u.y * v.z, u.z * v.y);
        let (plus_y, minus_y) = (u.z * v.x, u.x * v.z);
        let (plus_z, minus_z) = (u.x * v.y, u.y * v.x);
        let area = Vector3::new(plus_x - minus_x, plus_y - minus_y, plus_z - minus_z);
        let spread =
            plus_x.abs() + minus_x.abs() + plus_y.abs() + minus_y.abs() + plus_z.abs() + minus_z.abs();
        let bound = ROUNDING * spread + f64::MIN_POSITIVE;
        let mut seen = 0;
        for (k, d) in DIRECTIONS.iter().enumerate() {
            let product = area.x * d[0] + area.y * d[1] + area.z * d[2];
            seen |= u16::from(product > bound) << k | u16::from(-product > bound) << (k + 7);
        }
        Self { seen, area }
    }
}

fn direction(bit: usize) -> Vector3<f64> {
    let sign = if bit < 7 { 1.0 } else { -1.0 };
    Vector3::from(DIRECTIONS[bit % 7]) * sign
}

/// A view whose exact direction is a positive multiple of a direction: axes `[1, 0, .]` and the like.
fn view_along(bit: usize) -> View {
    let d = direction(bit);
    // The last coordinate that is not zero is solved for: `x - (d.x / d.z) z` and `y - (d.y / d.z) z` vanish
    // along d.
    let k = d.iter().rposition(|&c| c != 0.0).unwrap_or(2);
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let axis = |i: usize| Vector3::ith(i, 1.0) - Vector3::ith(k, d[i] / d[k]);
    View::with_axes(if d[k] > 0.0 { [axis(i), axis(j)] } else { [axis(j), axis(i)] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_sliver_whose_area_may_be_rounding_has_no_front() {
        for scale in [1e-6, 1.0, 1e6] {
            for k in 0..3 {
                let corner = |along: f64, across: f64| {
                    let mut p = Point3::origin();
                    (p[k], p[(k + 1) % 3]) = (along * scale, across * scale);
                    p
                };
                let front = |across: f64| {
                    Fronts::from_corners([&corner(0.0, 0.0), &corner(1.0, 1.0), &corner(1.0, across)])
                };
                assert_eq!(front(1.0 + f64::EPSILON).seen, 0, "{scale} {k}");
                assert_ne!(front(1.0 + 1e-9).seen, 0, "{scale} {k}");
            }
        }
    }

    #[test]
    fn views_look_along_their_directions() {
        for bit in 0..14 {
            let d = direction(bit);
            assert_eq!(d, -direction((bit + 7) % 14));
            // The view of a face that turns about d is drawn counter-clockwise.
            let side = d.cross(&Vector3::new(0.3, -0.5, 0.7));
            let corners = [side, d.cross(&side), Vector3::zeros()].map(Point3::from);
            let mut contour = Contour::default();
            view_along(bit).draw(&[2, 0, 1], &corners, &mut contour);
            assert!(is_star(&mut contour), "{d}");
            view_along(bit).draw(&[2, 1, 0], &corners, &mut contour);
            assert!(!is_star(&mut contour), "{d}");
            // What lies along d is seen in one place.
            view_along(bit).draw(
                &[2, 3],
                &[corners[0], corners[1], Point3::origin(), d.into()],
                &mut contour,
            );
            assert_eq!(contour.points[0], contour.points[1]);
        }
    }

    #[test]
    fn some_direction_is_within_37_degrees_of_any_other() {
        for i in 0..2000 {
            let (a, b) = (f64::from(i % 50) * 0.13, f64::from(i / 50) * 0.08);
            let n = Vector3::new(f64::cos(a) * f64::sin(b), f64::sin(a) * f64::sin(b), f64::cos(b));
            let best = (0..14).map(|bit| direction(bit).normalize().dot(&n)).fold(-1.0, f64::max);
            assert!(best > 0.8, "{n}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// Faces that all but contain a direction, on a lattice so fine that products round.
        #[test]
        fn sees_no_front_where_exact_signs_see_none(
            at in proptest::array::uniform3(-8i64..8),
            along in proptest::array::uniform3(-1i64 << 40..1i64 << 40),
            bit in 0..7usize,
            off in proptest::array::uniform3(-2i64..3),
            scale in prop_oneof![Just(0), Just(-500), Just(-1060), Just(900)],
        ) {
            let d = DIRECTIONS[bit].map(|c| c as i64);
            let b = [0, 1, 2].map(|k| at[k] + along[k]);
            let c = [0, 1, 2].map(|k| b[k] + (1 << 39) * d[k] + off[k]);
            let [pa, pb, pc] = [at, b, c].map(|p| Point3::from(p.map(|c| c as f64 * 2f64.powi(scale))));
            let fronts = Fronts::from_corners([&pa, &pb, &pc]);
            let minus = |p: [i64; 3]| [0, 1, 2].map(|k| i128::from(p[k] - at[k]));
            let (u, v) = (minus(b), minus(c));
            for k in 0..7 {
                let d = DIRECTIONS[k].map(|c| c as i128);
                let component = |k: usize| u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
                let exact: i128 = (0..3).map(|k| component(k) * d[k]).sum();
                prop_assert!(fronts.seen >> k & 1 == 0 || exact > 0, "{exact}");
                prop_assert!(fronts.seen >> (k + 7) & 1 == 0 || exact < 0, "{exact}");
            }
        }
    }
}
