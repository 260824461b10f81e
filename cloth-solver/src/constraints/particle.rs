//! Contacts between vertices as balls: NvCloth's response or Lewin's plane, with Coulomb's friction or
//! averaged velocities.
//!
//! NvCloth moves two particles at once along the line between them, with `ratio = d_coll / |diff|`:
//!
//! ```text
//!   scale = stiffness / (eps + w0 + w1)
//!   p0 += scale (diff - diff ratio) w0
//!   p1 -= scale (diff - diff ratio) w1
//! ```
//!
//! Its `eps` keeps two pinned particles from a division by zero; such a pair is left out here. The plane of
//! Lewin 4.1 has a normal that does not turn, so that particles which have passed each other are brought
//! back.
//!
//! Averaged velocities (Cincotti, tip 5) add to each particle a share of `v_avg - v_i`. The text's average,
//! `(v_1 - v_2) / 2`, would add `-v_2 - v_1` to the momentum of two equal particles: it has to be the mean,
//! and for unequal masses the mean by mass,
//! `(m_1 v_1 + m_2 v_2) / (m_1 + m_2) = (w_2 v_1 + w_1 v_2) / (w_1 + w_2)`. Then
//! `m_1 (v_avg - v_1) + m_2 (v_avg - v_2) = 0`.

use cloth_contacts::particles::PointPoint;

use super::contact::{AccumulatedCorrection, ContactParameters};
use crate::bodies::{Bodies, Packed, difference, dot, packed};
use crate::describe::friction::FrictionTable;
use crate::describe::particles::{ParticleFriction, ParticleResponse, ParticleSettings};

/// Solver data of a particle contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParticleConstraint {
    normal: Packed,
    vertices: [u32; 2],
    /// Share of a correction of each vertex; they add up to 1.
    shares: [f32; 2],
    /// Target separation (m).
    target: f32,
    friction: f32,
    correction: AccumulatedCorrection,
}

/// Solver of the particle contacts of a substep.
pub(crate) struct ParticleContactSolver<'a> {
    pub(crate) pairs: &'a mut Vec<ParticleConstraint>,
    pub(crate) settings: ParticleSettings,
}

impl ParticleContactSolver<'_> {
    /// Copies the contacts and resets the corrections.
    pub(crate) fn prepare(
        &mut self,
        contacts: &[PointPoint],
        parameters: &ContactParameters,
        friction: &FrictionTable,
        bodies: &Bodies<'_>,
    ) {
        let plane = self.settings.response == ParticleResponse::Plane;
        self.pairs.clear();
        self.pairs.extend(contacts.iter().filter_map(|contact| {
            let [a, b] = contact.vertices.map(|v| v as usize);
            let weight = bodies.w[a] + bodies.w[b];
            let normal = packed(&contact.normal);
            let gap = dot(&difference(&bodies.x_t0[b], &bodies.x_t0[a]), &normal);
            (weight > 0.0).then(|| ParticleConstraint {
                normal,
                vertices: contact.vertices,
                shares: [bodies.w[a] / weight, bodies.w[b] / weight],
                target: if plane { parameters.target(gap, contact.distance) } else { contact.distance },
                friction: friction.between(contact.vertices[0], contact.vertices[1]),
                correction: AccumulatedCorrection::default(),
            })
        }));
    }

    /// One pass over the normal directions, in canonical order.
    pub(crate) fn separate(&mut self, bodies: &mut Bodies<'_>) {
        let stiffness = self.settings.stiffness;
        match self.settings.response {
            ParticleResponse::Distance => {
                for pair in self.pairs.iter_mut() {
                    let [a, b] = pair.vertices.map(|v| v as usize);
                    let diff = difference(&bodies.x[b], &bodies.x[a]);
                    let length_sq = dot(&diff, &diff);
                    if length_sq < pair.target * pair.target {
                        let length = length_sq.sqrt();
                        // Coincident vertices are separated along the direction in which the contact was
                        // found.
                        if length > 0.0 {
                            pair.normal = diff * (1.0 / length);
                        }
                        pair.push_apart(stiffness * (pair.target - length), bodies);
                    }
                }
            }
            ParticleResponse::Plane => {
                for pair in self.pairs.iter_mut() {
                    let [a, b] = pair.vertices.map(|v| v as usize);
                    let missing = pair.target - dot(&difference(&bodies.x[b], &bodies.x[a]), &pair.normal);
                    if missing > 0.0 {
                        pair.push_apart(stiffness * missing, bodies);
                    }
                }
            }
        }
    }

    /// One friction pass; averaging acts only in the `first` of an iteration.
    pub(crate) fn apply_friction(&mut self, bodies: &mut Bodies<'_>, first: bool) {
        match self.settings.friction {
            ParticleFriction::Coulomb => {
                for pair in self.pairs.iter_mut().filter(|pair| pair.correction.normal > 0.0) {
                    let sliding = pair.sliding(bodies);
                    let change = pair.correction.apply_friction(&sliding, &pair.normal, pair.friction);
                    pair.shift(&-change, bodies);
                }
            }
            ParticleFriction::Averaged(share) if first => {
                for pair in self.pairs.iter().filter(|pair| pair.correction.normal > 0.0) {
                    pair.shift(&(pair.sliding(bodies) * -share), bodies);
                }
            }
            ParticleFriction::Averaged(_) => {}
        }
    }
}

