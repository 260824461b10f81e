//! GLB out: a character with its motion and simulated garments with theirs, in one file that any viewer of
//! glTF 2.0 plays.
//!
//! ```text
//! scene
//!   character (placement)   nodes, skins, materials and textures of the character's file   source, rebuild
//!   garment                 a mesh with one morph target per key frame                     garment
//! animation "simulation"    transforms of joints, weights of targets                       animation
//! ```
//!
//! * **The character** keeps the document of its file, side files embedded. Its clips are replaced by one
//!   animation with the local transform of each joint in each frame, so that a viewer that plays the first
//!   animation plays the simulation. The nodes hold the pose of the first frame, which is what a viewer
//!   without animation shows. A document that cannot be extended is rebuilt from the [`Character`].
//! * **A garment** is its first frame and a morph target for each further key frame. The weights are 1 for
//!   one target at a time and linear in between: at a key, the mesh has the positions of that frame within
//!   two roundings of `f32`. Blender reads targets as shape keys, three.js as layers of a texture. Vertex
//!   caches as files next to a mesh (PC2, Alembic) are not glTF.
//! * **The number of keys is limited** ([`GlbOptions::max_keys`]): three.js passes one uniform per target,
//!   and WebGL 2 guarantees 256 vectors of them. A longer run has a key in every n-th frame and in the last;
//!   the joints keep all frames.
//! * **A cut**, where a garment and its wearer are elsewhere in the next frame, is not drawn as a way: the
//!   frame before it has a second key just before the one that it leads to, which has one more as well. The
//!   animation's `extras` have the times of the frames that cuts lead to in `cuts`, so that
//!   [`read_shapes`](crate::read_shapes) knows them.
//! * **Normals** are written per target by default, because viewers do not recompute them: a dress that turns
//!   would be lit as if it stood still. They double the size. Without them, viewers must shade the faces
//!   flat.
//!
//! Size of 1,921 vertices over 180 frames: 8.47 MB with normals, 4.27 MB without. Targets of 16-bit integers
//! (`KHR_mesh_quantization`) would take two thirds of that at an error of 0.03 mm per metre of motion, and
//! are not written: positions would no longer be those of the simulation.

mod animation;
mod asset;
mod check;
mod compact;
mod garment;
mod rebuild;
mod source;

use std::{io::Write, path::Path};

use cloth_character::{Character, Pose, Transform};
use cloth_geom::sorted_unique;
use nalgebra::Point3;

use self::{animation::AnimationBuilder, asset::Asset};
use crate::{FileError, character::is_gltf, write_atomically};

/// The name of the only animation of a file.
pub const ANIMATION_NAME: &str = "simulation";

/// The key of the animation's extras that has the times (s) of the keys that cuts lead to.
pub(crate) const CUTS: &str = "cuts";

/// What a file shows: frame `k` is at the time `k * dt`.
#[derive(Clone, Debug, Default)]
pub struct GlbScene<'a> {
    /// Time between two frames, s; positive.
    pub dt: f64,
    /// The character, if there is one.
    pub character: Option<GlbCharacter<'a>>,
    /// The garments; may be empty if there is a character.
    pub garments: Vec<GlbGarment<'a>>,
}

/// A character and its pose in each frame.
#[derive(Clone, Debug)]
pub struct GlbCharacter<'a> {
    /// The character, as [`crate::read_character`] gives it.
    pub character: &'a Character,
    /// The file that it was read from. A `.glb` or `.gltf` is extended; anything else, and `None`, is rebuilt
    /// from `character`.
    pub source: Option<&'a Path>,
    /// From the space of the character's file to the world: its scale is metres per unit of the file. It
    /// becomes a node above the character.
    pub placement: Transform,
    /// The local transform of each joint in each frame, in the unit of the character's file; joints beyond
    /// the end of a pose are at rest.
    pub poses: &'a [Pose],
}

/// A garment and its positions in each frame.
#[derive(Clone, Copy, Debug)]
pub struct GlbGarment<'a> {
    /// The name of node and mesh.
    pub name: &'a str,
    /// Triangles, counter-clockwise seen from outside.
    pub faces: &'a [[u32; 3]],
    /// For each vertex its texture coordinates with v up, as OBJ files have them; empty if there are none.
    pub uvs: &'a [[f32; 2]],
    /// Linear RGBA, each from 0 to 1. The material is two-sided and matt.
    pub color: [f32; 4],
    /// For each frame the positions of all vertices, m, y up.
    pub frames: &'a [Vec<Point3<f32>>],
    /// The frames that a cut leads to, ascending, none of them the first: the garment does not move there
    /// from the frame before. The character's joints hold the frame before a cut of any garment.
    pub cuts: &'a [usize],
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlbOptions {
    /// Whether garments have normals, by default yes. They double the size; without them viewers shade flat.
    pub normals: bool,
    /// The most key frames of a garment, at least 2; by default 200, which leaves 56 vectors of uniforms
    /// where a device has no more than WebGL 2 guarantees.
    pub max_keys: usize,
}

