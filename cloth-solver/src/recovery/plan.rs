//! What is to be done about a contour: pull what it cuts off back through, or make it shorter.
//!
//! A contour that cuts a part off a sheet has an inside (global intersection analysis): along it, every edge of the sheet
//! that goes through a face is pulled back along the face's normal, towards the part that stays. A contour that cuts nothing
//! off is shortened (`minimise`). Which part, and in which order the other choices follow if that does not help:
//!
//! 0. cloth and a body that has an inside: the cloth goes out of the body, as it faces, then where it is nearest, then shortening; the body is
//!    never what comes back;
//! 1. closed, and a part cut off each sheet: both smaller parts, each back through the other sheet;
//! 2. the smallest part; then the other parts by size, alone;
//! 3. shortening: with what the whole contour has in common, each hit by itself, and at last turned aside, out of a dead end.

use cloth_contacts::Surface;
use cloth_contacts::tangle::{BodyOrientation, Contour, ContourKind, SheetParts, SheetSplitter, hit_point};
use cloth_geom::Topology;
use nalgebra::{Point3, Vector3};

use super::inner::Inner;
use super::minimise::shorten;
use super::pull::Pull;

/// What is known where a plan is carried out.
pub(super) struct Scene<'a> {
    /// Positions (m).
    pub(super) at: &'a [Point3<f64>],
    pub(super) surface: &'a Surface,
    pub(super) outside: &'a BodyOrientation,
    /// Share of a violation that is recovered in this substep.
    pub(super) recovered: f32,
    /// How far (m) it is recovered at most.
    pub(super) most: f32,
}

/// What is to be done about one contour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Plan {
    /// Of each side, the part that is to go back through the other.
    PullBack([Option<Share>; 2]),
    /// The body on this side goes nowhere; the cloth on the other goes out of it.
    Outward(usize, Exit),
    /// Make it shorter.
    Minimise(Way),
    /// Leave it to the authored order of two layers.
    #[default]
    Order,
}

/// One of the two parts into which a contour cuts a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Share {
    /// The one with fewer vertices.
    Smaller,
    /// The other.
    Larger,
}

/// Where cloth goes out of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// Where it looks out as it does along most of the contour: a sleeve in an arm keeps its outside out.
    Facing,
    /// Where it is nearest.
    Nearest,
}

/// How a contour is made shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Each hit by its own descent and by that of the whole contour.
    Together,
    /// Each hit by its own descent.
    Apart,
    /// As together, turned by an angle that depends on the number.
    Aside(u32),
}

/// A plan, and what its contour cuts the sheets on both sides into: nothing where both parts are empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Planned {
    pub(super) plan: Plan,
    parts: [SheetParts; 2],
}

impl Planned {
    /// The vertices of a side, ascending, that are to go back through the other.
    pub(super) fn pulled(&self, side: usize) -> Option<&[u32]> {
        let Plan::PullBack(shares) = self.plan else { return None };
        shares[side].map(|share| self.part(side, share))
    }

    fn part(&self, side: usize, share: Share) -> &[u32] {
        match share {
            Share::Smaller => &self.parts[side].smaller,
            Share::Larger => &self.parts[side].larger,
        }
    }

    /// Whether a vertex of a side is on the wrong side of the other; none if nobody knows.
    pub(super) fn is_wrong(&self, side: usize, vertex: u32) -> Option<bool> {
        self.pulled(side).map(|part| part.binary_search(&vertex).is_ok())
    }

