//! The exact state check against all pairs, on random states that are degenerate on purpose, one after
//! another.
//!
//! Three quarters of the states are the second or a later one of their mesh in one checker, so that the
//! patches judge them; some checkers see another mesh in between. The same states go to every culling method,
//! which may spare no pair of faces that meet.
//!
//! `CLOTH_STATES` sets how many states are tried; without it 20,000. A state depends on its number alone.

mod meshes;
mod states;

use std::collections::BTreeSet;

use cloth_broadphase::cull::{
    BoxesOnly, Certificate, Culler, NormalCones, PatchTree, StarContour, WithPlanes,
};
use cloth_contacts::intersect::{Checker, Intersections, doubled_faces, find, find_brute_force};
use cloth_geom::exact::{is_flat_fold, segment_triangle_kind};
use cloth_geom::{Aabb, Topology};
use cloth_testing::Dice;
use nalgebra::Point3;
use rayon::prelude::*;

/// States of one checker.
const SEQUENCE: u64 = 8;

/// Sequences after which the count is printed, and disagreements end the test.
const BLOCK: u64 = 5000;

/// A mesh with its patches.
struct Subject {
    rest: Vec<Point3<f64>>,
    topology: Topology,
    tree: PatchTree,
}

impl Subject {
    fn new(dice: &mut Dice) -> Self {
        let mesh = meshes::mesh(dice);
        let topology = Topology::new(mesh.positions.len(), &mesh.faces).expect("valid faces");
        Self { rest: mesh.positions, tree: PatchTree::new(&topology), topology }
    }
}

/// What the states were like, and what went wrong.
#[derive(Debug, Default)]
struct Tally {
    states: u64,
    /// The second or a later state of its mesh in one checker.
    later: u64,
    clean: u64,
    hits: usize,
    flat_folds: usize,
    /// States that meet themselves and of which cones with planes spared a pair.
    spared: u64,
    /// Pairs that boxes leave, and those that the methods leave: star contours, cones, both again with
    /// planes.
    pairs: usize,
    left: [usize; 4],
    disagreements: Vec<String>,
}

impl Tally {
    fn add(mut self, other: Self) -> Self {
        self.states += other.states;
        self.later += other.later;
        self.clean += other.clean;
        self.hits += other.hits;
        self.flat_folds += other.flat_folds;
        self.spared += other.spared;
        self.pairs += other.pairs;
        self.left = std::array::from_fn(|m| self.left[m] + other.left[m]);
        self.disagreements.extend(other.disagreements);
        self
    }
}

/// The pairs of faces that meet apart from a common vertex or edge, flat folds and doubled faces among them.
fn pairs_that_meet(
    found: &Intersections,
    topology: &Topology,
    positions: &[Point3<f64>],
) -> BTreeSet<[u32; 2]> {
    let mut pairs: BTreeSet<_> = found.face_pairs(topology).into_iter().collect();
    pairs.extend(found.flat_folds.iter().flat_map(|&edge| folds_on(edge as usize, positions, topology)));
    pairs.extend(found.doubled_faces.iter().map(|&[face, first]| [first, face]));
    pairs
}

/// Every edge against every face whose closed box it touches; comparisons are exact, so this is what all
/// pairs give.
///
/// [`find_brute_force`] itself takes most of the time of these tests, so it judges every eighth state alone.
fn every_pair(positions: &[Point3<f64>], topology: &Topology) -> Intersections {
    let at = |v: u32| positions[v as usize];
    let boxes: Vec<Aabb> = topology.faces().iter().map(|f| Aabb::of_points(f.map(at))).collect();
    let mut found = Intersections::default();
    for (e, &edge) in topology.edges().iter().enumerate() {
        let bounds = Aabb::of_points(edge.map(at));
        for (f, face) in topology.faces().iter().enumerate() {
            if !bounds.overlaps(&boxes[f]) || edge.iter().any(|v| face.contains(v)) {
                continue;
            }
            let ([p, q], [a, b, c]) = (edge.map(at), face.map(at));
            if let Some(kind) = segment_triangle_kind([&p, &q], [&a, &b, &c]) {
                found.edge_faces.push([e as u32, f as u32]);
                found.kinds.push(kind);
            }
        }
        if !folds_on(e, positions, topology).is_empty() {
            found.flat_folds.push(e as u32);
        }
    }
    found.doubled_faces = doubled_faces(positions, topology).expect("finite positions");
    found
}

