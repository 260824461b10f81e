use cloth_contacts::{EdgeEdge, PointTriangle};
use cloth_geom::{TriMesh, fixtures};
use nalgebra::{Isometry3, Point3, Vector3};

use super::*;
use crate::{IntersectionFilter, Shape, Thickness};

const DT: f32 = 1.0 / 60.0;

fn sheet(at: [f64; 3]) -> TriMesh {
    let flat = fixtures::sheet(12, 12, [0.4, 0.4]).expect("a sheet").mesh;
    fixtures::jitter(&flat, 1e-3, at[1].to_bits()).expect("a sheet").translated(at.into())
}

fn cloth(at: [f64; 3]) -> ClothDesc {
    ClothDesc::new(sheet(at), Material::COTTON, Thickness::from_total(0.016, 0.4))
}

fn ball() -> Collider {
    Collider::new(Shape::Sphere { radius: 0.12 }, Isometry3::translation(0.0, -0.15, 0.0), 0.3)
        .expect("a ball")
}

fn settings() -> Settings {
    Settings { substeps: 8, gate: true, recovery: true, ..Settings::default() }
}

/// Three sheets over a ball, one above the other.
fn pile() -> (Simulation, [ClothId; 3], ColliderId) {
    let mut builder = SimulationBuilder::new(settings());
    let cloths = [0.0, 0.05, 0.1].map(|y| builder.add_cloth(cloth([0.01 * y, y, 0.0])));
    let ball = builder.add_collider(ball());
    (builder.build().expect("a pile"), cloths, ball)
}

fn run(sim: &mut Simulation, steps: usize) {
    (0..steps).for_each(|_| {
        sim.step(DT).expect("a step");
    });
}

fn bits(points: &[Point3<f32>]) -> u64 {
    cloth_geom::fnv1a(points.iter().flat_map(|p| [p.x, p.y, p.z]).flat_map(|c| c.to_bits().to_le_bytes()))
}

#[test]
fn what_stays_goes_on_where_it_is_when_a_cloth_is_removed() {
    let (mut sim, [lowest, middle, top], _) = pile();
    run(&mut sim, 20);
    let before = [lowest, top].map(|id| bits(sim.cloth_positions(id).expect("it stays")));
    let contacts = sim.detection.cloth.history().len();
    let within = |sim: &Simulation, id| {
        let range = sim.cloth_vertices(id).expect("it stays");
        let history = sim.detection.cloth.history();
        let is_in = |v: [u32; 4]| v.iter().all(|&v| range.contains(&(v as usize)));
        let points = history.point_triangles.iter().map(PointTriangle::vertices).filter(|&v| is_in(v));
        let edges = history.edge_edges.iter().map(EdgeEdge::vertices).filter(|&v| is_in(v));
        points.chain(edges).map(|v| v.map(|v| v - range.start as u32)).collect::<Vec<_>>()
    };
    let own = within(&sim, lowest);
    sim.remove_cloth(middle).expect("there is one");
    assert_eq!([lowest, top].map(|id| bits(sim.cloth_positions(id).expect("it stays"))), before);
    assert_eq!(within(&sim, lowest), own);
    let left = sim.detection.cloth.history().len();
    assert!(0 < left && left < contacts, "{left} of {contacts} contacts are left");
    // Contacts name primitives of the new surface.
    let topology = sim.surface().topology();
    for contact in &sim.detection.cloth.history().edge_edges {
        assert_eq!([contact.a, contact.b], contact.edges.map(|e| topology.edges()[e as usize]));
    }
    for contact in &sim.detection.cloth.history().point_triangles {
        assert_eq!(contact.corners, topology.faces()[contact.face as usize]);
    }
    let mut twin = sim.clone();
    for sim in [&mut sim, &mut twin] {
        run(sim, 40);
        assert!(sim.intersections(IntersectionFilter::CLOTH).expect("finite").is_clean());
    }
    assert_eq!(sim.state_hash(), twin.state_hash());
}

#[test]
fn a_removed_id_is_an_error_and_is_not_used_again() {
    let (mut sim, [lowest, middle, top], ball) = pile();
    sim.remove_cloth(middle).expect("there is one");
    let gone = "there is no cloth 1: it was removed or never added (there are 2)";
    assert_eq!(sim.remove_cloth(middle).expect_err("it is gone").to_string(), gone);
    assert_eq!(sim.pin(middle, 0).expect_err("it is gone").to_string(), gone);
    assert_eq!(sim.set_material(middle, Material::COTTON).expect_err("it is gone").to_string(), gone);
    assert!(sim.teleport(middle, &Isometry3::identity()).is_err());
    assert_eq!((sim.cloth_vertices(middle), sim.aabb(middle)), (None, None));
    assert!(sim.cloth_triangles(middle).is_none() && sim.cloth_positions(middle).is_none());
    let new = sim.add_cloth(cloth([0.0, 0.3, 0.0])).expect("a cloth");
    assert!(![lowest, middle, top].contains(&new));
    assert!(sim.move_pin(top, 0, Point3::origin()).is_err(), "it is not pinned");
    sim.remove_collider(ball).expect("there is one");
    assert!(sim.remove_collider(ball).is_err() && sim.move_collider(ball, Isometry3::identity()).is_err());
    assert!(sim.teleport_collider(ball, Isometry3::identity()).is_err());
    let body = MeshBodyDesc { mesh: sheet([0.0, -1.0, 0.0]), thickness: Thickness::from_total(0.01, 0.4) };
    let body = sim.add_mesh_body(body).expect("a body");
    sim.remove_mesh_body(body).expect("there is one");
    assert!(sim.remove_mesh_body(body).is_err() && sim.teleport_body(body, &[]).is_err());
    run(&mut sim, 3);
}

