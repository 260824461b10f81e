//! The motion of one patch in one step: translation, rotation, and a bound on the deviation of its vertices.
//!
//! ```text
//! approach of any vertex of A and any of B  <=  |translation_A - translation_B| + deviation_A + deviation_B
//! without a common rotation w               <=  |translation_A - translation_B - w x (centre_A - centre_B)|
//!                                                + |w_A - w| (radius_A + radius_B) + deviation_A + deviation_B
//! ```
//!
//! Translation and rotation may be chosen freely: the deviation is measured from them, and it alone has to be
//! an upper bound. Displacements are differences of `f32` positions, rounded once: each coordinate has an
//! error of at most `u` of its magnitude (`u = 2^-24`), a vector of `sqrt(3) u` of the largest.
//! [`difference_error`] adds this to a deviation.

use cloth_geom::MapInline;
use cloth_geom::bounds::{U32, U64, Upper, gamma};
use cloth_geom::lanes::{Block, Lanes8, Vectors8, cross, minus, occupied_lanes, splat, sum_of_lanes};
use nalgebra::{Matrix3, Vector3};

use crate::detect::motion::extent::Extent;
use crate::detect::motion::motion_bounds::MotionBounds;

/// Smallest deviation, in units of the patch radius, for which a rotation is fitted: below it the fit costs
/// more than it saves.
const MIN_ROTATION_DEVIATION: f64 = 1.0 / 1024.0;

/// Share of the deviation that a rotation has to explain to be used.
const MIN_ROTATION_SHARE: f64 = 0.5;

/// Rounding error (m) of vectors that are differences of two `f32` each.
fn difference_error(extent: &Extent) -> Upper {
    Upper::from(extent.magnitude()).times(gamma(2, U32))
}

/// A translation of a patch, with the deviation of its vertices from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TranslationBound {
    /// The translation (m).
    pub(crate) centre: Vector3<f64>,
    /// Upper bound on the difference of the displacement of a vertex from it (m).
    pub(crate) deviation: Upper,
}

/// The motion of a patch over a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PatchMotion {
    pub(crate) translation: TranslationBound,
    /// The rotation vector (rad); zero if no rotation was fitted.
    rotation: Vector3<f64>,
    /// The motion without the rotation about the centre of the patch.
    residual: TranslationBound,
}

/// Bounding sphere of a patch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundingSphere {
    /// Approximate centre (m).
    centre: Vector3<f32>,
    /// Distance from the centre to the farthest vertex (m).
    radius: Upper,
}

impl BoundingSphere {
    pub(crate) fn new(at: &Extent) -> Self {
        let centre = at.centre();
        Self { centre, radius: at.farthest_from(&centre.cast()) }
    }

    /// Upper bound of the distance (m) of any two vertices.
    pub(crate) fn size(&self) -> Upper {
        self.radius.times(2.0)
    }
}

/// The corners of a patch with positions and displacements (m), in blocks of eight. The last corner is
/// repeated in unused lanes.
#[derive(Clone, Copy)]
pub(crate) struct Corners<'a> {
    pub(crate) positions: &'a [Block<3>],
    pub(crate) displacements: &'a [Block<3>],
    /// Number of corners.
    pub(crate) count: usize,
}

impl Corners<'_> {
    fn each(&self) -> impl Iterator<Item = (Vectors8, Vectors8)> {
        self.positions.iter().zip(self.displacements).map(|(p, d)| (p.vectors(0), d.vectors(0)))
    }
}

impl PatchMotion {
    /// No motion.
    pub(crate) const NONE: Self = Self {
        translation: TranslationBound::NONE,
        rotation: Vector3::new(0.0, 0.0, 0.0),
        residual: TranslationBound::NONE,
    };

