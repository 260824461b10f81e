//! Pins that begin, move, end and are released, alone and in simulations that share their scene.

use std::fs;
use std::path::Path;

use cloth_scene::{
    BuiltScene, Keyframe, Pin, PinEventKind, PinPlace, PinRelease, Rotation, Scene, SceneSource, pose_at,
};
use cloth_solver::{Settings, Simulation, Wind};
use nalgebra::{Point3, Vector3};
use tempfile::TempDir;

/// Frames of a power of two, so that their times are exact.
const DT: f64 = 1.0 / 64.0;

/// An upright sheet of 5 x 5 vertices and 0.2 m, its corner 0 at (0, 1, 0), and a tetrahedron far below.
fn files() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |i: usize| format!("v {} {} 0\n", 0.05 * (i % 5) as f64, 1.0 - 0.05 * (i / 5) as f64);
    let cell = |i: usize| format!("f {} {} {}\nf {} {} {}\n", i, i + 5, i + 1, i + 1, i + 5, i + 6);
    let cells = (1..20).filter(|i| i % 5 != 0).map(cell);
    let sheet: String = (0..25).map(at).chain(cells).collect();
    fs::write(folder.path().join("towel.obj"), sheet).unwrap();
    let rock = "v 0 0 0\nv .2 0 0\nv .1 0 .2\nv .1 .3 .1\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n";
    fs::write(folder.path().join("rock.obj"), rock).unwrap();
    folder
}

/// A towel with these pins, without air and teleports.
struct Run {
    _folder: TempDir,
    settings: Settings,
    scene: BuiltScene,
    sim: Simulation,
    frame: usize,
}

impl Run {
    fn new(pins: &str) -> Self {
        Self::with_limit(pins, 100.0)
    }

    /// With another velocity limit (m/s).
    fn with_limit(pins: &str, velocity_limit: f32) -> Self {
        let folder = files();
        let path = folder.path().join("scene.toml");
        let text = format!(
            "[settings]\ndt = {DT}\nteleport = false\n[[garment]]\nmesh = \"towel.obj\"\n\
             tethers = true\npins = [{pins}]\n[[body]]\nname = \"rock\"\nkind = \"mesh\"\npath = \"rock.obj\"\n\
             motion = [{{ time = 0, translate = [5, 0, 0] }}, {{ time = 1, translate = [5, 1, 0], rotate = \
             {{ axis = [0, 1, 0], degrees = 90 }} }}]\n"
        );
        let scene = Scene::parse(&path, &text).unwrap().build(&SceneSource::File(path)).unwrap();
        let settings = Settings { threads: 1, wind: Wind::VACUUM, velocity_limit, ..scene.desc.settings };
        let sim = scene.desc.build(settings).unwrap();
        Self { _folder: folder, settings, scene, sim, frame: 0 }
    }

    /// Runs until a time (s), and names the frames that began with an event.
    fn until(&mut self, time: f64) -> Vec<(usize, usize, PinEventKind)> {
        let mut events = Vec::new();
        while (self.frame as f64) * DT < time {
            step(&mut self.scene, &mut self.sim, self.frame);
            self.frame += 1;
            let seen = self.scene.pin_events().iter().map(|e| (self.frame, e.pin, e.kind));
            events.extend(seen);
        }
        events
    }

    fn at(&self, vertex: usize) -> Point3<f32> {
        self.sim.positions()[vertex]
    }
}

/// Takes the step of a frame, counted from 0.
fn step(scene: &mut BuiltScene, sim: &mut Simulation, frame: usize) {
    let times = [frame, frame + 1].map(|frame| frame as f64 * DT);
    let waypoints = scene.move_through(sim, times).unwrap();
    sim.step_through(DT as f32, &waypoints, &mut |_| {}).unwrap();
}

