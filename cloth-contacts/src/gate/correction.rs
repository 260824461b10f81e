//! How the gate corrects a motion that is not certified, in three levels of escalation.
//!
//! ```text
//! project        onto the half-space of a plane between the two primitives (truncation), which keeps the
//!                tangential motion
//! move rigidly   each impact zone moves as one, together with its kinematic vertices
//! freeze         each impact zone stays at its start
//! ```

use cloth_geom::DisjointSets;
use nalgebra::{Point3, Vector3};

use super::pair::{Closest, PairCorners};
use crate::Coordinate;
use crate::coordinate::{exact, nearest};

/// A motion under correction.
pub(super) struct CorrectedMotion<'a, T: Coordinate = f32> {
    /// Positions at the start (m).
    pub(super) t0: &'a [Point3<T>],
    /// Positions at the end (m).
    pub(super) t1: &'a mut [Point3<T>],
    /// Inverse masses (1/kg); 0 is kinematic.
    pub(super) inv_mass: &'a [T],
}

impl<T: Coordinate> CorrectedMotion<'_, T> {
    fn displacement(&self, v: u32) -> Vector3<f64> {
        let v = v as usize;
        exact(&self.t1[v]) - exact(&self.t0[v])
    }

    /// Positions (m) at both ends.
    fn ends(&self, v: u32) -> [Point3<f64>; 2] {
        [exact(&self.t0[v as usize]), exact(&self.t1[v as usize])]
    }

    pub(super) fn is_free(&self, v: u32) -> bool {
        self.inv_mass[v as usize] > T::default()
    }

    /// Moves the end of a vertex; returns whether it changed.
    pub(super) fn set_end(&mut self, v: u32, end: Point3<T>) -> bool {
        let changed = self.t1[v as usize] != end;
        self.t1[v as usize] = end;
        changed
    }

    pub(super) fn is_at_start(&self, v: u32) -> bool {
        self.t1[v as usize] == self.t0[v as usize]
    }

    /// Moves the end of a vertex to its start; returns whether it changed.
    pub(super) fn freeze(&mut self, v: u32) -> bool {
        self.set_end(v, self.t0[v as usize])
    }
}

/// Projects the free vertices of a pair onto their side of a plane between its closest points (truncation).
/// The plane moves with the kinematic primitive, or else with the mean of both. A vertex keeps half the
/// clearance (m) from it, or its initial height if that is less; at least half of `least` (m).
pub(super) fn project<T: Coordinate>(
    corners: &PairCorners,
    motion: &mut CorrectedMotion<'_, T>,
    clearance: f64,
    least: Option<f64>,
) {
    let t0 = corners.at(motion.t0);
    let closest = corners.closest(&t0);
    let Some(normal) = closest.direction() else { return };
    let plane = Plane::between(corners, &closest, &normal, motion);
    for (k, &v) in corners.vertices.iter().enumerate() {
        let side = if k < corners.split { 1.0 } else { -1.0 };
        let height_t0 = (normal.dot(&t0[k].coords) - plane.offset_t0) * side;
        let end = exact(&motion.t1[v as usize]);
        let height_t1 = (normal.dot(&end.coords) - plane.offset_t1) * side;
        let kept = height_t0.min(0.5 * clearance);
        let least = least.map_or(kept, |least| kept.max(0.5 * least));
        if height_t1 < least && motion.is_free(v) {
            let back = end + normal * ((least - height_t1) * side);
            motion.set_end(v, nearest(&back));
        }
    }
}

/// A plane across the gap, as heights (m) along the normal at both ends of the motion.
struct Plane {
    offset_t0: f64,
    offset_t1: f64,
}

