//! States that a caller sets: judged like a start, and continued like one.

use cloth_geom::TriMesh;
use cloth_solver::{
    Admit, ClothDesc, MeshBodyDesc, RestShape, Settings, Simulation, SimulationBuilder, StepError, Thickness,
};
use nalgebra::{Point3, Vector3};

use crate::scenes::{cotton, run, sheet, upright};

/// Two sheets that rest as sheets, over a body, and start with an upright one at a height (m).
fn start_with(height: f64) -> Simulation {
    let flat = sheet(9, 0.4);
    let upright = upright(7, 0.3).mapped(|p| p + Vector3::new(0.011, height, 0.017));
    let rest = RestShape::Positions(sheet(7, 0.3).positions);
    let mut builder = SimulationBuilder::new(Settings::default());
    builder.add_cloth(ClothDesc { pins: vec![0, 8], ..cotton(flat) });
    builder.add_cloth(ClothDesc { rest, ..cotton(upright) });
    let body: TriMesh = sheet(5, 0.5).mapped(|p| p - Vector3::new(0.0, 0.31, 0.0));
    builder.add_mesh_body(MeshBodyDesc { mesh: body, thickness: Thickness::from_total(0.01, 0.4) });
    builder.build().unwrap()
}

fn at_rest(sim: &Simulation) -> Vec<Vector3<f32>> {
    vec![Vector3::zeros(); sim.positions().len()]
}

#[test]
fn a_set_state_continues_as_a_start_does() {
    for (height, admit) in [(0.2, Admit::Clean), (-0.1, Admit::Tangles)] {
        let mut wanted = start_with(height);
        let mut set = start_with(0.7);
        run(&mut set, 30);
        set.set_state(wanted.positions(), &at_rest(&wanted), admit).unwrap();
        assert_eq!(set.state_hash(), wanted.state_hash());
        for step in 0..30 {
            run(&mut wanted, 1);
            run(&mut set, 1);
            assert_eq!(set.state_hash(), wanted.state_hash(), "step {step} from {height}");
            assert_eq!(set.tangles(), wanted.tangles());
        }
        assert_eq!(set.is_guarded(), admit == Admit::Clean || wanted.tangles().is_empty());
    }
}

#[test]
fn a_state_that_intersects_is_refused_by_name_unless_tangles_are_admitted() {
    let crossed = start_with(0.0);
    let mut sim = start_with(0.2);
    run(&mut sim, 3);
    let before = sim.snapshot();
    let refused = sim.set_state(crossed.positions(), &at_rest(&crossed), Admit::Clean).unwrap_err();
    let StepError::Tangled { intersections, lying: 0, ref first } = refused else { panic!("{refused}") };
    let filter = cloth_solver::IntersectionFilter::CLOTH;
    assert_eq!(intersections, crossed.intersections(filter).unwrap().count());
    assert!(first[0].ends_with("of cloth 0") && first[2].ends_with("of cloth 1"), "{refused}");
    assert_eq!(before.difference(&sim.snapshot()), None);
    sim.set_state(crossed.positions(), &at_rest(&crossed), Admit::Tangles).unwrap();
    run(&mut sim, 1);
    assert!(!sim.tangles().is_empty() && !sim.is_guarded());
}

#[test]
fn faces_that_lie_on_others_are_refused_as_well() {
    let mut sim = start_with(0.2);
    let mut state = sim.positions().to_vec();
    // The far corner of the first face folds flat onto its neighbour.
    let [a, b, c] = sim.faces()[0].map(|v| v as usize);
    let other = sim.faces()[1].map(|v| v as usize).into_iter().find(|v| ![a, b, c].contains(v)).unwrap();
    let own = [a, b, c].into_iter().find(|v| !sim.faces()[1].contains(&(*v as u32))).unwrap();
    state[own] = state[own] + (state[other] - state[own]) * 0.75;
    let refused = sim.set_state(&state, &at_rest(&sim), Admit::Clean).unwrap_err();
    assert!(matches!(refused, StepError::Tangled { lying: 1.., .. }), "{refused}");
}

#[test]
fn what_is_no_state_is_refused_and_changes_nothing() {
    let mut sim = start_with(0.2);
    run(&mut sim, 2);
    let (before, good, rest) = (sim.snapshot(), sim.positions().to_vec(), at_rest(&sim));
    let body = sim.positions().len() - 1;
    for (place, named) in [(3, "vertex 3 of cloth 0"), (body, "vertex 24 of mesh body 0")] {
        for bad in [f32::NAN, f32::INFINITY, 2.0e7] {
            let mut state = good.clone();
            state[place] = Point3::new(0.0, bad, 0.0);
            let refused = sim.set_state(&state, &rest, Admit::Tangles).unwrap_err().to_string();
            assert!(refused.contains(named), "{refused}");
        }
    }
    let mut velocities = rest.clone();
    velocities[5].z = f32::NAN;
    assert!(sim.set_state(&good, &velocities, Admit::Clean).unwrap_err().to_string().contains("velocity"));
    let short = sim.set_state(&good[1..], &rest, Admit::Clean);
    let (got, expected) = (good.len() - 1, good.len());
    assert_eq!(short, Err(StepError::Length { what: "positions of a state", got, expected }));
    assert_eq!(before.difference(&sim.snapshot()), None);
}

#[test]
fn pins_and_bodies_stay_where_a_state_puts_them() {
    let mut sim = start_with(0.2);
    let moved: Vec<Point3<f32>> = sim.positions().iter().map(|p| p + Vector3::new(0.1, 0.2, 0.3)).collect();
    sim.set_state(&moved, &at_rest(&sim), Admit::Clean).unwrap();
    run(&mut sim, 5);
    assert_eq!((sim.positions()[0], sim.positions()[8]), (moved[0], moved[8]));
    assert_eq!(sim.positions().last(), moved.last());
    assert!(sim.positions()[40].y < moved[40].y);
}
