//! A character in a scene: it moves by its motion, and cloth collides with it and is held by it.
//!
//! Everything that follows it moves through waypoints: one pose at the end of every substep, sampled from the
//! motion.

use std::sync::Arc;

use cloth_character::{Character, Motion, MotionSample, SkinMatrix};
use cloth_geom::TriMesh;
use cloth_scene::{CharacterBody, ColliderProxies};
use cloth_show::human::FittedCharacter;
use cloth_show::invariants::SkinFaces;
use cloth_solver::{DisplayMesh, MeshBodyDesc, Simulation, StepError, Thickness, Waypoints};
use nalgebra::{Isometry3, Point3};

use crate::scenario::{Setup, SetupError, SimulationControl};

/// A character of a scene.
#[derive(Clone, Debug)]
pub struct Wearer {
    motion: Motion,
    kind: CharacterBody,
    proxies: ColliderProxies,
    /// The number of its first proxy among the colliders of the scene.
    first_collider: usize,
    /// The number of its skin among the mesh bodies of the scene.
    body: usize,
    held: Vec<HeldByJoint>,
    held_by_skin: Option<HeldBySkin>,
    sample: MotionSample,
    matrices: Vec<SkinMatrix>,
    skin: Vec<Point3<f32>>,
}

/// A pinned vertex that follows a joint.
#[derive(Clone, Copy, Debug)]
struct HeldByJoint {
    /// The number of the cloth, and the vertex.
    pin: (usize, u32),
    joint: usize,
    /// In the space of the joint.
    place: Point3<f64>,
}

/// Pinned vertices that follow the nearest points of the skin.
#[derive(Clone, Debug)]
struct HeldBySkin {
    pins: Vec<(usize, u32)>,
    binding: DisplayMesh,
    targets: Vec<Point3<f32>>,
}

/// Where a pose goes.
enum PoseTarget<'a> {
    Step(&'a mut dyn SimulationControl),
    Waypoint(&'a Simulation, &'a mut Waypoints, usize),
}

impl Wearer {
    /// Adds a character to a scene as it is at time 0 of its motion, after what the scene has already;
    /// `friction` is that of its proxies, and `thickness` that of its skin.
    ///
    /// # Errors
    /// If the friction is not a usable number.
    pub fn add_to_scene(
        setup: &mut Setup,
        human: &FittedCharacter,
        motion: Motion,
        kind: CharacterBody,
        friction: f32,
        thickness: Thickness,
    ) -> Result<Self, SetupError> {
        let mut this = Self {
            motion,
            kind,
            proxies: ColliderProxies::default(),
            first_collider: setup.scene.colliders.len(),
            body: setup.scene.mesh_bodies.len(),
            held: Vec::new(),
            held_by_skin: None,
            sample: MotionSample::default(),
            matrices: Vec::new(),
            skin: Vec::new(),
        };
        this.pose(0.0);
        if kind != CharacterBody::Skin {
            let world = &this.sample.world;
            this.proxies = ColliderProxies::new(human.fitted.proxies.clone(), world, 1.0);
            setup.scene.add_colliders(this.proxies.colliders(
                world,
                friction,
                kind == CharacterBody::Proxies,
            )?);
        }
        if kind != CharacterBody::Proxies {
            let mesh =
                TriMesh::new(this.skin_positions().iter().map(|p| p.cast()).collect(), this.faces().to_vec());
            setup.scene.mesh_bodies.push(MeshBodyDesc { mesh, thickness });
        }
        Ok(this)
    }

