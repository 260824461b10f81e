//! Seams: cloth that is sewn together meets at the seam without an intersection.
//!
//! The exact check does not know seams. The caller declares which vertices are stitched, and removes from the
//! exact result the pairs that a closed seam joins:
//!
//! | stitch of a vertex to | effect while its ends are at most `distance` apart |
//! |---|---|
//! | a vertex (equal ends, or a ratio of 0 or 1) | primitives with either vertex share a vertex |
//! | a point inside an edge | removes pairs of a primitive with the vertex and one with both ends |
//!
//! Positions and verdicts are unchanged: a seam removes the pairs that would share a vertex if it were
//! welded, and no others. Cloth that intersects next to its seam, or through the seam, is still reported. An
//! open stitch joins nothing.

use cloth_geom::Topology;
use nalgebra::Point3;

use super::Intersections;
use crate::impacts::Impacts;

/// A vertex that is stitched to the point `(1 - ratio) a + ratio b` of an edge `[a, b]`, or to a vertex if
/// both ends are equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seam {
    /// The vertex.
    pub vertex: u32,
    /// The ends of the edge.
    pub edge: [u32; 2],
    /// Where on the edge, in [0, 1].
    pub ratio: f64,
}

impl Seam {
    /// Two vertices that are stitched together.
    #[must_use]
    pub fn between(a: u32, b: u32) -> Self {
        Self { vertex: a, edge: [b, b], ratio: 0.0 }
    }

    /// The other vertex of a stitch of vertex to vertex.
    fn other(&self) -> Option<u32> {
        let [a, b] = self.edge;
        match self.ratio {
            _ if a == b => Some(a),
            0.0 => Some(a),
            1.0 => Some(b),
            _ => None,
        }
    }

    // Distance (m) of the two ends, rounded: it is compared with a user-defined distance.
    fn gap(&self, positions: &[Point3<f64>]) -> f64 {
        let [a, b] = self.edge.map(|v| positions[v as usize].coords);
        (positions[self.vertex as usize].coords - a.lerp(&b, self.ratio)).norm()
    }
}

/// The declared seams of a mesh, and how near their ends have to be for a seam to be closed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seams {
    seams: Vec<Seam>,
    vertices: usize,
    distance: f64,
}

impl Seams {
    /// The seams of a mesh of so many vertices, closed up to a distance (m) that is finite and not negative.
    ///
    /// # Errors
    /// The first vertex that does not exist.
    pub fn new(seams: Vec<Seam>, vertices: usize, distance: f64) -> Result<Self, u32> {
        let named = seams.iter().flat_map(|s| [s.vertex, s.edge[0], s.edge[1]]);
        match named.into_iter().find(|&v| v as usize >= vertices) {
            Some(vertex) => Err(vertex),
            None => Ok(Self { seams, vertices, distance }),
        }
    }

    /// Number of stitches.
    #[must_use]
    pub fn count(&self) -> usize {
        self.seams.len()
    }

    /// How far (m) the ends of a closed stitch may be apart.
    #[must_use]
    pub fn distance(&self) -> f64 {
        self.distance
    }

    /// The declarations of the seams that are closed in a state, which has a position (m) for every vertex.
    ///
    /// # Panics
    /// If there are fewer positions than vertices.
    pub fn closed_seams<'a>(&'a self, positions: &'a [Point3<f64>]) -> impl Iterator<Item = &'a Seam> {
        self.seams.iter().filter(|seam| seam.gap(positions) <= self.distance)
    }

    /// The pairs of vertices that the closed seams of a state, which has a position (m) for every vertex,
    /// join.
    ///
    /// # Panics
    /// If there are fewer positions than vertices.
    #[must_use]
    pub fn closed_in(&self, positions: &[Point3<f64>]) -> ClosedSeams {
        let mut closed = ClosedSeams { joint: Vec::new(), points: Vec::new(), count: 0 };
        for seam in self.closed_seams(positions) {
            closed.count += 1;
            if closed.joint.is_empty() {
                closed.joint = (0..self.vertices as u32).collect();
            }
            if let Some(other) = seam.other() {
                closed.join(seam.vertex, other);
            }
        }
        for seam in self.closed_seams(positions).filter(|seam| seam.other().is_none()) {
            closed.points.push((seam.vertex, seam.edge));
        }
        closed.settle();
        closed
    }
}

/// The seams that are closed in one state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClosedSeams {
    /// By vertex: the smallest vertex that is joined to it; empty if no seam is closed.
    joint: Vec<u32>,
    /// Vertices that are stitched inside an edge, and its ends, sorted.
    points: Vec<(u32, [u32; 2])>,
    count: usize,
}

impl ClosedSeams {
    /// Number of stitches that are closed.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether a seam joins two primitives, each given by its vertices: they share a vertex, or one has a
    /// vertex that is stitched to an edge of the other.
    #[must_use]
    pub fn joins(&self, a: &[u32], b: &[u32]) -> bool {
        if self.joint.is_empty() {
            return false;
        }
        let one = |v: u32| self.one(v);
        let has = |part: &[u32], v: u32| part.iter().any(|&u| one(u) == v);
        a.iter().any(|&v| has(b, one(v))) || self.stitches(a, b) || self.stitches(b, a)
    }

