//! Regions by name: what passes through what, across cloths and within one, and what is refused.

use cloth_geom::fixtures;
use cloth_solver::{
    BuildError, ClothDesc, Interaction, RegionDesc, RegionExtent, Settings, Simulation, SimulationBuilder,
    THE_REST,
};
use nalgebra::Vector3;

use crate::scenes::{cotton, points, run, sheet};

const N: usize = 6;

/// A sheet whose first three columns are region `left`.
fn halved() -> ClothDesc {
    let mask = (0..N * N).map(|v| v % N < 3).collect();
    ClothDesc { regions: vec![RegionDesc::of_vertices("left", mask)], ..cotton(sheet(N, 0.3)) }
}

/// A pinned sheet, and one that falls on it from just above.
fn falling(cloth: &ClothDesc, rules: impl FnOnce(&mut SimulationBuilder)) -> SimulationBuilder {
    let mut builder = SimulationBuilder::new(Settings::default());
    builder.add_cloth(ClothDesc { pins: (0..(N * N) as u32).collect(), ..cloth.clone() });
    let mut upper = cloth.clone();
    let above = upper.mesh.clone().translated(Vector3::new(0.013, 0.04, 0.017));
    upper.mesh = fixtures::jitter(&above, 1e-4, 1).unwrap();
    builder.add_cloth(upper);
    rules(&mut builder);
    builder
}

fn fallen(rules: impl FnOnce(&mut SimulationBuilder)) -> Simulation {
    let mut sim = falling(&halved(), rules).build().unwrap();
    run(&mut sim, 20);
    sim
}

/// Height (m) of the middle of the falling sheet's left and right side.
fn heights(sim: &Simulation) -> [f32; 2] {
    let y = |column: usize| (0..N).map(|row| points(sim, 1)[row * N + column].y).sum::<f32>() / N as f32;
    [y(0), y(N - 1)]
}

#[test]
fn what_does_not_interact_falls_through_and_the_rest_is_held() {
    let [left, right] = heights(&fallen(|b| b.interact(THE_REST, "left", Interaction::None)));
    assert!(left > 0.0 && right > 0.0, "{left} {right}");
    let [left, right] = heights(&fallen(|b| {
        b.interact("left", "left", Interaction::None);
        b.interact("left", THE_REST, Interaction::None);
    }));
    assert!(left < -0.01 && right > 0.0, "{left} {right}");
    let [left, right] = heights(&fallen(|b| b.interact_all(Interaction::None)));
    assert!(left < -0.1 && right < -0.1, "{left} {right}");
}

#[test]
fn regions_that_collide_in_full_change_no_bit() {
    let mut plain = falling(&cotton(sheet(N, 0.3)), |_| ()).build().unwrap();
    run(&mut plain, 20);
    assert!(plain.report().contacts > 50);
    let named = fallen(|b| b.interact("left", THE_REST, Interaction::FullMesh));
    assert_eq!(named.state_hash(), plain.state_hash());
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest_and_with_all() {
    let error = |name: &str| {
        falling(&halved(), |b| b.interact("left", name, Interaction::None)).build().err().unwrap()
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
        let mut builder = SimulationBuilder::new(Settings::default());
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
            THE_REST,
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
            "cloth 1: region `hem`: no face has all its corners in its mask; widen the mask or drop the region",
        ),
    ];
    for (name, extent, wanted) in cases {
        assert_eq!(refused(name, extent), wanted);
    }
}
