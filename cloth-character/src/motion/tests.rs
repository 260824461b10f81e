//! Motions of a character of two joints, whose clips have closed forms.

use std::sync::Arc;

use nalgebra::{Matrix3, Quaternion, Vector3};
use proptest::prelude::*;

use super::*;
use crate::{ChannelDescription, ChannelValues, Clip, Interpolation, Joint, Skeleton, angle_between};

const WALK: usize = 0;
const RUN: usize = 1;
const IDLE: usize = 2;

/// The time of the first key: exported clips rarely begin at 0.
const START: f64 = 0.25;

/// Walk: 1 s, 2 m along world x, the arm turns from 0 to 1 rad and its x is the phase. Run: 0.6 s and 3 m,
/// with the same phase. Idle: 2 s, with the arm at -0.5 rad. A map above the root, in units of 1 cm with z
/// up, makes the joints' space differ from the world.
fn character() -> Arc<Character> {
    let hips = Joint { name: "hips".into(), ..Joint::default() };
    let arm = Joint { name: "arm".into(), parent: Some(0), ..Joint::default() };
    let mut skeleton = Skeleton::new(vec![hips, arm]).unwrap();
    let linear = Matrix3::new(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0) * 0.01;
    skeleton.set_root_map(0, Affine { linear, translation: Vector3::new(5.0, 0.0, 0.0) }).unwrap();
    let turn = |angle: f64| Quaternion::new(libm::cos(angle / 2.0), 0.0, 0.0, libm::sin(angle / 2.0));
    let clip = |name: &str, duration: f64, travel: f64, angles: [f64; 2], phases: [f64; 2]| {
        let channel = |joint, values| ChannelDescription {
            joint,
            interpolation: Interpolation::Linear,
            times: vec![START, START + duration],
            values,
        };
        let line = |a: f64, b: f64| [a, b].map(|x| Vector3::new(x, 0.0, 100.0)).to_vec();
        let channels = vec![
            channel(0, ChannelValues::Translation(line(0.0, 100.0 * travel))),
            channel(1, ChannelValues::Rotation(angles.map(turn).to_vec())),
            channel(1, ChannelValues::Translation(line(phases[0], phases[1]))),
        ];
        Clip::new(name.into(), channels, 2).unwrap()
    };
    let clips = vec![
        clip("Walk", 1.0, 2.0, [0.0, 1.0], [0.0, 1.0]),
        clip("Run", 0.6, 3.0, [0.0, 1.0], [0.0, 1.0]),
        clip("Idle", 2.0, 0.0, [-0.5, -0.5], [0.0, 0.0]),
    ];
    Arc::new(Character { skeleton, meshes: Vec::new(), clips })
}

fn sampled(motion: &Motion, time: f64) -> MotionSample {
    let mut out = MotionSample::default();
    motion.sample(time, &mut out);
    out
}

/// The largest turn and the largest world displacement of a joint within `step` seconds, over a time.
fn largest_step(motion: &Motion, until: f64, step: f64) -> (f64, f64) {
    let (mut before, mut after) = (sampled(motion, 0.0), MotionSample::default());
    let (mut angle, mut distance) = (0.0f64, 0.0f64);
    for k in 1..(until / step) as usize {
        motion.sample(k as f64 * step, &mut after);
        for (a, b) in before.pose.locals.iter().zip(&after.pose.locals) {
            angle = angle.max(angle_between(&a.rotation, &b.rotation));
        }
        for (a, b) in before.world.iter().zip(&after.world) {
            distance = distance.max((a.origin() - b.origin()).norm());
        }
        std::mem::swap(&mut before, &mut after);
    }
    (angle, distance)
}

fn looped(looping: Looping) -> Motion {
    let playback = Playback::new(WALK).with_looping(looping);
    Motion::from_clip(character(), playback, RootMotion::Remove).unwrap()
}

#[test]
fn a_closed_loop_has_no_jump_where_a_repeated_clip_jumps() {
    let step = 1.0 / 480.0;
    let (repeated, _) = largest_step(&looped(Looping::Repeat), 5.0, step);
    assert!(repeated > 0.99, "{repeated}");
    for looping in [Looping::Close { transition: 0.4 }, Looping::Overlap { transition: 0.4 }] {
        let (closed, _) = largest_step(&looped(looping), 5.0, step);
        // A smoothstep of 1 rad in 0.4 s has a largest speed of 1.5 / 0.4 rad/s, and the clip itself 1 rad/s.
        assert!(closed < 1.01 * step * (1.5 / 0.4 + 1.0), "{looping:?}: {closed}");
    }
}

#[test]
fn the_closure_leads_from_the_last_pose_to_the_first() {
    let motion = looped(Looping::Close { transition: 0.5 });
    let angle = |time: f64| sampled(&motion, time).pose.locals[1].rotation.angle();
    for (time, expected) in [(0.5, 0.5), (1.0, 1.0), (1.25, 0.5), (1.5, 0.0), (2.0, 0.5), (2.75, 0.5)] {
        assert!((angle(time) - expected).abs() < 1e-9, "{time}: {}", angle(time));
    }
}

