//! From a scene to what a simulation is built of: every key finds its place in the solver, or is refused by
//! name.
//!
//! ```text
//! garments --garment, placing, rest--> meshes --constraints, regions, thickness--> cloths --.
//! bodies, character --bodies, animation, character, proxies--> colliders, mesh bodies -------+--> SceneDesc
//! cuts of their animations --cuts--> held, and named;   ends of clips --clip_ends--> held, or named
//! pins that follow --followers--> targets of every frame;   pins with a time --timed--> and which of them hold
//! ```

mod animation;
mod bodies;
mod body_collider;
mod character;
mod clip_ends;
mod constraints;
mod contacts;
mod cuts;
mod doubts;
mod followers;
mod friction;
mod garment;
mod placing;
mod proxies;
mod regions;
mod rest;
mod thickness;
mod timed;

pub use animation::{AnimatedBody, BodyAnimation, animation_files};
pub use bodies::{Bodies, read_body};
pub use character::AnimatedCharacter;
pub use garment::{GarmentFile, PlacedGarment, RepairedMesh, place, repair_mesh};
pub use placing::drop_height;
pub use rest::MeasuredEdge;
pub use timed::{PinEvent, PinEventKind};

use std::collections::BTreeSet;
use std::path::PathBuf;

use cloth_contacts::intersect::{Seam, Seams};
use cloth_io::FileError;
use cloth_solver::{ClothDesc, DisplayError, Simulation, StepError, Tethers, Thickness, Waypoints};

use bodies::{DEFAULT_FRICTION, MotionTarget};
use constraints::Constraints;
use contacts::ContactCacheFile;
use followers::{Followers, HeldVertices};
use garment::MAX_LENGTH;
use placing::Stage;
use thickness::{SCR_SHARE, default_of};
use timed::TimedPins;

use crate::{Garment, Scene, SceneDesc, ScenePart, SceneSource};

/// The most frames of a run: above, a unit is wrong, and a cache would fill any disk.
const MAX_FRAMES: f64 = 1e6;

/// Seams whose ends are nearer than this part of the thickness are closed, where a scene does not say:
/// nothing else could lie between.
const SEAM_SHARE: f64 = 0.5;

/// A scene with its files read: what a simulation is built of, and what moves in it.
pub struct BuiltScene {
    /// What the simulation is built of.
    pub desc: SceneDesc,
    /// The garments, which are the cloths of the simulation in this order.
    pub garments: Vec<PlacedGarment>,
    /// The bodies, which move by keyframes and files.
    pub bodies: Bodies,
    /// The pins that move with them.
    followers: Followers,
    timed: TimedPins,
    /// The stitches of all garments.
    pub stitches: Vec<Seam>,
    /// How far (m) the ends of a closed stitch may be apart.
    pub seam_distance: f64,
    /// All edges with their rest lengths, over all vertices.
    pub edges: Vec<MeasuredEdge>,
    /// Duration of a frame (s).
    pub dt: f64,
    /// Number of frames.
    pub frames: usize,
    /// Friction coefficient against bodies, where a body has none of its own.
    pub friction: f64,
    /// What was decided, a sentence each.
    pub notes: Vec<String>,
    /// The file that contacts are kept in, if the scene names one that is not there yet.
    pub contact_file: Option<PathBuf>,
}

/// Why what moves in a scene cannot be moved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// A frame of an animation cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The simulation refuses a position.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A pin cannot follow its body.
    #[error(transparent)]
    Follow(#[from] DisplayError),
}

