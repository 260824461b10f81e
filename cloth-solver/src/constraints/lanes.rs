//! SIMD: four constraints at a time, one per lane.
//!
//! The operations of a lane are those of the scalar code in the same order, so results are bitwise equal.

pub(crate) use cloth_geom::lanes::{
    Lanes, Lanes3, ZEROS, chosen, cross, divided, dot, minus, norm, plus, plus_scaled, scaled, times,
};

use crate::bodies::{Bodies, Packed};
use cloth_geom::MapInline;

/// Minimum length (m) used as a divisor: its product with any weight is still a normal number.
pub(crate) const MIN_LENGTH: f32 = 1.0e-15;

/// The positions of four vertices.
#[inline]
pub(crate) fn gather(x: &[Packed], v: &[u32; 4]) -> Lanes3 {
    let [px, py, pz, _] = Lanes::transpose(v.map_inline(|v| Lanes::from(<[f32; 4]>::from(x[v as usize]))));
    [px, py, pz]
}

/// The positions of four vertices now and at the start of the substep, which are as many.
#[inline]
pub(crate) fn gather_both(bodies: &Bodies<'_>, v: &[u32; 4]) -> (Lanes3, Lanes3) {
    // One bounds check for both.
    let x_t0 = &bodies.x_t0[..bodies.x.len()];
    let both = v.map_inline(|v| {
        let (now, then) = (bodies.x[v as usize], x_t0[v as usize]);
        (Lanes::from(<[f32; 4]>::from(now)), Lanes::from(<[f32; 4]>::from(then)))
    });
    let [x, y, z, _] = Lanes::transpose(both.map_inline(|b| b.0));
    let [x_t0, y_t0, z_t0, _] = Lanes::transpose(both.map_inline(|b| b.1));
    ([x, y, z], [x_t0, y_t0, z_t0])
}

/// Writes the positions of four vertices; of duplicates the last one counts.
#[inline]
pub(crate) fn scatter(p: &Lanes3, v: &[u32; 4], x: &mut [Packed]) {
    let vertices = Lanes::transpose([p[0], p[1], p[2], Lanes::ZERO]);
    for l in 0..4 {
        x[v[l] as usize] = Packed::from(vertices[l].to_array());
    }
}

/// Splits constraints in solving order into groups of up to four that share no vertex, to be solved at once.
///
/// A shorter group repeats its last constraint and is returned with its count. The copies write identical
/// values.
pub(crate) fn fours<const N: usize>(
    count: usize,
    vertices: impl Fn(usize) -> [u32; N],
) -> Vec<([usize; 4], usize)> {
    let mut groups = Vec::with_capacity(count.div_ceil(4));
    let mut first = 0;
    while first < count {
        let fits = |i: &usize| {
            let own = vertices(*i);
            (first..*i).all(|before| vertices(before).iter().all(|v| !own.contains(v)))
        };
        let len = (first + 1..count.min(first + 4)).take_while(fits).count() + 1;
        groups.push(([0, 1, 2, 3].map(|l| first + l.min(len - 1)), len));
        first += len;
    }
    groups
}

/// Indices in groups of four; the last group repeats the last index.
pub(crate) fn quads(count: usize) -> impl Iterator<Item = [usize; 4]> {
    (0..count).step_by(4).map(move |first| [0, 1, 2, 3].map(|l| (first + l).min(count - 1)))
}

/// Sum of the coordinates, as [`crate::bodies::sum`] adds them: with a fourth of zero, which makes a zero
/// positive.
#[inline]
pub(crate) fn sum(a: &Lanes3) -> Lanes {
    (a[0] + a[1]) + (a[2] + Lanes::ZERO)
}
