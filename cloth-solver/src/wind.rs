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

impl Wind {
    /// Air at rest, with the drag of a plate: a sheet of 150 g/m2 that falls flat does not exceed 1.4 m/s.
    pub const STILL_AIR: Self = Self { velocity: Vector3::new(0.0, 0.0, 0.0), drag: 1.2, lift: 0.0 };

    /// Whether it moves anything.
    pub(crate) fn is_calm(&self) -> bool {
        self.drag == 0.0 && self.lift == 0.0
    }

    /// Adds what the air does to the velocities (m/s) over a substep of `h` seconds.
    pub(crate) fn apply(
        &self,
        faces: &[[u32; 3]],
        positions: &[Point3<f32>],
        inv_mass: &[f32],
        velocities: &mut [Vector3<f32>],
        h: f32,
    ) {
        for face in faces {
            let [a, b, c] = face.map(|v| v as usize);
            let area_normal = (positions[b] - positions[a]).cross(&(positions[c] - positions[a])) * 0.5;
            let Some((normal, area)) = nalgebra::Unit::try_new_and_get(area_normal, 0.0) else { continue };
            let relative = self.velocity - (velocities[a] + velocities[b] + velocities[c]) / 3.0;
            let force = self.force(&relative, &normal, area);
            let impulse = force * (h / 3.0);
            let strength = impulse.norm();
            for v in [a, b, c] {
                let most = (self.velocity - velocities[v]).norm();
                let change = strength * inv_mass[v];
                let scale = if change > most { most / change } else { 1.0 };
                velocities[v] += impulse * (inv_mass[v] * scale);
            }
        }
    }

    /// The force (N) on a triangle in air that moves at `u` (m/s) relative to it.
    fn force(&self, u: &Vector3<f32>, normal: &Vector3<f32>, area: f32) -> Vector3<f32> {
        let facing = if normal.dot(u) < 0.0 { -normal } else { *normal };
        let along = facing.dot(u);
        let drag_like = u * ((self.drag - self.lift) * along);
        (drag_like + facing * (self.lift * u.norm_squared())) * (0.5 * AIR_DENSITY * area)
    }
}