/// The pairs of faces that lie flat on each other across an edge, with their apexes in different places.
fn folds_on(edge: usize, positions: &[Point3<f64>], topology: &Topology) -> Vec<[u32; 2]> {
    let ends = topology.edges()[edge];
    let [p, q] = ends.map(|v| &positions[v as usize]);
    let apex =
        |f: u32| topology.faces()[f as usize].into_iter().find(|v| !ends.contains(v)).expect("an apex");
    let around = topology.edge_faces(edge);
    let pairs = around.iter().enumerate().flat_map(|(k, &f)| around[k + 1..].iter().map(move |&g| [f, g]));
    let is_fold = |pair: &[u32; 2]| {
        let [a, b] = pair.map(|f| &positions[apex(f) as usize]);
        a != b && is_flat_fold([p, q], a, b)
    };
    pairs.filter(is_fold).collect()
}

/// The pairs that a method leaves.
fn left_by<C: Certificate>(tree: &PatchTree, positions: &[Point3<f64>]) -> BTreeSet<[u32; 2]> {
    let mut pairs = BTreeSet::new();
    let mut culler = Culler::<C>::new(tree.clone());
    let visited = culler.visit_candidates(positions, &mut |f, g| {
        pairs.insert([f, g]);
    });
    visited.expect("finite positions");
    pairs
}

/// Judges one state by every method.
fn judge(checker: &mut Checker, subject: &Subject, positions: &[Point3<f64>], k: u64) -> Tally {
    let Subject { topology, tree, .. } = subject;
    let expected = every_pair(positions, topology);
    let mut faults = Vec::new();
    let mut compare = |how: &str, found: Result<Intersections, _>| {
        if found.as_ref() != Ok(&expected) {
            faults.push(format!("{how}: {} instead of {}", found.map_or(0, |f| f.count()), expected.count()));
        }
    };
    compare("checker", checker.check(positions, topology));
    if k.is_multiple_of(2) {
        compare("first state", find(positions, topology));
    }
    if k == SEQUENCE - 1 {
        compare("brute force", find_brute_force(positions, topology));
    }
    let boxes = left_by::<BoxesOnly>(tree, positions);
    let methods = [
        left_by::<StarContour>(tree, positions),
        left_by::<NormalCones>(tree, positions),
        left_by::<WithPlanes<StarContour>>(tree, positions),
        left_by::<WithPlanes<NormalCones>>(tree, positions),
    ];
    let meeting = pairs_that_meet(&expected, topology, positions);
    for (m, left) in methods.iter().enumerate() {
        let missed: Vec<_> = meeting.difference(left).collect();
        if !missed.is_empty() {
            faults.push(format!("method {m} misses {missed:?}"));
        }
    }
    Tally {
        states: 1,
        clean: u64::from(expected.is_clean()),
        hits: expected.count(),
        flat_folds: expected.flat_folds.len(),
        spared: u64::from(!expected.is_clean() && methods[3].len() < boxes.len()),
        pairs: boxes.len(),
        left: methods.each_ref().map(BTreeSet::len),
        disagreements: faults,
        ..Tally::default()
    }
}

