//! The pushes of the example, which the tests run as well.

use std::time::Instant;

use cloth_ccd::{Ccd, Reference};
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
    const fn new(shape: Shape, direction: Direction, push: f64) -> Self {
        Self { shape, direction, push, offset: 0.0, is_f32: false }
    }

    const fn at(self, offset: f64) -> Self {
        Self { offset, ..self }
    }

    const fn f32(self) -> Self {
        Self { is_f32: true, ..self }
    }

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
use Shape::{Corner, Fold, Obstacle, Sheets, Side};

/// All cases.
pub(crate) const CASES: &[Case] = &[
    Case::new(Sheets(2), Constant, 1e-3),
    Case::new(Sheets(2), Constant, 5e-3),
    Case::new(Sheets(2), Noisy, 1e-3),
    Case::new(Sheets(2), Noisy, 5e-3),
    Case::new(Sheets(2), Alternating, 1e-3),
    Case::new(Sheets(2), Alternating, 5e-3),
    Case::new(Sheets(2), Tangential, 1e-3),
    Case::new(Sheets(2), Tangential, 5e-3),
    Case::new(Sheets(2), Rotating, 1e-3),
    Case::new(Sheets(2), Rotating, 5e-3),
    Case::new(Sheets(2), Constant, 1e-3).f32(),
    Case::new(Sheets(2), Noisy, 5e-3).f32(),
    Case::new(Sheets(2), Alternating, 1e-3).f32(),
    Case::new(Sheets(2), Tangential, 5e-3).f32(),
    Case::new(Sheets(2), Rotating, 1e-3).f32(),
    Case::new(Sheets(2), Constant, 1e-3).at(100.0),
    Case::new(Sheets(2), Noisy, 5e-3).at(100.0).f32(),
    Case::new(Sheets(2), Constant, 1e-3).at(1e5),
    Case::new(Sheets(2), Noisy, 5e-3).at(1e5),
    Case::new(Sheets(2), Constant, 1e-3).at(1e5).f32(),
    Case::new(Sheets(2), Noisy, 5e-3).at(1e5).f32(),
    Case::new(Sheets(3), Constant, 1e-3),
    Case::new(Sheets(3), Noisy, 5e-3).f32(),
    Case::new(Sheets(10), Constant, 5e-3),
    Case::new(Sheets(10), Noisy, 1e-3).f32(),
    Case::new(Corner, Constant, 1e-3),
    Case::new(Corner, Rotating, 5e-3).f32(),
    Case::new(Side, Constant, 1e-3),
    Case::new(Side, Noisy, 5e-3).f32(),
    Case::new(Fold, Constant, 1e-3),
    Case::new(Fold, Tangential, 5e-3).f32(),
    Case::new(Obstacle, Constant, 1e-3),
    Case::new(Obstacle, Noisy, 5e-3).f32(),
    Case::new(Obstacle, Tangential, 1e-3).at(100.0),
];

/// What came of a case.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    /// Number of steps with a crossing, by the reference.
    pub(crate) crossings: usize,
    /// Number of certificates with conditions.
    pub(crate) conditional: usize,
    /// Number of changed and of frozen vertices, over all steps.
    pub(crate) changed: usize,
    pub(crate) frozen: usize,
    /// Share of the proposed sideways motion that was kept while sheets were farther apart than 1 mm, and the
    /// rest of the time; NaN if there was none.
    pub(crate) kept_apart: f64,
    pub(crate) kept_at_contact: f64,
    /// How far (m) the mean of the upper sheet went down.
    pub(crate) moved: f64,
    /// Time (s) of all calls of the certifier.
    pub(crate) seconds: f64,
}

/// Cells along a side of a sheet, and its size (m).
const CELLS: usize = 5;
const SIZE: f64 = 0.5;

/// Distance (m) of neighbouring sheets at the start, more where numbers are coarse.
const GAP: f64 = 0.004;

/// Runs a case for this many steps through a certifier.
pub(crate) fn run(case: &Case, steps: usize) -> Outcome {
    if case.is_f32 { certified::<f32>(case, steps) } else { certified::<f64>(case, steps) }
}

/// The step in which the motion crosses if every proposal is accepted, if it does within this many.
pub(crate) fn first_crossing_unchecked(case: &Case, steps: usize) -> Option<usize> {
    if case.is_f32 { unchecked::<f32>(case, steps) } else { unchecked::<f64>(case, steps) }
}

/// A mesh, its start, inverse masses, and the range of the upper sheet's vertices.
struct Setup<T: Coordinate> {
    mesh: CollisionMesh,
    x: Vec<[T; 3]>,
    inv_mass: Vec<T>,
    upper: std::ops::Range<usize>,
    push: f64,
}

