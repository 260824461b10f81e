//! A gate that is wrong is found out by the campaign, whatever is wrong with it.

use std::time::Instant;

use cloth_broadphase::BroadPhase;
use cloth_contacts::gate::Weakness;
use cloth_solver::Simulation;
use cloth_verify::fuzz::{FuzzScene, Prepare, judge};
use rayon::prelude::*;

/// Seed of the first scene.
const SEED: u64 = 1;

/// Makes the gate wrong in one way.
struct Weakened(Weakness);

impl Prepare for Weakened {
    fn prepare<B: BroadPhase>(&self, simulation: &mut Simulation<B>) {
        simulation.weaken_gate(self.0);
    }
}

/// The first scene that shows a weakness, if it is among this many; and how it shows.
fn caught(weakness: Weakness, within: u64) -> Option<(u64, String)> {
    let fails = |index: u64| {
        let scene = FuzzScene::from_seed(SEED + index);
        judge(&scene, &Weakened(weakness)).failure.map(|what| (index, what))
    };
    (0..within).into_par_iter().find_map_first(fails)
}

fn check(weakness: Weakness, within: u64) {
    let started = Instant::now();
    let found = caught(weakness, within);
    let seconds = started.elapsed().as_secs_f64();
    let (index, what) =
        found.unwrap_or_else(|| panic!("{weakness:?} is not found in {within} scenes, {seconds:.1} s"));
    println!("{weakness:?}: caught by scene {} in {seconds:.1} s: {what}", index + 1);
}

#[test]
fn a_gate_that_skips_pairs_of_edges_is_caught() {
    check(Weakness::SkipEdgeEdge, 100);
}

#[test]
fn a_gate_that_does_not_prove_again_what_it_pulled_back_is_caught() {
    check(Weakness::SkipReproof, 100);
}

#[test]
fn a_gate_that_never_looks_at_one_pair_in_a_thousand_is_caught() {
    check(Weakness::DropOneInAThousand, 500);
}

#[test]
fn a_gate_that_takes_the_middle_of_a_motion_for_its_bound_is_caught() {
    check(Weakness::CentreForBound, 500);
}

#[test]
fn a_gate_that_loses_the_results_of_a_thread_is_caught() {
    check(Weakness::IgnoreAThread, 500);
}

#[test]
fn a_gate_whose_planes_separate_at_the_end_alone_is_caught() {
    check(Weakness::PlaneAtTheEndOnly, 100);
}

#[test]
fn a_gate_that_proves_again_by_the_first_vertex_alone_is_caught() {
    check(Weakness::ReproveFirstVertexOnly, 500);
}

#[test]
fn a_gate_that_is_not_weak_is_not_caught() {
    assert_eq!(caught(Weakness::None, 50), None);
}