#[test]
fn a_pin_has_a_time_a_motion_and_a_release() {
    let pins = |text: &str| {
        let scene = Scene::parse(Path::new("s.toml"), &format!("[[garment]]\nmesh = \"a\"\npins = [{text}]"));
        scene.map_err(|e| e.to_string())
    };
    let text = "{ vertex = 1, from = 0.25, until = 0.5, release = { force = 20 } }, { vertex = 2, motion = \
                [{ time = 0 }, { time = 1, translate = [0, 0.1, 0] }], release = { distance = 0.05 } }";
    let scene = pins(text).unwrap();
    let [timed, moved] = &scene.garments[0].pins[..] else { panic!("two pins") };
    let release = Some(PinRelease::Force(20.0));
    let expected = Pin { from: Some(0.25), until: Some(0.5), release, ..PinPlace::Vertex(1).into() };
    assert_eq!(*timed, expected);
    assert_eq!((moved.motion.len(), moved.release), (2, Some(PinRelease::Distance(0.05))));
    assert_eq!(Scene::parse(Path::new("s.toml"), &scene.to_toml().unwrap()).unwrap(), scene);
    for (wrong, named) in [
        ("from = 0.5, until = 0.5", "must end after it begins, found `from` 0.5 s and `until` 0.5 s"),
        ("until = 0", "must end after it begins"),
        ("from = -1", "zero or positive"),
        ("until = inf", "finite"),
        ("follow = \"body\", motion = [{ time = 0 }]", "cannot have a `motion` and `follow` a body"),
        ("motion = [{ time = 1 }, { time = 0 }]", "must have keyframes in the order of time"),
        (
            "motion = [{ time = 0 }, { time = 1, rotate = { axis = [0, 1, 0], degrees = 180 } }]",
            "must turn less than 180 degrees",
        ),
        ("release = { force = 0 }", "must be positive"),
        ("release = { force = 1, distance = 1 }", "release"),
        ("release = {}", "release"),
        (
            "release = { speed = 1 }",
            "unknown word `speed` for `garment.pins.release`; known are: distance, force",
        ),
    ] {
        let error = pins(&format!("{{ vertex = 1, {wrong} }}")).unwrap_err();
        assert!(error.starts_with("s.toml:3:") && error.contains(named), "{wrong}: {error}");
    }
}

#[test]
fn a_pin_lets_go_at_the_end_of_its_last_frame() {
    for keys in
        ["until = 0.49", "until = 0.5", "until = 0.5, compliance = 0", "until = 0.5, release = { force = 9 }"]
    {
        let mut run = Run::new(&format!("{{ vertex = 0, {keys} }}"));
        let start = run.at(0);
        assert_eq!(run.until(0.5), [], "{keys}");
        assert!((run.at(0) - start).norm() < 1e-6, "{keys}: held in the frame that ends at 0.5 s");
        let lowest = run.sim.positions()[..25].iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
        assert_eq!(run.until(0.75), [(33, 0, PinEventKind::Ended)], "{keys}");
        let fallen = start.y - run.at(0).y;
        // Free fall for a quarter of a second is 0.31 m; the corner is pulled down by what hangs on it.
        assert!((0.25..0.6).contains(&fallen) && lowest > 0.6, "{keys}: {fallen} m, {lowest} m");
    }
}

#[test]
fn a_pin_takes_its_vertices_where_they_are_without_a_jump() {
    for keys in ["", ", compliance = 0"] {
        let mut run = Run::new(&format!("{{ vertex = 0, from = 0.25, until = 0.5{keys} }}"));
        assert_eq!(run.until(0.25), [], "{keys}");
        let taken = run.at(0);
        assert!((0.28..0.32).contains(&(1.0 - taken.y)), "{taken}: it fell freely");
        assert_eq!(run.until(0.5), [(17, 0, PinEventKind::Taken)], "{keys}");
        assert!((run.at(0) - taken).norm() < 1e-6, "{} for {taken}", run.at(0));
        assert_eq!(run.until(0.625), [(33, 0, PinEventKind::Ended)], "{keys}");
        assert!(run.at(0).y < taken.y - 0.05);
    }
}

#[test]
fn a_pin_moves_its_vertices_as_if_glued_to_a_body() {
    let motion = "motion = [{ time = 0, translate = [0, 1, 0], rotate = { axis = [0, 0, 1], degrees = 90 } }, \
                  { time = 1, translate = [0.5, 1.5, 0] }]";
    let rotate = Some(Rotation { axis: [0.0, 0.0, 1.0], degrees: 90.0 });
    let keyframes = [
        Keyframe { time: 0.0, translate: [0.0, 1.0, 0.0], rotate },
        Keyframe { time: 1.0, translate: [0.5, 1.5, 0.0], rotate: None },
    ];
    for (keys, begins) in [("", 0.0), (", from = 0.25", 0.25), (", from = 0.25, compliance = 0", 0.25)] {
        let mut run =
            Run::new(&format!("{{ vertex = 0 {keys}, {motion} }}, {{ vertex = 4 {keys}, {motion} }}"));
        run.until(begins);
        let taken = [run.at(0), run.at(4)];
        run.until(begins + DT);
        assert!((run.at(0) - taken[0]).norm() < 0.03, "{keys}: no jump");
        for time in [0.5, 1.0] {
            run.until(time);
            let [now, then] = [time, begins].map(|time| pose_at(&keyframes, time));
            let motion = now.relative_to(&then);
            for (v, taken) in [0, 4].into_iter().zip(taken) {
                let wanted = motion.rotation * taken.cast::<f64>() + motion.translation;
                let found = run.at(v).cast::<f64>();
                assert!((found - wanted).norm() < 1e-6, "{keys} at {time} s: {found} for {wanted}");
            }
        }
    }
    let mut run = Run::new(&format!("{{ vertex = 0, {motion} }}"));
    run.until(1.0);
    // The hand is at (0, 1, 0) with the vertex; it goes half a metre to the right and up.
    assert!((run.at(0) - Point3::new(0.5, 1.5, 0.0)).norm() < 1e-6, "{}", run.at(0));
}

