//! Strategies to resolve a contour: pull a part back through, or shorten the contour.
//!
//! A contour that cuts a part off a sheet has an inside (global intersection analysis): along it, every edge
//! of the sheet that passes through a face is pulled back along the face normal, towards the part that stays.
//! A contour that cuts nothing off is shortened (`descent`). The attempts, in order:
//!
//! 0. cloth and a closed body: the cloth moves outward by its facing, then to the nearest face, then
//!    shortening; the body never moves;
//! 1. closed, and a part cut off each sheet: both smaller parts, each back through the other sheet;
//! 2. the smallest part; then the other parts by size, one at a time;
//! 3. shortening: with the common motion of the contour, each intersection by itself, and at last rotated, to
//!    leave a dead end.

use cloth_contacts::Surface;
use cloth_contacts::tangle::{BodyOrientation, Contour, ContourKind, SheetParts, SheetSplitter, hit_point};
use cloth_geom::Topology;
use nalgebra::{Point3, Vector3};

use super::descent::shorten;
use super::pull::PullConstraint;
use super::trapped::TrappedCloth;

/// Context of a substep's strategies.
pub(super) struct RecoveryContext<'a> {
    /// Positions (m).
    pub(super) at: &'a [Point3<f64>],
    pub(super) surface: &'a Surface,
    pub(super) outside: &'a BodyOrientation,
    /// Share of a violation that recovers in this substep.
    pub(super) recovery_share: f32,
    /// Maximum recovery (m).
    pub(super) max_recovery: f32,
}

/// The strategy for one contour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Strategy {
    /// For each side, the part to pull back through the other.
    PullBack([Option<CutPart>; 2]),
    /// The body on this side stays; the cloth on the other side moves out of it.
    Outward(usize, Exit),
    /// Shorten the contour.
    Minimise(DescentMode),
    /// Nothing: the order of the two layers resolves it.
    #[default]
    Order,
}

/// One of the two parts into which a contour cuts a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CutPart {
    /// The one with fewer vertices.
    Smaller,
    /// The other.
    Larger,
}

/// The exit of cloth from a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// Where its facing agrees with most of the contour: a sleeve in an arm keeps its outside out.
    Facing,
    /// The nearest face.
    Nearest,
}

/// The mode of shortening a contour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DescentMode {
    /// Each intersection by its own descent and by that of the whole contour.
    Combined,
    /// Each intersection by its own descent.
    PerIntersection,
    /// As combined, rotated about an axis that depends on the number.
    Rotated(u32),
}

/// The strategy for a contour, and the parts into which it cuts the sheets on both sides; both parts are
/// empty if it cuts nothing off.
#[derive(Clone, Debug, Default)]
pub(super) struct ContourPlan {
    pub(super) strategy: Strategy,
    parts: [SheetParts; 2],
}

impl ContourPlan {
    /// The vertices of a side, ascending, that are pulled back through the other.
    pub(super) fn pulled(&self, side: usize) -> Option<&[u32]> {
        let Strategy::PullBack(shares) = self.strategy else { return None };
        shares[side].map(|share| self.part(side, share))
    }

    fn part(&self, side: usize, share: CutPart) -> &[u32] {
        match share {
            CutPart::Smaller => &self.parts[side].smaller,
            CutPart::Larger => &self.parts[side].larger,
        }
    }

    /// Whether a vertex of a side is on the wrong side of the other; `None` if unknown.
    pub(super) fn is_wrong(&self, side: usize, vertex: u32) -> Option<bool> {
        self.pulled(side).map(|part| part.binary_search(&vertex).is_ok())
    }

