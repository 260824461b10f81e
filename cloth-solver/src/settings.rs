//! The numbers that a user chooses for a simulation, with their units and consequences.

use nalgebra::Vector3;

use crate::{BuildError, ParticleSettings, Wind};

/// How thick a cloth is for collision.
///
/// Thickness is `2 radius + scr`. Keep it at most half the shortest rest edge: beyond that, contacts between near
/// neighbours fight the cloth's own springs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thickness {
    /// Radius `r` (m): two cloths of equal radius are kept `2 r` apart.
    pub radius: f32,
    /// Static collision radius (m), Lewin's epsilon: how far beyond contact a pair already counts as near. More
    /// means more contacts and fewer surprises.
    pub scr: f32,
}

impl Thickness {
    /// A thickness `2r + SCR` (m), of which the share `scr_share` in [0, 1] is static collision radius.
    #[must_use]
    pub fn split(thickness: f32, scr_share: f32) -> Self {
        let scr = thickness * scr_share;
        Self { radius: 0.5 * (thickness - scr), scr }
    }

    /// `2r + SCR` (m).
    #[must_use]
    pub fn total(&self) -> f32 {
        2.0 * self.radius + self.scr
    }
}

/// Where the contacts between cloths come from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ContactSource {
    /// Detected in the course of each step.
    #[default]
    Detected,
    /// Computed once, between layers in order, and measured in each substep: a fraction of the cost of detection, for cloth
    /// whose layers stay on each other. Nothing else collides with itself then.
    Cached {
        /// Greatest distance (m), in the pose that a simulation is built in, from a vertex to the face of another layer.
        reach: f32,
        /// Whether a contact moves on to the next face with its vertex; without, layers that slide drag on each other.
        follow: bool,
    },
}

/// Settings of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Substeps a step. Each predicts, detects, solves and updates; more means stiffer cloth, at a proportional cost.
    pub substeps: u32,
    /// Solver iterations a substep over the elastic constraints. Substeps usually buy more than iterations.
    pub iterations: u32,
    /// How often in an iteration stretch is carried from the coarsest level down to the edges. Two more cycles
    /// halve the strain of an impact.
    pub stretch_cycles: u32,
    /// Under-relaxation of bending and shear, in (0, 1]: the share of a violation that a substep corrects where they are stiff
    /// against the inertia of a substep. Where they are soft, they are the forces of the material at any value. 1 is XPBD as published:
    /// right for one or two substeps a step, while with many of them stiff shear stretches threads.
    pub relaxation: f32,
    /// Air acts on cloth once in this many substeps, with as many times the impulse.
    pub wind_interval: u32,
    /// Contacts are found once in this many substeps, for the motion of all of them, and measured anew in each. With
    /// more than two and no gate, a sheet that snaps together from a fifth too long is no longer kept from crossing itself; with the gate,
    /// what is missed is kept apart.
    pub detect_interval: u32,
    /// Passes over the contacts after each elastic iteration.
    pub contact_iterations: u32,
    /// Passes of friction over the contacts after those; too few, and stacked sheets creep.
    pub friction_iterations: u32,
    /// Gravity (m/s2).
    pub gravity: Vector3<f32>,
    /// Moving air.
    pub wind: Wind,
    /// Rate (1/s) at which all motion decays relative to the still air; independent of the step.
    pub air_damping: f32,
    /// Greatest speed (m/s) of a vertex.
    pub velocity_limit: f32,
    /// Coulomb friction coefficient of cloth against cloth.
    pub self_friction: f32,
    /// Whether cloth collides with itself and with mesh bodies. Colliders stay on.
    pub self_collision: bool,
    /// Whether the motion of each substep is certified before it is accepted: pairs that were apart stay apart, by exact
    /// arithmetic, whatever the solver proposes.
    pub gate: bool,
    /// Whether cloth that cuts itself is worked back to where it came from. It costs an exact check of the state in each step,
    /// and in each substep while there is an intersection.
    pub recovery: bool,
    /// Where those contacts come from.
    pub contacts: ContactSource,
    /// Whether the order of layers says on which side of each other they belong. Without it, contacts between layers
    /// are as those between all other cloth, on the side where a step finds them; what has crossed then stays so. Contacts that are
    /// computed once are the same either way.
    pub layer_order: bool,
    /// How far (m) two layers in order may have gone through each other and still be found and brought back; see
    /// [`ClothDesc::layer`](crate::ClothDesc::layer).
    pub layer_depth: f32,
    /// Time (s) in which a contact that starts out violated is brought back to its distance. Less is firmer, and
    /// pushes tangled layers apart faster than they were brought together.
    pub contact_recovery: f32,
    /// Greatest speed (m/s) at which a violated contact is brought back. A layer that is found deep on the wrong side would
    /// else be thrown out.
    pub recovery_speed: f32,
    /// Threads that a step runs on. With 1, it runs on the caller's, and on the others of the rayon pool if the caller is in one. With more,
    /// the simulation has a pool of its own, which its clones share. The number changes no bit.
    pub threads: u32,
    /// Least motion of two patches relative to each other that their candidate list is made to outlast, as a share of
    /// the thinnest cloth's thickness. It changes no result.
    pub candidate_slack: f32,
    /// How vertices collide as balls, where the table of interactions has them do so.
    pub particles: ParticleSettings,
    /// Greatest way of a vertex in a substep, in radii of its cloth, beside the limit of its speed; none for no such
    /// limit. With 1, `v_max = r n / dt`, two balls cannot jump over each other (Cincotti, tip 4); it also slows the fall.
    pub most_radii: Option<f32>,
}

