//! The tangled starts: each a few sheets that already intersect each other, with the shape in which they are
//! at rest.
//!
//! A contour between two sheets either closes, or ends where the border of one of them meets the other; on a
//! sheet it is a closed curve, a cut from border to border, a slit that begins at the border, or a slit in
//! the middle. One sheet that intersects itself may have an end that is no border: a loop vertex. The
//! starts have each kind:
//!
//! | start | on one sheet | on the other |
//! |---|---|---|
//! | bump | closed, with an inside | closed, with an inside |
//! | finger | closed, a ring around a tube | closed, with an inside |
//! | corner | cut from border to border | slit in the middle |
//! | strip | cut across the whole sheet | slit in the middle |
//! | skewer | two cuts | two slits in a tube |
//! | cards | slit from the border | slit from the border |
//! | loop | from a loop vertex to the border, twice on one sheet | |
//! | fold | closed on two layers of one sheet | |

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use cloth_geom::TriMesh;
use cloth_geom::fixtures::{FixtureError, TubeShape, sheet, tube};
use nalgebra::{Point3, Vector3};

/// Side of most sheets (m).
pub(super) const SIDE: f64 = 0.5;

/// A start.
#[derive(Clone, Debug)]
pub struct Start {
    /// Its name.
    pub name: &'static str,
    /// Each cloth where it starts, and where it rests (m); the same vertices.
    pub cloths: Vec<[TriMesh; 2]>,
}

/// All eight, with about `count` vertices along a side of half a metre, each about the origin.
///
/// # Errors
/// If `count` is below 2 or far too large.
pub fn starts(count: usize) -> Result<Vec<Start>, FixtureError> {
    Ok(vec![
        bump(count)?,
        finger(count)?,
        corner(count)?,
        strip(count)?,
        skewer(count)?,
        cards(count)?,
        looped(count)?,
        fold(count)?,
    ])
}

/// A sheet of so many metres along x and z, about the origin, with edges as long as those of the others.
fn flat(count: usize, size: [f64; 2]) -> Result<TriMesh, FixtureError> {
    let [nx, nz] = size.map(|s| 1 + ((count - 1) as f64 * s / SIDE).round() as usize);
    Ok(sheet(nx.max(2), nz.max(2), size)?.mesh)
}

/// At rest where it starts.
fn resting(mesh: TriMesh) -> [TriMesh; 2] {
    [mesh.clone(), mesh]
}

fn upright(mesh: TriMesh) -> TriMesh {
    mesh.rotated(Vector3::x_axis(), -FRAC_PI_2)
}

/// A sheet dips through the sheet below it.
fn bump(count: usize) -> Result<Start, FixtureError> {
    const ABOVE: f64 = 0.02;
    const DEPTH: f64 = 0.055;
    const WIDTH: f64 = 0.08;
    let lower = flat(count, [SIDE; 2])?;
    let upper = lower.clone().translated(Vector3::new(0.003, ABOVE, 0.005));
    let dipped = upper.clone().mapped(|p| {
        let r_sq = p.x * p.x + p.z * p.z;
        Point3::new(p.x, p.y - DEPTH * libm::exp(-0.5 * r_sq / (WIDTH * WIDTH)), p.z)
    });
    Ok(Start { name: "bump", cloths: vec![resting(lower), [dipped, upper]] })
}

/// A tube pokes through a sheet.
fn finger(count: usize) -> Result<Start, FixtureError> {
    const RADIUS: f64 = 0.06;
    const LENGTH: f64 = 0.3;
    const THROUGH: f64 = 0.08;
    let edge = SIDE / (count - 1) as f64;
    let around = ((2.0 * PI * RADIUS / edge).round() as usize).max(6);
    let along = 1 + (LENGTH / edge).round() as usize;
    let finger = tube(TubeShape { radius: RADIUS, length: LENGTH, around, along })?;
    let finger = finger.translated(Vector3::new(0.004, 0.5 * LENGTH - THROUGH, 0.007));
    Ok(Start { name: "finger", cloths: vec![resting(flat(count, [SIDE; 2])?), resting(finger)] })
}

/// The corner of an upright sheet pokes through a flat one.
fn corner(count: usize) -> Result<Start, FixtureError> {
    const THROUGH: f64 = 0.08;
    let diamond = upright(flat(count, [SIDE; 2])?.rotated(Vector3::y_axis(), FRAC_PI_4));
    let raised = SIDE * std::f64::consts::FRAC_1_SQRT_2 - THROUGH;
    let diamond = diamond.translated(Vector3::new(0.006, raised, 0.004));
    Ok(Start { name: "corner", cloths: vec![resting(flat(count, [SIDE; 2])?), resting(diamond)] })
}

/// A strip hangs through a slit in a sheet.
fn strip(count: usize) -> Result<Start, FixtureError> {
    let strip = upright(flat(count, [0.25, 0.4])?).translated(Vector3::new(0.006, 0.1, 0.004));
    Ok(Start { name: "strip", cloths: vec![resting(flat(count, [SIDE; 2])?), resting(strip)] })
}