    /// Chooses the strategy for an attempt, counted from 0.
    pub(super) fn choose(
        &mut self,
        contour: &Contour,
        surface: &Surface,
        outside: &BodyOrientation,
        attempt: u32,
        sheet_splitter: &mut SheetSplitter,
    ) {
        let topology = surface.topology();
        let is_ordered = |&[e, f]: &[u32; 2]| {
            surface.are_ordered(topology.edges()[e as usize][0], topology.faces()[f as usize][0])
        };
        self.strategy = if let Some(body) = outside.body_side(contour, topology) {
            // By facing every second time: other strategies may have made room.
            match attempt % 8 {
                1 => Strategy::Outward(body, Exit::Nearest),
                3 => Strategy::Minimise(DescentMode::Combined),
                5 => Strategy::Minimise(DescentMode::PerIntersection),
                7 => Strategy::Minimise(DescentMode::Rotated(attempt)),
                _ => Strategy::Outward(body, Exit::Facing),
            }
        } else if contour.hits.iter().all(is_ordered) {
            Strategy::Order
        } else {
            for (side, parts) in self.parts.iter_mut().enumerate() {
                sheet_splitter.split(contour, side, topology, parts);
            }
            self.between_sheets(contour.kind, attempt)
        };
    }

    /// The strategy for two sheets without a known wrong side.
    fn between_sheets(&self, kind: ContourKind, attempt: u32) -> Strategy {
        let both = kind == ContourKind::Closed && self.parts.iter().all(|parts| !parts.smaller.is_empty());
        let first = both.then_some(Strategy::PullBack([Some(CutPart::Smaller); 2]));
        let mut alone =
            [(0, CutPart::Smaller), (0, CutPart::Larger), (1, CutPart::Smaller), (1, CutPart::Larger)]
                .map(|(side, share)| (self.part(side, share).len(), side, share));
        alone.sort_unstable();
        let alone = alone.into_iter().filter(|&(count, ..)| count > 0).map(|(_, side, share)| {
            let mut shares = [None; 2];
            shares[side] = Some(share);
            Strategy::PullBack(shares)
        });
        let mut pulls = first.into_iter().chain(alone);
        let count = pulls.clone().count();
        // Shortening comes third at the latest; its other modes come last.
        let early = count.min(2);
        let turn = attempt as usize % (count + 3);
        match turn {
            _ if turn == early => Strategy::Minimise(DescentMode::Combined),
            _ if turn == count + 1 => Strategy::Minimise(DescentMode::PerIntersection),
            _ if turn == count + 2 => Strategy::Minimise(DescentMode::Rotated(attempt)),
            _ => pulls.nth(turn - usize::from(turn > early)).unwrap_or_default(),
        }
    }
}

/// Motions of the edges of one contour relative to their faces, with scratch memory.
#[derive(Clone, Debug, Default)]
pub(super) struct IntersectionMotions {
    /// For each intersection a direction times at most about one.
    pub(super) of_hits: Vec<Vector3<f64>>,
    /// For each hit the sum of the unit directions in which the contour leaves it.
    pub(super) along: Vec<Vector3<f64>>,
    /// For each intersection the direction it determines by itself.
    known: Vec<Option<Vector3<f64>>>,
}

/// Adds the constraints of one contour.
pub(super) fn pulls(
    contour: &Contour,
    contour_plan: &ContourPlan,
    context: &RecoveryContext<'_>,
    motions: &mut IntersectionMotions,
    out: &mut Vec<PullConstraint>,
) {
    match contour_plan.strategy {
        Strategy::PullBack(_) => pull_back_motions(contour, contour_plan, context, motions),
        Strategy::Order => return,
        Strategy::Outward(body, exit) => outward_motions(contour, body, exit, context, motions),
        Strategy::Minimise(mode) => shorten(contour, mode, context.at, context.surface.topology(), motions),
    }
    let hits = contour.hits.iter().zip(&motions.of_hits);
    out.extend(hits.filter_map(|(&hit, motion)| pull(hit, motion, context)));
}

/// Adds the constraints of trapped vertices: they move outward as fast as their contour.
pub(super) fn pushes(trapped: &TrappedCloth, context: &RecoveryContext<'_>, out: &mut Vec<PullConstraint>) {
    let topology = context.surface.topology();
    out.extend(trapped.vertices.iter().filter_map(|trapped_vertex| {
        let ([a, b, c], direction) = trapped_vertex.exit_direction(context)?;
        let [i, j, k] = topology.faces()[trapped_vertex.face as usize];
        let weights = [1.0, 0.0, -a, -b, -c].map(|w| w as f32);
        let v = trapped_vertex.vertex;
        let cloth = mean_normal(topology.vertex_faces(v as usize), context.at, topology);
        let (along, share) = match trapped_vertex.facing {
            Some(facing) => (cloth * facing, (facing * cloth.dot(&direction)).max(0.0)),
            None => (direction, cloth.dot(&direction).abs()),
        };
        let wanted = wanted(context, v, i) * share as f32;
        (wanted > 0.0).then(|| PullConstraint::new([v, v, i, j, k], weights, along.cast(), wanted))
    }));
}

