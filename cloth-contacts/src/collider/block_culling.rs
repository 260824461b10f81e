//! Culling of blocks of points against one shape, four points at a time.
//!
//! Each lane performs the same operations as the scalar code of the shape, so distances are bitwise equal.
//! Points that are not culled are tested one by one.

use cloth_geom::bounds::gamma_f32;
use cloth_geom::lanes::{Lanes, Lanes3, Simd, dot, greater, lesser, minus, norm, splat};
use nalgebra::{Point3, Vector3};

use super::contact::{PosedCollider, Swept};
use super::point_blocks::{BlockBounds, ClothPointBlock, QUADS};
use super::tapered::Taper;
use super::{Shape, TINY};

/// Rounding error relative to all lengths involved.
///
/// Distance and approach of a contact are chains of fewer than 64 roundings of sums that are at most four
/// times a coordinate, displacement or extent.
pub(super) const ROUNDING: f32 = gamma_f32(4 * 64);

/// Smallest length (m) whose square is accurate: `2^-100` is normal in `f32`, and underflow in smaller terms
/// is below a roundoff. More than what underflow can take from any distance.
pub(super) const LEAST_GAP: f32 = 1.0 / (1_u64 << 50) as f32;

/// Rules points out by a lower bound of their distance and an upper bound of how far it closes.
pub(super) struct BlockCuller<'a> {
    posed: &'a PosedCollider<'a>,
    bound: DistanceBound,
    min_distance_factor: f32,
    swept: Option<Swept>,
    /// The largest displacement (m) of a point of the shape; `None` if that is unbounded.
    max_displacement: Option<f32>,
    /// Sizes (m) that every rounding error scales with, whatever the point.
    size: f32,
    /// How much farther (m) than the reach of contacts points are wanted.
    beyond: f32,
}

/// A lower bound of a shape's distance that a loop can take.
enum DistanceBound {
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

impl DistanceBound {
    fn from_shape(shape: &Shape) -> Self {
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

    /// The bound (m) for each lane; for a box around a shape it is 0 inside, for all others it is the
    /// distance.
    #[inline]
    fn distances(&self, local: &Lanes3) -> Lanes {
        let &[x, y, z] = local;
        match *self {
            Self::Plane => y,
            Self::Sphere { radius } => norm(local) - radius,
            Self::Capsule { half_length, radius } => {
                let on_axis = lesser(greater(y, splat(-half_length)), splat(half_length));
                norm(&[x, y - on_axis, z]) - radius
            }
            Self::Tapered { taper: Taper::Ball { y: middle, radius }, .. } => {
                norm(&[x, y - middle, z]) - radius
            }
            Self::Tapered { half_length, bottom, top, taper: Taper::Side { c, s, length } } => {
                let across = (x * x + z * z).sqrt();
                let up = y + half_length;
                let along = up * c - across * s;
                let below = norm(&[x, up, z]) - bottom;
                let above = norm(&[x, y - half_length, z]) - top;
                let side = (across * c + up * s) - bottom;
                let distance = Lanes::choose(along.is_less(splat(0.0)), below, side);
                Lanes::choose(splat(length).is_less(along), above, distance)
            }
            Self::Cylinder { half_length, radius } => {
                let across = (x * x + z * z).sqrt();
                let (side, cap) = (across - radius, y.magnitude() - half_length);
                let [beyond_side, beyond_cap] = [side, cap].map(|beyond| greater(beyond, splat(0.0)));
                let distance = (beyond_side * beyond_side + beyond_cap * beyond_cap).sqrt();
                let inside = Lanes::choose(cap.is_less(side), side, cap);
                Lanes::choose(splat(TINY).is_less(distance), distance, inside)
            }
            Self::Cuboid { half } => {
                let beyond = [x.magnitude() - half.x, y.magnitude() - half.y, z.magnitude() - half.z];
                let distance = norm(&beyond.map(|b| greater(b, splat(0.0))));
                let inside = greater(greater(beyond[0], beyond[1]), beyond[2]);
                Lanes::choose(splat(TINY).is_less(distance), distance, inside)
            }
            Self::Around { low, high } => {
                let beyond = |k: usize| greater(splat(low[k]) - local[k], local[k] - high[k]);
                norm(&[0, 1, 2].map(|k| greater(beyond(k), splat(0.0))))
            }
            Self::Nothing => splat(f32::NEG_INFINITY),
        }
    }
}

impl<'a> BlockCuller<'a> {
    pub(super) fn new(posed: &'a PosedCollider<'a>) -> Self {
        Self::reaching(posed, 0.0)
    }

