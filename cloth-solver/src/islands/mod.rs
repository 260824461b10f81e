//! Islands: cloths that touch each other fall asleep together, and wake together.
//!
//! | file | answers |
//! |---|---|
//! | `mod` | who falls asleep after a step, and who wakes before and within it? |
//! | `disturbance` | which cloths are disturbed from outside in this step or substep? |

mod disturbance;

use cloth_geom::DisjointSets;
use nalgebra::Vector3;

use crate::assets::{Assets, Part};
use crate::constraints::ElasticConstraints;
use crate::describe::sleep::Sleep;
use crate::detection::{Detection, SubstepContacts};
use crate::rules::Rules;
use crate::state::State;
pub(crate) use disturbance::{Disturbances, SubstepSurroundings, Surroundings};

/// Scratch memory of a decision about sleeping.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    sets: DisjointSets,
    /// Whether each cloth may sleep; then, whether all of its island may.
    may_sleep: Vec<bool>,
    may_all: Vec<bool>,
}

impl Islands {
    /// Joins the cloths that touch each other, by the contacts of the last substep.
    fn join(&mut self, parts: &[Part], contacts: &SubstepContacts) {
        self.sets.reset(parts.len());
        for [a, b] in contacts.part_pairs(parts) {
            // Everything lies on the same bodies: they join nothing.
            if a != b && !parts[a].kinematic && !parts[b].kinematic {
                self.sets.join(a as u32, b as u32);
            }
        }
    }
}

impl SubstepContacts {
    /// The parts of each contact between vertices, faces and edges.
    fn part_pairs<'a>(&'a self, parts: &'a [Part]) -> impl Iterator<Item = [usize; 2]> + 'a {
        let points = self.cloth.point_triangles.iter().map(|c| [c.vertex, c.corners[0]]);
        let edges = self.cloth.edge_edges.iter().map(|c| [c.a[0], c.b[0]]);
        let particles = self.particles.iter().map(|c| c.vertices);
        let part = |v: u32| parts.partition_point(|part| part.vertices.end <= v as usize);
        points.chain(edges).chain(particles).map(move |pair| pair.map(part))
    }
}

/// Whether the coming step can be skipped: every cloth sleeps, nothing moves, and nothing disturbs them.
pub(crate) fn is_still(
    surroundings: Surroundings<'_>,
    state: &State,
    disturbances: &mut Disturbances,
) -> bool {
    let cloths = surroundings.scene.cloths.len();
    let bodies = &surroundings.assets.parts[cloths..];
    let sleeps = cloths > 0 && state.sleep.asleep.iter().all(|asleep| *asleep);
    sleeps
        && surroundings.allow_sleep()
        && bodies.iter().all(|part| state.v[part.vertices.clone()].iter().all(|v| *v == Vector3::zeros()))
        && {
            disturbances.collect(surroundings, state);
            disturbances.is_empty()
                && !(0..cloths).any(|cloth| disturbances.reach(surroundings, state, cloth))
        }
}

/// Wakes the sleeping cloths that are disturbed in the coming step; returns whether there were any.
pub(crate) fn wake_disturbed(
    surroundings: Surroundings<'_>,
    state: &mut State,
    disturbances: &mut Disturbances,
) -> bool {
    if !state.sleep.asleep.contains(&true) {
        return false;
    }
    disturbances.collect(surroundings, state);
    let mut woken = false;
    let cloths = surroundings.scene.cloths.len();
    for (cloth, part) in surroundings.assets.parts.iter().enumerate().take(cloths) {
        let stays = surroundings.allow_sleep() && !disturbances.reach(surroundings, state, cloth);
        if state.sleep.asleep[cloth] && !stays {
            woken |= state.wake(cloth, part.vertices.clone());
        }
    }
    woken
}

/// Wakes the sleeping cloths that a rigid body is about to reach in a substep; returns whether there were
/// any.
pub(crate) fn wake_before_bodies(
    surroundings: SubstepSurroundings<'_>,
    state: &mut State,
    disturbances: &mut Disturbances,
) -> bool {
    let bodies = surroundings.assets.rigid_bodies.len();
    if !surroundings.rules.may_meet_sleepers(bodies, &state.sleep.asleep) {
        return false;
    }
    disturbances.collect_bodies(surroundings);
    let mut woken = false;
    for (cloth, desc) in surroundings.scene.cloths.items().iter().enumerate() {
        let vertices = surroundings.assets.parts[cloth].vertices.clone();
        let margin = desc.thickness.total();
        if state.sleep.asleep[cloth] && disturbances.come_near(&state.x[vertices.clone()], margin) {
            woken |= state.wake(cloth, vertices);
        }
    }
    woken
}

