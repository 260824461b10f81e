//! Moving air: drag and lift on every triangle.
//!
//! With the velocity `u` of the air relative to a triangle, its area `A`, unit normal `n` turned towards the wind
//! and air density `rho`, the force is `0.5 rho A |u| ((C_d - C_l) (u.n)/|u| u + C_l |u| n ...)` in the usual form
//! (Wilson et al. 2014, "Simulating cloth", equation for thin plates):
//!
//! ```text
//! F = 0.5 rho A ( (C_d - C_l) (u . n) u  +  C_l |u|^2 n )       with n . u >= 0
//! ```
//!
//! It is shared equally by the three corners, and is never allowed to turn the relative velocity of a corner
//! round within one substep, so that no wind, mass or step makes it unstable.

use nalgebra::{Point3, Vector3};

/// Density of air at sea level, 15 degrees Celsius (kg/m3).
const AIR_DENSITY: f32 = 1.225;

/// A uniform wind and how cloth answers to it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wind {
    /// Velocity of the air (m/s).
    pub velocity: Vector3<f32>,
    /// Drag coefficient; about 1 to 1.3 for a plate across the wind. Zero switches drag off.
    pub drag: f32,
    /// Lift coefficient; zero switches lift off.
    pub lift: f32,
}

/// What the air blows on.
pub(crate) struct Sail<'a> {
    pub(crate) faces: &'a [[u32; 3]],
    pub(crate) positions: &'a [Point3<f32>],
    pub(crate) inv_mass: &'a [f32],
}

impl Wind {
    /// Air at rest, with the drag of a plate: a sheet of 150 g/m2 that falls flat does not exceed 1.4 m/s.
    pub const STILL_AIR: Self = Self { velocity: Vector3::new(0.0, 0.0, 0.0), drag: 1.2, lift: 0.0 };

    /// Whether it moves anything.
    pub(crate) fn is_calm(&self) -> bool {
        self.drag == 0.0 && self.lift == 0.0
    }

    /// Adds what the air does to the velocities (m/s) over a substep of `h` seconds.
    ///
    /// All forces are those at the start, so that no triangle waits for its neighbour; `impulses` (N s) is scratch.
    pub(crate) fn apply(
        &self,
        cloth: &Sail<'_>,
        velocities: &mut [Vector3<f32>],
        impulses: &mut Vec<Vector3<f32>>,
        h: f32,
    ) {
        impulses.clear();
        impulses.resize(velocities.len(), Vector3::zeros());
        for face in cloth.faces {
            let [a, b, c] = face.map(|v| v as usize);
            let [p, q, r] = [a, b, c].map(|v| cloth.positions[v]);
            let relative = self.velocity - (velocities[a] + velocities[b] + velocities[c]) / 3.0;
            let impulse = self.force(&relative, &((q - p).cross(&(r - p)) * 0.5)) * (h / 3.0);
            for v in [a, b, c] {
                impulses[v] += impulse;
            }
        }
        for ((velocity, impulse), &w) in velocities.iter_mut().zip(impulses).zip(cloth.inv_mass) {
            let change = *impulse * w;
            let (most_sq, change_sq) = ((self.velocity - *velocity).norm_squared(), change.norm_squared());
            let scale = if change_sq > most_sq { (most_sq / change_sq).sqrt() } else { 1.0 };
            *velocity += change * scale;
        }
    }

    /// The force (N) on a triangle in air that moves at `u` (m/s) relative to it; `area` is its normal, as long as its
    /// area (m2).
    fn force(&self, u: &Vector3<f32>, area: &Vector3<f32>) -> Vector3<f32> {
        let facing = if area.dot(u) < 0.0 { -area } else { *area };
        let drag_like = u * ((self.drag - self.lift) * facing.dot(u));
        (drag_like + facing * (self.lift * u.norm_squared())) * (0.5 * AIR_DENSITY)
    }
}
