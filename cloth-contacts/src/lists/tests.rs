//! Lists against all pairs: whatever comes near in a motion is due.
//!
//! After each update the distances of all pairs are computed in `f64`: at the start, during a linear motion,
//! and as the narrow phase extrapolates a predicted one. A pair within its threshold that is not due is lost.
//! Motions are such that bounds are tight: primitives approach head-on, by all of their slack, until the
//! lists end.

use cloth_geom::closest::{point_triangle, segment_segment};
use cloth_geom::fixtures::sheet;
use cloth_testing::Dice;

use cloth_geom::lanes::{Instructions, LANES8, Level, available, dispatch, level_named};
use nalgebra::Vector3;

use super::*;
use crate::leaves::NODE;
use crate::lists::plan::Horizon;
use crate::lists::primitives::ShapeLane;
use crate::lists::search::PairSide;
use crate::narrow_phase_error::DISTANCE_ERROR;
use crate::{Rank, Regions, SurfaceDesc};

/// Meshes as the parts of a surface, with their rest positions.
#[derive(Clone, Default)]
pub(crate) struct Parts {
    pub(crate) faces: Vec<[u32; 3]>,
    pub(crate) rest: Vec<Point3<f32>>,
    pub(crate) part: Vec<u16>,
    pub(crate) exclusions: Vec<[u32; 2]>,
}

impl Parts {
    /// Appends a part.
    pub(crate) fn add(
        &mut self,
        positions: impl IntoIterator<Item = Point3<f32>>,
        faces: impl IntoIterator<Item = [u32; 3]>,
    ) {
        let (first, part) = (self.rest.len() as u32, self.part.last().map_or(0, |part| part + 1));
        self.rest.extend(positions);
        self.part.resize(self.rest.len(), part);
        self.faces.extend(faces.into_iter().map(|face| face.map(|v| v + first)));
    }

    /// Appends a sheet of `n` times `n` vertices and this side (m), mapped.
    pub(crate) fn add_sheet(&mut self, n: usize, side: f64, map: impl Fn(Vector3<f32>) -> Vector3<f32>) {
        let mesh = sheet(n, n, [side; 2]).unwrap().mesh;
        self.add(mesh.positions.iter().map(|p| map(p.coords.cast()).into()), mesh.faces.iter().copied());
    }

    pub(crate) fn surface(&self, radius: f32, half_scr: f32) -> Surface {
        let parts = self.part.last().map_or(0, |part| usize::from(*part) + 1);
        Surface::new(&SurfaceDesc {
            faces: &self.faces,
            radius: &vec![radius; self.rest.len()],
            half_scr: &vec![half_scr; self.rest.len()],
            part: &self.part,
            kinematic: &vec![false; parts],
            rest: &self.rest,
            exclusions: &self.exclusions,
            regions: Regions::default(),
        })
        .unwrap()
    }
}

/// A pair that comes within its threshold and is not due.
#[derive(Clone, Copy, Debug)]
#[expect(dead_code, reason = "for messages")]
pub(crate) struct Lost {
    pub(crate) pair: [u32; 2],
    pub(crate) is_edges: bool,
    /// Its distance (m), less what it approaches, beyond its threshold (m): negative.
    pub(crate) beyond: f64,
}

/// What lists did in a number of motions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Updates, and those that searched all pairs, and those that added pairs.
    pub(crate) updates: usize,
    pub(crate) searches: usize,
    pub(crate) growths: usize,
    /// Pairs that had to be due, and pairs that were.
    pub(crate) needed: usize,
    pub(crate) due: usize,
}

/// Lists of a surface that are compared with all pairs.
pub(crate) struct Checked {
    pub(crate) surface: Surface,
    pub(crate) lists: PairLists,
    pub(crate) seen: Seen,
    /// Vertices whose pairs among each other are left out.
    pub(crate) dormant: Vec<bool>,
    gated: Surface,
    due: DuePairs,
}

impl Checked {
    pub(crate) fn new(surface: Surface) -> Self {
        Self {
            gated: surface.for_gate(),
            dormant: vec![false; surface.vertex_count()],
            surface,
            lists: PairLists::default(),
            seen: Seen::default(),
            due: DuePairs::default(),
        }
    }

    /// Updates the lists for a motion, of which detection asks.
    pub(crate) fn predicted(
        &mut self,
        start: &[Point3<f32>],
        by: &[Vector3<f32>],
        slack: f32,
    ) -> Result<(), Lost> {
        self.step(start, &Path::Predicted(by), slack, Threshold::Contact)
    }

    /// Updates the lists for a motion, of which the gate asks.
    pub(crate) fn linear(
        &mut self,
        start: &[Point3<f32>],
        end: &[Point3<f32>],
        slack: f32,
    ) -> Result<(), Lost> {
        self.step(start, &Path::Linear(end), slack, Threshold::Clearance)
    }

    /// Updates the lists for a motion and compares what is due with all pairs.
    pub(crate) fn step(
        &mut self,
        start: &[Point3<f32>],
        path: &Path<'_>,
        slack: f32,
        threshold: Threshold,
    ) -> Result<(), Lost> {
        let stats = self.lists.update(&self.surface, start, path, slack, threshold).unwrap();
        self.lists.validate(&self.surface).unwrap();
        self.lists.due(&self.surface, threshold, None, &mut self.due);
        self.seen.updates += 1;
        self.seen.searches += usize::from(stats.searched);
        self.seen.growths += usize::from(!stats.searched && stats.leaves > 0);
        self.seen.due += self.due.point_triangles.len() + self.due.edge_edges.len();
        let motion = Moving { start, path };
        let (faces, edges) = (self.surface.topology.faces(), self.surface.topology.edges());
        let vertices = 0..self.surface.vertex_count() as u32;
        let of_points: Vec<Bounds> = vertices.map(|v| motion.bounds(&[v])).collect();
        let of_faces: Vec<Bounds> = faces.iter().map(|face| motion.bounds(face)).collect();
        let of_edges: Vec<Bounds> = edges.iter().map(|ends| motion.bounds(ends)).collect();
        let far = self.furthest() * 1.001;
        let mut needed = 0;
        let points = sorted(&self.due.point_triangles);
        for (f, face) in faces.iter().enumerate() {
            for v in (0..of_points.len()).filter(|&v| !are_apart(&of_points[v], &of_faces[f], far)) {
                let group = [self.surface.groups.of_vertex[v], self.surface.groups.of_face[f]];
                let pair = [v as u32, f as u32];
                needed += self.check(&motion, threshold, &points, pair, (&[v as u32], face, group))?;
            }
        }
        let pairs = sorted(&self.due.edge_edges);
        for b in 0..edges.len() {
            for a in (0..b).filter(|&a| !are_apart(&of_edges[a], &of_edges[b], far)) {
                let group = [a, b].map(|e| self.surface.groups.of_edge[e]);
                let pair = [a as u32, b as u32];
                needed += self.check(&motion, threshold, &pairs, pair, (&edges[a], &edges[b], group))?;
            }
        }
        self.seen.needed += needed;
        Ok(())
    }

    /// The greatest reach of any pair (m).
    fn furthest(&self) -> f64 {
        let Surface { radius, half_scr, layers, .. } = &self.surface;
        let greatest = |of: &[f32]| of.iter().copied().fold(0.0, f32::max);
        f64::from(2.0 * (greatest(radius) + greatest(half_scr)) + layers.depth)
    }

    /// Checks one pair; whether it has to be due.
    fn check(
        &self,
        motion: &Moving<'_>,
        threshold: Threshold,
        due: &[([u32; 2], f32)],
        pair: [u32; 2],
        (a, b, group): (&[u32], &[u32], [u16; 2]),
    ) -> Result<usize, Lost> {
        let surface = &self.surface;
        let mut reach = match threshold {
            Threshold::Contact => f64::from(surface.reach(a[0], b[0])),
            Threshold::Clearance => f64::from(self.gated.reach(a[0], b[0])),
        };
        let is_edges = a.len() == 2;
        if threshold == Threshold::Contact {
            let outer =
                if is_edges { surface.layers.edge_edge(pair) } else { surface.layers.point_triangle(pair) };
            reach += if outer.is_some() { f64::from(surface.layers.depth) } else { 0.0 };
        }
        let is_dormant = |v: &u32| self.dormant[*v as usize];
        if a.iter().any(|v| b.contains(v))
            || surface.excluded(a, b)
            || !surface.groups.full_mesh.interact(group[0], group[1])
            || a.iter().chain(b).all(is_dormant)
        {
            return Ok(0);
        }
        let beyond = motion.nearest(a, b) - reach;
        if beyond > 0.0 {
            return Ok(0);
        }
        let lost = Lost { pair, is_edges, beyond };
        let found = due.binary_search_by_key(&pair, |(pair, _)| *pair).map_err(|_| lost)?;
        match motion.path {
            Path::Predicted(_) if motion.is_overlooked(a, b, reach, due[found].1.into()) => Err(lost),
            _ => Ok(1),
        }
    }
}

