//! Cuts of animations: from one frame to the next a body is elsewhere, or turned about.
//!
//! ```text
//! positions  x                    o-----o        what the animation says; between frames it is interpolated,
//!            |              , '                  so that a step of half a frame finds the body half way
//!            o-----o- '
//!            o-----o----------,                  a cut is held: the body stays until it is elsewhere, in one
//!                             o-----o            step, which `Settings::teleport` recognises
//!         time     from       to
//! ```

use std::fmt::Write;

use cloth_solver::{CutMotion, Teleport};
use nalgebra::Point3;

use crate::words::{count, counted};
use crate::{Keyframe, SceneSource};

/// Frames that are farther apart (s) are poses to move between: nothing from one to the next is a cut.
const LONGEST: f64 = 0.1;

/// An animation turns too fast to be a motion at the angle of a cut in this time (s): half of that in a step
/// of 1/60 s is a part of a cut between two frames that are 1/30 s apart.
const TURN_TIME: f64 = 1.0 / 30.0;

/// Points of a body that are followed.
const SAMPLES: usize = 64;

/// So near to its end, as a part of its time, a cut is over: times of frames and of steps are rounded.
const ROUNDING: f64 = 1e-6;

/// Cuts of an animation that are named.
const NAMED: usize = 3;

/// What is done about cuts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CutRule {
    /// From when on something is a cut.
    teleport: Teleport,
    /// Whether cloth is teleported, and cuts are held therefore.
    pub(crate) is_on: bool,
}

impl CutRule {
    pub(crate) fn new(setting: Option<Teleport>) -> Self {
        Self { teleport: setting.unwrap_or_default(), is_on: setting.is_some() }
    }
}

/// A cut of an animation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AnimationCut {
    /// When the body is last in its place, and first elsewhere (s).
    pub(crate) times: [f64; 2],
    /// The frames of these times, as they were shown.
    pub(crate) frames: [usize; 2],
    /// None of a cut that the animation names itself.
    pub(crate) motion: Option<CutMotion>,
}

/// The cuts of an animation, of which every frame is shown.
#[derive(Clone, Debug)]
pub(crate) struct CutFinder {
    rule: CutRule,
    /// The last frame.
    before: Option<Shown>,
    /// The frame before the present run of motions that are too fast, if there is one.
    run: Option<Shown>,
    found: Vec<AnimationCut>,
    shown: usize,
    /// Whether a cut leads to the next frame, as the animation says.
    is_named: bool,
}

#[derive(Clone, Debug)]
struct Shown {
    frame: usize,
    time: f64,
    points: Vec<Point3<f64>>,
}

impl CutFinder {
    pub(crate) fn new(rule: CutRule) -> Self {
        Self { rule, before: None, run: None, found: Vec::new(), shown: 0, is_named: false }
    }

    /// Says that a cut leads to the next frame, however far that is.
    pub(crate) fn expect_cut(&mut self) {
        self.is_named = true;
    }

    /// Shows the next frame: its time (s), which ascends, and the points of the body (m), as many in each.
    pub(crate) fn show(&mut self, time: f64, points: &[Point3<f64>]) {
        let stride = points.len().div_ceil(SAMPLES).max(1);
        let now = Shown { frame: self.shown, time, points: points.iter().step_by(stride).copied().collect() };
        self.shown += 1;
        let is_named = std::mem::take(&mut self.is_named);
        if let Some(before) = self.before.take() {
            if is_named {
                let (times, frames) = ([before.time, now.time], [before.frame, now.frame]);
                self.end_run(before);
                self.found.push(AnimationCut { times, frames, motion: None });
            } else if self.is_fast(&before, &now) {
                self.run.get_or_insert(before);
            } else {
                self.end_run(before);
            }
        }
        self.before = Some(now);
    }

    /// The cuts, in their order.
    pub(crate) fn finish(mut self) -> Vec<AnimationCut> {
        if let Some(last) = self.before.take() {
            self.end_run(last);
        }
        self.found
    }

    /// Whether a motion is too fast, so that it may be a part of a cut.
    fn is_fast(&self, from: &Shown, to: &Shown) -> bool {
        let seconds = to.time - from.time;
        let part = Teleport {
            metres: 0.0,
            angle: self.rule.teleport.angle * (seconds / TURN_TIME).min(1.0) as f32,
            ..self.rule.teleport
        };
        part.find_cut(&ends(from, to), seconds).is_some()
    }