    /// The motion of a patch. `fit` caches the rotation fit of these positions and is computed on demand.
    pub(crate) fn new(
        sphere: &BoundingSphere,
        corners: Corners<'_>,
        fit: &mut Option<RotationFit>,
        motion_bounds: MotionBounds,
    ) -> Self {
        let all = Extent::from_vectors(corners.displacements.iter().map(|d| d.vectors(0)));
        let rounded = difference_error(&all);
        let translation = TranslationBound::new(&all, rounded, motion_bounds);
        let without_rotation = Self { translation, rotation: Vector3::zeros(), residual: translation };
        let (deviation, radius) = (translation.deviation.get(), sphere.radius.get());
        if deviation <= MIN_ROTATION_DEVIATION * radius {
            return without_rotation;
        }
        let rotation = fit.get_or_insert_with(|| RotationFit::new(corners)).rotation(corners);
        let share = f64::from(rotation.norm()) * radius;
        if share.is_nan() || share <= MIN_ROTATION_SHARE * deviation {
            return without_rotation;
        }
        let (in_lanes, centre) = (splat(rotation.into()), splat(sphere.centre.into()));
        let residual_extent = Extent::from_vectors(
            corners.each().map(|(p, d)| minus(&d, &cross(&in_lanes, &minus(&p, &centre)))),
        );
        let rotation = rotation.cast();
        // A coordinate of the cross product is a difference of two products of a rounded difference: three
        // roundings of at most
        // |rotation| radius; three coordinates give a factor of sqrt(3). The last difference rounds once.
        let product_error = (Upper::norm(&rotation) * sphere.radius).times(gamma(6, U32));
        let residual = TranslationBound::new(
            &residual_extent,
            rounded + product_error + difference_error(&residual_extent),
            motion_bounds,
        );
        if residual.deviation.get() < 0.5 * deviation {
            Self { translation, rotation, residual }
        } else {
            without_rotation
        }
    }

    /// Upper bound (m) on how much the distance between a vertex of one patch and one of the other can
    /// shrink.
    ///
    /// A rotation that both have in common changes no distance to first order, and none at all as a linear
    /// motion: its contribution to the difference of two points is perpendicular to it.
    #[inline]
    pub(crate) fn relative(&self, other: &Self, spheres: [&BoundingSphere; 2]) -> Upper {
        let plain = self.translation.relative(&other.translation);
        if self.rotation == Vector3::zeros() && other.rotation == Vector3::zeros() {
            return plain;
        }
        let (common, own) = ((self.rotation + other.rotation) * 0.5, (self.rotation - other.rotation) * 0.5);
        let (centre, deviation) = self.residual.relative_to(&other.residual);
        let [a, b] = spheres;
        let arm = a.centre.cast::<f64>() - b.centre.cast();
        let radii = a.radius.get() + b.radius.get();
        let rotations = self.rotation.norm() + other.rotation.norm();
        // Halves, lever arm, cross product and difference: at most eight roundings per term.
        let rounded = (rotations * (arm.norm() + radii) + centre.norm()) * gamma(32, U64);
        let left = (centre - common.cross(&arm)).norm() + own.norm() * radii + deviation + rounded;
        plain.min(Upper::computed(left))
    }
}

/// The least-squares rotation fit of some positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RotationFit {
    /// The mean position (m).
    centre: Vector3<f32>,
    /// Inverse inertia (1/m²) about the mean; `None` for collinear corners.
    inverse: Option<Matrix3<f32>>,
}

/// Lane weights: 1 in lanes with corners, 0 in the others.
fn weights(count: usize, block: usize) -> Lanes8 {
    let occupied = occupied_lanes(count, block);
    Lanes8::new(
        [0, 1, 2, 3, 4, 5, 6, 7].map_inline(|lane: usize| if occupied >> lane & 1 == 1 { 1.0 } else { 0.0 }),
    )
}

/// Sum of the vectors of all corners.
fn sum(blocks: &[Block<3>], count: usize) -> Vector3<f32> {
    let mut sums = [Lanes8::ZERO; 3];
    for (number, block) in blocks.iter().enumerate() {
        let (v, weights) = (block.vectors(0), weights(count, number));
        for k in 0..3 {
            sums[k] += v[k] * weights;
        }
    }
    Vector3::from(sums.map_inline(sum_of_lanes))
}

impl RotationFit {
    fn new(corners: Corners<'_>) -> Self {
        let centre = sum(corners.positions, corners.count) / corners.count as f32;
        let [mut squares, mut products] = [[Lanes8::ZERO; 3]; 2];
        for (r, weights) in lever_arms(corners, &centre) {
            for k in 0..3 {
                let next = (k + 1) % 3;
                squares[k] += r[k] * r[k] * weights;
                products[k] += r[k] * r[next] * weights;
            }
        }
        let ([x, y, z], [xy, yz, zx]) = (squares.map_inline(sum_of_lanes), products.map_inline(sum_of_lanes));
        let inertia = Matrix3::new(y + z, -xy, -zx, -xy, z + x, -yz, -zx, -yz, x + y);
        Self { centre, inverse: inertia.try_inverse() }
    }

    /// The rotation vector (rad) that fits the displacements best in the least-squares sense; zero for
    /// collinear corners.
    fn rotation(&self, corners: Corners<'_>) -> Vector3<f32> {
        let Some(inverse) = self.inverse else { return Vector3::zeros() };
        let mean_displacement =
            splat((sum(corners.displacements, corners.count) / corners.count as f32).into());
        let mut moment = [Lanes8::ZERO; 3];
        for ((r, weights), (_, d)) in lever_arms(corners, &self.centre).zip(corners.each()) {
            let of_corner = cross(&r, &minus(&d, &mean_displacement));
            for k in 0..3 {
                moment[k] += of_corner[k] * weights;
            }
        }
        inverse * Vector3::from(moment.map_inline(sum_of_lanes))
    }
}