/// Pairs in order, with how much they may approach (m).
fn sorted(due: &[Due]) -> Vec<([u32; 2], f32)> {
    let mut pairs: Vec<_> = due.iter().map(|due| (due.pair, due.approach)).collect();
    pairs.sort_unstable_by_key(|(pair, _)| *pair);
    assert!(pairs.windows(2).all(|two| two[0].0 != two[1].0), "a pair is due twice");
    pairs
}

/// Least and greatest coordinates (m) during a motion.
type Bounds = [[f64; 3]; 2];

fn are_apart(a: &Bounds, b: &Bounds, by: f64) -> bool {
    (0..3).any(|k| a[0][k] - b[1][k] > by || b[0][k] - a[1][k] > by)
}

/// A motion, in `f64`.
struct Moving<'a> {
    start: &'a [Point3<f32>],
    path: &'a Path<'a>,
}

/// How two primitives lie apart: distance (m), the direction from the second to the first, weights of the
/// vertices of both, and the greatest distance of any two of their vertices (m).
struct Closest {
    distance: f64,
    direction: Vector3<f64>,
    weights: [[f64; 3]; 2],
    extent: f64,
}

impl Moving<'_> {
    fn displacement(&self, v: u32) -> Vector3<f64> {
        match self.path {
            Path::Predicted(by) => by[v as usize].cast(),
            Path::Linear(end) => end[v as usize].coords.cast() - self.start[v as usize].coords.cast::<f64>(),
        }
    }

    fn at(&self, v: u32, time: f64) -> Point3<f64> {
        self.start[v as usize].cast::<f64>() + self.displacement(v) * time
    }

    /// The box of vertices during the motion, but for what the first vertex of all moves.
    fn bounds(&self, of: &[u32]) -> Bounds {
        let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for &v in of {
            let start = self.at(v, 0.0);
            let by = self.displacement(v) - self.displacement(0);
            // A predicted motion counts whichever way it is.
            let by = match self.path {
                Path::Predicted(_) => [1.0, -1.0].map(|sign| Vector3::repeat(sign * by.norm())),
                Path::Linear(_) => [by, Vector3::zeros()],
            };
            for at in by.map(|by| start + by) {
                for k in 0..3 {
                    bounds[0][k] = bounds[0][k].min(at[k]);
                    bounds[1][k] = bounds[1][k].max(at[k]);
                }
            }
        }
        bounds
    }

    fn apart(&self, a: &[u32], b: &[u32], time: f64) -> Closest {
        let at = |v: u32| self.at(v, time);
        let weights = match (a, b) {
            (&[p], &[x, y, z]) => [[1.0, 0.0, 0.0], point_triangle(&at(p), [&at(x), &at(y), &at(z)]).weights],
            (&[p, q], &[x, y]) => {
                let closest = segment_segment([&at(p), &at(q)], [&at(x), &at(y)]);
                [[1.0 - closest.s, closest.s, 0.0], [1.0 - closest.t, closest.t, 0.0]]
            }
            _ => unreachable!("a vertex and a face, or two edges"),
        };
        let apart = weighted(a, weights[0], |v| at(v).coords) - weighted(b, weights[1], |v| at(v).coords);
        let all = || a.iter().chain(b);
        let extent = all().flat_map(|&v| all().map(move |&w| (v, w)));
        let extent = extent.map(|(v, w)| (at(v) - at(w)).norm()).fold(0.0, f64::max);
        let direction = apart.try_normalize(0.0).unwrap_or_default();
        Closest { distance: apart.norm(), direction, weights, extent }
    }

    /// By how much (m) the narrow phase has a pair approach in a predicted motion; 0 in another one.
    fn approach(&self, a: &[u32], b: &[u32]) -> f64 {
        let Path::Predicted(_) = self.path else { return 0.0 };
        let Closest { direction, weights, .. } = self.apart(a, b, 0.0);
        let by = |of: &[u32], weights: [f64; 3]| weighted(of, weights, |v| self.displacement(v));
        (by(b, weights[1]) - by(a, weights[0])).dot(&direction).max(0.0)
    }

    /// Whether the narrow phase, whose distances have an error, may take a pair that comes within reach (m)
    /// for one that approaches by less (m).
    fn is_overlooked(&self, a: &[u32], b: &[u32], reach: f64, bound: f64) -> bool {
        let Closest { distance, extent, .. } = self.apart(a, b, 0.0);
        let [low, high] = [-1.0, 1.0].map(|sign| distance - reach + sign * DISTANCE_ERROR * extent);
        let approach = self.approach(a, b);
        bound < approach && low <= approach && high * (1.0 - 2.0 * DISTANCE_ERROR) > bound
    }

    /// The least distance (m) that a pair has during the motion, or that the narrow phase may see.
    fn nearest(&self, a: &[u32], b: &[u32]) -> f64 {
        match self.path {
            Path::Predicted(_) => {
                let Closest { distance, extent, .. } = self.apart(a, b, 0.0);
                (distance - self.approach(a, b)) - DISTANCE_ERROR * extent
            }
            Path::Linear(_) => {
                let times = (0..=4).map(|k| 0.25 * f64::from(k));
                times.map(|time| self.apart(a, b, time).distance).fold(f64::INFINITY, f64::min)
            }
        }
    }
}

fn weighted(of: &[u32], weights: [f64; 3], value: impl Fn(u32) -> Vector3<f64>) -> Vector3<f64> {
    of.iter().zip(weights).map(|(&v, weight)| value(v) * weight).sum()
}

/// Moves a position for each vertex.
pub(crate) fn moved(at: &[Point3<f32>], by: impl Fn(usize) -> Vector3<f32>) -> Vec<Point3<f32>> {
    at.iter().enumerate().map(|(v, p)| p + by(v)).collect()
}

/// Two sheets of ten times ten vertices, 0.1 m apart from each other along either side; one lies 0.1 m to 0.3
/// m above the other, and leans.
pub(crate) fn leaning() -> Parts {
    let mut parts = Parts::default();
    parts.add_sheet(10, 0.9, |p| p);
    parts.add_sheet(10, 0.9, |p| {
        Vector3::new(0.9 * p.x + 0.013, 0.2 + 0.2 * p.x + 0.03 * p.z, 0.9 * p.z + 0.021)
    });
    parts
}

/// Up for the first sheet of [`leaning`], and down for the second.
pub(crate) fn head_on(parts: &Parts) -> impl Fn(usize, f32) -> Vector3<f32> + '_ {
    |v, by| Vector3::y() * if parts.part[v] == 0 { by } else { -by }
}

/// Sheets that approach head-on by all that their slacks allow, which no frame follows: some motions were
/// begun before they are asked about, and some are to come.
fn approach_by_all_slack() -> Result<Seen, Lost> {
    approach_in_world(1.0, 0.0, 0.9995)
}

