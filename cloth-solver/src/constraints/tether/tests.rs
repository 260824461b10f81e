use cloth_geom::Topology;
use cloth_geom::fixtures::sheet;

use super::*;
use crate::bodies::{Packed, difference};
use crate::rest::RestGeometry;
use crate::{ClothDesc, Material, Thickness};

const H: f32 = 1.0 / 120.0;

/// A sheet of 7 x 5 vertices whose first is number 3 of all, with two pins and one attachment.
fn cloth_tethers(desc: Tethers) -> (ClothTethers, Vec<f32>) {
    let mesh = sheet(7, 5, [0.6, 0.4]).unwrap().mesh;
    let cloth = ClothDesc::new(mesh, Material::COTTON, Thickness { radius: 0.0, scr: 0.0 });
    let topology = Topology::of_mesh(&cloth.mesh).unwrap();
    let graph = GeodesicGraph::new(&topology, &RestGeometry::new(&cloth).unwrap(), &[], HINGES);
    let mut inv_mass: Vec<f32> = (0..38).map(|v| 50.0 + 10.0 * (v % 7) as f32).collect();
    inv_mass[3] = 0.0;
    inv_mass[9] = 0.0;
    let mut cloth_tethers = ClothTethers::new(desc, graph.into(), 3, vec![34]);
    cloth_tethers.rebuild_if_stale(&inv_mass);
    (cloth_tethers, inv_mass)
}

/// Positions that are scattered widely enough to make some tethers taut and some slack.
fn scattered(w: &[f32]) -> Vec<Packed> {
    let number = |i: u32| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 24) as f32 - 0.5;
    let at = |v: u32| Packed::new(number(3 * v), number(3 * v + 1), number(3 * v + 2), w[v as usize]);
    (0..38).map(at).collect()
}

/// One pass over tethers given one by one, each with its multiplier, by the simplest code.
fn reference(tethers: &mut [(u32, u32, f32, f32)], x: &mut [Packed], w: &[f32], softness: f32) {
    for (v, anchor, limit, lambda) in tethers {
        let (v, anchor) = (*v as usize, *anchor as usize);
        let sep = difference(&x[anchor], &x[v]);
        let length = sep.norm();
        let too_long = length - *limit - softness * *lambda;
        if too_long > 0.0 {
            let delta = too_long / (w[v] + softness);
            *lambda += delta;
            x[v] += sep / length * (w[v] * delta);
        }
    }
}

fn one_by_one(cloth_tethers: &ClothTethers) -> Vec<(u32, u32, f32, f32)> {
    let mut tethers = Vec::new();
    for block in &cloth_tethers.blocks {
        for l in 0..8 {
            let tether = (block.vertex[l], block.anchor[l], block.limit[l], 0.0);
            // The last block of a rank repeats its last vertex.
            if tethers.last() != Some(&tether) {
                tethers.push(tether);
            }
        }
    }
    tethers
}

#[test]
fn eight_at_a_time_do_what_one_at_a_time_does() {
    for compliance in [0.0, 1e-3] {
        let (mut cloth_tethers, w) = cloth_tethers(Tethers { max_stretch: 0.05, anchors: 3, compliance });
        let mut tethers = one_by_one(&cloth_tethers);
        assert_eq!(tethers.len(), 3 * (35 - 3), "three anchors for each vertex that is no anchor");
        let mut x = scattered(&w);
        let mut expected = x.clone();
        let x_t0 = x.clone();
        for pass in 0..4 {
            let mut bodies = Bodies::with_masses(&mut x, &x_t0, &w, H);
            cloth_tethers.project(&mut bodies, Multipliers { start: pass == 0, end: false });
            reference(&mut tethers, &mut expected, &w, compliance / (H * H));
            let apart = x.iter().zip(&expected).map(|(a, b)| (a - b).norm()).fold(0.0, f32::max);
            // A few roundings of numbers below 1, a pass.
            assert!(apart <= 8.0 * f32::EPSILON, "pass {pass}: {apart}");
        }
        let moved = x.iter().zip(&x_t0).filter(|(a, b)| a != b).count();
        assert!(moved > 10, "{moved} moved");
        assert!(moved < 32, "all moved: none was slack");
    }
}

