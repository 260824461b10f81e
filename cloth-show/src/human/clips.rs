//! What the built-in character does: walk, run, stand and dance, as formulas of time.
//!
//! The angles of a gait follow measurements of human walking in their shape (Winter 1991, "The biomechanics
//! and motor control of human gait": flexion of the hip as one wave, of the knee as a small one in stance and
//! a large one in swing); amplitudes are chosen so that the foot on the ground moves backward about as fast
//! as the body moves forward.

use std::f64::consts::{PI, TAU};

use cloth_character::{CharacterError, Clip, smoothstep};
use nalgebra::Vector3;

use super::stance::{Arm, Leg, Stance, Turn, clip};

/// Names of the clips.
pub(super) const WALK: &str = "walk";
pub(super) const RUN: &str = "run";
pub(super) const IDLE: &str = "idle";
pub(super) const DANCE: &str = "dance";

/// Keys of a gait and of standing, and of the dance, which has more in it.
const KEYS: usize = 24;
const DANCE_KEYS: usize = 64;

/// A gait; angles in rad.
struct Gait {
    /// Duration of two steps (s) and speed (m/s).
    period: f64,
    speed: f64,
    /// Flexion of the hip: mean and amplitude.
    hip: [f64; 2],
    /// Flexion of the knee: always, in stance and in swing more.
    knee: [f64; 3],
    /// Height of the hips above the bind pose (m): mean and amplitude, and the phase after a heel strike at
    /// which it is least.
    height: [f64; 3],
    /// Forward lean of the trunk, and turn of the hips to the leg in front.
    lean: f64,
    yaw: f64,
    /// Swing of the arms, and flexion of the elbow: mean and amplitude.
    swing: f64,
    elbow: [f64; 2],
}

const WALKING: Gait = Gait {
    period: 1.0,
    speed: 1.2,
    hip: [0.08, 0.37],
    knee: [0.08, 0.16, 0.98],
    height: [-0.03, 0.018, 0.0],
    lean: 0.04,
    yaw: 0.09,
    swing: 0.42,
    elbow: [0.35, 0.15],
};

const RUNNING: Gait = Gait {
    period: 0.7,
    speed: 3.0,
    hip: [0.22, 0.66],
    knee: [0.25, 0.25, 1.45],
    height: [-0.045, 0.03, 0.14],
    lean: 0.16,
    yaw: 0.14,
    swing: 0.62,
    elbow: [1.25, 0.2],
};

/// How far down from the bind pose arms hang.
const HANG: f64 = 0.36;

/// All clips.
///
/// # Errors
/// As [`Clip::new`], which these formulas do not cause.
pub(super) fn clips() -> Result<Vec<Clip>, CharacterError> {
    Ok(vec![
        clip(WALK, WALKING.period, KEYS, |t| WALKING.stance(t))?,
        clip(RUN, RUNNING.period, KEYS, |t| RUNNING.stance(t))?,
        clip(IDLE, IDLE_PERIOD, KEYS, idle)?,
        clip(DANCE, DANCE_PERIOD, DANCE_KEYS, dance)?,
    ])
}

impl Gait {
    fn stance(&self, time: f64) -> Stance {
        // The left heel strikes at phase 0.
        let phase = time / self.period;
        let wave = libm::cos(TAU * phase);
        let twice = libm::cos(2.0 * TAU * (phase - self.height[2]));
        let sway = 0.015 * libm::sin(TAU * phase);
        let height = self.height[0] - self.height[1] * twice;
        let lean = |part: f64| Turn { pitch: part * self.lean, ..Turn::default() };
        Stance {
            hips: Vector3::new(sway, height, self.speed * time),
            hips_turn: Turn { yaw: -self.yaw * wave, ..lean(0.5) },
            spine: Turn { yaw: 0.9 * self.yaw * wave, ..lean(0.5) },
            chest: Turn { yaw: 0.9 * self.yaw * wave, ..lean(0.3) },
            neck: Turn { yaw: -0.8 * self.yaw * wave, ..lean(-0.8) },
            arms: [self.arm(-wave), self.arm(wave)],
            legs: [self.leg(phase), self.leg(phase + 0.5)],
        }
    }