/// The same at another size, from an origin (m), by a share of all slack.
fn approach_in_world(size: f32, origin: f32, share: f32) -> Result<Seen, Lost> {
    let slack = 0.05 * size;
    let mut parts = leaning();
    parts.rest.iter_mut().for_each(|p| *p = Point3::from(p.coords * size).map(|c| c + origin));
    let toward = head_on(&parts);
    let count = parts.rest.len();
    let mut seen = Seen::default();
    for half_scr in [0.005, 0.03] {
        let mut detected = Checked::new(parts.surface(0.01 * size, half_scr * size));
        let mut certified = Checked::new(parts.surface(0.01 * size, half_scr * size));
        let still = vec![Vector3::zeros(); count];
        detected.predicted(&parts.rest, &still, slack)?;
        certified.linear(&parts.rest, &parts.rest, slack)?;
        for by in (1..=20).map(|k| slack * k as f32 / 20.0 * share) {
            let at = moved(&parts.rest, |v| toward(v, by));
            detected.predicted(&at, &still, slack)?;
            certified.linear(&parts.rest, &at, slack)?;
            let half = moved(&parts.rest, |v| toward(v, 0.5 * by));
            let predicted: Vec<_> = (0..count).map(|v| toward(v, 0.5 * by)).collect();
            detected.predicted(&half, &predicted, slack)?;
            certified.linear(&at, &half, slack)?;
        }
        assert_eq!([detected.seen.searches, certified.seen.searches], [1, 1]);
        assert_eq!([detected.seen.growths, certified.seen.growths], [0, 0]);
        seen = detected.seen;
    }
    Ok(seen)
}

#[test]
fn sheets_of_any_size_and_place_that_approach_are_due() {
    // A coordinate has steps of 8 mm at 100 km.
    for (size, origin, share) in [
        (1.0e-4, 0.0, 0.999),
        (1.0e4, 0.0, 0.999),
        (1.0e8, 0.0, 0.999),
        (100.0, 1.0e5, 0.99),
        (1.0, 1.0e4, 0.9),
    ] {
        let seen = approach_in_world(size, origin, share).unwrap();
        assert!(seen.needed > 1000, "{seen:?}");
    }
}

#[test]
fn sheets_that_approach_by_all_their_slack_are_due() {
    let seen = approach_by_all_slack().unwrap();
    assert!(seen.needed > 1000 && seen.due < seen.needed * 8, "{seen:?}");
}

/// What is listed for detection lasts longer for the gate: by half of what the reach exceeds the clearance,
/// 0.0395 m.
#[test]
fn lists_serve_the_gate_until_clearances_are_near() {
    let parts = leaning();
    let toward = head_on(&parts);
    for by in (0..12_u8).map(|k| 0.086 + 0.0006 * f32::from(k)) {
        let mut certified = Checked::new(parts.surface(0.01, 0.03));
        certified.linear(&parts.rest, &parts.rest, 0.05).unwrap();
        let at = moved(&parts.rest, |v| toward(v, by));
        certified.linear(&parts.rest, &at, 0.05).unwrap_or_else(|lost| panic!("{by}: {lost:?}"));
        certified.linear(&at, &parts.rest, 0.05).unwrap_or_else(|lost| panic!("{by}: {lost:?}"));
        assert_eq!(certified.seen.searches == 1, by < 0.0895, "{by}: {:?}", certified.seen);
        assert!(certified.seen.needed > 10, "{:?}", certified.seen);
    }
}

/// Parallel sheets that approach head-on by hardly more than half of their separation: to less than 1 %
/// beyond what each vertex may move without any pair being due. Next to a larger one at rest, so that few of
/// all vertices are beyond their budgets, and not all pairs are compared for that.
fn approach_beyond_budgets() -> Result<Seen, Lost> {
    let mut parts = Parts::default();
    parts.add_sheet(4, 0.3, |p| p);
    parts.add_sheet(4, 0.3, |p| Vector3::new(0.9 * p.x + 0.013, 0.1, 0.9 * p.z + 0.021));
    let approaching = parts.rest.len();
    parts.add_sheet(18, 0.9, |p| p + Vector3::x() * 5.0);
    let head_on = head_on(&parts);
    let toward = |v, by| if v < approaching { head_on(v, by) } else { Vector3::zeros() };
    let mut detected = Checked::new(parts.surface(0.01, 0.01));
    let mut certified = Checked::new(parts.surface(0.01, 0.01));
    let still = vec![Vector3::zeros(); parts.rest.len()];
    detected.predicted(&parts.rest, &still, 0.06)?;
    certified.linear(&parts.rest, &parts.rest, 0.06)?;
    for share in (0..10_u8).map(|k| 0.5005 + 0.0005 * f32::from(k)) {
        // The reach is 0.04 m, the clearance 0.001 m.
        let by = |separation: f32| moved(&parts.rest, |v| toward(v, separation * share));
        detected.predicted(&by(0.06), &still, 0.06)?;
        certified.linear(&parts.rest, &by(0.099), 0.06)?;
    }
    assert_eq!([detected.seen.searches, certified.seen.searches], [1, 1]);
    let needed = [detected.seen.needed, certified.seen.needed];
    assert!(needed.iter().all(|&needed| needed > 100), "{needed:?}");
    Ok(detected.seen)
}

#[test]
fn sheets_that_approach_beyond_their_budgets_are_due() {
    approach_beyond_budgets().unwrap();
}

/// Sheets that fly at each other until their lists end: what frames approach is tight, and nothing is
/// displaced.
fn fly_until_the_end() -> Result<Seen, Lost> {
    let parts = leaning();
    let toward = head_on(&parts);
    let mut seen = Seen::default();
    for (by, slack) in [(0.006, 0.001), (0.011, 0.0), (0.02, 0.004)] {
        // The gate alone, then together with detection.
        let mut certified = Checked::new(parts.surface(0.02, 0.02));
        let mut both = Checked::new(parts.surface(0.01, 0.01));
        let displacements: Vec<_> = (0..parts.rest.len()).map(|v| toward(v, by)).collect();
        for step in 0..24 {
            let at = |step: f32| moved(&parts.rest, |v| toward(v, by * step) * 0.5);
            let (start, end) = (at(step as f32), at(step as f32 + 1.0));
            certified.step(&start, &Path::Linear(&end), slack, Threshold::Contact)?;
            both.predicted(&start, &displacements, slack)?;
            both.linear(&start, &end, slack)?;
        }
        assert!((2..10).contains(&certified.seen.searches), "{:?}", certified.seen);
        assert!((2..24).contains(&both.seen.searches), "{:?}", both.seen);
        seen = certified.seen;
    }
    Ok(seen)
}

#[test]
fn sheets_that_fly_at_each_other_are_due_until_lists_end() {
    fly_until_the_end().unwrap();
}

/// One vertex after the other leaves its slack and dives to the other sheet, while all others stay.
fn dive_one_by_one() -> Result<Seen, Lost> {
    // More than one vertex shifts the mean by.
    const SLACK: f32 = 0.04;
    let mut parts = Parts::default();
    parts.add_sheet(10, 0.9, |p| p);
    parts.add_sheet(10, 0.9, |p| Vector3::new(0.9 * p.x + 0.013, 0.2, 0.9 * p.z + 0.021));
    let mut seen = Seen::default();
    let still = vec![Vector3::zeros(); parts.rest.len()];
    for first in (0..parts.rest.len()).step_by(5) {
        let mut detected = Checked::new(parts.surface(0.01, 0.01));
        let mut certified = Checked::new(parts.surface(0.02, 0.01));
        detected.predicted(&parts.rest, &still, SLACK)?;
        certified.linear(&parts.rest, &parts.rest, SLACK)?;
        // A neighbour dives later, so that a leaf grows more than once.
        for step in 1..=2 {
            let dives = |v: usize| v == first || step == 2 && v == first + 1;
            let toward = |v: usize| if parts.part[v] == 0 { 0.17 } else { -0.17 };
            let at = moved(&parts.rest, |v| Vector3::y() * if dives(v) { toward(v) } else { 0.0 });
            detected.predicted(&at, &still, SLACK)?;
            certified.linear(&parts.rest, &at, SLACK)?;
        }
        assert_eq!([detected.seen.searches, certified.seen.searches], [1, 1]);
        for of in [detected.seen, certified.seen] {
            (seen.growths, seen.needed) = (seen.growths + of.growths, seen.needed + of.needed);
        }
    }
    Ok(seen)
}

#[test]
fn vertices_that_leave_their_slack_one_by_one_are_due() {
    let seen = dive_one_by_one().unwrap();
    assert!(seen.growths > 150 && seen.needed > 1000, "{seen:?}");
}

