//! Disturbances from outside: targets, colliders and mesh bodies that move in the step, and rigid bodies that
//! move in a substep.
//!
//! What the caller moves is known for the whole step. A rigid body may be pushed at any time, so it is looked
//! at again in every substep, once its motion over it is predicted.

use cloth_contacts::collider::Collider;
use nalgebra::Point3;

use crate::assets::Assets;
use crate::constraints::ElasticConstraints;
use crate::state::State;
use crate::waypoints::Waypoints;
use crate::{Settings, SimulationBuilder};

/// An axis-aligned box: its lower and its upper corner (m).
type Aabb = [Point3<f32>; 2];

/// Distance (m) from a rigid body at rest within which cloth is disturbed. It also covers what contacts with
/// cloth add to the predicted motion of a body within a substep.
const RIGID_MARGIN: f32 = 0.05;

/// What may disturb cloth in a step.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) scene: &'a SimulationBuilder,
    pub(crate) assets: &'a Assets,
    pub(crate) colliders: &'a [Collider],
    pub(crate) constraints: &'a ElasticConstraints,
    pub(crate) waypoints: &'a Waypoints,
    /// Length of the step (s).
    pub(crate) dt: f32,
}

/// What may disturb cloth in a substep: the rigid bodies, as they are predicted to move in it.
#[derive(Clone, Copy)]
pub(crate) struct SubstepSurroundings<'a> {
    pub(crate) scene: &'a SimulationBuilder,
    pub(crate) assets: &'a Assets,
    /// With their poses at both ends of the substep.
    pub(crate) colliders: &'a [Collider],
}

impl Surroundings<'_> {
    /// Whether cloth may sleep at all: not if the force on cloth at rest changes.
    pub(super) fn allow_sleep(&self) -> bool {
        self.settings.sleep.is_some() && !self.settings.wind.is_restless()
    }
}

/// The boxes through which colliders and mesh bodies move in this step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disturbances {
    boxes: Vec<Aabb>,
    /// Whether something unbounded moves.
    everywhere: bool,
}

impl Disturbances {
    /// Collects what moves in this step.
    pub(super) fn collect(&mut self, surroundings: Surroundings<'_>, state: &State) {
        self.boxes.clear();
        self.everywhere = false;
        for collider in surroundings.colliders.iter().filter(|collider| collider.pose_t0 != collider.pose_t1)
        {
            self.add_collider(collider);
        }
        self.add_rigid_bodies(surroundings, state);
        self.add_waypoints(surroundings, state);
        let cloths = surroundings.scene.cloths.len();
        let bodies = surroundings.assets.parts[cloths..].iter().zip(surroundings.scene.bodies.items());
        for (part, desc) in bodies {
            let range = part.vertices.clone();
            let (t0, t1) = (&state.kinematic_t0[range.clone()], &state.kinematic_t1[range]);
            if t0 != t1 {
                self.add_points(t0.iter().chain(t1), desc.thickness.total());
            }
        }
    }

    /// Adds all that a collider passes.
    fn add_collider(&mut self, collider: &Collider) {
        match collider.shape.bounds() {
            Some(bounds) => self.boxes.push(swept(collider, bounds)),
            None => self.everywhere = true,
        }
    }