    /// Becomes the plan for an attempt, counted from 0.
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
        self.plan = if let Some(body) = outside.body_side(contour, topology) {
            // Every second time as it faces: what else is tried may have made room.
            match attempt % 8 {
                1 => Plan::Outward(body, Exit::Nearest),
                3 => Plan::Minimise(Way::Together),
                5 => Plan::Minimise(Way::Apart),
                7 => Plan::Minimise(Way::Aside(attempt)),
                _ => Plan::Outward(body, Exit::Facing),
            }
        } else if contour.hits.iter().all(is_ordered) {
            Plan::Order
        } else {
            for (side, parts) in self.parts.iter_mut().enumerate() {
                sheet_splitter.split(contour, side, topology, parts);
            }
            self.between_sheets(contour.kind, attempt)
        };
    }

    /// The plan of two sheets of which nobody knows which is on the wrong side.
    fn between_sheets(&self, kind: ContourKind, attempt: u32) -> Plan {
        let both = kind == ContourKind::Closed && self.parts.iter().all(|parts| !parts.smaller.is_empty());
        let first = both.then_some(Plan::PullBack([Some(Share::Smaller); 2]));
        let mut alone = [(0, Share::Smaller), (0, Share::Larger), (1, Share::Smaller), (1, Share::Larger)]
            .map(|(side, share)| (self.part(side, share).len(), side, share));
        alone.sort_unstable();
        let alone = alone.into_iter().filter(|&(count, ..)| count > 0).map(|(_, side, share)| {
            let mut shares = [None; 2];
            shares[side] = Some(share);
            Plan::PullBack(shares)
        });
        let mut pulls = first.into_iter().chain(alone);
        let count = pulls.clone().count();
        // Shortening comes third at the latest, and in its other ways last.
        let early = count.min(2);
        let turn = attempt as usize % (count + 3);
        match turn {
            _ if turn == early => Plan::Minimise(Way::Together),
            _ if turn == count + 1 => Plan::Minimise(Way::Apart),
            _ if turn == count + 2 => Plan::Minimise(Way::Aside(attempt)),
            _ => pulls.nth(turn - usize::from(turn > early)).unwrap_or_default(),
        }
    }
}

/// How the edges of the hits of one contour are to move relative to their faces, and memory to find it.
#[derive(Clone, Debug, Default)]
pub(super) struct Motions {
    /// For each hit a direction times at most about one.
    pub(super) of_hits: Vec<Vector3<f64>>,
    /// For each hit the sum of the unit directions in which the contour leaves it.
    pub(super) along: Vec<Vector3<f64>>,
    /// For each hit the direction that follows from itself alone.
    known: Vec<Option<Vector3<f64>>>,
}

/// Adds what the passes pull at for one contour.
pub(super) fn pulls(
    contour: &Contour,
    planned: &Planned,
    scene: &Scene<'_>,
    motions: &mut Motions,
    out: &mut Vec<Pull>,
) {
    match planned.plan {
        Plan::PullBack(_) => back_through(contour, planned, scene, motions),
        Plan::Order => return,
        Plan::Outward(body, exit) => outward(contour, (body, exit), scene, motions),
        Plan::Minimise(way) => shorten(contour, way, scene.at, scene.surface.topology(), motions),
    }
    let hits = contour.hits.iter().zip(&motions.of_hits);
    out.extend(hits.filter_map(|(&hit, motion)| pull(hit, motion, scene)));
}

/// Adds what the passes push out of bodies: cloth that lies in one goes as fast as its contour.
pub(super) fn pushes(inner: &Inner, scene: &Scene<'_>, out: &mut Vec<Pull>) {
    let topology = scene.surface.topology();
    out.extend(inner.vertices.iter().filter_map(|lost| {
        let ([a, b, c], direction) = lost.way_out(scene)?;
        let [i, j, k] = topology.faces()[lost.face as usize];
        let weights = [1.0, 0.0, -a, -b, -c].map(|w| w as f32);
        let v = lost.vertex;
        let cloth = mean_normal(topology.vertex_faces(v as usize), scene.at, topology);
        let (along, share) = match lost.facing {
            Some(facing) => (cloth * facing, (facing * cloth.dot(&direction)).max(0.0)),
            None => (direction, cloth.dot(&direction).abs()),
        };
        let wanted = wanted(scene, v, i) * share as f32;
        (wanted > 0.0).then(|| Pull::new([v, v, i, j, k], weights, along.cast(), wanted))
    }));
}

/// How far (m) two vertices' surfaces are moved in this substep: by as much of their reach as a violation is recovered.
fn wanted(scene: &Scene<'_>, a: u32, b: u32) -> f32 {
    (scene.surface.reach(a, b) * scene.recovered).min(scene.most)
}

