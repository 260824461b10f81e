//! Two ribbons, looped through each other as a reef knot, are pulled tight by their ends.
//!
//! From C-IPC (Li, Kaufman and Jiang 2021). Each ribbon is a loop whose two legs pass through the loop of the
//! other one: over its end on one side, under it on the other. Nothing but contacts between cloth holds them,
//! over edges that the pull presses into each other; the control, without self-collision, comes apart.
//!
//! ```text
//!   A ----.   .--------.
//!          \ /          \        seen from above; A is over B at both ends of the knot,
//!           /            )  A    and under it in the middle
//!       B  ( \          /
//!           \ \        /
//! ```
//!
//! Ribbons stand on edge at the start, so that they bend as they lie, and have their width in the direction
//! in which they pass over each other. Everything happens without gravity, in still air.

use cloth_geom::fixtures::{Sheet, sheet};
use cloth_show::Direction;
use cloth_show::invariants::MeasuredEdges;
use cloth_solver::{Material, Settings};
use nalgebra::{Point3, Vector3};

use super::parts::{self, ease};
use crate::Size;
use crate::scenario::{Cloths, Driver, EndCheck, Expectations, Scenario, Setup, SetupError};

/// Width of the ribbons (m).
const WIDTH: f64 = 0.025;
/// From the middle of the knot to the end of a loop and to the ends of its legs (m).
const LOOP: f64 = 0.2;
const LEGS: f64 = 0.6;
/// Half the distance (m) of the two legs of a ribbon: at their ends, and in the middle of the knot.
const APART: [f64; 2] = [0.05, 0.15];
/// How far a ribbon is lifted and lowered where it passes the other (m).
const LIFT: f64 = 0.02;
/// Each pair of ends is pulled between these times (s).
const PULLS: [f32; 2] = [0.2, 2.2];
/// Duration (s).
const SECONDS: f32 = 2.5;
/// Substeps a frame.
const SUBSTEPS: u32 = 12;
/// Greatest 99th percentile of the stretch along the threads in any frame.
const STRETCH_LIMIT: f64 = 0.05;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "reef-knot",
    about: "two ribbons looped through each other as a reef knot and pulled tight",
    build,
};

fn build(size: Size) -> Result<Setup, SetupError> {
    // Vertices across, and how far each pair of ends is pulled (m): coarse ribbons are thick, and more goes
    // into the knot.
    let (ny, pull) = match size {
        Size::Small => (4, 0.235),
        Size::Medium => (6, 0.26),
        Size::Large => (11, 0.27),
    };
    let settings = Settings {
        detect_interval: 5,
        relaxation: parts::YIELDING_SHEAR,
        gravity: Vector3::zeros(),
        ..parts::settings(SUBSTEPS)
    };
    let mut setup = Setup::new(settings, SECONDS);
    let line = MiddleLine::new();
    let nx = 1 + (line.length() * (ny - 1) as f64 / WIDTH).round() as usize;
    let ribbon = sheet(nx, ny, [line.length(), WIDTH])?;
    for side in [1.0, -1.0] {
        let start = ribbon.mesh.clone().mapped(|p| {
            let at = line.at(p.x + 0.5 * line.length());
            // The other ribbon is the first one, turned half round about the y axis.
            Point3::new(side * at.x, at.y, side * (at.z + p.z))
        });
        let mut cloth = parts::cloth(&ribbon.mesh, Material::COTTON, setup.scene.cloths.len() as u64)?;
        let jitter: Vec<Vector3<f64>> =
            cloth.mesh.positions.iter().zip(&ribbon.mesh.positions).map(|(a, b)| a - b).collect();
        cloth.mesh = start;
        cloth.mesh.positions.iter_mut().zip(&jitter).for_each(|(p, d)| *p += d);
        cloth.pins = ends(&ribbon).collect();
        setup.add(cloth, &MeasuredEdges::of_sheet(&ribbon));
    }
    setup.driver = Some(pulls(
        &setup.scene.cloths.iter().map(|c| c.mesh.positions_f32()).collect::<Vec<_>>(),
        &ribbon,
        pull,
    ));
    let knotted: EndCheck = Box::new(move |cloths| holds(inside(cloths, nx, ny)));
    let open: EndCheck = Box::new(move |cloths| is_open(inside(cloths, nx, ny)));
    setup.expectations = Expectations {
        stretch_p99: Some(STRETCH_LIMIT).into(),
        at_the_end: vec![knotted],
        control_at_the_end: vec![open],
        ..Expectations::default()
    };
    setup.view = Direction { azimuth_deg: 10.0, elevation_deg: 20.0 };
    setup.focus = Some([Point3::new(-0.3, -0.16, -0.03), Point3::new(0.3, 0.16, 0.03)]);
    Ok(setup)
}

