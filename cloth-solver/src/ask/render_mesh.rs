//! Render meshes: from the vertex buffer of an engine to a cloth mesh, and back every frame.
//!
//! A vertex buffer has several vertices in one place where texture coordinates or normals change, so as a
//! cloth it would fall apart along these seams. [`RenderMesh`] joins equal positions and keeps the map:
//!
//! ```text
//!   buffer   a  b|c  d     b and c: one place, two texture coordinates
//!   shading  A    B  D     the same normal: one shading vertex; normals over a degree apart: one each
//!   cloth    0    1  2
//! ```
//!
//! A shading vertex has a frame on the cloth: the sum of the areas of its faces, and an edge of one of them.
//! Normals and tangents of the buffer are constant in the frame of their shading vertex. So the bound pose is
//! reproduced, rigid motion turns them rigidly, hard edges stay hard and smooth ones show no seam. A
//! [`DisplayMesh`](crate::DisplayMesh) binds a *finer* mesh to the cloth instead.

use cloth_geom::lanes::{
    Instructions, Lanes, Simd, baseline, cross, dot, gather, minus, norm, scaled, splat,
};
use cloth_geom::{Action, RepairPolicy, TriMesh, repair};
use nalgebra::{Point3, Vector3};

use crate::DisplayError;
use crate::ask::display::{any_across, check_finite, check_length};
use crate::bodies::{Packed, packed, vector};

/// Cosine of the angle (1 degree) up to which two normals of one place belong to one smooth surface: above
/// the rounding of packed vertex formats, below any crease.
const SMOOTH: f32 = 0.999_848;

/// The vertex and index buffers of an engine, in the bound pose, preferably the rest pose.
#[derive(Clone, Copy, Debug, Default)]
pub struct VertexBuffers<'a> {
    /// Positions (m).
    pub positions: &'a [[f32; 3]],
    /// Three indices for each triangle.
    pub indices: &'a [u32],
    /// Unit normals; empty: those of the cloth, smooth everywhere.
    pub normals: &'a [[f32; 3]],
    /// Tangents, and in the fourth number whatever the engine keeps there (usually the handedness); empty:
    /// none.
    pub tangents: &'a [[f32; 4]],
}

/// Where [`RenderMesh::write`] writes, one entry for each vertex of the buffers; an empty slice is left out.
#[derive(Debug, Default)]
pub struct VertexOutput<'a> {
    /// Positions (m).
    pub positions: &'a mut [[f32; 3]],
    /// Unit normals.
    pub normals: &'a mut [[f32; 3]],
    /// Tangents; the fourth number is that of the bound buffer.
    pub tangents: &'a mut [[f32; 4]],
}

/// A vertex buffer and the cloth that moves it.
///
/// ```
/// use cloth_solver::nalgebra::Vector3;
/// use cloth_solver::{RenderMesh, VertexBuffers, VertexOutput};
///
/// // A quad that is split along its diagonal.
/// let [a, b, c, d] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0]];
/// let (positions, indices) = ([a, c, b, a, d, c], [0, 1, 2, 3, 4, 5]);
/// let buffers = VertexBuffers { positions: &positions, indices: &indices, ..Default::default() };
/// let mut render = RenderMesh::new(&buffers)?;
/// let cloth = render.cloth_mesh();
/// assert_eq!((cloth.positions.len(), cloth.faces.len()), (4, 2));
///
/// let moved: Vec<_> = cloth.positions_f32().iter().map(|p| p + Vector3::y()).collect();
/// let (mut positions, mut normals) = ([[0.0; 3]; 6], [[0.0; 3]; 6]);
/// let out = VertexOutput { positions: &mut positions, normals: &mut normals, ..Default::default() };
/// render.write(&moved, out)?;
/// assert_eq!((positions[4], normals[4]), ([0.0, 1.0, 1.0], [0.0, 1.0, 0.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RenderMesh {
    cloth: TriMesh,
    dropped_faces: Vec<u32>,
    /// The cloth vertex of each vertex of the buffer.
    vertex_map: Vec<u32>,
    /// The shading vertex of each vertex of the buffer.
    shading_map: Vec<u32>,
    /// The corners of each face of the cloth as shading vertices.
    corners: Vec<[u32; 3]>,
    /// The edge in the frame of each shading vertex, as cloth vertices; equal ends if it has no face.
    edges: Vec<[u32; 2]>,
    /// Normals and tangents of the buffer in their frames.
    normals: Vec<Vector3<f32>>,
    tangents: Vec<[f32; 4]>,
    /// Scratch: by shading vertex, the sum of the areas of its faces, twice, and its frame.
    areas: Vec<Packed>,
    frames: Vec<Frame>,
}

