//! Pushes of one sheet through another, for the example, the tests and the table of the benchmarks.

use std::collections::BTreeMap;
use std::time::Instant;

use cloth_ccd::{Ccd, Query, Reference};
use cloth_certify::{Certifier, CollisionMesh, Coordinate, Pair};
use cloth_contacts::impacts::ImpactFinder;
use cloth_geom::closest::reference::{point_triangle, segment_segment};
use nalgebra::{Point3, Vector3};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

/// What is pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Flat sheets on each other, this many.
    Sheets(u16),
    /// A sheet that stands on one of its corners, above another.
    Corner,
    /// A sheet that stands on one of its sides.
    Side,
    /// A sheet that stands on one of its sides, across the upper side of a sheet that stands: edges alone.
    Edges,
    /// A sheet with a fold, the crease downward.
    Fold,
    /// A flat sheet above one that never moves.
    Obstacle,
}

/// Where the upper sheet is pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Down.
    Constant,
    /// Down on average, each vertex its own way.
    Noisy,
    /// Down, and half as far up in every other step.
    Alternating,
    /// Sideways to and fro, and down by a third of that.
    Tangential,
    /// Down, while the sheet turns about the vertical.
    Rotating,
}

const DIRECTIONS: [Direction; 5] = [Constant, Noisy, Alternating, Tangential, Rotating];

/// One case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) shape: Shape,
    pub(crate) direction: Direction,
    /// Length of a push (m); at least four times the distance of neighbouring numbers.
    pub(crate) push: f64,
    /// Distance (m) of everything from the origin, on each axis.
    pub(crate) offset: f64,
    pub(crate) is_f32: bool,
}

impl Case {
    pub(crate) fn name(&self) -> String {
        let number = if self.is_f32 { "f32" } else { "f64" };
        let shape = match self.shape {
            Sheets(n) => format!("{n} sheets"),
            shape => format!("{shape:?}").to_lowercase(),
        };
        let direction = format!("{:?}", self.direction).to_lowercase();
        format!("{shape}, {direction}, {} mm, {number}, at {:e} m", self.push * 1e3, self.offset)
    }
}

use Direction::{Alternating, Constant, Noisy, Rotating, Tangential};
use Shape::{Corner, Edges, Fold, Obstacle, Sheets, Side};

/// All cases: two sheets in every direction, by both lengths, in both types and at all offsets; and every
/// other shape in every direction.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for offset in [0.0, 100.0, 1e5] {
        for (is_f32, direction) in [false, true].into_iter().flat_map(|f| DIRECTIONS.map(|d| (f, d))) {
            for push in [1e-3, 5e-3] {
                cases.push(Case { shape: Sheets(2), direction, push, offset, is_f32 });
            }
        }
    }
    // In `f32` at 1e5 m both pushes are four ulp, thus the same.
    cases.retain(|case| !(case.is_f32 && case.offset == 1e5 && case.push == 1e-3));
    for shape in [Sheets(3), Sheets(10), Corner, Side, Edges, Fold, Obstacle] {
        for (k, direction) in DIRECTIONS.into_iter().enumerate() {
            let (push, is_f32) = if k % 2 == 0 { (1e-3, false) } else { (5e-3, true) };
            cases.push(Case { shape, direction, push, offset: 0.0, is_f32 });
        }
        cases.push(Case { shape, direction: Tangential, push: 1e-3, offset: 100.0, is_f32: false });
        cases.push(Case { shape, direction: Constant, push: 5e-3, offset: 1e5, is_f32: true });
    }
    cases
}

/// Changes the end of a motion (m) of a mesh, with its start.
type Gate = fn(&CollisionMesh, &[Point3<f64>], &mut [Point3<f64>]);

/// What decides how far a proposed motion goes.
#[derive(Clone, Copy)]
pub(crate) enum Contestant {
    /// A certifier.
    Certifier,
    /// A function; in `f64`, whatever the type of the case is, and the end is then rounded to that.
    Function(Gate),
}

/// Accepts everything: the control.
pub(crate) const AS_PROPOSED: Contestant = Contestant::Function(|_, _, _| ());