fn setup<T: Coordinate>(case: &Case) -> Setup<T> {
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
        Fold => {
            add(&|u, v| [u, 0.0, v]);
            add(&|u, v| turned(u * tilt, v, u.abs() * tilt + gap));
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

/// Whether a motion crosses, by the reference of continuous detection.
fn crosses<T: Coordinate>(mesh: &CollisionMesh, x0: &[[T; 3]], x1: &[[T; 3]]) -> bool {
    let (topology, x0, x1) = (mesh.topology(), exact(x0), exact(x1));
    let mut finder = ImpactFinder::default();
    let candidates = finder.candidates(&x0, &x1, topology, 0.0).expect("finite positions");
    candidates.iter().any(|pair: &Pair| {
        let first = if matches!(pair, Pair::PointTriangle(_)) { 1 } else { 2 };
        let vertices = pair.vertices(topology).expect("a pair of the mesh");
        !are_far_apart([&x0, &x1], vertices, first)
            && Reference.is_free(&pair.query(topology, [&x0, &x1]), 0.0) != Ok(true)
    })
}

/// Whether a direction separates two primitives at both ends, and thus in between, by far more than rounding:
/// what the reference need not be asked about, as it takes a millisecond.
fn are_far_apart(ends: [&[Point3<f64>]; 2], vertices: [u32; 4], first: usize) -> bool {
    let origin = ends[0][vertices[0] as usize];
    let [start, end] = ends.map(|x| vertices.map(|v| x[v as usize] - origin));
    let p = start.map(Point3::from);
    let between = if first == 1 {
        let [u, v, w] = point_triangle(&p[0], [&p[1], &p[2], &p[3]]).weights;
        start[0] - (start[1] * u + start[2] * v + start[3] * w)
    } else {
        let near = segment_segment([&p[0], &p[1]], [&p[2], &p[3]]);
        start[0].lerp(&start[1], near.s) - start[2].lerp(&start[3], near.t)
    };
    let Some(direction) = between.try_normalize(1e-12) else { return false };
    let least_gap = |x: &[Vector3<f64>; 4]| {
        let heights = x.map(|p| p.dot(&direction));
        let (a, b) = heights.split_at(first);
        let low = a.iter().copied().fold(f64::INFINITY, f64::min);
        low - b.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    };
    // Vectors are below 10 m.
    least_gap(&start).min(least_gap(&end)) > 1e-12
}

fn certified<T: Coordinate>(case: &Case, steps: usize) -> Outcome {
    let setup = setup::<T>(case);
    let mut certifier = Certifier::start(&setup.mesh, &setup.x).expect("a clean start");
    let (mut x0, mut x1) = (setup.x.clone(), setup.x.clone());
    let mut dice = Pcg64Mcg::new(36);
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
        let began = Instant::now();
        let certificate = certifier.correct(&x0, &mut x1, &setup.inv_mass).expect("a finite motion");
        outcome.seconds += began.elapsed().as_secs_f64();
        outcome.conditional += usize::from(!certificate.is_unconditional());
        outcome.changed += certificate.changed().len();
        outcome.frozen += certificate.stats().frozen;
        outcome.crossings += usize::from(crosses(&setup.mesh, &x0, &x1));
        if is_tangential {
            let [proposed, kept] = &mut sideways[usize::from(nearest <= 1e-3)];
            *proposed += wanted.abs();
            *kept += (mean(&x1, 0) - mean(&x0, 0)) * wanted.signum();
        }
        x0.clone_from(&x1);
    }
    [outcome.kept_apart, outcome.kept_at_contact] = sideways.map(|[wanted, kept]| kept / wanted);
    outcome.moved = mean(&setup.x, 1) - mean(&x1, 1);
    outcome
}

/// The distance (m) of the upper sheet to everything else, at most that of its own neighbouring cells.
fn nearest<T: Coordinate>(setup: &Setup<T>, x: &[[T; 3]]) -> f64 {
    let safe = setup.mesh.safe_distances(x).expect("finite positions");
    setup.upper.clone().map(|v| 2.0 * safe[v].into()).fold(f64::INFINITY, f64::min)
}

fn unchecked<T: Coordinate>(case: &Case, steps: usize) -> Option<usize> {
    let setup = setup::<T>(case);
    let (mut x0, mut dice) = (setup.x.clone(), Pcg64Mcg::new(36));
    (0..steps).find(|&step| {
        let mut x1 = x0.clone();
        propose(case, &setup, step, &mut dice, &mut x1);
        let crosses = crosses(&setup.mesh, &x0, &x1);
        x0 = x1;
        crosses
    })
}
