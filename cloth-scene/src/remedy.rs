//! Whether a remedy helps: the state to which it leads is judged before its option is printed.
//!
//! ```text
//! option --applied--> state --RemedyJudge--> faults --helps, with the present ones--> printed or not
//! ```
//!
//! Whatever names an option that welds, moves, turns or scales asks here. What cannot be judged within
//! [`RemedyJudge::new`]'s bound is no better than what does not help.

use std::ops::ControlFlow;

use cloth_contacts::intersect::{CheckProgress, Checker, ClosedSeams, Intersections};
use cloth_geom::{Aabb, Topology, TriMesh, sorted_unique};
use cloth_solver::Collider;
use nalgebra::Point3;

use crate::closed_surface::ClosedSurface;

/// Work that is spent on the states of one hint, in pairs of faces with overlapping boxes: 60 to 100 ns each
/// on a core of 2020, so that a hint takes a second at most on one half as fast. Counted, not timed: what is
/// printed depends on no clock.
const MAX_WORK: u64 = 5_000_000;

/// What one face of a state costs, in the same: its edges, its box and its place in the tree.
const FACE_WORK: u64 = 6;

/// What an intersection costs: pairs that meet are decided by exact arithmetic, for about a microsecond.
const INTERSECTION_WORK: u64 = 16;

/// How far (of its longest side) a garment is apart from the bodies that it is not on: what hangs behind a
/// back or above a shoulder is nearer.
const APART: f64 = 0.1;

/// What is wrong with a state. Each counts for itself: none makes up for another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Faults {
    /// Whether the garment, or a body, has no size of such a thing.
    pub is_odd_size: bool,
    /// How far the garment is from the bodies that are to wear it, in its longest sides.
    pub gap: f64,
    /// Whether the garment is wholly inside of a closed body.
    pub is_inside: bool,
    /// Faces that are no part of the state, because they became degenerate or equal to others.
    pub left_out: usize,
    /// Intersections of the garment with itself.
    pub with_itself: usize,
    /// Flat folds of the garment, and its faces that lie on others.
    pub lying_flat: usize,
    /// Intersections with mesh bodies.
    pub with_bodies: usize,
    /// Vertices in other bodies. Cloth is pushed out of those, so that they make no state worse than another.
    pub in_shapes: usize,
}

/// What a remedy does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It joins or moves the garment.
    Moves,
    /// It reads a file otherwise, by another unit or another axis.
    Reads,
}

impl Faults {
    /// Whether the garment is not on the bodies that are to wear it, nor near them.
    #[must_use]
    pub fn is_apart(&self) -> bool {
        self.gap > APART
    }

    /// Whether the garment has a size and a place of one.
    #[must_use]
    pub fn is_placed(&self) -> bool {
        !self.is_odd_size && !self.is_apart() && !self.is_inside
    }

    /// What no remedy may add to.
    fn of_itself(&self) -> [usize; 3] {
        [self.left_out, self.with_itself, self.lying_flat]
    }

    /// All of it, without `gap` and `in_shapes`.
    fn all(&self) -> [usize; 7] {
        let [left_out, with_itself, lying_flat] = self.of_itself();
        let [odd, apart, inside] = [self.is_odd_size, self.is_apart(), self.is_inside].map(usize::from);
        [odd, apart, inside, left_out, with_itself, lying_flat, self.with_bodies]
    }
}

impl Change {
    /// Whether what leads from one state to another helps. Nothing helps that leads into a body.
    ///
    /// A file that was misread says nothing about the bodies that its garment meets. So where another unit
    /// leads to a size, the places of the two states are not compared, and where another axis leads to a
    /// place, the intersections with the bodies are not. Otherwise nothing may be worse, and something must
    /// be better.
    #[must_use]
    pub fn helps(self, before: &Faults, after: &Faults) -> bool {
        let no_more = |a: &[usize], b: &[usize]| a.iter().zip(b).all(|(a, b)| a <= b);
        if after.is_inside || !no_more(&after.of_itself(), &before.of_itself()) {
            return false;
        }
        if self == Self::Reads && before.is_odd_size {
            return !after.is_odd_size;
        }
        if !before.is_placed() && after.is_placed() {
            return self == Self::Reads || after.with_bodies <= before.with_bodies;
        }
        after.gap <= before.gap && no_more(&after.all(), &before.all()) && after.all() != before.all()
    }
}