#[test]
fn a_pin_is_released_by_the_force_that_it_bears() {
    let pins = |limit: f64| {
        format!("{{ min = [-1, 0.99, -1], max = [1, 1.01, 1], release = {{ force = {limit} }} }}")
    };
    // 0.04 m2 of cotton, 0.15 kg/m2.
    let weight = 9.81 * 0.15 * 0.04;
    let mut run = Run::new(&pins(1.5 * weight));
    assert_eq!(run.until(3.0), [], "1.5 times its weight holds it");
    let force: Vector3<f32> = (0..5).map(|i| run.sim.attachment(i).unwrap().force).sum();
    assert!((f64::from(force.norm()) / weight - 1.0).abs() < 0.01, "{force} for {weight} N");
    let mut run = Run::new(&pins(0.5 * weight));
    let events = run.until(1.0);
    let [(frame, 0, PinEventKind::Released(PinRelease::Force(force)))] = events[..] else {
        panic!("{events:?}")
    };
    assert!(frame > 1 && frame < 8 && (0.5..2.0).contains(&(force / weight)), "frame {frame}: {force} N");
    assert!(run.sim.positions()[..25].iter().all(|p| p.y < 0.5), "all of it has fallen");
}

#[test]
fn a_pin_is_released_where_it_lags_behind_its_target() {
    let keys =
        "motion = [{ time = 0 }, { time = 0.5, translate = [0, 2, 0] }], release = { distance = 0.25 }";
    // 4 m/s, of which the limit lets it go 2: half a second of that are 1 m.
    for (limit, is_released) in [(2.0, true), (8.0, false)] {
        let mut run = Run::with_limit(&format!("{{ vertex = 0, {keys} }}"), limit);
        let events = run.until(0.5);
        match events[..] {
            [(frame, 0, PinEventKind::Released(PinRelease::Distance(metres)))] => {
                assert!(is_released && (0.25..0.29).contains(&metres) && frame == 10, "{frame}: {metres} m");
            }
            _ => assert!(!is_released && events.is_empty(), "{limit} m/s: {events:?}"),
        }
    }
}

#[test]
fn what_several_pins_hold_is_let_go_by_the_last() {
    let pins = "{ vertex = 0, until = 0.25 }, { vertex = 0, from = 0.125, until = 0.5 }, 4, { vertex = 4, until = 0.25 }, \
                { vertex = 0, from = 0.75 }";
    let mut run = Run::new(pins);
    let start = [run.at(0), run.at(4)];
    assert_eq!(run.until(0.25), [(9, 1, PinEventKind::Taken)]);
    assert_eq!(run.until(0.5), [(17, 0, PinEventKind::Ended), (17, 3, PinEventKind::Ended)]);
    assert_eq!([run.at(0), run.at(4)], start);
    assert_eq!(run.until(0.75), [(33, 1, PinEventKind::Ended)]);
    let taken = run.at(0);
    assert_eq!(run.until(0.875), [(49, 4, PinEventKind::Taken)]);
    assert!(taken.y < start[0].y - 0.05 && run.at(0) == taken && run.at(4) == start[1]);
}