/// The middle line of the ribbon whose legs go to -x, as points and their distances along it (m).
struct MiddleLine {
    points: Vec<Point3<f64>>,
    along: Vec<f64>,
}

impl MiddleLine {
    /// Points along a leg, and along half of the loop's end.
    const POINTS: usize = 400;

    fn new() -> Self {
        let leg = (0..Self::POINTS).map(|k| Self::leg(k as f64 / Self::POINTS as f64));
        let arc = (0..=Self::POINTS).map(|k| Self::arc(k as f64 / Self::POINTS as f64));
        let half: Vec<Point3<f64>> = leg.chain(arc).collect();
        let back = half.iter().rev().skip(1).map(|p| Point3::new(p.x, -p.y, p.z));
        let points: Vec<Point3<f64>> = half.iter().copied().chain(back).collect();
        let mut along = vec![0.0];
        for ends in points.windows(2) {
            along.push(along[along.len() - 1] + (ends[1] - ends[0]).norm());
        }
        Self { points, along }
    }

    /// From the end of a leg to the middle of the knot.
    fn leg(part: f64) -> Point3<f64> {
        let x = LEGS * (part - 1.0);
        let wide = smooth((x + LOOP) / LOOP);
        Point3::new(x, APART[0] + (APART[1] - APART[0]) * wide, Self::lift(x))
    }

    /// From the middle of the knot to the end of the loop.
    fn arc(part: f64) -> Point3<f64> {
        let angle = std::f64::consts::FRAC_PI_2 * part;
        let x = LOOP * libm::sin(angle);
        let y = if part < 1.0 { APART[1] * libm::cos(angle) } else { 0.0 };
        Point3::new(x, y, Self::lift(x))
    }

    /// Up where it passes the other ribbon's end and where its own end passes, down between.
    fn lift(x: f64) -> f64 {
        let inside = -LIFT * libm::cos(std::f64::consts::PI * x.max(-LOOP) / LOOP);
        // The legs come back to the middle.
        inside * (1.0 - smooth((-LOOP - x) / LOOP))
    }

    fn length(&self) -> f64 {
        self.along[self.along.len() - 1]
    }

    /// The point at a distance (m) along it.
    fn at(&self, along: f64) -> Point3<f64> {
        let next = self.along.partition_point(|&s| s < along).clamp(1, self.points.len() - 1);
        let (from, to) = (self.along[next - 1], self.along[next]);
        let part = ((along - from) / (to - from)).clamp(0.0, 1.0);
        self.points[next - 1] + (self.points[next] - self.points[next - 1]) * part
    }
}

/// From 0 to 1 without a bend at either end.
fn smooth(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// The vertices across the ribbon at its two ends.
fn ends(ribbon: &Sheet) -> impl Iterator<Item = u32> + use<> {
    let (nx, ny) = (ribbon.nx, ribbon.ny);
    [0, nx - 1].into_iter().flat_map(move |i| (0..ny).map(move |j| (j * nx + i) as u32))
}

fn pulls(starts: &[Vec<Point3<f32>>], ribbon: &Sheet, pull: f32) -> Driver {
    let pins: Vec<u32> = ends(ribbon).collect();
    let of = |(c, at): (usize, &Vec<Point3<f32>>)| {
        pins.iter().map(|&v| (c, v, at[v as usize])).collect::<Vec<_>>()
    };
    let held: Vec<(usize, u32, Point3<f32>)> = starts.iter().enumerate().flat_map(of).collect();
    Box::new(move |stage, _, time| {
        let way = pull * ease(PULLS[0], PULLS[1], time);
        held.iter().try_for_each(|&(cloth, v, at)| {
            let outward = if cloth == 0 { -1.0 } else { 1.0 };
            stage.move_pin(cloth, v, at + Vector3::x() * (outward * way))
        })
    })
}

/// How far (m) the end of the first loop is to the right of the other's: above zero as long as each holds the
/// other.
fn inside(cloths: &Cloths<'_>, nx: usize, ny: usize) -> f64 {
    let end = |c: usize| {
        let sum = (0..ny).map(|j| f64::from(cloths.positions[c * nx * ny + j * nx + nx / 2].x));
        sum.sum::<f64>() / ny as f64
    };
    end(0) - end(1)
}

fn holds(inside: f64) -> Result<(), String> {
    let text = format!("the ends of the loops have come apart: {inside:.3} m, above 0 expected");
    if inside > 0.0 { Ok(()) } else { Err(text) }
}

fn is_open(inside: f64) -> Result<(), String> {
    let text = format!(
        "the ends of loops that do not collide are {inside:.3} m inside each other, below 0 expected"
    );
    if inside < 0.0 { Ok(()) } else { Err(text) }
}
