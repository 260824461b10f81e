//! Cloth whose vertices collide as balls: what it holds, what it leaves alone, and that no choice of search
//! is seen.

use cloth_broadphase::{BroadPhase, BruteForce, ParryBvh, SpatialHash, SweepGrid};
use cloth_geom::fixtures;
use cloth_solver::{
    ClothDesc, Interaction, ParticleChoice, ParticleFriction, ParticleResponse, ParticleSettings, RegionDesc,
    RestRule, Search, Settings, Simulation, SimulationBuilder, Thickness, UNASSIGNED_REGION,
};
use nalgebra::{Point3, Vector3};

use crate::ids::cloth_id;
use crate::scenes::{airless, bare, cotton, furthest, greatest_strain, points, run, sheet, weightless};

const N: usize = 12;

/// Spacing (m) of the vertices of a sheet.
const SPACING: f32 = 0.3 / (N - 1) as f32;

/// A sheet of balls whose diameter is a share of the spacing.
fn balls(diameter: f32) -> ClothDesc {
    let thickness = Thickness { radius: 0.5 * diameter * SPACING, scr: 0.1 * SPACING };
    ClothDesc { thickness, ..cotton(sheet(N, 0.3)) }
}

/// A pinned sheet and one that falls on it, both of balls.
fn pair(settings: Settings, edit: impl Fn(&mut SimulationBuilder, &mut ClothDesc)) -> SimulationBuilder {
    let mut builder = SimulationBuilder::new(settings);
    builder.set_default_interaction(Interaction::Particles);
    let mut upper = balls(0.75);
    let above = upper.mesh.clone().translated(Vector3::new(0.3 * SPACING as f64, 0.05, 0.4 * SPACING as f64));
    upper.mesh = fixtures::jitter(&above, 1e-4, 1).unwrap();
    edit(&mut builder, &mut upper);
    builder.add_cloth(ClothDesc { pins: (0..(N * N) as u32).collect(), ..balls(0.75) });
    builder.add_cloth(upper);
    builder
}

fn lowest(sim: &Simulation) -> f32 {
    points(sim, 1).iter().fold(f32::INFINITY, |least, p| least.min(p.y))
}

#[test]
fn a_sheet_of_particles_rests_on_another_with_every_response_and_friction() {
    for response in [ParticleResponse::Distance, ParticleResponse::Plane] {
        for friction in [ParticleFriction::Coulomb, ParticleFriction::Averaged(0.2)] {
            // Found once a frame, at most.
            for detect_interval in [1, 16] {
                let particles = ParticleSettings { response, friction, ..ParticleSettings::default() };
                let settings = Settings { particles, detect_interval, ..bare() };
                let mut sim = pair(settings, |_, _| ()).build().unwrap();
                run(&mut sim, 60);
                let lowest = lowest(&sim);
                assert!(
                    lowest > 0.0 && lowest < SPACING,
                    "{response:?} {friction:?} {detect_interval}: {lowest}"
                );
                assert!(sim.report().particle_contacts > 50 && sim.report().contacts == 0);
            }
        }
    }
}

#[test]
fn without_self_collision_or_interaction_it_falls_through() {
    let mut without = pair(Settings { self_collision: false, ..bare() }, |_, _| ()).build().unwrap();
    run(&mut without, 40);
    assert!(lowest(&without) < -0.2 && without.report().particle_contacts == 0);
    let mut none = pair(bare(), |b, _| b.set_default_interaction(Interaction::None)).build().unwrap();
    run(&mut none, 40);
    assert_eq!(none.state_hash(), without.state_hash());
}

#[test]
fn only_the_chosen_vertices_collide() {
    let half: Vec<u32> = (0..(N * N) as u32).filter(|v| v % N as u32 >= N as u32 / 2).collect();
    let sides = |choice: ParticleChoice| {
        let mut sim = pair(bare(), |_, cloth| cloth.particles = choice.clone()).build().unwrap();
        run(&mut sim, 12);
        [0, N - 1].map(|column| (0..N).map(|row| points(&sim, 1)[row * N + column].y).sum::<f32>() / N as f32)
    };
    let [left, right] = sides(ParticleChoice::Except(half.clone()));
    assert!(left > 0.0 && right < -0.01, "{left} {right}");
    let [left, right] = sides(ParticleChoice::Only(half));
    assert!(left < -0.01 && right > 0.0, "{left} {right}");
}

#[test]
fn a_table_may_have_balls_here_and_the_full_mesh_there() {
    let mask = (0..N * N).map(|v| v % N < N / 2).collect();
    let region = RegionDesc::from_vertex_mask("left", mask);
    let mut sim = pair(bare(), |builder, cloth| {
        cloth.regions = vec![region.clone()];
        builder.set_interaction("left", UNASSIGNED_REGION, Interaction::FullMesh);
    })
    .build()
    .unwrap();
    run(&mut sim, 30);
    let report = sim.report();
    assert!(report.contacts > 20 && report.particle_contacts > 20, "{report:?}");
    assert!(lowest(&sim) > 0.0);
}