/// Wires alone: no pairs of vertices and faces lower the budgets of the same vertices.
#[test]
fn edges_without_faces_that_leave_their_slack_are_due() {
    let (mut rest, mut edges) = (Vec::new(), Vec::new());
    for k in 0..20_u8 {
        let at = Vector3::x() * f32::from(k);
        let ends = [[0.05, 0.0, 0.0], [-0.05, 0.0, 0.0], [0.0, 0.2, 0.05], [0.0, 0.2, -0.05]];
        rest.extend(ends.map(|end| Point3::from(at + Vector3::from(end))));
        edges.extend([0, 2].map(|first| [4 * u32::from(k) + first, 4 * u32::from(k) + first + 1]));
    }
    let topology = cloth_geom::Topology::with_loose_edges(rest.len(), &[], &edges).unwrap();
    let part = vec![0; rest.len()];
    let surface = Surface::for_gate_alone(topology, &part, &[false], &[], Regions::default()).unwrap();
    let surface = surface.placed(&rest, |_| 0.06);
    let mut seen = Seen::default();
    for wire in (0..rest.len()).step_by(4) {
        let mut checked = Checked::new(surface.clone());
        // Listed at 0.1 m, where half of what they are apart is less; due at 0.15 m.
        for by in [0.0, 0.1, 0.15] {
            let up = |v: usize| Vector3::y() * if v / 2 == wire / 2 { by } else { 0.0 };
            let at = moved(&rest, up);
            checked.step(&rest, &Path::Linear(&at), 0.02, Threshold::Contact).unwrap();
        }
        assert_eq!([checked.seen.searches, checked.seen.growths], [1, 1], "wire {wire}");
        seen.needed += checked.seen.needed;
    }
    assert!(seen.needed >= 20, "{seen:?}");
}

/// Neither of two leaves reaches the other by what it has grown alone.
#[test]
fn vertices_that_meet_half_way_are_due() {
    let mut parts = Parts::default();
    parts.add_sheet(10, 0.9, |p| p);
    parts.add_sheet(10, 0.9, |p| p + Vector3::new(0.013, 0.6, 0.021));
    let toward = head_on(&parts);
    let still = vec![Vector3::zeros(); parts.rest.len()];
    for v in 0..100 {
        let at = moved(&parts.rest, |w| if w % 100 == v { toward(w, 0.29) } else { Vector3::zeros() });
        let mut detected = Checked::new(parts.surface(0.01, 0.01));
        detected.predicted(&parts.rest, &still, 0.04).unwrap();
        detected.predicted(&at, &still, 0.04).unwrap_or_else(|lost| panic!("vertex {v}: {lost:?}"));
        let Seen { searches, growths, needed, .. } = detected.seen;
        assert!(searches == 1 && growths == 1 && needed > 0, "{:?}", detected.seen);
        let mut certified = Checked::new(parts.surface(0.019, 0.001));
        let at = moved(&parts.rest, |w| if w % 100 == v { toward(w, 0.32) } else { Vector3::zeros() });
        certified.linear(&parts.rest, &parts.rest, 0.04).unwrap();
        certified.linear(&parts.rest, &at, 0.04).unwrap_or_else(|lost| panic!("vertex {v}: {lost:?}"));
    }
}

/// Two triangles that fly at each other until lists end, with a distance such that they come within reach
/// only then: by all that their frames move, and by all of their slacks.
#[test]
fn what_flies_until_lists_end_is_due_to_the_last() {
    for (size, by) in [(0.5_f32, 0.003_f32), (0.5, 0.05), (0.5, 0.4), (20.0, 0.4), (0.01, 1.0e-3)] {
        // Equilateral, so that all slacks are equal.
        let corners = [[-0.5, -0.288_675], [0.5, -0.288_675], [0.0, 0.577_35]];
        let parts = |gap: f32| {
            let mut parts = Parts::default();
            for k in [0.0, 1.0] {
                let corner =
                    |[y, z]: [f32; 2]| Point3::new(k * gap, (y + 0.1 * k) * size, (z + 0.07 * k) * size);
                parts.add(corners.map(corner), [[0, 1, 2]]);
            }
            parts
        };
        let toward = |v: usize, by: f32| Vector3::x() * if v < 3 { by } else { -by };
        let (reach, end) = (4.0 * 0.01 * size, Plan::default().motions() * by);
        let at_gap = |gap: f32| {
            let parts = parts(gap);
            let mut checked = Checked::new(parts.surface(0.01 * size, 0.01 * size));
            let first = moved(&parts.rest, |v| toward(v, by));
            checked.step(&parts.rest, &Path::Linear(&first), 0.0, Threshold::Contact).unwrap();
            (parts, checked)
        };
        let slack = at_gap(3.0 * (end + size)).1.lists.slack.iter().copied().fold(f32::INFINITY, f32::min);
        let last = end * (1.0 - 2.0e-6) + slack * (1.0 - 1.0e-4);
        for share in [1.0e-6, 1.0e-5, 1.0e-4] {
            let (parts, mut checked) = at_gap(reach + 2.0 * last * (1.0 - share));
            assert_eq!(checked.seen.needed, 0);
            let at = moved(&parts.rest, |v| toward(v, last));
            checked
                .step(&at, &Path::Linear(&at), 0.0, Threshold::Contact)
                .unwrap_or_else(|lost| panic!("{size} {by} {share}: {lost:?}"));
            assert_eq!(checked.seen.searches, 1, "{size} {by} {share}");
            assert!(checked.seen.needed > 0, "{size} {by} {share}");
        }
        // The same in one predicted motion.
        for share in [1.0e-6, 1.0e-5, 1.0e-4] {
            let parts = parts(reach + 2.0 * by * (1.0 - share));
            let mut checked = Checked::new(parts.surface(0.01 * size, 0.01 * size));
            let predicted: Vec<_> = (0..6).map(|v| toward(v, by)).collect();
            checked
                .predicted(&parts.rest, &predicted, 0.0)
                .unwrap_or_else(|lost| panic!("{size} {by} {share}, predicted: {lost:?}"));
            assert!(checked.seen.needed > 0, "{size} {by} {share}, predicted");
        }
    }
}

/// What grows reaches others by what their frames have approached since the search, too.
#[test]
fn vertices_that_leave_their_slack_in_flight_are_due() {
    let mut parts = Parts::default();
    parts.add_sheet(10, 0.9, |p| p);
    parts.add_sheet(10, 0.9, |p| p + Vector3::new(0.013, 1.0, 0.021));
    let toward = head_on(&parts);
    for v in (0..200).step_by(7) {
        let mut checked = Checked::new(parts.surface(0.01, 0.01));
        let flown = |by: f32| moved(&parts.rest, |v| toward(v, by));
        checked.step(&flown(0.0), &Path::Linear(&flown(0.04)), 0.05, Threshold::Contact).unwrap();
        // Of 1 m, frames approach by 0.56 m and the vertex by 0.4 m more.
        let at = moved(&parts.rest, |w| toward(w, if w == v { 0.28 + 0.41 } else { 0.28 }));
        checked
            .step(&at, &Path::Linear(&at), 0.05, Threshold::Contact)
            .unwrap_or_else(|lost| panic!("vertex {v}: {lost:?}"));
        let Seen { searches, growths, needed, .. } = checked.seen;
        assert!(searches == 1 && growths == 1 && needed > 0, "{:?}", checked.seen);
    }
}

/// Primitives so near each other that the square of their distance is 0 have no direction, and are not apart.
#[test]
fn what_is_nearer_than_squares_can_say_is_due() {
    let tiny = 1.0e-24;
    let mut parts = Parts::default();
    parts.add([[0.0; 3], [-1.0, -1.0, -0.1], [-1.0, -0.1, -1.0]].map(Point3::from), [[0, 1, 2]]);
    parts.add([[tiny; 3], [1.0, 1.0, 0.1], [1.0, 0.1, 1.0]].map(Point3::from), [[0, 1, 2]]);
    let mut checked = Checked::new(parts.surface(0.01, 0.01));
    let still = vec![Vector3::zeros(); parts.rest.len()];
    checked.predicted(&parts.rest, &still, 0.01).unwrap();
    checked.linear(&parts.rest, &parts.rest, 0.01).unwrap();
    assert!(checked.seen.needed >= 4, "{:?}", checked.seen);
}