/// What intersects apart from the faces that lie on others: these have their vertices in common with what
/// they lie on, as if the mesh had been made so. Flat folds and doubled faces stay.
///
/// # Panics
/// If there are fewer positions than vertices, or it was found in another mesh.
#[must_use]
pub fn without_doubled(
    found: Intersections,
    positions: &[Point3<f64>],
    topology: &Topology,
) -> Intersections {
    let mut joined = ClosedSeams::default();
    joined.join_doubled(&found.doubled_faces, positions, topology);
    joined.leave_out(found, topology)
}

/// The bodies around a garment.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Mesh bodies (m).
    pub meshes: Vec<TriMesh>,
    /// All others.
    pub colliders: Vec<Collider>,
    /// The box (m) of those that are to wear the garment; none if it need not be near any.
    pub wearers: Option<Aabb>,
}

impl Surroundings {
    /// Whether a garment in these bounds (m) is not on the bodies that are to wear it, nor near them.
    #[must_use]
    pub fn is_apart(&self, garment: &Aabb) -> bool {
        self.wearers.is_some_and(|wearers| gap(garment, &wearers) > APART)
    }
}

/// Judges the states of one hint, exactly, until its work is done.
#[derive(Debug)]
pub struct RemedyJudge {
    left: u64,
}

impl Default for RemedyJudge {
    fn default() -> Self {
        Self::new()
    }
}

impl RemedyJudge {
    /// A judge that decides about five million pairs of faces, which takes less than a second.
    #[must_use]
    pub fn new() -> Self {
        Self { left: MAX_WORK }
    }

    /// What is wrong with a garment among bodies; `None` if that takes too much work. Sizes, and faces that
    /// were left out, are known to the caller alone.
    ///
    /// Positions (m) are judged as they are: round them before, if they are to be simulated.
    pub fn faults(&mut self, garment: &TriMesh, around: &Surroundings) -> Option<Faults> {
        let bounds = garment.face_bounds();
        let (topology, found) = self.find(&with_near_faces(garment, &bounds, &around.meshes))?;
        let gap = around.wearers.map_or(0.0, |wearers| gap(&bounds, &wearers));
        let mut faults = Faults { gap, ..Faults::default() };
        let is_cloth = |v: u32| (v as usize) < garment.positions.len();
        for &[e, f] in &found.edge_faces {
            match [topology.edges()[e as usize][0], topology.faces()[f as usize][0]].map(is_cloth) {
                [true, true] => faults.with_itself += 1,
                [false, false] => {}
                _ => faults.with_bodies += 1,
            }
        }
        let folds = found.flat_folds.iter().filter(|&&e| is_cloth(topology.edges()[e as usize][0]));
        let doubled =
            found.doubled_faces.iter().filter(|pair| is_cloth(topology.faces()[pair[0] as usize][0]));
        faults.lying_flat = folds.count() + doubled.count();
        let vertices = used_vertices(garment);
        for body in &around.colliders {
            let within = vertices_in(body, &vertices);
            faults.in_shapes += within;
            faults.is_inside |= within == vertices.len();
        }
        if faults.with_bodies == 0 && !faults.is_inside {
            faults.is_inside = self.is_inside(garment, &around.meshes)?;
        }
        Some(faults)
    }

