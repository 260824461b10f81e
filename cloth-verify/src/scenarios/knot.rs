//! A tape is tied into an overhand knot by grippers, pulled tight, and stays a knot.
//!
//! From Lewin 2018, figure 4 left. The knot is held by contacts between cloth alone: one layer that passes
//! another, and it is open. Everything happens without gravity, in still air.
//!
//! ```text
//!   1. wind    gripper A carries its end once round a rod, in front of where it began
//!   2. hold    fingers take the loop, the rod is drawn out
//!   3. pass    A goes behind the loop and through it to the front
//!   4. pull    the fingers release, A goes up in front and away, B in the other direction
//!   5. force   the grippers release too: weak springs pull the two ends apart
//! ```
//!
//! The last part proves the knot. The springs are weak ([`COMPLIANCE`]), and yet they pull the control
//! straight, whose layers pass through each other without self-collision: it must end straight. The ends of
//! the scenario's tape must stay much nearer to each other.

use cloth_geom::fixtures::{Sheet, sheet};
use cloth_show::Direction;
use cloth_show::invariants::MeasuredEdges;
use cloth_solver::{Attachment, ClothDesc, Collider, Material, Settings, Shape, StepError};
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::parts;
use crate::Size;
use crate::scenario::{
    Cloths, Driver, EndCheck, Expectations, Scenario, Setup, SetupError, SimulationControl,
};

/// Length and width of the tape (m).
const LENGTH: f64 = 2.0;
const WIDTH: f64 = 0.1;
/// Of the length lies on the side of gripper B (m), when the winding begins.
const SIDE_B: f32 = 0.3;
/// Radius and half the length of the rod (m), and how far outside it the tape is wound.
const ROD: [f32; 2] = [0.1, 0.4];
const AROUND: f32 = 0.108;
/// After a tenth of its turn gripper A winds with this part of the length that is left; and this far in front
/// at the end (m).
const SLACK: f32 = 0.97;
const PITCH: f32 = 0.16;
/// Times (s): the winding begins and ends, fingers take the loop and release it, the grippers release.
const WINDS: [f32; 2] = [0.2, 5.0];
const FINGERS: [f32; 2] = [5.0, 7.4];
const LETS_GO: f32 = 11.0;
/// Fingers are at these parts of the turn.
const FINGERS_AT: [f32; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// How far the rod is drawn out (m), and when it is out (s).
const DRAWN: f32 = 1.5;
const OUT: f32 = 5.4;
/// After the winding: time (s), place of gripper A (m), of gripper B (m).
const PATH: [(f32, [f32; 3], [f32; 3]); 11] = [
    (5.4, [-0.868, -AROUND, PITCH], [SIDE_B, -AROUND, 0.0]),
    (5.9, [-0.55, -0.05, -0.25], [SIDE_B, -AROUND, 0.0]),
    (6.3, [-0.15, 0.0, -0.25], [SIDE_B, -AROUND, 0.0]),
    (6.5, [0.0, 0.0, -0.2], [SIDE_B, -AROUND, 0.0]),
    (7.0, [0.0, 0.0, 0.35], [SIDE_B, -AROUND, 0.0]),
    (7.4, [-0.02, 0.25, 0.38], [SIDE_B, -AROUND, 0.0]),
    (8.0, [-0.4, 0.3, 0.3], [SIDE_B, -AROUND, 0.0]),
    (9.0, [-0.62, 0.2, 0.15], [0.42, -0.158, 0.0]),
    (11.0, [-0.78, 0.1, 0.05], [0.62, -0.208, 0.0]),
    (13.0, [-1.45, 0.1, 0.05], [1.6, -0.208, 0.0]),
    (14.0, [-1.45, 0.1, 0.05], [1.6, -0.208, 0.0]),
];
/// Compliance (m/N) of all springs of an end together: `(3.07 m - 1.5 m) / 2` make 9 mN, a third of the
/// weight of a gram.
const COMPLIANCE: f32 = 90.0;
/// Substeps a frame.
const SUBSTEPS: u32 = 10;
/// Greatest 99th percentile of the stretch along the threads in any frame.
const STRETCH_LIMIT: f64 = 0.05;
/// The ends of a knot are nearer (m) than nine tenths of the tape's length.
const KNOTTED: f64 = 0.9 * LENGTH;
/// Those of a tape that is pulled straight are farther than this (m).
const STRAIGHT: f64 = 0.97 * LENGTH;
/// Of the jitter.
const SEED: u64 = 1;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "knot",
    about: "a tape tied into an overhand knot and pulled tight stays a knot",
    build,
};

