//! Drives: pull a vertex to its target, limit its distance from it, and keep it out of a backstop.
//!
//! All three act on one vertex at `x` with a target at `t` of normal `n`, immovable, so mass falls out of
//! them:
//!
//! ```text
//!   spring    C = x - t, stiffness k per mass, s = 1 / (k h^2):  l += d, x += d, d = (t - x - s l) / (1 + s)
//!   distance  |x - t| <= most:                                   x = t + (x - t) min(1, most / |x - t|)
//!   backstop  outside of the ball of radius 1/c that begins `behind` behind t; with y = x - t + behind n
//!             height = (2 y.n + c |y|^2) / (1 + q),  q = |n + c y|, along (n + c y) / q, never below zero
//! ```
//!
//! The spring is XPBD with the compliance `1 / (m k)` scaled by the mass: `l` is the displacement that it has
//! made in the substep, so iterations do not stiffen it. The height over the ball is `|y + n/c| - 1/c`,
//! multiplied out so that a plane is the ball with `c = 0` and a large ball loses no digits. Drives push
//! against the world: they conserve no momentum, by intention.
//!
//! Each constraint moves a single vertex, so eight are projected at once, in any order.

mod pose;

use nalgebra::{Point3, Vector3};

use super::lanes::{
    Ids, Instructions, MIN_LENGTH, Numbers, Simd, Vectors, dispatch, dot, gather, greater, in_parts,
    load_vectors, minus, norm, octets, plus_scaled, scatter,
};
use super::{BetweenLevels, ClothInput, Constraint, Pass};
use crate::bodies::Bodies;
use crate::describe::controls::Drive;
pub(crate) use pose::DrivePose;

/// Lengths of time (s).
#[derive(Clone, Copy)]
pub(crate) struct Durations {
    pub(crate) step: f32,
    pub(crate) substep: f32,
}

/// Distance (m) of a backstop that is never reached: its square is still finite.
const NO_BACKSTOP: f32 = 1.0e18;

/// The drive of one cloth.
#[derive(Clone, Debug)]
pub(crate) struct ClothDrive {
    /// Rate (1/s) at which velocities approach that of the pose.
    damping: f32,
    /// Stiffness of the springs by mass (1/s2).
    stiffness: f32,
    limits_distance: bool,
    has_backstop: bool,
    /// The first vertex of the cloth in the common arrays, and the number of its vertices.
    offset: usize,
    count: usize,
    /// The driven vertices in the common arrays.
    vertices: Vec<u32>,
    blocks: Vec<DriveBlock>,
}

/// Eight driven vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
struct DriveBlock {
    vertex: Ids,
    target: [Numbers; 3],
    normal: [Numbers; 3],
    /// Displacement by the springs in the substep (m).
    spring_displacement: [Numbers; 3],
    /// Maximum distance from the target (m).
    max_distance: Numbers,
    /// Distance (m) and curvature (1/m) of the backstop.
    behind: Numbers,
    curvature: Numbers,
}

impl Constraint for Vec<ClothDrive> {
    fn add_cloth(&mut self, cloth: &ClothInput<'_>) {
        if let Some(drive) = &cloth.cloth.drive {
            let mesh = &cloth.cloth.mesh;
            self.push(ClothDrive::new(drive, mesh.positions.len(), cloth.offset as usize));
        }
    }

    fn project(&mut self, bodies: &mut Bodies<'_>, pass: Pass, _: BetweenLevels<'_>) {
        self.iter_mut().for_each(|drive| drive.project(bodies, pass.first));
    }
}

impl ClothDrive {
    /// The drive of a cloth of `count` vertices that begin at `offset`; its pose is in the
    /// [`State`](crate::state::State).
    pub(crate) fn new(desc: &Drive, count: usize, offset: usize) -> Self {
        let all = || (0..count as u32).collect();
        let vertices: Vec<u32> = desc.vertices.clone().unwrap_or_else(all);
        let max_distance = |i: usize| desc.max_distance.as_ref().map_or(f32::INFINITY, |d| d[i]);
        let backstop = |i: usize| desc.backstop.as_ref().and_then(|b| b[i]);
        let block = |octet: [usize; 8]| DriveBlock {
            vertex: octet.map(|i| vertices[i] + offset as u32),
            target: [[0.0; 8]; 3],
            normal: [[0.0; 8]; 3],
            spring_displacement: [[0.0; 8]; 3],
            max_distance: octet.map(max_distance),
            behind: octet.map(|i| backstop(i).map_or(NO_BACKSTOP, |b| b.distance)),
            curvature: octet.map(|i| backstop(i).map_or(0.0, |b| 1.0 / b.radius)),
        };
        Self {
            damping: desc.damping,
            stiffness: desc.stiffness,
            limits_distance: desc.max_distance.is_some(),
            has_backstop: desc.backstop.is_some(),
            offset,
            blocks: octets(vertices.len()).map(block).collect(),
            vertices: vertices.iter().map(|v| v + offset as u32).collect(),
            count,
        }
    }

    /// The vertices of the cloth in the common arrays.
    pub(crate) fn cloth(&self) -> std::ops::Range<usize> {
        self.offset..self.offset + self.count
    }

