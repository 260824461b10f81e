//! A character: skeleton, meshes and clips of one file.

use std::collections::BTreeMap;

use cloth_geom::TriMesh;

use crate::{Affine, CharacterError, Clip, Pose, Skeleton, Skin};

/// One mesh of a character, with one skin and one colour.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CharacterMesh {
    /// The name in the file; may be empty.
    pub name: String,
    /// The vertices and the joints that move them.
    pub skin: Skin,
    /// Triangles, counter-clockwise seen from outside.
    pub faces: Vec<[u32; 3]>,
    /// Linear RGBA of the material.
    pub color: [f32; 4],
    /// Linear RGBA of each vertex, to be multiplied by `color`; empty if the file has none.
    pub vertex_colors: Vec<[f32; 4]>,
}

/// Skeleton, meshes and clips. `cloth_io::read_character` reads one from a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Character {
    /// The joints.
    pub skeleton: Skeleton,
    /// The meshes, in the order of the file.
    pub meshes: Vec<CharacterMesh>,
    /// The clips, in the order of the file.
    pub clips: Vec<Clip>,
}

impl Character {
    /// The number of a clip: the first with this name.
    ///
    /// # Errors
    /// If there is none; the error lists the clips.
    pub fn find_clip(&self, name: &str) -> Result<usize, CharacterError> {
        self.clips.iter().position(|clip| clip.name() == name).ok_or_else(|| {
            let known: Vec<&str> = self.clips.iter().map(Clip::name).collect();
            CharacterError::UnknownClip { name: name.to_owned(), known: known.join(", ") }
        })
    }

    /// For each mesh the number of each of its vertices on the surface of all meshes. Vertices of equal
    /// positions and influences are one there ([`CharacterMesh::merge_vertices`]), across meshes too if these
    /// have one skin, as the parts of a body with several materials do.
    #[must_use]
    pub fn join_meshes(&self) -> Vec<Vec<u32>> {
        let is_same = |a: &Skin, b: &Skin| a.joints() == b.joints() && a.inverse_binds() == b.inverse_binds();
        let mut numbers = BTreeMap::new();
        let number = |mesh: &CharacterMesh| {
            let skin = self.meshes.iter().position(|first| is_same(&first.skin, &mesh.skin));
            let mut next = |vertex| {
                let new = numbers.len() as u32;
                *numbers.entry((skin, mesh.skin.motion_key(vertex))).or_insert(new)
            };
            (0..mesh.skin.len()).map(&mut next).collect()
        };
        self.meshes.iter().map(number).collect()
    }

    /// The pose in which the skins were made: joints are placed relative to each other by their inverse bind
    /// matrices.
    ///
    /// Bind matrices place the joints relative to each other and not in the world, so the top joint of each
    /// skin stays where it is at rest, as do joints without a skin and those whose bind matrix has no
    /// inverse. A shear between two bind matrices is dropped. If skins disagree about a joint, the first
    /// decides.
    #[must_use]
    pub fn bind_pose(&self) -> Pose {
        let joints = self.skeleton.joints();
        let mut binds: Vec<Option<(usize, Affine)>> = vec![None; joints.len()];
        for (mesh, data) in self.meshes.iter().enumerate() {
            for (&joint, inverse) in data.skin.joints().iter().zip(data.skin.inverse_binds()) {
                if let (slot @ None, Some(bind)) = (&mut binds[joint], inverse.inverse()) {
                    *slot = Some((mesh, bind));
                }
            }
        }
        let mut pose = self.skeleton.rest_pose();
        for (joint, data) in joints.iter().enumerate() {
            let Some((parent, (mesh, bind))) = data.parent.zip(binds[joint]) else { continue };
            let Some((parent_mesh, parent_bind)) = binds[parent] else { continue };
            let same_space = mesh == parent_mesh
                || self.meshes[mesh].skin.joints() == self.meshes[parent_mesh].skin.joints();
            if let (true, Some(inverse)) = (same_space, parent_bind.inverse()) {
                pose.locals[joint] = (inverse * bind).to_transform();
            }
        }
        pose
    }
}

