//! Lag: what is faster than the velocity limit, or moves as no cloth can follow, goes along its rigid motion,
//! as far as the limit lets it in a step, and takes its cloth along.

use cloth_contacts::collider::Collider;
use nalgebra::{Point3, Vector3};

use super::path::RigidPath;
use crate::assets::Part;
use crate::constraints::ElasticConstraints;
use crate::local_frame::ClothFrame;
use crate::scratch::Scratch;
use crate::state::State;
use crate::teleport::Carriage;

/// A substep of a step.
#[derive(Clone, Copy)]
pub(crate) struct PartOfStep {
    /// From 0.
    pub(crate) index: u32,
    /// How many there are.
    pub(crate) count: u32,
    /// Its length (s).
    pub(crate) h: f32,
    /// The most (m) that a pin goes in it.
    pub(crate) most: f32,
}

impl PartOfStep {
    /// The shares of the way of a path at which it begins and ends.
    fn shares(&self, path: &RigidPath) -> [f64; 2] {
        [self.index, self.index + 1].map(|done| path.share * f64::from(done) / f64::from(self.count))
    }

    /// Whether a path comes to its end in it: what is on it then is at its target, to the bit.
    fn is_end_of(&self, path: &RigidPath) -> bool {
        path.share == 1.0 && self.index + 1 == self.count
    }
}

/// Where what is kinematic is to be at the end of a substep: what decides that, and what it is written to.
pub(crate) struct SubstepTargets<'a> {
    /// With their poses at both ends of the step.
    pub(crate) colliders: &'a [Collider],
    pub(crate) state: &'a State,
    /// Gets the targets of attachments and drives.
    pub(crate) constraints: &'a mut ElasticConstraints,
    /// Gets the targets of vertices, and the poses of colliders.
    pub(crate) scratch: &'a mut Scratch,
}

/// The colliders after a step.
pub(crate) struct SteppedColliders<'a> {
    /// With the poses that they were to have.
    pub(crate) colliders: &'a mut [Collider],
    /// With the poses that they have.
    pub(crate) moved: &'a [Collider],
}

/// What lags or is carried in a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lag {
    pub(super) paths: Vec<RigidPath>,
    /// The path of each part and each collider; empty if there is none.
    parts: Vec<Option<usize>>,
    pub(super) colliders: Vec<Option<usize>>,
    /// The cloths that are taken along.
    pub(super) carried: Vec<Carried>,
    /// Velocities (m/s) at which their vertices were taken along in the last substep.
    velocities: Vec<Vector3<f32>>,
}

/// A cloth that is taken along.
#[derive(Clone, Debug)]
pub(super) struct Carried {
    pub(super) cloth: usize,
    pub(super) frame: ClothFrame,
    pub(super) path: usize,
    /// The velocity (m/s) of its fixings before.
    pub(super) before: Vector3<f32>,
    /// Whether it follows by its own forces, because a pin of it was stopped.
    pub(super) is_stopped: bool,
}

/// The kinematic vertices of a part that have a way: a vertex of no face stays where it is.
fn pins(part: &Part, state: &State) -> impl Iterator<Item = usize> {
    let has_way = |v: usize| part.kinematic || state.kinematic_t0[v] != state.kinematic_t1[v];
    part.vertices.clone().filter(move |&v| state.inv_mass[v] == 0.0 && has_way(v))
}

impl Lag {
    pub(super) fn clear(&mut self) {
        self.paths.clear();
        self.parts.clear();
        self.colliders.clear();
        self.carried.clear();
    }

    pub(super) fn push(&mut self, mut path: RigidPath) -> usize {
        path.share = 0.0;
        self.paths.push(path);
        self.paths.len() - 1
    }

    pub(super) fn add_part(&mut self, count: usize, part: usize, path: usize, length: f64) {
        self.parts.resize(count, None);
        self.parts[part] = Some(path);
        self.paths[path].share = self.paths[path].share.max(length);
    }

    /// Whether nothing lags and nothing is carried.
    pub(crate) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// Writes after the last substep how each cloth was carried.
    pub(crate) fn write_carriage(&self, parts: &[Part], state: &mut State) {
        state.carried_before.fill(Carriage::No);
        for carried in &self.carried {
            let path = &self.paths[carried.path];
            let is_on_way = pins(&parts[carried.cloth], state).all(|v| {
                let ends = [state.kinematic_t0[v], state.kinematic_t1[v]];
                state.x[v] == if path.share == 1.0 { ends[1] } else { path.place_at(path.share, ends) }
            });
            state.carried_before[carried.cloth] = match path.share < 1.0 {
                _ if !is_on_way => Carriage::Stopped,
                true => Carriage::Lagging,
                false => Carriage::ToTheEnd,
            };
        }
    }

    /// Whether a cloth is taken along, or was until it was stopped.
    pub(crate) fn carries(&self, vertices: &std::ops::Range<usize>) -> bool {
        self.carried.iter().any(|carried| carried.frame.vertices == *vertices)
    }

    fn path_of(&self, part: usize) -> Option<&RigidPath> {
        self.parts.get(part).copied().flatten().map(|path| &self.paths[path])
    }