    /// Removes the pairs that a seam joins from the crossings of a motion. For a motion, do so with the seams
    /// that are closed at either end: such pairs share a vertex there.
    pub fn remove_joined(&self, impacts: &mut Impacts, topology: &Topology) {
        let edge = |e: u32| topology.edges()[e as usize];
        impacts.vertex_faces.retain(|&[v, f]| !self.joins(&[v], &topology.faces()[f as usize]));
        impacts.edge_edges.retain(|&[a, b]| !self.joins(&edge(a), &edge(b)));
    }

    /// Whether a vertex of `a` is stitched to an edge whose ends both are in `b`.
    fn stitches(&self, a: &[u32], b: &[u32]) -> bool {
        let has = |v: u32| b.iter().any(|&u| self.one(u) == v);
        a.iter().map(|&v| self.one(v)).any(|v| {
            let first = self.points.partition_point(|&(u, _)| u < v);
            let of_v = self.points[first..].iter().take_while(|&&(u, _)| u == v);
            of_v.into_iter().any(|&(_, ends)| ends.into_iter().all(has))
        })
    }

    /// What intersects without the pairs that a seam joins; flat folds stay.
    #[must_use]
    pub fn leave_out(&self, mut found: Intersections, topology: &Topology) -> Intersections {
        found.retain(|[e, f]| !self.joins(&topology.edges()[e as usize], &topology.faces()[f as usize]));
        found
    }

    /// Joins the vertices of faces that lie on others, `[face, first]`, that are in one place: two layers of
    /// one mesh share a vertex there as if they had been made with one.
    ///
    /// # Panics
    /// If a face does not exist, or there are fewer positions (m) than vertices.
    pub fn join_doubled(&mut self, doubled: &[[u32; 2]], positions: &[Point3<f64>], topology: &Topology) {
        if doubled.is_empty() {
            return;
        }
        if self.joint.is_empty() {
            self.joint = (0..topology.vertex_count() as u32).collect();
        }
        for pair in doubled {
            let [face, first] = pair.map(|f| topology.faces()[f as usize]);
            for (a, b) in face.into_iter().flat_map(|a| first.map(|b| (a, b))) {
                if positions[a as usize] == positions[b as usize] {
                    self.join(a, b);
                }
            }
        }
        self.settle();
    }

    /// The smallest vertex that is joined to a vertex; the vertex itself if none is, or if it is out of
    /// range.
    #[must_use]
    pub fn one(&self, vertex: u32) -> u32 {
        self.joint.get(vertex as usize).copied().unwrap_or(vertex)
    }

    /// Names the smallest vertices directly, everywhere.
    fn settle(&mut self) {
        for v in 0..self.joint.len() {
            self.joint[v] = self.find(v as u32);
        }
        for k in 0..self.points.len() {
            let (v, ends) = self.points[k];
            self.points[k] = (self.one(v), ends.map(|end| self.one(end)));
        }
        self.points.sort_unstable();
    }