impl Scene {
    /// Reads the files of a scene, and places, repairs and describes everything for the solver.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged, or a value does not fit what the files hold: the error names
    /// the file or the key.
    pub fn build(&self, source: &SceneSource) -> Result<BuiltScene, FileError> {
        let frames = self.frames(source)?;
        let mut desc = SceneDesc::new(self.settings);
        let (mut garments, mut edges, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut first, mut stitches, mut attached) = (0, Vec::new(), Vec::new());
        let (mut timed, mut permanent) = (Vec::new(), BTreeSet::new());
        let bodies = Bodies::new(self, source)?;
        let stage = Stage::new(self, &bodies, source);
        for (index, wanted) in self.garments.iter().enumerate() {
            let garment = garment::load(wanted, index, &stage, source)?;
            notes.extend(garment.notes.iter().cloned());
            let (thickness, note) = thickness(self, wanted, &garment, source)?;
            notes.push(note);
            let mut holds = constraints::find_constraints(wanted, &garment, source)?;
            notes.extend(holds.notes.iter().cloned());
            permanent.extend(holds.permanent.drain(..).map(|v| (index, v)));
            let own = std::mem::take(&mut holds.timed).into_iter();
            timed.extend(own.map(|pin| (index, pin.numbered_from(attached.len()))));
            attached.extend(holds.attachments.iter().map(|attachment| (index, attachment.vertex)));
            let cloth = cloth(wanted, &garment, thickness, holds, source)?;
            notes.extend(regions::fabric_note(wanted, &garment.name, &cloth));
            stitches.extend(cloth.stitches.iter().map(|stitch| Seam {
                vertex: stitch.vertex + first,
                edge: stitch.edge.map(|v| v + first),
                ratio: stitch.ratio.into(),
            }));
            desc.friction.extend(wanted.friction.map(|f| (ScenePart::Cloth(index), f as f32)));
            desc.cloths.push(cloth);
            edges
                .extend(garment.edges.iter().map(|e| MeasuredEdge { ends: e.ends.map(|v| v + first), ..*e }));
            first += garment.mesh.positions.len() as u32;
            garments.push(garment);
        }
        let none = || source.fail("garment", "there is none; a scene needs one");
        let thinnest = desc.thinnest().ok_or_else(none)?;
        notes.extend(stage.doubt_bodies(&self.garments, &garments, source));
        notes.extend(bodies.notes());
        let held = HeldVertices { attached: &attached, pinned: &permanent };
        let followers = Followers::bind((self, &garments), held, &bodies, source)?;
        notes.extend(followers.note());
        let timed = TimedPins::new((self, &garments), timed, permanent, &bodies, source)?;
        bodies.add_to(&mut desc, thinnest).map_err(|e| source.fail("body", e.to_string()))?;
        desc.pair_friction = friction::pairs(self, &bodies, source)?;
        desc.interactions.clone_from(&self.interactions);
        let mut contact_file = None;
        match ContactCacheFile::open(self, source)? {
            Some(ContactCacheFile::Found(cache)) => desc.contact_cache = Some(cache),
            Some(ContactCacheFile::New(path)) => contact_file = Some(path),
            None => {}
        }
        Ok(BuiltScene {
            desc,
            garments,
            bodies,
            followers,
            timed,
            stitches,
            seam_distance: self.seam_distance.unwrap_or(SEAM_SHARE * f64::from(thinnest.total())),
            edges,
            dt: self.dt,
            frames,
            friction: self.friction.unwrap_or(DEFAULT_FRICTION),
            notes,
            contact_file,
        })
    }

    /// How many frames a scene has.
    ///
    /// # Errors
    /// If there are too many.
    pub fn frames(&self, source: &SceneSource) -> Result<usize, FileError> {
        let frames = (self.duration / self.dt).round();
        if frames > MAX_FRAMES {
            let text = format!("{frames:e} frames are too many; at most {MAX_FRAMES:e} are simulated");
            return Err(source.fail("settings.duration", text));
        }
        Ok((frames as usize).max(1))
    }

    /// The names of all garments: those that the scene gives, or else those of their files.
    #[must_use]
    pub fn garment_names(&self, source: &SceneSource) -> Vec<String> {
        self.garments.iter().enumerate().map(|(index, wanted)| garment::name(wanted, index, source)).collect()
    }
}

impl BuiltScene {
    /// The stitches, as what leaves closed seams out of intersections takes them.
    ///
    /// # Errors
    /// The first vertex that does not exist, if the simulation is not that of the scene.
    pub fn seams(&self, simulation: &Simulation) -> Result<Seams, u32> {
        // Vertices of bodies are no part of a seam, but of pairs that are asked about.
        Seams::new(self.stitches.clone(), simulation.positions().len(), self.seam_distance)
    }

    /// Thickness (m) of the thinnest garment.
    #[must_use]
    pub fn thickness(&self) -> f64 {
        self.desc.thinnest().map_or(0.0, |thickness| thickness.total().into())
    }

