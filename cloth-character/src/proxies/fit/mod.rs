//! The fit: one shape per bone, then further ones where the proxies stand out too far.
//!
//! ```text
//! plan        which bones, from the skin at the bind pose                        ../bones.rs
//! clouds      points of each bone, and of others near it                         here
//! first       one tapered capsule per bone, by pattern search                    bone.rs, search.rs
//! offset      radii to the least that meets coverage and undercut, exactly       bone.rs
//! refine      while a bone misses a tolerance: two shapes for its worst one      here
//! overrides   added, dropped, resized                                            here
//! measure     the report                                                         ../measure.rs
//! ```
//!
//! Each bone covers its own skin alone, so that it stays covered when joints bend, and its shapes pay for
//! standing out of the skin of others.

mod bone;
mod cloud;
mod descent;
mod search;
mod start;

use cloth_geom::Aabb;
use nalgebra::Point3;

use super::{
    FitReport, Override, Proxy, ProxyError, ProxyKind, ProxyOptions, WorldProxy,
    bones::{BonePlan, find_bone},
    measure::{Excess, measure, measure_excess},
    samples::{PosedSkin, Sample},
    world::Taper,
};
use crate::{Affine, Character, Skeleton};
use bone::BoneShapes;
use cloud::{Cloud, CloudPoint, Cost};
use search::Steps;

/// Points of one kind in a cloud, at most; of more, every second, third, ... is taken.
const MAX_POINTS: usize = 300;

/// First and last step of a search, relative to the height: 8.5 mm and 0.3 mm on a human.
const STEPS: [f64; 2] = [0.005, 0.000_16];

/// Skin of other bones within this distance of the box of a bone's skin is in its cloud, relative to the
/// height; more than the farthest points in free space.
const NEAR: f64 = 0.08;

/// How far outside of the box of a bone's skin the centres of its shapes may be, relative to the height: 17
/// mm on a human.
const ROOM: f64 = 0.01;

/// The share of the tolerance of the excess at which the refinement aims, because a measurement sees points
/// 17 mm apart.
const SAFETY: f64 = 0.95;

/// A further shape is kept if the largest or the mean excess becomes less than this part of what it was.
const GAIN: f64 = 0.97;

/// Bones whose mean excess is below this part of the tolerance are not refined for the mean over all bones.
const EVEN: f64 = 0.7;

/// Shapes of one bone, at most.
const MAX_SHAPES: usize = 6;

/// Further shapes that are tried together: one more ball on the flat end of a can gains nothing, three do.
const LOOKAHEAD: usize = 3;

/// After so many further shapes that did not lower the largest excess of a bone, it is refined for the mean
/// alone.
const MAX_STALLS: usize = 2;

/// Proxies and how well they fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FittedProxies {
    /// The proxies, in the order of their joints; added ones last.
    pub proxies: Vec<Proxy>,
    /// Measured at the bind pose ([`Character::bind_pose`]).
    pub report: FitReport,
}

/// Fits proxies to the skin of a character at its bind pose.
///
/// A bone is a joint that dominates visible skin, with its direction to that child below which most skin is;
/// [`LeftOutReason`] has the rule on fingers and small joints. Each bone gets one sphere or tapered capsule,
/// whose axis is free to leave the bone, with the least cost: the mean depth of its skin below the surface,
/// where an undercut weighs as much as makes the share [`Tolerances::coverage`] of the skin covered. Radii
/// are then offset so that coverage and undercut are met exactly. Bones whose largest excess is above its
/// tolerance get further shapes, then those that add most to the mean excess, until
/// [`ProxyOptions::max_proxies`]: whether the excess is within its tolerances is in the report.
///
/// A character without skin gets no proxies. Deterministic. Cost: seconds for a human (docs/design/proxies.md
/// has figures); fit once and keep the proxies.
///
/// [`LeftOutReason`]: super::LeftOutReason
/// [`Tolerances::coverage`]: super::Tolerances::coverage
///
/// # Errors
/// If an option is outside its range, an override names no bone or proxy, or the skin is not finite at the
/// bind pose.
pub fn fit_proxies(character: &Character, options: &ProxyOptions) -> Result<FittedProxies, ProxyError> {
    options.check()?;
    let skeleton = &character.skeleton;
    let skin = PosedSkin::new(character, bind_world(character), options.height)?;
    let plan = BonePlan::new(skeleton, &skin, options)?;
    let mut bones = prepare(skeleton, &skin, &plan, options);
    for bone in &mut bones {
        bone.fit_first();
        bone.offset_to_constraints(&options.tolerances, skin.height);
    }
    refine(&mut bones, &skin, &plan, options);
    let mut proxies = attach(skeleton, &skin, &bones);
    change(&mut proxies, skeleton, options)?;
    let report = measure(skeleton, &skin, &plan, &proxies);
    Ok(FittedProxies { proxies, report })
}