    fn find(&mut self, mut v: u32) -> u32 {
        while self.joint[v as usize] != v {
            let next = self.joint[self.joint[v as usize] as usize];
            self.joint[v as usize] = next;
            v = next;
        }
        v
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.joint[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intersect::find;

    use cloth_geom::{TriMesh, fixtures::sheet};
    use nalgebra::Vector3;

    /// Columns and rows of a sleeve's vertices.
    const COLUMNS: u32 = 13;
    const ROWS: u32 = 5;

    /// The vertices of a column of the sheet that a sleeve is rolled from, row by row.
    fn column(index: u32) -> Vec<u32> {
        let flat = sheet(COLUMNS as usize, ROWS as usize, [1.0, 1.0]).unwrap().mesh;
        let bounds = flat.bounds();
        let spacing = (bounds.max.x - bounds.min.x) / f64::from(COLUMNS - 1);
        let x = bounds.min.x + f64::from(index) * spacing;
        let mut found: Vec<u32> = (0..flat.positions.len() as u32)
            .filter(|&v| (flat.positions[v as usize].x - x).abs() < 0.1 * spacing)
            .collect();
        found.sort_by(|&a, &b| flat.positions[a as usize].z.total_cmp(&flat.positions[b as usize].z));
        assert_eq!(found.len(), ROWS as usize);
        found
    }

    /// A sheet that is rolled into a sleeve whose first and last column are in the same places.
    fn sleeve() -> TriMesh {
        let flat = sheet(COLUMNS as usize, ROWS as usize, [1.0, 1.0]).unwrap().mesh;
        let bounds = flat.bounds();
        let turn = std::f64::consts::TAU / (bounds.max.x - bounds.min.x);
        let mut mesh = flat.mapped(|p| {
            let (sin, cos) = ((p.x - bounds.min.x) * turn).sin_cos();
            Point3::new(cos, p.z, sin)
        });
        for (a, b) in column(0).into_iter().zip(column(COLUMNS - 1)) {
            mesh.positions[b as usize] = mesh.positions[a as usize];
        }
        mesh
    }

    /// The sleeve's seam.
    fn seam() -> Vec<Seam> {
        column(0).into_iter().zip(column(COLUMNS - 1)).map(|(a, b)| Seam::between(a, b)).collect()
    }

    fn judged(mesh: &TriMesh, seams: Vec<Seam>, distance: f64) -> (usize, usize, usize) {
        let topology = Topology::of_mesh(mesh).unwrap();
        let found = find(&mesh.positions, &topology).unwrap();
        let closed = Seams::new(seams, mesh.positions.len(), distance).unwrap().closed_in(&mesh.positions);
        (found.count(), closed.leave_out(found, &topology).count(), closed.count())
    }

    #[test]
    fn a_closed_seam_is_no_intersection_and_an_open_one_joins_nothing() {
        let mut mesh = sleeve();
        let (raw, left, closed) = judged(&mesh, seam(), 0.0);
        assert!(raw > 0 && left == 0 && closed == ROWS as usize, "{raw} {left} {closed}");
        assert_eq!(judged(&mesh, Vec::new(), 1.0).1, raw);
        // One border a little further than the other, so that they overlap.
        for v in column(0) {
            mesh.positions[v as usize].z -= 1e-3;
        }
        let (raw, left, closed) = judged(&mesh, seam(), 9e-4);
        assert!(raw > 0 && left == raw && closed == 0, "{raw} {left} {closed}");
        assert_eq!(judged(&mesh, seam(), 1.1e-3), (raw, 0, ROWS as usize));
    }

    #[test]
    fn a_sleeve_that_is_sewn_through_itself_still_intersects() {
        let mut mesh = sleeve();
        // The columns next to the seam change sides: the sheet crosses itself behind the seam, which is
        // closed as before.
        for (a, b) in column(1).into_iter().zip(column(COLUMNS - 2)) {
            mesh.positions.swap(a as usize, b as usize);
        }
        let (raw, left, closed) = judged(&mesh, seam(), 1e-3);
        assert!(closed == ROWS as usize && left > 0 && left < raw, "{raw} {left}");
    }

    #[test]
    fn a_third_layer_through_the_seam_still_intersects() {
        let mut mesh = sleeve();
        let mut blade = sheet(3, 3, [1.0, 1.0]).unwrap().mesh;
        let middle = nalgebra::center(&blade.bounds().min, &blade.bounds().max);
        blade = blade.translated(Vector3::new(1.0, 0.013, 0.017) - middle.coords);
        mesh.append(&blade);
        let (_, left, closed) = judged(&mesh, seam(), 1e-9);
        assert!(left > 0 && closed == ROWS as usize, "{left}");
    }

    #[test]
    fn a_vertex_inside_an_edge_joins_the_pairs_that_have_both_alone() {
        let at = |x: f64, y: f64, z: f64| Point3::new(x, y, z);
        // The tip, vertex 3, is on the midpoint of the edge 0-1; vertex 6 is on the same edge, unstitched.
        let positions = vec![
            at(0.0, 0.0, 0.0),
            at(4.0, 0.0, 0.0),
            at(2.0, 0.0, 4.0),
            at(2.0, 0.0, 0.0),
            at(1.5, 1.0, 0.0),
            at(2.5, 1.0, 0.0),
            at(3.0, 0.0, 0.0),
            at(2.8, 1.0, -1.0),
            at(3.2, 1.0, -1.0),
        ];
        let mesh = TriMesh::new(positions, vec![[0, 1, 2], [3, 4, 5], [6, 7, 8]]);
        let stitch = Seam { vertex: 3, edge: [0, 1], ratio: 0.5 };
        let (raw, left, closed) = judged(&mesh, vec![stitch], 1e-9);
        assert!(closed == 1 && 0 < left && left < raw, "{raw} {left}");
        let both = vec![stitch, Seam { vertex: 6, edge: [1, 0], ratio: 0.25 }];
        assert_eq!(judged(&mesh, both, 1e-9).1, 0);
        let astray = Seam { ratio: 0.6, ..stitch };
        assert_eq!(judged(&mesh, vec![astray], 1e-9), (raw, raw, 0));
    }

    #[test]
    fn a_ratio_of_nought_or_one_is_a_vertex() {
        for (edge, ratio) in [([7, 8], 0.0), ([8, 7], 1.0), ([7, 7], 0.3)] {
            assert_eq!(Seam { vertex: 1, edge, ratio }.other(), Some(7));
        }
        assert_eq!(Seams::new(vec![Seam::between(1, 9)], 9, 0.0), Err(9));
    }

    #[test]
    fn stitches_that_meet_in_one_place_make_one_vertex() {
        let positions = vec![Point3::<f64>::origin(); 4];
        let seams = vec![Seam::between(3, 2), Seam::between(0, 1), Seam::between(2, 1)];
        let closed = Seams::new(seams, 4, 0.0).unwrap().closed_in(&positions);
        assert_eq!((closed.joint.as_slice(), closed.count()), (&[0, 0, 0, 0][..], 3));
    }
}
