//! What a cut may do to a state: cloths that it names, and bodies that go along, are elsewhere as a whole.
//!
//! Nobody judges the straight motion between the two frames of a cut, so nothing but a rigid motion may be
//! passed off as one:
//!
//! - cuts come in the first substep of a step, each cloth at most once;
//! - a cloth that is named has moved rigidly, and turned by the angle that is reported;
//! - a body that has moved did so rigidly, and turned by the angle of one of the cuts;
//! - nothing else has moved, to the last bit.
//!
//! # Rounding
//!
//! A vertex at `p` is put at the rounded image of `p`, which is off by at most `d = sqrt(3) 2^-24 c`, where
//! `c` is the greatest coordinate afterwards. The motion of a part is read from three vertices: any `a`, that
//! farthest from it, `b`, and that farthest from the line through both. With `l` the distance of `a` and `b`
//! and `w` that of the third from the line, the direction of the line is off by `2 d / l` and the angle about
//! it by `4 d / w`, where no vertex is farther from `a` than `l`, and none farther from the line than `w`. So
//! another vertex is off by at most `d + d + 2 d + 4 d`, and the angle of the turn by `6 d / w`. The
//! tolerances are four times that. A part on a line, with `w` below `64 d`, has no turn about it that could
//! be read.

use cloth_solver::Cut;
use nalgebra::{Matrix3, Point3, Rotation3, UnitQuaternion, Vector3};

use super::Auditor;
use super::finding::{Finding, FindingKind};
use super::pair::MotionPath;

/// Tolerance of a vertex, in rounding errors of a position.
const TOLERANCE: f64 = 32.0;

/// The width of a part (in rounding errors of a position) below which it lies on a line.
const LINE: f64 = 64.0;

/// Tolerance of an angle (rad) in addition to that of the positions: it is reported in `f32`.
const REPORTED: f64 = 1.0e-6;

/// How a part has moved.
struct PartMotion {
    /// The distance (m) by which a vertex is farthest from where a rigid motion puts it.
    residual: f64,
    /// Its greatest rounding error (m).
    rounding: f64,
    /// The angle (rad) of its turn, and the error of that; none of a part on a line.
    turn: Option<[f64; 2]>,
}

impl Auditor {
    /// A motion begins where cuts put some cloths, with what goes along: checks that, and admits the
    /// intersections of the state as those of a start.
    pub(super) fn cut(&mut self, substep: u32, cuts: &[Cut], path: &MotionPath<'_>) {
        if substep != 0 {
            self.report_cut(format!("{} cuts in substep {substep}; they come before the first", cuts.len()));
        }
        let mut named: Vec<Option<&Cut>> = vec![None; self.rules.cloths.len()];
        for cut in cuts {
            match self.rules.cloths.iter().position(|id| *id == cut.cloth) {
                Some(part) if named[part].is_none() => named[part] = Some(cut),
                Some(_) => self.report_cut(format!("{} is cut twice", cut.cloth.index())),
                None => self.report_cut(format!("{} is cut, which is not there", cut.cloth.index())),
            }
        }
        for part in parts(&self.rules.part) {
            let moves = |&v: &usize| self.has_moved(v, path);
            let own = named.get(usize::from(self.rules.part[part[0]])).copied().flatten();
            let is_body = self.rules.is_body[part[0]];
            if own.is_none() && !part.iter().any(moves) {
                continue;
            }
            if own.is_none() && !is_body {
                let v = part.iter().copied().find(moves).unwrap_or(part[0]);
                self.report_cut(format!(
                    "vertex {v} was at {}, and is at {} after a cut that does not name its cloth",
                    self.x[v], path.t0[v]
                ));
                continue;
            }
            self.figures.cut_bodies += u64::from(is_body);
            let motion = PartMotion::new(&part, &self.x, path.t0);
            let angles = own.map_or(cuts, std::slice::from_ref);
            self.check_part(part[0], &motion, angles);
        }
        self.figures.cuts += cuts.len() as u64;
        self.x.copy_from_slice(path.t0);
        self.exempt_all_intersections();
    }

