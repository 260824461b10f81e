//! Where vertices stand over faces, four at a time.

use cloth_geom::MapInline;
use cloth_geom::lanes::{Lanes, Lanes3, Simd, SimdBase, cross, divided, dot, minus, splat};

/// How far outside of its face, in barycentric coordinates, the foot of a vertex counts as being still on it.
const FOLLOW_LIMIT: f32 = -0.05;

/// The barycentric coordinate below which a foot makes no contact. If it were nearer to zero, layers would
/// catch on each other's hems.
pub(super) const CONTACT_LIMIT: f32 = -1.0;

/// The feet of four vertices.
pub(super) struct FootPoints {
    /// Barycentric coordinates of the foot, unclamped; NaN over a face without area.
    pub(super) weights: Lanes3,
    /// Unit normal of the face.
    pub(super) normal: Lanes3,
    pub(super) height: Lanes,
}

impl FootPoints {
    /// The feet of points on the planes of faces, given by their corners.
    #[inline]
    pub(super) fn project(p: &Lanes3, corners: &[Lanes3; 3]) -> Self {
        let [p0, p1, p2] = corners;
        let (e1, e2, r) = (minus(p1, p0), minus(p2, p0), minus(p, p0));
        let n = cross(&e1, &e2);
        let area_sq = dot(&n, &n);
        let normal = divided(&n, area_sq.sqrt());
        let w2 = dot(&cross(&e1, &r), &n) / area_sq;
        let w1 = dot(&cross(&r, &e2), &n) / area_sq;
        Self { weights: [splat(1.0) - w1 - w2, w1, w2], normal, height: dot(&normal, &r) }
    }

    /// Bit mask of the foot points that have left their faces, and for each the corner opposite to the edge
    /// that it crossed. A branchless version of [`left`].
    #[inline]
    pub(super) fn left(&self) -> (u32, [usize; 4]) {
        let [a, b, c] = self.weights;
        let (first, second) = (a.simd_le(b) & a.simd_le(c), b.simd_le(c));
        let least = Lanes::choose(first, a, Lanes::choose(second, b, c));
        let (first, second) = (Lanes::bits(first) as usize, Lanes::bits(second) as usize);
        let corner = |l: usize| (1 - (first >> l & 1)) * (2 - (second >> l & 1));
        (Lanes::bits(least.is_less(splat(FOLLOW_LIMIT))), [0, 1, 2, 3].map_inline(corner))
    }

    /// The lanes whose feet are on their faces or less than [`CONTACT_LIMIT`] outside.
    #[inline]
    pub(super) fn beside(&self) -> <Lanes as Simd>::Mask {
        let [a, b, c] = self.weights.map_inline(|w| splat(CONTACT_LIMIT).is_less(w));
        a & b & c
    }
}

#[cfg(test)]
/// The corner opposite to the edge across which a foot with these barycentric coordinates has left.
pub(super) fn left([a, b, c]: [f32; 3]) -> Option<usize> {
    let (k, least) = if a <= b && a <= c {
        (0, a)
    } else if b <= c {
        (1, b)
    } else {
        (2, c)
    };
    (least < FOLLOW_LIMIT).then_some(k)
}
