//! The character of a scene: its motion, its skin as a mesh body, and its proxies as colliders.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cloth_character::{
    BoneFit, Chain, ChainItem, Character, CharacterMesh, FitReport, Looping, Motion, MotionSample, Override,
    Playback, Proxy, ProxyKind, ProxyOptions, RootMotion, SkinMatrix, Transition, fit_proxies,
};
use cloth_geom::{Aabb, TriMesh};
use cloth_io::read_character;
use cloth_io::scene;
use cloth_solver::{Collider, Shape};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::bodies::from_y_to;
use super::garment::{MAX_LENGTH, repair_mesh};
use super::skin::{BoneSummary, FitSummary};
use super::source::Source;
use crate::console::counted;
use crate::failure::Failure;

/// A character in motion: where its skin and its proxies are at any time.
pub(super) struct AnimatedCharacter {
    /// As what it collides.
    pub(super) body: scene::CharacterBody,
    /// Friction coefficient, if it has one of its own.
    pub(super) friction: Option<f32>,
    /// Duration (s) of the pre-roll and all clips.
    pub(super) duration: f64,
    /// What was decided about it, a sentence each.
    pub(super) notes: Vec<String>,
    /// How well the proxies fit; none without proxies.
    pub(super) fit: Option<FitReport>,
    path: PathBuf,
    motion: Motion,
    scale: f64,
    meshes: Vec<CharacterMesh>,
    /// Faces over the vertices of all meshes.
    faces: Vec<[u32; 3]>,
    /// Colour and faces of each mesh.
    parts: Vec<([f32; 3], Range<usize>)>,
    proxies: Vec<PosedProxy>,
    /// Scratch, and the pose of the last [`Self::pose`].
    sample: MotionSample,
    matrices: Vec<SkinMatrix>,
    positions: Vec<Point3<f32>>,
}

/// A proxy as a collider.
struct PosedProxy {
    proxy: Proxy,
    shape: Shape,
    /// From the y axis of the shape to that of the capsule, in the space of the joint.
    turn: UnitQuaternion<f64>,
}

impl AnimatedCharacter {
    /// Reads a character and what it plays.
    ///
    /// # Errors
    /// If the file cannot be read, has no skin, or lacks a clip, a bone or a proxy that is named.
    pub(super) fn load(wanted: &scene::Character, source: &Source) -> Result<Self, Failure> {
        let path = source.resolve(&wanted.path);
        let loaded = read_character(&path)?;
        let named = |text: String| Failure::new(format!("{}: {text}", path.display()));
        let mut notes: Vec<String> =
            loaded.notes.iter().map(|note| format!("{}: {note}", path.display())).collect();
        let character = Arc::new(loaded.character);
        if character.meshes.iter().all(|mesh| mesh.faces.is_empty()) {
            return Err(named("has no skinned mesh to dress; give a character with a skin".to_owned()));
        }
        let chain = chain(wanted, &character).map_err(|e| named(e.to_string()))?;
        let duration = duration(&chain, &character);
        let motion = chain.build(character.clone()).map_err(|e| named(e.to_string()))?;
        let (mut proxies, mut fit) = (Vec::new(), None);
        if wanted.body.has_proxies() {
            let fitted = fit_proxies(&character, &options(wanted)).map_err(|e| named(e.to_string()))?;
            notes.push(format!("{}: {}", path.display(), describe(&fitted.report, wanted.scale)));
            proxies = fitted.proxies;
            fit = Some(fitted.report);
        }
        let meshes: Vec<CharacterMesh> =
            character.meshes.iter().map(|mesh| mesh.merge_vertices().0).collect();
        let mut this = Self {
            body: wanted.body,
            friction: wanted.friction.map(|f| f as f32),
            duration,
            notes,
            fit,
            path: path.clone(),
            motion,
            scale: wanted.scale,
            faces: faces(&meshes),
            meshes,
            parts: Vec::new(),
            proxies: Vec::new(),
            sample: MotionSample::default(),
            matrices: Vec::new(),
            positions: Vec::new(),
        };
        this.pose(0.0);
        this.check_skin().map_err(named)?;
        this.parts = parts(&this.meshes, &this.faces);
        this.proxies = proxies.into_iter().filter_map(|proxy| this.posed(proxy)).collect();
        Ok(this)
    }