#[test]
fn cloth_added_through_another_is_a_tangle_and_refusals_change_nothing() {
    let (mut sim, _, _) = pile();
    run(&mut sim, 5);
    let before = sim.state_hash();
    let mut torn = cloth([0.0, 0.2, 0.0]);
    torn.pins = vec![10_000];
    assert!(sim.add_cloth(torn).is_err());
    assert!(sim.set_settings(Settings { substeps: 0, ..settings() }).is_err());
    assert!(sim.set_gravity(Vector3::new(0.0, f32::NAN, 0.0)).is_err());
    assert_eq!((sim.state_hash(), sim.cloth_count()), (before, 3));
    let upright = cloth([0.0; 3]).mesh.mapped(|p| Point3::new(p.x, p.z + 0.05, p.y + 0.013));
    sim.add_cloth(ClothDesc { mesh: upright, ..cloth([0.0; 3]) }).expect("a cloth");
    assert!(!sim.intersections(IntersectionFilter::CLOTH).expect("finite").is_clean());
    run(&mut sim, 1);
    assert!(!sim.tangles().is_empty());
    assert_eq!(sim.report().gate.intersections_outside_tangles, 0);
}

#[test]
fn settings_act_from_the_next_step_on() {
    let (mut sim, cloths, ball) = pile();
    sim.remove_collider(ball).expect("there is one");
    sim.set_gravity(Vector3::zeros()).expect("finite");
    let before = sim.positions().to_vec();
    run(&mut sim, 3);
    let moved = before.iter().zip(sim.positions()).map(|(p, q)| (p - q).norm()).fold(0.0, f32::max);
    assert!(moved < 1e-6, "nothing falls without gravity, and a vertex has moved by {moved} m");
    sim.set_wind(Wind { velocity: Vector3::new(3.0, 0.0, 0.0), drag: 1.2, lift: 0.0, gusts: None })
        .expect("finite");
    sim.set_gravity(Vector3::new(0.0, 9.81, 0.0)).expect("finite");
    run(&mut sim, 10);
    let [low, _] = sim.aabb(cloths[0]).expect("a cloth");
    assert!(low.y > 0.01, "the lowest sheet has risen to {} m", low.y);
    assert!(sim.kinetic_energy() > 0.0);
    // The same settings at once, among them those that rebuild the simulation.
    let mut other = sim.clone();
    for (sim, threads) in [(&mut sim, 1), (&mut other, 2)] {
        sim.set_settings(Settings { threads, layer_depth: 0.03, substeps: 12, ..*sim.settings() })
            .expect("in range");
        assert_eq!((sim.scene().settings().substeps, sim.settings().threads), (12, threads));
        run(sim, 5);
    }
    assert_eq!(sim.state_hash(), other.state_hash());
}

#[test]
fn a_gate_that_is_turned_on_looks_at_the_state_first() {
    let (mut sim, ..) = pile();
    sim.set_settings(Settings { gate: false, recovery: false, ..settings() }).expect("in range");
    let before = sim.snapshot();
    sim.set_settings(settings()).expect("in range");
    assert!(sim.restore(&before).expect_err("it has no gate").to_string().contains("without the gate"));
    run(&mut sim, 30);
    assert!(sim.report().gate.proofs > 0);
    let mut twin = pile().0;
    run(&mut twin, 30);
    assert_eq!(sim.state_hash(), twin.state_hash());
}

#[test]
fn a_softer_material_stretches_more_and_masses_follow_its_density() {
    let hang = |soften: bool| {
        let mut builder = SimulationBuilder::new(settings());
        let pins = vec![0, 11];
        let upright = sheet([0.0; 3]).mapped(|p| Point3::new(p.x, -p.z, p.y));
        let id = builder.add_cloth(ClothDesc { mesh: upright, pins, ..cloth([0.0; 3]) });
        let mut sim = builder.build().expect("a sheet");
        run(&mut sim, 5);
        sim.set_mass(id, 100, 0.01).expect("a mass");
        sim.pin(id, 60).expect("a vertex");
        let masses = sim.state.inv_mass.clone();
        if soften {
            let soft = Material { stretch_warp: 40.0, stretch_weft: 40.0, ..Material::COTTON };
            sim.set_material(id, soft).expect("a material");
            assert_eq!(sim.state.inv_mass, masses, "the density has not changed");
        }
        run(&mut sim, 40);
        let heavy = Material { density: 2.0 * Material::COTTON.density, ..Material::COTTON };
        sim.set_material(id, heavy).expect("a material");
        assert_eq!([0, 60].map(|v| sim.state.inv_mass[v]), [0.0; 2], "pins stay");
        assert!((sim.state.inv_mass[70] * 2.0 - masses[70]).abs() < 1e-3 * masses[70]);
        let [low, high] = sim.aabb(id).expect("a cloth");
        high.y - low.y
    };
    let (stiff, soft) = (hang(false), hang(true));
    assert!(soft > 1.05 * stiff, "{stiff} m stiff, {soft} m soft");
}