/// What came of a case.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    /// The first step with a crossing, by the reference, from 0; none if there was none.
    pub(crate) first_crossing: Option<usize>,
    /// Number of steps with a crossing.
    pub(crate) crossings: usize,
    /// Number of certificates with conditions; 0 for other contestants, as the next two.
    pub(crate) conditional: usize,
    /// Number of changed and of frozen vertices, over all steps.
    pub(crate) changed: usize,
    pub(crate) frozen: usize,
    /// Share of the proposed sideways motion that was kept while sheets were farther apart than 1 mm, and the
    /// rest of the time; none if there was none, or none was proposed.
    pub(crate) kept_apart: Option<f64>,
    pub(crate) kept_at_contact: Option<f64>,
    /// How far (m) the mean of the upper sheet went down.
    pub(crate) moved: f64,
    /// Time (s) of all calls of the contestant.
    pub(crate) seconds: f64,
}

/// Cells along a side of a sheet, and its size (m).
const CELLS: usize = 5;
const SIZE: f64 = 0.5;

/// Distance (m) of neighbouring sheets at the start, more where numbers are coarse.
const GAP: f64 = 0.004;

/// Runs a case for this many steps.
pub(crate) fn run(case: &Case, steps: usize, contestant: Contestant) -> Outcome {
    if case.is_f32 { pushed::<f32>(case, steps, contestant) } else { pushed::<f64>(case, steps, contestant) }
}

/// A mesh, its start, inverse masses, and the range of the upper sheet's vertices.
pub(crate) struct Setup<T: Coordinate> {
    pub(crate) mesh: CollisionMesh,
    pub(crate) x: Vec<[T; 3]>,
    pub(crate) inv_mass: Vec<T>,
    pub(crate) upper: std::ops::Range<usize>,
    pub(crate) push: f64,
}

pub(crate) fn setup<T: Coordinate>(case: &Case) -> Setup<T> {
    let ulp = T::ULP_OF_ONE * case.offset.max(1.0);
    let push = case.push.max(4.0 * ulp);
    let gap = GAP.max(8.0 * ulp);
    let (mut x, mut faces, mut part) = (Vec::new(), Vec::new(), Vec::new());
    let mut add = |place: &dyn Fn(f64, f64) -> [f64; 3]| {
        let first = x.len() as u32;
        let number = part.last().map_or(0, |&last: &u16| last + 1);
        for j in 0..=CELLS {
            for i in 0..=CELLS {
                let [u, v] = [i, j].map(|k| (k as f64 / CELLS as f64 - 0.5) * SIZE);
                x.push(place(u, v).map(|c| T::nearest(c + case.offset)));
                part.push(number);
            }
        }
        let row = CELLS as u32 + 1;
        for (i, j) in (0..CELLS as u32).flat_map(|j| (0..CELLS as u32).map(move |i| (i, j))) {
            let a = first + j * row + i;
            faces.extend([[a, a + 1, a + row], [a + 1, a + row + 1, a + row]]);
        }
    };
    let turned = |u: f64, v: f64, y: f64| [0.96 * u - 0.28 * v, y, 0.28 * u + 0.96 * v];
    let tilt = std::f64::consts::FRAC_1_SQRT_2;
    match case.shape {
        Sheets(n) => {
            for k in 0..n {
                let y = f64::from(k) * gap;
                add(&move |u, v| if k % 2 == 0 { [u, y, v] } else { turned(u, v, y) });
            }
        }
        Obstacle => {
            add(&|u, v| [u, 0.0, v]);
            add(&|u, v| turned(u, v, gap));
        }
        Corner => {
            add(&|u, v| [u, 0.0, v]);
            add(&|u, v| [(u - v) * tilt, (u + v + SIZE) * tilt + gap, 0.01 + 0.02 * u]);
        }
        Side => {
            add(&|u, v| [u, 0.0, v]);
            add(&|u, v| [u, v + 0.5 * SIZE + gap, 0.013]);
        }
        Edges => {
            add(&|u, v| [u, v - 0.5 * SIZE, 0.0]);
            add(&|u, v| [0.28 * u + 0.003, v + 0.5 * SIZE + gap, 0.96 * u + 0.007]);
        }
        Fold => {
            add(&|u, v| [u, 0.0, v]);
            // The crease is a row of vertices.
            let off = 0.5 * SIZE / CELLS as f64;
            add(&|u, v| turned((u - off) * tilt, v, (u - off).abs() * tilt + gap));
        }
    }
    let is_fixed = case.shape == Obstacle;
    let parts = part.last().map_or(0, |&last| usize::from(last) + 1);
    let kinematic: Vec<bool> = (0..parts).map(|number| is_fixed && number == 0).collect();
    let mesh =
        CollisionMesh::new(x.len(), &faces).parts(&part).kinematic(&kinematic).build().expect("a mesh");
    let inv_mass =
        part.iter().map(|&p| T::nearest(if kinematic[usize::from(p)] { 0.0 } else { 100.0 })).collect();
    let upper = x.len() - (CELLS + 1) * (CELLS + 1)..x.len();
    Setup { mesh, x, inv_mass, upper, push }
}

