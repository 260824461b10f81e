//! Layers in an authored order: they come back when they went through each other, with contacts detected or
//! computed once.

use cloth_contacts::CacheError;
use cloth_solver::{
    BuildError, ContactCache, ContactSource, RestShape, Settings, Simulation, SimulationBuilder, StepError,
    Thickness,
};
use nalgebra::{Point3, Vector3};

use crate::ids::cloth_id;
use crate::scenes::{bare, cotton, points, run, sheet, weightless};

const SIDE: usize = 10;
const CACHED: ContactSource = ContactSource::Cached { reach: 0.05, follow: true };

/// Two sheets without gravity, the second one `height` (m) over the first, the first one held.
fn sheets(settings: Settings, height: f64, order: bool) -> SimulationBuilder {
    let mut builder = SimulationBuilder::new(settings);
    for k in 0..2 {
        let mesh = sheet(SIDE, 0.3).mapped(|p| p + Vector3::new(0.003, height, 0.004) * f64::from(k));
        let mut cloth = cotton(mesh);
        cloth.layer = order.then_some(k as u16);
        cloth.pins = if k == 0 { (0..(SIDE * SIDE) as u32).collect() } else { Vec::new() };
        builder.add_cloth(cloth);
    }
    builder
}

fn build(builder: &SimulationBuilder) -> Simulation {
    builder.build().expect("a scene")
}

/// Lowest and highest vertex (m) of the second sheet.
fn heights(sim: &Simulation) -> [f32; 2] {
    let y = || points(sim, 1).iter().map(|p| p.y);
    [y().fold(f32::INFINITY, f32::min), y().fold(f32::NEG_INFINITY, f32::max)]
}

#[test]
fn a_layer_that_starts_on_the_wrong_side_returns_to_its_own() {
    for contacts in [ContactSource::Detected, CACHED] {
        let mut sim = build(&sheets(Settings { contacts, recovery_speed: 1.0, ..weightless() }, -0.01, true));
        run(&mut sim, 30);
        let [low, _] = heights(&sim);
        assert!(low > 0.005, "{contacts:?}: {low}");
    }
    let mut sim = build(&sheets(weightless(), -0.01, false));
    run(&mut sim, 30);
    let [_, high] = heights(&sim);
    assert!(high < -0.005, "without an order it stays where it is: {high}");
}

#[test]
fn without_layer_order_contacts_of_either_source_keep_crossed_cloth_there() {
    for contacts in [ContactSource::Detected, CACHED] {
        let settings = Settings { contacts, recovery_speed: 1.0, layer_order: false, ..weightless() };
        let mut sim = build(&sheets(settings, -0.002, true));
        run(&mut sim, 30);
        let [_, high] = heights(&sim);
        assert!(high < -0.001, "{contacts:?}: {high}, and it stays below");
    }
}

/// A held sheet, and one over it whose middle starts below; the height (m) of its lowest vertex a second
/// later.
fn lowest_of_a_swapped_patch(contacts: ContactSource, order: bool) -> f32 {
    let settings = Settings { contacts, recovery_speed: 1.0, air_damping: 20.0, ..weightless() };
    let mut builder = SimulationBuilder::new(settings);
    let side = 2 * SIDE;
    for k in 0..2 {
        let flat = sheet(side, 0.3);
        let below = |p: &Point3<f64>| k == 1 && p.x.abs() < 0.06 && p.z.abs() < 0.06;
        let height = |p: &Point3<f64>| if below(p) { -0.01 } else { 0.01 };
        let place = |p: Point3<f64>| p + Vector3::new(0.003, height(&p), 0.004) * f64::from(k);
        let mut cloth = cotton(flat.clone().mapped(place));
        cloth.rest = RestShape::Positions(flat.positions);
        cloth.thickness = Thickness::from_total(0.005, 0.2);
        cloth.layer = order.then_some(k as u16);
        cloth.pins = if k == 0 { (0..(side * side) as u32).collect() } else { Vec::new() };
        builder.add_cloth(cloth);
    }
    let mut sim = build(&builder);
    run(&mut sim, 60);
    heights(&sim)[0]
}

#[test]
fn a_patch_of_a_layer_that_starts_below_the_other_comes_back() {
    for contacts in [ContactSource::Detected, CACHED] {
        let lowest = lowest_of_a_swapped_patch(contacts, true);
        assert!(lowest > 0.0, "{contacts:?}: {lowest}");
    }
    let lowest = lowest_of_a_swapped_patch(ContactSource::Detected, false);
    assert!(lowest < -0.002, "without an order it stays where it is: {lowest}");
}