#[test]
fn a_pin_that_begins_later_follows_a_body_from_there() {
    for keys in ["", ", compliance = 0"] {
        let mut run =
            Run::new(&format!("{{ vertex = 0, from = 0.25, until = 0.75, follow = \"rock\"{keys} }}"));
        run.until(0.25);
        // The rock turns about y as it rises; the place that is seen from it stays.
        let seen = |run: &Run| {
            let [a, b, c] = [25, 26, 27].map(|v| run.at(v).cast::<f64>());
            let (u, w) = ((b - a).normalize(), (b - a).cross(&(c - a)).normalize());
            let apart = run.at(0).cast::<f64>() - a;
            Vector3::new(apart.dot(&u), apart.dot(&w), apart.dot(&u.cross(&w)))
        };
        let (taken, place) = (seen(&run), run.at(0));
        run.until(0.25 + DT);
        assert!((run.at(0) - place).norm() < 0.2, "5 m away, and 90 degrees in a second: {}", run.at(0));
        run.until(0.75);
        assert!((seen(&run) - taken).norm() < 1e-4, "{keys}: {} for {taken}", seen(&run));
        assert!((run.at(0) - place).norm() > 1.0, "it has gone far");
        run.until(0.8);
        assert!((seen(&run) - taken).norm() > 1e-3, "{keys}: it is free");
    }
}

/// Pins of every kind, of which one is released.
const ALL: &str = "{ vertex = 0, until = 0.5, motion = [{ time = 0 }, { time = 0.5, translate = [0, 0.3, 0] }] }, \
                   { vertex = 4, from = 0.25, compliance = 0.001, motion = [{ time = 0 }, { time = 1, \
                   translate = [0.2, 0, 0.1] }] }, { vertex = 24, from = 0.125, until = 0.625, follow = \"rock\" \
                   }, { vertex = 20, from = 0.0625, release = { force = 0.01 } }";

#[test]
fn a_snapshot_goes_on_with_the_pins_in_another_simulation() {
    let mut run = Run::new(ALL);
    let start = run.sim.snapshot();
    let mut events = run.until(0.375);
    let (snapshot, frame) = (run.sim.snapshot(), run.frame);
    let mut plain = Vec::new();
    while run.frame < 64 {
        events.extend(run.until((run.frame + 1) as f64 * DT));
        plain.push(run.sim.state_hash());
    }
    let kinds = |wanted: fn(&PinEventKind) -> bool| events.iter().filter(|(_, _, kind)| wanted(kind)).count();
    let released = kinds(|kind| matches!(kind, PinEventKind::Released(_)));
    assert_eq!((kinds(|k| *k == PinEventKind::Taken), kinds(|k| *k == PinEventKind::Ended)), (3, 2));
    assert_eq!(released, 1, "{events:?}");
    // One scene for two simulations in turn: one from the snapshot, one from the start.
    let [mut other, mut again] = [0, 1].map(|_| run.scene.desc.build(run.settings).unwrap());
    other.restore(&snapshot).unwrap();
    again.restore(&start).unwrap();
    (0..frame).for_each(|frame| step(&mut run.scene, &mut again, frame));
    for (frame, plain) in (frame..).zip(&plain) {
        for sim in [&mut other, &mut again] {
            step(&mut run.scene, sim, frame);
            assert_eq!(sim.state_hash(), *plain, "frame {frame}");
        }
    }
    assert_eq!(other.snapshot().difference(&again.snapshot()), None);
}

#[test]
fn a_reset_gives_every_pin_its_time_again() {
    let mut run = Run::new(ALL);
    let hashes = |run: &mut Run| -> Vec<u64> {
        run.frame = 0;
        let mut hashes = Vec::new();
        while run.frame < 48 {
            run.until((run.frame + 1) as f64 * DT);
            hashes.push(run.sim.state_hash());
        }
        hashes
    };
    let start = run.sim.snapshot();
    let first = hashes(&mut run);
    run.sim.restore(&start).unwrap();
    assert_eq!(hashes(&mut run), first);
    run.sim.reset();
    // A reset leaves bodies where they are: back to their start before the first frame.
    let rock = run.sim.mesh_body_id(0).unwrap();
    let places: Vec<_> = run.scene.desc.mesh_bodies[0].mesh.positions.iter().map(|p| p.cast()).collect();
    run.sim.teleport_body(rock, &places).unwrap();
    assert_eq!(hashes(&mut run), first);
}

#[test]
fn a_pin_that_a_caller_has_unpinned_stays_free() {
    let mut run =
        Run::new("{ vertex = 0, until = 0.5, motion = [{ time = 0 }, { time = 1, translate = [0, 1, 0] }] }");
    run.until(0.125);
    let cloth = run.sim.cloth_id(0).unwrap();
    run.sim.unpin_all(cloth, &[0]).unwrap();
    assert_eq!(run.until(0.625), [(33, 0, PinEventKind::Ended)]);
    assert!(run.at(0).y < 0.5, "{}", run.at(0));
}
