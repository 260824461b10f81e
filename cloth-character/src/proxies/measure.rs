//! Measures proxies against the skin: coverage, excess and undercut.

use std::f64::consts::PI;

use cloth_geom::{sorted_unique, surface_tree::INSIDE};
use nalgebra::{Point3, Vector3};

use super::{
    BoneFit, FitFigures, FitReport, Proxy, WorldProxy,
    bones::BonePlan,
    samples::PosedSkin,
    world::{Taper, perpendiculars},
};
use crate::Skeleton;

/// Points on the surface of proxies per square of the height: a spacing of 17 mm on a human.
const DENSITY: f64 = 10_000.0;

/// Points on a proxy at least and at most, so that small ones are measured and huge ones end.
const POINTS: [f64; 2] = [64.0, 20_000.0];

/// The angle from one point to the next around the axis, in turns: the golden ratio spreads them evenly
/// (Vogel 1979).
const GOLDEN: f64 = 0.381_966_011_250_105_1;

/// The sum of excesses over points of equal area of one proxy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Excess {
    /// The area outside of the skin, m².
    pub(super) area: f64,
    /// Excess times area, m³.
    pub(super) volume: f64,
    /// The largest excess, m.
    pub(super) max: f64,
}

impl Excess {
    pub(super) fn mean(&self) -> f64 {
        if self.area > 0.0 { self.volume / self.area } else { 0.0 }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.area += other.area;
        self.volume += other.volume;
        self.max = self.max.max(other.max);
    }
}

/// The excess of one proxy over those points of its surface that no other proxy contains.
pub(super) fn measure_excess(skin: &PosedSkin, proxy: &WorldProxy, others: &[Taper]) -> Excess {
    let mut excess = Excess::default();
    visit_surface(proxy, skin.height, |point, area| {
        if others.iter().any(|other| other.signed_distance(point) < 0.0)
            || skin.surface.winding_number(point) > INSIDE
        {
            return;
        }
        let distance = skin.surface.distance(point);
        if distance.is_finite() {
            excess.add(&Excess { area, volume: distance * area, max: distance });
        }
    });
    excess
}

/// Visits points spread evenly over the surface of a proxy, with the area for which each stands.
fn visit_surface(proxy: &WorldProxy, height: f64, mut visit: impl FnMut(&Point3<f64>, f64)) {
    let taper = Taper::new(proxy);
    let ([r0, r1], length) = (taper.radii, taper.length);
    // The two caps as zones of spheres, and the side between them, whose normals rise by `sin`.
    let areas = [
        2.0 * PI * r0 * r0 * (1.0 + taper.sin),
        PI * (r0 + r1) * taper.cos * taper.cos * length,
        2.0 * PI * r1 * r1 * (1.0 - taper.sin),
    ];
    let total: f64 = areas.iter().sum();
    let count = (total / (height * height) * DENSITY).clamp(POINTS[0], POINTS[1]) as u32;
    let area = total / f64::from(count);
    let axis = if length > 0.0 { taper.axis } else { Vector3::y() };
    let across = perpendiculars(&axis);
    for k in 0..count {
        let mut place = (f64::from(k) + 0.5) * area;
        let turn = (f64::from(k) * GOLDEN).fract() * 2.0 * PI;
        let around = across[0] * libm::cos(turn) + across[1] * libm::sin(turn);
        let (center, radius, rise) = if place < areas[0] {
            (taper.start, r0, -1.0 + (1.0 + taper.sin) * (place / areas[0]))
        } else if place - areas[0] < areas[1] {
            place -= areas[0];
            let t = place_on_side(r0, r1, place / areas[1]);
            (taper.start + axis * (length * t), r0 + (r1 - r0) * t, taper.sin)
        } else {
            place -= areas[0] + areas[1];
            (taper.end, r1, taper.sin + (1.0 - taper.sin) * (place / areas[2]).min(1.0))
        };
        let normal = axis * rise + around * (1.0 - rise * rise).max(0.0).sqrt();
        visit(&(center + normal * radius), area);
    }
}

/// Where along the side the given share of its area is passed: the positive root of
/// `(r1 - r0) t² / 2 + r0 t = share (r0 + r1) / 2`.
fn place_on_side(r0: f64, r1: f64, share: f64) -> f64 {
    let root = (r0 * r0 + (r1 - r0) * (r0 + r1) * share).max(0.0).sqrt();
    // In the form that divides by a sum and not by a difference, which may be 0.
    (share * (r0 + r1) / (r0 + root)).min(1.0)
}