/// The pull that moves the edge of a hit along `motion` relative to its face: by as much of the pair's reach as a violation
/// is recovered in this substep, times the length of `motion` if that is below one.
fn pull([e, f]: [u32; 2], motion: &Vector3<f64>, scene: &Scene<'_>) -> Option<Pull> {
    let topology = scene.surface.topology();
    let (ends, corners) = (topology.edges()[e as usize], topology.faces()[f as usize]);
    let length = motion.norm();
    let direction = motion.try_normalize(1e-9)?;
    let at = hit_point([e, f], scene.at, topology)?;
    let wanted = wanted(scene, ends[0], corners[0]) * length.min(1.0) as f32;
    let of_edge = share(ends.map(|v| scene.at[v as usize]), &at);
    let of_face = barycentric(corners.map(|v| scene.at[v as usize]), &at)?;
    let weights = [1.0 - of_edge, of_edge, -of_face[0], -of_face[1], -of_face[2]].map(|w| w as f32);
    let vertices = [ends[0], ends[1], corners[0], corners[1], corners[2]];
    Some(Pull::new(vertices, weights, direction.cast(), wanted))
}

/// Finds for each hit the direction in which its edge goes relative to its face: cloth goes out of the body on the side `body`.
///
/// If it is to keep its facing it goes along its own normal, to the side that lies outward along most of the contour; in any case by
/// less the steeper it stands on the body: what stands upright would be stretched and not lifted.
fn outward(contour: &Contour, (body, exit): (usize, Exit), scene: &Scene<'_>, motions: &mut Motions) {
    let facing = facing(contour, body, scene);
    let normals = normals_at_hits(contour, body, scene).zip(&contour.edge_sides);
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

/// Whether cloth looks out of the body along a contour, by the way its faces are turned: 1 if so, -1 if it looks in.
pub(super) fn facing(contour: &Contour, body: usize, scene: &Scene<'_>) -> f64 {
    let sum: f64 = normals_at_hits(contour, body, scene).map(|[cloth, out]| cloth.dot(&out)).sum();
    if sum < 0.0 { -1.0 } else { 1.0 }
}

/// At each hit the normal of the cloth, and the direction out of the body; zero where there is none.
fn normals_at_hits<'a>(
    contour: &'a Contour,
    body: usize,
    scene: &'a Scene<'_>,
) -> impl Iterator<Item = [Vector3<f64>; 2]> + 'a {
    let topology = scene.surface.topology();
    let at_hit = move |(&[e, f], &side): (&[u32; 2], &u8)| {
        let (of_edge, of_face) = (topology.edge_faces(e as usize), [f]);
        let is_body_edge = usize::from(side) == body;
        let (cloth, of_body) = if is_body_edge { (&of_face[..], of_edge) } else { (of_edge, &of_face[..]) };
        let out = scene.outside.mean_outward_normal(of_body, scene.at, topology);
        [mean_normal(cloth, scene.at, topology), out.unwrap_or_default()]
    };
    contour.hits.iter().zip(&contour.edge_sides).map(at_hit)
}

/// Finds for each hit the direction in which its edge goes relative to its face.
///
/// An edge between the part that comes back and the part that stays is pulled along the normal of its face towards the end
/// that stays. A hit whose edge belongs to the other sheet takes the mean of its neighbours along the contour, reversed: there
/// the face moves.
fn back_through(contour: &Contour, planned: &Planned, scene: &Scene<'_>, motions: &mut Motions) {
    let topology = scene.surface.topology();
    let Motions { of_hits, known, .. } = motions;
    known.clear();
    known.extend(contour.hits.iter().zip(&contour.edge_sides).map(|(&[e, f], &side)| {
        let part = planned.pulled(usize::from(side))?;
        let [a, b] = topology.edges()[e as usize];
        let [a_inside, b_inside] = [a, b].map(|v| part.binary_search(&v).is_ok());
        if a_inside == b_inside {
            return None;
        }
        let normal = normal(f, scene.at, topology)?;
        let out = scene.at[b as usize] - scene.at[a as usize];
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

/// The mean of the nearest on either side along a path or cycle of `count`.
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

/// Barycentric coordinates of a point in the plane of a triangle, none of them negative; none if it has no area.
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