/// The axes of a frame: along the edge, across, and up.
type Frame = [Packed; 3];

impl RenderMesh {
    /// Binds buffers to the cloth that they show. Equal positions are one vertex of the cloth; triangles with
    /// two corners in one place are left out of it.
    ///
    /// # Errors
    /// If an index is out of range, if the indices are no multiple of three, if there is not one normal or
    /// tangent for each position, or if a number is not finite.
    pub fn new(buffers: &VertexBuffers<'_>) -> Result<Self, DisplayError> {
        let VertexBuffers { positions, indices, normals, tangents } = *buffers;
        let count = positions.len();
        check_finite("position", positions)?;
        check_finite("normal", normals)?;
        check_finite("tangent", tangents)?;
        check_length("the normals", normals.len(), if normals.is_empty() { 0 } else { count })?;
        check_length("the tangents", tangents.len(), if tangents.is_empty() { 0 } else { count })?;
        let (triangles, rest) = indices.as_chunks::<3>();
        check_length("the last triangle", rest.len(), if rest.is_empty() { 0 } else { 3 })?;
        if let Some(at) = indices.iter().position(|&v| v as usize >= count) {
            return Err(DisplayError::Index { at, vertex: indices[at], count });
        }
        let points = positions.iter().map(|p| Point3::from(*p).cast()).collect();
        let policy = RepairPolicy {
            weld_distance: Some(0.0),
            repeated_vertex: Action::Drop,
            ..RepairPolicy::all(Action::Keep)
        };
        let repaired = repair(&TriMesh::new(points, triangles.to_vec()), &policy)
            .map_err(|fault| DisplayError::Coarse(fault.to_string()))?;
        // Nothing drops a vertex: every one has a place in the cloth.
        let vertex_map: Vec<u32> = repaired.vertex_map.iter().map(|v| v.unwrap_or_default()).collect();
        let shading_map = match normals.is_empty() {
            true => vertex_map.clone(),
            false => shading_vertices(&vertex_map, normals),
        };
        let mut dropped = repaired.dropped_faces.iter().peekable();
        let kept = (0u32..).zip(triangles).filter(|(f, _)| dropped.next_if_eq(&f).is_none());
        let corners: Vec<[u32; 3]> = kept.map(|(_, face)| face.map(|v| shading_map[v as usize])).collect();
        let shading_count = shading_map.iter().max().map_or(0, |&last| last as usize + 1);
        let mut edges = vec![[0; 2]; shading_count];
        for (corners, face) in corners.iter().zip(&repaired.mesh.faces) {
            for k in 0..3 {
                edges[corners[k] as usize] = [face[k], face[(k + 1) % 3]];
            }
        }
        let mut render = Self {
            vertex_map,
            shading_map,
            corners,
            edges,
            normals: vec![Vector3::z(); if normals.is_empty() { count } else { 0 }],
            tangents: Vec::new(),
            areas: vec![Packed::zeros(); shading_count],
            frames: vec![[Packed::zeros(); 3]; shading_count],
            dropped_faces: repaired.dropped_faces,
            cloth: repaired.mesh,
        };
        render.find_frames(&render.cloth.positions_f32());
        render.bind(normals, tangents);
        Ok(render)
    }

    /// The cloth in the bound pose, to be simulated.
    #[must_use]
    pub fn cloth_mesh(&self) -> &TriMesh {
        &self.cloth
    }

    /// The cloth vertex of each vertex of the buffers.
    #[must_use]
    pub fn vertex_map(&self) -> &[u32] {
        &self.vertex_map
    }