/// Target displacement (m) of two vertices: the recovery share of their contact reach.
fn wanted(context: &RecoveryContext<'_>, a: u32, b: u32) -> f32 {
    (context.surface.reach(a, b) * context.recovery_share).min(context.max_recovery)
}

/// The constraint that moves the edge of an intersection along `motion` relative to its face: by the recovery
/// share of the pair's reach, times the length of `motion` if that is below one.
fn pull([e, f]: [u32; 2], motion: &Vector3<f64>, context: &RecoveryContext<'_>) -> Option<PullConstraint> {
    let topology = context.surface.topology();
    let (ends, corners) = (topology.edges()[e as usize], topology.faces()[f as usize]);
    let length = motion.norm();
    let direction = motion.try_normalize(1e-9)?;
    let at = hit_point([e, f], context.at, topology)?;
    let wanted = wanted(context, ends[0], corners[0]) * length.min(1.0) as f32;
    let of_edge = share(ends.map(|v| context.at[v as usize]), &at);
    let of_face = barycentric(corners.map(|v| context.at[v as usize]), &at)?;
    let weights = [1.0 - of_edge, of_edge, -of_face[0], -of_face[1], -of_face[2]].map(|w| w as f32);
    let vertices = [ends[0], ends[1], corners[0], corners[1], corners[2]];
    Some(PullConstraint::new(vertices, weights, direction.cast(), wanted))
}

/// Computes for each intersection the direction in which its edge moves relative to its face, so that cloth
/// moves out of the body on the side `body`.
///
/// To keep its facing the cloth moves along its own normal, to the side that is outward along most of the
/// contour. In any case it moves less the steeper it stands on the body: upright cloth would be stretched and
/// not lifted.
fn outward_motions(
    contour: &Contour,
    body: usize,
    exit: Exit,
    context: &RecoveryContext<'_>,
    motions: &mut IntersectionMotions,
) {
    let facing = facing(contour, body, context);
    let normals = normals_at_hits(contour, body, context).zip(&contour.edge_sides);
    motions.of_hits.clear();
    motions.of_hits.extend(normals.map(|([cloth, out], &side)| {
        let cos = cloth.dot(&out);
        let motion = match exit {
            Exit::Facing => cloth * facing * (facing * cos).max(0.0),
            Exit::Nearest => out * cos.abs(),
        };
        if usize::from(side) == body { -motion } else { motion }
    }));
}

/// Facing of the cloth along a contour: 1 if its normals point out of the body, -1 if inward.
pub(super) fn facing(contour: &Contour, body: usize, context: &RecoveryContext<'_>) -> f64 {
    let sum: f64 = normals_at_hits(contour, body, context).map(|[cloth, out]| cloth.dot(&out)).sum();
    if sum < 0.0 { -1.0 } else { 1.0 }
}

/// The normal of the cloth and the outward direction of the body at each intersection; zero where undefined.
fn normals_at_hits<'a>(
    contour: &'a Contour,
    body: usize,
    context: &'a RecoveryContext<'_>,
) -> impl Iterator<Item = [Vector3<f64>; 2]> + 'a {
    let topology = context.surface.topology();
    let at_hit = move |(&[e, f], &side): (&[u32; 2], &u8)| {
        let (of_edge, of_face) = (topology.edge_faces(e as usize), [f]);
        let is_body_edge = usize::from(side) == body;
        let (cloth, of_body) = if is_body_edge { (&of_face[..], of_edge) } else { (of_edge, &of_face[..]) };
        let out = context.outside.mean_outward_normal(of_body, context.at, topology);
        [mean_normal(cloth, context.at, topology), out.unwrap_or_default()]
    };
    contour.hits.iter().zip(&contour.edge_sides).map(at_hit)
}