#[test]
fn contacts_computed_once_carry_a_falling_layer() {
    let falling = |self_collision| {
        let settings =
            Settings { contacts: CACHED, recovery_speed: 1.0, self_collision, substeps: 4, ..bare() };
        let mut sim = build(&sheets(settings, 0.03, true));
        run(&mut sim, 60);
        assert_eq!(sim.report().broad_phase_queries, 0, "nothing is searched");
        heights(&sim)[0]
    };
    assert!(falling(true) > 0.0);
    assert!(falling(false) < -1.0);
}

#[test]
fn a_saved_cache_repeats_the_motion_and_is_refused_by_other_scenes() {
    let settings = Settings { contacts: CACHED, ..bare() };
    let mut builder = sheets(settings, 0.03, true);
    let mut first = build(&builder);
    let cache: ContactCache = first.contact_cache().expect("cached").clone();
    builder.set_contact_cache(cache.clone());
    let mut second = build(&builder);
    run(&mut first, 20);
    run(&mut second, 20);
    assert_eq!(first.state_hash(), second.state_hash());

    let mut other = SimulationBuilder::new(settings);
    for k in 0..2 {
        let mut cloth = cotton(sheet(SIDE + 1, 0.3));
        cloth.layer = Some(k);
        other.add_cloth(cloth);
    }
    other.set_contact_cache(cache);
    let refused = other.build().expect_err("another mesh");
    assert!(matches!(refused, BuildError::Cache(CacheError::Fingerprint { .. })), "{refused}");
}

#[test]
fn there_is_nothing_to_compute_once_without_an_order() {
    let refused = sheets(Settings { contacts: CACHED, ..bare() }, 0.03, false).build();
    assert_eq!(refused.expect_err("no order"), BuildError::Cache(CacheError::NoLayers));
}

#[test]
fn following_pairs_are_restored_by_snapshots_and_failed_steps() {
    let settings = Settings { contacts: CACHED, ..bare() };
    let mut sim = build(&sheets(settings, 0.02, true));
    run(&mut sim, 10);
    // It slides by two edges, and its pairs with it.
    let slide = |sim: &mut Simulation, to: f32| {
        for v in 0..(SIDE * SIDE) as u32 {
            let p = sim.positions()[v as usize];
            sim.move_pin(cloth_id(0), v, p + Vector3::x() * to).expect("a pin");
        }
    };
    let taken = sim.snapshot();
    let go = |sim: &mut Simulation| {
        for _ in 0..20 {
            slide(sim, 0.004);
            sim.step(1.0 / 60.0).expect("a step");
        }
        sim.state_hash()
    };
    let first = go(&mut sim);
    sim.restore(&taken).expect("its own snapshot");
    assert_eq!(go(&mut sim), first);

    sim.restore(&taken).expect("its own snapshot");
    slide(&mut sim, 0.004);
    // Too short for f32: 1 / h is infinite.
    let failed = sim.step(1e-40);
    assert!(matches!(failed, Err(StepError::Diverged { .. })), "{failed:?}");
    for v in 0..(SIDE * SIDE) as u32 {
        let p: Point3<f32> = sim.positions()[v as usize];
        sim.move_pin(cloth_id(0), v, p).expect("a pin");
    }
    assert_eq!(go(&mut sim), first, "a step that failed left nothing behind");

    sim.reset();
    assert_eq!(
        go(&mut sim),
        go(&mut build(&sheets(settings, 0.02, true))),
        "nor is there anything after a reset"
    );
}

#[test]
fn a_layer_comes_back_no_faster_than_it_may() {
    let risen = |recovery_speed| {
        let settings = Settings { contacts: CACHED, recovery_speed, ..weightless() };
        let mut sim = build(&sheets(settings, -0.01, true));
        run(&mut sim, 1);
        heights(&sim)[1] + 0.01
    };
    // A sixtieth of a second at a tenth of a metre in each, and as much again as momentum gives on the way.
    let (slow, fast) = (risen(0.1), risen(f32::INFINITY));
    assert!(slow > 0.0 && slow < 2.0 * 0.1 / 60.0, "{slow}");
    assert!(fast > 3.0 * slow, "{fast}");
}
