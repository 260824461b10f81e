//! The patches of a mesh: a binary tree of face sets, each half of its parent, built once for a topology.
//!
//! Every face set is a run of one permuted list, so a patch is two numbers. The border of a patch that is a
//! disc is kept with it. No position is read: the tree belongs to the mesh, not to a pose.

use cloth_geom::Topology;

use super::bisection::{Bisection, NONE};
use super::disc::{Discs, twins};

/// Faces of a patch that is not split any further.
///
/// Smaller leaves spare more pairs and cost more tests of contours, see `docs/design/culling.md`.
const LEAF_FACES: usize = 4;

/// A patch.
#[derive(Clone, Debug)]
pub(super) struct Patch {
    /// Its faces, as a run of the permuted list.
    pub(super) faces: [u32; 2],
    /// Its first child; the second follows. 0 for a leaf.
    pub(super) child: u32,
    /// Its border, as a run of the borders; empty if it is not a disc.
    border: [u32; 2],
    /// Its vertices, as a run of theirs; those of a leaf are distinct.
    vertices: [u32; 2],
}

impl Patch {
    #[inline]
    pub(super) fn is_leaf(&self) -> bool {
        self.child == 0
    }

    #[inline]
    pub(super) fn face_count(&self) -> u32 {
        self.faces[1] - self.faces[0]
    }
}

/// The recursive patches of a mesh.
#[derive(Clone, Debug)]
pub struct PatchTree {
    vertex_count: usize,
    /// Children come after their parents.
    pub(super) patches: Vec<Patch>,
    /// The faces as their numbers in the mesh, permuted.
    pub(super) ids: Vec<u32>,
    /// Their corners.
    pub(super) corners: Vec<[u32; 3]>,
    borders: Vec<u32>,
    vertices: Vec<u32>,
}

impl PatchTree {
    /// Builds the patches of a mesh, in some microseconds a face.
    #[must_use]
    pub fn new(topology: &Topology) -> Self {
        Self::with_leaves_of(LEAF_FACES, topology)
    }

    fn with_leaves_of(leaf_faces: usize, topology: &Topology) -> Self {
        let faces = topology.faces();
        let twins = twins(topology);
        let across: Vec<[u32; 3]> = (0..faces.len())
            .map(|f| [0, 1, 2].map(|k| if twins[3 * f + k] == NONE { NONE } else { twins[3 * f + k] / 3 }))
            .collect();
        let mut tree = Self {
            vertex_count: topology.vertex_count(),
            patches: Vec::new(),
            ids: (0..faces.len() as u32).collect(),
            corners: Vec::new(),
            borders: Vec::new(),
            vertices: Vec::new(),
        };
        tree.split_all(leaf_faces, &mut Bisection::new(&across));
        tree.corners = tree.ids.iter().map(|&f| faces[f as usize]).collect();
        tree.find_borders(&mut Discs::new(topology.vertex_count(), faces, &twins));
        tree.list_vertices();
        tree
    }

    fn split_all(&mut self, leaf_faces: usize, bisection: &mut Bisection<'_>) {
        let root = [0, self.ids.len() as u32];
        self.patches.push(Patch { faces: root, child: 0, border: [0; 2], vertices: [0; 2] });
        let mut next = 0;
        while let Some(&Patch { faces: [begin, end], .. }) = self.patches.get(next) {
            let faces = &mut self.ids[begin as usize..end as usize];
            if faces.len() > leaf_faces.max(1) {
                let middle = begin + bisection.split(faces) as u32;
                self.patches[next].child = self.patches.len() as u32;
                for faces in [[begin, middle], [middle, end]] {
                    self.patches.push(Patch { faces, child: 0, border: [0; 2], vertices: [0; 2] });
                }
            } else {
                faces.sort_unstable();
            }
            next += 1;
        }
    }

    fn find_borders(&mut self, discs: &mut Discs<'_>) {
        for patch in &mut self.patches {
            let [begin, end] = patch.faces.map(|f| f as usize);
            let start = self.borders.len() as u32;
            discs.border_of(&self.ids[begin..end], &mut self.borders);
            patch.border = [start, self.borders.len() as u32];
        }
    }