#[test]
fn root_motion_is_kept_accumulated_removed_or_extracted() {
    let at = |root_motion, time| {
        let motion = Motion::from_clip(character(), Playback::new(WALK), root_motion).unwrap();
        let sample = sampled(&motion, time);
        (sample.world[0].origin().x - 5.0, sample.world[0].origin().y, sample.displacement)
    };
    let cases = [
        (RootMotion::Keep, 1.0, 0.0),
        (RootMotion::Accumulate, 7.0, 0.0),
        (RootMotion::Remove, 0.0, 0.0),
        (RootMotion::Extract, 0.0, 7.0),
    ];
    for (mode, x, displacement) in cases {
        let found = at(mode, 3.5);
        assert!((found.0 - x).abs() < 1e-12 && (found.1 - 1.0).abs() < 1e-12, "{mode:?}: {found:?}");
        assert!((found.2 - Vector3::new(displacement, 0.0, 0.0)).norm() < 1e-12, "{mode:?}: {found:?}");
    }
}

#[test]
fn overlapped_loops_accumulate_what_they_show() {
    let playback = Playback::new(WALK).with_looping(Looping::Overlap { transition: 0.2 });
    let motion = Motion::from_clip(character(), playback, RootMotion::Accumulate).unwrap();
    // The walk is a straight line at 2 m/s, and cross-fading two parts of it changes nothing.
    for time in [0.0, 0.1, 0.5, 0.79, 0.81, 2.3] {
        let x = sampled(&motion, time).world[0].origin().x - 5.0;
        assert!((x - 2.0 * time).abs() < 1e-9, "{time}: {x}");
    }
}

#[test]
fn matched_clips_keep_step_through_the_cross_fade() {
    let mut motion = Motion::from_clip(character(), Playback::new(WALK), RootMotion::Remove).unwrap();
    motion.play(2.3, Playback::new(RUN), Transition { fade: 0.5, match_phase: true }).unwrap();
    // Both clips hold their phase in x, so that the blend is that phase only if both have the same.
    let phase = |time: f64| sampled(&motion, time).pose.locals[1].translation.x;
    assert!((phase(2.3) - 0.3).abs() < 1e-9);
    let (mut before, step) = (phase(2.3), 1e-3);
    for k in 1..1200 {
        let now = phase(2.3 + f64::from(k) * step);
        let gained = (now - before).rem_euclid(1.0) / step;
        assert!((0.999..1.668).contains(&gained), "{k}: {gained} cycles per second");
        before = now;
    }
    // After the cross-fade the run is alone: a cycle later the phase is the same.
    assert!((phase(3.0) - phase(3.6)).abs() < 1e-9);
}

#[test]
fn a_walk_that_stops_slows_down_and_never_goes_back() {
    let mut motion = Motion::from_clip(character(), Playback::new(WALK), RootMotion::Accumulate).unwrap();
    motion.play(1.5, Playback::new(IDLE), Transition { fade: 0.5, match_phase: false }).unwrap();
    let x = |time: f64| sampled(&motion, time).world[0].origin().x - 5.0;
    let mut before = x(0.0);
    for k in 1..300 {
        let now = x(f64::from(k) * 0.01);
        assert!(now >= before - 1e-12, "{k}");
        assert!(now - before <= 2.0 * 0.01 + 1e-6, "{k}");
        before = now;
    }
    // A fifth of the cross-fade has gone by, and a tenth of the weight.
    assert!((0.185..0.2).contains(&(x(1.6) - x(1.5))), "{}", x(1.6) - x(1.5));
    // The mean weight of a smoothstep is one half: half of the half second at 2 m/s.
    assert!((before - (3.0 + 0.5)).abs() < 1e-3, "{before}");
    assert!((x(2.0) - before).abs() < 1e-12);
}

#[test]
fn a_chain_starts_in_the_bind_pose_and_moves_without_a_jump() {
    let character = character();
    let mut chain =
        Chain::from_names(&character, &[("Walk", Some(2.0)), ("Run", Some(1.5)), ("Idle", None)]).unwrap();
    chain.settle = 0.25;
    chain.root_motion = RootMotion::Accumulate;
    chain.items.iter_mut().for_each(|item| item.playback.looping = Looping::Close { transition: 0.3 });
    let motion = chain.build(character.clone()).unwrap();
    assert_eq!(sampled(&motion, 0.0).pose, character.bind_pose());
    let mut first = Pose::default();
    character.clips[WALK].sample(&character.skeleton, 0.0, &mut first);
    for time in [1.0, 1.1, 1.25] {
        assert_eq!(sampled(&motion, time).pose, first);
    }
    let (angle, distance) = largest_step(&motion, 8.0, 1.0 / 480.0);
    assert!(angle < 0.02 && distance < 0.02, "{angle} {distance}");
    assert!((sampled(&motion, 7.0).pose.locals[1].rotation.angle() - 0.5).abs() < 1e-12);
    let unknown = Chain::from_names(&character, &[("Jump", None)]).unwrap_err().to_string();
    assert_eq!(unknown, "no clip is named \"Jump\"; the clips are: Walk, Run, Idle");
}