impl Plane {
    fn between(
        corners: &PairCorners,
        closest: &Closest,
        normal: &Vector3<f64>,
        motion: &CorrectedMotion<'_, impl Coordinate>,
    ) -> Self {
        let height = |p: Point3<f64>| normal.dot(&p.coords);
        let (mut feet, mut displacements, mut mobility) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        // Lowest end of the first primitive, highest end of the second.
        let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
        for (k, (&v, weight)) in corners.vertices.iter().zip(closest.weights).enumerate() {
            let side = usize::from(k >= corners.split);
            let [from, to] = motion.ends(v).map(height);
            feet[side] += weight * from;
            displacements[side] += weight * (to - from);
            mobility[side] += weight * motion.inv_mass[v as usize].into();
            ends[side] = if side == 0 { ends[0].min(to) } else { ends[1].max(to) };
        }
        let offset_t0 = 0.5 * (feet[0] + feet[1]);
        let margin = 0.5 * closest.distance;
        let rigid = |side: &[u32]| !side.iter().any(|&v| motion.is_free(v));
        let (a, b) = corners.sides();
        let offset_t1 = match (rigid(a), rigid(b)) {
            (true, false) => ends[0] - margin,
            (false, true) => ends[1] + margin,
            _ => {
                let both = mobility[0] + mobility[1];
                let displacement = if both > 0.0 {
                    (displacements[0] * mobility[1] + displacements[1] * mobility[0]) / both
                } else {
                    0.0
                };
                offset_t0 + displacement
            }
        };
        Self { offset_t0, offset_t1 }
    }
}

/// Impact zones: vertices connected by pairs that are not certified, which move as one (Bridson, Fedkiw and
/// Anderson 2002).
#[derive(Clone, Debug, Default)]
pub(super) struct ImpactZones {
    sets: DisjointSets,
    members: Vec<u32>,
    is_member: Vec<bool>,
    /// By zone.
    sums: Vec<ZoneSum>,
}

/// What a zone moves by: the mean of its kinematic vertices, or without any, of all.
#[derive(Clone, Copy, Debug)]
struct ZoneSum {
    /// Sum of displacements (m) and number of vertices.
    sum: Vector3<f64>,
    count: f64,
    are_kinematic: bool,
}

impl ZoneSum {
    fn new(are_kinematic: bool) -> Self {
        Self { sum: Vector3::zeros(), count: 0.0, are_kinematic }
    }

    /// Counts the displacement (m) of a vertex.
    fn add(&mut self, displacement: Vector3<f64>, is_kinematic: bool) {
        if is_kinematic && !self.are_kinematic {
            *self = Self::new(true);
        }
        if is_kinematic == self.are_kinematic {
            self.sum += displacement;
            self.count += 1.0;
        }
    }
}

impl ImpactZones {
    pub(super) fn begin(&mut self, count: usize) {
        self.sets.reset(count);
        self.members.clear();
        self.is_member.clear();
        self.is_member.resize(count, false);
    }

    /// Merges the vertices of a pair into one zone.
    pub(super) fn merge(&mut self, corners: &PairCorners) {
        for &v in &corners.vertices {
            self.sets.join(corners.vertices[0], v);
            if !self.is_member[v as usize] {
                self.is_member[v as usize] = true;
                self.members.push(v);
            }
        }
    }

    /// Moves each zone rigidly: with its kinematic vertices, or else by its mean proposed displacement.
    /// `proposed` are end positions (m).
    pub(super) fn move_rigidly<T: Coordinate>(
        &mut self,
        motion: &mut CorrectedMotion<'_, T>,
        proposed: &[Point3<T>],
        mut changed: impl FnMut(u32),
    ) {
        self.members.sort_unstable();
        self.sums.clear();
        self.sums.resize(motion.t0.len(), ZoneSum::new(false));
        for &v in &self.members {
            let is_kinematic = !motion.is_free(v);
            let displacement = if is_kinematic {
                motion.displacement(v)
            } else {
                exact(&proposed[v as usize]) - exact(&motion.t0[v as usize])
            };
            self.sums[self.sets.find(v) as usize].add(displacement, is_kinematic);
        }
        for &v in &self.members {
            if !motion.is_free(v) {
                continue;
            }
            let ZoneSum { sum, count, .. } = self.sums[self.sets.find(v) as usize];
            let end = exact(&motion.t0[v as usize]) + sum / count;
            if motion.set_end(v, nearest(&end)) {
                changed(v);
            }
        }
    }

    pub(super) fn members(&self) -> &[u32] {
        &self.members
    }
}
