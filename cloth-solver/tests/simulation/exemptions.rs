//! Exemptions that end by an edit: what they had let intersect is a tangle from then on, and never taken for
//! certified.

use cloth_contacts::ccd::{Ccd, Filtered, Query};
use cloth_contacts::intersect;
use cloth_geom::{Topology, TriMesh};
use cloth_solver::{ClothDesc, Interaction, Pair, Settings, Simulation, SimulationBuilder, Stitch};
use nalgebra::{Point3, Vector3};

use crate::ids::cloth_id;
use crate::scenes::{cotton, run, sheet, upright, weightless};

const DT: f32 = 1.0 / 60.0;

/// So slow that recovery takes more than one step.
fn settings() -> Settings {
    Settings { gate: true, recovery: true, recovery_speed: 0.1, ..weightless() }
}

/// A sheet, and a small one upright that stands 20 mm through it, in one mesh.
fn crossed() -> ClothDesc {
    let mut mesh = sheet(8, 0.35);
    let blade = upright(4, 0.1).mapped(|p| p + Vector3::new(0.013, 0.03, 0.017));
    let first = mesh.positions.len() as u32;
    mesh.positions.extend(&blade.positions);
    mesh.faces.extend(blade.faces.iter().map(|face| face.map(|v| v + first)));
    ClothDesc { thickness: cotton(sheet(8, 0.35)).thickness, ..cotton(mesh) }
}

fn hits_of(positions: &[Point3<f64>], topology: &Topology) -> Vec<[u32; 2]> {
    intersect::find(positions, topology).unwrap().edge_faces
}

/// The edges and faces that intersect at the start, as their vertices.
fn start_hits(TriMesh { positions, faces, .. }: &TriMesh) -> Vec<([u32; 2], [u32; 3])> {
    let topology = Topology::new(positions.len(), faces).unwrap();
    let hits = hits_of(positions, &topology);
    hits.iter().map(|&[e, f]| (topology.edges()[e as usize], faces[f as usize])).collect()
}

fn hits(sim: &Simulation) -> Vec<[u32; 2]> {
    let positions: Vec<Point3<f64>> = sim.positions().iter().map(|p| p.cast()).collect();
    hits_of(&positions, sim.surface().topology())
}

fn certified_hits(sim: &Simulation) -> usize {
    hits(sim).into_iter().filter(|&hit| sim.is_certified(hit)).count()
}

/// All vertices and faces, and all pairs of edges, that share no vertex.
fn all_pairs(topology: &Topology) -> Vec<(Pair, [u32; 4])> {
    let (faces, edges) = (topology.faces(), topology.edges());
    let mut pairs = Vec::new();
    for (face, f) in faces.iter().zip(0..) {
        let others = (0..topology.vertex_count() as u32).filter(|v| !face.contains(v));
        pairs.extend(others.map(|v| (Pair::PointTriangle([v, f]), [v, face[0], face[1], face[2]])));
    }
    for (b, j) in edges.iter().zip(0..) {
        let others = edges.iter().zip(0..j).filter(|(a, _)| !a.iter().any(|v| b.contains(v)));
        pairs.extend(others.map(|(a, i)| (Pair::EdgeEdge([i, j]), [a[0], a[1], b[0], b[1]])));
    }
    pairs
}

/// Takes a step; the pairs that crossed in it and are exempt neither before nor after it.
fn crossings(sim: &mut Simulation) -> usize {
    let pairs = all_pairs(sim.surface().topology());
    let mut motions = Vec::new();
    let exempt_before: Vec<bool> = pairs.iter().map(|(pair, _)| sim.exemption(*pair).is_some()).collect();
    sim.step_with(DT, &mut |motion| motions.push([motion.x_t0.to_vec(), motion.x_t1.to_vec()])).unwrap();
    let guarded = pairs
        .iter()
        .zip(exempt_before)
        .filter(|((pair, _), exempt_before)| !exempt_before && sim.exemption(*pair).is_none());
    let filtered = Filtered::default();
    let meet = |(pair, v): &(Pair, [u32; 4])| {
        motions.iter().any(|motion| {
            let [t0, t1] = [&motion[0], &motion[1]].map(|x| v.map(|v| x[v as usize].cast::<f64>()));
            let query = match pair {
                Pair::PointTriangle(_) => Query::point_triangle(t0, t1),
                Pair::EdgeEdge(_) => Query::edge_edge(t0, t1),
            };
            !filtered.is_free(&query, 0.0).unwrap()
        })
    };
    guarded.filter(|(pair, _)| meet(pair)).count()
}