#[test]
fn a_player_that_is_interrupted_in_a_cross_fade_does_not_jump() {
    let motion = Motion::from_clip(character(), Playback::new(IDLE), RootMotion::Accumulate).unwrap();
    let mut player = Player::new(motion);
    let (mut before, mut after) = (MotionSample::default(), MotionSample::default());
    player.sample(&mut before);
    let closed = |clip| Playback::new(clip).with_looping(Looping::Close { transition: 0.3 });
    for k in 0..2000 {
        // A switch every 0.11 s, during cross-fades of 0.3 s.
        if k % 53 == 52 {
            player.play(closed([WALK, IDLE, RUN][k / 53 % 3]), Transition::default()).unwrap();
        }
        player.advance(1.0 / 480.0).unwrap();
        player.sample(&mut after);
        for (a, b) in before.pose.locals.iter().zip(&after.pose.locals) {
            assert!(angle_between(&a.rotation, &b.rotation) < 0.06, "{k}");
        }
        assert!((after.world[0].origin() - before.world[0].origin()).norm() < 1.05 * 5.0 / 480.0, "{k}");
        std::mem::swap(&mut before, &mut after);
    }
    assert!(player.motion().layers.len() < 6, "{}", player.motion().layers.len());
}

#[test]
fn a_player_equals_the_motion_with_the_same_switches() {
    let start = || Motion::from_clip(character(), Playback::new(WALK), RootMotion::Accumulate).unwrap();
    let (mut player, mut motion) = (Player::new(start()), start());
    for (clip, duration) in [(IDLE, 1.3), (WALK, 1.0), (RUN, 0.9)] {
        player.advance(duration).unwrap();
        player.play(Playback::new(clip), Transition::default()).unwrap();
        motion.play(player.time(), Playback::new(clip), Transition::default()).unwrap();
    }
    player.advance(0.7).unwrap();
    let (mut ours, theirs) = (MotionSample::default(), sampled(&motion, player.time()));
    player.sample(&mut ours);
    assert_eq!((ours.pose, ours.world), (theirs.pose, theirs.world));
}

#[test]
fn rejects_numbers_out_of_range() {
    let start = |playback| Motion::from_clip(character(), playback, RootMotion::Keep);
    assert!(start(Playback::new(9)).is_err());
    for speed in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(start(Playback::new(WALK).with_speed(speed)).is_err());
    }
    for transition in [-1.0, f64::NAN] {
        assert!(start(Playback::new(WALK).with_looping(Looping::Close { transition })).is_err());
    }
    let mut motion = start(Playback::new(WALK)).unwrap();
    let transition = |fade| Transition { fade, match_phase: true };
    assert!(motion.play(1.0, Playback::new(RUN), transition(f64::NAN)).is_err());
    assert!(motion.play(-1.0, Playback::new(RUN), transition(0.1)).is_err());
    assert!(motion.play(f64::NAN, Playback::new(RUN), transition(0.1)).is_err());
    assert!(Player::new(motion).advance(-1.0).is_err());
}

proptest! {
    #[test]
    fn every_time_gives_a_finite_sample_whatever_was_sampled_before(
        times in prop::collection::vec(any::<f64>(), 1..6),
        fade in 0.0..2.0f64,
        speed in 0.01..9.0f64,
    ) {
        let mut motion = Motion::from_clip(character(), Playback::new(WALK), RootMotion::Extract).unwrap();
        let transition = Transition { fade, match_phase: true };
        motion.play(0.7, Playback::new(RUN).with_speed(speed), transition).unwrap();
        let mut reused = MotionSample::default();
        for time in times.into_iter().chain([0.7, 0.7 + fade, f64::INFINITY]) {
            motion.sample(time, &mut reused);
            let fresh = sampled(&motion, time);
            prop_assert!(reused.pose.is_finite() && reused.displacement.norm().is_finite());
            prop_assert_eq!(&reused.pose, &fresh.pose);
            prop_assert_eq!(&reused.world, &fresh.world);
            prop_assert_eq!(reused.displacement, fresh.displacement);
        }
    }

    #[test]
    fn speed_scales_time(speed in 0.1..5.0f64, time in 0.0..10.0f64) {
        let at = |speed: f64, time: f64| {
            let looping = Looping::Overlap { transition: 0.3 };
            let playback = Playback::new(WALK).with_speed(speed).with_looping(looping);
            let motion = Motion::from_clip(character(), playback, RootMotion::Accumulate).unwrap();
            sampled(&motion, time).world[0].origin()
        };
        prop_assert!((at(speed, time) - at(1.0, speed * time)).norm() < 1e-9);
    }
}
