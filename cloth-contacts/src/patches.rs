//! Patches: small compact sets of faces, the unit of motion bounds and candidate lists.
//!
//! Every face, edge and vertex belongs to exactly one patch, and a patch contains primitives of one
//! [group](crate::regions). Neighbours on the cloth move similarly, so one motion bound per patch is tight.
//!
//! A vertex or an edge belongs to the patch of its first face, a loose edge to that of its first end. Where
//! regions meet it has a group of its own and joins others of that group: the border of a region is a row of
//! small patches without faces, and so are vertices without faces.

mod membership;

use std::ops::Range;

use cloth_geom::Topology;
use cloth_geom::lanes::LANES8;
use nalgebra::Point3;

use crate::regions::Groups;
use membership::Membership;

/// Largest number of faces in a patch. Smaller patches make more pairs of patches, larger ones more expensive
/// rebuilds of lists.
const FACES: usize = 32;

/// Most vertices, or edges, in a patch without faces.
const LONE: usize = 16;

/// Largest number of corners of a patch: its faces may share none.
pub(crate) const MOST_CORNERS: usize = 3 * FACES;

/// Smallest margin of a fat box, in units of the reach of its patch.
const LEAST_ROOM: f32 = 1.0;

/// Rows of unequal length in one flat array, one row a patch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    starts: Vec<u32>,
    items: Vec<u32>,
    /// Start of the blocks of each row, if rows have blocks.
    block_starts: Vec<u32>,
}

impl Rows {
    /// Groups items `0..rows.len()` by their rows, in ascending order.
    fn group(row_count: usize, rows: &[u32]) -> Self {
        let mut pairs: Vec<[u32; 2]> = rows.iter().zip(0..).map(|(&row, item)| [row, item]).collect();
        pairs.sort_unstable();
        Self::of_sorted(row_count, &pairs)
    }

    fn of_sorted(row_count: usize, pairs: &[[u32; 2]]) -> Self {
        let starts = (0..=row_count).map(|row| pairs.partition_point(|p| (p[0] as usize) < row) as u32);
        let starts: Vec<u32> = starts.collect();
        let mut block_starts = vec![0];
        for row in starts.windows(2) {
            block_starts
                .push(block_starts[block_starts.len() - 1] + (row[1] - row[0]).div_ceil(LANES8 as u32));
        }
        Self { starts, items: pairs.iter().map(|p| p[1]).collect(), block_starts }
    }

    fn empty() -> Self {
        Self { starts: vec![0], items: Vec::new(), block_starts: vec![0] }
    }

    /// Appends some rows of another array, with `shift` added to each item.
    fn append(&mut self, other: &Self, rows: &Range<u32>, shift: u32) {
        let rows = rows.start as usize..rows.end as usize;
        let (start, end) = (other.starts[rows.start], self.items.len() as u32);
        self.starts.extend(other.starts[rows.start + 1..=rows.end].iter().map(|at| at - start + end));
        let items = &other.items[start as usize..other.starts[rows.end] as usize];
        self.items.extend(items.iter().map(|item| item + shift));
        let (start, end) = (other.block_starts[rows.start], self.block_starts[self.block_starts.len() - 1]);
        let blocks = &other.block_starts[rows.start + 1..=rows.end];
        self.block_starts.extend(blocks.iter().map(|at| at - start + end));
    }

    /// Where the blocks of some rows lie among all blocks.
    fn blocks_of(&self, rows: &Range<u32>) -> Range<usize> {
        self.block_starts[rows.start as usize] as usize..self.block_starts[rows.end as usize] as usize
    }

    /// Where the items of a row lie among all items.
    pub(crate) fn range(&self, row: u32) -> Range<usize> {
        self.starts[row as usize] as usize..self.starts[row as usize + 1] as usize
    }

    pub(crate) fn row(&self, row: u32) -> &[u32] {
        &self.items[self.range(row)]
    }

    /// Where the blocks of a row lie among all blocks.
    pub(crate) fn blocks(&self, row: u32) -> Range<usize> {
        self.block_starts[row as usize] as usize..self.block_starts[row as usize + 1] as usize
    }

    /// The items by block; the last of a row fills the lanes that are left over.
    fn in_blocks<T: Copy>(&self, of: &[T]) -> Vec<[T; LANES8]> {
        let rows = self.starts.windows(2).map(|row| &of[row[0] as usize..row[1] as usize]);
        rows.flat_map(|row| row.chunks(LANES8))
            .map(|chunk| [0, 1, 2, 3, 4, 5, 6, 7].map(|l| chunk[l.min(chunk.len() - 1)]))
            .collect()
    }
}