/// The narrow phase extrapolates along the line of closest points: what comes aslant has a contact coming
/// although it would miss.
#[test]
fn sheets_that_fly_past_each_other_are_due() {
    let mut needed = 0;
    for aside in [0.8, 1.2, 2.0] {
        for height in [0.06, 0.1, 0.2] {
            let mut parts = Parts::default();
            parts.add_sheet(7, 0.6, |p| p);
            parts.add_sheet(7, 0.6, |p| Vector3::new(0.9 * p.x + aside, height, 0.9 * p.z + 0.021));
            for share in [0.9, 1.0, 1.1] {
                let by = |v: usize| Vector3::x() * if parts.part[v] == 0 { 0.0 } else { -aside * share };
                let displacements: Vec<_> = (0..parts.rest.len()).map(by).collect();
                let mut checked = Checked::new(parts.surface(0.01, 0.01));
                // As they come near, then for longer than at the search.
                for (start, time) in [(0.0, 1.0), (0.05, 1.0), (0.02, 1.05)] {
                    let at = moved(&parts.rest, |v| by(v) * start);
                    let predicted: Vec<_> = displacements.iter().map(|d| d * time).collect();
                    checked.predicted(&at, &predicted, 0.0).unwrap();
                }
                needed += checked.seen.needed;
            }
        }
    }
    assert!(needed > 1000, "{needed}");
}

/// Triangles of a few units in the last place of their coordinates, 1e5 m from the origin, with a reach that
/// hardly contains a vertex and a face, or two edges: centres and projections round by more than slacks are.
#[test]
fn what_touches_far_from_the_origin_is_due() {
    const UNIT: f32 = 1.0 / 128.0;
    let mut dice = Dice::new(11);
    let mut needed = 0;
    for round in 0..600 {
        let mut parts = Parts::default();
        for height in [0, 6] {
            let mut steps = |from: usize| (from + dice.below(5)) as f32 * UNIT;
            let corners: Vec<Point3<f32>> = (0..3)
                .map(|_| Point3::new(1.0e5 + steps(0), -1.0e5 + steps(0), 1.0e5 + steps(height)))
                .collect();
            parts.add(corners, [[0, 1, 2]]);
        }
        let still = vec![Vector3::zeros(); parts.rest.len()];
        let moving = Moving { start: &parts.rest, path: &Path::Predicted(&still) };
        let (a, b): (&[u32], &[u32]) = if round % 2 == 0 { (&[3], &[0, 1, 2]) } else { (&[0, 1], &[4, 5]) };
        let Closest { distance, .. } = moving.apart(a, b, 0.0);
        let quarter = (0.25 * distance * (1.0 + 1.0e-6)) as f32;
        if quarter > 0.0 {
            let mut checked = Checked::new(parts.surface(quarter, quarter));
            checked.predicted(&parts.rest, &still, 0.0).unwrap();
            needed += checked.seen.needed;
        }
    }
    assert!(needed > 1000, "{needed}");
}

/// Triangles that are small for their distance, or large, with a reach such that one is beyond it by less
/// than the error of the narrow phase.
fn touch_from_afar() -> Result<Seen, Lost> {
    let mut seen = Seen::default();
    let mut dice = Dice::new(3);
    for round in 0..80 {
        let size = [1.0e-4, 1.0][round % 2];
        let mut parts = Parts::default();
        for _ in 0..8 {
            let at = Point3::from(dice.vector(1.0));
            parts.add((0..3).map(|_| at + dice.vector(size)), [[0, 1, 2]]);
        }
        let still = vec![Vector3::zeros(); parts.rest.len()];
        let (v, f) = (3 * dice.below(4), 4 + dice.below(4));
        let moving = Moving { start: &parts.rest, path: &Path::Predicted(&still) };
        let Closest { distance, extent, .. } = moving.apart(&[v as u32], &parts.faces[f], 0.0);
        for k in 0..20 {
            let reach = distance - DISTANCE_ERROR * extent * (0.5 + f64::from(k) / 42.0);
            let quarter = (0.25 * reach) as f32;
            let mut checked = Checked::new(parts.surface(quarter, quarter));
            checked.predicted(&parts.rest, &still, 0.0)?;
            seen.needed += checked.seen.needed;
        }
    }
    Ok(seen)
}

#[test]
fn pairs_within_the_error_of_the_narrow_phase_are_due() {
    let seen = touch_from_afar().unwrap();
    assert!(seen.needed > 100, "{seen:?}");
}

/// One leaf of vertices after the other flies at the other sheet and pulls the faces and edges at its border
/// along: their vertices move with different frames.
#[test]
fn leaves_that_fly_one_by_one_are_due() {
    let mut parts = Parts::default();
    parts.add_sheet(8, 0.7, |p| p);
    parts.add_sheet(8, 0.7, |p| Vector3::new(0.9 * p.x + 0.013, 0.3, 0.9 * p.z + 0.021));
    let surface = parts.surface(0.01, 0.01);
    let leaves = surface.leaves.points.vertices.clone();
    let mut needed = 0;
    for (number, leaf) in leaves.iter().enumerate().filter(|(l, _)| surface.leaves.points.occupied[*l] != 0) {
        let mut dice = Dice::new(number as u64);
        let aside = Vector3::new(0.3, 0.0, 0.3).component_mul(&dice.vector(1.0));
        let by = |v: usize| {
            let way = aside + Vector3::y() * if parts.part[v] == 0 { 1.0 } else { -1.0 };
            if leaf.contains(&[v as u32]) { way * 0.036 } else { Vector3::zeros() }
        };
        let displacements: Vec<_> = (0..parts.rest.len()).map(by).collect();
        let mut certified = Checked::new(surface.clone());
        let mut both = Checked::new(surface.clone());
        for step in 0..9_u8 {
            let at = |step: u8| moved(&parts.rest, |v| by(v) * f32::from(step));
            certified.step(&at(step), &Path::Linear(&at(step + 1)), 0.0, Threshold::Contact).unwrap();
            both.predicted(&at(step), &displacements, 0.0).unwrap();
            both.linear(&at(step), &at(step + 1), 0.0).unwrap();
        }
        // The gate alone plans for eight motions.
        assert!(certified.seen.searches <= 2, "{:?}", certified.seen);
        needed += certified.seen.needed;
    }
    assert!(needed > 1000, "{needed}");
}

/// Sheets that part: frames recede, so that pairs leave their reach as late as the frames say.
#[test]
fn sheets_that_part_are_due_until_out_of_reach() {
    for by in [1.0e-4, 1.0e-3, 4.0e-3] {
        let mut parts = Parts::default();
        parts.add_sheet(10, 0.9, |p| p);
        parts.add_sheet(10, 0.9, |p| {
            Vector3::new(0.9 * p.x + 0.013, 0.03 + 0.03 * p.x + 0.01 * p.z, 0.9 * p.z + 0.021)
        });
        let away = head_on(&parts);
        let mut both = Checked::new(parts.surface(0.02, 0.02));
        let displacements: Vec<_> = (0..parts.rest.len()).map(|v| away(v, -by)).collect();
        for step in 0..40 {
            let at = |step: f32| moved(&parts.rest, |v| away(v, -by * step));
            let (start, end) = (at(step as f32), at(step as f32 + 1.0));
            both.predicted(&start, &displacements, 0.0).unwrap();
            both.linear(&start, &end, 0.0).unwrap();
        }
        assert!(both.seen.searches < 40 && both.seen.needed > 1000, "{:?}", both.seen);
    }
}

