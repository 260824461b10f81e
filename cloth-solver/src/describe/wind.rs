//! Wind: drag and lift on every triangle.
//!
//! With the velocity `u` of the air relative to a triangle, its area `A`, unit normal `n` turned towards the
//! wind and air density `rho`, the force is `0.5 rho A |u| ((C_d - C_l) (u.n)/|u| u + C_l |u| n ...)` in the
//! usual form (Wilson et al. 2014, "Simulating cloth", equation for thin plates):
//!
//! ```text
//! F = 0.5 rho A ( (C_d - C_l) (u . n) u  +  C_l |u|^2 n )       with n . u >= 0
//! ```
//!
//! The force is shared equally by the three corners. Within a substep it never reverses the relative velocity
//! of a corner, so it is stable for any wind, mass and step.
//!
//! With [`Gusts`], the air has a velocity of its own at every vertex, and at a triangle the mean of its
//! corners.
//!
//! Eight triangles are evaluated at once, and their impulses are added in the order of the triangles: bit for
//! bit the result of one at a time.

use cloth_geom::lanes::{LANES8, Level};
use nalgebra::{Point3, Vector3};

use crate::Gusts;
use crate::bodies::{Packed, packed, vector};
use crate::constraints::lanes::{
    Ids, Instructions, Simd, Vectors, chosen, cross, dispatch, divided, dot, gather, minus, plus,
    plus_scaled, scaled,
};
#[cfg(feature = "serde")]
use crate::number;

/// Density of air at sea level, 15 degrees Celsius (kg/m3).
const AIR_DENSITY: f32 = 1.225;

/// A steady wind, gusts, and the drag and lift coefficients of cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Wind {
    /// Mean velocity of the air (m/s). Default: `(0, 0, 0)`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::finite"))]
    pub velocity: Vector3<f32>,
    /// Drag coefficient; about 1 to 1.3 for a plate across the wind. Zero switches drag off. Default: `1.2`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub drag: f32,
    /// Lift coefficient; zero switches lift off. Default: `0.0`.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number::non_negative"))]
    pub lift: f32,
    /// Variation of the wind in space and time; `None` for a uniform wind. Default: `None`.
    pub gusts: Option<Gusts>,
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
    /// The vector instructions; no result depends on them.
    pub(crate) level: Level,
}

/// Scratch memory of the wind.
#[derive(Clone, Debug, Default)]
pub(crate) struct WindScratch {
    /// Positions (m) and velocities (m/s) of all vertices, and impulses (N s) on them.
    positions: Vec<Packed>,
    velocities: Vec<Packed>,
    impulses: Vec<Packed>,
    /// Velocity (m/s) of the air at the vertices of triangles that can move; empty without gusts.
    air: Vec<Option<Vector3<f32>>>,
}

/// The velocity of the air.
trait Air {
    /// The velocity (m/s) at a vertex.
    fn at_vertex(&self, v: usize) -> Vector3<f32>;

    /// The velocities (m/s) at the triangles of a part of eight, given by their first, second and third
    /// corners.
    fn at_faces<S: Instructions>(&self, simd: S, corners: &[Ids; 3], part: usize) -> Vectors<S>;
}

/// The same velocity everywhere.
struct UniformAir(Vector3<f32>);

impl Air for UniformAir {
    fn at_vertex(&self, _: usize) -> Vector3<f32> {
        self.0
    }

    #[inline(always)]
    fn at_faces<S: Instructions>(&self, simd: S, _: &[Ids; 3], _: usize) -> Vectors<S> {
        [simd.splat(self.0.x), simd.splat(self.0.y), simd.splat(self.0.z)]
    }
}

/// A velocity at each vertex; without one, nothing that moves is there.
struct VaryingAir<'a>(&'a [Option<Vector3<f32>>]);

impl Air for VaryingAir<'_> {
    fn at_vertex(&self, v: usize) -> Vector3<f32> {
        self.0[v].unwrap_or_default()
    }

    #[inline(always)]
    fn at_faces<S: Instructions>(&self, simd: S, corners: &[Ids; 3], part: usize) -> Vectors<S> {
        let [a, b, c] = corners.map(|v| v.map(|v| packed(&self.at_vertex(v as usize))));
        let at = |corner: &[Packed; LANES8]| gather(simd, part, |l| &corner[l]).0;
        divided(&plus(&plus(&at(&a), &at(&b)), &at(&c)), simd.splat(3.0))
    }
}

/// The triangles of a part.
#[inline(always)]
fn count_of_part<S: Instructions>(_: S) -> usize {
    S::COUNT
}

impl WindSurface<'_> {
    /// The triangles in eights, without the eights that cannot move.
    fn movable_faces(&self) -> impl Iterator<Item = &[[u32; 3]]> {
        let can_move = |v: &u32| self.inv_mass[*v as usize] != 0.0;
        self.faces.chunks(LANES8).filter(move |eight| eight.iter().flatten().any(can_move))
    }
}

