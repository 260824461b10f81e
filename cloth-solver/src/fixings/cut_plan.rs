//! Decides at the start of a step which cloths are cut, and moves them with what goes with them.

use cloth_contacts::Contacts;
use nalgebra::Vector3;

use super::movers::{Movers, NEAR};
use super::sweep::Sweep;
use crate::assets::Assets;
use crate::checkpoint::Checkpoint;
use crate::constraints::ElasticConstraints;
use crate::teleport::{Ends, RigidDisplacement, Teleport, is_far, is_turn};

/// The cuts of a step.
#[derive(Debug, Default)]
pub(crate) struct CutPlan {
    pub(crate) motions: Vec<RigidDisplacement>,
    /// The motion of each cloth and of each mesh body that is cut, by part.
    parts: Vec<Option<usize>>,
    /// The motion of each collider that is cut.
    colliders: Vec<Option<usize>>,
    /// What is reported.
    pub(crate) cuts: Vec<(usize, RigidDisplacement)>,
}

impl CutPlan {
    /// Adds what moves as a cloth that is cut: other cloths, given the fixings of each, bodies and colliders.
    fn take_along(&mut self, movers: &Movers<'_>, fixings: &[Vec<Ends>]) {
        let Self { motions, parts, colliders, cuts } = self;
        let explained = |ends: &[Ends]| motions.iter().position(|motion| motion.explains(ends));
        for (cloth, part) in parts[..movers.cloths].iter_mut().enumerate() {
            *part = part.or_else(|| explained(&fixings[cloth]));
            cuts.extend(part.map(|index| (cloth, motions[index])));
        }
        for (part, body) in parts[movers.cloths..].iter_mut().zip(movers.body_parts()) {
            *part = explained(&movers.body(body));
        }
        let of_collider = |collider| explained(&Movers::collider(collider));
        *colliders = movers.colliders.iter().map(of_collider).collect();
        let first_axis = movers.cloths + movers.bodies;
        for (part, index) in parts[first_axis..].iter_mut().zip(movers.axis_colliders()) {
            *part = index.and_then(|index| colliders[index]);
        }
    }

    /// Moves all that is cut in a checkpoint; targets at the end of the step stay where they are.
    pub(crate) fn apply(
        &self,
        checkpoint: &mut Checkpoint,
        assets: &Assets,
        constraints: &ElasticConstraints,
    ) {
        let mut moved = vec![None; checkpoint.state.x.len()];
        let state = &mut checkpoint.state;
        for (part, motion) in assets.parts.iter().zip(&self.parts) {
            let Some(index) = *motion else { continue };
            let motion = &self.motions[index];
            for v in part.vertices.clone() {
                moved[v] = Some(index);
                state.x[v] = motion.apply_to(&state.x[v]);
                state.kinematic_t0[v] = motion.apply_to(&state.kinematic_t0[v]);
                turn_velocity(&mut state.v[v], motion);
                if let Some(velocity) = state.frame_velocities.get_mut(v) {
                    turn_velocity(velocity, motion);
                }
            }
            if !part.kinematic {
                state.tracked_contours.forget_between(&part.faces);
            }
        }
        let motion_of = |v: usize| moved[v].map(|index| &self.motions[index]);
        for (attachment, now) in constraints.attachments.iter().zip(&mut state.attachments) {
            if let Some(motion) = motion_of(attachment.vertex as usize) {
                now.targets[0] = motion.apply_to(&now.targets[0]);
            }
        }
        for (drive, pose) in constraints.drives.iter().zip(&mut state.drive_poses) {
            if let Some(motion) = motion_of(drive.cloth().start) {
                pose.move_start(|p| motion.apply_to(p), |n| motion.turn(n));
            }
        }
        for (frame, poses) in assets.local_frames.iter().zip(&mut state.frame_poses) {
            if let Some(motion) = motion_of(frame.vertices.start) {
                poses[0] = motion.apply_to_pose(&poses[0]);
            }
        }
        for (poses, motion) in checkpoint.colliders.iter_mut().zip(&self.colliders) {
            if let Some(index) = motion {
                poses[0] = self.motions[*index].apply_to_pose(&poses[0]);
            }
        }
        cut_history(&mut checkpoint.history, &moved, &self.motions);
        checkpoint.admit_all();
    }
}

/// Turns a velocity (m/s) with what it is of, which keeps it in the frame that moves.
fn turn_velocity(velocity: &mut Vector3<f32>, motion: &RigidDisplacement) {
    *velocity = fault!(CutKeepsVelocities, motion.turn(velocity), *velocity);
}