/// As the frames recede by as much as the pairs were within their reach, rounding is a share of that, not of
/// the little that remains.
#[test]
fn what_recedes_to_the_edge_of_its_reach_is_due() {
    let mut dice = Dice::new(7);
    for round in 0..300 {
        let reach = 0.4_f32;
        let mut parts = Parts::default();
        let away = 0.4 * dice.unit();
        for k in 0..2_u8 {
            let place = Vector3::new(0.0, 0.01 * f32::from(k), 0.0);
            parts.add((0..3).map(|_| Point3::from(place + dice.vector(1.0e-3))), [[0, 1, 2]]);
        }
        let surface = parts.surface(0.25 * reach, 0.25 * reach);
        let mut checked = Checked::new(surface);
        let up = |v: usize, by: f32| Vector3::y() * if v < 3 { 0.0 } else { by };
        let displacements: Vec<_> = (0..6).map(|v| up(v, away)).collect();
        let still = vec![Vector3::zeros(); 6];
        // The gate alone plans for longer.
        let end = moved(&parts.rest, |v| up(v, away));
        checked.step(&parts.rest, &Path::Linear(&end), 0.0, Threshold::Contact).unwrap();
        // To where some pair is at its reach, less a little.
        let a = parts.rest[0].cast::<f64>();
        let distance = |by: f32| {
            let at = moved(&parts.rest, |v| up(v, by));
            let [x, y, z] = [3, 4, 5].map(|v| at[v].cast::<f64>());
            point_triangle(&a, [&x, &y, &z]).distance_sq.sqrt()
        };
        let (mut low, mut high) = (0.0_f32, 1.0_f32);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if distance(middle) > f64::from(reach) { high = middle } else { low = middle }
        }
        for share in [1.0, 1.0 - 1.0e-6, 1.0 - 4.0e-6, 1.0 - 2.0e-5, 1.0 + 2.0e-6, 1.0 + 6.0e-6] {
            let at = moved(&parts.rest, |v| up(v, low * share));
            checked.predicted(&at, &still, 0.0).unwrap_or_else(|lost| panic!("round {round}: {lost:?}"));
            let half: Vec<_> = displacements.iter().map(|d| d * 0.01).collect();
            checked.predicted(&at, &half, 0.0).unwrap_or_else(|lost| panic!("round {round}: {lost:?}"));
        }
    }
}

/// A search measures a pair with a large face less precisely than its box says, so a pair that was not listed
/// may later look as if it had been.
#[test]
fn vertices_that_grow_toward_a_large_face_are_due() {
    for (side, height) in
        [(1.0, 0.05), (10.0, 0.05), (10.0, 0.012), (100.0, 0.05), (100.0, 0.02), (1000.0, 0.1)]
    {
        let mut parts = Parts::default();
        let corners = [[-1.3, -1.0], [1.0, -1.1], [0.9, 1.2], [-1.0, 1.0]];
        let corner = |[x, z]: [f32; 2]| Point3::new(x * side, 0.0, z * side);
        parts.add(corners.map(corner), [[0, 1, 2], [0, 2, 3]]);
        parts.add_sheet(10, 0.9, |p| p + Vector3::new(0.07, height, 0.03));
        let still = vec![Vector3::zeros(); parts.rest.len()];
        let mut seen = Seen::default();
        for first in (0..100).step_by(3) {
            let mut detected = Checked::new(parts.surface(0.002, 0.001));
            detected.predicted(&parts.rest, &still, 0.0).unwrap();
            for step in 1..=5_u8 {
                let by = -0.196 * height * f32::from(step);
                let at = moved(&parts.rest, |v| Vector3::y() * if v == first + 4 { by } else { 0.0 });
                let found = detected.predicted(&at, &still, 0.001);
                found.unwrap_or_else(|lost| panic!("{side} {height}, vertex {first}, step {step}: {lost:?}"));
            }
            seen = detected.seen;
        }
        assert!(seen.growths > 0 && seen.searches == 1, "{seen:?}");
    }
}

#[test]
fn a_flat_sheet_lists_no_pair_beyond_its_slack() {
    let mut parts = Parts::default();
    parts.add_sheet(20, 1.9, |p| p);
    let still = vec![Vector3::zeros(); parts.rest.len()];
    // An edge is 0.1 m long, and a neighbour that shares no vertex 0.07 m away or further.
    for (reach, slack, is_listed) in [(0.04, 0.013, false), (0.06, 0.003, false), (0.04, 0.016, true)] {
        let mut checked = Checked::new(parts.surface(0.25 * reach, 0.25 * reach));
        checked.predicted(&parts.rest, &still, slack).unwrap();
        assert_eq!(
            checked.lists.len() > 0,
            is_listed,
            "reach {reach}, slack {slack}: {}",
            checked.lists.len()
        );
        assert_eq!(checked.seen.due, 0);
    }
}

/// A walk of two sheets: they drift, turn, approach and part, some vertices go far, and now and then the
/// state is another one.
struct Walk {
    parts: Parts,
    /// Size of a sheet (m).
    size: f32,
    dice: Dice,
    at: Vec<Point3<f32>>,
    kept: Vec<Point3<f32>>,
}

impl Walk {
    fn new(size: f32, origin: f32, seed: u64) -> Self {
        let mut parts = Parts::default();
        parts.add_sheet(7, 1.0, |p| p);
        parts.add_sheet(7, 1.0, |p| Vector3::new(0.9 * p.x + 0.03, 0.08 + 0.06 * p.x, 1.1 * p.z + 0.02));
        parts.rest.iter_mut().for_each(|p| *p = Point3::from(p.coords * size).map(|c| c + origin));
        let at = parts.rest.clone();
        Self { parts, size, dice: Dice::new(seed), kept: at.clone(), at }
    }

    /// Moves of the next step (m).
    fn moves(&mut self) -> Vec<Vector3<f32>> {
        let dice = &mut self.dice;
        let (scale, common) =
            (dice.pick(&[0.0, 1.0e-3, 0.01, 0.05]) * self.size, dice.pick(&[0.0, 0.1, 3.0]));
        let common = dice.vector(common * self.size);
        let rigid = [0, 1].map(|_| (dice.vector(scale), dice.vector(scale / self.size)));
        let tremble = dice.pick(&[0.0, 0.05, 1.0]) * scale;
        let mut moves: Vec<_> = (0..self.at.len())
            .map(|v| {
                let (shift, rotation) = rigid[usize::from(self.parts.part[v])];
                let from = self.at[v] - self.at[0];
                common + shift + rotation.cross(&from) + dice.vector(tremble)
            })
            .collect();
        for _ in 0..dice.pick(&[0, 0, 1, 3]) {
            let v = dice.below(moves.len());
            moves[v] += dice.vector(0.15 * self.size);
        }
        moves
    }
}

fn check_walk(size: f32, origin: f32, seed: u64, with_gate: bool) -> Seen {
    let mut walk = Walk::new(size, origin, seed);
    let surface = walk.parts.surface(0.01 * size, 0.005 * size);
    let mut checked = Checked::new(surface);
    for step in 0..16 {
        let what = |lost: Lost| panic!("size {size}, origin {origin}, seed {seed}, step {step}: {lost:?}");
        // A few steps alike, so that lists are kept.
        let moves = walk.moves();
        let slack = walk.dice.pick(&[0.0, 0.002, 0.02]) * size;
        for _ in 0..1 + walk.dice.below(4) {
            let end = moved(&walk.at, |v| moves[v]);
            let by: Vec<_> = end.iter().zip(&walk.at).map(|(b, a)| b - a).collect();
            checked.predicted(&walk.at, &by, slack).unwrap_or_else(what);
            if with_gate {
                // Of what is certified, a part is corrected.
                let share = walk.dice.pick(&[1.0, 0.5]);
                let end = moved(&walk.at, |v| moves[v] * if v % 5 == 0 { share } else { 1.0 });
                checked.linear(&walk.at, &end, slack).unwrap_or_else(what);
                checked.linear(&walk.at, &moved(&walk.at, |v| moves[v] * 0.5), slack).unwrap_or_else(what);
                walk.at = end;
            } else {
                walk.at = end;
            }
        }
        match walk.dice.below(10) {
            0 => walk.at.clone_from(&walk.kept),
            1 => walk.kept.clone_from(&walk.at),
            2 => walk.at.clone_from(&walk.parts.rest),
            _ => {}
        }
    }
    checked.seen
}

#[test]
fn nothing_is_lost_on_any_walk_in_any_world() {
    let mut all = Seen::default();
    for (size, origin) in [(1.0, 0.0), (1.0e-4, 0.0), (1.0e4, 0.0), (100.0, 1.0e5), (1.0, 30.0)] {
        for seed in 0..3 {
            let seen = check_walk(size, origin, seed, seed % 2 == 0);
            all.searches += seen.searches;
            all.updates += seen.updates;
            all.growths += seen.growths;
            all.needed += seen.needed;
        }
    }
    // Lists were kept, and grew.
    assert!(all.searches * 2 < all.updates && all.growths > 30 && all.needed > 1000, "{all:?}");
}