/// Computes for each intersection the direction in which its edge moves relative to its face.
///
/// An edge between the pulled part and the part that stays moves along the normal of its face, towards the
/// end that stays. For an edge of the other sheet the face moves: it takes the reversed mean of its
/// neighbours along the contour.
fn pull_back_motions(
    contour: &Contour,
    contour_plan: &ContourPlan,
    context: &RecoveryContext<'_>,
    motions: &mut IntersectionMotions,
) {
    let topology = context.surface.topology();
    let IntersectionMotions { of_hits, known, .. } = motions;
    known.clear();
    known.extend(contour.hits.iter().zip(&contour.edge_sides).map(|(&[e, f], &side)| {
        let part = contour_plan.pulled(usize::from(side))?;
        let [a, b] = topology.edges()[e as usize];
        let [a_inside, b_inside] = [a, b].map(|v| part.binary_search(&v).is_ok());
        if a_inside == b_inside {
            return None;
        }
        let normal = normal(f, context.at, topology)?;
        let out = context.at[b as usize] - context.at[a as usize];
        let out = if a_inside { out } else { -out };
        Some(if out.dot(&normal) < 0.0 { -normal } else { normal })
    }));
    let ordered = contour.kind != ContourKind::Tangled;
    let cyclic = contour.kind == ContourKind::Closed;
    of_hits.clear();
    of_hits.extend((0..known.len()).map(|i| {
        known[i].unwrap_or_else(|| {
            let same = |j: usize| contour.edge_sides[j] == contour.edge_sides[i];
            let toward = |j: usize| known[j].map(|n| if same(j) { n } else { -n });
            if ordered {
                of_neighbours(i, known.len(), cyclic, toward)
            } else {
                mean((0..known.len()).filter_map(toward))
            }
        })
    }));
}

/// The mean of the nearest known directions on both sides along a path or cycle of `count`.
fn of_neighbours(
    i: usize,
    count: usize,
    cyclic: bool,
    known: impl Fn(usize) -> Option<Vector3<f64>>,
) -> Vector3<f64> {
    let next = |j: usize| if cyclic { j % count } else { j };
    let ahead = (1..count).map(|k| next(i + k)).take_while(|&j| j < count).find_map(&known);
    let behind =
        (1..count).filter_map(|k| if cyclic { Some((i + count - k) % count) } else { i.checked_sub(k) });
    mean(ahead.into_iter().chain({ behind }.find_map(&known)))
}

fn mean(vectors: impl Iterator<Item = Vector3<f64>>) -> Vector3<f64> {
    vectors.sum::<Vector3<f64>>().try_normalize(1e-9).unwrap_or_default()
}

/// Unit normal of a face; none if it has no area.
pub(super) fn normal(face: u32, at: &[Point3<f64>], topology: &Topology) -> Option<Vector3<f64>> {
    let [a, b, c] = topology.faces()[face as usize].map(|v| at[v as usize]);
    (b - a).cross(&(c - a)).try_normalize(0.0)
}

/// Unit normal of faces in the mean; zero if they have none.
pub(super) fn mean_normal(faces: &[u32], at: &[Point3<f64>], topology: &Topology) -> Vector3<f64> {
    mean(faces.iter().filter_map(|&f| normal(f, at, topology)))
}

/// Where on a segment the point nearest to `p` lies, in [0, 1].
pub(super) fn share([a, b]: [Point3<f64>; 2], p: &Point3<f64>) -> f64 {
    let along = b - a;
    let length_sq = along.norm_squared();
    if length_sq > 0.0 { ((p - a).dot(&along) / length_sq).clamp(0.0, 1.0) } else { 0.5 }
}

/// Barycentric coordinates of a point in the plane of a triangle, none of them negative; none if it has no
/// area.
pub(super) fn barycentric([a, b, c]: [Point3<f64>; 3], p: &Point3<f64>) -> Option<[f64; 3]> {
    let normal = (b - a).cross(&(c - a));
    let area_sq = normal.norm_squared();
    if area_sq <= 0.0 {
        return None;
    }
    let of = |u: Point3<f64>, v: Point3<f64>| ((v - u).cross(&(p - u)).dot(&normal) / area_sq).max(0.0);
    let weights = [of(b, c), of(c, a), of(a, b)];
    let sum: f64 = weights.iter().sum();
    (sum > 0.0).then(|| weights.map(|w| w / sum))
}