/// Wakes the sleeping cloths that an awake one touches, by the contacts of the substep; returns whether there
/// were any. Those that they touch in turn are found by another detection, which leaves out pairs of sleeping
/// cloths.
pub(crate) fn wake_touched(
    rules: Rules,
    parts: &[Part],
    contacts: &SubstepContacts,
    state: &mut State,
) -> bool {
    let asleep = &state.sleep.asleep;
    if !(asleep.contains(&true) && asleep.contains(&false)) {
        return false;
    }
    let mut woken = false;
    for [a, b] in contacts.part_pairs(parts) {
        let is_cloth = !parts[a].kinematic && !parts[b].kinematic;
        if is_cloth && rules.wakes([state.sleep.asleep[a], state.sleep.asleep[b]]) {
            let sleeper = if state.sleep.asleep[a] { a } else { b };
            woken |= state.wake(sleeper, parts[sleeper].vertices.clone());
        }
    }
    woken
}

/// A step that has ended.
pub(crate) struct EndedStep<'a> {
    /// When cloth falls asleep.
    pub(crate) settings: &'a Sleep,
    /// Length (s).
    pub(crate) dt: f32,
    /// Whether nothing is tangled, and nothing is left to check.
    pub(crate) is_clean: bool,
    /// Contacts of its last substep.
    pub(crate) contacts: &'a SubstepContacts,
}

impl Islands {
    /// Puts cloth at rest to sleep after a step, before its targets become those of the next, and wakes
    /// sleeping cloth that is touched; returns whether anything has changed.
    pub(crate) fn update(
        &mut self,
        step: &EndedStep<'_>,
        surroundings: Surroundings<'_>,
        state: &mut State,
        disturbances: &mut Disturbances,
    ) -> bool {
        self.find_tired(step, surroundings, state);
        if !self.may_sleep.contains(&true) {
            return false;
        }
        let cloths = surroundings.scene.cloths.len();
        let parts = &surroundings.assets.parts[..];
        disturbances.collect(surroundings, state);
        self.join(parts, step.contacts);
        for (cloth, may_sleep) in self.may_sleep.iter_mut().enumerate() {
            *may_sleep &=
                state.sleep.asleep[cloth] || step.is_clean && !disturbances.reach(surroundings, state, cloth);
        }
        self.may_all.clear();
        self.may_all.resize(cloths, true);
        for cloth in 0..cloths {
            self.may_all[self.sets.find(cloth as u32) as usize] &= self.may_sleep[cloth];
        }
        let mut changed = false;
        for cloth in 0..cloths {
            let may_all = self.may_all[self.sets.find(cloth as u32) as usize];
            let sleeps = surroundings.rules.sleeps(state.sleep.asleep[cloth], may_all);
            let vertices = parts[cloth].vertices.clone();
            match (state.sleep.asleep[cloth], sleeps) {
                (false, true) => state.put_to_sleep(cloth, vertices),
                (true, false) => drop(state.wake(cloth, vertices)),
                _ => continue,
            }
            changed = true;
        }
        changed
    }

    /// Finds the cloths that sleep, or have been at rest for long enough, and measures for how long.
    fn find_tired(&mut self, step: &EndedStep<'_>, surroundings: Surroundings<'_>, state: &mut State) {
        let Sleep { after, speed } = *step.settings;
        let limit_sq = speed * speed;
        self.may_sleep.clear();
        let cloths = surroundings.scene.cloths.len();
        for (cloth, part) in surroundings.assets.parts[..cloths].iter().enumerate() {
            let is_slow = state.v[part.vertices.clone()].iter().all(|v| v.norm_squared() < limit_sq);
            let is_at_rest = is_slow && surroundings.allow_sleep();
            if is_at_rest {
                state.sleep.rest(cloth, &state.x[part.vertices.clone()], step.dt, step.settings);
            } else {
                state.sleep.end_rest(cloth);
            }
            let rest_time = state.sleep.rest_time[cloth];
            let is_tired = surroundings.rules.may_fall_asleep(is_at_rest, rest_time, after);
            self.may_sleep.push(state.sleep.asleep[cloth] || is_tired);
        }
    }
}

/// Brings what follows from the state of sleeping up to date: masses in constraints, and the vertices
/// whose pairs detection leaves out.
pub(crate) fn apply(
    state: &State,
    assets: &Assets,
    constraints: &mut ElasticConstraints,
    detection: &mut Detection,
) {
    constraints.update_masses(&state.inv_mass);
    let sleeping = state.sleep.asleep.iter().zip(&assets.parts).filter(|(asleep, _)| **asleep);
    detection.cloth.set_dormant(&assets.surface, sleeping.map(|(_, part)| &part.vertices));
}
