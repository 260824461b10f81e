//! Waypoints: where kinematic bodies, pins, attachments and colliders are at times within a step.

#[cfg(test)]
mod tests;

use nalgebra::{Isometry3, Point3};

use crate::constraints::ElasticConstraints;
use crate::scratch::Scratch;
use crate::simulation::{Simulation, check_finite, check_finite_pose};
use crate::stages::Substep;
use crate::state::State;
use crate::{ClothId, ColliderId, MeshBodyId, StepError};

/// Positions at evenly spaced times within a step, for motion that is not linear over a frame: a swinging
/// arm, a turning body.
///
/// Without waypoints everything moves linearly from where it was to its target. The chord of a limb that
/// turns by 20 degrees in a frame lies up to 15 mm inside the arc of a point 1 m from the joint. With as many
/// waypoints as substeps every substep ends on the arc.
///
/// A step of `n` waypoints is divided into `n + 1` equal parts; waypoint `k` is the position at the end of
/// part `k`, and the target, set by [`Simulation::move_mesh_body`] and its kin, that at the end of the last.
/// Between them motion is linear. What has no waypoints moves as without. They are an argument of
/// [`Simulation::step_through`] and no part of the state.
#[derive(Clone, Debug, Default)]
pub struct Waypoints {
    /// Waypoints of each path.
    count: usize,
    bodies: Vec<Path<MeshBodyId, Point3<f32>>>,
    pins: Vec<Path<(ClothId, u32), Point3<f32>>>,
    attachments: Vec<Path<usize, Point3<f32>>>,
    colliders: Vec<Path<ColliderId, Isometry3<f32>>>,
}

/// What moves, and its waypoints, one after the other.
type Path<K, T> = (K, Vec<T>);

impl Waypoints {
    /// No paths yet; each will have `count` waypoints: [`Settings::substeps`](crate::Settings::substeps)
    /// `- 1` for one at the end of every substep but the last.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self { count, ..Self::default() }
    }

    /// The number of waypoints of each path.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Sets waypoint `k`, below [`Self::count`], of a mesh body: positions (m) of its vertices.
    ///
    /// A waypoint that was never set is the first position that was set for the body.
    ///
    /// # Errors
    /// If there is no such waypoint, or if another waypoint of the body has another number of positions.
    pub fn set_mesh_body(
        &mut self,
        body: MeshBodyId,
        k: usize,
        positions: &[Point3<f32>],
    ) -> Result<(), StepError> {
        set(&mut self.bodies, body, self.count, k, positions)
    }

    /// Sets waypoint `k` of a pinned vertex (m).
    ///
    /// # Errors
    /// If there is no such waypoint.
    pub fn set_pin(
        &mut self,
        cloth: ClothId,
        vertex: u32,
        k: usize,
        p: Point3<f32>,
    ) -> Result<(), StepError> {
        set(&mut self.pins, (cloth, vertex), self.count, k, &[p])
    }

    /// Sets waypoint `k` of the target (m) of an attachment, numbered as in [`Simulation::move_attachment`].
    ///
    /// # Errors
    /// If there is no such waypoint.
    pub fn set_attachment(&mut self, attachment: usize, k: usize, p: Point3<f32>) -> Result<(), StepError> {
        set(&mut self.attachments, attachment, self.count, k, &[p])
    }

    /// Sets waypoint `k` of the pose of a collider.
    ///
    /// # Errors
    /// If there is no such waypoint.
    pub fn set_collider(
        &mut self,
        collider: ColliderId,
        k: usize,
        pose: Isometry3<f32>,
    ) -> Result<(), StepError> {
        set(&mut self.colliders, collider, self.count, k, &[pose])
    }
}

/// Writes one waypoint of a path, which is added if it is new.
fn set<K: PartialEq, T: Copy>(
    paths: &mut Vec<Path<K, T>>,
    key: K,
    count: usize,
    k: usize,
    points: &[T],
) -> Result<(), StepError> {
    if k >= count {
        return Err(StepError::NotFound { what: "waypoint", index: k, count });
    }
    let index = match paths.iter().position(|path| path.0 == key) {
        Some(index) => index,
        None => {
            paths.push((key, points.repeat(count)));
            paths.len() - 1
        }
    };
    let path = &mut paths[index].1;
    let expected = path.len() / count;
    if points.len() != expected {
        return Err(StepError::Length { what: "waypoint positions", got: points.len(), expected });
    }
    path[k * expected..][..expected].copy_from_slice(points);
    Ok(())
}

/// A time between two knots of a path: the start of the step, the waypoints, the target.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Knots {
    /// The knot before it, from 0.
    from: usize,
    /// The share of the way to the next.
    share: f32,
}

impl Knots {
    /// After `done` of `substeps`, on a path of `count` waypoints. Exact where it is a knot.
    fn after(done: u32, substeps: u32, count: usize) -> Self {
        let (parts, substeps) = (count as u64 + 1, u64::from(substeps));
        let position = u64::from(done) * parts;
        Self { from: (position / substeps) as usize, share: (position % substeps) as f32 / substeps as f32 }
    }

    /// The point at this time on a path from `start` through `path(k)` to `target`.
    fn point(
        &self,
        count: usize,
        ends: [&Point3<f32>; 2],
        path: impl Fn(usize) -> Point3<f32>,
    ) -> Point3<f32> {
        let knot = |k: usize| match k {
            0 => *ends[0],
            k if k <= count => path(k - 1),
            _ => *ends[1],
        };
        let from = knot(self.from);
        if self.share == 0.0 { from } else { from + (knot(self.from + 1) - from) * self.share }
    }