fn hash<B: BroadPhase>(search: Search) -> u64 {
    let particles = ParticleSettings { search, ..ParticleSettings::default() };
    let mut builder = pair(Settings { particles, ..bare() }, |_, _| ());
    builder.set_broad_phase(B::default());
    let mut sim = builder.build().unwrap();
    run(&mut sim, 30);
    assert!(sim.report().particle_contacts > 50 && sim.report().particle_broad_phase_queries < 16);
    sim.state_hash()
}

#[test]
fn the_search_changes_no_bit() {
    let first = hash::<BruteForce>(Search::BroadPhase);
    assert_eq!(hash::<ParryBvh>(Search::BroadPhase), first);
    assert_eq!(hash::<SweepGrid>(Search::BroadPhase), first);
    assert_eq!(hash::<SpatialHash>(Search::BroadPhase), first);
    assert_eq!(hash::<ParryBvh>(Search::PointGrid), first);
}

#[test]
fn a_restored_or_reset_simulation_goes_on_bit_for_bit() {
    let mut sim = pair(bare(), |_, _| ()).build().unwrap();
    let hashes = |sim: &mut Simulation, steps: usize| -> Vec<u64> {
        (0..steps)
            .map(|_| {
                run(sim, 1);
                sim.state_hash()
            })
            .collect()
    };
    let first = hashes(&mut sim, 25);
    let snapshot = sim.snapshot();
    let then = hashes(&mut sim, 10);
    sim.restore(&snapshot).unwrap();
    assert_eq!(hashes(&mut sim, 10), then);
    sim.reset();
    assert_eq!(hashes(&mut sim, 25), first);
}

#[test]
fn balls_without_thickness_that_stay_where_they_are_can_be_restored() {
    let mut builder = SimulationBuilder::new(weightless());
    builder.set_default_interaction(Interaction::Particles);
    let thickness = Thickness::from_total(0.0, 0.0);
    builder.add_cloth(ClothDesc { pins: (0..36).collect(), thickness, ..cotton(sheet(6, 0.3)) });
    let mut sim = builder.build().unwrap();
    run(&mut sim, 3);
    let snapshot = sim.snapshot();
    run(&mut sim, 3);
    let hash = sim.state_hash();
    sim.restore(&snapshot).unwrap();
    run(&mut sim, 3);
    assert_eq!(sim.state_hash(), hash);
}

/// How far a weightless flat sheet drifts in a quarter of a second, and how much its edges are strained.
fn unrest(diameter: f32, rest: RestRule) -> (f32, f32) {
    let particles = ParticleSettings { rest, ..ParticleSettings::default() };
    let mut builder = SimulationBuilder::new(Settings { particles, ..weightless() });
    builder.set_default_interaction(Interaction::Particles);
    let cloth = balls(diameter);
    let mesh = cloth.mesh.clone();
    builder.add_cloth(cloth);
    let mut sim = builder.build().unwrap();
    assert_eq!(sim.rest_conflict().is_some(), diameter > 1.0);
    run(&mut sim, 15);
    let start: Vec<Point3<f32>> = mesh.positions_f32();
    (furthest(sim.positions(), &start), greatest_strain(&mesh.faces, sim.positions(), &mesh.positions))
}

#[test]
fn particles_larger_than_the_spacing_disturb_only_a_sheet_without_rest_rule() {
    for rest in [RestRule::Limit, RestRule::Cull] {
        let (drift, strain) = unrest(1.8, rest);
        assert!(drift < 1e-5 && strain < 1e-4, "{rest:?}: {drift} m, {strain}");
    }
    let (drift, strain) = unrest(1.8, RestRule::Ignore);
    assert!(drift > 0.1 * SPACING && strain > 0.02, "{drift} m, {strain}");
    let (drift, _) = unrest(0.75, RestRule::Ignore);
    assert!(drift < 1e-5, "{drift}");
}

#[test]
fn no_vertex_moves_beyond_its_share_of_the_radius_per_substep() {
    let mut sim =
        pair(Settings { max_radii_per_substep: Some(1.0), ..airless() }, |_, _| ()).build().unwrap();
    let most = 0.375 * SPACING * 10.0 * 60.0;
    let (mut slowed, mut fastest) = (0, 0.0_f32);
    sim.teleport(cloth_id(1), &nalgebra::Isometry3::translation(0.0, 100.0, 0.0)).unwrap();
    for _ in 0..60 {
        run(&mut sim, 1);
        slowed += sim.report().warnings.radius_limited;
        assert_eq!(sim.report().warnings.velocity_limited, 0);
        fastest = sim.velocities().iter().fold(fastest, |most, v| most.max(v.norm()));
    }
    assert!(fastest <= most * 1.001 && fastest > 0.99 * most && slowed > 100, "{fastest} {most} {slowed}");
}