/// Shows one checker a sequence of states.
fn try_sequence(number: u64) -> Tally {
    let mut dice = Dice::new(number);
    let subjects = [Subject::new(&mut dice), Subject::new(&mut dice)];
    let swaps = dice.one_in(4);
    let mut checker = Checker::default();
    let mut tally = Tally::default();
    for k in 0..SEQUENCE {
        // Two states of the first mesh, two of the second, and again: each mesh comes back to a checker that
        // forgot it.
        let subject = &subjects[usize::from(swaps && k % 4 >= 2)];
        let is_later = if swaps { k % 2 == 1 } else { k > 0 };
        let positions = states::state(&mut dice, &subject.rest);
        let mut one = judge(&mut checker, subject, &positions, k);
        one.later = u64::from(is_later);
        one.disagreements
            .iter_mut()
            .for_each(|fault| fault.insert_str(0, &format!("sequence {number}, state {k}: ")));
        tally = tally.add(one);
    }
    tally
}

#[test]
fn equals_all_pairs_in_every_degenerate_state_whatever_came_before() {
    let states = std::env::var("CLOTH_STATES").map_or(20_000, |n| n.parse().expect("a number of states"));
    let sequences = u64::div_ceil(states, SEQUENCE);
    let mut tally = Tally::default();
    for first in (0..sequences).step_by(BLOCK as usize) {
        let block = (first..sequences.min(first + BLOCK)).into_par_iter();
        tally = tally.add(block.map(try_sequence).reduce(Tally::default, Tally::add));
        let disagreements = &tally.disagreements;
        eprintln!("{} disagreements; {tally:?}", disagreements.len());
        assert!(disagreements.is_empty(), "{:#?}", &disagreements[..disagreements.len().min(20)]);
    }
    // The states must put the check to the test: many later ones, which meet themselves, and of which pairs
    // are spared.
    assert!(2 * tally.later > tally.states && 4 * tally.clean < 3 * tally.states, "{tally:?}");
    assert!(8 * tally.spared > tally.states && tally.flat_folds > 0, "{tally:?}");
    assert!(tally.left.iter().all(|&left| left < tally.pairs), "{tally:?}");
}

/// Shows one checker states of a mesh of which a part is scenery, which stands still in every second one.
fn try_scenery(number: u64) -> [usize; 2] {
    let mut dice = Dice::new(number);
    let Subject { rest, topology, .. } = Subject::new(&mut dice);
    let from = dice.below(rest.len() as u32 + 1) as usize;
    let is_scenery = |v: u32| v as usize >= from;
    let are_scenery = |vertices: &[u32]| vertices.iter().all(|&v| is_scenery(v));
    let is_scenery_face = |f: u32| are_scenery(&topology.faces()[f as usize]);
    let leave_out = |mut found: Intersections| {
        found.retain(|[e, f]| !are_scenery(&topology.edges()[e as usize]) || !is_scenery_face(f));
        found
            .flat_folds
            .retain(|&e| topology.edge_faces(e as usize).iter().filter(|&&f| is_scenery_face(f)).count() < 2);
        found.doubled_faces.retain(|faces| !faces.iter().all(|&f| is_scenery_face(f)));
        found
    };
    let mut checker = Checker::default();
    checker.leave_out_among((0..rest.len() as u32).map(is_scenery));
    let (mut last, mut counts) = (rest.clone(), [0; 2]);
    for k in 0..SEQUENCE {
        let mut positions = states::state(&mut dice, &rest);
        if k % 2 == 1 {
            positions[from..].copy_from_slice(&last[from..]);
        }
        let all = every_pair(&positions, &topology);
        let expected = leave_out(all.clone());
        let mut found = checker.check(&positions, &topology).expect("finite positions");
        // Those that lie on a face of the cloth as well are found.
        found.doubled_faces.retain(|faces| !faces.iter().all(|&f| is_scenery_face(f)));
        assert_eq!(found, expected, "sequence {number}, state {k}");
        counts = [counts[0] + expected.count(), counts[1] + all.count()];
        last = positions;
    }
    counts
}

#[test]
fn leaves_out_what_scenery_has_with_itself_and_nothing_else() {
    let add = |a: [usize; 2], b: [usize; 2]| [a[0] + b[0], a[1] + b[1]];
    let [kept, all] = (0..500).into_par_iter().map(try_scenery).reduce(|| [0; 2], add);
    assert!(4 * kept > all && 10 * kept < 9 * all, "{kept} of {all}");
}