/// A strip intersects both walls of a tube.
fn skewer(count: usize) -> Result<Start, FixtureError> {
    const RADIUS: f64 = 0.1;
    let edge = SIDE / (count - 1) as f64;
    let around = ((2.0 * PI * RADIUS / edge).round() as usize).max(6);
    let along = 1 + (0.4 / edge).round() as usize;
    let tube = tube(TubeShape { radius: RADIUS, length: 0.4, around, along })?;
    // It sticks out by 4 cm on one side, and by 30 on the other.
    let strip = flat(count, [0.54, 0.1])?.translated(Vector3::new(0.13, 0.004, 0.006));
    Ok(Start { name: "skewer", cloths: vec![resting(tube), resting(strip)] })
}

/// Two sheets stuck into each other's borders, as the walls of a house of cards.
fn cards(count: usize) -> Result<Start, FixtureError> {
    const OVERLAP: f64 = 0.15;
    let aside = 0.5 * (0.4 - OVERLAP);
    let lying = flat(count, [0.4, 0.3])?.translated(Vector3::new(-aside, 0.0, 0.0));
    let standing = upright(flat(count, [0.4, 0.3])?).translated(Vector3::new(aside, 0.005, 0.004));
    Ok(Start { name: "cards", cloths: vec![resting(lying), resting(standing)] })
}

/// A sheet of which one border is twisted into a loop: seen along z, its rows are curves that cross
/// themselves the more the greater z is, and not at all below some z.
fn looped(count: usize) -> Result<Start, FixtureError> {
    let rest = flat(count, [SIDE; 2])?;
    let start = rest.clone().mapped(|p| {
        let curve = Curve { loops: 0.5 * p.z / SIDE + 0.12 };
        let [x, y] = curve.at(p.x * 4.0);
        Point3::new(0.25 * x, 0.25 * y, p.z)
    });
    Ok(Start { name: "loop", cloths: vec![[start, rest]] })
}

/// The curve `(s^3 - a s, s^2)`, which crosses itself if `a` is positive.
struct Curve {
    loops: f64,
}

impl Curve {
    /// The point so far along it from its middle: steps of equal length, so that a sheet of such curves is
    /// hardly strained.
    fn at(&self, length: f64) -> [f64; 2] {
        const STEP: f64 = 1e-4;
        let (mut gone, mut s) = (0.0, 0.0);
        let forward = if length < 0.0 { -1.0 } else { 1.0 };
        while gone < length.abs() {
            let slope = [3.0 * s * s - self.loops, 2.0 * s];
            // A cusp has no speed; it is passed at a least one.
            let speed = (slope[0] * slope[0] + slope[1] * slope[1]).sqrt().max(0.05);
            let step = STEP.min(length.abs() - gone);
            s += forward * step / speed;
            gone += step;
        }
        [s * s * s - self.loops * s + 0.03 * s * s, s * s]
    }
}

/// A sheet folded twice, of which two layers have changed places in a patch.
fn fold(count: usize) -> Result<Start, FixtureError> {
    const APART: f64 = 0.03;
    const LAYER: f64 = 0.25;
    const WIDTH: f64 = 0.05;
    let bend = 0.5 * PI * APART;
    let length = 3.0 * LAYER + 2.0 * bend;
    let rest = flat(count, [length, 0.3])?;
    let start = rest.clone().mapped(|p| {
        let [x, y, layer] = folded(p.x + 0.5 * length, LAYER, APART);
        let r_sq = x * x + (p.z - 0.01).powi(2);
        let swap = APART * 1.8 * libm::exp(-0.5 * r_sq / (WIDTH * WIDTH));
        // The lowest layer goes up, and the middle one down.
        let y = y + if layer == 0.0 {
            0.5 * swap
        } else if layer == 1.0 {
            -0.5 * swap
        } else {
            0.0
        };
        Point3::new(x, y - APART, p.z + 0.011 * layer)
    });
    Ok(Start { name: "fold", cloths: vec![[start, rest]] })
}

/// Place (m) and number of the layer, so far along a strip folded twice; bends have a number between those of
/// their layers.
fn folded(s: f64, layer: f64, apart: f64) -> [f64; 3] {
    let bend = 0.5 * PI * apart;
    let number = (s / (layer + bend)).floor().min(2.0);
    let along = s - number * (layer + bend);
    let forward = if number == 1.0 { -1.0 } else { 1.0 };
    let edge = 0.5 * layer;
    if along <= layer {
        return [forward * (along - edge), number * apart, number];
    }
    let angle = (along - layer) / (0.5 * apart);
    let out = 0.5 * apart * libm::sin(angle);
    [forward * (edge + out), number * apart + 0.5 * apart * (1.0 - libm::cos(angle)), number + 0.5]
}