    /// Checks that the part of a vertex moved rigidly, by the turn of one of some cuts.
    fn check_part(&mut self, first: usize, motion: &PartMotion, cuts: &[Cut]) {
        let PartMotion { residual, rounding, turn } = *motion;
        if residual > TOLERANCE * rounding {
            self.report_cut(format!(
                "the part of vertex {first} did not move rigidly in a cut: it is {residual:e} m off"
            ));
        }
        let Some([angle, error]) = turn else { return };
        let is_of = |cut: &Cut| (angle - f64::from(cut.degrees).to_radians()).abs() <= error + REPORTED;
        if !cuts.iter().any(is_of) {
            let reported: Vec<f32> = cuts.iter().map(|cut| cut.degrees).collect();
            self.report_cut(format!(
                "the part of vertex {first} turned by {} degrees in a cut, of which {reported:?} are \
                 reported",
                angle.to_degrees()
            ));
        }
    }

    fn report_cut(&mut self, what: String) {
        self.report(Finding::of_state(FindingKind::FalseCut, what));
    }
}

/// The vertices of each part.
fn parts(part: &[u16]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..part.len()).collect();
    order.sort_by_key(|&v| part[v]);
    order.chunk_by(|&a, &b| part[a] == part[b]).map(<[usize]>::to_vec).collect()
}

impl PartMotion {
    /// The motion of some vertices, of which there is one, from some positions (m) to others.
    fn new(vertices: &[usize], from: &[Point3<f32>], to: &[Point3<f32>]) -> Self {
        let at = |positions: &[Point3<f32>]| -> Vec<Point3<f64>> {
            vertices.iter().map(|&v| positions[v].cast()).collect()
        };
        let (start, end) = (at(from), at(to));
        let most = end.iter().map(|p| p.coords.amax()).fold(0.0, f64::max);
        let rounding = 3.0_f64.sqrt() * f64::from(f32::EPSILON) / 2.0 * most + f64::from(f32::MIN_POSITIVE);
        let farthest = |size: &dyn Fn(&Point3<f64>) -> f64| {
            (0..start.len()).max_by(|&a, &b| size(&start[a]).total_cmp(&size(&start[b]))).unwrap_or(0)
        };
        let b = farthest(&|p| (p - start[0]).norm());
        let along = (start[b] - start[0]).try_normalize(0.0).unwrap_or_else(Vector3::x);
        let width = |p: &Point3<f64>| (p - start[0]).cross(&along).norm();
        let c = farthest(&width);
        let width = width(&start[c]);
        let [frame, moved] = [&start, &end].map(|x| axes(&(x[b] - x[0]), &(x[c] - x[0])));
        let rotation = moved * frame.transpose();
        let residual =
            |(p, q): (&Point3<f64>, &Point3<f64>)| (rotation * (p - start[0]) - (q - end[0])).norm();
        let residual = start.iter().zip(&end).map(residual).fold(0.0, f64::max);
        if width < LINE * rounding {
            // Across the line the axes are any.
            return Self { residual: (residual - 2.0 * width).max(0.0), rounding, turn: None };
        }
        let q = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation));
        let angle = 2.0 * q.imag().norm().atan2(q.w.abs());
        Self { residual, rounding, turn: Some([angle, 24.0 * rounding / width]) }
    }
}

/// An orthonormal frame: along a first vector, and towards a second one.
fn axes(first: &Vector3<f64>, second: &Vector3<f64>) -> Matrix3<f64> {
    let x = first.try_normalize(0.0).unwrap_or_else(Vector3::x);
    let across = second - x * x.dot(second);
    // Of a second vector along the first one nothing but rounding is left.
    let y = across.try_normalize(1.0e-9 * second.norm()).unwrap_or_else(|| {
        let least = x.iamin();
        let axis = Vector3::ith(least, 1.0);
        (axis - x * x[least]).normalize()
    });
    Matrix3::from_columns(&[x, y, x.cross(&y)])
}
