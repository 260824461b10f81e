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

    /// The pose in which the skins were made: joints are placed relative to each other by their inverse bind matrices.
    ///
    /// Bind matrices place the joints relative to each other and not in the world, so the top joint of each skin stays where it is at
    /// rest, as do joints without a skin and those whose bind matrix has no inverse. A shear between two bind matrices is dropped. If
    /// skins disagree about a joint, the first decides.
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
    /// This mesh with vertices merged that have equal positions and equal influences, and for each old vertex its new number.
    ///
    /// Files split vertices where texture coordinates or normals have a seam, and meshes without indices share no vertex at all. Merged
    /// vertices moved together in every pose, so that the surface is the same and closed where the model is. Normals are dropped, as are
    /// faces that have two corners in one vertex or name a vertex that does not exist; of several colours the first is kept.
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