    /// Sets the targets for the end of a substep, at the share `to` of the step.
    pub(crate) fn set_targets(&mut self, pose: &DrivePose, to: f32) {
        self.set_targets_by(|v| pose.target(v, to), |v| pose.normal(v, to));
    }

    /// Sets the target (m) of each vertex of the cloth, and its normal where there is a backstop.
    pub(crate) fn set_targets_by(
        &mut self,
        target: impl Fn(usize) -> Point3<f32>,
        normal: impl Fn(usize) -> Vector3<f32>,
    ) {
        for block in &mut self.blocks {
            let own = block.vertex.map(|v| v as usize - self.offset);
            let targets = own.map(&target);
            block.target = [0, 1, 2].map(|k| targets.map(|t| t[k]));
            if self.has_backstop {
                let normals = own.map(&normal);
                block.normal = [0, 1, 2].map(|k| normals.map(|n| n[k]));
            }
        }
    }

    /// One pass over the driven vertices.
    pub(crate) fn project(&mut self, bodies: &mut Bodies<'_>, first: bool) {
        dispatch!(bodies.level, simd => self.project_blocks(simd, bodies, first));
    }

    #[inline(always)]
    fn project_blocks<S: Instructions>(&mut self, simd: S, bodies: &mut Bodies<'_>, first: bool) {
        let softness = simd.splat(1.0 / (self.stiffness * bodies.h * bodies.h));
        for block in &mut self.blocks {
            if first {
                // Not times zero: a step that failed may have left a NaN.
                block.spring_displacement = [[0.0; 8]; 3];
            }
            let ids = block.vertex;
            in_parts(
                simd,
                &ids,
                #[inline(always)]
                |part| {
                    let (start, w) = gather(simd, part, |l| &bodies.x[ids[l] as usize]);
                    let target = load_vectors(simd, &block.target, part);
                    let mut x = start;
                    if self.stiffness > 0.0 {
                        x = block.apply_spring(simd, part, &x, &target, softness);
                    }
                    if self.limits_distance {
                        x = limit_distance(simd, &x, &target, simd.load(&block.max_distance, part));
                    }
                    if self.has_backstop {
                        x = block.apply_backstop(simd, part, &x, &target);
                    }
                    let (zero, one) = (simd.splat(0.0), simd.splat(1.0));
                    let free = S::Lanes::choose(zero.is_less(w), one, zero);
                    let end = plus_scaled(&start, &minus(&x, &start), free);
                    scatter(simd, part, end, w, |l, position| bodies.x[ids[l] as usize] = position);
                },
            );
        }
    }

    /// Damps velocities (m/s) towards those of the pose over a substep.
    pub(crate) fn damp(
        &self,
        pose: &DrivePose,
        velocities: &mut [Vector3<f32>],
        inv_mass: &[f32],
        Durations { step: dt, substep: h }: Durations,
    ) {
        if self.damping == 0.0 {
            return;
        }
        let lost = -libm::expm1f(-self.damping * h);
        for &v in &self.vertices {
            let v = v as usize;
            if inv_mass[v] > 0.0 {
                let wanted = pose.displacement(v - self.offset) / dt;
                velocities[v] += (wanted - velocities[v]) * lost;
            }
        }
    }
}

impl DriveBlock {
    #[inline(always)]
    fn apply_spring<S: Instructions>(
        &mut self,
        simd: S,
        part: usize,
        x: &Vectors<S>,
        target: &Vectors<S>,
        softness: S::Lanes,
    ) -> Vectors<S> {
        let mut moved = *x;
        for k in 0..3 {
            let displacement = simd.load(&self.spring_displacement[k], part);
            let correction = (target[k] - x[k] - softness * displacement) / (simd.splat(1.0) + softness);
            simd.store(displacement + correction, &mut self.spring_displacement[k], part);
            moved[k] = x[k] + correction;
        }
        moved
    }

    #[inline(always)]
    fn apply_backstop<S: Instructions>(
        &self,
        simd: S,
        part: usize,
        x: &Vectors<S>,
        target: &Vectors<S>,
    ) -> Vectors<S> {
        let (n, c) = (load_vectors(simd, &self.normal, part), simd.load(&self.curvature, part));
        let y = plus_scaled(&minus(x, target), &n, simd.load(&self.behind, part));
        let out = plus_scaled(&n, &y, c);
        let q = greater(norm(&out), simd.splat(MIN_LENGTH));
        let inside = greater(-(dot(&y, &n) * simd.splat(2.0) + c * dot(&y, &y)), simd.splat(0.0));
        // One division for both the height and the direction.
        plus_scaled(x, &out, inside / ((simd.splat(1.0) + q) * q))
    }
}

/// Moves what is farther from its target than the maximum distance (m) to that distance.
#[inline(always)]
fn limit_distance<S: Instructions>(
    simd: S,
    x: &Vectors<S>,
    target: &Vectors<S>,
    max_distance: S::Lanes,
) -> Vectors<S> {
    let away = minus(x, target);
    let length = greater(norm(&away), simd.splat(MIN_LENGTH));
    let too_far = greater(simd.splat(1.0) - max_distance / length, simd.splat(0.0));
    plus_scaled(x, &away, -too_far)
}

#[cfg(test)]
mod tests;
