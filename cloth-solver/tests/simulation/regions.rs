//! Regions by name: what passes through what, across cloths and within one, and what is refused.

use cloth_contacts::intersect;
use cloth_geom::fixtures;
use cloth_solver::{
    BuildError, ClothDesc, Interaction, RegionDesc, RegionExtent, Settings, Simulation, SimulationBuilder,
    UNASSIGNED_REGION,
};
use nalgebra::{Point3, Vector3};

use crate::ids::cloth_id;
use crate::scenes::{bare, cotton, points, run, sheet};

const N: usize = 6;

/// A sheet whose first three columns are region `left`.
fn halved() -> ClothDesc {
    let mask = (0..N * N).map(|v| v % N < 3).collect();
    ClothDesc { regions: vec![RegionDesc::from_vertex_mask("left", mask)], ..cotton(sheet(N, 0.3)) }
}

/// A pinned sheet, and one that falls on it from just above.
fn falling(cloth: &ClothDesc, rules: impl FnOnce(&mut SimulationBuilder)) -> SimulationBuilder {
    let mut builder = SimulationBuilder::new(bare());
    builder.add_cloth(ClothDesc { pins: (0..(N * N) as u32).collect(), ..cloth.clone() });
    let mut upper = cloth.clone();
    let above = upper.mesh.clone().translated(Vector3::new(0.013, 0.04, 0.017));
    upper.mesh = fixtures::jitter(&above, 1e-4, 1).unwrap();
    builder.add_cloth(upper);
    rules(&mut builder);
    builder
}

fn fallen(rules: impl FnOnce(&mut SimulationBuilder)) -> Simulation {
    fallen_for(20, rules)
}

fn fallen_for(steps: usize, rules: impl FnOnce(&mut SimulationBuilder)) -> Simulation {
    let mut sim = falling(&halved(), rules).build().unwrap();
    run(&mut sim, steps);
    sim
}

/// Height (m) of the middle of the falling sheet's left and right side.
fn heights(sim: &Simulation) -> [f32; 2] {
    let y = |column: usize| (0..N).map(|row| points(sim, 1)[row * N + column].y).sum::<f32>() / N as f32;
    [y(0), y(N - 1)]
}

#[test]
fn what_does_not_interact_falls_through_and_the_rest_is_held() {
    let [left, right] = heights(&fallen(|b| b.set_interaction(UNASSIGNED_REGION, "left", Interaction::None)));
    assert!(left > 0.0 && right > 0.0, "{left} {right}");
    // The border is held, and the open half swings about it: it is down after ten steps.
    let [left, right] = heights(&fallen_for(10, |b| {
        b.set_interaction("left", "left", Interaction::None);
        b.set_interaction("left", UNASSIGNED_REGION, Interaction::None);
    }));
    assert!(left < -0.01 && right > 0.0, "{left} {right}");
    let [left, right] = heights(&fallen(|b| b.set_default_interaction(Interaction::None)));
    assert!(left < -0.1 && right < -0.1, "{left} {right}");
}