    /// Adds a box around points, wider by `margin` (m).
    fn add_points<'a>(&mut self, points: impl Iterator<Item = &'a Point3<f32>>, margin: f32) {
        self.boxes.extend(around(points).map(|aabb| inflated(aabb, margin)));
    }

    /// Adds the rigid bodies: each may move in any step, and makes no contacts with cloth that sleeps.
    fn add_rigid_bodies(&mut self, surroundings: Surroundings<'_>, state: &State) {
        for (body, moving) in surroundings.assets.rigid_bodies.iter().zip(&state.rigid) {
            let Some(index) = surroundings.scene.colliders.index(body.collider) else { continue };
            let collider = &surroundings.colliders[index];
            let dt = surroundings.dt;
            let gravity = surroundings.settings.gravity.norm() * body.gravity_scale.abs();
            let speed = (moving.velocity.norm() + gravity * dt).min(surroundings.settings.velocity_limit);
            // How far it moves its points, in radii: no further than to the opposite side.
            let turn = fault!(SpinWakesNothing, (moving.angular_velocity.norm() * dt).min(2.0));
            self.boxes.extend(collider.shape.bounds().map(|bounds| {
                inflated(swept(collider, bounds), RIGID_MARGIN + speed * dt + turn * radius(&bounds))
            }));
        }
    }

    /// Adds the colliders and the mesh bodies that have waypoints.
    fn add_waypoints(&mut self, surroundings: Surroundings<'_>, state: &State) {
        for (id, path) in surroundings.waypoints.colliders() {
            let Some(index) = surroundings.scene.colliders.index(id.0) else { continue };
            let collider = &surroundings.colliders[index];
            let knots = [&[collider.pose_t0], path, &[collider.pose_t1]].concat();
            for ends in knots.windows(2).filter(|ends| ends[0] != ends[1]) {
                self.add_collider(&Collider { pose_t0: ends[0], pose_t1: ends[1], ..collider.clone() });
            }
        }
        for (id, path) in surroundings.waypoints.bodies() {
            let Some(index) = surroundings.scene.bodies.index(id.0) else { continue };
            let part = &surroundings.assets.parts[surroundings.scene.cloths.len() + index];
            let start = &state.kinematic_t0[part.vertices.clone()];
            let end = &state.kinematic_t1[part.vertices.clone()];
            if path.chunks(start.len().max(1)).any(|positions| positions != start) {
                let thickness = surroundings.scene.bodies.items()[index].thickness.total();
                self.add_points(start.iter().chain(path).chain(end), thickness);
            }
        }
    }

    /// Collects the rigid bodies, as they are predicted to move in a substep.
    ///
    /// What pushes a body takes it along no further than it moves itself.
    pub(super) fn collect_bodies(&mut self, surroundings: SubstepSurroundings<'_>) {
        self.boxes.clear();
        self.everywhere = false;
        let colliders = surroundings.colliders;
        let margin = RIGID_MARGIN + colliders.iter().map(travel).fold(0.0, f32::max);
        for body in &surroundings.assets.rigid_bodies {
            let Some(index) = surroundings.scene.colliders.index(body.collider) else { continue };
            let Some(collider) = colliders.get(index) else { continue };
            self.boxes
                .extend(collider.shape.bounds().map(|bounds| inflated(swept(collider, bounds), margin)));
        }
    }

    /// Whether nothing moves.
    pub(super) fn is_empty(&self) -> bool {
        self.boxes.is_empty() && !self.everywhere
    }

    /// Whether a cloth is disturbed: a target of it moves or is not reached, or one of the collected boxes
    /// comes within its thickness.
    pub(super) fn reach(&self, surroundings: Surroundings<'_>, state: &State, cloth: usize) -> bool {
        let range = surroundings.assets.parts[cloth].vertices.clone();
        let pin_moves = |v: usize| {
            let (t0, t1) = (state.kinematic_t0[v], state.kinematic_t1[v]);
            state.sleep.inv_mass[v] == 0.0 && (t0 != t1 || t1 != state.x[v])
        };
        let mut attachments = surroundings.constraints.attachments.iter().zip(&state.attachments);
        let mut drives = surroundings.constraints.drives.iter().zip(&state.drive_poses);
        let mut frames = surroundings.assets.local_frames.iter().zip(&state.frame_poses);
        range.clone().any(pin_moves)
            || on_path(surroundings, state, cloth)
            || attachments.any(|(a, now)| range.contains(&(a.vertex as usize)) && now.is_moving())
            || drives.any(|(drive, pose)| drive.cloth() == range && pose.is_moving())
            || frames.any(|(frame, [t0, t1])| frame.vertices == range && t0 != t1)
            || self.come_near(
                &state.x[range.clone()],
                surroundings.scene.cloths.items()[cloth].thickness.total(),
            )
    }

    /// Whether one of the collected boxes comes within `margin` (m) of the vertices of a cloth (m).
    pub(super) fn come_near(&self, vertices: &[Point3<f32>], margin: f32) -> bool {
        !self.is_empty() && {
            let own = around(vertices.iter()).map(|aabb| inflated(aabb, margin));
            self.everywhere || own.is_some_and(|own| self.boxes.iter().any(|aabb| overlap(aabb, &own)))
        }
    }
}

/// Whether a pin or an attachment of a cloth has a waypoint elsewhere than where it starts.
fn on_path(surroundings: Surroundings<'_>, state: &State, cloth: usize) -> bool {
    let range = surroundings.assets.parts[cloth].vertices.clone();
    let leaves = |path: &[Point3<f32>], start: Point3<f32>| path.iter().any(|p| *p != start);
    let attachments = &surroundings.constraints.attachments;
    surroundings.waypoints.pins().any(|(id, vertex, path)| {
        surroundings.scene.cloths.index(id.0) == Some(cloth)
            && leaves(path, state.kinematic_t0[range.start + vertex as usize])
    }) || surroundings.waypoints.attachments().any(|(i, path)| {
        range.contains(&(attachments[i].vertex as usize)) && leaves(path, state.attachments[i].targets[0])
    })
}

/// A box around all that a collider passes, given the bounds (m) of its shape. Between the ends of a step its
/// origin moves along a straight line.
fn swept(collider: &Collider, [min, max]: Aabb) -> Aabb {
    let [t0, t1] = [collider.pose_t0, collider.pose_t1].map(|pose| Point3::from(pose.translation.vector));
    let path = [t0.inf(&t1), t0.sup(&t1)];
    let rotation = collider.pose_t1.rotation;
    if collider.pose_t0.rotation != rotation {
        return inflated(path, radius(&[min, max]));
    }
    let (centre, half) = (rotation * nalgebra::center(&min, &max), (max - min) * 0.5);
    let half = rotation.to_rotation_matrix().matrix().abs() * half;
    [path[0] + centre.coords - half, path[1] + centre.coords + half]
}

/// The largest distance (m) of a point of a shape from its origin, given its bounds (m).
fn radius([min, max]: &Aabb) -> f32 {
    min.coords.abs().sup(&max.coords.abs()).norm()
}

/// How far (m) a point of a collider moves at most between the two ends of its motion; without bounds, only
/// by the motion of its origin.
fn travel(Collider { shape, pose_t0, pose_t1, .. }: &Collider) -> f32 {
    let shift = (pose_t1.translation.vector - pose_t0.translation.vector).norm();
    // A chord: twice the sine of half the angle.
    let chord = 2.0 * (pose_t0.rotation.inverse() * pose_t1.rotation).imag().norm();
    shift + chord * shape.bounds().as_ref().map_or(0.0, radius)
}

fn around<'a>(mut points: impl Iterator<Item = &'a Point3<f32>>) -> Option<Aabb> {
    let first = *points.next()?;
    Some(points.fold([first; 2], |[min, max], p| [min.inf(p), max.sup(p)]))
}

fn inflated([min, max]: Aabb, margin: f32) -> Aabb {
    [min.map(|c| c - margin), max.map(|c| c + margin)]
}

fn overlap(a: &Aabb, b: &Aabb) -> bool {
    (0..3).all(|k| a[0][k] <= b[1][k] && b[0][k] <= a[1][k])
}
