//! Cloth in a body comes out of it, whichever part of it is the smaller, and whichever of the two moves.

use cloth_contacts::intersect::find;
use cloth_contacts::tangle::{BodyOrientation, SheetSplitter, trace};
use cloth_geom::closest::point_triangle;
use cloth_geom::fixtures::{icosphere, jitter, sheet};
use cloth_geom::{Topology, TriMesh};
use nalgebra::{Point3, Vector3};

use super::plan::{ContourPlan, RecoveryContext, Strategy};
use super::trapped::TrappedCloth;
use crate::{
    ClothDesc, ClothId, Material, MeshBodyDesc, MeshBodyId, Settings, Simulation, SimulationBuilder,
    Thickness, Wind,
};

const DT: f32 = 1.0 / 60.0;

/// A level sheet of `n` x `n` vertices and a side (m), a little uneven, at a height (m).
fn level(n: usize, side: f64, height: f64) -> TriMesh {
    let mesh = sheet(n, n, [side, side]).expect("a sheet").mesh;
    let mesh = mesh.mapped(|p| p + Vector3::new(0.003, height, 0.002));
    jitter(&mesh, 1e-4, 7).expect("an amplitude")
}

/// A ball around the origin.
fn ball(radius: f64) -> TriMesh {
    icosphere(3, radius).expect("a radius")
}

fn flipped(mut mesh: TriMesh) -> TriMesh {
    mesh.faces.iter_mut().for_each(|f| f.swap(1, 2));
    mesh
}

/// Cloth over a body, weightless.
fn dressed(cloth: TriMesh, body: TriMesh, gate: bool, pins: Vec<u32>) -> Simulation {
    let settings = Settings {
        gate,
        recovery: true,
        recovery_speed: 1.0,
        gravity: Vector3::zeros(),
        wind: Wind::VACUUM,
        ..Settings::default()
    };
    let thickness = Thickness::from_total(0.006, 0.4);
    let mut builder = SimulationBuilder::new(settings);
    builder.add_cloth(ClothDesc { pins, ..ClothDesc::new(cloth, Material::COTTON, thickness) });
    builder.add_mesh_body(MeshBodyDesc { mesh: body, thickness });
    builder.build().expect("valid")
}

fn hits(sim: &Simulation) -> Vec<[u32; 2]> {
    let at: Vec<_> = sim.positions().iter().map(|p| p.cast::<f64>()).collect();
    find(&at, sim.surface().topology()).expect("finite").edge_faces
}

/// How many vertices of the cloth lie in a ball.
fn inside(sim: &Simulation, middle: Point3<f32>, radius: f32) -> usize {
    let cloth = sim.cloth_vertices(ClothId(0)).expect("a cloth");
    sim.positions()[cloth].iter().filter(|p| (*p - middle).norm() < 0.99 * radius).count()
}

/// Steps until nothing intersects any more; how many it took. What the gate answers for never does.
fn steps_to_clean(sim: &mut Simulation, max_steps: usize) -> usize {
    for step in 1..=max_steps {
        sim.step(DT).expect("a step");
        let hits = hits(sim);
        assert!(hits.iter().all(|&hit| !sim.settings().gate || sim.is_tangled(hit)));
        if hits.is_empty() {
            return step;
        }
    }
    panic!("{} are left after {max_steps} steps", hits(sim).len());
}

#[test]
fn a_sheet_leaves_a_ball_even_if_most_of_it_is_inside() {
    // What is inside is the lesser part of the wide sheet and the greater of the narrow one.
    for (side, mostly_in) in [(0.3, false), (0.1, true)] {
        for gate in [false, true] {
            for turn in [|mesh: TriMesh| mesh, flipped] {
                let mut sim = dressed(level(15, side, 0.08), turn(ball(0.1)), gate, vec![]);
                let trapped_vertex = inside(&sim, Point3::origin(), 0.1);
                assert_eq!(trapped_vertex > 225 / 2, mostly_in, "{trapped_vertex}");
                let steps = steps_to_clean(&mut sim, 30);
                println!("side {side}, gate {gate}: clean after {steps}");
                assert_eq!(inside(&sim, Point3::origin(), 0.1), 0);
                (0..10).for_each(|_| assert_eq!(steps_to_clean(&mut sim, 1), 1));
                assert_eq!((sim.report().gate.tangles, sim.report().recovery.intersections), (0, 0));
            }
        }
    }
}

#[test]
fn a_sheet_deep_inside_a_ball_leaves_it() {
    for (side, height) in [(0.3, 0.04), (0.16, 0.04), (0.16, 0.06)] {
        let mut sim = dressed(level(15, side, height), ball(0.1), true, vec![]);
        let steps = steps_to_clean(&mut sim, 10);
        println!("side {side} at {height}: clean after {steps}");
        assert_eq!(inside(&sim, Point3::origin(), 0.1), 0);
    }
}

#[test]
fn a_sheet_leaves_a_ball_that_is_moving() {
    for mode in [Vector3::new(0.0, 0.5, 0.0), Vector3::new(0.5, 0.0, 0.2), Vector3::new(0.0, -0.2, 0.0)] {
        let mut sim = dressed(level(15, 0.3, 0.08), ball(0.1), true, vec![]);
        let start: Vec<Point3<f32>> = ball(0.1).positions.iter().map(|p| p.cast()).collect();
        let mut clean = None;
        for step in 1..=30_u8 {
            let gone = mode * (f32::from(step) * DT);
            let at: Vec<_> = start.iter().map(|p| p + gone).collect();
            sim.move_mesh_body(MeshBodyId(0), &at).expect("it fits");
            sim.step(DT).expect("a step");
            assert!(hits(&sim).iter().all(|&hit| sim.is_tangled(hit)));
            if hits(&sim).is_empty() {
                clean = clean.or(Some(step));
                assert_eq!(inside(&sim, Point3::origin() + gone, 0.1), 0);
            }
        }
        assert!(clean.is_some() && hits(&sim).is_empty(), "{mode}: clean {clean:?}");
        println!("moved by {} m/s: clean after {clean:?}", mode.norm());
    }
}