/// The patches of a surface.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patches {
    pub(crate) faces: Rows,
    pub(crate) edges: Rows,
    pub(crate) vertices: Rows,
    /// All vertices that a patch's primitives touch, its own and its neighbours'.
    pub(crate) corners: Rows,
    /// The vertices in `corners` by block.
    pub(crate) corner_blocks: Vec<[u32; LANES8]>,
    /// The corners of faces, the ends of edges and the vertices, as places in the patch's row of `corners`;
    /// by block.
    pub(crate) face_blocks: Vec<[[u8; 3]; LANES8]>,
    pub(crate) edge_blocks: Vec<[[u8; 2]; LANES8]>,
    pub(crate) vertex_blocks: Vec<[[u8; 1]; LANES8]>,
    /// The group of each.
    pub(crate) group: Vec<u16>,
    /// Half of the largest reach of its vertices (m).
    pub(crate) half_reach: Vec<f32>,
    /// Mean length of its edges at rest (m); 0 without edges.
    pub(crate) spacing: Vec<f32>,
    /// Smallest margin (m) of the fat box of each patch in the broad phase; a larger margin means fewer
    /// updates.
    pub(crate) room: Vec<f32>,
}

/// The patches of one part and its place in a surface.
pub(crate) struct PlacedPatches<'a> {
    pub(crate) patches: &'a Patches,
    /// Its first vertex, face and edge.
    pub(crate) first: [u32; 3],
    /// Its only group.
    pub(crate) group: u16,
}

impl Patches {
    /// Bisects each group by where its faces rest; `half_reach` (m) has one entry a vertex.
    pub(crate) fn new(
        topology: &Topology,
        groups: &Groups,
        rest: &[Point3<f32>],
        half_reach: &[f32],
    ) -> Self {
        Self::from_members(&Membership::new(topology, groups, rest), topology, groups, half_reach, rest)
    }

    /// The arrays of patches whose members are known.
    fn from_members(
        of: &Membership,
        topology: &Topology,
        groups: &Groups,
        half_reach: &[f32],
        rest: &[Point3<f32>],
    ) -> Self {
        let (faces, edges, count) = (topology.faces(), topology.edges(), of.count as usize);
        let corners = of.corners(topology);
        let most = |p: u32| corners.row(p).iter().fold(0.0, |most: f32, &v| most.max(half_reach[v as usize]));
        let half_reach: Vec<f32> = (0..of.count).map(most).collect();
        let rows_of_edges = Rows::group(count, &of.edge);
        let rows_of_faces = Rows::group(count, &of.face);
        let rows_of_vertices = Rows::group(count, &of.vertex);
        Self {
            corner_blocks: corners.in_blocks(&corners.items),
            face_blocks: rows_of_faces.in_blocks(&among(&corners, &rows_of_faces, |f| faces[f as usize])),
            edge_blocks: rows_of_edges.in_blocks(&among(&corners, &rows_of_edges, |e| edges[e as usize])),
            vertex_blocks: rows_of_vertices.in_blocks(&among(&corners, &rows_of_vertices, |v| [v])),
            room: half_reach.iter().map(|half| LEAST_ROOM * 2.0 * half).collect(),
            spacing: (0..of.count).map(|p| mean_length(edges, rest, rows_of_edges.row(p))).collect(),
            faces: rows_of_faces,
            edges: rows_of_edges,
            vertices: rows_of_vertices,
            group: of.groups(groups),
            half_reach,
            corners,
        }
    }