    /// The triangles, ascending, that the cloth leaves out because two of their corners are in one place.
    #[must_use]
    pub fn dropped_faces(&self) -> &[u32] {
        &self.dropped_faces
    }

    /// Writes what the buffers hold for the positions `cloth` (m) of the cloth. Takes about 16 ns a vertex
    /// and allocates nothing.
    ///
    /// # Errors
    /// If there is not one position for each vertex of the cloth or not one entry for each vertex of the
    /// buffers, if tangents are asked for and none were bound, or if a position is not finite. Nothing is
    /// written then.
    pub fn write(&mut self, cloth: &[Point3<f32>], output: VertexOutput<'_>) -> Result<(), DisplayError> {
        let VertexOutput { positions, normals, tangents } = output;
        let count = self.vertex_map.len();
        check_length("the positions of the cloth", cloth.len(), self.cloth.positions.len())?;
        check_length("the positions", positions.len(), if positions.is_empty() { 0 } else { count })?;
        check_length("the normals", normals.len(), if normals.is_empty() { 0 } else { count })?;
        check_length(
            "the tangents",
            tangents.len(),
            if tangents.is_empty() { 0 } else { self.tangents.len() },
        )?;
        check_finite("position of the cloth", cloth)?;
        for (out, &v) in positions.iter_mut().zip(&self.vertex_map) {
            *out = cloth[v as usize].into();
        }
        if normals.is_empty() && tangents.is_empty() {
            return Ok(());
        }
        self.find_frames(cloth);
        for ((out, n), &shading) in normals.iter_mut().zip(&self.normals).zip(&self.shading_map) {
            *out = vector(&turned(&self.frames[shading as usize], [n.x, n.y, n.z])).into();
        }
        for ((out, &[x, y, z, w]), &shading) in tangents.iter_mut().zip(&self.tangents).zip(&self.shading_map)
        {
            let t = turned(&self.frames[shading as usize], [x, y, z]);
            *out = [t.x, t.y, t.z, w];
        }
        Ok(())
    }

    /// Normals and tangents in the present frames.
    fn bind(&mut self, normals: &[[f32; 3]], tangents: &[[f32; 4]]) {
        let frames = || self.shading_map.iter().map(|&shading| &self.frames[shading as usize]);
        let local = |frame: &Frame, v: [f32; 3]| {
            let v = Vector3::from(v);
            Vector3::from(frame.map(|axis| vector(&axis).dot(&v)))
        };
        self.normals.extend(frames().zip(normals).map(|(frame, &n)| local(frame, n)));
        self.tangents = frames()
            .zip(tangents)
            .map(|(frame, &[x, y, z, w])| {
                let t = local(frame, [x, y, z]);
                [t.x, t.y, t.z, w]
            })
            .collect();
    }

    /// The frames for positions (m) of the cloth.
    fn find_frames(&mut self, cloth: &[Point3<f32>]) {
        self.areas.fill(Packed::zeros());
        for (face, corners) in self.cloth.faces.iter().zip(&self.corners) {
            let [a, b, c] = face.map(|v| cloth[v as usize]);
            let area = packed(&(b - a).cross(&(c - a)));
            corners.iter().for_each(|&corner| self.areas[corner as usize] += area);
        }
        let (fours, others) = self.frames.as_chunks_mut::<4>();
        let (areas, other_areas) = self.areas.as_chunks::<4>();
        let (edges, other_edges) = self.edges.as_chunks::<4>();
        for ((frames, areas), edges) in fours.iter_mut().zip(areas).zip(edges) {
            if !write_four(frames, cloth, areas, edges) {
                write_each(frames, cloth, areas, edges);
            }
        }
        write_each(others, cloth, other_areas, other_edges);
    }
}

/// A vector in a frame, in that of the world.
#[inline]
fn turned([along, across, up]: &Frame, [x, y, z]: [f32; 3]) -> Packed {
    along * x + across * y + up * z
}

