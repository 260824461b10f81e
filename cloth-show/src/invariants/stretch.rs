//! How far edges are from their rest length, along the threads and across them.
//!
//! Woven cloth resists along its threads and is soft across them, so the two are measured separately: a limit
//! on all edges would either forgive stretched threads or forbid shear.

use cloth_geom::fixtures::Sheet;
use cloth_geom::{Topology, TriMesh};
use cloth_scene::MeasuredEdge;
use nalgebra::Point3;

/// The edges that are measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeasuredEdges {
    /// Along warp and weft.
    pub threads: Vec<MeasuredEdge>,
    /// Across the cells of the weave.
    pub diagonals: Vec<MeasuredEdge>,
}

/// Change of length `|l / l0 - 1|` over a set of edges.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Strain {
    /// 99th percentile, by nearest rank.
    pub p99: f64,
    /// The greatest.
    pub max: f64,
}

impl MeasuredEdges {
    /// The edges of a sheet, which knows its weave; its positions are the rest shape.
    #[must_use]
    pub fn of_sheet(sheet: &Sheet) -> Self {
        let measure = |edges: Vec<[u32; 2]>| edges.into_iter().map(|e| measured(&sheet.mesh, e)).collect();
        let threads = [sheet.warp_edges(), sheet.weft_edges()].concat();
        Self { threads: measure(threads), diagonals: measure(sheet.diagonal_edges()) }
    }

    /// The edges of a mesh sewn from grids; its positions are the rest shape.
    ///
    /// A diagonal is what is the longest edge of each of two faces: that is how a cell of a grid is split, so
    /// long as its corners are nearer to right angles than to its diagonals.
    #[must_use]
    pub fn of_mesh(mesh: &TriMesh, topology: &Topology) -> Self {
        let mut all = Self::default();
        for (e, &ends) in topology.edges().iter().enumerate() {
            let edge = measured(mesh, ends);
            let faces = topology.edge_faces(e);
            let longest = |&f: &u32| {
                let edges = topology.face_edges()[f as usize].map(|k| topology.edges()[k as usize]);
                edges.iter().all(|&other| measured(mesh, other).rest <= edge.rest)
            };
            let is_diagonal = faces.len() == 2 && faces.iter().all(longest);
            if is_diagonal { all.diagonals.push(edge) } else { all.threads.push(edge) }
        }
        all
    }

    /// Appends the edges of a cloth whose first vertex is `offset`.
    pub fn append(&mut self, other: &Self, offset: u32) {
        let shift = |e: &MeasuredEdge| MeasuredEdge { ends: e.ends.map(|v| v + offset), ..*e };
        self.threads.extend(other.threads.iter().map(shift));
        self.diagonals.extend(other.diagonals.iter().map(shift));
    }
}

fn measured(mesh: &TriMesh, ends: [u32; 2]) -> MeasuredEdge {
    let [a, b] = ends.map(|v| mesh.positions[v as usize]);
    MeasuredEdge { ends, rest: (b - a).norm() }
}

impl Strain {
    /// The change of length at these positions (m); `None` without edges. `room` is overwritten.
    #[must_use]
    pub fn measure(positions: &[Point3<f64>], edges: &[MeasuredEdge], room: &mut Vec<f64>) -> Option<Self> {
        room.clear();
        room.extend(edges.iter().map(|edge| {
            let [a, b] = edge.ends.map(|v| positions[v as usize]);
            ((b - a).norm() / edge.rest - 1.0).abs()
        }));
        if room.is_empty() {
            return None;
        }
        let rank = (room.len() * 99).div_ceil(100) - 1;
        let (_, &mut p99, above) = room.select_nth_unstable_by(rank, f64::total_cmp);
        Some(Self { p99, max: above.iter().copied().fold(p99, f64::max) })
    }