/// A heap of three sheets, the lower two of which are within reach of each other.
fn heap() -> Parts {
    let mut parts = Parts::default();
    parts.add_sheet(6, 0.5, |p| p);
    parts.add_sheet(6, 0.5, |p| Vector3::new(0.9 * p.x + 0.013, 0.02, 0.9 * p.z + 0.021));
    parts.add_sheet(6, 0.5, |p| Vector3::new(0.9 * p.x + 0.03, 0.5, 0.9 * p.z + 0.01));
    parts
}

/// What happens to the dormant sheets of a heap.
#[derive(Clone, Copy, Debug)]
enum Dormancy {
    /// One of the lower two moves although it is dormant.
    Moves,
    /// The lower one is dormant, the one above it moves.
    BesideMoving,
    /// The lower two are declared awake.
    Wakes,
    /// All stay where they are.
    Stays,
}

/// A heap with dormant sheets.
fn sleep(dormancy: Dormancy) -> Result<Seen, Lost> {
    let parts = heap();
    let count = parts.rest.len();
    let (lower, both) = (0..count / 3, 0..2 * count / 3);
    let mut checked = Checked::new(parts.surface(0.01, 0.01));
    let still = vec![Vector3::zeros(); count];
    checked.predicted(&parts.rest, &still, 0.01)?;
    let ranges = [if let Dormancy::BesideMoving = dormancy { lower } else { both }];
    let declare = |checked: &mut Checked, ranges: &[Range<usize>]| {
        checked.lists.set_dormant(count, ranges);
        (0..count).for_each(|v| checked.dormant[v] = ranges.iter().any(|range| range.contains(&v)));
    };
    declare(&mut checked, &ranges);
    checked.lists.invalidate();
    checked.predicted(&parts.rest, &still, 0.01)?;
    let sinks = |from: usize| move |v: usize| Vector3::y() * if v < from { 0.0 } else { -0.001 };
    match dormancy {
        Dormancy::Stays => {}
        Dormancy::Moves => {
            let end = moved(&parts.rest, sinks(count / 3));
            checked.dormant.fill(false);
            checked.linear(&parts.rest, &end, 0.0)?;
            checked.predicted(&end, &still, 0.0)?;
            // Asleep once more, where they are now; then some displacement is predicted.
            declare(&mut checked, &ranges);
            checked.predicted(&end, &still, 0.0)?;
            checked.dormant.fill(false);
            let moves: Vec<_> = (0..count).map(sinks(count / 3)).collect();
            checked.predicted(&end, &moves, 0.0)?;
        }
        Dormancy::BesideMoving => {
            let end = moved(&parts.rest, sinks(count / 3));
            checked.linear(&parts.rest, &end, 0.0)?;
            checked.predicted(&end, &still, 0.0)?;
        }
        Dormancy::Wakes => {
            declare(&mut checked, &[]);
            checked.predicted(&parts.rest, &still, 0.01)?;
        }
    }
    Ok(checked.seen)
}

#[test]
fn dormant_sheets_are_due_as_soon_as_they_may_meet() {
    let asleep = sleep(Dormancy::Stays).unwrap();
    for dormancy in [Dormancy::Moves, Dormancy::BesideMoving, Dormancy::Wakes] {
        let seen = sleep(dormancy).unwrap();
        assert!(seen.needed > asleep.needed + 100, "{dormancy:?}: {seen:?} {asleep:?}");
    }
}

#[test]
fn pairs_of_dormant_sheets_are_not_listed() {
    let parts = heap();
    let (count, still) = (parts.rest.len(), vec![Vector3::zeros(); parts.rest.len()]);
    let mut checked = Checked::new(parts.surface(0.01, 0.01));
    checked.predicted(&parts.rest, &still, 0.01).unwrap();
    let all = checked.lists.len();
    checked.lists.set_dormant(count, std::slice::from_ref(&(0..count)));
    checked.dormant.fill(true);
    let awake = checked.seen.due;
    // What is listed already is not due any more; a search does not list it again.
    checked.predicted(&parts.rest, &still, 0.01).unwrap();
    assert_eq!((checked.lists.len(), checked.seen.due), (all, awake));
    checked.lists.invalidate();
    assert_eq!(checked.lists.len(), 0);
    checked.predicted(&parts.rest, &still, 0.01).unwrap();
    assert_eq!((checked.lists.len(), checked.seen.due), (0, awake));
    assert!(all > 1000 && awake > 100, "{all} {awake}");
}

#[test]
fn a_restored_state_needs_no_search() {
    let parts = leaning();
    let toward = head_on(&parts);
    let surface = parts.surface(0.01, 0.01);
    let mut checked = Checked::new(surface);
    let displacements: Vec<_> = (0..parts.rest.len()).map(|v| toward(v, 0.002)).collect();
    let at = |step: u8| moved(&parts.rest, |v| toward(v, 0.002 * f32::from(step)));
    // Lists are made for more than one motion.
    for step in 0..2 {
        checked.predicted(&at(step), &displacements, 0.02).unwrap();
    }
    let before = (checked.seen.searches, checked.seen.growths, checked.lists.len());
    for step in [0, 1, 0, 2, 1, 0, 0] {
        checked.predicted(&at(step), &displacements, 0.02).unwrap();
    }
    assert_eq!((checked.seen.searches, checked.seen.growths, checked.lists.len()), before);
}

/// Where lists serve one predicted motion, what the gate searches in it is for its own part alone.
#[test]
fn the_gate_searches_for_its_own_motion_in_lists_for_one() {
    let parts = leaning();
    let toward = head_on(&parts);
    let mut checked = Checked::new(parts.surface(0.01, 0.01));
    let by: Vec<_> = (0..parts.rest.len()).map(|v| toward(v, 0.04)).collect();
    checked.predicted(&parts.rest, &by, 0.0).unwrap();
    assert!(
        checked.lists.frames.horizon.prediction > 1.0 && checked.lists.frames.horizon.certified_end > 1.1
    );
    // A quarter of it, with a displacement of every vertex that no frame follows.
    let aside = |v: usize| Vector3::x() * [0.03, -0.03][v % 2];
    let quarter = moved(&parts.rest, |v| toward(v, 0.01) + aside(v));
    checked.linear(&parts.rest, &quarter, 0.0).unwrap();
    assert_eq!(checked.seen.searches, 2);
    let Horizon { prediction, certified_end, .. } = checked.lists.frames.horizon;
    assert!(prediction == 0.0 && (0.25..0.3).contains(&certified_end), "{prediction} {certified_end}");
}

#[test]
fn a_state_far_away_is_searched_and_so_is_the_way_back() {
    let parts = leaning();
    let mut checked = Checked::new(parts.surface(0.01, 0.01));
    let still = vec![Vector3::zeros(); parts.rest.len()];
    checked.predicted(&parts.rest, &still, 0.01).unwrap();
    // The sheets change places; as a whole, both are elsewhere.
    let count = parts.rest.len();
    let swapped: Vec<_> =
        (0..count).map(|v| parts.rest[(v + count / 2) % count] + Vector3::new(7.0, 2.0, 1.0)).collect();
    checked.predicted(&swapped, &still, 0.01).unwrap();
    assert_eq!(checked.seen.searches, 2);
    checked.predicted(&parts.rest, &still, 0.01).unwrap();
    assert_eq!(checked.seen.searches, 3);
}

#[test]
fn positions_that_are_not_finite_are_refused_and_forgotten() {
    let parts = heap();
    let surface = parts.surface(0.01, 0.01);
    let still = vec![Vector3::zeros(); parts.rest.len()];
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for v in (0..parts.rest.len()).step_by(5) {
            let mut checked = Checked::new(surface.clone());
            let (mut at, mut moves) = (parts.rest.clone(), still.clone());
            (at[v].x, moves[v].z) = (bad, bad);
            for known in [false, true] {
                for (start, path, threshold) in [
                    (&at, Path::Predicted(&still), Threshold::Contact),
                    (&parts.rest, Path::Predicted(&moves), Threshold::Contact),
                    (&at, Path::Linear(&parts.rest), Threshold::Clearance),
                    (&parts.rest, Path::Linear(&at), Threshold::Clearance),
                ] {
                    if known {
                        checked.predicted(&parts.rest, &still, 0.01).unwrap();
                        assert!(checked.lists.len() > 0);
                    }
                    let updated = checked.lists.update(&surface, start, &path, 0.01, threshold);
                    assert!(updated.is_err(), "{bad} at {v}: {updated:?}");
                    assert_eq!(checked.lists.len(), 0, "{bad} at {v}");
                }
            }
            checked.predicted(&parts.rest, &still, 0.01).unwrap();
        }
    }
}