#[test]
fn a_pass_brings_each_vertex_within_the_limit_of_its_farthest_anchor() {
    let (mut cloth_tethers, w) = cloth_tethers(Tethers { max_stretch: 0.0, anchors: 1, compliance: 0.0 });
    let mut x = scattered(&w);
    let x_t0 = x.clone();
    cloth_tethers
        .project(&mut Bodies::with_masses(&mut x, &x_t0, &w, H), Multipliers { start: true, end: false });
    for (v, anchor, limit, _) in one_by_one(&cloth_tethers) {
        let length = difference(&x[v as usize], &x[anchor as usize]).norm();
        assert!(length <= limit * (1.0 + 8.0 * f32::EPSILON), "{v}: {length} of {limit}");
    }
}

#[test]
fn a_vertex_is_tied_to_what_holds_the_cloth_now() {
    let (mut cloth_tethers, mut w) = cloth_tethers(Tethers { max_stretch: 0.0, anchors: 1, compliance: 0.0 });
    let anchors = |cloth_tethers: &ClothTethers| {
        let mut anchors: Vec<u32> = cloth_tethers.blocks.iter().flat_map(|b| b.anchor).collect();
        anchors.sort_unstable();
        anchors.dedup();
        anchors
    };
    assert_eq!(anchors(&cloth_tethers), [3, 9, 37], "two pins and an attachment");
    w[3] = 100.0;
    w[20] = 0.0;
    cloth_tethers.update_masses(&w);
    cloth_tethers.rebuild_if_stale(&w);
    assert_eq!(anchors(&cloth_tethers), [9, 20, 37]);
    // Another mass changes no tether.
    w[12] = 7.0;
    cloth_tethers.update_masses(&w);
    assert!(!cloth_tethers.stale);
}

#[test]
fn a_cloth_that_nothing_holds_has_no_tethers() {
    let (mut cloth_tethers, _) = cloth_tethers(Tethers::default());
    cloth_tethers.attached.clear();
    let w = vec![1.0; 38];
    cloth_tethers.update_masses(&w);
    cloth_tethers.rebuild_if_stale(&w);
    assert!(cloth_tethers.blocks.is_empty());
}

#[test]
fn nothing_on_top_of_its_anchor_becomes_a_nan() {
    let (mut cloth_tethers, w) = cloth_tethers(Tethers { max_stretch: 0.0, anchors: 4, compliance: 0.0 });
    let mut x = vec![Packed::new(0.1, 0.2, 0.3, 0.0); 38];
    let x_t0 = x.clone();
    cloth_tethers
        .project(&mut Bodies::with_masses(&mut x, &x_t0, &w, H), Multipliers { start: true, end: false });
    assert!(x.iter().zip(&x_t0).all(|(x, x_t0)| x.xyz() == x_t0.xyz()));
}

#[test]
fn a_soft_tether_stretches_by_compliance_times_weight_for_any_passes() {
    let (compliance, mass, limit) = (2e-3, 0.5, 0.3);
    for passes in [1, 8] {
        let (mut cloth_tethers, _) = cloth_tethers(Tethers { max_stretch: 0.0, anchors: 1, compliance });
        let w = [0.0, 1.0 / mass];
        let block = TetherBlock { vertex: [1; 8], anchor: [0; 8], limit: [limit; 8], lambda: [0.0; 8] };
        cloth_tethers.blocks = vec![block];
        cloth_tethers.active.update(std::iter::once(true));
        let mut x = vec![Packed::zeros(), Packed::new(0.0, -limit, 0.0, 0.0)];
        let mut velocity = Packed::zeros();
        for _ in 0..600 {
            let x_t0 = x.clone();
            velocity.y -= 9.81 * H;
            x[1] += velocity * H;
            for pass in 0..passes {
                cloth_tethers.project(
                    &mut Bodies::with_masses(&mut x, &x_t0, &w, H),
                    Multipliers { start: pass == 0, end: false },
                );
            }
            velocity = (x[1] - x_t0[1]) / H;
        }
        let given = -x[1].y - limit;
        assert!((given / (compliance * mass * 9.81) - 1.0).abs() < 1e-3, "{passes} passes: {given} m");
    }
}