#[test]
fn pins_come_and_go_in_bulk() {
    let (mut sim, [lowest, ..], _) = pile();
    let row: Vec<u32> = (0..12).collect();
    assert!(sim.pin_all(lowest, &[0, 10_000]).is_err());
    assert!(sim.state.inv_mass.iter().all(|&w| w > 0.0), "all or nothing");
    let masses = sim.state.inv_mass.clone();
    sim.pin_all(lowest, &row).expect("vertices");
    let start = bits(&sim.positions()[..12]);
    run(&mut sim, 5);
    assert_eq!(bits(&sim.positions()[..12]), start);
    sim.unpin_all(lowest, &row).expect("vertices");
    assert_eq!(sim.state.inv_mass, masses);
    run(&mut sim, 5);
    assert_ne!(bits(&sim.positions()[..12]), start);
    // A mass that was set stays, where there is no pin to take.
    sim.set_mass(lowest, 3, 0.5).expect("a mass");
    sim.unpin_all(lowest, &row).expect("vertices");
    assert_eq!(sim.state.inv_mass[3], 2.0);
}

#[test]
fn a_teleport_sweeps_nothing_between_the_two_places() {
    let (mut sim, [_, _, top], ball) = pile();
    let mesh = fixtures::icosphere(2, 0.08).expect("a ball").translated(Vector3::new(0.0, -1.0, 0.0));
    let desc = MeshBodyDesc { mesh: mesh.clone(), thickness: Thickness::from_total(0.01, 0.4) };
    let body = sim.add_mesh_body(desc).expect("a body");
    run(&mut sim, 10);
    // Through the sheets: pushed, it would take them along.
    let above: Vec<Point3<f32>> =
        mesh.positions_f32().iter().map(|p| p + Vector3::new(0.0, 2.0, 0.0)).collect();
    let mut pushed = sim.clone();
    sim.teleport_collider(ball, Isometry3::translation(0.0, 3.0, 0.0)).expect("a pose");
    sim.teleport_body(body, &above).expect("positions");
    let falling = sim.cloth_velocities(top).expect("a cloth")[70].y;
    run(&mut sim, 1);
    let after = sim.cloth_velocities(top).expect("a cloth")[70].y;
    assert!(after < falling, "{falling} m/s, then {after}");
    pushed.move_mesh_body(body, &above).expect("positions");
    run(&mut pushed, 1);
    let fastest = |sim: &Simulation| {
        let velocities = sim.cloth_velocities(top).expect("a cloth");
        velocities.iter().map(Vector3::norm).fold(0.0, f32::max)
    };
    let [pushed, teleported] = [&pushed, &sim].map(fastest);
    assert!(pushed > 10.0 * teleported, "a body that is moved pushes: {pushed} m/s, not {teleported}");
    assert!(sim.intersections(IntersectionFilter::CLOTH).expect("finite").is_clean());
}

#[test]
fn everything_teleports_as_one() {
    let (mut sim, cloths, ball) = pile();
    run(&mut sim, 15);
    let motion = Isometry3::translation(2.0, 1.0, -4.0);
    let before = sim.positions().to_vec();
    let mut there = sim.clone();
    there.teleport_all(&motion).expect("finite");
    assert!((there.colliders()[0].pose_t1.translation.vector - Vector3::new(2.0, 0.85, -4.0)).norm() < 1e-6);
    for (p, q) in before.iter().zip(there.positions()) {
        assert!((motion * p - q).norm() < 1e-6);
    }
    [&mut sim, &mut there].into_iter().for_each(|sim| run(sim, 10));
    // Rounding grows in contact, but a pile stays a pile.
    let mean = |sim: &Simulation| {
        let top = sim.cloth_positions(cloths[2]).expect("a cloth");
        top.iter().map(|p| p.coords).sum::<Vector3<f32>>() / top.len() as f32
    };
    let apart = mean(&there) - mean(&sim) - motion.translation.vector;
    assert!(apart.norm() < 2e-3, "{apart}");
    assert!(there.intersections(IntersectionFilter::CLOTH).expect("finite").is_clean());
    let nowhere = Isometry3::translation(f32::INFINITY, 0.0, 0.0);
    assert!(there.teleport_all(&nowhere).is_err() && there.teleport_collider(ball, nowhere).is_err());
    assert!(there.positions().iter().all(|p| p.x.is_finite()));
}