impl Default for GlbOptions {
    fn default() -> Self {
        Self { normals: true, max_keys: 200 }
    }
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GlbReport {
    /// The size of the file, bytes.
    pub bytes: usize,
    /// Frames of the scene.
    pub frames: usize,
    /// Garments have a key in every frame whose number is a multiple of this, in the last, and on either side
    /// of a cut.
    pub every: usize,
    /// What was left out or changed, a sentence each.
    pub notes: Vec<String>,
}

/// Writes a scene as a binary glTF 2.0 file, which appears complete or not at all. Equal scenes give equal
/// bytes.
///
/// The file is put together in memory: garments take `24 * vertices * keys` bytes with normals, half without.
///
/// # Errors
/// If `dt` is not positive, there is no frame, frames differ in number or in their number of vertices, a
/// number is not finite, a face has a vertex or a cut a frame that does not exist, the result would exceed 4
/// GiB, or the file cannot be written.
pub fn write_glb(path: &Path, scene: &GlbScene<'_>, options: &GlbOptions) -> Result<GlbReport, FileError> {
    let (bytes, report) = encode(scene, options).map_err(|e| FileError::new(path, e))?;
    write_atomically(path, |file| file.write_all(&bytes))?;
    Ok(report)
}

/// The bytes of [`write_glb`].
fn encode(scene: &GlbScene<'_>, options: &GlbOptions) -> Result<(Vec<u8>, GlbReport), String> {
    let frames = check::check(scene, options)?;
    let mut notes = Vec::new();
    let (mut asset, joints, mut roots) = match &scene.character {
        Some(character) => add_character(character, &mut notes)?,
        None => (Asset::default(), Vec::new(), Vec::new()),
    };
    let mut animation = AnimationBuilder::default();
    let times: Vec<f32> = (0..frames).map(|k| (k as f64 * scene.dt) as f32).collect();
    let cuts = sorted_unique(scene.garments.iter().flat_map(|garment| garment.cuts).copied());
    if let Some(character) = &scene.character {
        let keys = animation::with_cuts(&times, &cuts);
        animation::add_joints(&mut asset, &mut animation, character, &joints, &keys);
    }
    let (every, keys) = key_frames(frames, &cuts, options.max_keys);
    for garment in &scene.garments {
        roots.push(garment::add(&mut asset, &mut animation, garment, &keys, &times, options.normals));
    }
    if every > 1 && !scene.garments.is_empty() {
        notes.push(format!(
            "{frames} frames are more than {} key frames: garments have a key in every {every} frames and \
             are linear in between",
            options.max_keys
        ));
    }
    let cut_times: Vec<f32> = cuts.iter().map(|&frame| times[frame]).collect();
    animation.finish(&mut asset, ANIMATION_NAME, &cut_times);
    asset.set_scene(&roots);
    let bytes = asset.into_bytes()?;
    let report = GlbReport { bytes: bytes.len(), frames, every, notes };
    Ok((bytes, report))
}

/// The frames in which garments have keys, at most `max` of them unless there are more cuts: every n-th, the
/// last, and those on either side of a cut; with that n.
fn key_frames(frames: usize, cuts: &[usize], max: usize) -> (usize, Vec<usize>) {
    let beside = |k: usize| cuts.contains(&k) || cuts.contains(&(k + 1));
    let keys = |every: usize| (0..frames).filter(move |&k| k % every == 0 || k + 1 == frames || beside(k));
    let least = (frames.saturating_sub(1)).div_ceil(max - 1).max(1);
    let fits = |every: &usize| keys(*every).count() <= max;
    let every = (least..frames).find(fits).unwrap_or(least);
    (every, keys(every).collect())
}

/// The document with the character, the node of each joint, and the roots of its scene.
fn add_character(
    character: &GlbCharacter<'_>,
    notes: &mut Vec<String>,
) -> Result<(Asset, Vec<usize>, Vec<usize>), String> {
    let extended = character.source.filter(|path| is_gltf(path)).and_then(|path| {
        source::extend(path, character.character, notes)
            .map_err(|problem| {
                notes.push(format!(
                    "the character's file is not extended ({problem}): its meshes are rebuilt, without \
                     textures"
                ));
            })
            .ok()
    });
    let (mut asset, joints, mut roots) = match extended {
        Some(parts) => parts,
        None => rebuild::rebuild(character.character, notes)?,
    };
    if character.placement != Transform::IDENTITY {
        let mut node = asset::transform_json(&character.placement);
        node.insert("name".into(), "character".into());
        node.insert("children".into(), roots.into());
        roots = vec![asset.push("nodes", node.into())];
    }
    Ok((asset, joints, roots))
}