    /// Takes note of the run that has ended with a frame, if there was one.
    fn end_run(&mut self, to: Shown) {
        let Some(from) = self.run.take() else { return };
        let seconds = to.time - from.time;
        if seconds > LONGEST * (1.0 + ROUNDING) {
            return;
        }
        if let Some(motion) = self.rule.teleport.find_cut(&ends(&from, &to), seconds) {
            let (times, frames) = ([from.time, to.time], [from.frame, to.frame]);
            self.found.push(AnimationCut { times, frames, motion: Some(motion) });
        }
    }
}

fn ends(from: &Shown, to: &Shown) -> Vec<[Point3<f64>; 2]> {
    from.points.iter().zip(&to.points).map(|(a, b)| [*a, *b]).collect()
}

/// The time (s) of the pose that an animation has at `time`: within a cut that of its beginning.
pub(crate) fn held_time(cuts: &[AnimationCut], time: f64) -> f64 {
    let next = cuts.partition_point(|cut| cut.times[1] <= time);
    match cuts.get(next).map(|cut| cut.times) {
        Some([from, to]) if time > from => {
            if to - time <= ROUNDING * (to - from) {
                to
            } else {
                from
            }
        }
        _ => time,
    }
}

/// Keyframes that hold their cuts.
pub(crate) fn held_keyframes(motion: &[Keyframe], cuts: &[AnimationCut]) -> Vec<Keyframe> {
    let mut held = Vec::with_capacity(motion.len() + cuts.len());
    for (k, keyframe) in motion.iter().enumerate() {
        if let Some(cut) = cuts.iter().find(|cut| cut.frames[1] == k) {
            let [from, to] = cut.times;
            // No step ends between the two.
            let time = to - ROUNDING * (to - from);
            held.push(Keyframe { time, ..motion[cut.frames[0]] });
            held.push(Keyframe { time: time.next_up(), ..*keyframe });
        }
        if !cuts.iter().any(|cut| cut.frames[0] < k && k < cut.frames[1]) {
            held.push(*keyframe);
        }
    }
    held
}

/// What is said of the cuts of an animation, a sentence each. `body` is what moves, `number` the number of a
/// frame if frames have numbers.
pub(crate) fn in_words(
    body: &str,
    cuts: &[AnimationCut],
    number: impl Fn(usize) -> Option<u64>,
    rule: &CutRule,
    source: &SceneSource,
) -> Vec<String> {
    let fate = if rule.is_on {
        "cloth that is fixed to it is teleported there".to_owned()
    } else {
        format!("{} teleports cloth that is fixed to it", source.teleport_option())
    };
    let sentence = |cut: &AnimationCut| {
        let [from, to] = cut.times;
        let Some(CutMotion { metres, degrees }) = cut.motion else {
            let far = if rule.is_on { ", where it goes as far as `teleport` says" } else { "" };
            return format!("{body} is cut{}, as its file says: {fate}{far}", when(cut, &number));
        };
        let mut text = body.to_owned();
        if metres >= f64::from(rule.teleport.metres) {
            let speed = count((metres / (to - from)).round() as usize);
            // Writing to a string cannot fail.
            let _ = write!(text, " moves {metres:.1} m{} ({speed} m/s)", when(cut, &number));
            if degrees >= 1.0 {
                let _ = write!(text, " and turns by {degrees:.0} degrees");
            }
        } else {
            let _ = write!(text, " turns by {degrees:.0} degrees{}", when(cut, &number));
        }
        format!("{text}: a cut? {fate}")
    };
    let mut lines: Vec<String> = cuts.iter().take(NAMED).map(sentence).collect();
    if cuts.len() > NAMED {
        lines.push(format!("{body} has {} more", counted(cuts.len() - NAMED, "cut")));
    }
    lines
}