    /// Also keeps points that are up to `beyond` (m) out of the reach of contacts.
    pub(super) fn reaching(posed: &'a PosedCollider<'a>, beyond: f32) -> Self {
        let [low, high] = posed.collider.shape.bounds().unwrap_or([Point3::origin(); 2]);
        let extent = low.coords.abs().sum() + high.coords.abs().sum();
        let size = extent + posed.at_t0.abs().sum() + posed.at_t1.abs().sum() + beyond;
        let swept = posed.swept();
        // A shape at rest has no displacement, even if it is unbounded.
        let max_displacement =
            if posed.is_moving { swept.map(|swept| swept.max_displacement) } else { Some(0.0) };
        Self {
            bound: DistanceBound::from_shape(&posed.collider.shape),
            min_distance_factor: posed.min_distance_factor(),
            swept,
            max_displacement,
            size,
            beyond,
            posed,
        }
    }

    pub(super) fn posed(&self) -> &'a PosedCollider<'a> {
        self.posed
    }

    /// Of four blocks those of which some point could have a contact, by their boxes.
    #[inline]
    pub(super) fn near_boxes(&self, boxes: &BlockBounds) -> u32 {
        self.swept.map_or(boxes.all(), |swept| boxes.near(&swept, self.min_distance_factor, self.beyond))
    }

    /// The lanes of a block that could have a contact.
    #[inline]
    pub(super) fn near(&self, block: &ClothPointBlock) -> u32 {
        if block.active_lanes() == 0 {
            return 0;
        }
        // As in [`BlockBounds::near`], with the distance from the shape itself.
        let max_displacement = self.max_displacement.unwrap_or(f32::INFINITY);
        let sizes = 3.0 * block.size() + 2.0 * block.max_reach() + self.size + max_displacement;
        let beyond = splat(block.max_reach() + self.beyond + max_displacement + ROUNDING * sizes + LEAST_GAP);
        let mut near = 0;
        for quad in 0..QUADS {
            let local = self.local(block.p(quad));
            let certain = self.bound.distances(&local) * self.min_distance_factor;
            if !Lanes::all(beyond.is_less(certain)) {
                near |= self.near_by_displacement(block, quad, &local, certain) << (4 * quad);
            }
        }
        near & block.active_lanes()
    }

    /// Bit mask of the lanes of a quad that may have a contact, given the displacement of each.
    #[inline]
    fn near_by_displacement(
        &self,
        block: &ClothPointBlock,
        quad: usize,
        local: &Lanes3,
        certain: Lanes,
    ) -> u32 {
        let (p, d) = (block.p(quad), block.d(quad));
        let size = |v: &Lanes3| v[0].magnitude() + v[1].magnitude() + v[2].magnitude();
        let sizes = size(p) + size(d);
        let gap = certain - block.reach(quad) - self.beyond - (sizes + self.size) * ROUNDING;
        let closes_sq = self.closes_sq(p, d, local);
        // Squares out of range prove nothing.
        let max_reach = splat(LEAST_GAP).is_less(gap)
            & closes_sq.is_less(gap * gap)
            & closes_sq.is_less(splat(f32::INFINITY));
        !Lanes::bits(max_reach) & 0b1111
    }

    /// Whether one lane cannot have a contact, being `distance` (m) or more from the surface.
    pub(super) fn is_far(&self, block: &ClothPointBlock, lane: usize, distance: f32) -> bool {
        let (p, d) = block.point(lane);
        let local = self.posed.local_t0(&p.into());
        let [t0, t1] = self.posed.surface_point_motion(&local);
        let closes_sq = (d - (t1 - t0)).norm_squared();
        let sizes = p.abs().sum() + d.abs().sum() + self.size;
        let gap = distance * self.min_distance_factor - block.reach_of(lane) - ROUNDING * sizes;
        gap > LEAST_GAP && gap * gap > closes_sq && closes_sq < f32::INFINITY
    }

    /// The points in the frame of the shape; bitwise equal to [`PosedCollider::local_t0`].
    #[inline]
    fn local(&self, p: &Lanes3) -> Lanes3 {
        let (r, at) = (&self.posed.rotation_t0, &self.posed.at_t0);
        let from = [p[0] - at.x, p[1] - at.y, p[2] - at.z];
        [0, 1, 2].map(|k| from[0] * r[(0, k)] + from[1] * r[(1, k)] + from[2] * r[(2, k)])
    }

    /// Squared length (m²) of each displacement relative to a point that rides on the collider.
    #[inline]
    fn closes_sq(&self, p: &Lanes3, d: &Lanes3, local: &Lanes3) -> Lanes {
        if !self.posed.is_moving {
            return dot(d, d);
        }
        let (r, at) = (&self.posed.rotation_t1, &self.posed.at_t1);
        let [x, y, z] = *local;
        let surface_point_motion = |k: usize| (x * r[(k, 0)] + y * r[(k, 1)] + z * r[(k, 2)] + at[k]) - p[k];
        let relative = minus(d, &[surface_point_motion(0), surface_point_motion(1), surface_point_motion(2)]);
        dot(&relative, &relative)
    }
}

#[cfg(test)]
mod tests;
