//! Capes on characters: how far two and four attachments let them stretch, and that a switch of clips does
//! not kick them.

use std::sync::Arc;

use cloth_character::{Affine, Character, ProxyOptions, fit_proxies};
use cloth_contacts::intersect::Checker;
use cloth_io::read_character;
use cloth_scene::{CharacterBody, MeasuredEdge};
use cloth_show::human::{FittedCharacter, human};
use cloth_show::invariants::SkinObserver;
use cloth_solver::Simulation;
use cloth_verify::Size;
use cloth_verify::scenario::Setup;
use cloth_verify::scenarios::cape::{CapeJoints, CapeScene, Hold};
use cloth_verify::scenarios::cape_walk_with;
use nalgebra::Point3;

use cloth_testing::corpus;

/// Plays a scene and visits every frame, the time at its end (s) first.
fn play(setup: &mut Setup, mut visit: impl FnMut(f64, &Simulation, &[Point3<f32>])) {
    let mut sim = setup.scene.build(setup.scene.settings).expect("a scene");
    let wearer = setup.wearer.as_mut().expect("a character");
    for frame in 0..setup.frames {
        let times = [frame, frame + 1].map(|k| k as f64 * f64::from(setup.dt));
        let waypoints =
            wearer.move_through(&mut sim, times, setup.scene.settings.substeps).expect("its own scene");
        sim.step_through(setup.dt, &waypoints, &mut |_| {}).expect("a step");
        visit(times[1], &sim, wearer.skin_positions());
    }
}

/// How far a cape stretches: in its most stretched thread, in the 99th percentile of them, and in the column
/// of threads, from hem to top, that is longest against its rest length; lengthening alone, 0.1 for 10 %.
#[derive(Clone, Copy, Debug, Default)]
struct Elongation {
    thread: f64,
    p99: f64,
    column: f64,
}

impl Elongation {
    fn measure(positions: &[Point3<f32>], threads: &[MeasuredEdge], across: u32) -> Self {
        let length = |edge: &MeasuredEdge| {
            let [a, b] = edge.ends.map(|v| positions[v as usize].cast::<f64>());
            (b - a).norm()
        };
        let mut stretch: Vec<f64> = threads.iter().map(|e| length(e) / e.rest - 1.0).collect();
        stretch.sort_by(f64::total_cmp);
        let column = |column: u32| {
            let down =
                |e: &&MeasuredEdge| e.ends[0].abs_diff(e.ends[1]) == across && e.ends[0] % across == column;
            let [now, rest] =
                threads.iter().filter(down).fold([0.0; 2], |[now, rest], e| [now + length(e), rest + e.rest]);
            now / rest - 1.0
        };
        Self {
            thread: stretch[stretch.len() - 1],
            p99: stretch[(stretch.len() * 99).div_ceil(100) - 1],
            column: (0..across).map(column).fold(0.0, f64::max),
        }
    }

    fn max(self, other: Self) -> Self {
        Self {
            thread: self.thread.max(other.thread),
            p99: self.p99.max(other.p99),
            column: self.column.max(other.column),
        }
    }
}

/// The worst over all frames.
fn elongation(setup: &mut Setup, across: u32) -> Elongation {
    let threads = setup.measured.threads.clone();
    let mut worst = Elongation::default();
    play(setup, |_, sim, _| {
        worst = worst.max(Elongation::measure(sim.positions(), &threads, across));
    });
    worst
}

#[test]
fn four_attachments_let_a_cape_stretch_less_than_two() {
    compare_holds(Size::Small, 17, |elongation| elongation.column);
}

#[test]
fn four_attachments_stretch_a_medium_cape_less_than_two() {
    // The mean of the columns is 1.3 % in both; the longest threads differ.
    compare_holds(Size::Medium, 29, |elongation| elongation.p99);
}

/// Plays `cape-walk` with both holds; the cape has this many vertices across, and `second` is compared
/// besides the longest thread.
fn compare_holds(size: Size, across: u32, second: fn(&Elongation) -> f64) {
    let [four, two] = [Hold::Four, Hold::Two].map(|hold| {
        let mut setup = cape_walk_with(size, hold).expect("a scene");
        elongation(&mut setup, across)
    });
    println!("four points {four:?}, two points {two:?}");
    assert!(four.thread <= 0.10, "{four:?}");
    assert!(two.thread > four.thread && second(&two) > second(&four), "{two:?} {four:?}");
}