    /// Moves everything to where it is at a time (s).
    pub(super) fn pose(&mut self, time: f64) {
        self.motion.sample(time, &mut self.sample);
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
    pub(super) fn positions(&self) -> &[Point3<f32>] {
        &self.positions
    }

    /// The character as its file has it.
    pub(super) fn character(&self) -> &Character {
        self.motion.character()
    }

    /// Its file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Metres in a unit of the file.
    pub(super) fn scale(&self) -> f64 {
        self.scale
    }

    /// The box (m) of the skin in the present pose.
    pub(super) fn bounds(&self) -> Aabb {
        Aabb::of_points(self.positions.iter().map(|p| p.map(f64::from)))
    }

    /// The triangles of the skin.
    pub(super) fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// The parts of the skin in one colour: linear red, green and blue, and the faces.
    pub(super) fn coloured_faces(&self) -> impl Iterator<Item = ([f32; 3], &[[u32; 3]])> {
        self.parts.iter().map(|(color, range)| (*color, &self.faces[range.clone()]))
    }

    /// As what it collides, in the words of a scene.
    pub(super) fn body_name(&self) -> &'static str {
        match self.body {
            scene::CharacterBody::Proxies => "proxies",
            scene::CharacterBody::Skin => "skin",
            scene::CharacterBody::Both => "both",
        }
    }

    /// How well the proxies fit, in mm; none without proxies.
    pub(super) fn fit_summary(&self) -> Option<FitSummary> {
        let report = self.fit.as_ref()?;
        let mm = |length: f64| 1e3 * length * self.scale;
        let bone = |bone: &BoneFit| BoneSummary {
            bone: bone.name.clone(),
            proxies: bone.figures.proxies,
            coverage: bone.figures.coverage(),
            mean_excess_mm: mm(bone.figures.mean_excess),
            max_excess_mm: mm(bone.figures.max_excess),
            mean_undercut_mm: mm(bone.figures.mean_undercut),
            max_undercut_mm: mm(bone.figures.max_undercut),
        };
        let total = &report.total;
        Some(FitSummary {
            proxies: total.proxies,
            coverage: total.coverage(),
            mean_excess_mm: mm(total.mean_excess),
            max_excess_mm: mm(total.max_excess),
            mean_undercut_mm: mm(total.mean_undercut),
            max_undercut_mm: mm(total.max_undercut),
            bones: report.bones.iter().map(bone).collect(),
        })
    }

    /// The world matrices of the joints in the present pose, in the unit of the file, and the local transforms.
    pub(super) fn sample(&self) -> &MotionSample {
        &self.sample
    }

    /// The proxies as colliders in the present pose.
    pub(super) fn colliders(&self, friction: f32) -> Result<Vec<Collider>, String> {
        let friction = self.friction.unwrap_or(friction);
        let collider = |proxy: &PosedProxy| {
            let collider = Collider::new(proxy.shape.clone(), self.pose_of(proxy), friction)?;
            // With the skin behind the gate, the proxies need not be.
            if self.body.has_skin() { Ok(collider) } else { collider.guarded() }
        };
        self.proxies
            .iter()
            .map(collider)
            .collect::<Result<_, cloth_contacts::collider::ColliderError>>()
            .map_err(|e| e.to_string())
    }

    /// The joint with this label, or the error that names it.
    pub(super) fn find_joint(&self, label: &str) -> Result<usize, String> {
        let skeleton = &self.motion.character().skeleton;
        skeleton.find_label(label).ok_or_else(|| {
            format!("the character has no joint {label:?}; `cloth simulate --character FILE --list` prints its joints")
        })
    }

    /// Three points (m) that move rigidly with a joint: its place, and points 0.1 m from it along its x and y axes.
    pub(super) fn joint_frame(&self, joint: usize) -> [Point3<f32>; 3] {
        let map = self.sample.world.get(joint).copied().unwrap_or_default();
        let origin = map.origin() * self.scale;
        let along = |axis: Vector3<f64>| origin + map.to_transform().rotation * axis * 0.1;
        [origin, along(Vector3::x()), along(Vector3::y())].map(Point3::cast)
    }

    /// The number of proxies, the last colliders of the simulation.
    pub(super) fn proxy_count(&self) -> usize {
        self.proxies.len()
    }

    /// The poses of the proxies.
    pub(super) fn proxy_poses(&self) -> impl Iterator<Item = Isometry3<f32>> {
        self.proxies.iter().map(|proxy| self.pose_of(proxy))
    }