    /// Lets pinned vertices follow a joint, from where they are at time 0 (m).
    ///
    /// # Errors
    /// If the character has no such joint, or one without an inverse.
    pub fn hold_by_joint(
        &mut self,
        cloth: usize,
        vertices: impl IntoIterator<Item = (u32, Point3<f64>)>,
        joint: &str,
    ) -> Result<(), SetupError> {
        let unknown = || SetupError::Joint { name: joint.to_owned() };
        let joint = self.character().skeleton.find_label(joint).ok_or_else(unknown)?;
        self.pose(0.0);
        let inverse = self.sample.world[joint].inverse().ok_or_else(unknown)?;
        let held = |(vertex, p): (u32, Point3<f64>)| HeldByJoint {
            pin: (cloth, vertex),
            joint,
            place: inverse.transform_point(&p),
        };
        self.held.extend(vertices.into_iter().map(held));
        Ok(())
    }

    /// Lets pinned vertices of one cloth follow the nearest points of the skin, from where they are at time 0
    /// (m). A second call replaces the first.
    ///
    /// # Errors
    /// If a position is not finite.
    pub fn hold_by_skin(&mut self, cloth: usize, vertices: &[(u32, Point3<f64>)]) -> Result<(), SetupError> {
        self.pose(0.0);
        self.deform();
        let places: Vec<Point3<f32>> = vertices.iter().map(|(_, p)| p.cast()).collect();
        let binding = DisplayMesh::bind(&self.skin, self.faces(), &places)?;
        let pins = vertices.iter().map(|&(v, _)| (cloth, v)).collect();
        self.held_by_skin = Some(HeldBySkin { pins, binding, targets: Vec::new() });
        Ok(())
    }

    /// Sends the character through a frame from one time to another (s): the pose at the end goes to the
    /// simulation, those between into waypoints, one at the end of each substep but the last.
    ///
    /// # Errors
    /// If the simulation is not that of the scene.
    pub fn move_through(
        &mut self,
        sim: &mut dyn SimulationControl,
        [from, to]: [f64; 2],
        substeps: u32,
    ) -> Result<Waypoints, StepError> {
        let count = substeps.saturating_sub(1) as usize;
        let mut waypoints = Waypoints::new(count)?;
        if let Some(simulation) = sim.simulation() {
            for k in 0..count {
                self.pose(from + (to - from) * (k + 1) as f64 / f64::from(substeps));
                self.send(&mut PoseTarget::Waypoint(simulation, &mut waypoints, k))?;
            }
        }
        self.pose(to);
        self.send(&mut PoseTarget::Step(sim))?;
        Ok(waypoints)
    }

    /// Leaves its proxies out of what moves: they are no colliders of the scene any more.
    pub(crate) fn remove_proxies(&mut self) {
        self.proxies = ColliderProxies::default();
    }

    /// The kind of body that it collides as.
    #[must_use]
    pub fn kind(&self) -> CharacterBody {
        self.kind
    }

    /// The character.
    #[must_use]
    pub fn character(&self) -> &Arc<Character> {
        self.motion.character()
    }

    /// The skin (m) at the time of the last call that named one.
    pub fn skin_positions(&mut self) -> &[Point3<f32>] {
        self.deform();
        &self.skin
    }

    /// Where its first joint is at that time (m).
    #[must_use]
    pub fn root(&self) -> Point3<f32> {
        self.sample.world.first().map_or(Point3::origin(), |root| root.origin().cast())
    }

    /// The triangles of the skin.
    #[must_use]
    pub fn faces(&self) -> &[[u32; 3]] {
        self.motion.character().meshes.first().map_or(&[], |mesh| &mesh.faces)
    }

