//! The character of a scene: its motion, its skin as a mesh body, and its proxies as colliders.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cloth_character::{
    Chain, ChainItem, Character, CharacterMesh, FitReport, Looping, Motion, MotionSample, Playback,
    RootMotion, SkinMatrix, Transition,
};
use cloth_contacts::collider::ColliderError;
use cloth_geom::{Aabb, TriMesh};
use cloth_io::{FileError, read_character};
use cloth_solver::Collider;
use nalgebra::{Isometry3, Point3, Vector3};

use super::clip_ends;
use super::cuts::{self, AnimationCut, CutFinder, CutRule, held_time};
use super::garment::{MAX_LENGTH, repair_mesh};
use super::proxies::BodyProxies;
use crate::SceneSource;
use crate::words::count;

/// Frames of a clip in which cuts are looked for: a few minutes.
const MAX_CUT_FRAMES: f64 = 20_000.0;

/// A character in motion: where its skin and its proxies are at any time.
#[derive(Clone, Debug)]
pub struct AnimatedCharacter {
    /// As what it collides.
    pub body: crate::CharacterBody,
    /// Friction coefficient, if it has one of its own.
    pub friction: Option<f32>,
    /// Duration (s) of the pre-roll and all clips.
    pub duration: f64,
    /// What was decided about it, a sentence each.
    pub notes: Vec<String>,
    path: PathBuf,
    motion: Motion,
    scale: f64,
    meshes: Vec<CharacterMesh>,
    /// Faces over the vertices of all meshes, and those of the meshes that are not excluded.
    all_faces: Vec<[u32; 3]>,
    body_faces: Vec<[u32; 3]>,
    /// Colour and faces of each mesh.
    parts: Vec<([f32; 3], Range<usize>)>,
    /// The faces that cloth collides with: those of no excluded bone.
    faces: Vec<[u32; 3]>,
    proxies: Option<BodyProxies>,
    /// The cuts of its motion, if they are held.
    cuts: Vec<AnimationCut>,
    /// Scratch, and the pose of the last [`Self::pose`].
    sample: MotionSample,
    matrices: Vec<SkinMatrix>,
    positions: Vec<Point3<f32>>,
}

impl AnimatedCharacter {
    /// Reads a character and what it plays.
    ///
    /// # Errors
    /// If the file cannot be read, has no skin, or lacks a clip, a bone or a proxy that is named.
    pub fn load(wanted: &crate::Character, source: &SceneSource) -> Result<Self, FileError> {
        let path = source.resolve(&wanted.path);
        let loaded = read_character(&path)?;
        let named = |text: String| FileError::new(&path, text);
        let notes: Vec<String> =
            loaded.notes.iter().map(|note| format!("{}: {note}", path.display())).collect();
        let character = Arc::new(loaded.character);
        if character.meshes.iter().all(|mesh| mesh.faces.is_empty()) {
            return Err(named("has no skinned mesh to dress; give a character with a skin".to_owned()));
        }
        let chain = chain(wanted, &character).map_err(|e| named(e.to_string()))?;
        let duration = duration(&chain, &character);
        let motion = chain.build(character.clone()).map_err(|e| named(e.to_string()))?;
        let meshes: Vec<CharacterMesh> =
            character.meshes.iter().map(|mesh| mesh.merge_vertices().0).collect();
        let mut this = Self {
            body: wanted.body,
            friction: wanted.friction.map(|f| f as f32),
            duration,
            notes,
            path: path.clone(),
            motion,
            scale: wanted.scale,
            all_faces: faces(&meshes),
            meshes,
            parts: Vec::new(),
            body_faces: Vec::new(),
            faces: Vec::new(),
            proxies: None,
            cuts: Vec::new(),
            sample: MotionSample::default(),
            matrices: Vec::new(),
            positions: Vec::new(),
        };
        this.pose(0.0);
        this.check_skin().map_err(named)?;
        this.parts = parts(&this.meshes, &this.all_faces);
        let included = this.exclude_meshes(&wanted.exclude_meshes).map_err(named)?;
        this.exclude(&wanted.exclude_bones).map_err(named)?;
        if wanted.body.has_proxies() {
            let mut body = Character::clone(this.motion.character());
            let mut included = included.iter();
            body.meshes.retain(|_| included.next() == Some(&true));
            let proxies = BodyProxies::fit(wanted, &body, &this.sample.world).map_err(named)?;
            this.notes.push(format!("{}: {}", path.display(), proxies.describe()));
            this.proxies = Some(proxies);
        }
        Ok(this)
    }

