//! Points in blocks, and distances of whole blocks from one shape: loops over arrays that compile to vector code.
//!
//! Each loop does to its lane what the shape's own file does to a point, operation by operation, so that the distances
//! are the same bits at every width. They are used to rule points out; what remains is asked one by one.

use nalgebra::{Point3, Vector3};

use super::contact::{Placed, Points};
use super::tapered::Taper;
use super::{Shape, TINY, contact::Swept};

/// Points in a block.
pub(super) const LANES: usize = 16;

type Row = [f32; LANES];

/// Share of all lengths that rounding could cost.
///
/// A contact's distance and approach come out of chains of fewer than 64 roundings of sums that no coordinate,
/// displacement or extent exceeds four times over.
const ROUNDING: f32 = 256.0 * (f32::EPSILON / 2.0);

/// Consecutive points, coordinate by coordinate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    p: [Row; 3],
    d: [Row; 3],
    /// `radius + scr` (m); negative infinity where no contact is wanted: pinned points and empty lanes.
    reach: Row,
    low: Point3<f32>,
    high: Point3<f32>,
    /// Greatest `radius + scr + |displacement|` (m).
    far: f32,
}

impl Block {
    /// Cuts the points into blocks, into `out`.
    pub(super) fn cut(points: &Points<'_>, out: &mut Vec<Self>) {
        out.clear();
        let count = points.inv_mass.len();
        out.extend((0..count).step_by(LANES).map(|first| Self::of(points, first..count.min(first + LANES))));
    }

    fn of(points: &Points<'_>, range: std::ops::Range<usize>) -> Self {
        let nowhere = Vector3::repeat(f32::INFINITY);
        let (low, high) = (Point3::from(nowhere), Point3::from(-nowhere));
        let none = [0.0; LANES];
        let reach = [f32::NEG_INFINITY; LANES];
        let mut block = Self { p: [none; 3], d: [none; 3], reach, low, high, far: 0.0 };
        for (lane, v) in range.enumerate() {
            let (p, d) = (&points.motion.positions[v], &points.motion.displacements[v]);
            for k in 0..3 {
                block.p[k][lane] = p[k];
                block.d[k][lane] = d[k];
            }
            if points.inv_mass[v] > 0.0 {
                let (radius, scr) = points.surface.radius_and_scr(v);
                block.reach[lane] = radius + scr;
                block.low = Point3::from(block.low.coords.zip_map(&p.coords, f32::min));
                block.high = Point3::from(block.high.coords.zip_map(&p.coords, f32::max));
                // The maximum with a number that is none is the other one.
                block.far = block.far.max(radius + scr).max(radius + scr + d.norm());
            }
        }
        block
    }

    /// Whether lane wants contacts at all.
    pub(super) fn wants(&self, lane: usize) -> bool {
        self.reach[lane] > f32::NEG_INFINITY
    }

    /// Whether no point of the block can have a contact with what is inside a box.
    ///
    /// A contact has `gap < reach + |d - s|`, or a way in the shape's frame that is longer than the gap; `s` is the
    /// displacement of the nearest point, or differs from it by no more than the turn makes of the gap.
    pub(super) fn is_far_from(&self, swept: &Swept, keeps: f32) -> bool {
        let size = |p: &Point3<f32>| p.coords.amax();
        let sizes = size(&self.low).max(size(&self.high)) + size(&swept.low).max(size(&swept.high));
        let reach = self.far + swept.moves;
        let margin = ROUNDING * (sizes + reach);
        let apart = |k: usize| (swept.low[k] - self.high[k]).max(self.low[k] - swept.high[k]);
        (0..3).any(|k| apart(k) * keeps > reach + margin)
    }
}

/// What rules points out: a lower bound of the distance, and how far it closes.
pub(super) struct Sieve<'a> {
    placed: &'a Placed<'a>,
    bound: Bound,
    keeps: f32,
    /// Sizes (m) that every rounding error scales with, whatever the point.
    size: f32,
}