    /// The same, as [`SkinObserver`](cloth_show::invariants::SkinObserver) takes them.
    #[must_use]
    pub fn skin_faces(&self) -> SkinFaces<'_> {
        let vertex_count = self.motion.character().meshes.first().map_or(0, |mesh| mesh.skin.len());
        SkinFaces { vertex_count, colliding: self.faces(), all: self.faces() }
    }

    fn pose(&mut self, time: f64) {
        self.motion.sample(time, &mut self.sample);
    }

    fn deform(&mut self) {
        let Some(mesh) = self.motion.character().meshes.first() else { return };
        self.skin.resize(mesh.skin.len(), Point3::origin());
        mesh.skin.compute_matrices(&self.sample.world, &mut self.matrices);
        let deformed = mesh.skin.deform_positions(&self.matrices, &mut self.skin);
        debug_assert!(deformed.is_ok(), "the buffer is as long as the skin");
    }

    fn send(&mut self, target: &mut PoseTarget<'_>) -> Result<(), StepError> {
        if self.kind != CharacterBody::Proxies || self.held_by_skin.is_some() {
            self.deform();
        }
        for (collider, pose) in (self.first_collider..).zip(self.proxies.poses(&self.sample.world)) {
            target.move_collider(collider, pose)?;
        }
        if self.kind != CharacterBody::Proxies {
            target.move_mesh_body(self.body, &self.skin)?;
        }
        for held in &self.held {
            let place = self.sample.world[held.joint].transform_point(&held.place);
            target.move_pin(held.pin, place.cast())?;
        }
        if let Some(HeldBySkin { pins, binding, targets }) = &mut self.held_by_skin {
            // The binding was made for this skin.
            if binding.write_positions(&self.skin, targets).is_ok() {
                pins.iter().zip(targets).try_for_each(|(&pin, &mut place)| target.move_pin(pin, place))?;
            }
        }
        Ok(())
    }
}

impl PoseTarget<'_> {
    fn move_collider(&mut self, collider: usize, pose: Isometry3<f32>) -> Result<(), StepError> {
        match self {
            Self::Step(sim) => sim.move_collider(collider, pose),
            Self::Waypoint(sim, waypoints, k) => waypoints.set_collider(sim.collider_id(collider)?, *k, pose),
        }
    }

    fn move_mesh_body(&mut self, body: usize, positions: &[Point3<f32>]) -> Result<(), StepError> {
        match self {
            Self::Step(sim) => sim.move_mesh_body(body, positions),
            Self::Waypoint(sim, waypoints, k) => {
                waypoints.set_mesh_body(sim.mesh_body_id(body)?, *k, positions)
            }
        }
    }

    fn move_pin(&mut self, (cloth, vertex): (usize, u32), place: Point3<f32>) -> Result<(), StepError> {
        match self {
            Self::Step(sim) => sim.move_pin(cloth, vertex, place),
            Self::Waypoint(sim, waypoints, k) => waypoints.set_pin(sim.cloth_id(cloth)?, vertex, *k, place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_character::compute_world_proxies;
    use cloth_show::human::human;

    #[test]
    fn colliders_are_where_the_proxies_are_in_every_pose() {
        let human = human().expect("the built-in character");
        let playback = cloth_character::Playback::new(human.character.find_clip("dance").expect("a clip"));
        let motion = Motion::from_clip(human.character.clone(), playback, cloth_character::RootMotion::Keep)
            .expect("a motion");
        let (mut sample, mut expected) = (MotionSample::default(), Vec::new());
        motion.sample(0.0, &mut sample);
        let proxies = ColliderProxies::new(human.fitted.proxies.clone(), &sample.world, 1.0);
        for time in [0.0, 0.9, 2.3] {
            motion.sample(time, &mut sample);
            compute_world_proxies(&human.fitted.proxies, &sample.world, &mut expected);
            let colliders = proxies.colliders(&sample.world, 0.3, false).expect("usable");
            assert_eq!(colliders.len(), expected.len());
            for (collider, expected) in colliders.iter().zip(&expected) {
                for p in [[0.1, 1.0, 0.0], [-0.4, 1.3, 0.2], [0.2, 0.3, -0.3]].map(Point3::from) {
                    let local = collider.pose_t0.inverse_transform_point(&p.cast::<f32>());
                    let found = f64::from(collider.shape.nearest(&local).distance);
                    let expected = expected.signed_distance(&p);
                    assert!((found - expected).abs() < 1e-5, "{found} {expected}");
                }
            }
        }
    }
}