    /// Ends its clips as a run of `seconds` in frames of `dt` (s) shows them, and names those that loop.
    ///
    /// # Errors
    /// None that [`AnimatedCharacter::load`] does not have.
    pub(super) fn end_clips(
        &mut self,
        wanted: &crate::Character,
        run: [f64; 2],
        source: &SceneSource,
    ) -> Result<(), FileError> {
        let character = self.motion.character().clone();
        let named = |e: cloth_character::CharacterError| FileError::new(&self.path, e.to_string());
        let mut chain = chain(wanted, &character).map_err(named)?;
        let said = clip_ends::end_clips(&mut chain, &character, self.scale, run, source);
        self.motion = chain.build(character).map_err(named)?;
        self.notes.extend(said.into_iter().map(|text| format!("{}: {text}", self.path.display())));
        Ok(())
    }

    /// Finds the cuts of its motion in a run of frames of `dt` for `duration` (s), by its joints; names them,
    /// and holds them if cloth is teleported.
    pub(super) fn hold_cuts(&mut self, rule: CutRule, dt: f64, duration: f64, source: &SceneSource) {
        let mut finder = CutFinder::new(rule);
        let frames = (duration.min(self.duration) / dt).ceil().min(MAX_CUT_FRAMES) as usize;
        let (mut sample, mut points) = (MotionSample::default(), Vec::new());
        for frame in 0..=frames {
            let time = dt * frame as f64;
            self.motion.sample(time, &mut sample);
            points.clear();
            points.extend(sample.world.iter().map(|joint| joint.origin() * self.scale));
            finder.show(time, &points);
        }
        let found = finder.finish();
        let name = self.path.display().to_string();
        self.notes.extend(cuts::in_words(&name, &found, |frame| Some(frame as u64), &rule, source));
        if rule.is_on {
            self.cuts = found;
        }
    }

    /// Moves everything to where it is at a time (s).
    pub(crate) fn pose(&mut self, time: f64) {
        self.motion.sample(held_time(&self.cuts, time), &mut self.sample);
        self.positions.clear();
        for mesh in &self.meshes {
            let first = self.positions.len();
            self.positions.resize(first + mesh.skin.len(), Point3::origin());
            mesh.skin.compute_matrices(&self.sample.world, &mut self.matrices);
            let deformed = mesh.skin.deform_positions(&self.matrices, &mut self.positions[first..]);
            debug_assert!(deformed.is_ok(), "the buffers are as long as the skin");
        }
        let scale = self.scale as f32;
        if scale != 1.0 {
            self.positions.iter_mut().for_each(|p| p.coords *= scale);
        }
    }

    /// The positions (m) of the vertices of the skin in the present pose.
    #[must_use]
    pub fn positions(&self) -> &[Point3<f32>] {
        &self.positions
    }

    /// The character as its file has it.
    #[must_use]
    pub fn character(&self) -> &Character {
        self.motion.character()
    }