impl CharacterMesh {
    /// This mesh with vertices merged that have equal positions and equal influences, and for each old vertex
    /// its new number.
    ///
    /// Files split vertices where texture coordinates or normals have a seam, and meshes without indices
    /// share no vertex at all. Merged vertices moved together in every pose, so that the surface is the same
    /// and closed where the model is. Normals are dropped, as are faces that have two corners in one vertex
    /// or name a vertex that does not exist; of several colours the first is kept.
    #[must_use]
    pub fn merge_vertices(&self) -> (Self, Vec<u32>) {
        let mut numbers = BTreeMap::new();
        let mut kept = Vec::new();
        let map: Vec<u32> = (0..self.skin.len())
            .map(|vertex| {
                *numbers.entry(self.skin.motion_key(vertex)).or_insert_with(|| {
                    kept.push(vertex);
                    kept.len() as u32 - 1
                })
            })
            .collect();
        let merged = self.faces.iter().filter_map(|&[a, b, c]| {
            let number = |v: u32| map.get(v as usize).copied();
            Some([number(a)?, number(b)?, number(c)?])
        });
        let faces = merged.filter(|[a, b, c]| a != b && b != c && c != a).collect();
        let colors = kept.iter().filter_map(|&v| self.vertex_colors.get(v).copied());
        let mesh = Self {
            name: self.name.clone(),
            skin: self.skin.select(&kept),
            faces,
            color: self.color,
            vertex_colors: colors.collect(),
        };
        (mesh, map)
    }

    /// The mesh as its file has it, before any joint moves it.
    #[must_use]
    pub fn unposed_mesh(&self) -> TriMesh {
        TriMesh::new(self.skin.positions().iter().map(|p| p.cast()).collect(), self.faces.clone())
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Point3, Vector3};

    use super::*;
    use crate::{Joint, SkinDescription, Transform};

    /// Two triangles without shared vertices on the edge from (0, 0, 0) to (1, 0, 0); the last vertex repeats
    /// a position with other weights.
    fn split_description() -> SkinDescription {
        let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        SkinDescription {
            positions: corners.iter().map(|&[x, y]| Point3::new(x, y, 0.0)).collect(),
            joints: vec![0, 1],
            influences: 1,
            entries: vec![0, 0, 0, 0, 0, 1],
            weights: vec![1.0; 6],
            ..SkinDescription::default()
        }
    }

    fn split_quad() -> CharacterMesh {
        CharacterMesh {
            skin: split_description().build(2).unwrap(),
            faces: vec![[0, 1, 2], [3, 5, 4], [0, 3, 1], [0, 1, 9]],
            vertex_colors: (0..6u8).map(|v| [f32::from(v); 4]).collect(),
            ..CharacterMesh::default()
        }
    }

    #[test]
    fn merges_vertices_that_move_together_and_no_others() {
        let (mesh, map) = split_quad().merge_vertices();
        assert_eq!(map, [0, 1, 2, 0, 1, 3]);
        // The third face had two corners in one place, the fourth a vertex that does not exist.
        assert_eq!(mesh.faces, [[0, 1, 2], [0, 3, 1]]);
        assert_eq!(mesh.vertex_colors.iter().map(|c| c[0]).collect::<Vec<_>>(), [0.0, 1.0, 2.0, 5.0]);
        assert_eq!(mesh.skin.dominant_joint(3), Some(1));
    }

    #[test]
    fn meshes_are_joined_where_they_move_together() {
        let meshes = vec![split_quad(), split_quad(), split_quad().merge_vertices().0];
        let mut character = Character { meshes, ..Character::default() };
        let joined = character.join_meshes();
        assert_eq!(joined, [vec![0, 1, 2, 0, 1, 3], vec![0, 1, 2, 0, 1, 3], vec![0, 1, 2, 3]]);
        // Another skin: its joints are elsewhere.
        let other = SkinDescription { joints: vec![1, 0], ..split_description() };
        character.meshes[1].skin = other.build(2).unwrap();
        assert_eq!(character.join_meshes()[1], [4, 5, 6, 4, 5, 7]);
    }

    #[test]
    fn the_bind_pose_follows_the_bind_matrices_below_a_root_at_rest() {
        let at = |x: f64, y: f64| Transform::from_translation(Vector3::new(x, y, 0.0));
        let joint = |parent, rest| Joint { parent, rest, ..Joint::default() };
        let skeleton = Skeleton::new(vec![joint(None, at(5.0, 0.0)), joint(Some(0), at(0.0, 9.0))]).unwrap();
        let inverse = |t: Transform| t.to_affine().inverse().unwrap();
        let skin = SkinDescription {
            joints: vec![1, 0],
            inverse_binds: vec![inverse(at(3.0, 0.0)), inverse(at(1.0, 0.0))],
            influences: 1,
            ..SkinDescription::default()
        };
        let mesh = CharacterMesh { skin: skin.build(2).unwrap(), ..CharacterMesh::default() };
        let character = Character { skeleton, meshes: vec![mesh], clips: Vec::new() };
        assert_eq!(character.bind_pose().locals, [at(5.0, 0.0), at(2.0, 0.0)]);
    }
}