    fn leg(&self, phase: f64) -> Leg {
        let forward = self.hip[0] + self.hip[1] * libm::cos(TAU * phase);
        let knee =
            self.knee[0] + self.knee[1] * bump(phase, 0.14, 0.28) + self.knee[2] * bump(phase, 0.70, 0.52);
        // Half of what keeps the sole level.
        Leg { forward, outward: 0.0, knee, ankle: 0.5 * (knee - forward) }
    }

    fn arm(&self, wave: f64) -> Arm {
        Arm {
            down: HANG,
            forward: 0.05 + self.swing * wave,
            sweep: 0.0,
            elbow: self.elbow[0] + self.elbow[1] * wave,
        }
    }
}

/// From 0 to 1 and back around a phase, repeated in every cycle; `width` is at most a cycle.
fn bump(phase: f64, middle: f64, width: f64) -> f64 {
    let from = phase - middle;
    let from = from - (from + 0.5).floor();
    if from.abs() < 0.5 * width { 0.5 + 0.5 * libm::cos(TAU * from / width) } else { 0.0 }
}

/// A breath (s).
const IDLE_PERIOD: f64 = 4.0;

fn idle(time: f64) -> Stance {
    let (breath, sway) = (libm::cos(TAU * time / IDLE_PERIOD), libm::sin(TAU * time / IDLE_PERIOD));
    let arm = Arm { down: HANG, forward: 0.06 + 0.02 * breath, sweep: 0.0, elbow: 0.3 };
    let leg = |side: f64| Leg { forward: 0.03, outward: side * 0.012 * sway, knee: 0.06, ankle: 0.03 };
    Stance {
        hips: Vector3::new(0.012 * sway, -0.006, 0.0),
        hips_turn: Turn { roll: 0.012 * sway, ..Turn::default() },
        spine: Turn { roll: -0.02 * sway, pitch: 0.02, yaw: 0.0 },
        chest: Turn { pitch: 0.02 * breath, yaw: 0.05 * sway, roll: 0.0 },
        neck: Turn { yaw: 0.12 * sway, pitch: -0.03, roll: 0.0 },
        arms: [arm; 2],
        legs: [leg(-1.0), leg(1.0)],
    }
}

/// Eight beats (s).
const DANCE_PERIOD: f64 = 3.2;
/// When the turns to the left and to the right begin, and how long each takes (s): 675 degrees a second at
/// most.
const TURNS: [f64; 2] = [0.4, 2.0];
const TURN: f64 = 0.8;
/// When each leg kicks, and for how long (s).
const KICKS: [f64; 2] = [1.6, 3.2];
const KICK: f64 = 0.8;

fn dance(time: f64) -> Stance {
    let beat = DANCE_PERIOD / 8.0;
    let (half, full) = (libm::sin(PI * time / beat), libm::cos(TAU * time / beat));
    let turned = TURNS.map(|from| smoothstep((time - from) / TURN));
    let kick = KICKS.map(|at| bump(time / DANCE_PERIOD, at / DANCE_PERIOD, KICK / DANCE_PERIOD));
    let arm = |side: f64| Arm {
        down: -0.5 - 0.25 * side * half,
        forward: 0.0,
        sweep: 0.35 + 0.3 * side * half,
        elbow: 0.55 + 0.25 * full,
    };
    let leg = |kick: f64, side: f64| {
        let bend = 0.22 - 0.12 * full + 0.06 * side * half;
        Leg { forward: bend + 0.75 * kick, outward: 0.05, knee: 2.0 * bend + 0.35 * kick, ankle: bend }
    };
    Stance {
        hips: Vector3::new(0.05 * half, -0.045 + 0.025 * full, 0.0),
        hips_turn: Turn { yaw: TAU * (turned[0] - turned[1]), pitch: 0.05, roll: 0.10 * half },
        spine: Turn { yaw: 0.0, pitch: 0.03, roll: -0.13 * half },
        chest: Turn { yaw: 0.22 * half, pitch: -0.03, roll: -0.04 * half },
        neck: Turn { yaw: -0.2 * half, pitch: -0.04, roll: 0.05 * half },
        arms: [arm(1.0), arm(-1.0)],
        legs: [leg(kick[0], 1.0), leg(kick[1], -1.0)],
    }
}
