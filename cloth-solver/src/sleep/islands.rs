//! Islands: cloths that touch each other fall asleep together, and wake together.

use cloth_geom::DisjointSets;
use nalgebra::Vector3;

use super::disturbance::Scene;
use crate::assets::Part;
use crate::detection::SubstepContacts;
use crate::gate_state::GateState;
use crate::simulation::Simulation;
use crate::waypoints::Waypoints;

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
        let part = |v: u32| parts.partition_point(|part| part.vertices.end <= v as usize);
        let points = contacts.cloth.point_triangles.iter().map(|c| [c.vertex, c.corners[0]]);
        let edges = contacts.cloth.edge_edges.iter().map(|c| [c.a[0], c.b[0]]);
        let particles = contacts.particles.iter().map(|c| c.vertices);
        for [a, b] in points.chain(edges).chain(particles).map(|pair| pair.map(part)) {
            // Everything lies on the same bodies: they join nothing.
            if a != b && !parts[a].kinematic && !parts[b].kinematic {
                self.sets.join(a as u32, b as u32);
            }
        }
    }
}

impl Simulation {
    /// Whether the coming step can be skipped: every cloth sleeps, nothing moves, and nothing disturbs them.
    pub(crate) fn is_still(&mut self, waypoints: &Waypoints) -> bool {
        let cloths = self.scene.cloths.len();
        let bodies = &self.assets.parts[cloths..];
        let sleeps = cloths > 0 && self.state.sleep.asleep.iter().all(|asleep| *asleep);
        sleeps
            && bodies
                .iter()
                .all(|part| self.state.v[part.vertices.clone()].iter().all(|v| *v == Vector3::zeros()))
            && {
                let scene = Scene {
                    desc: &self.scene,
                    assets: &self.assets,
                    colliders: &self.colliders,
                    constraints: &self.constraints,
                    waypoints,
                };
                let disturbances = &mut self.scratch.disturbances;
                disturbances.collect(scene, &self.state);
                disturbances.is_empty()
                    && !(0..cloths).any(|cloth| disturbances.reach(scene, &self.state, cloth))
            }
    }

    /// Wakes the sleeping cloths that are disturbed in the coming step.
    pub(crate) fn wake_disturbed(&mut self, waypoints: &Waypoints) {
        if !self.state.sleep.asleep.contains(&true) {
            return;
        }
        let scene = Scene {
            desc: &self.scene,
            assets: &self.assets,
            colliders: &self.colliders,
            constraints: &self.constraints,
            waypoints,
        };
        let disturbances = &mut self.scratch.disturbances;
        disturbances.collect(scene, &self.state);
        let mut woken = false;
        for (cloth, part) in self.assets.parts.iter().enumerate().take(self.scene.cloths.len()) {
            if self.state.sleep.asleep[cloth] && disturbances.reach(scene, &self.state, cloth) {
                woken |= self.state.wake(cloth, part.vertices.clone());
            }
        }
        if woken {
            self.apply_sleep();
        }
    }

    /// Ends a step of `dt` seconds, before its targets become those of the next: cloth at rest falls asleep,
    /// and sleeping cloth that is touched wakes.
    pub(crate) fn update_sleep(&mut self, dt: f32, waypoints: &Waypoints) {
        let Some(settings) = self.settings.sleep else { return };
        let cloths = self.scene.cloths.len();
        let parts = &self.assets.parts[..];
        let limit_sq = settings.speed * settings.speed;
        let is_restless = self.settings.wind.is_restless();
        for (cloth, part) in parts[..cloths].iter().enumerate() {
            let is_slow = self.state.v[part.vertices.clone()].iter().all(|v| v.norm_squared() < limit_sq);
            let rest_time = &mut self.state.sleep.rest_time[cloth];
            *rest_time = if is_slow && !is_restless { (*rest_time + dt).min(settings.after) } else { 0.0 };
        }
        let state = &self.state;
        let is_tired =
            |cloth: usize| state.sleep.asleep[cloth] || state.sleep.rest_time[cloth] >= settings.after;
        if !(0..cloths).any(is_tired) {
            return;
        }
        let is_clean =
            self.gate.as_ref().is_none_or(GateState::is_clean) && self.report.recovery.intersections == 0;
        let scene = Scene {
            desc: &self.scene,
            assets: &self.assets,
            colliders: &self.colliders,
            constraints: &self.constraints,
            waypoints,
        };
        let (disturbances, islands) = (&mut self.scratch.disturbances, &mut self.scratch.islands);
        disturbances.collect(scene, state);
        islands.join(parts, &self.detection.contacts);
        islands.may_sleep.clear();
        islands.may_sleep.extend((0..cloths).map(|cloth| {
            state.sleep.asleep[cloth]
                || is_clean && is_tired(cloth) && !disturbances.reach(scene, state, cloth)
        }));
        islands.may_all.clear();
        islands.may_all.resize(cloths, true);
        for cloth in 0..cloths {
            islands.may_all[islands.sets.find(cloth as u32) as usize] &= islands.may_sleep[cloth];
        }
        let mut changed = false;
        for cloth in 0..cloths {
            let sleeps = islands.may_all[islands.sets.find(cloth as u32) as usize];
            let vertices = parts[cloth].vertices.clone();
            match (self.state.sleep.asleep[cloth], sleeps) {
                (false, true) => self.state.put_to_sleep(cloth, vertices),
                (true, false) => drop(self.state.wake(cloth, vertices)),
                _ => continue,
            }
            changed = true;
        }
        if changed {
            self.apply_sleep();
        }
        self.report.sleeping = self.state.sleep.asleep.iter().filter(|asleep| **asleep).count();
    }
}