/// Measures proxies of any origin in any pose, given by the world matrices of the joints.
///
/// Which bones should be covered follows from the bind pose and the options, as for [`fit_proxies`]; which of
/// their vertices are visible, from the pose.
///
/// # Errors
/// As [`fit_proxies`], and if the skin is not finite in the pose.
pub fn measure_proxies(
    character: &Character,
    proxies: &[Proxy],
    world: &[Affine],
    options: &ProxyOptions,
) -> Result<FitReport, ProxyError> {
    options.check()?;
    let bind = PosedSkin::new(character, bind_world(character), options.height)?;
    let plan = BonePlan::new(&character.skeleton, &bind, options)?;
    let posed = PosedSkin::new(character, world.to_vec(), Some(bind.height))?;
    Ok(measure(&character.skeleton, &posed, &plan, proxies))
}

fn bind_world(character: &Character) -> Vec<Affine> {
    let mut world = Vec::new();
    character.skeleton.compute_world(&character.bind_pose(), &mut world);
    world
}

/// Gathers the points of each bone.
fn prepare(
    skeleton: &Skeleton,
    skin: &PosedSkin,
    plan: &BonePlan,
    options: &ProxyOptions,
) -> Vec<BoneShapes> {
    let cost = Cost::new(&options.tolerances, skin.height);
    let owner = |sample: &Sample| plan.owners.get(sample.joint).copied().flatten();
    let visible =
        |samples: &[Sample]| -> Vec<Sample> { samples.iter().filter(|s| s.is_visible).copied().collect() };
    let (vertices, areas) = (visible(&skin.vertices), visible(&skin.areas));
    let subtree = count_below(skeleton, &areas);
    let prepared = plan.bones.iter().map(|&joint| {
        let own = |samples: &[Sample]| -> Vec<Point3<f64>> {
            samples.iter().filter(|s| owner(s) == Some(joint)).map(|s| s.position).collect()
        };
        let (own_vertices, own_areas) = (own(&vertices), own(&areas));
        let bounds = Aabb::of_points(own_vertices.iter().chain(&own_areas).copied());
        let (near, room) = (bounds.inflated(NEAR * skin.height), bounds.inflated(ROOM * skin.height));
        let others = areas.iter().filter(|s| owner(s) != Some(joint) && near.contains(&s.position));
        let others: Vec<_> = others.map(|s| s.position).collect();
        let free: Vec<_> = skin.free.iter().filter(|p| near.contains(p)).copied().collect();
        let cloud = Cloud { points: cloud_points(&own_vertices, &own_areas, &others, &free), cost, room };
        BoneShapes {
            joint,
            axis: bone_axis(skeleton, skin, &subtree, joint),
            vertices: own_vertices,
            areas: own_areas,
            cloud,
            shapes: Vec::new(),
            steps: Steps { first: STEPS[0] * skin.height, last: STEPS[1] * skin.height },
        }
    });
    prepared.collect()
}