#[test]
fn cloth_released_into_a_ball_leaves_it_once_it_is_unpinned() {
    let mut sim =
        dressed(level(15, 0.3, 0.0), ball(0.1).translated(Vector3::y() * 0.11), true, (0..225).collect());
    let start: Vec<Point3<f32>> = sim.positions()[225..].to_vec();
    let mut released = 0;
    for step in 1..=10_u8 {
        let at: Vec<_> = start.iter().map(|p| p - Vector3::y() * (0.004 * f32::from(step))).collect();
        sim.move_mesh_body(MeshBodyId(0), &at).expect("it fits");
        released += sim.step(DT).expect("a step").gate.released;
    }
    assert!(released > 0 && hits(&sim).len() > 20);
    // All of the body is in the tangle: what lies in it may come out at any place.
    assert!(
        sim.tangles()
            .iter()
            .all(|sides| sides.iter().any(|side| side[..] == (225..867).collect::<Vec<_>>()[..]))
    );
    (0..225).for_each(|v| sim.set_mass(ClothId(0), v, 1e-4).expect("a mass"));
    let steps = steps_to_clean(&mut sim, 30);
    println!("clean {steps} steps after it was set free");
    assert_eq!(inside(&sim, Point3::new(0.0, 0.07, 0.0), 0.1), 0);
}

/// A state whose contours all go outward.
struct TangledState {
    surface: cloth_contacts::Surface,
    start: Vec<Point3<f32>>,
    at: Vec<Point3<f64>>,
}

impl TangledState {
    fn new(cloth: TriMesh, body: TriMesh) -> Self {
        let sim = dressed(cloth, body, false, vec![]);
        let at = sim.positions().iter().map(|p| p.cast()).collect();
        Self { surface: sim.surface().clone(), start: sim.positions().to_vec(), at }
    }

    fn topology(&self) -> &Topology {
        self.surface.topology()
    }

    fn plans(&self, outside: &BodyOrientation) -> (Vec<cloth_contacts::tangle::Contour>, Vec<ContourPlan>) {
        let hits = find(&self.at, self.topology()).expect("finite").edge_faces;
        let contours = trace(&hits, self.topology());
        let mut plans = vec![ContourPlan::default(); contours.len()];
        for (contour, contour_plan) in contours.iter().zip(&mut plans) {
            contour_plan.choose(contour, &self.surface, outside, 0, &mut SheetSplitter::default());
        }
        (contours, plans)
    }
}

#[test]
fn what_lies_inside_is_found_with_the_nearest_way_out() {
    let state = TangledState::new(level(20, 0.3, 0.07), ball(0.1));
    let outside = BodyOrientation::new(&state.surface, &state.start);
    let (contours, plans) = state.plans(&outside);
    let context = RecoveryContext {
        at: &state.at,
        surface: &state.surface,
        outside: &outside,
        recovery_share: 1.0,
        max_recovery: 1.0,
    };
    let mut trapped = TrappedCloth::default();
    trapped.find(&contours, &plans, &context);
    let found = trapped.vertices;
    let body = state.topology().faces().iter().enumerate().filter(|(_, f)| f[0] >= 400);
    let body: Vec<(u32, [Point3<f64>; 3])> =
        body.map(|(f, corners)| (f as u32, corners.map(|v| state.at[v as usize]))).collect();
    // The ball is convex: inside is behind all its faces.
    let behind =
        |p: &Point3<f64>| body.iter().all(|(_, [a, b, c])| (b - a).cross(&(c - a)).dot(&(p - a)) < 0.0);
    let expected: Vec<u32> = (0..400).filter(|&v| behind(&state.at[v as usize])).collect();
    let mut vertices: Vec<u32> = found.iter().map(|trapped_vertex| trapped_vertex.vertex).collect();
    vertices.sort_unstable();
    assert!(expected.len() > 50);
    assert_eq!(vertices, expected);
    for trapped_vertex in &found {
        let p = &state.at[trapped_vertex.vertex as usize];
        let far = |[a, b, c]: &[Point3<f64>; 3]| point_triangle(p, [a, b, c]).distance_sq;
        let nearest = body.iter().map(|(_, corners)| far(corners)).fold(f64::INFINITY, f64::min);
        let own = body.iter().find(|(f, _)| *f == trapped_vertex.face).map(|(_, corners)| far(corners));
        assert_eq!(own, Some(nearest));
        let (_, direction) = trapped_vertex.exit_direction(&context).expect("a mode");
        assert!(direction.dot(&p.coords) > 0.0);
    }
}

#[test]
fn a_body_that_is_closed_but_for_small_holes_has_an_outside() {
    let is_known = |body: TriMesh| {
        let state = TangledState::new(level(15, 0.3, 0.08), body);
        let outside = BodyOrientation::new(&state.surface, &state.start);
        let (_, plans) = state.plans(&outside);
        assert!(!plans.is_empty());
        plans.iter().all(|contour_plan| matches!(contour_plan.strategy, Strategy::Outward(..)))
    };
    assert!(is_known(ball(0.1)) && is_known(flipped(ball(0.1))));
    let without = |count: usize| {
        let mut mesh = ball(0.1);
        let mut kept = 0;
        mesh.faces.retain(|_| {
            kept += 1;
            kept > count
        });
        mesh
    };
    assert!(is_known(without(2)));
    assert!(!is_known(without(400)), "half a ball is a bowl");
}