#[test]
fn regions_that_collide_in_full_change_no_bit() {
    let mut plain = falling(&cotton(sheet(N, 0.3)), |_| ()).build().unwrap();
    run(&mut plain, 20);
    assert!(plain.report().contacts > 50);
    let named = fallen(|b| b.set_interaction("left", UNASSIGNED_REGION, Interaction::FullMesh));
    assert_eq!(named.state_hash(), plain.state_hash());
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest_and_with_all() {
    let error = |name: &str| {
        falling(&halved(), |b| b.set_interaction("left", name, Interaction::None)).build().err().unwrap()
    };
    let text = error("lefft").to_string();
    assert_eq!(text, "no cloth has a region `lefft` (did you mean `left`?); known are rest, left");
    assert_eq!(error("zzz").to_string(), "no cloth has a region `zzz`; known are rest, left");
}

#[test]
fn each_fault_of_a_region_is_named_with_its_mend() {
    let refused = |name: &str, extent: RegionExtent| {
        let mut cloth = halved();
        cloth.regions.push(RegionDesc { name: name.into(), extent });
        let mut builder = SimulationBuilder::new(bare());
        builder.add_cloth(cotton(sheet(2, 0.3)));
        builder.add_cloth(cloth);
        let error = builder.build().err().unwrap();
        assert!(matches!(error, BuildError::Region { cloth: 1, .. }), "{error}");
        error.to_string()
    };
    let faces = |faces: &[u32]| RegionExtent::Faces(faces.to_vec());
    let cases = [
        ("", faces(&[20]), "cloth 1: region ``: it has no name; give it one"),
        (
            UNASSIGNED_REGION,
            faces(&[20]),
            "cloth 1: region `rest`: the name is that of everything no region claims; choose another",
        ),
        ("hem", faces(&[20, 50]), "cloth 1: region `hem`: it names face 50, but the cloth has 50"),
        ("hem", faces(&[]), "cloth 1: region `hem`: it has no face; name some or drop the region"),
        ("hem", faces(&[0]), "cloth 1: region `hem`: face 0 is already in region `left`; make them disjoint"),
        (
            "hem",
            RegionExtent::Vertices(vec![true; 9]),
            "cloth 1: region `hem`: its mask has 9 entries, expected 36, one a vertex",
        ),
        (
            "hem",
            RegionExtent::Vertices((0..36).map(|v| v == 35).collect()),
            "cloth 1: region `hem`: no face has all its corners in its mask; widen the mask or drop the \
             region",
        ),
    ];
    for (name, extent, wanted) in cases {
        assert_eq!(refused(name, extent), wanted);
    }
}

/// A pinned sheet whose left half is open to a pinned blade, which goes down through that half and then to
/// the right by `way` (m), far over the border. How many intersections there are at the end, in all and of
/// those that are certified; and where the blade is.
fn slide_a_blade(reverse: bool, way: f32) -> (usize, usize, f32) {
    let mut halves = halved();
    if reverse {
        halves.mesh.faces.reverse();
    }
    let settings = Settings { gate: true, substeps: 2, ..bare() };
    let mut builder = SimulationBuilder::new(settings);
    builder.add_cloth(ClothDesc { pins: (0..(N * N) as u32).collect(), ..halves });
    let upright = sheet(3, 0.05).mapped(|p| Point3::new(0.3 * p.z - 0.0971, p.x + 0.061, p.z + 0.0113));
    let blade = ClothDesc { pins: (0..9).collect(), ..cotton(upright) };
    builder.add_cloth(blade);
    builder.set_interaction("left", UNASSIGNED_REGION, Interaction::None);
    let mut sim = builder.build().unwrap();
    let start = points(&sim, 1).to_vec();
    for step in 1..=100_u8 {
        let (down, right) = ((f32::from(step) / 40.0).min(1.0), (f32::from(step.max(40) - 40) / 60.0));
        for (v, p) in start.iter().enumerate() {
            let target = p + Vector3::new(way * right, -0.06 * down, 0.0);
            sim.move_pin(cloth_id(1), v as u32, target).unwrap();
        }
        sim.step(1.0 / 60.0).unwrap();
    }
    let positions: Vec<Point3<f64>> = sim.positions().iter().map(|p| p.cast()).collect();
    let found = intersect::find(&positions, sim.surface().topology()).unwrap();
    let certified = found.edge_faces.iter().filter(|&&hit| sim.is_certified(hit)).count();
    (found.count(), certified, points(&sim, 1)[4].x)
}

#[test]
fn a_blade_stays_within_an_open_region_for_any_order_of_faces() {
    for reverse in [false, true] {
        let (all, certified, x) = slide_a_blade(reverse, 0.15);
        assert!(all > 0, "the blade stands in the open half");
        assert_eq!(certified, 0);
        // The border is at -0.03; the blade is held by it.
        assert!(x < -0.02, "{x}");
    }
}

#[test]
fn nothing_is_in_the_way_of_a_blade_within_an_open_region() {
    let (all, certified, x) = slide_a_blade(false, 0.05);
    assert!(all > 0 && certified == 0);
    assert!((x - (0.05 - 0.0971)).abs() < 1e-6, "{x}");
}