    /// The greatest of those that were measured, figure by figure; `None` if none was.
    #[must_use]
    pub fn worst(found: impl IntoIterator<Item = Option<Self>>) -> Option<Self> {
        let measured = found.into_iter().flatten();
        measured.reduce(|a, b| Self { p99: a.p99.max(b.p99), max: a.max.max(b.max) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::fixtures::{self, TshirtShape};
    use nalgebra::Vector3;

    #[test]
    fn a_sheet_pulled_along_its_threads_shows_it_there() {
        let sheet = fixtures::sheet(5, 4, [1.0, 1.0]).expect("a sheet");
        let edges = MeasuredEdges::of_sheet(&sheet);
        let pulled: Vec<_> =
            sheet.mesh.positions.iter().map(|p| Point3::new(p.x * 1.25, p.y, p.z * 0.5)).collect();
        let threads = Strain::measure(&pulled, &edges.threads, &mut Vec::new()).expect("threads");
        assert!((threads.max - 0.5).abs() < 1e-12 && (threads.p99 - 0.5).abs() < 1e-12, "{threads:?}");
        let rest = Strain::measure(&sheet.mesh.positions, &edges.diagonals, &mut Vec::new());
        assert_eq!(rest, Some(Strain::default()));
        let diagonals = Strain::measure(&pulled, &edges.diagonals, &mut Vec::new());
        assert!(diagonals.is_some_and(|strain| strain.max < 0.3), "{diagonals:?}");
    }

    #[test]
    fn the_percentile_leaves_out_one_edge_of_a_hundred() {
        let edge = |i: u32| MeasuredEdge { ends: [0, i], rest: 1.0 };
        let mut positions = vec![Point3::origin()];
        positions.extend((1..=200).map(|i| Point3::from(Vector3::x() * (1.0 + f64::from(i) / 128.0))));
        let edges: Vec<_> = (1..=200).rev().map(edge).collect();
        let measure = |edges: &[MeasuredEdge]| Strain::measure(&positions, edges, &mut Vec::new());
        let all = Some(Strain { p99: 198.0 / 128.0, max: 200.0 / 128.0 });
        let one = Some(Strain { p99: 200.0 / 128.0, max: 200.0 / 128.0 });
        assert_eq!((measure(&edges), measure(&edges[..1]), measure(&[])), (all, one, None));
        assert_eq!(Strain::worst([None, all, one, None]), one);
        assert_eq!(Strain::worst([None, None]), None);
    }

    #[test]
    fn finds_the_diagonals_of_a_sheet_by_their_length() {
        let sheet = fixtures::sheet(6, 5, [1.0, 1.0]).expect("a sheet");
        let topology = Topology::of_mesh(&sheet.mesh).expect("a surface");
        let sorted = |edges: &[MeasuredEdge]| {
            let mut ends: Vec<_> =
                edges.iter().map(|e| [e.ends[0].min(e.ends[1]), e.ends[0].max(e.ends[1])]).collect();
            ends.sort_unstable();
            ends
        };
        let (known, found) =
            (MeasuredEdges::of_sheet(&sheet), MeasuredEdges::of_mesh(&sheet.mesh, &topology));
        assert_eq!(sorted(&found.threads), sorted(&known.threads));
        assert_eq!(sorted(&found.diagonals), sorted(&known.diagonals));
    }

    #[test]
    fn nearly_every_cell_of_a_shirt_has_one_diagonal() {
        let shirt = fixtures::tshirt(TshirtShape::default()).expect("a shirt");
        let topology = Topology::of_mesh(&shirt).expect("a surface");
        let edges = MeasuredEdges::of_mesh(&shirt, &topology);
        let cells = shirt.faces.len() / 2;
        assert!(
            edges.diagonals.len() * 10 > cells * 9 && edges.diagonals.len() <= cells,
            "{} of {cells}",
            edges.diagonals.len()
        );
    }

    #[test]
    fn edges_of_a_second_cloth_are_numbered_behind_the_first() {
        let mut edges = MeasuredEdges::default();
        let one =
            MeasuredEdges { threads: vec![MeasuredEdge { ends: [0, 1], rest: 1.0 }], diagonals: vec![] };
        edges.append(&one, 0);
        edges.append(&one, 7);
        assert_eq!(edges.threads[1].ends, [7, 8]);
    }
}