    /// All intersections of a mesh; none if there is too much work.
    fn find(&mut self, mesh: &TriMesh) -> Option<(Topology, Intersections)> {
        self.spend(FACE_WORK * mesh.faces.len() as u64)?;
        let topology = Topology::of_mesh(mesh).ok()?;
        let mut work = 0;
        let see = |CheckProgress { pairs, intersections }| {
            work = pairs + INTERSECTION_WORK * intersections;
            if work <= self.left { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let checked = Checker::default().check_with_progress(&mesh.positions, &topology, see).ok()?;
        self.spend(work)?;
        if !checked.is_complete() {
            return None;
        }
        // Faces on others count as such, whether they share their vertices or not.
        let found = without_doubled(checked.into_intersections(), &mesh.positions, &topology);
        Some((topology, found))
    }

    /// Whether a garment that intersects no body is inside of one.
    fn is_inside(&mut self, garment: &TriMesh, bodies: &[TriMesh]) -> Option<bool> {
        let bounds = garment.face_bounds();
        for body in bodies {
            let outer = body.face_bounds();
            if !(outer.contains(&bounds.min) && outer.contains(&bounds.max)) {
                continue;
            }
            let pieces = first_corners(garment)?;
            self.spend((pieces.len() * body.faces.len()) as u64 / 4)?;
            let Some(solid) = ClosedSurface::new(body) else { continue };
            let is_in = |p: &Point3<f64>| solid.winding_number(p).is_some_and(|turns| turns != 0);
            if pieces.iter().all(is_in) {
                return Some(true);
            }
        }
        Some(false)
    }

    fn spend(&mut self, work: u64) -> Option<()> {
        self.left = self.left.checked_sub(work)?;
        Some(())
    }
}

/// A garment in these bounds (m), followed by the faces of bodies that may meet it.
fn with_near_faces(garment: &TriMesh, bounds: &Aabb, bodies: &[TriMesh]) -> TriMesh {
    let mut all = garment.clone();
    for body in bodies {
        let is_near = |f: &&[u32; 3]| Aabb::of_points(f.map(|v| body.positions[v as usize])).overlaps(bounds);
        let near = body.faces.iter().filter(is_near).copied().collect();
        all.append(&TriMesh::new(body.positions.clone(), near));
    }
    all
}

/// How far the boxes are apart, in the longest sides of the first.
fn gap(garment: &Aabb, wearers: &Aabb) -> f64 {
    let gap = (garment.min - wearers.max).sup(&(wearers.min - garment.max)).map(|c| c.max(0.0));
    gap.norm() / (garment.max - garment.min).max()
}

/// The positions of the vertices that some face uses.
fn used_vertices(garment: &TriMesh) -> Vec<Point3<f32>> {
    let used = sorted_unique(garment.faces.iter().flatten().copied());
    used.iter().map(|&v| garment.positions[v as usize].cast()).collect()
}

fn vertices_in(body: &Collider, vertices: &[Point3<f32>]) -> usize {
    let depth = |p: &Point3<f32>| body.shape.nearest(&body.pose_t0.inverse_transform_point(p)).distance;
    vertices.iter().filter(|p| depth(p) < 0.0).count()
}

/// A vertex of each connected piece.
fn first_corners(garment: &TriMesh) -> Option<Vec<Point3<f64>>> {
    let pieces = Topology::of_mesh(garment).ok()?.components();
    let mut corners = vec![None; pieces.count];
    for (face, &piece) in garment.faces.iter().zip(&pieces.of_face) {
        corners[piece as usize].get_or_insert(garment.positions[face[0] as usize]);
    }
    corners.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::fixtures::{icosphere, sheet};
    use nalgebra::{Isometry3, Vector3};

    fn faults(garment: &TriMesh, meshes: Vec<TriMesh>) -> Faults {
        let around = Surroundings { meshes, ..Surroundings::default() };
        RemedyJudge::new().faults(garment, &around).unwrap()
    }

    fn cloth(side: usize, width: f64) -> TriMesh {
        sheet(side, side, [width; 2]).unwrap().mesh
    }

    #[test]
    fn counts_what_is_wrong_by_kind() {
        let ball = icosphere(2, 0.2).unwrap();
        let through = cloth(6, 0.5);
        let found = faults(&through, vec![ball.clone()]);
        assert!(found.with_bodies > 0 && found.with_itself == 0 && !found.is_inside, "{found:?}");
        let mut crossed = through.clone();
        crossed.append(&through.mapped(|p| Point3::new(p.x + 0.013, p.z, p.y + 0.017)));
        let found = faults(&crossed.translated(Vector3::y() * 3.0), vec![ball.clone()]);
        assert!(found.with_itself > 0 && found.with_bodies == 0, "{found:?}");
        // What a body has with itself is nobody's fault here.
        let mut doubled = ball.clone();
        doubled.append(&ball.translated(Vector3::x() * 0.1));
        let above = cloth(4, 0.3).translated(Vector3::y() * 0.25);
        assert_eq!(faults(&above, vec![doubled]), Faults::default());
    }

    #[test]
    fn what_is_wholly_inside_a_closed_body_is_found() {
        let small = cloth(4, 0.05).translated(Vector3::new(0.01, 0.02, 0.03));
        let ball = icosphere(2, 0.2).unwrap();
        assert!(faults(&small, vec![ball.clone()]).is_inside);
        // Seams of the body are joined, and its faces may point inward.
        let apart = TriMesh::new(
            ball.faces.iter().flatten().map(|&v| ball.positions[v as usize]).collect(),
            (0..ball.faces.len() as u32).map(|f| [3 * f, 3 * f + 2, 3 * f + 1]).collect(),
        );
        assert!(faults(&small, vec![apart]).is_inside);
        let mut open = ball.clone();
        open.faces.pop();
        assert!(!faults(&small, vec![open]).is_inside);
        // One piece inside, one outside.
        let mut both = small.clone();
        both.append(&small.translated(Vector3::x()));
        assert!(!faults(&both, vec![ball]).is_inside);
        let shape = cloth_solver::Shape::Sphere { radius: 0.2 };
        let around = Surroundings {
            colliders: vec![Collider::new(shape, Isometry3::identity(), 0.1).unwrap()],
            ..Surroundings::default()
        };
        assert!(RemedyJudge::new().faults(&cloth(4, 0.05), &around).unwrap().is_inside);
    }

    #[test]
    fn a_remedy_helps_if_nothing_is_worse_and_something_is_better() {
        let clean = Faults::default();
        let torn = Faults { with_itself: 9, ..clean };
        assert!(Change::Moves.helps(&torn, &clean));
        assert!(!Change::Moves.helps(&clean, &clean) && !Change::Moves.helps(&clean, &torn));
        for worse in [
            Faults { left_out: 1, ..clean },
            Faults { lying_flat: 1, ..clean },
            Faults { with_bodies: 1, ..clean },
            Faults { gap: 1.0, ..clean },
            Faults { gap: 0.01, ..clean },
        ] {
            assert!(!Change::Moves.helps(&torn, &worse), "{worse:?}");
        }
        let far = Faults { gap: 1.0, ..clean };
        let pierced = Faults { with_bodies: 7, ..clean };
        assert!(Change::Moves.helps(&far, &clean) && !Change::Moves.helps(&far, &pierced));
        assert!(Change::Reads.helps(&far, &pierced) && !Change::Reads.helps(&clean, &pierced));
        let inside = Faults { is_inside: true, ..clean };
        assert!(!Change::Reads.helps(&far, &inside) && Change::Moves.helps(&inside, &clean));
        let large = Faults { is_odd_size: true, ..clean };
        assert!(Change::Reads.helps(&large, &far) && !Change::Reads.helps(&large, &inside));
    }

    #[test]
    fn what_takes_too_much_work_has_no_verdict() {
        let around = Surroundings::default();
        let mut judge = RemedyJudge { left: 100 };
        assert_eq!(judge.faults(&cloth(20, 1.0), &around), None);
        // Faces that all lie on each other: quadratically many pairs.
        let mut pile = TriMesh::default();
        for _ in 0..400 {
            pile.append(&cloth(2, 1.0));
        }
        let mut judge = RemedyJudge { left: 400_000 };
        assert_eq!(judge.faults(&pile, &around), None);
    }

    #[test]
    fn a_gap_is_measured_in_sides_of_the_garment() {
        let boxed = |x: f64| Aabb { min: Point3::new(x, 0.0, 0.0), max: Point3::new(x + 2.0, 1.0, 1.0) };
        assert_eq!([2.5, 1.0, -4.0].map(|x| gap(&boxed(x), &boxed(0.0))), [0.25, 0.0, 1.0]);
    }
}
