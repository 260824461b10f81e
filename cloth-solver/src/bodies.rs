//! The positions while they are being solved: four numbers each, so that one instruction moves a vertex.
//!
//! The fourth of a position is the inverse mass of the vertex, so that a constraint reads both at once; that of
//! a displacement and of a direction is zero. So the difference of one vertex at two times is a displacement,
//! and a displacement may be added to a position; the difference of two vertices has to be taken by
//! [`difference`]. The results are those of three separate coordinates, bit for bit.

use std::ops::{Deref, DerefMut, Index, IndexMut};

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

/// The slots of the vertices of tests, which have no chunks.
#[cfg(test)]
static IN_ORDER: [u32; 4096] = {
    let mut slots = [0; 4096];
    let mut v = 0;
    while v < slots.len() {
        slots[v] = v as u32;
        v += 1;
    }
    slots
};

#[cfg(test)]
impl<'a> Bodies<'a> {
    /// Vertices without chunks.
    pub(crate) fn without_chunks(x: &'a mut [Packed], x_t0: &'a [Packed], w: &'a [f32], h: f32) -> Self {
        let (x, x_t0) = (ByVertex::new(&IN_ORDER, x), ByVertex::new(&IN_ORDER, x_t0));
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
    slots: &'a [u32],
    pub(crate) in_slots: P,
}

impl<'a, P: Deref<Target = [Packed]>> ByVertex<'a, P> {
    /// Positions in the slots of vertices.
    pub(crate) fn new(slots: &'a [u32], in_slots: P) -> Self {
        Self { slots, in_slots }
    }
}

impl<P: Deref<Target = [Packed]>> Index<usize> for ByVertex<'_, P> {
    type Output = Packed;

    #[inline(always)]
    fn index(&self, vertex: usize) -> &Packed {
        &self.in_slots[self.slots[vertex] as usize]
    }
}

impl<P: DerefMut<Target = [Packed]>> IndexMut<usize> for ByVertex<'_, P> {
    #[inline(always)]
    fn index_mut(&mut self, vertex: usize) -> &mut Packed {
        &mut self.in_slots[self.slots[vertex] as usize]
    }
}

/// Packs points with the inverse masses of their vertices, given the vertex of each place.
pub(crate) fn pack(points: &[Point3<f32>], inv_mass: &[f32], vertices: &[u32], out: &mut [Packed]) {
    for (to, &v) in out.iter_mut().zip(vertices) {
        let p = points[v as usize];
        *to = Packed::new(p.x, p.y, p.z, inv_mass[v as usize]);
    }
}

/// Unpacks points, given the place of each.
pub(crate) fn unpack(packed: &[Packed], slots: &[u32], out: &mut [Point3<f32>]) {
    for (to, &slot) in out.iter_mut().zip(slots) {
        *to = point(&packed[slot as usize]);
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