/// Runs a scene in which cloth intersects through an exemption that `end` takes away, until recovery has
/// resolved it.
fn becomes_a_tangle(builder: SimulationBuilder, end: impl FnOnce(&mut SimulationBuilder)) {
    let mut sim = builder.build().unwrap();
    run(&mut sim, 3);
    let before = hits(&sim);
    assert!(before.len() >= 3, "{} hits: the scene proves nothing", before.len());
    assert!(sim.tangles().is_empty(), "the exemption is permanent");
    sim.edit(|scene| {
        end(scene);
        Ok(())
    })
    .unwrap();
    assert_eq!(hits(&sim), before);
    assert_eq!(certified_hits(&sim), 0, "right after the edit");
    assert_eq!(crossings(&mut sim), 0);
    assert!(!sim.tangles().is_empty());
    let mut left = hits(&sim).len();
    for step in 0..200 {
        assert_eq!(certified_hits(&sim), 0, "step {step}");
        assert_eq!(sim.report().gate.intersections_outside_tangles, 0, "step {step}");
        if left == 0 {
            return;
        }
        assert_eq!(crossings(&mut sim), 0, "step {step}");
        left = hits(&sim).len();
    }
    panic!("{left} intersections are not resolved");
}

#[test]
fn an_interaction_that_is_restored_makes_intersections_a_tangle() {
    let mut builder = SimulationBuilder::new(settings());
    builder.add_cloth(crossed());
    builder.set_default_interaction(Interaction::None);
    becomes_a_tangle(builder, |scene| scene.set_default_interaction(Interaction::FullMesh));
}

#[test]
fn an_exclusion_that_is_removed_makes_intersections_a_tangle() {
    let mut cloth = crossed();
    cloth.exclusions = start_hits(&cloth.mesh).iter().map(|(edge, face)| [edge[0], face[0]]).collect();
    let mut builder = SimulationBuilder::new(settings());
    builder.add_cloth(cloth);
    becomes_a_tangle(builder, |scene| scene.cloth_mut(cloth_id(0)).unwrap().exclusions.clear());
}

#[test]
fn a_stitch_that_is_removed_makes_intersections_a_tangle() {
    let mut cloth = crossed();
    let stitch = |(edge, face): &([u32; 2], [u32; 3])| Stitch {
        vertex: edge[0],
        edge: [face[0], face[1]],
        ratio: 0.5,
    };
    cloth.stitches = start_hits(&cloth.mesh).iter().map(stitch).collect();
    // Pinned, so that the stitches do not close.
    cloth.pins = (0..cloth.mesh.positions.len() as u32).collect();
    let mut builder = SimulationBuilder::new(settings());
    builder.add_cloth(cloth);
    becomes_a_tangle(builder, |scene| {
        let cloth = scene.cloth_mut(cloth_id(0)).unwrap();
        cloth.stitches.clear();
        cloth.pins.clear();
    });
}

#[test]
fn self_collision_that_is_turned_on_makes_intersections_a_tangle() {
    let mut builder = SimulationBuilder::new(Settings { self_collision: false, ..settings() });
    builder.add_cloth(crossed());
    let mut sim = builder.build().unwrap();
    sim.step(DT).unwrap();
    sim.set_settings(settings()).unwrap();
    assert!(!hits(&sim).is_empty());
    assert_eq!(certified_hits(&sim), 0);
    sim.step(DT).unwrap();
    assert!(!sim.tangles().is_empty());
    assert_eq!(certified_hits(&sim), 0);
}

#[test]
fn an_edit_that_exempts_nothing_else_keeps_tangles() {
    let mut builder = SimulationBuilder::new(settings());
    builder.add_cloth(crossed());
    let mut sim = builder.build().unwrap();
    sim.step(DT).unwrap();
    let tangles = sim.tangles().to_vec();
    assert!(!tangles.is_empty());
    sim.edit(|scene| {
        scene.cloth_mut(cloth_id(0)).unwrap().damping.global = 1.0;
        Ok(())
    })
    .unwrap();
    assert_eq!(sim.tangles(), tangles);
}

#[test]
fn an_edit_that_exempts_more_widens_no_tangle() {
    let mut builder = SimulationBuilder::new(settings());
    builder.add_cloth(crossed());
    let mut sim = builder.build().unwrap();
    run(&mut sim, 10);
    let pairs = all_pairs(sim.surface().topology());
    let certified = |sim: &Simulation| -> Vec<Pair> {
        pairs.iter().map(|(pair, _)| *pair).filter(|pair| sim.exemption(*pair).is_none()).collect()
    };
    let (before, tangles) = (certified(&sim), sim.tangles().to_vec());
    assert!(!tangles.is_empty());
    // Far from the blade, so that it exempts no pair that could be in a tangle.
    let corners = [0, 7];
    sim.edit(|scene| {
        scene.cloth_mut(cloth_id(0)).unwrap().exclusions.push(corners);
        Ok(())
    })
    .unwrap();
    assert_eq!(sim.tangles(), tangles, "they are not begun anew");
    sim.step(DT).unwrap();
    let after = certified(&sim);
    let of_corner =
        |pair: &Pair| pairs.iter().any(|(p, v)| p == pair && v.iter().any(|v| corners.contains(v)));
    let lost: Vec<_> = before.iter().filter(|pair| !after.contains(pair) && !of_corner(pair)).collect();
    assert!(lost.is_empty(), "{} pairs are no longer certified", lost.len());
}