    /// Sets the targets of a substep of all that is on a path.
    pub(crate) fn set_targets(&self, substep: PartOfStep, parts: &[Part], targets: SubstepTargets<'_>) {
        let SubstepTargets { colliders, state, constraints, scratch } = targets;
        for (index, part) in parts.iter().enumerate() {
            let Some(path) = self.path_of(index) else { continue };
            let s = substep.shares(path)[1];
            let at = |ends: [Point3<f32>; 2]| {
                if substep.is_end_of(path) { ends[1] } else { path.place_at(s, ends) }
            };
            for v in pins(part, state) {
                let target = at([state.kinematic_t0[v], state.kinematic_t1[v]]);
                if part.kinematic {
                    scratch.set_target(v, target);
                } else {
                    scratch.set_pin_target(v, target, substep.most);
                }
            }
            let own = |v: u32| part.vertices.contains(&(v as usize));
            for (attachment, now) in constraints.attachments.iter_mut().zip(&state.attachments) {
                if own(attachment.vertex) {
                    attachment.target = at(now.targets);
                }
            }
            for (drive, pose) in constraints.drives.iter_mut().zip(&state.drive_poses) {
                if drive.cloth() == part.vertices {
                    let direction = |ends: [&Vector3<f32>; 2]| path.direction_at(s, ends);
                    drive.set_targets_by(|v| at(pose.ends(v)), |v| pose.normal_between(v, direction));
                }
            }
        }
        for (index, path) in self.colliders.iter().enumerate() {
            let Some(path) = path.map(|path| &self.paths[path]) else { continue };
            let Collider { pose_t0, pose_t1, .. } = &colliders[index];
            let [from, to] = substep.shares(path).map(|s| path.pose_at(s, [pose_t0, pose_t1]));
            scratch.colliders[index].pose_t0 = if substep.index == 0 { *pose_t0 } else { from };
            scratch.colliders[index].pose_t1 = if substep.is_end_of(path) { *pose_t1 } else { to };
        }
    }

    /// Lets carried cloth go along in a substep: its vertices take on what the velocity of their place on the
    /// path has changed by. Cloth of which a pin was stopped is not carried further.
    pub(crate) fn carry(&mut self, substep: PartOfStep, parts: &[Part], state: &mut State) {
        let Self { paths, carried, velocities, .. } = self;
        if carried.is_empty() {
            return;
        }
        velocities.resize(state.x.len(), Vector3::zeros());
        for Carried { cloth, frame, path, before, is_stopped } in carried {
            let from = substep.shares(&paths[*path])[0];
            if substep.index == 0 {
                velocities[frame.vertices.clone()].fill(if *is_stopped { Vector3::zeros() } else { *before });
            } else if !*is_stopped {
                let path = &paths[*path];
                let place = |v: usize| path.place_at(from, [state.kinematic_t0[v], state.kinematic_t1[v]]);
                *is_stopped = pins(&parts[*cloth], state).any(|v| state.x[v] != place(v));
                if *is_stopped {
                    let still = |_: &Point3<f32>| Vector3::zeros();
                    frame.apply_inertia(still, state, velocities);
                }
            }
            if *is_stopped {
                continue;
            }
            let (path, rate) = (&paths[*path], 1.0 / f64::from(substep.h));
            let shares = substep.shares(path);
            let velocity = |p: &Point3<f32>| {
                let p = p.cast::<f64>();
                ((path.carry_between(shares, &p) - p) * rate).cast()
            };
            frame.apply_inertia(velocity, state, velocities);
        }
    }

    /// Adds `share` of the velocities of carried cloth, as [`ClothFrame::add_frame_velocity`].
    pub(crate) fn add_velocity(&self, state: &mut State, share: f32) {
        for carried in &self.carried {
            carried.frame.add_frame_velocity(state, &self.velocities, share);
        }
    }

    /// Lets go of carried cloth after the last substep: of its velocity it keeps the translation alone.
    pub(crate) fn release(&self, substep: PartOfStep, state: &mut State) {
        for Carried { frame, path, .. } in self.carried.iter().filter(|carried| !carried.is_stopped) {
            let path = &self.paths[*path];
            let middle = path.middle_velocity(substep.shares(path), substep.h.into()).cast::<f32>();
            for v in frame.vertices.clone().filter(|&v| state.inv_mass[v] > 0.0) {
                state.v[v] -= self.velocities[v] - middle;
            }
        }
    }

    /// Makes the end of the step the start of the next; what lags goes on from where it is.
    pub(crate) fn finish(
        &self,
        parts: &[Part],
        constraints: &ElasticConstraints,
        state: &mut State,
        SteppedColliders { colliders, moved }: SteppedColliders<'_>,
    ) {
        let lagging = |v: usize| {
            (parts.iter().enumerate())
                .find(|(index, part)| part.vertices.contains(&v) && self.lags(*index))
                .and_then(|(index, _)| self.path_of(index))
        };
        for (attachment, now) in constraints.attachments.iter().zip(&mut state.attachments) {
            let lags = !self.is_empty() && lagging(attachment.vertex as usize).is_some();
            now.targets[0] = if lags { attachment.target } else { now.targets[1] };
        }
        for (drive, pose) in constraints.drives.iter().zip(&mut state.drive_poses) {
            match lagging(drive.cloth().start).filter(|_| !self.is_empty()) {
                Some(path) => pose.go_to(
                    |ends| path.at(path.share, &ends.map(Point3::cast)).cast(),
                    |ends| path.direction_at(path.share, ends),
                ),
                None => pose.finish(),
            }
        }
        for (index, collider) in colliders.iter_mut().enumerate() {
            if self.collider_lags(index) {
                state.collider_goals.push((index, collider.pose_t1));
                collider.pose_t1 = moved[index].pose_t1;
            }
            collider.pose_t0 = collider.pose_t1;
        }
    }

    /// Whether the fixings of a cloth stay behind their targets after the step.
    pub(crate) fn lags(&self, part: usize) -> bool {
        self.path_of(part).is_some_and(|path| path.share < 1.0)
    }

    /// Whether a collider stays behind its target after the step.
    fn collider_lags(&self, collider: usize) -> bool {
        self.colliders.get(collider).copied().flatten().is_some_and(|path| self.paths[path].share < 1.0)
    }
}
