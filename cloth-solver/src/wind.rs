//! Wind: drag and lift on every triangle.
//!
//! With the velocity `u` of the air relative to a triangle, its area `A`, unit normal `n` turned towards the wind
//! and air density `rho`, the force is `0.5 rho A |u| ((C_d - C_l) (u.n)/|u| u + C_l |u| n ...)` in the usual form
//! (Wilson et al. 2014, "Simulating cloth", equation for thin plates):
//!
//! ```text
//! F = 0.5 rho A ( (C_d - C_l) (u . n) u  +  C_l |u|^2 n )       with n . u >= 0
//! ```
//!
//! The force is shared equally by the three corners. Within a substep it never reverses the relative velocity
//! of a corner, so it is stable for any wind, mass and step.
//!
//! Four triangles are evaluated at once, and their impulses are added in the order of the triangles: bit for
//! bit the result of one at a time.

use cloth_geom::MapInline;
use cloth_geom::lanes::{
    Lanes, Lanes3, chosen, cross, divided, dot, gather, minus, plus, plus_scaled, scaled,
};
use nalgebra::{Point3, Vector3};

use crate::constraints::bodies::{Packed, vector};

/// Density of air at sea level, 15 degrees Celsius (kg/m3).
const AIR_DENSITY: f32 = 1.225;

/// A uniform wind and the drag and lift coefficients of cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Wind {
    /// Velocity of the air (m/s). Default: `(0, 0, 0)`.
    pub velocity: Vector3<f32>,
    /// Drag coefficient; about 1 to 1.3 for a plate across the wind. Zero switches drag off. Default: `1.2`.
    pub drag: f32,
    /// Lift coefficient; zero switches lift off. Default: `0.0`.
    pub lift: f32,
}

impl Default for Wind {
    /// [`Wind::STILL_AIR`].
    fn default() -> Self {
        Self::STILL_AIR
    }
}

/// The triangles that the wind acts on.
pub(crate) struct WindSurface<'a> {
    pub(crate) faces: &'a [[u32; 3]],
    pub(crate) positions: &'a [Point3<f32>],
    pub(crate) inv_mass: &'a [f32],
}

impl Wind {
    /// Air at rest, with the drag of a plate: a sheet of 150 g/m2 falls flat at no more than 1.4 m/s.
    pub const STILL_AIR: Self = Self { velocity: Vector3::new(0.0, 0.0, 0.0), drag: 1.2, lift: 0.0 };

    /// No air.
    pub const VACUUM: Self = Self { drag: 0.0, ..Self::STILL_AIR };

    /// Whether the air moves but has neither drag nor lift.
    pub(crate) fn lacks_drag(&self) -> bool {
        self.is_off() && self.velocity != Vector3::zeros()
    }

    /// Whether both coefficients are zero.
    pub(crate) fn is_off(&self) -> bool {
        self.drag == 0.0 && self.lift == 0.0
    }

    /// Applies the wind to the velocities (m/s) over a substep of `h` seconds.
    ///
    /// All forces are evaluated at the start; `impulses` (N s) is scratch.
    pub(crate) fn apply(
        &self,
        cloth: &WindSurface<'_>,
        velocities: &mut [Vector3<f32>],
        impulses: &mut Vec<Packed>,
        h: f32,
    ) {
        impulses.clear();
        impulses.resize(velocities.len(), Packed::zeros());
        for faces in cloth.faces.chunks(4) {
            if faces.iter().flatten().all(|&v| cloth.inv_mass[v as usize] == 0.0) {
                continue;
            }
            let four = [0, 1, 2, 3].map_inline(|l: usize| faces[l.min(faces.len() - 1)]);
            let impulse = scaled(&self.forces(cloth, velocities, &four), Lanes::splat(h / 3.0));
            let [x, y, z] = impulse;
            let each = Lanes::transpose([x, y, z, Lanes::ZERO]);
            for (face, impulse) in faces.iter().zip(each) {
                let impulse = Packed::from(impulse.to_array());
                face.iter().for_each(|&v| impulses[v as usize] += impulse);
            }
        }
        for ((velocity, impulse), &w) in velocities.iter_mut().zip(impulses).zip(cloth.inv_mass) {
            let change = vector(impulse) * w;
            let (most_sq, change_sq) = ((self.velocity - *velocity).norm_squared(), change.norm_squared());
            let scale = if change_sq > most_sq { (most_sq / change_sq).sqrt() } else { 1.0 };
            *velocity += change * scale;
        }
    }

