//! The positions while they are being solved: four numbers each, so that one instruction moves a vertex.
//!
//! The fourth of a position is the inverse mass of the vertex, so that a constraint reads both at once; that
//! of a displacement and of a direction is zero. So the difference of one vertex at two times is a
//! displacement, and a displacement may be added to a position; the difference of two vertices has to be
//! taken by [`difference`]. The results are those of three separate coordinates, bit for bit.

use std::ops::{Deref, DerefMut, Index, IndexMut};

use cloth_disjoint::Slices;
use cloth_geom::lanes::Level;
use nalgebra::{Point3, Vector3, Vector4};

/// A position with its inverse mass, or a displacement with zero.
pub(crate) type Packed = Vector4<f32>;

/// The positions being solved, and what projection needs to know of them.
pub(crate) struct Bodies<'a> {
    /// Positions (m), with inverse masses.
    pub(crate) x: ByVertex<'a, &'a mut [Packed]>,
    /// Positions at the start of the substep (m), with inverse masses.
    pub(crate) x_t0: ByVertex<'a, &'a [Packed]>,
    /// Inverse masses (1/kg); zero is immovable.
    pub(crate) w: &'a [f32],
    /// The substep (s).
    pub(crate) h: f32,
    /// The vector instructions; no result depends on them.
    pub(crate) level: Level,
}

impl Bodies<'_> {
    /// All positions, in slots.
    pub(crate) fn slices(&mut self) -> Slices<'_, Packed> {
        Slices { items: self.x.in_slots, starts: self.x_t0.in_slots }
    }
}

#[cfg(test)]
impl<'a> Bodies<'a> {
    /// Vertices without chunks.
    pub(crate) fn without_chunks(x: &'a mut [Packed], x_t0: &'a [Packed], w: &'a [f32], h: f32) -> Self {
        let (x, x_t0) = (ByVertex { slots: None, in_slots: x }, ByVertex { slots: None, in_slots: x_t0 });
        Self { x, x_t0, w, h, level: Level::new() }
    }

    /// As [`Bodies::without_chunks`]; gives the positions their inverse masses.
    pub(crate) fn with_masses(x: &'a mut [Packed], x_t0: &'a [Packed], w: &'a [f32], h: f32) -> Self {
        x.iter_mut().zip(w).for_each(|(x, w)| x.w = *w);
        Self::without_chunks(x, x_t0, w, h)
    }
}

/// Positions in slots, indexed by vertex.
pub(crate) struct ByVertex<'a, P> {
    /// The slot of each vertex; `None` if it is the vertex.
    pub(crate) slots: Option<&'a [u32]>,
    pub(crate) in_slots: P,
}

impl<P> ByVertex<'_, P> {
    /// The slot of a vertex.
    #[inline(always)]
    pub(crate) fn slot(&self, vertex: usize) -> usize {
        self.slots.map_or(vertex, |slots| slots[vertex] as usize)
    }
}

impl<P: Deref<Target = [Packed]>> Index<usize> for ByVertex<'_, P> {
    type Output = Packed;

    #[inline(always)]
    fn index(&self, vertex: usize) -> &Packed {
        &self.in_slots[self.slot(vertex)]
    }
}

impl<P: DerefMut<Target = [Packed]>> IndexMut<usize> for ByVertex<'_, P> {
    #[inline(always)]
    fn index_mut(&mut self, vertex: usize) -> &mut Packed {
        let slot = self.slot(vertex);
        &mut self.in_slots[slot]
    }
}

/// Packs points with the inverse masses of their vertices, given the vertex of each place.
pub(crate) fn pack(points: &[Point3<f32>], inv_mass: &[f32], vertices: &[u32], out: &mut [Packed]) {
    for (to, &v) in out.iter_mut().zip(vertices) {
        let p = points[v as usize];
        *to = Packed::new(p.x, p.y, p.z, inv_mass[v as usize]);
    }
}

/// The three coordinates as a point.
#[inline]
pub(crate) fn point(p: &Packed) -> Point3<f32> {
    Point3::new(p.x, p.y, p.z)
}

/// The three coordinates as a vector.
#[inline]
pub(crate) fn vector(p: &Packed) -> Vector3<f32> {
    Vector3::new(p.x, p.y, p.z)
}

/// The difference of two positions, as a direction.
#[inline]
pub(crate) fn difference(to: &Packed, from: &Packed) -> Packed {
    movable(&(to - from), 0.0)
}

/// The coordinates as a position with an inverse mass.
#[inline]
pub(crate) fn movable(p: &Packed, inv_mass: f32) -> Packed {
    Packed::new(p.x, p.y, p.z, inv_mass)
}

/// A vector, packed.
#[inline]
pub(crate) fn packed(v: &Vector3<f32>) -> Packed {
    Packed::new(v.x, v.y, v.z, 0.0)
}

/// Sum of the coordinates, in a fixed order.
#[inline]
pub(crate) fn sum(p: &Packed) -> f32 {
    (p.x + p.y) + (p.z + p.w)
}

/// The scalar product, summed in that order.
#[inline]
pub(crate) fn dot(p: &Packed, q: &Packed) -> f32 {
    sum(&p.component_mul(q))
}

/// The cross product of two directions.
#[inline(always)]
pub(crate) fn cross(p: &Packed, q: &Packed) -> Packed {
    let turned = |p: &Packed| Packed::new(p.y, p.z, p.x, p.w);
    let turned_back = |p: &Packed| Packed::new(p.z, p.x, p.y, p.w);
    turned(p).component_mul(&turned_back(q)) - turned_back(p).component_mul(&turned(q))
}

/// The scalar product of the coordinates alone, summed as that of three-dimensional vectors.
#[inline(always)]
pub(crate) fn dot_of_three(p: &Packed, q: &Packed) -> f32 {
    let products = p.component_mul(q);
    (products.x + products.y) + products.z
}
