//! Tethers: they keep a hung cloth from sagging where few passes would let it, and shorten none.

use cloth_solver::{Attachment, ClothDesc, Settings, Simulation, Tethers};
use nalgebra::Point3;

use crate::ids::cloth_id;
use crate::scenes::{airless, alone, bare, cotton, furthest, last_corners, run, sheet, upright, weightless};

/// The mode of a game: a step is a substep or two.
pub(crate) fn game(substeps: u32, iterations: u32) -> Settings {
    Settings { substeps, iterations, stretch_cycles: 1, detect_interval: 1, ..bare() }
}

/// Takes `steps` steps of 1/30 s.
pub(crate) fn run_30hz(sim: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        sim.step(1.0 / 30.0).unwrap();
    }
}

/// The relative stretch of the edges along warp and weft of an upright sheet of `n` x `n`, ascending.
pub(crate) fn stretch_along_threads(now: &[Point3<f32>], n: usize, size: f32) -> Vec<f32> {
    let rest = size / (n - 1) as f32;
    let edge = |a: usize, b: usize| (now[a] - now[b]).norm() / rest - 1.0;
    let mut stretch: Vec<f32> = (0..n * n)
        .flat_map(|v| [(v % n + 1 < n).then(|| edge(v, v + 1)), (v + n < n * n).then(|| edge(v, v + n))])
        .flatten()
        .collect();
    stretch.sort_by(f32::total_cmp);
    stretch
}

fn hung(n: usize, tethers: Option<Tethers>) -> ClothDesc {
    let mut cloth = cotton(upright(n, 1.0));
    cloth.pins = last_corners(n);
    cloth.tethers = tethers;
    cloth
}

/// The 99th percentile of stretch along threads: the worst of the last second of four.
fn worst_p99(n: usize, settings: Settings, tethers: Option<Tethers>) -> f32 {
    let mut sim = alone(settings, hung(n, tethers));
    run_30hz(&mut sim, 90);
    let p99 = |sim: &mut Simulation| {
        run_30hz(sim, 1);
        let stretch = stretch_along_threads(sim.positions(), n, 1.0);
        stretch[stretch.len() * 99 / 100]
    };
    (0..30).map(|_| p99(&mut sim)).fold(0.0, f32::max)
}

#[test]
fn a_hung_sheet_of_a_game_keeps_its_length() {
    for (substeps, iterations) in [(1, 4), (1, 8), (2, 4), (2, 8)] {
        let settings = Settings { self_collision: false, stretch_cycles: 3, ..game(substeps, iterations) };
        let without = worst_p99(40, settings, None);
        let with = worst_p99(40, settings, Some(Tethers::default()));
        eprintln!(
            "{substeps} x {iterations}: p99 {:.2} % with, {:.2} % without",
            100.0 * with,
            100.0 * without
        );
        assert!(with < 0.03 && with < 0.5 * without, "{substeps} x {iterations}: {with}, without {without}");
    }
}

#[test]
fn tethers_move_no_bit_of_a_cloth_at_rest() {
    let run_with = |tethers| {
        let mut cloth = cotton(sheet(12, 0.4));
        cloth.pins = vec![0, 11, 70];
        cloth.tethers = tethers;
        let mut sim = alone(weightless(), cloth);
        run(&mut sim, 20);
        sim.state_hash()
    };
    assert_eq!(run_with(Some(Tethers { max_stretch: 1e-4, ..Tethers::default() })), run_with(None));
}