/// The corners relative to a point, with their lane weights.
fn lever_arms<'a>(
    corners: Corners<'a>,
    from: &Vector3<f32>,
) -> impl Iterator<Item = (Vectors8, Lanes8)> + use<'a> {
    let from = splat((*from).into());
    let blocks = corners.positions.iter().enumerate();
    blocks.map(move |(number, p)| (minus(&p.vectors(0), &from), weights(corners.count, number)))
}

impl TranslationBound {
    pub(crate) const NONE: Self = Self { centre: Vector3::new(0.0, 0.0, 0.0), deviation: Upper::ZERO };

    /// The centre of an extent of displacements, each of which may be off by `rounded` (m).
    fn new(extent: &Extent, rounded: Upper, motion_bounds: MotionBounds) -> Self {
        let centre = extent.centre().cast();
        Self { centre, deviation: motion_bounds.deviation(extent, &centre, rounded) }
    }

    /// As [`Self::new`], for displacements that are differences of two `f32` each.
    pub(crate) fn from_displacements(extent: &Extent, motion_bounds: MotionBounds) -> Self {
        Self::new(extent, difference_error(extent), motion_bounds)
    }

    /// The motion of one middle relative to the other, and both spreads (m), each rounded once.
    #[inline]
    pub(crate) fn relative_to(&self, other: &Self) -> (Vector3<f64>, f64) {
        (self.centre - other.centre, self.deviation.get() + other.deviation.get())
    }

    /// The most that a vertex moves beyond a mean motion (m).
    #[inline]
    pub(crate) fn max_difference(&self, mean: &Vector3<f64>) -> Upper {
        Upper::computed((self.centre - mean).norm() + self.deviation.get())
    }

    /// The most that a vertex of one patch moves relative to one of another (m).
    #[inline]
    fn relative(&self, other: &Self) -> Upper {
        let (centre, deviation) = self.relative_to(other);
        Upper::computed(centre.norm() + deviation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::lanes::LANES8;
    use nalgebra::Point3;
    use proptest::prelude::*;

    fn vector(size: f32) -> impl Strategy<Value = Vector3<f32>> {
        [-size..size, -size..size, -size..size].prop_map(Vector3::from)
    }

    /// Four corners and their displacements.
    type Patch = Vec<(Point3<f32>, Vector3<f32>)>;

    /// A patch of four corners about a place, moved by a turn about the origin and something of each corner's
    /// own.
    fn patch(place: Vector3<f32>) -> impl Strategy<Value = Patch> {
        proptest::collection::vec((vector(0.1), vector(1.0e-3)), 4)
            .prop_map(move |corners| corners.into_iter().map(|(p, d)| ((place + p).into(), d)).collect())
    }

    /// The same at another scale, somewhere else, and with a common motion (m).
    fn elsewhere(patch: &Patch, scale: f32, origin: f32, common: f32) -> Patch {
        let (origin, common) = (Vector3::repeat(origin), Vector3::new(common, -common, 0.5 * common));
        patch.iter().map(|(p, d)| (p * scale + origin, d * scale + common)).collect()
    }

    fn patch_motion(corners: &[(Point3<f32>, Vector3<f32>)]) -> (BoundingSphere, PatchMotion) {
        let mut at = Extent::EMPTY;
        corners.iter().for_each(|(p, _)| at.include(p.coords.into()));
        let sphere = BoundingSphere::new(&at);
        let ids: Vec<[u32; LANES8]> = (0..corners.len().div_ceil(LANES8))
            .map(|block| std::array::from_fn(|l| (block * LANES8 + l).min(corners.len() - 1) as u32))
            .collect();
        let [places, displacements]: [Vec<Vector3<f32>>; 2] =
            [corners.iter().map(|(p, _)| p.coords).collect(), corners.iter().map(|(_, d)| *d).collect()];
        let blocks =
            |list: &[Vector3<f32>]| ids.iter().map(|ids| Block::gather(list, ids)).collect::<Vec<_>>();
        let (places, displacements) = (blocks(&places), blocks(&displacements));
        let corners = Corners { positions: &places, displacements: &displacements, count: corners.len() };
        (sphere, PatchMotion::new(&sphere, corners, &mut None, MotionBounds::SOUND))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1024, ..ProptestConfig::default() })]