    fn pose_of(&self, posed: &PosedProxy) -> Isometry3<f32> {
        let map = self.sample.world.get(posed.proxy.joint).copied().unwrap_or_default();
        let [a, b] = posed.proxy.kind.ends();
        let middle = map.transform_point(&nalgebra::center(&a, &b)) * self.scale;
        let turn = map.to_transform().rotation * posed.turn;
        Isometry3::from_parts(Translation3::from(middle.coords), turn).cast()
    }

    /// The shape of a proxy at the present pose; none if it has no size.
    fn posed(&self, proxy: Proxy) -> Option<PosedProxy> {
        let map = self.sample.world.get(proxy.joint).copied().unwrap_or_default();
        let world = cloth_character::WorldProxy::from_kind(&proxy.kind, &map);
        let [bottom, top] = world.radii.map(|r| (r * self.scale) as f32);
        let [a, b] = proxy.kind.ends();
        let half_length = (0.5 * (world.ends[1] - world.ends[0]).norm() * self.scale) as f32;
        let shape = match proxy.kind {
            ProxyKind::Sphere { .. } => Shape::Sphere { radius: bottom },
            ProxyKind::TaperedCapsule { .. } => {
                Shape::TaperedCapsule { half_length, bottom_radius: bottom, top_radius: top }
            }
        };
        let turn = from_y_to(&(b - a));
        (bottom.max(top) > 0.0).then_some(PosedProxy { proxy, shape, turn })
    }

    /// Drops what is no surface at the start, and refuses a skin that is too large to be a person.
    fn check_skin(&mut self) -> Result<(), String> {
        let far = self.positions.iter().flat_map(|p| p.iter()).find(|c| c.abs() > MAX_LENGTH as f32);
        if let Some(far) = far {
            return Err(format!("reaches {far:e} m from the origin; is its unit right?"));
        }
        let mesh = TriMesh::new(self.positions.iter().map(|p| p.cast()).collect(), self.faces.clone());
        let repaired = repair_mesh(&mesh, 0.0)?;
        if repaired.mesh.positions.len() == self.positions.len() {
            self.faces = repaired.mesh.faces;
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

fn chain(wanted: &scene::Character, character: &Character) -> Result<Chain, cloth_character::CharacterError> {
    let looping = match wanted.loop_transition {
        0.0 => Looping::Repeat,
        transition => Looping::Close { transition },
    };
    let item = |choice: &scene::ClipChoice| {
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
            scene::RootMotion::Keep => RootMotion::Keep,
            scene::RootMotion::Accumulate => RootMotion::Accumulate,
            scene::RootMotion::Remove => RootMotion::Remove,
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

fn options(wanted: &scene::Character) -> ProxyOptions {
    let exclude = wanted.exclude_bones.iter().map(|bone| Override::Exclude { bone: bone.clone() });
    let drop = wanted.drop_proxies.iter().map(|proxy| Override::Drop { proxy: proxy.clone() });
    let resize =
        wanted.resize_proxies.iter().map(|r| Override::Resize { proxy: r.proxy.clone(), factor: r.factor });
    let add = wanted.add_proxies.iter().map(|a| {
        let ends = [a.start, a.end].map(Point3::from);
        let kind = match a.start == a.end {
            true => ProxyKind::Sphere { center: ends[0], radius: a.radii[0] },
            false => ProxyKind::TaperedCapsule { ends, radii: a.radii },
        };
        Override::Add { name: a.name.clone(), bone: a.bone.clone(), kind }
    });
    ProxyOptions {
        fingers: wanted.fingers,
        overrides: exclude.chain(drop).chain(resize).chain(add).collect(),
        ..ProxyOptions::default()
    }
}

fn describe(report: &FitReport, scale: f64) -> String {
    let f = &report.total;
    let mm = |length: f64| 1e3 * length * scale;
    format!(
        "{} proxies cover {:.1} % of the skin; excess mean {:.1} mm, largest {:.1} mm; undercut mean {:.1} mm, largest {:.1} mm; {} left out",
        f.proxies,
        100.0 * f.coverage(),
        mm(f.mean_excess),
        mm(f.max_excess),
        mm(f.mean_undercut),
        mm(f.max_undercut),
        counted(report.left_out.len(), "bone"),
    )
}