    /// The patches of parts that are one group each, in linear time: equal to [`Patches::new`] over all of
    /// them.
    pub(crate) fn concat(parts: &[PlacedPatches<'_>], half_reach: &[f32]) -> Self {
        let mut all = Self {
            faces: Rows::empty(),
            edges: Rows::empty(),
            vertices: Rows::empty(),
            corners: Rows::empty(),
            ..Self::default()
        };
        // Patches of faces come before those of vertices without a face.
        for part in parts {
            all.append(part, 0..part.patches.with_faces());
        }
        for part in parts {
            all.append(part, part.patches.with_faces()..part.patches.count());
        }
        let count = all.count() as usize;
        all.half_reach.resize(count, 0.0);
        all.set_half_reach(half_reach);
        all.room.extend(all.half_reach.iter().map(|half| LEAST_ROOM * 2.0 * half));
        all
    }

    /// Appends some patches of a part.
    fn append(&mut self, part: &PlacedPatches<'_>, rows: Range<u32>) {
        let (own, [vertex, face, edge]) = (part.patches, part.first);
        let corners = own.corner_blocks[own.corners.blocks_of(&rows)].iter();
        self.corner_blocks.extend(corners.map(|block| block.map(|v| v + vertex)));
        self.face_blocks.extend_from_slice(&own.face_blocks[own.faces.blocks_of(&rows)]);
        self.edge_blocks.extend_from_slice(&own.edge_blocks[own.edges.blocks_of(&rows)]);
        self.vertex_blocks.extend_from_slice(&own.vertex_blocks[own.vertices.blocks_of(&rows)]);
        self.faces.append(&own.faces, &rows, face);
        self.edges.append(&own.edges, &rows, edge);
        self.vertices.append(&own.vertices, &rows, vertex);
        self.corners.append(&own.corners, &rows, vertex);
        self.group.extend(rows.clone().map(|_| part.group));
        self.spacing.extend_from_slice(&own.spacing[rows.start as usize..rows.end as usize]);
    }

    /// Number of patches with faces, which come first if all are of one group.
    fn with_faces(&self) -> u32 {
        (0..self.count()).take_while(|&p| !self.faces.row(p).is_empty()).count() as u32
    }

    /// Replaces the reaches; the margins are kept.
    pub(crate) fn set_half_reach(&mut self, half_reach: &[f32]) {
        for p in 0..self.count() {
            let own = self.corners.row(p).iter();
            self.half_reach[p as usize] = own.fold(0.0, |most, &v| half_reach[v as usize].max(most));
        }
    }

    pub(crate) fn count(&self) -> u32 {
        self.group.len() as u32
    }
}

/// The vertices of each item as indices into the corners of its row, of which there are fewer than 256.
fn among<const N: usize>(corners: &Rows, items: &Rows, vertices: impl Fn(u32) -> [u32; N]) -> Vec<[u8; N]> {
    let rows = 0..items.starts.len() as u32 - 1;
    let place = |row: u32, v: u32| corners.row(row).partition_point(|&corner| corner < v) as u8;
    rows.flat_map(|row| items.row(row).iter().map(move |&item| (row, item)))
        .map(|(row, item)| vertices(item).map(|v| place(row, v)))
        .collect()
}

/// Mean length (m) of some edges.
fn mean_length(edges: &[[u32; 2]], rest: &[Point3<f32>], ids: &[u32]) -> f32 {
    let length = |&e: &u32| {
        let [a, b] = edges[e as usize];
        (rest[a as usize] - rest[b as usize]).norm()
    };
    ids.iter().map(length).sum::<f32>() / ids.len().max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Regions;
    use cloth_geom::fixtures::sheet;

    #[test]
    fn each_primitive_is_in_one_small_patch_of_its_group() {
        let mesh = sheet(20, 30, [2.0, 3.0]).unwrap().mesh;
        let count = mesh.positions.len();
        let twice = mesh.faces.iter().map(|f| f.map(|v| v + count as u32));
        let faces: Vec<[u32; 3]> = mesh.faces.iter().copied().chain(twice).collect();
        let mut rest: Vec<Point3<f32>> = mesh.positions.iter().map(|p| p.cast()).collect();
        rest.extend_from_within(..);
        rest.extend((0..40u8).map(|i| Point3::new(f32::from(i), 0.0, 0.0)));
        let part: Vec<u16> = (0..rest.len()).map(|v| (v / count) as u16).collect();
        let topology = Topology::new(rest.len(), &faces).unwrap();
        let of_face: Vec<u16> = (0..faces.len()).map(|f| u16::from(f % mesh.faces.len() < 300)).collect();
        let regions = Regions { of_face: &of_face, ..Regions::default() };
        let groups = Groups::new(&topology, &part, &[false; 3], &regions).unwrap();
        let patches = Patches::new(&topology, &groups, &rest, &vec![0.1; rest.len()]);

        for (rows, expected) in [
            (&patches.faces, faces.len()),
            (&patches.edges, topology.edges().len()),
            (&patches.vertices, rest.len()),
        ] {
            let mut all: Vec<u32> = (0..patches.count()).flat_map(|p| rows.row(p).to_vec()).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..expected as u32));
        }
        for p in 0..patches.count() {
            let corners = patches.corners.row(p);
            assert!(patches.faces.row(p).len() <= FACES);
            let group = patches.group[p as usize];
            assert!(patches.faces.row(p).iter().all(|&f| groups.of_face[f as usize] == group));
            assert!(patches.vertices.row(p).iter().all(|&v| groups.of_vertex[v as usize] == group));
            assert!(patches.edges.row(p).iter().all(|&e| groups.of_edge[e as usize] == group));
            assert!(corners.iter().all(|&v| part[v as usize] == part[corners[0] as usize]));
            let touched = patches.faces.row(p).iter().flat_map(|&f| faces[f as usize]);
            let ends = patches.edges.row(p).iter().flat_map(|&e| topology.edges()[e as usize]);
            let own = patches.vertices.row(p).iter().copied();
            assert!(touched.chain(ends).chain(own).all(|v| corners.contains(&v)));
            assert!(corners.len() <= 40, "{}", corners.len());
        }
    }
}