    /// Lists the vertices of the leaves in the order of their faces, so that those of any patch are a run.
    fn list_vertices(&mut self) {
        let mut leaves: Vec<usize> = (0..self.patches.len()).filter(|&p| self.patches[p].is_leaf()).collect();
        leaves.sort_unstable_by_key(|&p| self.patches[p].faces);
        let mut distinct = Vec::new();
        for leaf in leaves {
            let [begin, end] = self.patches[leaf].faces.map(|f| f as usize);
            distinct.clear();
            distinct.extend(self.corners[begin..end].iter().flatten());
            distinct.sort_unstable();
            distinct.dedup();
            let start = self.vertices.len() as u32;
            self.vertices.extend_from_slice(&distinct);
            self.patches[leaf].vertices = [start, self.vertices.len() as u32];
        }
        for p in (0..self.patches.len()).rev().filter(|&p| !self.patches[p].is_leaf()).collect::<Vec<_>>() {
            let child = self.patches[p].child as usize;
            self.patches[p].vertices = [self.patches[child].vertices[0], self.patches[child + 1].vertices[1]];
        }
    }

    /// Number of vertices of the mesh.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Number of faces of the mesh.
    #[must_use]
    pub fn face_count(&self) -> usize {
        self.ids.len()
    }

    /// The border of a disc, as its faces run; empty for any other patch.
    #[inline]
    pub(super) fn border(&self, patch: &Patch) -> &[u32] {
        &self.borders[patch.border[0] as usize..patch.border[1] as usize]
    }

    /// The vertices of a patch: of a leaf distinct, of others with those of its leaves' seams repeated.
    #[inline]
    pub(super) fn vertices(&self, patch: &Patch) -> &[u32] {
        &self.vertices[patch.vertices[0] as usize..patch.vertices[1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::fixtures::{icosphere, sheet};

    fn build(mesh: &cloth_geom::TriMesh) -> PatchTree {
        PatchTree::new(&Topology::of_mesh(mesh).unwrap())
    }

    #[test]
    fn splits_every_patch_into_all_of_its_faces() {
        let mesh = sheet(17, 12, [1.0, 1.0]).unwrap().mesh;
        let tree = build(&mesh);
        let mut ids = tree.ids.clone();
        ids.sort_unstable();
        assert_eq!(ids, (0..mesh.faces.len() as u32).collect::<Vec<_>>());
        for patch in tree.patches.iter().filter(|p| !p.is_leaf()) {
            let children = &tree.patches[patch.child as usize..][..2];
            assert_eq!([children[0].faces[0], children[1].faces[1]], patch.faces);
            assert_eq!(children[0].faces[1], children[1].faces[0]);
            let least = children.iter().map(Patch::face_count).min().unwrap();
            assert!(least * 8 + 8 >= patch.face_count(), "{least} of {}", patch.face_count());
        }
    }

    /// Patches, and those of them that are discs: only those can be certified.
    fn counts(tree: &PatchTree) -> (usize, usize) {
        (tree.patches.len(), tree.patches.iter().filter(|p| p.border[0] < p.border[1]).count())
    }

    #[test]
    fn nearly_all_patches_of_a_sheet_and_of_a_sphere_are_discs() {
        for mesh in [sheet(40, 40, [1.0, 1.0]).unwrap().mesh, icosphere(4, 1.0).unwrap()] {
            let tree = build(&mesh);
            let (patches, discs) = counts(&tree);
            assert!(discs * 20 > patches * 19, "{discs} of {patches}");
        }
    }

    #[test]
    fn builds_trees_of_nothing_of_one_face_and_of_pieces() {
        let tree = |count, faces: &[[u32; 3]]| PatchTree::new(&Topology::new(count, faces).unwrap());
        assert_eq!(counts(&tree(0, &[])), (1, 0));
        assert_eq!(counts(&tree(3, &[[0, 1, 2]])), (1, 1));
        let pieces: Vec<[u32; 3]> = (0..1000).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let tree = tree(3000, &pieces);
        assert_eq!(tree.patches.iter().filter(|p| p.is_leaf()).map(Patch::face_count).sum::<u32>(), 1000);
    }
}