/// Writes frames, given their areas and edges; with any axes where one of these is zero.
fn write_each(frames: &mut [Frame], cloth: &[Point3<f32>], areas: &[Packed], edges: &[[u32; 2]]) {
    for ((frame, area), edge) in frames.iter_mut().zip(areas).zip(edges) {
        let [from, to] = edge.map(|v| cloth[v as usize]);
        let up = unit(vector(area)).unwrap_or_else(Vector3::y);
        let edge = to - from;
        let along = unit(edge - up * edge.dot(&up)).unwrap_or_else(|| any_across(&up));
        *frame = [along, up.cross(&along), up].map(|axis| packed(&axis));
    }
}

/// The same of four frames at a time; false, and nothing is written, if an area or an edge is zero.
#[inline]
fn write_four(
    frames: &mut [Frame; 4],
    cloth: &[Point3<f32>],
    areas: &[Packed; 4],
    edges: &[[u32; 2]; 4],
) -> bool {
    let simd = baseline();
    let [x, y, z, _] = simd.gather(|k| areas[k].as_ref());
    let area = [x, y, z];
    let size = norm(&area);
    let up = scaled(&area, splat(1.0) / size);
    let [from, to] = [0, 1].map(|k| gather(cloth, [edges[0][k], edges[1][k], edges[2][k], edges[3][k]]));
    let edge = minus(&to, &from);
    let edge = minus(&edge, &scaled(&up, dot(&edge, &up)));
    let length = norm(&edge);
    if !Lanes::all(splat(0.0).is_less(size) & splat(0.0).is_less(length)) {
        return false;
    }
    let along = scaled(&edge, splat(1.0) / length);
    for (k, [x, y, z]) in [along, cross(&up, &along), up].into_iter().enumerate() {
        simd.scatter([x, y, z, splat(0.0)], |frame, axis| frames[frame][k] = axis.into());
    }
    true
}

/// The unit vector of a direction by one division; `None` of a zero one.
fn unit(direction: Vector3<f32>) -> Option<Vector3<f32>> {
    let norm = direction.norm();
    (norm > 0.0).then(|| direction * (1.0 / norm))
}

/// The shading vertex of each vertex of a buffer: vertices of one place share one if their normals are about
/// equal.
fn shading_vertices(vertex_map: &[u32], normals: &[[f32; 3]]) -> Vec<u32> {
    let places = vertex_map.iter().max().map_or(0, |&last| last as usize + 1);
    // The shading vertices of each place, with the normal of their first vertex.
    let mut found: Vec<Vec<(u32, Vector3<f32>)>> = vec![Vec::new(); places];
    let mut count = 0;
    let shading_vertex = |(&place, normal): (&u32, &[f32; 3])| {
        let normal = Vector3::from(*normal).try_normalize(0.0).unwrap_or_default();
        let here = &mut found[place as usize];
        let same = here.iter().find(|(_, other)| *other == normal || other.dot(&normal) >= SMOOTH);
        same.map(|&(shading, _)| shading).unwrap_or_else(|| {
            here.push((count, normal));
            count += 1;
            count - 1
        })
    };
    vertex_map.iter().zip(normals).map(shading_vertex).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_frames_at_a_time_have_the_bits_of_each() {
        let mut dice = cloth_testing::Dice::new(1);
        let mut vector = || dice.vector(0.5);
        for _ in 0..1000 {
            let cloth: Vec<Point3<f32>> = (0..8).map(|_| vector().into()).collect();
            let mut areas = [0; 4].map(|_| packed(&vector()));
            let mut edges = [[0, 1], [2, 3], [4, 5], [6, 7]];
            let mut frames = [[[Packed::zeros(); 3]; 4]; 2];
            assert!(write_four(&mut frames[0], &cloth, &areas, &edges));
            write_each(&mut frames[1], &cloth, &areas, &edges);
            assert_eq!(frames[0], frames[1]);
            // A zero edge, and then a zero area, are left to the other.
            edges[2] = [4, 4];
            assert!(!write_four(&mut frames[0], &cloth, &areas, &edges));
            (edges[2], areas[1]) = ([4, 5], Packed::zeros());
            assert!(!write_four(&mut frames[0], &cloth, &areas, &edges));
            assert_eq!(frames[0], frames[1]);
            write_each(&mut frames[0], &cloth, &areas, &edges);
            assert_eq!(frames[0][1][2], packed(&Vector3::y()));
        }
    }
}