    /// The forces (N) on four triangles.
    #[inline]
    fn forces(&self, cloth: &WindSurface<'_>, velocities: &[Vector3<f32>], faces: &[[u32; 3]; 4]) -> Lanes3 {
        let corners = [0, 1, 2].map_inline(|k| faces.map_inline(|face| face[k]));
        let [v_a, v_b, v_c] = corners.map_inline(|v| gather(velocities, v));
        let wind = [0, 1, 2].map_inline(|k| Lanes::splat(self.velocity[k]));
        let u = minus(&wind, &divided(&plus(&plus(&v_a, &v_b), &v_c), Lanes::splat(3.0)));
        let [p, q, r] = corners.map_inline(|v| gather(cloth.positions, v));
        // The normal, as long as the area (m2).
        let area = scaled(&cross(&minus(&q, &p), &minus(&r, &p)), Lanes::HALF);
        let behind = dot(&area, &u).simd_lt(Lanes::ZERO);
        let facing = chosen(behind, &area.map_inline(|a| -a), &area);
        let drag_like = scaled(&u, dot(&facing, &u) * (self.drag - self.lift));
        scaled(&plus_scaled(&drag_like, &facing, dot(&u, &u) * self.lift), Lanes::splat(0.5 * AIR_DENSITY))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The force (N) on a triangle in air that moves at `u` (m/s) relative to it; `area` is its normal, as long as its
    /// area (m2).
    fn force(wind: &Wind, u: &Vector3<f32>, area: &Vector3<f32>) -> Vector3<f32> {
        let facing = if area.dot(u) < 0.0 { -area } else { *area };
        let drag_like = u * ((wind.drag - wind.lift) * facing.dot(u));
        (drag_like + facing * (wind.lift * u.norm_squared())) * (0.5 * AIR_DENSITY)
    }

    /// The reference: one triangle after the other.
    fn one_by_one(wind: &Wind, cloth: &WindSurface<'_>, velocities: &mut [Vector3<f32>], h: f32) {
        let mut impulses = vec![Vector3::zeros(); velocities.len()];
        for face in cloth.faces {
            let [a, b, c] = face.map(|v| v as usize);
            let [p, q, r] = [a, b, c].map(|v| cloth.positions[v]);
            let relative = wind.velocity - (velocities[a] + velocities[b] + velocities[c]) / 3.0;
            let impulse = force(wind, &relative, &((q - p).cross(&(r - p)) * 0.5)) * (h / 3.0);
            for v in [a, b, c] {
                impulses[v] += impulse;
            }
        }
        for ((velocity, impulse), &w) in velocities.iter_mut().zip(impulses).zip(cloth.inv_mass) {
            let change = impulse * w;
            let (most_sq, change_sq) = ((wind.velocity - *velocity).norm_squared(), change.norm_squared());
            let scale = if change_sq > most_sq { (most_sq / change_sq).sqrt() } else { 1.0 };
            *velocity += change * scale;
        }
    }

    const COUNT: usize = 9;

    fn vectors() -> impl Strategy<Value = Vec<[f32; 3]>> {
        let number = prop_oneof![4 => -2.0f32..2.0, 1 => Just(0.0f32), 1 => Just(-0.0f32)];
        prop::collection::vec(prop::array::uniform3(number), COUNT)
    }

    proptest! {
        #[test]
        fn four_triangles_at_once_are_what_one_after_the_other_is(
            (places, speeds) in (vectors(), vectors()),
            faces in prop::collection::vec(prop::array::uniform3(0..COUNT as u32), 0..15),
            (drag, lift, masses) in (0.0f32..2.0, 0.0f32..2.0, prop::collection::vec(0.0f32..10.0, COUNT)),
            h in 0.001f32..1.0,
        ) {
            let wind = Wind { velocity: Vector3::new(1.0, -0.5, 0.0), drag, lift };
            let positions: Vec<Point3<f32>> = places.into_iter().map(Point3::from).collect();
            let cloth = WindSurface { faces: &faces, positions: &positions, inv_mass: &masses };
            let mut fast: Vec<Vector3<f32>> = speeds.into_iter().map(Vector3::from).collect();
            let mut slow = fast.clone();
            wind.apply(&cloth, &mut fast, &mut Vec::new(), h);
            one_by_one(&wind, &cloth, &mut slow, h);
            let bits = |v: &[Vector3<f32>]| v.iter().flatten().map(|c| c.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&fast), bits(&slow));
        }
    }
}