/// The points of a cloud: vertices for the undercut, areas of the bone for both, areas of others and points
/// in free space for the excess.
fn cloud_points(
    vertices: &[Point3<f64>],
    areas: &[Point3<f64>],
    others: &[Point3<f64>],
    free: &[Point3<f64>],
) -> Vec<CloudPoint> {
    // Without faces the vertices stand for the area.
    let areas = if areas.is_empty() { vertices } else { areas };
    let mut points = Vec::new();
    let per_area = 1.0 / areas.len().max(1) as f64;
    for (kind, undercut, excess) in
        [(vertices, 0.5, 0.0), (areas, 0.5, 1.0), (others, 0.0, 1.0), (free, 0.0, 1.0)]
    {
        let stride = kind.len().div_ceil(MAX_POINTS).max(1);
        // The weight of others is that of the area for which each stands, compared with the bone's own.
        let share = if undercut > 0.0 { 1.0 / kind.len().max(1) as f64 } else { per_area } * stride as f64;
        points.extend(kind.iter().step_by(stride).map(|&position| CloudPoint {
            position,
            undercut: undercut * share,
            excess: excess * share,
        }));
    }
    points
}

/// Of each joint the number of samples that it and the joints below it dominate.
fn count_below(skeleton: &Skeleton, samples: &[Sample]) -> Vec<usize> {
    let mut counts = vec![0; skeleton.len()];
    for sample in samples {
        counts.get_mut(sample.joint).into_iter().for_each(|count| *count += 1);
    }
    for &joint in skeleton.order().iter().rev() {
        if let Some(parent) = skeleton.joints()[joint].parent {
            counts[parent] += counts[joint];
        }
    }
    counts
}

/// The direction of a bone: to that child below which most skin is, the first of several; `None` without
/// children or length.
fn bone_axis(
    skeleton: &Skeleton,
    skin: &PosedSkin,
    below: &[usize],
    joint: usize,
) -> Option<nalgebra::Vector3<f64>> {
    let child =
        skeleton.children(joint).reduce(|best, next| if below[next] > below[best] { next } else { best })?;
    let [start, end] = [joint, child].map(|j| skin.world.get(j).copied().unwrap_or_default().origin());
    (end - start).try_normalize(1e-6 * skin.height)
}

/// Adds shapes: first to the bones whose largest excess is above its tolerance; then, while the mean over all
/// bones is, to those that add most to it.
fn refine(bones: &mut [BoneShapes], skin: &PosedSkin, plan: &BonePlan, options: &ProxyOptions) {
    let largest = SAFETY * options.tolerances.excess * skin.height;
    let mean = SAFETY * options.tolerances.mean_excess * skin.height;
    let mut excesses: Vec<Excess> = (0..bones.len()).map(|bone| measure_bone(bones, bone, skin)).collect();
    let mut is_done = vec![false; bones.len()];
    let mut stalls = vec![0; bones.len()];
    loop {
        let mut total = Excess::default();
        excesses.iter().for_each(|excess| total.add(excess));
        let score = |bone: usize| {
            let excess = &excesses[bone];
            if excess.max > largest && stalls[bone] < MAX_STALLS {
                // Above every score of the other kind, which is a share.
                1.0 + excess.max / largest
            } else if total.mean() > mean && excess.mean() > EVEN * mean {
                (excess.volume - EVEN * mean * excess.area) / total.volume
            } else {
                0.0
            }
        };
        let used: usize = bones.iter().filter(|b| !plan.is_finger[b.joint]).map(|b| b.shapes.len()).sum();
        let is_open = |&bone: &usize| {
            let has_room = plan.is_finger[bones[bone].joint] || used < options.max_proxies;
            has_room && !is_done[bone] && score(bone) > 0.0
        };
        let open = (0..bones.len()).filter(is_open);
        let Some(worst) = open.reduce(|a, b| if score(b) > score(a) { b } else { a }) else {
            return;
        };
        let room = if plan.is_finger[bones[worst].joint] { MAX_SHAPES } else { options.max_proxies - used };
        match try_further(bones, worst, excesses[worst], room, skin, options) {
            Some(after) => {
                stalls[worst] += usize::from(after.max >= GAIN * excesses[worst].max);
                excesses[worst] = after;
            }
            None => is_done[worst] = true,
        }
    }
}