fn build(size: Size) -> Result<Setup, SetupError> {
    let (nx, ny) = match size {
        // A coarser tape folds in single cells, and stretches by more than the limit.
        Size::Small => (170, 9),
        Size::Medium => (200, 10),
        Size::Large => (400, 20),
    };
    let seconds = PATH[PATH.len() - 1].0;
    let settings = Settings {
        detect_interval: 5,
        gravity: Vector3::zeros(),
        ..parts::settings(SUBSTEPS * nx as u32 / 200)
    };
    let mut setup = Setup::new(Settings { substeps: settings.substeps.max(SUBSTEPS), ..settings }, seconds);
    let tape = sheet(nx, ny, [LENGTH, WIDTH])?;
    setup.add(cloth(&tape)?, &MeasuredEdges::of_sheet(&tape));
    let shape = Shape::Capsule { half_length: ROD[1], radius: ROD[0] };
    setup.scene.add_colliders([Collider::new(shape, rod(0.0), 0.0)?]);
    setup.driver = Some(driver(&tape));
    let columns = nx;
    let knotted: EndCheck = Box::new(move |cloths| stays_a_knot(apart(cloths, columns)));
    let straight: EndCheck = Box::new(move |cloths| is_straight(apart(cloths, columns)));
    setup.expectations = Expectations {
        stretch_p99: Some(STRETCH_LIMIT).into(),
        at_the_end: vec![knotted],
        control_at_the_end: vec![straight],
        ..Expectations::default()
    };
    setup.view = Direction { azimuth_deg: 30.0, elevation_deg: 30.0 };
    setup.focus = Some([Point3::new(-0.9, -0.35, -0.2), Point3::new(0.9, 0.35, 0.2)]);
    Ok(setup)
}

/// The tape below the rod, held at both ends.
fn cloth(tape: &Sheet) -> Result<ClothDesc, SetupError> {
    let middle = f64::from(SIDE_B) - 0.5 * LENGTH;
    let rest = tape.mesh.clone().translated(Vector3::new(middle, -f64::from(AROUND), 0.0));
    let mut cloth = parts::cloth(&rest, Material::COTTON, SEED)?;
    cloth.pins = ends(tape).collect();
    let starts = cloth.mesh.positions_f32();
    let compliance = COMPLIANCE * tape.ny as f32;
    cloth.attachments =
        ends(tape).map(|vertex| Attachment { vertex, target: starts[vertex as usize], compliance }).collect();
    Ok(cloth)
}

/// The vertices across the tape at a column, from back to front.
fn column(tape: &Sheet, i: usize) -> impl Iterator<Item = u32> + use<> {
    let nx = tape.nx;
    (0..tape.ny).map(move |j| (j * nx + i) as u32)
}

/// Those that gripper A holds, and then those of B.
fn ends(tape: &Sheet) -> impl Iterator<Item = u32> + use<> {
    column(tape, 0).chain(column(tape, tape.nx - 1))
}

fn driver(tape: &Sheet) -> Driver {
    let (held, ny) = (ends(tape).collect::<Vec<u32>>(), tape.ny);
    let touches = LENGTH as f32 - SIDE_B;
    let at = |turn: f32| (touches - AROUND * std::f32::consts::TAU * turn) / LENGTH as f32;
    let fingers: Vec<u32> = FINGERS_AT
        .into_iter()
        .flat_map(|turn| column(tape, (at(turn) * (tape.nx - 1) as f32).round() as usize))
        .collect();
    let mass = (f64::from(Material::COTTON.density) * LENGTH * WIDTH) as f32 / (tape.nx * ny) as f32;
    let reached = |time: f32, frame: usize, moment: f32| {
        let before = frame as f32 * Setup::DT;
        before < moment && time >= moment
    };
    Box::new(move |stage, frame, time| {
        if reached(time, frame, FINGERS[0]) {
            fingers.iter().try_for_each(|&v| stage.pin(0, v))?;
        }
        if reached(time, frame, FINGERS[1]) {
            fingers.iter().try_for_each(|&v| stage.set_mass(0, v, mass))?;
        }
        if reached(time, frame, LETS_GO) {
            held.iter().try_for_each(|&v| stage.set_mass(0, v, mass))?;
        }
        stage.move_collider(0, rod(DRAWN * between(FINGERS[0], OUT, time)))?;
        carry(stage, &held, ny, time)
    })
}

