//! Once warm, a broad phase allocates nothing: neither in an update, nor while it visits pairs within its
//! set.

use cloth_broadphase::{
    AnyBroadPhase, BlockTree, Boxes, BroadPhase, BruteForce, Members, PairFilter, PointGrid, SpatialHash,
    SweepAndPrune, SweepGrid,
};
use cloth_geom::Aabb;
use nalgebra::{Point3, Vector3};

/// A folded strip of boxes; `shift` moves each a little on its own.
fn boxes(count: usize, shift: f64) -> Boxes {
    let at = |i: usize| {
        let (x, y) = (i % 40, i / 40 % 3);
        Point3::new(x as f64, y as f64 * 0.7, (i / 120) as f64 * 0.8)
            + Vector3::repeat(shift * (i % 7) as f64)
    };
    Boxes::try_from_iter((0..count).map(|i| Aabb { min: at(i), max: at(i) + Vector3::repeat(0.9) })).unwrap()
}

fn count(broad_phase: &impl BroadPhase, edges: &[[u32; 2]]) -> u64 {
    let mut count = 0;
    let filter = PairFilter::no_shared_vertex(Members::Edges(edges), Members::Edges(edges));
    broad_phase.visit_self_pairs(&filter, &mut |_, _| count += 1);
    count
}

fn allocates_nothing<B: BroadPhase>(name: &str, also_in_updates: bool) {
    allocates_nothing_in(B::default(), name, also_in_updates);
    allocates_nothing_in(B::default().into_any(), &format!("AnyBroadPhase of {name}"), also_in_updates);
}

fn allocates_nothing_in(mut broad_phase: impl BroadPhase, name: &str, also_in_updates: bool) {
    let edges: Vec<[u32; 2]> = (0..3000).map(|i| [i, i + 1]).collect();
    let states = [0.0, 0.01, 0.05].map(|shift| boxes(3000, shift));
    for state in &states {
        broad_phase.update(state);
    }
    let mut found = 0;
    let visits = allocation_counter::measure(|| found = count(&broad_phase, &edges));
    assert_eq!(visits.count_total, 0, "{name} allocates {} bytes while it visits", visits.bytes_total);
    assert!(found > 3000, "{name} finds {found}");
    let updates = allocation_counter::measure(|| broad_phase.update(&states[0]));
    assert!(!also_in_updates || updates.count_total == 0, "{name} allocates in an update");
}

#[test]
fn visits_and_updates_allocate_nothing_once_warm() {
    allocates_nothing::<BruteForce>("BruteForce", true);
    allocates_nothing::<BlockTree>("BlockTree", true);
    #[cfg(feature = "parry")]
    allocates_nothing::<cloth_broadphase::ParryBvh>("ParryBvh", true);
    allocates_nothing::<SpatialHash>("SpatialHash", true);
    allocates_nothing::<SweepGrid>("SweepGrid", true);
    allocates_nothing::<SweepAndPrune>("SweepAndPrune", true);
}

#[test]
fn the_default_of_any_broad_phase_allocates_nothing() {
    assert_eq!(allocation_counter::measure(|| drop(AnyBroadPhase::default())).count_total, 0);
}

#[test]
fn visits_of_pairs_with_another_set_allocate_nothing() {
    fn check<B: BroadPhase>(name: &str) {
        let mut broad_phase = B::default();
        broad_phase.update(&boxes(3000, 0.0));
        for other in [boxes(100, 0.3), boxes(5000, 0.3)] {
            let mut found = 0;
            let visits = allocation_counter::measure(|| {
                broad_phase.visit_pairs_with(&other, &PairFilter::all(), &mut |_, _| found += 1);
            });
            assert_eq!(visits.count_total, 0, "{name}");
            assert!(found > 100, "{name} finds {found}");
        }
    }
    check::<BlockTree>("BlockTree");
    #[cfg(feature = "parry")]
    check::<cloth_broadphase::ParryBvh>("ParryBvh");
    check::<SpatialHash>("SpatialHash");
    check::<SweepGrid>("SweepGrid");
    check::<SweepAndPrune>("SweepAndPrune");
}

#[test]
fn a_grid_of_points_allocates_nothing_once_warm() {
    let points: Vec<Point3<f32>> =
        (0..5000).map(|i| Point3::new((i % 71) as f32, (i / 71) as f32, 0.0)).collect();
    let mut grid = PointGrid::default();
    grid.update(&points, Some(&points), 1.0).unwrap();
    let mut found = 0;
    let again = allocation_counter::measure(|| {
        grid.update(&points, None, 1.0).unwrap();
        grid.visit_pairs(&mut |_, _| found += 1);
    });
    assert_eq!(again.count_total, 0);
    assert!(found > 9000, "{found}");
}