#[test]
fn a_sheet_that_falls_from_its_pins_hangs_by_tethers_alone() {
    // Springs next to none: only the tethers, of one anchor each, hold.
    let mut cloth = hung(8, Some(Tethers { max_stretch: 0.1, anchors: 1, compliance: 0.0 }));
    (cloth.material.stretch_warp, cloth.material.stretch_weft) = (1e-6, 1e-6);
    (cloth.material.shear, cloth.material.bend) = (0.0, 0.0);
    let mut sim = alone(Settings { self_collision: false, ..bare() }, cloth.clone());
    run(&mut sim, 300);
    let corners = last_corners(8).into_iter().map(|v| v as usize);
    for v in 0..64 {
        let nearest = corners
            .clone()
            .map(|c| {
                let rest = (cloth.mesh.positions[c] - cloth.mesh.positions[v]).norm() as f32;
                (rest, (sim.positions()[v] - sim.positions()[c]).norm())
            })
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .unwrap();
        let (rest, now) = nearest;
        // The paths of the tethers are at most a tenth too long on so coarse a grid, and the give is another
        // tenth.
        assert!(now <= 1.22 * rest, "{v}: {now} of {rest}");
        assert!(now >= 1.09 * rest, "{v}: {now} of {rest}: something else holds it");
    }
}

#[test]
fn attached_vertices_are_anchors_as_pinned_ones_are() {
    let lowest = |tethers| {
        let mut cloth = hung(20, tethers);
        let attach = |&v: &u32| Attachment {
            vertex: v,
            target: cloth.mesh.positions[v as usize].cast(),
            compliance: 0.0,
        };
        cloth.attachments = cloth.pins.iter().map(attach).collect();
        cloth.pins.clear();
        let mut sim = alone(Settings { self_collision: false, ..game(1, 2) }, cloth);
        run_30hz(&mut sim, 120);
        sim.positions().iter().map(|p| p.y).fold(f32::INFINITY, f32::min)
    };
    let (with, without) = (lowest(Some(Tethers::default())), lowest(None));
    assert!(with > without + 0.01, "{with} m, without {without} m");
}

#[test]
fn tethers_follow_the_pins_that_come_and_go() {
    let mut cloth = hung(10, Some(Tethers::default()));
    cloth.pins.clear();
    let mut sim = alone(Settings { self_collision: false, ..game(1, 2) }, cloth.clone());
    run_30hz(&mut sim, 3);
    for v in last_corners(10) {
        sim.pin(cloth_id(0), v).unwrap();
    }
    let snapshot = sim.snapshot();
    run_30hz(&mut sim, 60);
    let hash = sim.state_hash();
    // The same in a simulation built without pins, which has to rebuild its tethers.
    let mut other = alone(Settings { self_collision: false, ..game(1, 2) }, cloth.clone());
    other.restore(&snapshot).unwrap();
    run_30hz(&mut other, 60);
    assert_eq!(other.state_hash(), hash);
    // And it is the tethers that make the difference.
    cloth.tethers = None;
    let mut without = alone(Settings { self_collision: false, ..game(1, 2) }, cloth);
    run_30hz(&mut without, 3);
    for v in last_corners(10) {
        without.pin(cloth_id(0), v).unwrap();
    }
    run_30hz(&mut without, 60);
    assert!(furthest(without.positions(), other.positions()) > 0.01);
    // Set free again, nothing holds it.
    for v in last_corners(10) {
        sim.set_mass(cloth_id(0), v, 1e-3).unwrap();
    }
    let before = sim.positions()[0].y;
    run_30hz(&mut sim, 30);
    assert!(sim.positions()[0].y < before - 3.0);
}

#[test]
fn a_snapshot_remembers_what_was_tied_to_what() {
    let mut sim = alone(airless(), hung(8, Some(Tethers::default())));
    run(&mut sim, 5);
    let snapshot = sim.snapshot();
    run(&mut sim, 10);
    let first = sim.state_hash();
    sim.pin(cloth_id(0), 20).unwrap();
    run(&mut sim, 3);
    sim.restore(&snapshot).unwrap();
    run(&mut sim, 10);
    assert_eq!(sim.state_hash(), first);
}

#[test]
fn a_step_that_fails_leaves_a_tethered_cloth_as_it_was() {
    let mut sim = alone(game(1, 1), hung(6, Some(Tethers::default())));
    run_30hz(&mut sim, 5);
    let before = sim.state_hash();
    assert!(sim.step(1e-40).is_err());
    assert_eq!(sim.state_hash(), before);
}