    /// Sends what moves through a frame, from one time to another (s): where it is at the end goes to the
    /// simulation, a character and what follows it also to waypoints, one at the end of each substep but the
    /// last. They are for [`Simulation::step_through`]. Timed pins begin and end; see
    /// [`BuiltScene::pin_events`].
    ///
    /// # Errors
    /// If a frame of an animation cannot be read, or the simulation is not that of the scene.
    pub fn move_through(
        &mut self,
        simulation: &mut Simulation,
        [from, to]: [f64; 2],
    ) -> Result<Waypoints, MotionError> {
        let Self { bodies, followers, timed, .. } = self;
        timed.update(simulation, [from, to])?;
        timed.bind(bodies, simulation)?;
        bodies.move_to(simulation, to)?;
        let mut waypoints = Waypoints::default();
        if bodies.character().is_some() {
            let substeps = simulation.settings().substeps;
            let count = substeps.saturating_sub(1) as usize;
            waypoints = Waypoints::new(count)?;
            for k in 0..count {
                let time = from + (to - from) * (k + 1) as f64 / f64::from(substeps);
                let to = &mut MotionTarget::Waypoint(simulation, &mut waypoints, k);
                bodies.pose_character(time, to)?;
                followers.move_to(bodies, to)?;
                timed.move_to(bodies, to, None)?;
            }
        }
        let end = &mut MotionTarget::Step(simulation);
        bodies.pose_character(to, end)?;
        followers.move_to(bodies, end)?;
        timed.move_to(bodies, end, Some(to))?;
        Ok(waypoints)
    }

    /// What happened to timed pins at the start of the frame of the last [`BuiltScene::move_through`], in the
    /// order of the scene, ends before beginnings: a function of the simulation and the times of that call.
    #[must_use]
    pub fn pin_events(&self) -> &[PinEvent] {
        &self.timed.events
    }

    /// Keeps the contacts that a simulation of this scene has computed in [`BuiltScene::contact_file`], and
    /// says so; none if there is nothing to keep.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn keep_contacts(&self, simulation: &Simulation) -> Result<Option<String>, FileError> {
        self.contact_file.as_ref().map_or(Ok(None), |path| contacts::keep(path, simulation))
    }
}

fn thickness(
    scene: &Scene,
    wanted: &Garment,
    garment: &PlacedGarment,
    source: &SceneSource,
) -> Result<(Thickness, String), FileError> {
    let (total, why) = match (wanted.thickness, scene.thickness) {
        (Some(t), _) | (None, Some(t)) => (t, "as given".to_owned()),
        (None, None) => default_of(&garment.edges),
    };
    if total > MAX_LENGTH {
        let text = format!("{total:e} m, {why}, is not a thickness of cloth; is its unit right?");
        return Err(source.fail("garment.thickness", text));
    }
    let share = scene.static_collision_share.unwrap_or(SCR_SHARE);
    let note = format!("{}: thickness {:.3} mm, {why}", garment.name, 1e3 * total);
    Ok((Thickness::from_total(total as f32, share as f32), note))
}

fn cloth(
    wanted: &Garment,
    garment: &PlacedGarment,
    thickness: Thickness,
    holds: Constraints,
    source: &SceneSource,
) -> Result<ClothDesc, FileError> {
    Ok(ClothDesc {
        rest: garment.rest.clone(),
        layer: wanted.layer,
        tethers: wanted.tethers.then(Tethers::default),
        pins: holds.pins,
        attachments: holds.attachments,
        stitches: holds.stitches,
        exclusions: holds.exclusions,
        regions: regions::garment_regions(wanted, garment, source)?,
        face_materials: regions::face_materials(wanted, garment, source)?,
        // A scene may be meant so; the command counts such seams at the start and says what joins them.
        ..ClothDesc::new(garment.mesh.clone(), wanted.material, thickness).allow_coincident_borders()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn parse(text: &str) -> Scene {
        Scene::parse(Path::new("s.toml"), &format!("{text}\n[[garment]]\nmesh = \"a.obj\"\n")).unwrap()
    }

    #[test]
    fn counts_frames_and_refuses_too_many() {
        let frames = |text| parse(text).frames(&SceneSource::File("s.toml".into()));
        assert_eq!(frames("[settings]\ndt = 0.01\nduration = 0.5"), Ok(50));
        assert_eq!(frames("[settings]\ndt = 1\nduration = 0.1"), Ok(1));
        let error = frames("[settings]\ndt = 1e-9").unwrap_err().to_string();
        assert!(error.starts_with("s.toml: `settings.duration`: 4e9 frames"), "{error}");
    }

    #[test]
    fn the_example_has_the_arms_of_the_figure() {
        let text = include_str!("../../examples/scene.toml");
        let example = Scene::parse(Path::new("scene.toml"), text).unwrap();
        let arms = example.bodies.iter().find_map(|body| match body.shape {
            crate::Shape::Figure { arms } => arms,
            _ => None,
        });
        assert_eq!(arms.map(|angle| angle as f32), Some(crate::CapsuleFigure::MANNEQUIN_ARMS_DEG));
    }
}