/// Moves the ends of the upper sheet's vertices as the case has it in a step.
fn propose<T: Coordinate>(
    case: &Case,
    setup: &Setup<T>,
    step: usize,
    dice: &mut Pcg64Mcg,
    x1: &mut [[T; 3]],
) {
    let push = setup.push;
    let mut unit = || f64::from(dice.next_u32()) / f64::from(u32::MAX) * 2.0 - 1.0;
    let upper = &mut x1[setup.upper.clone()];
    let count = upper.len() as f64;
    let mean =
        upper.iter().fold(Vector3::zeros(), |sum, p| sum + Vector3::from(p.map(Into::<f64>::into))) / count;
    for p in upper {
        let off = Vector3::from(p.map(Into::<f64>::into)) - mean;
        let by = match case.direction {
            Constant => Vector3::new(0.0, -push, 0.0),
            Noisy => Vector3::new(unit(), unit() - 1.0, unit()) * push,
            Alternating => Vector3::new(0.0, if step.is_multiple_of(2) { -push } else { 0.5 * push }, 0.0),
            Tangential => {
                let way = if (step / 20).is_multiple_of(2) { 1.0 } else { -1.0 };
                Vector3::new(0.95 * way * push, -0.31 * push, 0.0)
            }
            Rotating => {
                let turn = push / SIZE;
                Vector3::new(-off.z * turn, -push, off.x * turn)
            }
        };
        for k in 0..3 {
            p[k] = T::nearest(Into::<f64>::into(p[k]) + by[k]);
        }
    }
}

fn exact<T: Coordinate>(x: &[[T; 3]]) -> Vec<Point3<f64>> {
    x.iter().map(|p| Point3::from(p.map(Into::<f64>::into))).collect()
}

/// The reference of continuous detection, which remembers the last question about each pair: what does not
/// move is asked about once.
#[derive(Default)]
struct Judge {
    finder: ImpactFinder,
    known: BTreeMap<Pair, (Query, bool)>,
}

impl Judge {
    /// Whether a motion crosses.
    fn crosses(&mut self, mesh: &CollisionMesh, x0: &[Point3<f64>], x1: &[Point3<f64>]) -> bool {
        let topology = mesh.topology();
        let candidates = self.finder.candidates(x0, x1, topology, 0.0).expect("finite positions");
        candidates.iter().any(|&pair| {
            let (vertices, first) = corners(mesh, pair);
            if are_far_apart([x0, x1], vertices, first) {
                return false;
            }
            let query = pair.query(topology, [x0, x1]);
            let known = self.known.get(&pair).filter(|(last, _)| *last == query);
            let crosses = known.map_or_else(|| Reference.is_free(&query, 0.0) != Ok(true), |known| known.1);
            self.known.insert(pair, (query, crosses));
            crosses
        })
    }
}

/// The vertices of a pair, and how many of them are of its first primitive.
pub(crate) fn corners(mesh: &CollisionMesh, pair: Pair) -> ([u32; 4], usize) {
    let first = if matches!(pair, Pair::PointTriangle(_)) { 1 } else { 2 };
    (pair.vertices(mesh.topology()).expect("a pair of the mesh"), first)
}

/// The weights of four points whose sum is the vector from the nearest point of the second primitive to that
/// of the first, which has this many of them: positive ones of the first, negative ones of the second.
pub(crate) fn weights_of_nearest(p: &[Point3<f64>; 4], first: usize) -> [f64; 4] {
    if first == 1 {
        let [u, v, w] = point_triangle(&p[0], [&p[1], &p[2], &p[3]]).weights;
        return [1.0, -u, -v, -w];
    }
    let near = segment_segment([&p[0], &p[1]], [&p[2], &p[3]]);
    [1.0 - near.s, near.s, near.t - 1.0, -near.t]
}