impl ContactSource {
    fn reach(self) -> f32 {
        match self {
            Self::Detected => 0.0,
            Self::Cached { reach, .. } => reach,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            substeps: 16,
            iterations: 1,
            stretch_cycles: 3,
            relaxation: 0.5,
            wind_interval: 2,
            detect_interval: 2,
            contact_iterations: 2,
            friction_iterations: 4,
            gravity: Vector3::new(0.0, -9.81, 0.0),
            wind: Wind::default(),
            air_damping: 0.1,
            velocity_limit: 100.0,
            self_friction: 0.3,
            self_collision: true,
            gate: false,
            recovery: false,
            contacts: ContactSource::Detected,
            layer_order: true,
            layer_depth: 0.02,
            contact_recovery: 0.01,
            recovery_speed: f32::INFINITY,
            threads: 1,
            candidate_slack: 0.2,
            particles: ParticleSettings::default(),
            most_radii: None,
        }
    }
}

impl Settings {
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        let counts = [
            ("substeps", self.substeps),
            ("iterations", self.iterations),
            ("stretch_cycles", self.stretch_cycles),
            ("wind_interval", self.wind_interval),
            ("detect_interval", self.detect_interval),
            ("contact_iterations", self.contact_iterations),
            ("friction_iterations", self.friction_iterations),
            ("threads", self.threads),
        ];
        if let Some((name, _)) = counts.into_iter().find(|&(_, n)| n == 0) {
            return Err(BuildError::Setting { name, value: 0.0, wish: "at least 1" });
        }
        let not_negative = [
            ("air_damping", self.air_damping),
            ("self_friction", self.self_friction),
            ("candidate_slack", self.candidate_slack),
            ("layer_depth", self.layer_depth),
            ("contacts.reach", self.contacts.reach()),
            ("wind.drag", self.wind.drag),
            ("wind.lift", self.wind.lift),
        ];
        if let Some((name, value)) = not_negative.into_iter().find(|&(_, x)| !(x.is_finite() && x >= 0.0)) {
            return Err(BuildError::Setting { name, value, wish: "finite and not negative" });
        }
        let positive = [("velocity_limit", self.velocity_limit), ("contact_recovery", self.contact_recovery)];
        let positive = positive.into_iter().chain(self.most_radii.map(|most| ("most_radii", most)));
        if let Some((name, value)) = { positive }.find(|&(_, x)| !(x.is_finite() && x > 0.0)) {
            return Err(BuildError::Setting { name, value, wish: "finite and greater than zero" });
        }
        if !(self.relaxation > 0.0 && self.relaxation <= 1.0) {
            let wish = "greater than zero and at most 1";
            return Err(BuildError::Setting { name: "relaxation", value: self.relaxation, wish });
        }
        self.particles.check()?;
        if self.recovery_speed.is_nan() || self.recovery_speed <= 0.0 {
            let wish = "greater than zero; infinite for no limit";
            return Err(BuildError::Setting { name: "recovery_speed", value: self.recovery_speed, wish });
        }
        let vectors = [("gravity", self.gravity), ("wind.velocity", self.wind.velocity)];
        for (name, vector) in vectors {
            if let Some(&value) = vector.iter().find(|c| !c.is_finite()) {
                return Err(BuildError::Setting { name, value, wish: "finite" });
            }
        }
        Ok(())
    }
}