/// Moves the grippers, or what the springs pull to once they have released.
fn carry(stage: &mut dyn SimulationControl, held: &[u32], ny: usize, time: f32) -> Result<(), StepError> {
    let grippers = grippers(time);
    for (k, &v) in held.iter().enumerate() {
        let across = (k % ny) as f32 / (ny - 1) as f32 - 0.5;
        let target = grippers[k / ny] + Vector3::z() * (across * WIDTH as f32);
        stage.move_attachment(k, target)?;
        if time < LETS_GO {
            stage.move_pin(0, v, target)?;
        }
    }
    Ok(())
}

/// Where grippers A and B are (m) at a time (s).
fn grippers(time: f32) -> [Point3<f32>; 2] {
    if time <= WINDS[1] {
        let turn = between(WINDS[0], WINDS[1], time);
        return [winding(turn), Point3::new(SIDE_B, -AROUND, 0.0)];
    }
    let from_winding = (WINDS[1], winding(1.0).coords.into(), [SIDE_B, -AROUND, 0.0]);
    let next = PATH.iter().position(|key| key.0 > time).unwrap_or(PATH.len() - 1);
    let (before, after) = (if next == 0 { &from_winding } else { &PATH[next - 1] }, &PATH[next]);
    let part = between(before.0, after.0, time);
    [(before.1, after.1), (before.2, after.2)]
        .map(|(a, b)| Point3::from(Vector3::from(a).lerp(&Vector3::from(b), part)))
}

/// Gripper A after a part of its turn: on the tangent of the rod where the tape leaves it.
fn winding(turn: f32) -> Point3<f32> {
    let angle = -std::f32::consts::FRAC_PI_2 - std::f32::consts::TAU * turn;
    let (sin, cos) = (libm::sinf(angle), libm::cosf(angle));
    let slack = 1.0 - (1.0 - SLACK) * (turn / 0.1).min(1.0);
    let left = (LENGTH as f32 - SIDE_B - AROUND * std::f32::consts::TAU * turn) * slack;
    let aside = PITCH * turn;
    let out = (left * left - aside * aside).max(0.0).sqrt();
    // It is in front of gripper B's side before it crosses that.
    let front = PITCH * (turn / 0.45).min(1.0);
    Point3::new(AROUND * cos + out * sin, AROUND * sin - out * cos, front)
}

/// The rod along z, drawn out so far (m).
fn rod(out: f32) -> Isometry3<f32> {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let lying = UnitQuaternion::new_unchecked(Quaternion::new(half, half, 0.0, 0.0));
    Isometry3::from_parts(Translation3::new(0.0, 0.0, out), lying)
}

/// How much of the time (s) between two moments has gone, in [0, 1].
fn between(from: f32, to: f32, time: f32) -> f32 {
    ((time - from) / (to - from)).clamp(0.0, 1.0)
}

/// From the middle of one end to that of the other (m).
fn apart(cloths: &Cloths<'_>, columns: usize) -> f64 {
    let rows = cloths.positions.len() / columns;
    let end = |i: usize| {
        let sum = (0..rows).map(|j| cloths.positions[j * columns + i].coords.cast::<f64>());
        sum.sum::<Vector3<f64>>() / rows as f64
    };
    (end(columns - 1) - end(0)).norm()
}

fn stays_a_knot(apart: f64) -> Result<(), String> {
    let text = format!(
        "the ends of the tape of {LENGTH} m are {apart:.3} m apart at the end, below {KNOTTED} expected"
    );
    if apart < KNOTTED { Ok(()) } else { Err(text) }
}

fn is_straight(apart: f64) -> Result<(), String> {
    let text = format!(
        "the ends of a tape without a knot are {apart:.3} m apart at the end, above {STRAIGHT} expected"
    );
    if apart > STRAIGHT { Ok(()) } else { Err(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grippers_never_jump_and_begin_where_the_tape_does() {
        let [a, b] = grippers(0.0);
        assert!((b.x - a.x - LENGTH as f32).abs() < 1e-5);
        let mut before = grippers(0.0);
        for frame in 1..=840 {
            let now = grippers(frame as f32 * Setup::DT);
            // 6 m/s would be too fast for cloth.
            assert!((0..2).all(|k| (now[k] - before[k]).norm() < 0.1), "{frame} {now:?}");
            before = now;
        }
    }
}