/// No kick: when a walk fades into standing, the cape never has more energy than in the walk.
#[test]
fn a_switch_from_walking_to_standing_adds_no_energy() {
    const SWITCH: f64 = 3.4;
    let walking = cape_walk_with(Size::Small, Hold::Four).expect("a scene");
    let scene = CapeScene {
        character: human().expect("a character"),
        joints: CapeJoints::HUMAN,
        settings: walking.scene.settings,
        kind: CharacterBody::Proxies,
        hold: Hold::Four,
        clips: vec![("idle", 0.4), ("walk", SWITCH - 0.9), ("idle", 1.5)],
    };
    let mut setup = scene.build([17, 23]).expect("a scene");
    let [mut steady, mut after, mut at_rest] = [0.0_f64; 3];
    play(&mut setup, |time, sim, _| {
        let energy = sim.kinetic_energy();
        let slot = match time {
            t if t < SWITCH - 1.4 => return,
            t if t < SWITCH => &mut steady,
            t if t < SWITCH + 1.0 => &mut after,
            _ => &mut at_rest,
        };
        *slot = slot.max(energy);
    });
    println!("steady walk {steady} J, second after the switch {after} J, then {at_rest} J");
    assert!(steady > 0.05, "the cape moves: {steady} J");
    assert!(after <= steady, "a kick: {after} J after {steady} J");
    assert!(at_rest < 0.2 * steady, "it comes to rest: {at_rest} J after {steady} J");
}

/// CesiumMan with proxies, and the joints that a cape needs, which have no names in the file: the arms begin
/// at the joints that branch off highest.
fn cesium_man() -> Option<(FittedCharacter, [String; 3])> {
    let path = corpus("characters")?.join("khronos/CesiumMan.glb");
    let mut character: Character = read_character(&path).expect("a character").character;
    for mesh in &mut character.meshes {
        *mesh = mesh.merge_vertices().0;
    }
    let mut world: Vec<Affine> = Vec::new();
    let skeleton = &character.skeleton;
    skeleton.compute_world(&character.bind_pose(), &mut world);
    let place = |joint: usize| world[joint].origin();
    let forks = (0..skeleton.len()).filter(|&joint| skeleton.children(joint).count() == 3);
    let spine = forks.max_by(|&a, &b| place(a).y.total_cmp(&place(b).y)).expect("an upper spine");
    let mut children: Vec<usize> = skeleton.children(spine).collect();
    // It looks along x, so that its left arm is at the least z, and the neck in between.
    children.sort_by(|&a, &b| place(a).z.total_cmp(&place(b).z));
    let labels = [children[0], spine, children[2]].map(|joint| skeleton.label(joint));
    let fitted = fit_proxies(&character, &ProxyOptions { max_proxies: 30, ..ProxyOptions::default() });
    let character = FittedCharacter { character: Arc::new(character), fitted: fitted.expect("proxies") };
    Some((character, labels))
}

#[test]
fn cesium_mans_cape_is_clean_at_two_and_at_four_points() {
    let Some((character, [left, spine, right])) = cesium_man() else { return };
    let clip = character.character.clips[0].name().to_owned();
    let joints = CapeJoints { arms: [&left, &right], holders: [&spine; 3] };
    let [four, two] = [Hold::Four, Hold::Two].map(|hold| {
        let mut settings = cape_walk_with(Size::Small, Hold::Four).expect("a scene").scene.settings;
        // From behind and from the left, as in the scenario.
        settings.wind.velocity = nalgebra::Vector3::new(1.6, 0.0, 1.0);
        let clips = vec![(clip.as_str(), 2.5)];
        let scene =
            CapeScene { character: &character, joints, settings, kind: CharacterBody::Proxies, hold, clips };
        let mut setup = scene.build([29, 37]).expect("a scene");
        let (count, faces) = (setup.scene.vertex_count(), setup.scene.faces_by_cloth().concat());
        let skin_faces = setup.wearer.as_ref().expect("a character").skin_faces();
        let mut observer = SkinObserver::new(faces.clone(), count, skin_faces).expect("surfaces");
        let topology = cloth_geom::Topology::new(count, &faces).expect("a surface");
        let threads = setup.measured.threads.clone();
        let (mut checker, mut worst, mut depth) = (Checker::default(), Elongation::default(), 0.0_f64);
        play(&mut setup, |time, sim, skin| {
            let x = &sim.positions()[..count];
            let exact: Vec<Point3<f64>> = x.iter().map(|p| p.cast()).collect();
            let found = checker.check(&exact, &topology).expect("finite").count();
            assert_eq!(found, 0, "{hold:?} at {time} s");
            assert!(sim.released().is_empty(), "{hold:?} at {time} s");
            worst = worst.max(Elongation::measure(x, &threads, 29));
            depth = depth.max(observer.observe(x, skin).expect("finite").depth);
        });
        println!("CesiumMan, {hold:?}: {worst:?}, {:.1} mm below the skin", 1e3 * depth);
        worst
    });
    // Single threads between held vertices and the thick arms stretch by more than that; the cape as a whole
    // does not. Which of the two stretches more is chance.
    assert!(four.column <= 0.10 && two.column <= 0.10, "{two:?} {four:?}");
}