#[test]
fn lists_are_searched_again_for_another_surface() {
    let parts = heap();
    let still = vec![Vector3::zeros(); parts.rest.len()];
    let mut checked = Checked::new(parts.surface(0.01, 0.01));
    checked.predicted(&parts.rest, &still, 0.01).unwrap();
    let thicker = parts.surface(0.02, 0.01);
    let (mut wider, mut nearer, mut rounded) = (thicker.clone(), thicker.clone(), thicker.clone());
    wider.radius.fill(0.03);
    nearer.half_scr.fill(0.03);
    rounded.rounding = vec![0.01; parts.rest.len()];
    for (surface, searches) in [
        // Equal to the first in all but its leaves, which are other ones.
        (parts.surface(0.01, 0.01), 2),
        (thicker.clone(), 3),
        (thicker.clone(), 3),
        // With the same leaves.
        (wider, 4),
        (thicker.clone(), 5),
        (nearer, 6),
        (thicker.clone(), 7),
        (rounded, 8),
        (thicker.for_gate(), 9),
    ] {
        (checked.gated, checked.surface) = (surface.for_gate(), surface);
        checked.predicted(&parts.rest, &still, 0.01).unwrap();
        assert_eq!(checked.seen.searches, searches);
    }
}

/// The widest vertex of a primitive need not be the one that is rounded most.
#[test]
fn a_reach_has_the_widest_radius_and_the_worst_rounding() {
    let mut parts = Parts::default();
    parts.add([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(Point3::from), [[0, 1, 2]]);
    parts.add([Point3::new(0.2, 0.4, 0.2)], []);
    let still = vec![Vector3::zeros(); 4];
    for (height, is_due) in [(0.399, true), (0.401, false)] {
        parts.rest[3].y = height;
        let mut surface = parts.surface(0.0, 0.0);
        surface.radius[1] = 0.1;
        surface.half_scr[0] = 0.07;
        surface.rounding = vec![0.0, 0.1, 0.2, 0.1];
        let mut checked = Checked::new(surface);
        checked.predicted(&parts.rest, &still, 0.0).unwrap();
        assert_eq!(checked.seen.due == 1, is_due, "{height}");
    }
}

#[test]
fn layers_and_exclusions_lose_no_pair() {
    let mut parts = Parts::default();
    parts.add_sheet(8, 0.7, |p| p);
    parts.add_sheet(8, 0.7, |p| Vector3::new(0.9 * p.x + 0.013, 0.2 + 0.1 * p.x, 0.9 * p.z + 0.021));
    parts.exclusions = (0..64).step_by(3).map(|v| [v + 64, v]).collect();
    let toward = head_on(&parts);
    let rank: Vec<Rank> =
        parts.part.iter().enumerate().map(|(v, &part)| (v % 64 > 20).then_some(part)).collect();
    for depth in [0.0, 0.03, 0.2] {
        let surface = parts.surface(0.01, 0.005).with_layers(&rank, depth).unwrap();
        let mut checked = Checked::new(surface);
        let by: Vec<_> = (0..128).map(|v| toward(v, 0.004)).collect();
        for step in 0..30_u8 {
            let at = |step: u8| moved(&parts.rest, |v| toward(v, 0.004 * f32::from(step)));
            checked.predicted(&at(step), &by, 0.003).unwrap();
            checked.linear(&at(step), &at(step + 1), 0.003).unwrap();
        }
        assert!(checked.seen.searches < 50 && checked.seen.needed > 1000, "{:?}", checked.seen);
        // One vertex after the other.
        for v in (0..64).step_by(7) {
            let at = moved(&parts.rest, |w| Vector3::y() * if w == v { 0.15 } else { 0.0 });
            checked.predicted(&at, &vec![Vector3::zeros(); 128], 0.003).unwrap();
        }
    }
}

#[test]
fn only_pairs_with_a_changed_vertex_are_due_if_asked() {
    let parts = heap();
    let surface = parts.surface(0.01, 0.01);
    let mut lists = PairLists::default();
    let (mut all, mut some) = (DuePairs::default(), DuePairs::default());
    let path = Path::Linear(&parts.rest);
    lists.update(&surface, &parts.rest, &path, 0.01, Threshold::Contact).unwrap();
    for threshold in [Threshold::Contact, Threshold::Clearance] {
        lists.due(&surface, threshold, None, &mut all);
        let changed = |v: u32| v % 7 == 3;
        let vertices: Vec<u32> = (0..parts.rest.len() as u32).filter(|&v| changed(v)).collect();
        lists.due(&surface, threshold, Some(&vertices), &mut some);
        let (faces, edges) = (surface.topology.faces(), surface.topology.edges());
        let of_points = |[v, f]: [u32; 2]| changed(v) || faces[f as usize].iter().any(|&v| changed(v));
        let of_edges = |pair: [u32; 2]| pair.iter().any(|&e| edges[e as usize].iter().any(|&v| changed(v)));
        let sorted = |due: &[Due], is_kept: &dyn Fn([u32; 2]) -> bool| {
            let mut pairs: Vec<_> = due.iter().map(|due| due.pair).filter(|&pair| is_kept(pair)).collect();
            pairs.sort_unstable();
            pairs
        };
        let any = |_: [u32; 2]| true;
        assert_eq!(sorted(&some.point_triangles, &any), sorted(&all.point_triangles, &of_points));
        assert_eq!(sorted(&some.edge_edges, &any), sorted(&all.edge_edges, &of_edges));
        let is_empty = some.point_triangles.is_empty() || some.edge_edges.is_empty();
        assert!(threshold == Threshold::Clearance || !is_empty);
    }
}

#[test]
fn instructions_change_no_bit_of_a_search() {
    let parts = heap();
    let surface = parts.surface(0.01, 0.01);
    let mut lists = PairLists::default();
    let mut dice = Dice::new(5);
    let by: Vec<_> = parts.rest.iter().map(|_| dice.vector(0.02)).collect();
    lists.update(&surface, &parts.rest, &Path::Predicted(&by), 0.01, Threshold::Contact).unwrap();
    /// What of all pairs of leaves may be near, as the masks that a search computes.
    fn masks<S: Instructions, const A: usize, const B: usize>(
        simd: S,
        a: PairSide<'_, A>,
        b: PairSide<'_, B>,
        horizon: &Horizon,
    ) -> Vec<u32> {
        let mut masks = Vec::new();
        for (first, leaf_box) in a.primitives.boxes.iter().enumerate() {
            for node in 0..b.primitives.node_boxes.len() {
                let end = horizon.certified_end;
                let (leaves, max_approach) = b.primitives.near_leaves(simd, node, leaf_box, end);
                masks.push(leaves);
                masks.extend(max_approach.map(f32::to_bits));
                for (lane, &max_approach) in max_approach.iter().enumerate() {
                    let second = node * NODE + lane;
                    let other = &b.primitives.boxes[second];
                    masks.push(a.primitives.near_primitives(simd, first, other, max_approach));
                    let (shapes, others) = (&a.primitives.shapes[first], &b.primitives.shapes[second]);
                    masks.extend((0..LANES8).map(|lane| {
                        ShapeLane { shapes, lane }.may_be_near::<S, A, B>(simd, others, max_approach, horizon)
                    }));
                }
            }
        }
        masks
    }
    let (leaves, horizon) = (&*surface.leaves, &lists.frames.horizon);
    let points = PairSide { set: &leaves.points, primitives: &lists.points };
    let edges = PairSide { set: &leaves.edges, primitives: &lists.edges };
    let faces = PairSide { set: &leaves.faces, primitives: &lists.faces };
    let all = |level: Level| {
        dispatch!(level, simd => {
            [masks(simd, edges, edges, horizon), masks(simd, points, faces, horizon)]
        })
    };
    let expected = all(Level::baseline());
    assert!(expected.iter().all(|masks| masks.contains(&0) && masks.iter().any(|&m| m > 0 && m < 0xff)));
    for level in available().into_iter().filter_map(level_named) {
        assert!(all(level) == expected, "{level:?}");
    }
}
