//! Waypoints: where kinematic bodies, pins, attachments and colliders are at times within a step.

#[cfg(test)]
mod tests;

use nalgebra::{Isometry3, Point3};

use crate::{ClothId, ColliderId, MeshBodyId, StepError};

/// Positions at evenly spaced times within a step, for motion that is not linear over a frame: a swinging
/// arm, a turning body.
///
/// Without waypoints everything moves linearly from where it was to its target. The chord of a limb that
/// turns by 20 degrees in a frame lies up to 15 mm inside the arc of a point 1 m from the joint. With as many
/// waypoints as substeps every substep ends on the arc.
///
/// A step of `n` waypoints is divided into `n + 1` equal parts; waypoint `k` is the position at the end of
/// part `k`, and the target, set by [`Simulation::move_mesh_body`](crate::Simulation::move_mesh_body) and its
/// kin, that at the end of the last. Between them motion is linear. What has no waypoints moves as without.
/// They are an argument of [`Simulation::step_through`](crate::Simulation::step_through) and no part of the
/// state.
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
    /// The largest number of waypoints of a path.
    pub const MAX_COUNT: usize = 65_536;

    /// No paths yet; each will have `count` waypoints: [`Settings::substeps`](crate::Settings::substeps)
    /// `- 1` for one at the end of every substep but the last.
    ///
    /// # Errors
    /// If there are more than [`Self::MAX_COUNT`].
    pub fn new(count: usize) -> Result<Self, StepError> {
        if count > Self::MAX_COUNT {
            let requirement = "at most 65,536; use fewer, or several steps";
            return Err(StepError::Value { what: "number of waypoints", value: count as f32, requirement });
        }
        Ok(Self { count, ..Self::default() })
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

    /// Sets waypoint `k` of the target (m) of an attachment, numbered as in
    /// [`Simulation::move_attachment`](crate::Simulation::move_attachment).
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
pub(crate) struct Knots {
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

    /// The point at this time on a path between `ends`, through the `count` points `path(k)`.
    pub(crate) fn point(
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

    /// The pose at this time on a path between `ends`, through those of `path`.
    pub(crate) fn pose(&self, ends: [&Isometry3<f32>; 2], path: &[Isometry3<f32>]) -> Isometry3<f32> {
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
    pub(crate) fn is_empty(&self) -> bool {
        let Self { count: _, bodies, pins, attachments, colliders } = self;
        bodies.is_empty() && pins.is_empty() && attachments.is_empty() && colliders.is_empty()
    }

    /// The time after `done` of `substeps`.
    pub(crate) fn knots(&self, done: u32, substeps: u32) -> Knots {
        Knots::after(done, substeps, self.count)
    }

    /// The path of a mesh body, by its id: positions (m) at one time after the other; none without waypoints.
    pub(crate) fn body_path(&self, id: usize) -> Option<&[Point3<f32>]> {
        self.bodies.iter().find(|(body, _)| body.0 == id).map(|(_, path)| &path[..])
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