/// Measures proxies in the pose of `skin`.
pub(super) fn measure(
    skeleton: &Skeleton,
    skin: &PosedSkin,
    plan: &BonePlan,
    proxies: &[Proxy],
) -> FitReport {
    let mut world = Vec::new();
    super::compute_world_proxies(proxies, &skin.world, &mut world);
    let tapers: Vec<Taper> = world.iter().map(Taper::new).collect();
    let of_proxies = proxies.iter().map(|proxy| proxy.joint);
    let joints = sorted_unique(plan.bones.iter().copied().chain(of_proxies));
    let mut sums = vec![Sums::default(); joints.len()];
    for (k, proxy) in proxies.iter().enumerate() {
        let others = [&tapers[..k], &tapers[k + 1..]].concat();
        if let Ok(bone) = joints.binary_search(&proxy.joint) {
            sums[bone].proxies += 1;
            sums[bone].excess.add(&measure_excess(skin, &world[k], &others));
        }
    }
    for (is_vertex, samples) in [(true, &skin.vertices), (false, &skin.areas)] {
        for sample in samples {
            let owner = plan.owners.get(sample.joint).copied().flatten();
            let Some(bone) = owner.and_then(|joint| joints.binary_search(&joint).ok()) else { continue };
            if sample.is_visible {
                let distances = tapers.iter().map(|taper| taper.signed_distance(&sample.position));
                sums[bone].add_sample(is_vertex, distances.fold(f64::INFINITY, f64::min));
            } else {
                sums[bone].hidden += usize::from(is_vertex);
            }
        }
    }
    let mut total = Sums::default();
    sums.iter().for_each(|one| total.add(one));
    let bones = joints.iter().zip(&sums).map(|(&joint, sums)| BoneFit {
        joint,
        name: skeleton.label(joint),
        figures: sums.figures(),
    });
    FitReport {
        height: skin.height,
        bones: bones.collect(),
        total: total.figures(),
        left_out: plan.left_out.clone(),
    }
}

/// What [`FitFigures`] are made of.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    proxies: usize,
    hidden: usize,
    /// Points of areas and vertices, all and those outside of the proxies.
    counts: [usize; 2],
    uncovered: [usize; 2],
    excess: Excess,
    undercut: f64,
    max_undercut: f64,
}

impl Sums {
    fn add_sample(&mut self, is_vertex: bool, distance: f64) {
        self.counts[usize::from(is_vertex)] += 1;
        if distance > 0.0 {
            self.uncovered[usize::from(is_vertex)] += 1;
            self.undercut += distance;
            self.max_undercut = self.max_undercut.max(distance);
        }
    }

    fn add(&mut self, other: &Self) {
        self.proxies += other.proxies;
        self.hidden += other.hidden;
        for kind in 0..2 {
            self.counts[kind] += other.counts[kind];
            self.uncovered[kind] += other.uncovered[kind];
        }
        self.excess.add(&other.excess);
        self.undercut += other.undercut;
        self.max_undercut = self.max_undercut.max(other.max_undercut);
    }

    fn figures(&self) -> FitFigures {
        let uncovered = self.uncovered[0] + self.uncovered[1];
        FitFigures {
            proxies: self.proxies,
            vertices: self.counts[1],
            covered: self.counts[1] - self.uncovered[1],
            points: self.counts[0],
            covered_points: self.counts[0] - self.uncovered[0],
            hidden: self.hidden,
            mean_excess: self.excess.mean(),
            max_excess: self.excess.max,
            mean_undercut: self.undercut / uncovered.max(1) as f64,
            max_undercut: self.max_undercut,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_the_surface_lie_on_it_and_stand_for_its_area() {
        for (length, radii) in [(0.5, [0.1, 0.2]), (0.5, [0.2, 0.0]), (0.3, [0.1, 0.1]), (0.1, [0.4, 0.1])] {
            let ends = [
                Point3::new(1.0, 2.0, 3.0),
                Point3::new(1.0, 2.0, 3.0) + Vector3::new(0.6, 0.0, -0.8) * length,
            ];
            let proxy = WorldProxy { ends, radii };
            let taper = Taper::new(&proxy);
            let (mut area, mut center, mut count) = (0.0, Vector3::zeros(), 0);
            visit_surface(&proxy, 1.7, |point, one| {
                assert!(taper.signed_distance(point).abs() < 1e-12);
                area += one;
                center += (point - ends[0]) * one;
                count += 1;
            });
            let cone = PI * (radii[0] + radii[1]) * taper.cos * taper.cos * taper.length;
            let caps = 2.0
                * PI
                * (taper.radii[0].powi(2) * (1.0 + taper.sin) + taper.radii[1].powi(2) * (1.0 - taper.sin));
            let whole = if length > 0.3 { cone + caps } else { area };
            assert!((area - whole).abs() < 1e-9 && count >= 64, "{area} {whole}");
            if radii[0] == radii[1] {
                assert!((center / area - (ends[1] - ends[0]) / 2.0).norm() < 2e-3);
            }
        }
    }
}
