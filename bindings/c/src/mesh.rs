//! What collides.

use cloth_certify::{CollisionMesh, Mask};

use crate::handle::{self, Handle};
use crate::memory::{self, array, item};
use crate::status::{Fault, cloth_error, cloth_status, run};

/// A mesh that is judged. It never changes, so any number of threads may use it at once.
pub struct cloth_mesh(());

impl Handle for cloth_mesh {
    type Content = CollisionMesh;
    const KIND: u64 = 0x7c10_7402_3e54_c0de;
    const NAME: &'static str = "mesh";
}

/// The groups that a part is in, and those that it collides with, one bit each. Two parts collide if each is
/// in a group that the other collides with.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_mask {
    /// The groups it is in.
    pub is_in: u32,
    /// The groups it collides with.
    pub meets: u32,
}

/// The description of a mesh. Set it to zero, then set what there is; arrays of count 0 may be null. It is
/// copied: the arrays are not needed after the call.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_mesh_desc {
    /// Number of vertices.
    pub vertex_count: usize,
    /// 3 vertices a face, in any orientation; the mesh need not be manifold.
    pub faces: *const u32,
    /// Number of faces.
    pub face_count: usize,
    /// 2 vertices for each edge without a face: wires, hair. Vertices without faces and edges are points,
    /// which collide with faces.
    pub edges: *const u32,
    /// Number of edges without faces.
    pub edge_count: usize,
    /// The part of each vertex, from 0; null: everything is part 0. Faces and edges are of one part.
    pub parts: *const u16,
    /// Number of entries of `kinematic` and of `masks`: as many as there are parts.
    pub part_count: usize,
    /// For each part: not 0 if its motion is never corrected; two such parts do not collide. Null: none.
    pub kinematic: *const u8,
    /// The mask of each part. Null: all parts collide.
    pub masks: *const cloth_mask,
    /// 2 vertices for each pair whose primitives do not collide, as if the two were one: seams.
    pub exclusions: *const u32,
    /// Number of pairs.
    pub exclusion_count: usize,
}

/// How much there is of a mesh.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_mesh_counts {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of edges, those of faces included: ids of edges are below it.
    pub edges: usize,
    /// Number of faces.
    pub faces: usize,
}

/// Builds a mesh. `*mesh` is null after an error.
///
/// `CLOTH_ERROR_ARGUMENT` if an index is out of range, a face or an edge has equal corners or joins two
/// parts, or there are more than 2^30 - 1 of something.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_mesh_create(
    desc: *const cloth_mesh_desc,
    mesh: *mut *mut cloth_mesh,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe { handle::create(("mesh", mesh), error, || build(item("desc", desc)?)) }
}

/// Frees a mesh. Null is allowed. Certifiers of the mesh stay valid. No call may be using it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_mesh_destroy(mesh: *mut cloth_mesh) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers, and uses the handle for the last time.
    unsafe { run(std::ptr::null_mut(), || handle::destroy(mesh)) }
}

/// Counts vertices, edges and faces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_mesh_get_counts(
    mesh: *const cloth_mesh,
    counts: *mut cloth_mesh_counts,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        run(error, || {
            let mesh = handle::content(mesh)?;
            let topology = mesh.topology();
            let (edges, faces) = (topology.edges().len(), topology.faces().len());
            memory::write("counts", counts, cloth_mesh_counts { vertices: mesh.vertex_count(), edges, faces })
        })
    }
}

/// Writes the 2 vertices of each edge, by id, for as many edges as `capacity` says; `*count` is the number of
/// all edges. `edges` may be null if `capacity` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_mesh_get_edges(
    mesh: *const cloth_mesh,
    edges: *mut u32,
    capacity: usize,
    count: *mut usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        run(error, || {
            let all = handle::content(mesh)?.topology().edges();
            memory::fill_counted(("edges", edges.cast::<[u32; 2]>(), capacity), count, all)
        })
    }
}

/// # Safety
/// The arrays of the description are as long as it says.
unsafe fn build(desc: &cloth_mesh_desc) -> Result<CollisionMesh, Fault> {
    // SAFETY: as demanded.
    let (faces, edges, parts, kinematic, masks, exclusions) = unsafe {
        (
            array("faces", desc.faces.cast::<[u32; 3]>(), desc.face_count)?,
            array("edges", desc.edges.cast::<[u32; 2]>(), desc.edge_count)?,
            memory::optional("parts", desc.parts, desc.vertex_count)?,
            memory::optional("kinematic", desc.kinematic, desc.part_count)?,
            memory::optional("masks", desc.masks, desc.part_count)?,
            array("exclusions", desc.exclusions.cast::<[u32; 2]>(), desc.exclusion_count)?,
        )
    };
    let kinematic: Vec<bool> = kinematic.unwrap_or_default().iter().map(|&k| k != 0).collect();
    let masks = masks.unwrap_or_default().iter();
    let masks: Vec<Mask> = masks.map(|&cloth_mask { is_in, meets }| Mask { is_in, meets }).collect();
    let mesh = CollisionMesh::new(desc.vertex_count, faces).edges(edges).parts(parts.unwrap_or_default());
    let mesh = mesh.kinematic(&kinematic).masks(&masks).exclusions(exclusions);
    mesh.build().map_err(Fault::argument)
}