/// Positions (m) and velocities (m/s) of all vertices, to be read by lanes.
struct PackedVertices<'a> {
    positions: &'a [Packed],
    velocities: &'a [Packed],
}

impl Wind {
    /// Air at rest, with the drag of a plate: a sheet of 150 g/m2 falls flat at no more than 1.4 m/s.
    pub const STILL_AIR: Self =
        Self { velocity: Vector3::new(0.0, 0.0, 0.0), drag: 1.2, lift: 0.0, gusts: None };

    /// No air.
    pub const VACUUM: Self = Self { drag: 0.0, ..Self::STILL_AIR };

    /// Whether the air moves but has neither drag nor lift.
    pub(crate) fn lacks_drag(&self) -> bool {
        self.is_off() && (self.velocity != Vector3::zeros() || self.blows_in_gusts())
    }

    /// Whether the velocity of the air varies.
    fn blows_in_gusts(&self) -> bool {
        self.gusts.is_some_and(|gusts| gusts.strength > 0.0)
    }

    /// Whether the force on cloth at rest changes over time.
    pub(crate) fn is_restless(&self) -> bool {
        !self.is_off() && self.blows_in_gusts()
    }

    /// Whether both coefficients are zero.
    pub(crate) fn is_off(&self) -> bool {
        self.drag == 0.0 && self.lift == 0.0
    }

    /// Applies the wind at a time (s) to the velocities (m/s) over a substep of `h` seconds.
    ///
    /// All forces are evaluated at the start.
    pub(crate) fn apply(
        &self,
        cloth: &WindSurface<'_>,
        velocities: &mut [Vector3<f32>],
        scratch: &mut WindScratch,
        time: f64,
        h: f32,
    ) {
        let gusts = self.gusts.filter(|_| self.blows_in_gusts());
        let mut air = std::mem::take(&mut scratch.air);
        match gusts {
            None => self.apply_in(&UniformAir(self.velocity), cloth, velocities, scratch, h),
            Some(gusts) => {
                air.clear();
                air.resize(velocities.len(), None);
                let mut field = gusts.at(time);
                for &v in cloth.movable_faces().flatten().flatten() {
                    let mut at = |v: usize| self.velocity + field.velocity(&cloth.positions[v]);
                    air[v as usize].get_or_insert_with(|| at(v as usize));
                }
                self.apply_in(&VaryingAir(&air), cloth, velocities, scratch, h);
            }
        }
        scratch.air = air;
    }

    fn apply_in(
        &self,
        air: &impl Air,
        cloth: &WindSurface<'_>,
        velocities: &mut [Vector3<f32>],
        scratch: &mut WindScratch,
        h: f32,
    ) {
        let WindScratch { positions, velocities: packed_velocities, impulses, .. } = scratch;
        positions.clear();
        positions.extend(cloth.positions.iter().map(|p| packed(&p.coords)));
        packed_velocities.clear();
        packed_velocities.extend(velocities.iter().map(packed));
        impulses.clear();
        impulses.resize(velocities.len(), Packed::zeros());
        let packed = PackedVertices { positions, velocities: packed_velocities };
        dispatch!(cloth.level, simd => {
            for faces in cloth.movable_faces() {
                let corner = |k: usize| std::array::from_fn(|l| faces[l.min(faces.len() - 1)][k]);
                let corners: [Ids; 3] = [corner(0), corner(1), corner(2)];
                for part in 0..faces.len().div_ceil(count_of_part(simd)) {
                    let u = air.at_faces(simd, &corners, part);
                    let force = self.forces(simd, u, &packed, &corners, part);
                    let [x, y, z] = scaled(&force, simd.splat(h / 3.0));
                    let mut by_face = [[0.0; 4]; LANES8];
                    simd.scatter([x, y, z, simd.splat(0.0)], |l, impulse| by_face[l] = impulse);
                    let faces = &faces[part * count_of_part(simd)..];
                    for (face, impulse) in faces.iter().zip(by_face).take(count_of_part(simd)) {
                        face.iter().for_each(|&v| impulses[v as usize] += Packed::from(impulse));
                    }
                }
            }
        });
        for (v, ((velocity, impulse), &w)) in
            velocities.iter_mut().zip(impulses).zip(cloth.inv_mass).enumerate()
        {
            let change = vector(impulse) * w;
            let (most_sq, change_sq) = ((air.at_vertex(v) - *velocity).norm_squared(), change.norm_squared());
            let scale = if change_sq > most_sq { (most_sq / change_sq).sqrt() } else { 1.0 };
            *velocity += change * scale;
        }
    }