    /// Its file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Metres in a unit of the file.
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The box (m) of the skin in the present pose.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        Aabb::of_points(self.positions.iter().map(|p| p.map(f64::from)))
    }

    /// The triangles of the skin, which enclose the body, without those of excluded meshes.
    #[must_use]
    pub fn body_faces(&self) -> &[[u32; 3]] {
        &self.body_faces
    }

    /// The triangles of the skin that cloth collides with.
    #[must_use]
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// The parts of the skin in one colour: linear red, green and blue, and the faces.
    pub fn coloured_faces(&self) -> impl Iterator<Item = ([f32; 3], &[[u32; 3]])> {
        self.parts.iter().map(|(color, range)| (*color, &self.all_faces[range.clone()]))
    }

    /// How well the proxies fit the skin, in the unit of the file; none without proxies.
    #[must_use]
    pub fn fit_report(&self) -> Option<&FitReport> {
        self.proxies.as_ref().map(|fitted| &fitted.report)
    }

    /// The world matrices of the joints in the present pose, in the unit of the file, and the local
    /// transforms.
    #[must_use]
    pub fn sample(&self) -> &MotionSample {
        &self.sample
    }

    /// The proxies as colliders in the present pose.
    pub(crate) fn colliders(&self, friction: f32) -> Result<Vec<Collider>, ColliderError> {
        let friction = self.friction.unwrap_or(friction);
        let Some(fitted) = &self.proxies else { return Ok(Vec::new()) };
        // With the skin behind the gate, the proxies need not be.
        fitted.proxies.colliders(&self.sample.world, friction, !self.body.has_skin())
    }

    /// The joint with this label, or the error that names it.
    pub(crate) fn find_joint(&self, label: &str) -> Result<usize, String> {
        let skeleton = &self.motion.character().skeleton;
        skeleton.find_label(label).ok_or_else(|| {
            format!(
                "the character has no joint {label:?}; `cloth simulate --character FILE --list` prints \
                     its joints"
            )
        })
    }

    /// Three points (m) that move rigidly with a joint: its place, and points 0.1 m from it along its x and y
    /// axes.
    pub(crate) fn joint_frame(&self, joint: usize) -> [Point3<f32>; 3] {
        let map = self.sample.world.get(joint).copied().unwrap_or_default();
        let origin = map.origin() * self.scale;
        let along = |axis: Vector3<f64>| origin + map.to_transform().rotation * axis * 0.1;
        [origin, along(Vector3::x()), along(Vector3::y())].map(Point3::cast)
    }

    /// The number of proxies, the last colliders of the simulation.
    #[must_use]
    pub fn proxy_count(&self) -> usize {
        self.proxies.as_ref().map_or(0, |fitted| fitted.proxies.len())
    }

    /// The poses of the proxies.
    pub(crate) fn proxy_poses(&self) -> impl Iterator<Item = Isometry3<f32>> {
        self.proxies.iter().flat_map(|fitted| fitted.proxies.poses(&self.sample.world))
    }

    /// Leaves meshes out of what cloth collides with; returns whether each is included.
    fn exclude_meshes(&mut self, names: &[String]) -> Result<Vec<bool>, String> {
        let known = || self.meshes.iter().map(|mesh| mesh.name.as_str()).collect::<Vec<_>>().join(", ");
        if let Some(name) = names.iter().find(|name| self.meshes.iter().all(|mesh| mesh.name != **name)) {
            return Err(format!("no mesh is named {name:?}; the meshes are: {}", known()));
        }
        let included: Vec<bool> = self.meshes.iter().map(|mesh| !names.contains(&mesh.name)).collect();
        let body = self.parts.iter().zip(&included).filter(|(_, included)| **included);
        self.body_faces = body.flat_map(|((_, range), _)| self.all_faces[range.clone()].to_vec()).collect();
        if self.body_faces.is_empty() {
            return Err("has no skin left without the excluded meshes; exclude fewer".to_owned());
        }
        if !names.is_empty() {
            let text = format!("{}: cloth does not collide with {}", self.path.display(), names.join(", "));
            self.notes.push(text);
        }
        Ok(included)
    }

    /// Leaves the skin of bones out of what cloth collides with: faces whose corners all follow one of these
    /// joints or their descendants most.
    fn exclude(&mut self, bones: &[String]) -> Result<(), String> {
        self.faces = self.body_faces.clone();
        if bones.is_empty() {
            return Ok(());
        }
        let skeleton = &self.motion.character().skeleton;
        let mut is_excluded = vec![false; skeleton.len()];
        for bone in bones {
            is_excluded[self.find_joint(bone)?] = true;
        }
        for &joint in skeleton.order() {
            let parent = skeleton.joints()[joint].parent;
            is_excluded[joint] |= parent.is_some_and(|parent| is_excluded[parent]);
        }
        let of_mesh = |mesh: &CharacterMesh| {
            let joints = (0..mesh.skin.len()).map(|v| mesh.skin.dominant_joint(v));
            joints.map(|joint| joint.is_some_and(|j| is_excluded[j])).collect::<Vec<_>>()
        };
        let vertices: Vec<bool> = self.meshes.iter().flat_map(of_mesh).collect();
        self.faces.retain(|face| !face.iter().all(|&v| vertices[v as usize]));
        if self.faces.is_empty() {
            return Err("has no skin left without the excluded bones; exclude fewer".to_owned());
        }
        let (left_out, all) = (self.body_faces.len() - self.faces.len(), count(self.body_faces.len()));
        self.notes.push(format!(
            "{}: cloth does not collide with {} of the {all} triangles of the skin, those of {}",
            self.path.display(),
            count(left_out),
            bones.join(", ")
        ));
        Ok(())
    }

    /// Drops what is no surface at the start, and refuses a skin that is too large to be a person.
    fn check_skin(&mut self) -> Result<(), String> {
        let far = self.positions.iter().flat_map(|p| p.iter()).find(|c| c.abs() > MAX_LENGTH as f32);
        if let Some(far) = far {
            return Err(format!("reaches {far:e} m from the origin; is its unit right?"));
        }
        let mesh = TriMesh::new(self.positions.iter().map(|p| p.cast()).collect(), self.all_faces.clone());
        let repaired = repair_mesh(&mesh, None)?;
        if repaired.mesh.positions.len() == self.positions.len() {
            self.all_faces = repaired.mesh.faces;
        }
        Ok(())
    }
}