/// A lower bound of a shape's distance that a loop can take.
enum Bound {
    Plane,
    Sphere {
        radius: f32,
    },
    Capsule {
        half_length: f32,
        radius: f32,
    },
    Tapered {
        half_length: f32,
        bottom: f32,
        top: f32,
        taper: Taper,
    },
    Cylinder {
        half_length: f32,
        radius: f32,
    },
    Cuboid {
        half: Vector3<f32>,
    },
    /// The distance from the box around it.
    Around {
        low: Point3<f32>,
        high: Point3<f32>,
    },
    Nothing,
}

impl Bound {
    fn of(shape: &Shape) -> Self {
        match *shape {
            Shape::Plane => Self::Plane,
            Shape::Sphere { radius } => Self::Sphere { radius },
            Shape::Capsule { half_length, radius } => Self::Capsule { half_length, radius },
            Shape::TaperedCapsule { half_length, bottom_radius: bottom, top_radius: top } => {
                Self::Tapered { half_length, bottom, top, taper: Taper::new(half_length, bottom, top) }
            }
            Shape::Cylinder { half_length, radius } => Self::Cylinder { half_length, radius },
            Shape::Cuboid { half_extents: half } => Self::Cuboid { half },
            _ => shape.bounds().map_or(Self::Nothing, |[low, high]| Self::Around { low, high }),
        }
    }

    /// The bound (m) for each lane; for a box around a shape it is 0 inside, for all others it is the distance.
    #[inline]
    fn distances(&self, [x, y, z]: &[Row; 3]) -> Row {
        let mut out = [f32::NEG_INFINITY; LANES];
        match *self {
            Self::Plane => out = *y,
            Self::Sphere { radius } => {
                for i in 0..LANES {
                    out[i] = norm(x[i], y[i], z[i]) - radius;
                }
            }
            Self::Capsule { half_length, radius } => {
                for i in 0..LANES {
                    let on_axis = y[i].max(-half_length).min(half_length);
                    out[i] = norm(x[i], y[i] - on_axis, z[i]) - radius;
                }
            }
            Self::Tapered { taper: Taper::Ball { y: middle, radius }, .. } => {
                for i in 0..LANES {
                    out[i] = norm(x[i], y[i] - middle, z[i]) - radius;
                }
            }
            Self::Tapered { half_length, bottom, top, taper: Taper::Side { c, s, length } } => {
                for i in 0..LANES {
                    let across = (x[i] * x[i] + z[i] * z[i]).sqrt();
                    let up = y[i] + half_length;
                    let along = c * up - s * across;
                    let below = norm(x[i], up, z[i]) - bottom;
                    let above = norm(x[i], y[i] - half_length, z[i]) - top;
                    let side = (c * across + s * up) - bottom;
                    out[i] = if along < 0.0 { below } else { side };
                    out[i] = if along > length { above } else { out[i] };
                }
            }
            Self::Cylinder { half_length, radius } => {
                for i in 0..LANES {
                    let across = (x[i] * x[i] + z[i] * z[i]).sqrt();
                    let (side, cap) = (across - radius, y[i].abs() - half_length);
                    let (beyond_side, beyond_cap) = (side.max(0.0), cap.max(0.0));
                    let distance = (beyond_side * beyond_side + beyond_cap * beyond_cap).sqrt();
                    let inside = if side > cap { side } else { cap };
                    out[i] = if distance > TINY { distance } else { inside };
                }
            }
            Self::Cuboid { half } => {
                for i in 0..LANES {
                    let beyond = [x[i].abs() - half.x, y[i].abs() - half.y, z[i].abs() - half.z];
                    let [a, b, c] = beyond.map(|b| b.max(0.0));
                    let distance = norm(a, b, c);
                    let inside = beyond[0].max(beyond[1]).max(beyond[2]);
                    out[i] = if distance > TINY { distance } else { inside };
                }
            }
            Self::Around { low, high } => {
                for i in 0..LANES {
                    let a = (low.x - x[i]).max(x[i] - high.x).max(0.0);
                    let b = (low.y - y[i]).max(y[i] - high.y).max(0.0);
                    let c = (low.z - z[i]).max(z[i] - high.z).max(0.0);
                    out[i] = norm(a, b, c);
                }
            }
            Self::Nothing => {}
        }
        out
    }
}