/// Drops contacts between vertices that did not move alike, and turns the normals of the others.
fn cut_history(history: &mut Contacts, moved: &[Option<usize>], motions: &[RigidDisplacement]) {
    let keep = |vertices: [u32; 4], normal: &mut Vector3<f32>| {
        let [first, others @ ..] = vertices.map(|v| moved[v as usize]);
        if let Some(index) = first {
            *normal = motions[index].turn(normal);
        }
        others.iter().all(|other| *other == first)
    };
    history.point_triangles.retain_mut(|contact| keep(contact.vertices(), &mut contact.normal));
    history.edge_edges.retain_mut(|contact| keep(contact.vertices(), &mut contact.normal));
}

/// Which cloths are cut, and for each whether its fixings went as far as a cut, given whether they did so in
/// the step `before`.
pub(crate) fn plan(
    movers: &Movers<'_>,
    teleport: &Teleport,
    dt: f32,
    up: &Vector3<f64>,
    before: &[bool],
) -> (CutPlan, Vec<bool>) {
    let mut plan = CutPlan { parts: vec![None; movers.assets.parts.len()], ..CutPlan::default() };
    let mut now = vec![false; movers.cloths];
    let fixings = fixings(movers, teleport, dt);
    for (cloth, part) in movers.cloth_parts().enumerate() {
        let (side, ends) = (movers.longest_side(part), &fixings[cloth]);
        if ends.is_empty() {
            continue;
        }
        let own = RigidDisplacement::fit(ends, up);
        let sides = side * f64::from(teleport.sides);
        now[cloth] =
            own.distance() > sides && is_far(&own, teleport, f64::from(dt)) || is_turn(&own, teleport);
        // Cloths of one wearer keep their places relative to each other.
        let shared = plan.motions.iter().position(|motion| motion.residual(ends) <= NEAR * side);
        let fits = shared.is_some() || own.residual(ends) <= NEAR * side;
        if now[cloth] && fits && !before.get(cloth).copied().unwrap_or_default() {
            let index = shared.unwrap_or(plan.motions.len());
            if shared.is_none() {
                plan.motions.push(own);
            }
            plan.parts[cloth] = Some(index);
        }
    }
    if !plan.motions.is_empty() {
        plan.take_along(movers, &fixings);
    }
    (plan, now)
}

/// Whether something moves that may have to be cut; without allocating.
pub(crate) fn may_cut(movers: &Movers<'_>, teleport: &Teleport, dt: f32) -> bool {
    let of_cloth =
        |part| Sweep::of(movers.fixings(part), dt.into()).map(|sweep| may_be_cut(&sweep, teleport, dt));
    // A cloth without pins may be cut with what is under it.
    movers.cloth_parts().any(|part| of_cloth(part).unwrap_or_else(|| something_jumps(movers, teleport, dt)))
}

/// Whether a body or a collider may move as what is cut.
fn something_jumps(movers: &Movers<'_>, teleport: &Teleport, dt: f32) -> bool {
    let is_cut =
        |motion: &RigidDisplacement| is_far(motion, teleport, f64::from(dt)) || is_turn(motion, teleport);
    let mut colliders = movers.colliders.iter().filter(|c| c.pose_t0 != c.pose_t1);
    colliders.any(|c| is_cut(&RigidDisplacement::fit(&Movers::collider(c), &Vector3::y())))
        || movers.body_parts().any(|part| {
            Sweep::of(movers.vertices(part), dt.into()).is_some_and(|sweep| may_be_cut(&sweep, teleport, dt))
        })
}

/// Whether points that move so may be cut.
fn may_be_cut(sweep: &Sweep, teleport: &Teleport, dt: f32) -> bool {
    let least = f64::from(teleport.metres).max(f64::from(teleport.speed) * f64::from(dt));
    sweep.way.norm() > least || sweep.may_turn_by(teleport.angle.into())
}

/// What holds each cloth; nothing where only a cloth without pins is, and nothing moves that could be cut.
fn fixings(movers: &Movers<'_>, teleport: &Teleport, dt: f32) -> Vec<Vec<Ends>> {
    let mut jumps = None;
    let mut of = |part| match movers.pins(part) {
        pins if pins.is_empty() && *jumps.get_or_insert_with(|| something_jumps(movers, teleport, dt)) => {
            movers.supports(part, movers.longest_side(part)).0
        }
        pins => pins,
    };
    movers.cloth_parts().map(&mut of).collect()
}