fn mean_color(mesh: &CharacterMesh) -> [f32; 3] {
    let [r, g, b, _] = mesh.color;
    let count = mesh.vertex_colors.len() as f32;
    if mesh.vertex_colors.is_empty() {
        return [r, g, b];
    }
    let sum =
        mesh.vertex_colors.iter().fold([0.0; 3], |sum, c| [sum[0] + c[0], sum[1] + c[1], sum[2] + c[2]]);
    [r * sum[0] / count, g * sum[1] / count, b * sum[2] / count]
}

/// The colour of each mesh and its faces, which lie together.
fn parts(meshes: &[CharacterMesh], faces: &[[u32; 3]]) -> Vec<([f32; 3], Range<usize>)> {
    let (mut vertices, mut first) = (0, 0);
    let part = |mesh: &CharacterMesh| {
        vertices += mesh.skin.len() as u32;
        let start = first;
        first += faces[start..].iter().take_while(|face| face[0] < vertices).count();
        (mean_color(mesh), start..first)
    };
    meshes.iter().map(part).collect()
}

fn faces(meshes: &[CharacterMesh]) -> Vec<[u32; 3]> {
    let mut first = 0;
    let mut all = Vec::new();
    for mesh in meshes {
        all.extend(mesh.faces.iter().map(|face| face.map(|v| v + first)));
        first += mesh.skin.len() as u32;
    }
    all
}

fn chain(wanted: &crate::Character, character: &Character) -> Result<Chain, cloth_character::CharacterError> {
    let looping = match wanted.loop_transition {
        0.0 => Looping::Repeat,
        transition => Looping::Close { transition },
    };
    let item = |choice: &crate::ClipChoice| {
        let clip = character.find_clip(&choice.name)?;
        let playback = Playback::new(clip).with_speed(wanted.speed).with_looping(looping);
        Ok(ChainItem { playback, duration: choice.seconds })
    };
    Ok(Chain {
        items: wanted.clips.iter().map(item).collect::<Result<_, _>>()?,
        pre_roll: wanted.pre_roll,
        settle: wanted.settle,
        transition: Transition { fade: wanted.fade, ..Transition::default() },
        root_motion: match wanted.root_motion {
            crate::RootMotion::Keep => RootMotion::Keep,
            crate::RootMotion::Accumulate => RootMotion::Accumulate,
            crate::RootMotion::Remove => RootMotion::Remove,
        },
    })
}

/// Of the pre-roll and all clips (s).
fn duration(chain: &Chain, character: &Character) -> f64 {
    let cycle = |item: &ChainItem| {
        let clip = &character.clips[item.playback.clip];
        item.duration.unwrap_or(clip.length() / item.playback.speed)
    };
    chain.clip_start() + chain.items.iter().map(cycle).sum::<f64>()
}