impl ParticleConstraint {
    /// Displacement of the second vertex relative to the first in this substep.
    #[inline]
    fn sliding(&self, bodies: &Bodies<'_>) -> Packed {
        let [a, b] = self.vertices.map(|v| v as usize);
        (bodies.x[b] - bodies.x_t0[b]) - (bodies.x[a] - bodies.x_t0[a])
    }

    /// Changes the relative position; the centre of mass is unchanged.
    #[inline]
    fn shift(&self, change: &Packed, bodies: &mut Bodies<'_>) {
        let [a, b] = self.vertices.map(|v| v as usize);
        bodies.x[a] -= change * self.shares[0];
        bodies.x[b] += change * self.shares[1];
    }

    #[inline]
    fn push_apart(&mut self, by: f32, bodies: &mut Bodies<'_>) {
        self.shift(&(self.normal * by), bodies);
        self.correction.normal += by;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    /// Masses (kg) of the two vertices.
    const MASSES: [f32; 2] = [0.5, 2.0];

    struct TwoParticles {
        x: [Packed; 2],
        x_t0: [Packed; 2],
        w: [f32; 2],
    }

    impl TwoParticles {
        fn bodies(&mut self) -> Bodies<'_> {
            Bodies::without_chunks(&mut self.x, &self.x_t0, &self.w, 0.25)
        }

        fn momentum(&self) -> Packed {
            (0..2).fold(Packed::zeros(), |sum, i| sum + (self.x[i] - self.x_t0[i]) * (MASSES[i] / 0.25))
        }
    }

    fn at(x: f32, y: f32) -> Packed {
        Packed::new(x, y, 0.0, 0.0)
    }

    /// Two that have come from 1 m apart to 0.25 m, and slid.
    fn two_particles() -> TwoParticles {
        TwoParticles {
            x: [at(0.5, 0.25), at(0.75, 0.0)],
            x_t0: [at(0.0, 0.0), at(1.0, 0.0)],
            w: MASSES.map(|m| 1.0 / m),
        }
    }

    fn contact() -> PointPoint {
        PointPoint { vertices: [0, 1], normal: Vector3::x(), gap: 1.0, distance: 0.75 }
    }

    const PARAMETERS: ContactParameters =
        ContactParameters { recovery_share: 0.5, max_recovery: f32::INFINITY };

    fn solved(
        two_particles: &mut TwoParticles,
        contact: PointPoint,
        settings: ParticleSettings,
        friction: bool,
    ) {
        let mut pairs = Vec::new();
        let mut solver = ParticleContactSolver { pairs: &mut pairs, settings };
        let mut bodies = two_particles.bodies();
        solver.prepare(&[contact], &PARAMETERS, &FrictionTable::uniform(0.3), &bodies);
        solver.separate(&mut bodies);
        if friction {
            solver.apply_friction(&mut bodies, true);
            solver.apply_friction(&mut bodies, false);
        }
    }

