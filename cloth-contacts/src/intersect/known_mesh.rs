//! Data of the last checked mesh: edge ownership and patches.
//!
//! Building patches costs about as much as a few checks. They are built at the second state of a mesh, so
//! that checking a single state does not pay for them.

use cloth_broadphase::cull::{Culler, NormalCones, PatchTree, WithPlanes};
use cloth_geom::Topology;

/// The mesh of the last state.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownMesh {
    vertex_count: usize,
    faces: Vec<[u32; 3]>,
    /// By face: bit mask of the edges of which it is the first face.
    owned: Vec<u8>,
    /// Edges without a face, ascending.
    loose: Vec<u32>,
    culler: Option<Culler<WithPlanes<NormalCones>>>,
    /// By vertex: edges and faces of such vertices alone are not tested against each other. Empty if there are none.
    pub(super) scenery: Vec<bool>,
}

/// Which faces contribute which edges to a check.
pub(super) struct MeshEdges<'a> {
    /// By face: bit mask of the edges of which it is the first face.
    pub(super) owned: &'a [u8],
    /// Edges without a face, ascending.
    pub(super) loose: &'a [u32],
    scenery: &'a [bool],
}

impl MeshEdges<'_> {
    pub(super) fn have_scenery(&self) -> bool {
        !self.scenery.is_empty()
    }

    /// Whether all vertices of a primitive are scenery.
    #[inline]
    pub(super) fn are_scenery(&self, vertices: &[u32]) -> bool {
        vertices.iter().all(|&v| self.scenery.get(v as usize) == Some(&true))
    }
}

impl KnownMesh {
    /// Switches to the mesh of `topology`; builds its patches if it was the mesh before and `cull` is set.
    pub(super) fn become_mesh(&mut self, topology: &Topology, cull: bool) {
        self.loose.clear();
        self.loose.extend(topology.loose_edges());
        if self.vertex_count != topology.vertex_count() || self.faces != topology.faces() {
            self.vertex_count = topology.vertex_count();
            self.faces.clear();
            self.faces.extend_from_slice(topology.faces());
            mark_owners(topology, &mut self.owned);
            self.culler = None;
        } else if self.culler.is_none() && cull {
            self.culler = Some(Culler::new(PatchTree::new(topology)));
        }
        if let Some(culler) = &mut self.culler {
            culler.leave_out_among(&self.scenery);
        }
    }

    /// Edge ownership, and the culler if it is built.
    pub(super) fn parts(&mut self) -> (MeshEdges<'_>, Option<&mut Culler<WithPlanes<NormalCones>>>) {
        let Self { owned, loose, scenery, culler, .. } = self;
        (MeshEdges { owned, loose, scenery }, culler.as_mut())
    }
}

fn mark_owners(topology: &Topology, owned: &mut Vec<u8>) {
    owned.clear();
    owned.extend(topology.face_edges().iter().enumerate().map(|(f, edges)| {
        (0..3).map(|k| u8::from(topology.edge_faces(edges[k] as usize)[0] as usize == f) << k).sum::<u8>()
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_patches_for_the_second_state_of_a_mesh_alone() {
        let mesh = |faces: &[[u32; 3]]| Topology::new(5, faces).unwrap();
        let (one, other) = (mesh(&[[0, 1, 2], [1, 3, 2]]), mesh(&[[0, 1, 2], [1, 4, 2]]));
        let mut known = KnownMesh::default();
        let mut has_patches = |topology: &Topology, cull| {
            known.become_mesh(topology, cull);
            known.parts().1.is_some()
        };
        assert!(!has_patches(&one, true) && has_patches(&one, true) && has_patches(&one, true));
        assert!(!has_patches(&other, true) && !has_patches(&other, false) && has_patches(&other, true));
        assert!(!has_patches(&one, true));
    }
}