/// Adds one shape to a bone, or up to [`LOOKAHEAD`] if fewer gain nothing, and returns the new excess;
/// without a gain nothing changes.
fn try_further(
    bones: &mut [BoneShapes],
    bone: usize,
    excess: Excess,
    room: usize,
    skin: &PosedSkin,
    options: &ProxyOptions,
) -> Option<Excess> {
    let before = bones[bone].shapes.clone();
    for _ in 0..LOOKAHEAD.min(room).min(MAX_SHAPES.saturating_sub(before.len())) {
        let mut best: Option<(Excess, Vec<WorldProxy>)> = None;
        for shapes in bones[bone].split() {
            bones[bone].shapes = shapes;
            bones[bone].offset_to_constraints(&options.tolerances, skin.height);
            let after = measure_bone(bones, bone, skin);
            // The volume of the excess, more where the largest is above its tolerance.
            let rank = |e: &Excess| e.volume * (e.max / (options.tolerances.excess * skin.height)).max(1.0);
            if best.as_ref().is_none_or(|(least, _)| rank(&after) < rank(least)) {
                best = Some((after, bones[bone].shapes.clone()));
            }
        }
        let Some((after, shapes)) = best else { break };
        bones[bone].shapes = shapes;
        if after.max < GAIN * excess.max || after.volume < GAIN * excess.volume {
            return Some(after);
        }
    }
    bones[bone].shapes = before;
    None
}

/// The excess of the shapes of one bone, with all others in place.
fn measure_bone(bones: &[BoneShapes], bone: usize, skin: &PosedSkin) -> Excess {
    let tapers: Vec<(bool, Taper)> = bones
        .iter()
        .enumerate()
        .flat_map(|(k, data)| data.shapes.iter().map(move |shape| (k == bone, Taper::new(shape))))
        .collect();
    let own = (0..tapers.len()).filter(|&k| tapers[k].0);
    let mut total = Excess::default();
    for (k, shape) in own.zip(&bones[bone].shapes) {
        let others: Vec<Taper> =
            tapers.iter().enumerate().filter(|&(j, _)| j != k).map(|(_, &(_, taper))| taper).collect();
        total.add(&measure_excess(skin, shape, &others));
    }
    total
}

/// Takes the shapes to the spaces of their joints.
fn attach(skeleton: &Skeleton, skin: &PosedSkin, bones: &[BoneShapes]) -> Vec<Proxy> {
    let mut proxies = Vec::new();
    for bone in bones {
        let label = skeleton.label(bone.joint);
        for (k, shape) in bone.shapes.iter().enumerate() {
            let name = if k == 0 { label.clone() } else { format!("{label}.{}", k + 1) };
            let kind: Option<ProxyKind> = skin.world.get(bone.joint).and_then(|map| shape.to_kind(map));
            proxies.extend(kind.map(|kind| Proxy { name, joint: bone.joint, kind }));
        }
    }
    proxies
}

/// Applies the overrides that change proxies.
fn change(proxies: &mut Vec<Proxy>, skeleton: &Skeleton, options: &ProxyOptions) -> Result<(), ProxyError> {
    for change in &options.overrides {
        match change {
            Override::Add { name, bone, kind } => {
                let joint = find_bone(skeleton, bone)?;
                proxies.push(Proxy { name: name.clone(), joint, kind: *kind });
            }
            Override::Drop { proxy } => {
                let found = find_proxies(proxies, skeleton, proxy)?;
                let mut number = 0;
                proxies.retain(|_| {
                    number += 1;
                    !found.contains(&(number - 1))
                });
            }
            Override::Resize { proxy, factor } => {
                for k in find_proxies(proxies, skeleton, proxy)? {
                    proxies[k].kind = proxies[k].kind.resized(*factor);
                }
            }
            Override::Include { .. } | Override::Exclude { .. } => {}
        }
    }
    Ok(())
}

/// The numbers of all proxies of a bone with this label, or of those with this name.
fn find_proxies(proxies: &[Proxy], skeleton: &Skeleton, name: &str) -> Result<Vec<usize>, ProxyError> {
    let joint = skeleton.find_label(name);
    let of_bone: Vec<usize> = (0..proxies.len()).filter(|&k| Some(proxies[k].joint) == joint).collect();
    let named: Vec<usize> = (0..proxies.len()).filter(|&k| proxies[k].name == name).collect();
    let found = if of_bone.is_empty() { named } else { of_bone };
    if found.is_empty() {
        let known: Vec<String> = proxies.iter().map(|proxy| proxy.name.clone()).collect();
        return Err(ProxyError::unknown_proxy(name, &known));
    }
    Ok(found)
}