/// Whether a direction separates two primitives at both ends, and thus in between: what the reference need
/// not be asked about, as it takes a millisecond. Directions are the axes, by comparisons alone, and those of
/// the nearest points at the start, half-way and at the end, by far more than rounding.
fn are_far_apart(ends: [&[Point3<f64>]; 2], vertices: [u32; 4], first: usize) -> bool {
    let is_above = |axis: usize, upper: &[u32], lower: &[u32]| {
        let above = |x: &[Point3<f64>], u: u32, v: u32| x[u as usize][axis] > x[v as usize][axis];
        ends.iter().all(|x| upper.iter().all(|&u| lower.iter().all(|&v| above(x, u, v))))
    };
    let (a, b) = vertices.split_at(first);
    if (0..3).any(|axis| is_above(axis, a, b) || is_above(axis, b, a)) {
        return true;
    }
    let origin = ends[0][vertices[0] as usize];
    let [start, end] = ends.map(|x| vertices.map(|v| x[v as usize] - origin));
    let least_gap = |x: &[Vector3<f64>; 4], direction: &Vector3<f64>| {
        let heights = x.map(|p| p.dot(direction));
        let (a, b) = heights.split_at(first);
        let low = a.iter().copied().fold(f64::INFINITY, f64::min);
        low - b.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    };
    [0.0, 0.5, 1.0].into_iter().any(|time| {
        let at: [Vector3<f64>; 4] = std::array::from_fn(|k| start[k].lerp(&end[k], time));
        let weights = weights_of_nearest(&at.map(Point3::from), first);
        let between: Vector3<f64> = at.iter().zip(weights).map(|(p, weight)| p * weight).sum();
        // Vectors are below 10 m, so that a gap is off by less than 1e-14 m.
        let separates = |d| least_gap(&start, &d).min(least_gap(&end, &d)) > 1e-13;
        between.try_normalize(1e-14).is_some_and(separates)
    })
}

fn pushed<T: Coordinate>(case: &Case, steps: usize, contestant: Contestant) -> Outcome {
    let setup = setup::<T>(case);
    let mut certifier = matches!(contestant, Contestant::Certifier)
        .then(|| Certifier::start(&setup.mesh, &setup.x).expect("a clean start"));
    let (mut x0, mut x1) = (setup.x.clone(), setup.x.clone());
    let (mut dice, mut judge) = (Pcg64Mcg::new(36), Judge::default());
    let mut outcome = Outcome::default();
    // Proposed and kept sideways motion, apart and at contact.
    let mut sideways = [[0.0_f64; 2]; 2];
    let mean = |x: &[[T; 3]], k: usize| {
        let upper = &x[setup.upper.clone()];
        upper.iter().map(|p| p[k].into()).sum::<f64>() / upper.len() as f64
    };
    for step in 0..steps {
        propose(case, &setup, step, &mut dice, &mut x1);
        let wanted = mean(&x1, 0) - mean(&x0, 0);
        let is_tangential = case.direction == Tangential;
        let nearest = if is_tangential { nearest(&setup, &x0) } else { 0.0 };
        let (start, mut end) = (exact(&x0), exact(&x1));
        let began = Instant::now();
        match (&mut certifier, contestant) {
            (Some(certifier), _) => {
                let certificate = certifier.correct(&x0, &mut x1, &setup.inv_mass).expect("a finite motion");
                outcome.conditional += usize::from(!certificate.is_unconditional());
                outcome.changed += certificate.changed().len();
                outcome.frozen += certificate.stats().frozen;
            }
            (None, Contestant::Function(change)) => {
                change(&setup.mesh, &start, &mut end);
                let rounded = end.iter().map(|p| [p.x, p.y, p.z].map(T::nearest));
                x1.clear();
                x1.extend(rounded);
            }
            (None, Contestant::Certifier) => unreachable!("it was started"),
        }
        outcome.seconds += began.elapsed().as_secs_f64();
        if judge.crosses(&setup.mesh, &start, &exact(&x1)) {
            outcome.crossings += 1;
            outcome.first_crossing.get_or_insert(step);
        }
        if is_tangential {
            let [proposed, kept] = &mut sideways[usize::from(nearest <= 1e-3)];
            *proposed += wanted.abs();
            *kept += (mean(&x1, 0) - mean(&x0, 0)) * wanted.signum();
        }
        x0.clone_from(&x1);
    }
    let share = |[wanted, kept]: [f64; 2]| (wanted > 0.0).then(|| kept / wanted);
    [outcome.kept_apart, outcome.kept_at_contact] = sideways.map(share);
    outcome.moved = mean(&setup.x, 1) - mean(&x1, 1);
    outcome
}

/// The distance (m) of the upper sheet to everything else, at most that of its own neighbouring cells.
fn nearest<T: Coordinate>(setup: &Setup<T>, x: &[[T; 3]]) -> f64 {
    let safe = setup.mesh.safe_distances(x).expect("finite positions");
    setup.upper.clone().map(|v| 2.0 * safe[v].into()).fold(f64::INFINITY, f64::min)
}