impl<'a> Sieve<'a> {
    pub(super) fn new(placed: &'a Placed<'a>) -> Self {
        let [low, high] = placed.collider.shape.bounds().unwrap_or([Point3::origin(); 2]);
        let extent = low.coords.abs().sum() + high.coords.abs().sum();
        let size = extent + placed.at_t0.abs().sum() + placed.at_t1.abs().sum();
        Self { bound: Bound::of(&placed.collider.shape), keeps: placed.keeps(), size, placed }
    }

    pub(super) fn keeps(&self) -> f32 {
        self.keeps
    }

    /// Which lanes cannot have a contact.
    #[inline]
    pub(super) fn far(&self, block: &Block) -> [bool; LANES] {
        let local = self.local(&block.p);
        let distances = self.bound.distances(&local);
        let closes_sq = self.closes_sq(block, &local);
        let mut far = [false; LANES];
        for i in 0..LANES {
            let sizes = block.p[0][i].abs() + block.p[1][i].abs() + block.p[2][i].abs();
            let sizes = sizes + (block.d[0][i].abs() + block.d[1][i].abs() + block.d[2][i].abs());
            far[i] = is_far(distances[i] * self.keeps - block.reach[i], sizes + self.size, closes_sq[i]);
        }
        far
    }

    /// Whether one lane cannot have a contact, being `distance` (m) or more from the surface.
    pub(super) fn is_far(&self, block: &Block, lane: usize, distance: f32) -> bool {
        let at = |rows: &[Row; 3]| Vector3::from_fn(|k, _| rows[k][lane]);
        let (p, d) = (at(&block.p), at(&block.d));
        let local = self.placed.local_t0(&p.into());
        let [t0, t1] = self.placed.carried(&local);
        let closes_sq = (d - (t1 - t0)).norm_squared();
        let sizes = p.abs().sum() + d.abs().sum();
        is_far(distance * self.keeps - block.reach[lane], sizes + self.size, closes_sq)
    }

    /// The points in the shape's frame: to the bit what [`Placed::local_t0`] gives.
    #[inline]
    fn local(&self, p: &[Row; 3]) -> [Row; 3] {
        let (r, at) = (&self.placed.rotation_t0, &self.placed.at_t0);
        let mut local = [[0.0; LANES]; 3];
        for i in 0..LANES {
            let [x, y, z] = [p[0][i] - at.x, p[1][i] - at.y, p[2][i] - at.z];
            local[0][i] = r.m11 * x + r.m21 * y + r.m31 * z;
            local[1][i] = r.m12 * x + r.m22 * y + r.m32 * z;
            local[2][i] = r.m13 * x + r.m23 * y + r.m33 * z;
        }
        local
    }

    /// Squared length (m²) of each displacement relative to a point that rides on the collider.
    #[inline]
    fn closes_sq(&self, Block { p, d, .. }: &Block, local: &[Row; 3]) -> Row {
        let mut out = [0.0; LANES];
        if !self.placed.moves {
            for i in 0..LANES {
                out[i] = d[0][i] * d[0][i] + d[1][i] * d[1][i] + d[2][i] * d[2][i];
            }
            return out;
        }
        let (r, at) = (&self.placed.rotation_t1, &self.placed.at_t1);
        for i in 0..LANES {
            let [x, y, z] = [local[0][i], local[1][i], local[2][i]];
            let a = d[0][i] - ((r.m11 * x + r.m12 * y + r.m13 * z + at.x) - p[0][i]);
            let b = d[1][i] - ((r.m21 * x + r.m22 * y + r.m23 * z + at.y) - p[1][i]);
            let c = d[2][i] - ((r.m31 * x + r.m32 * y + r.m33 * z + at.z) - p[2][i]);
            out[i] = a * a + b * b + c * c;
        }
        out
    }
}

/// Whether a gap (m) remains however the motion closes it, with sizes (m) for the rounding of both.
#[inline]
fn is_far(gap: f32, sizes: f32, closes_sq: f32) -> bool {
    let certain = gap - ROUNDING * sizes;
    // Squares that leave the range prove nothing, whichever way.
    certain > 1.0e-15 && certain * certain > closes_sq && closes_sq < f32::INFINITY
}

#[inline]
fn norm(x: f32, y: f32, z: f32) -> f32 {
    (x * x + y * y + z * z).sqrt()
}

#[cfg(test)]
mod tests;