    fn pose(&self, ends: [&Isometry3<f32>; 2], path: &[Isometry3<f32>]) -> Isometry3<f32> {
        let knot = |k: usize| match k {
            0 => ends[0],
            k if k <= path.len() => &path[k - 1],
            _ => ends[1],
        };
        match self.share {
            0.0 => *knot(self.from),
            share => cloth_contacts::collider::pose_between(knot(self.from), knot(self.from + 1), share),
        }
    }
}

impl Waypoints {
    /// Whether nothing has waypoints.
    fn is_empty(&self) -> bool {
        let Self { count: _, bodies, pins, attachments, colliders } = self;
        bodies.is_empty() && pins.is_empty() && attachments.is_empty() && colliders.is_empty()
    }

    /// Checks that everything with a path is there, kinematic and of the right length, and that all numbers
    /// are finite.
    pub(crate) fn check(&self, sim: &Simulation) -> Result<(), StepError> {
        for (body, path) in &self.bodies {
            let (got, expected) = (path.len() / self.count, sim.body_part(*body)?.vertices.len());
            if got != expected {
                return Err(StepError::Length { what: "waypoint positions", got, expected });
            }
        }
        for ((cloth, vertex), _) in &self.pins {
            sim.check_pinned(sim.vertex(*cloth, *vertex)?)?;
        }
        let count = sim.state.attachment_targets.len();
        if let Some(&(index, _)) = self.attachments.iter().find(|(index, _)| *index >= count) {
            return Err(StepError::NotFound { what: "attachment", index, count });
        }
        for (collider, path) in &self.colliders {
            sim.scene.collider_index(*collider)?;
            sim.check_kinematic(*collider)?;
            path.iter().try_for_each(|pose| check_finite_pose("waypoint", pose))?;
        }
        let points = self.bodies.iter().map(|path| &path.1).chain(self.pins.iter().map(|path| &path.1));
        let mut points = points.chain(self.attachments.iter().map(|path| &path.1)).flatten();
        points.try_for_each(|p| check_finite("waypoint", p.coords))
    }

    /// Replaces the linear motion of what has waypoints in a substep.
    pub(crate) fn animate(
        &self,
        substep: &Substep<'_>,
        state: &State,
        constraints: &mut ElasticConstraints,
        scratch: &mut Scratch,
    ) {
        if self.is_empty() {
            return;
        }
        let (scene, parts) = (substep.scene, &substep.assets.parts);
        let knots = |done| Knots::after(done, substep.settings.substeps, self.count);
        let [before, now] = [knots(substep.index), knots(substep.index + 1)];
        let vertex_target = |v: usize, path: &dyn Fn(usize) -> Point3<f32>| {
            now.point(self.count, [&state.kinematic_t0[v], &state.kinematic_t1[v]], path)
        };
        for (body, path) in &self.bodies {
            let Some(index) = scene.bodies.index(body.0) else { continue };
            let range = parts[scene.cloths.len() + index].vertices.clone();
            let stride = range.len();
            for (j, v) in range.enumerate() {
                let target = vertex_target(v, &|k| path[k * stride + j]);
                scratch.displacements[v] = target - scratch.x_t0[v];
            }
        }
        for ((cloth, vertex), path) in &self.pins {
            let Some(index) = scene.cloths.index(cloth.0) else { continue };
            let v = parts[index].vertices.start + *vertex as usize;
            // Asleep, it is immovable; a pin that moves has woken its cloth.
            scratch.displacements[v] = vertex_target(v, &|k| path[k]) - scratch.x_t0[v];
        }
        for (attachment, path) in &self.attachments {
            let [t0, t1] = &state.attachment_targets[*attachment];
            constraints.attachments[*attachment].target = now.point(self.count, [t0, t1], |k| path[k]);
        }
        for (collider, path) in &self.colliders {
            let Some(index) = scene.colliders.index(collider.0) else { continue };
            let Some(moved) = scratch.colliders.get_mut(index) else { continue };
            let ends = [before, now].map(|knots| knots.pose([&moved.pose_t0, &moved.pose_t1], path));
            [moved.pose_t0, moved.pose_t1] = ends;
        }
    }

    /// The paths of mesh bodies: all positions in one list.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = (MeshBodyId, &[Point3<f32>])> {
        self.bodies.iter().map(|(body, path)| (*body, &path[..]))
    }

    /// The paths of colliders: each with its waypoints in order.
    pub fn colliders(&self) -> impl Iterator<Item = (ColliderId, &[Isometry3<f32>])> {
        self.colliders.iter().map(|(collider, path)| (*collider, &path[..]))
    }

    /// The paths of pins.
    pub(crate) fn pins(&self) -> impl Iterator<Item = (ClothId, u32, &[Point3<f32>])> {
        self.pins.iter().map(|((cloth, vertex), path)| (*cloth, *vertex, &path[..]))
    }

    /// The paths of attachments.
    pub(crate) fn attachments(&self) -> impl Iterator<Item = (usize, &[Point3<f32>])> {
        self.attachments.iter().map(|(attachment, path)| (*attachment, &path[..]))
    }
}

impl Simulation {
    /// As [`Simulation::step_with`], with what has waypoints moving through them.
    ///
    /// # Errors
    /// As [`Simulation::step`], and if a waypoint is not finite, or belongs to what is not there or is not
    /// pinned.
    pub fn step_through(
        &mut self,
        dt: f32,
        waypoints: &Waypoints,
        on_motion: crate::motion::Listener<'_>,
    ) -> Result<&crate::StepReport, StepError> {
        waypoints.check(self)?;
        self.run_step(dt, waypoints, on_motion)
    }
}