        #[test]
        fn no_two_corners_come_nearer_than_the_bound_at_any_time(
            mut a in patch(Vector3::new(0.2, 0.0, 0.0)),
            mut b in patch(Vector3::new(-0.2, 0.1, 0.0)),
            rotations in [vector(0.5), vector(0.5)],
            same_orientation in any::<bool>(),
            (scale, origin, common) in prop_oneof![
                Just((1.0_f32, 0.0_f32, 0.0_f32)),
                Just((1.0e-4, 0.0, 1.0)),
                Just((1.0e4, 0.0, 1.0e3)),
                Just((1.0, 1.0e5, 2.0)),
                Just((1.0, 10.0, 100.0)),
            ],
        ) {
            for (patch, rotation) in [(&mut a, rotations[0]), (&mut b, rotations[usize::from(!same_orientation)])] {
                patch.iter_mut().for_each(|(p, d)| *d += rotation.cross(&p.coords));
            }
            let (a, b) = (elsewhere(&a, scale, origin, common), elsewhere(&b, scale, origin, common));
            let ends = |patch: &Patch| patch.iter().map(|(p, d)| p + d).collect::<Vec<_>>();
            let (ends_a, ends_b) = (ends(&a), ends(&b));
            // What is noted is the difference of two positions, and rounded.
            let noted = |patch: &Patch, ends: &[Point3<f32>]| -> Patch {
                patch.iter().zip(ends).map(|((p, _), end)| (*p, end - p)).collect()
            };
            let ((sphere_a, motion_a), (sphere_b, motion_b)) = (patch_motion(&noted(&a, &ends_a)), patch_motion(&noted(&b, &ends_b)));
            let bound = motion_a.relative(&motion_b, [&sphere_a, &sphere_b]).get();
            let both = |a: &Patch, ends: &[Point3<f32>]| -> Vec<[Vector3<f64>; 2]> {
                let whole = |p: &Point3<f32>| p.coords.cast::<f64>();
                a.iter().zip(ends).map(|((p, _), end)| [whole(p), whole(end) - whole(p)]).collect()
            };
            let (a, b) = (both(&a, &ends_a), both(&b, &ends_b));
            for ([p, d], [q, e]) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))) {
                // Exact but for f64, in which the differences of f32 are.
                let (apart, relative) = (p - q, d - e);
                for share in [0.25, 0.5, 1.0] {
                    let lost = apart.norm() - (apart + relative * share).norm();
                    let in_f64 = 16.0 * U64 * (apart.norm() + relative.norm());
                    prop_assert!(lost <= bound * share + in_f64, "{lost} {bound}");
                }
            }
        }

        #[test]
        fn gap_and_size_of_two_boxes_bound_distances_of_their_points(
            points in proptest::collection::vec((vector(1.0), vector(1.0)), 1..5),
            origin in prop_oneof![Just(0.0_f32), Just(1.0e5)],
        ) {
            let (mut a, mut b) = (Extent::EMPTY, Extent::EMPTY);
            let moved = |p: &Vector3<f32>| p.add_scalar(origin);
            for (p, q) in &points {
                a.include(moved(p).into());
                b.include(moved(q).into());
            }
            for (p, q) in points.iter().flat_map(|(p, _)| points.iter().map(move |(_, q)| (p, q))) {
                let apart = (moved(p).cast::<f64>() - moved(q).cast::<f64>()).norm();
                prop_assert!(a.gap(&b).get() <= apart && apart <= a.size_with(&b).get());
            }
        }
    }

    #[test]
    fn a_difference_of_two_positions_may_be_off_by_its_rounding() {
        let extent = Extent { min: [-2.0, 0.0, 0.5], max: [1.0, 1.0, 1.0] };
        let rounded = 3.0_f64.sqrt() * U32 * 2.0;
        assert!((rounded..4.0 * rounded).contains(&difference_error(&extent).get()));
    }

    #[test]
    fn what_turns_together_does_not_approach() {
        let corners = |at: f32| {
            let places = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.1, 0.1, 0.02]];
            let rotation = Vector3::new(0.0, 0.1, 0.3);
            let at = places.map(|p| Point3::from(p) + Vector3::new(at, 0.0, 0.0));
            at.map(|p| (p, rotation.cross(&p.coords) + Vector3::new(3.0, 0.0, 0.0)))
        };
        let ((sphere_a, a), (sphere_b, b)) = (patch_motion(&corners(0.0)), patch_motion(&corners(0.2)));
        assert!(a.translation.relative(&b.translation).get() > 0.05);
        assert!(a.relative(&b, [&sphere_a, &sphere_b]).get() < 1.0e-4);
    }
}