fn when(cut: &AnimationCut, number: impl Fn(usize) -> Option<u64>) -> String {
    let [from, to] = cut.times;
    match cut.frames.map(number) {
        [Some(a), Some(b)] => format!(" from frame {a} to {b}"),
        _ => format!(" from {from:.3} s to {to:.3} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Isometry3, Vector3};

    /// Corners of a box whose place and turn (degrees, about y) are given for each frame.
    fn cuts(dt: f64, frames: &[(f64, f64)]) -> Vec<AnimationCut> {
        let corners =
            [[0.2, 0.0, 0.1], [-0.2, 0.0, 0.1], [0.2, 1.7, -0.1], [-0.2, 1.7, -0.1], [0.0, 0.9, 0.3]];
        let mut finder = CutFinder::new(CutRule::new(Some(Teleport::default())));
        for (k, (x, degrees)) in frames.iter().enumerate() {
            let pose = Isometry3::new(Vector3::x() * *x, Vector3::y() * degrees.to_radians());
            finder.show(dt * k as f64, &corners.map(|c| pose * Point3::from(c)));
        }
        finder.finish()
    }

    #[test]
    fn a_body_that_is_elsewhere_or_turned_about_is_cut() {
        let far = cuts(1.0 / 60.0, &[(0.0, 0.0), (0.1, 0.0), (20.0, 0.0), (20.1, 0.0)]);
        assert_eq!((far.len(), far[0].frames), (1, [1, 2]));
        assert!((far[0].motion.unwrap().metres - 19.9).abs() < 1e-9, "{far:?}");
        let turned = cuts(1.0 / 30.0, &[(0.0, 0.0), (0.0, 180.0)]);
        assert!((turned[0].motion.unwrap().degrees - 180.0).abs() < 1e-6, "{turned:?}");
        // Fast, and no cut: 50 m/s, seven turns a second, and poses a second apart.
        let train: Vec<_> = (0..9).map(|k| (50.0 / 60.0 * f64::from(k), 0.0)).collect();
        assert_eq!(cuts(1.0 / 60.0, &train), []);
        let spin: Vec<_> = (0..60).map(|k| (0.0, 42.0 * f64::from(k))).collect();
        assert_eq!(cuts(1.0 / 60.0, &spin), []);
        assert_eq!(cuts(1.0, &[(0.0, 0.0), (900.0, 180.0)]), []);
        // A rocket: no cut, however far it goes in a frame.
        let rocket: Vec<_> = (0..60).map(|k| (5.0 * f64::from(k), 0.0)).collect();
        assert_eq!(cuts(1.0 / 60.0, &rocket), []);
    }

    #[test]
    fn a_cut_that_is_spread_over_frames_is_one() {
        let found = cuts(1.0 / 60.0, &[(0.0, 0.0), (0.0, 0.0), (7.0, 90.0), (14.0, 180.0), (14.0, 180.0)]);
        assert_eq!((found.len(), found[0].frames), (1, [1, 3]));
        assert!((found[0].motion.unwrap().degrees - 180.0).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn a_cut_that_the_animation_names_is_one_whatever_its_distance() {
        let mut finder = CutFinder::new(CutRule::new(Some(Teleport::default())));
        // It stands, is cut by 1 cm after a second, stands, and goes 20 m in two frames, of which the second
        // is named.
        let places = [(0.0, 0.0), (1.0, 0.01), (1.1, 0.01), (1.12, 10.0), (1.14, 20.0), (1.16, 20.0)];
        for (k, (time, x)) in places.into_iter().enumerate() {
            if [0, 1, 4].contains(&k) {
                finder.expect_cut();
            }
            finder
                .show(time, &[Point3::new(x, 0.0, 0.0), Point3::new(x, 1.0, 0.0), Point3::new(x, 0.0, 1.0)]);
        }
        let found = finder.finish();
        let frames: Vec<_> = found.iter().map(|cut| (cut.frames, cut.motion.is_some())).collect();
        assert_eq!(frames, [([0, 1], false), ([2, 3], true), ([3, 4], false)]);
        assert_eq!([0.5, 1.0, 1.13].map(|time| held_time(&found, time)), [0.0, 1.0, 1.12]);
        let said = |setting| {
            let rule = CutRule::new(setting);
            in_words("a.obj", &found[..1], |k| Some(k as u64), &rule, &SceneSource::Flags("a.obj".into()))
        };
        let on = said(Some(Teleport::default()));
        assert!(on[0].starts_with("a.obj is cut from frame 0 to 1, as its file says: cloth"), "{on:?}");
        assert!(on[0].ends_with("as far as `teleport` says"), "{on:?}");
        assert!(said(None)[0].ends_with("--teleport on teleports cloth that is fixed to it"));
    }

    #[test]
    fn within_a_cut_the_pose_is_that_of_its_beginning() {
        let found = cuts(1.0 / 30.0, &[(0.0, 0.0), (0.0, 0.0), (20.0, 0.0), (20.0, 0.0)]);
        let held = |time| held_time(&found, time);
        let [from, to] = [1.0 / 30.0, 2.0 / 30.0];
        assert_eq!([0.01, from, 0.05, to, 0.09].map(held), [0.01, from, from, to, 0.09]);
        assert_eq!(held(to - 1e-12), to, "a time of a step is rounded otherwise than that of a frame");
        let keyframe = |time: f64, x| Keyframe { time, translate: [x, 0.0, 0.0], rotate: None };
        let motion = [keyframe(0.0, 0.0), keyframe(from, 0.0), keyframe(to, 20.0), keyframe(0.1, 20.0)];
        let held = held_keyframes(&motion, &found);
        let x = |time| crate::pose_at(&held, time).translation.x;
        assert_eq!([0.01, 0.05, to, 0.09].map(x), [0.0, 0.0, 20.0, 20.0]);
    }
}