    #[test]
    fn the_response_is_that_of_the_formula() {
        for stiffness in [1.0, 0.25] {
            let settings = ParticleSettings { stiffness, ..ParticleSettings::default() };
            let (mut ours, theirs) = (two_particles(), two_particles());
            solved(&mut ours, contact(), settings, false);
            let diff = theirs.x[1] - theirs.x[0];
            let ratio = 0.75 / diff.norm();
            let delta = (diff - diff * ratio) * (stiffness / (f32::EPSILON + theirs.w[0] + theirs.w[1]));
            assert!((ours.x[0] - (theirs.x[0] + delta * theirs.w[0])).norm() < 1e-6);
            assert!((ours.x[1] - (theirs.x[1] - delta * theirs.w[1])).norm() < 1e-6);
            let target = diff.norm() + stiffness * (0.75 - diff.norm());
            assert!(((ours.x[1] - ours.x[0]).norm() - target).abs() < 1e-6);
        }
    }

    #[test]
    fn the_plane_brings_back_what_has_passed_and_the_line_does_not() {
        let passed = || TwoParticles { x: [at(0.9, 0.0), at(0.4, 0.0)], ..two_particles() };
        let along = |response| {
            let mut two_particles = passed();
            let settings = ParticleSettings { response, ..ParticleSettings::default() };
            solved(&mut two_particles, contact(), settings, false);
            two_particles.x[1].x - two_particles.x[0].x
        };
        assert!((along(ParticleResponse::Plane) - 0.75).abs() < 1e-6);
        assert!((along(ParticleResponse::Distance) + 0.75).abs() < 1e-6);
    }

    #[test]
    fn a_plane_that_begins_too_near_recovers_by_the_rule() {
        let mut two_particles = TwoParticles { x_t0: [at(0.5, 0.0), at(0.75, 0.0)], ..two_particles() };
        let settings = ParticleSettings { response: ParticleResponse::Plane, ..ParticleSettings::default() };
        solved(&mut two_particles, contact(), settings, false);
        assert!((two_particles.x[1].x - two_particles.x[0].x - 0.5).abs() < 1e-6);
    }

    #[test]
    fn two_at_one_place_are_parted_and_stay_finite() {
        let mut two_particles = TwoParticles { x: [at(0.5, 0.0); 2], ..two_particles() };
        solved(&mut two_particles, contact(), ParticleSettings::default(), true);
        assert!((two_particles.x[1] - two_particles.x[0]).x > 0.5, "{:?}", two_particles.x);
    }

    #[test]
    fn every_response_and_friction_keeps_the_momentum() {
        for response in [ParticleResponse::Distance, ParticleResponse::Plane] {
            for friction in [ParticleFriction::Coulomb, ParticleFriction::Averaged(0.5)] {
                let mut two_particles = two_particles();
                let before = two_particles.momentum();
                let settings = ParticleSettings { response, friction, ..ParticleSettings::default() };
                solved(&mut two_particles, contact(), settings, true);
                assert!((two_particles.momentum() - before).norm() < 1e-5, "{response:?} {friction:?}");
            }
        }
    }

    #[test]
    fn averaging_all_of_the_velocity_leaves_the_pair_with_one() {
        let mut two_particles = two_particles();
        let friction = ParticleFriction::Averaged(1.0);
        solved(
            &mut two_particles,
            contact(),
            ParticleSettings { friction, ..ParticleSettings::default() },
            true,
        );
        let ways = [0, 1].map(|i| two_particles.x[i] - two_particles.x_t0[i]);
        assert!((ways[1] - ways[0]).norm() < 1e-6, "{ways:?}");
    }

    #[test]
    fn what_is_pinned_stays_and_the_other_one_goes_all_the_way() {
        let mut two_particles = TwoParticles { w: [0.0, 1.0], ..two_particles() };
        let before = two_particles.x[0];
        solved(&mut two_particles, contact(), ParticleSettings::default(), true);
        assert_eq!(two_particles.x[0], before);
        assert!((two_particles.x[1] - two_particles.x[0]).norm() > 0.7);
        let mut still = TwoParticles { w: [0.0; 2], ..two_particles };
        let before = still.x;
        solved(&mut still, contact(), ParticleSettings::default(), true);
        assert_eq!(still.x, before);
    }
}