    /// The forces (N) on the triangles of a part, in air that moves at `air` (m/s).
    #[inline(always)]
    fn forces<S: Instructions>(
        &self,
        simd: S,
        air: Vectors<S>,
        PackedVertices { positions, velocities }: &PackedVertices<'_>,
        corners: &[Ids; 3],
        part: usize,
    ) -> Vectors<S> {
        let at = |all: &[Packed], k: usize| gather(simd, part, |l| &all[corners[k][l] as usize]).0;
        let (v_a, v_b, v_c) = (at(velocities, 0), at(velocities, 1), at(velocities, 2));
        let u = minus(&air, &divided(&plus(&plus(&v_a, &v_b), &v_c), simd.splat(3.0)));
        let (p, q, r) = (at(positions, 0), at(positions, 1), at(positions, 2));
        // The normal, as long as the area (m2).
        let area = scaled(&cross(&minus(&q, &p), &minus(&r, &p)), simd.splat(0.5));
        let behind = dot(&area, &u).is_less(simd.splat(0.0));
        let facing = chosen(behind, &[-area[0], -area[1], -area[2]], &area);
        let drag_like = scaled(&u, dot(&facing, &u) * simd.splat(self.drag - self.lift));
        let lift_like = dot(&u, &u) * simd.splat(self.lift);
        scaled(&plus_scaled(&drag_like, &facing, lift_like), simd.splat(0.5 * AIR_DENSITY))
    }
}

#[cfg(test)]
mod tests {
    use cloth_geom::lanes::{available, level_named};
    use proptest::prelude::*;

    use super::*;

    /// The force (N) on a triangle in air that moves at `u` (m/s) relative to it; `area` is its normal, as
    /// long as its area (m2).
    fn force(wind: &Wind, u: &Vector3<f32>, area: &Vector3<f32>) -> Vector3<f32> {
        let facing = if area.dot(u) < 0.0 { -area } else { *area };
        let drag_like = u * ((wind.drag - wind.lift) * facing.dot(u));
        (drag_like + facing * (wind.lift * u.norm_squared())) * (0.5 * AIR_DENSITY)
    }

    /// The reference: one triangle after the other.
    fn one_by_one(wind: &Wind, cloth: &WindSurface<'_>, velocities: &mut [Vector3<f32>], time: f64, h: f32) {
        let air: Vec<Vector3<f32>> = cloth
            .positions
            .iter()
            .map(|p| {
                wind.velocity + wind.gusts.map_or_else(Vector3::zeros, |gusts| gusts.at(time).velocity(p))
            })
            .collect();
        let mut impulses = vec![Vector3::zeros(); velocities.len()];
        for face in cloth.faces {
            let [a, b, c] = face.map(|v| v as usize);
            let [p, q, r] = [a, b, c].map(|v| cloth.positions[v]);
            let mean = if wind.gusts.is_some() { (air[a] + air[b] + air[c]) / 3.0 } else { wind.velocity };
            let relative = mean - (velocities[a] + velocities[b] + velocities[c]) / 3.0;
            let impulse = force(wind, &relative, &((q - p).cross(&(r - p)) * 0.5)) * (h / 3.0);
            for v in [a, b, c] {
                impulses[v] += impulse;
            }
        }
        for (((velocity, impulse), &w), air) in
            velocities.iter_mut().zip(impulses).zip(cloth.inv_mass).zip(air)
        {
            let change = impulse * w;
            let (most_sq, change_sq) = ((air - *velocity).norm_squared(), change.norm_squared());
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
        fn eight_triangles_at_once_are_what_one_after_the_other_is(
            (places, speeds) in (vectors(), vectors()),
            faces in prop::collection::vec(prop::array::uniform3(0..COUNT as u32), 0..15),
            (drag, lift, masses) in (0.0f32..2.0, 0.0f32..2.0, prop::collection::vec(0.0f32..10.0, COUNT)),
            (h, time) in (0.001f32..1.0, 0.0f64..100.0),
            gusts in prop::option::of((0.1f32..9.0, 0.05f32..9.0, any::<u64>())),
        ) {
            let gusts = gusts.map(|(strength, length, seed)| Gusts { strength, length, period: 0.5, seed });
            let wind = Wind { velocity: Vector3::new(1.0, -0.5, 0.0), drag, lift, gusts };
            let positions: Vec<Point3<f32>> = places.into_iter().map(Point3::from).collect();
            let (positions, inv_mass) = (&*positions, &*masses);
            let surface = |level| WindSurface { faces: &faces, positions, inv_mass, level };
            let speeds: Vec<Vector3<f32>> = speeds.into_iter().map(Vector3::from).collect();
            let mut slow = speeds.clone();
            one_by_one(&wind, &surface(Level::baseline()), &mut slow, time, h);
            let bits = |v: &[Vector3<f32>]| v.iter().flatten().map(|c| c.to_bits()).collect::<Vec<_>>();
            for level in available().into_iter().filter_map(level_named) {
                let mut fast = speeds.clone();
                wind.apply(&surface(level), &mut fast, &mut WindScratch::default(), time, h);
                prop_assert_eq!(bits(&fast), bits(&slow), "{:?}", level);
            }
        }
    }
}
