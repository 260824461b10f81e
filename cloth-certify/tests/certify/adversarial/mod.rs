//! Coordinates that are chosen to break bounds of rounding, against exact arithmetic and against all pairs.
//!
//! The tests take 10,000 cases, or a share of them where exact roots take long: a quarter for lists and safe
//! distances, an eighth for judges and the gate, and few for steps. One in sixteen has some forty pairs, the
//! others one. More, with another seed:
//!
//! ```sh
//! CLOTH_CASES=1000000 CLOTH_SEED=7 cargo test -p cloth-certify --test certify adversarial -- --nocapture
//! ```

mod numbers;
mod oracle;

use cloth_ccd::{Filtered, Query};
use cloth_certify::{Certifier, CollisionMesh, Coordinate, Pair, Search, StepLimit};
use cloth_contacts::gate::{Gate, Proposal};
use cloth_contacts::{Regions, Surface};
use cloth_geom::exact::reference;
use nalgebra::Point3;

use crate::Dice;
use numbers::Numbers;
use oracle::{a_plane_separates, is_free};

/// A vertex and a face, two edges, and a few of everything.
fn meshes() -> [CollisionMesh; 3] {
    let few = [[0, 1, 2], [2, 1, 3], [4, 5, 6]];
    [
        CollisionMesh::new(4, &[[1, 2, 3]]).build().unwrap(),
        CollisionMesh::new(4, &[]).edges(&[[0, 1], [2, 3]]).build().unwrap(),
        CollisionMesh::new(8, &few).edges(&[[6, 7]]).build().unwrap(),
    ]
}

/// All pairs that share no vertex, in their order.
fn pairs(mesh: &CollisionMesh) -> Vec<Pair> {
    let (faces, edges) = (mesh.topology().faces(), mesh.topology().edges());
    let of_faces = (0..).zip(faces).flat_map(|(f, face)| {
        let others = (0..mesh.vertex_count() as u32).filter(move |v| !face.contains(v));
        others.map(move |v| Pair::PointTriangle([v, f]))
    });
    let of_edges = (0..).zip(edges).flat_map(|(b, edge)| {
        let others = (0..b).filter(move |&a: &u32| !edges[a as usize].iter().any(|v| edge.contains(v)));
        others.map(move |a| Pair::EdgeEdge([a, b]))
    });
    let mut pairs: Vec<Pair> = of_faces.chain(of_edges).collect();
    pairs.sort_unstable();
    pairs
}

fn points(x: &[[f64; 3]]) -> Vec<Point3<f64>> {
    x.iter().copied().map(Point3::from).collect()
}

fn of_kind<T: Coordinate>(x: &[[f64; 3]]) -> Vec<[T; 3]> {
    x.iter().map(|p| p.map(T::nearest)).collect()
}

fn in_f64<T: Coordinate>(x: &[[T; 3]]) -> Vec<[f64; 3]> {
    x.iter().map(|p| p.map(Into::into)).collect()
}

/// What was found in all cases, so that a test which finds nothing is seen.
#[derive(Debug, Default)]
struct Counts {
    cases: usize,
    clean: usize,
    tangled: usize,
    colliding: usize,
    certified: usize,
    corrected: usize,
    kept: usize,
    steps: usize,
    safe: usize,
}

impl Counts {
    /// Each is found in at least one case of a hundred.
    fn have_found(&self, counts: &[usize]) {
        assert!(counts.iter().all(|&count| count * 100 >= self.cases), "{self:?}");
    }
}

/// A mesh with its pairs, and a case for it.
struct Case {
    mesh: CollisionMesh,
    pairs: Vec<Pair>,
    numbers: Numbers,
    states: [Vec<[f64; 3]>; 3],
}

impl Case {
    fn query(&self, pair: Pair, ends: [&[[f64; 3]]; 2]) -> Query {
        let [x0, x1] = ends.map(points);
        pair.query(self.mesh.topology(), [&x0, &x1])
    }

    /// Whether all pairs stay farther apart than a distance (m) in a motion.
    fn all_are_free(&self, ends: [&[[f64; 3]]; 2], distance: f64) -> bool {
        self.pairs.iter().all(|&pair| is_free(&self.query(pair, ends), distance))
    }

    /// The judges say what exact arithmetic says.
    fn check_judges<T: Coordinate>(&self, dice: &mut Dice, counts: &mut Counts) {
        let [x0, x1, _] = &self.states;
        let ends: [Vec<[T; 3]>; 2] = [of_kind(x0), of_kind(x1)];
        let motion = self.mesh.check_motion(&ends[0], &ends[1], Search::All).unwrap();
        let found: Vec<Pair> = motion.witnesses().iter().map(|witness| witness.pair).collect();
        // Roots take milliseconds, and a pair that wrongly counts as colliding lets nothing pass.
        let takes_roots = dice.below(8) == 0;
        for &pair in &self.pairs {
            let query = self.query(pair, [x0, x1]);
            match found.contains(&pair) {
                true if takes_roots => assert!(!is_free(&query, 0.0), "{query:?}"),
                true => assert!(!a_plane_separates(&query, 0.0), "{query:?}"),
                false => assert!(is_free(&query, 0.0), "{query:?}"),
            }
        }
        let first = self.mesh.check_motion(&ends[0], &ends[1], Search::First).unwrap();
        assert_eq!(first.is_clean(), found.is_empty());
        counts.colliding += usize::from(!found.is_empty());
        let report = self.mesh.check_state(&ends[0]).unwrap();
        let hits: Vec<[u32; 2]> = report.intersections().filter_map(|w| Some([w.edge?, w.face])).collect();
        assert_eq!(hits, self.intersections(x0), "{x0:?}");
        counts.clean += usize::from(report.is_clean());
        counts.tangled += usize::from(!report.is_clean());
    }

    /// The edges and faces that meet, by integers.
    fn intersections(&self, x: &[[f64; 3]]) -> Vec<[u32; 2]> {
        let (topology, x) = (self.mesh.topology(), points(x));
        let at = |v: u32| &x[v as usize];
        let mut found = Vec::new();
        for (e, ends) in (0..).zip(topology.edges()) {
            for (f, face) in (0..).zip(topology.faces()) {
                let shares = ends.iter().any(|v| face.contains(v));
                if !shares && reference::segment_meets_triangle(ends.map(at), face.map(at)) {
                    found.push([e, f]);
                }
            }
        }
        found
    }

    /// A step is certified, and its end is a number.
    fn check_step<T: Coordinate>(&self, dice: &mut Dice, counts: &mut Counts) {
        let [x0, x1, _] = &self.states;
        // A distance is measured within a limit alone.
        let is_within = [x0, x1].iter().all(|x| x.iter().flatten().all(|c| c.abs() <= CollisionMesh::LIMIT));
        let distance = if is_within { self.distance(dice) } else { 0.0 };
        let ends: [Vec<[T; 3]>; 2] = [of_kind(x0), of_kind(x1)];
        let step = self.mesh.max_step(&ends[0], &ends[1], distance).unwrap();
        let mut end = ends[0].clone();
        step.advance(&ends[0], &ends[1], &mut end).unwrap();
        let end = in_f64(&end);
        assert!(end.iter().flatten().all(|c| c.is_finite()), "{step:?}: {x0:?} {x1:?}");
        match step.limit {
            StepLimit::None => assert!(step.step == 1.0 && self.all_are_free([x0, x1], distance)),
            StepLimit::Collision(_) if step.step > 0.0 => {
                assert!(self.all_are_free([x0, &end], distance), "{step:?} {distance:e}: {x0:?} {x1:?}");
                counts.steps += 1;
            }
            StepLimit::Collision(_) | StepLimit::Tangled(_) | StepLimit::TooNear(_) => {
                assert!(step.step == 0.0, "{step:?}");
            }
        }
    }

    /// Nothing touches while vertices move along the axes by what is safe, as exact differences say.
    fn check_safe_distances<T: Coordinate>(&self, dice: &mut Dice, counts: &mut Counts) {
        let [x, ..] = &self.states;
        let of: Vec<[T; 3]> = of_kind(x);
        if !self.mesh.check_state(&of).unwrap().is_clean() || !self.all_are_free([x, x], 0.0) {
            return;
        }
        let safe = self.mesh.safe_distances(&of).unwrap();
        for _ in 0..4 {
            let moved = |(p, safe): (&[f64; 3], &T)| {
                let (mut end, axis, safe) = (*p, dice.below(3), (*safe).into());
                let from = p[axis];
                let to = from + safe * [-1.0, 1.0][dice.below(2)];
                // A rounded difference is below it only if the exact one is; one from 0 is exact.
                let is_within = |to: f64| (to - from).abs() < safe || from == 0.0;
                let nearer = if to > from { to.next_down() } else { to.next_up() };
                end[axis] = [to, nearer].into_iter().find(|&to| is_within(to)).unwrap_or(from);
                end
            };
            let end: Vec<[f64; 3]> = x.iter().zip(&safe).map(moved).collect();
            assert!(self.all_are_free([x, &end], 0.0), "{safe:?}: {x:?} {end:?}");
        }
        counts.safe += 1;
    }

    /// Two motions are certified, and what is certified holds.
    fn check_certifier<T: Coordinate>(&self, dice: &mut Dice, counts: &mut Counts) {
        let x0 = &self.states[0];
        let thickness = self.distance(dice);
        let mut settings = self.mesh.certifier().thickness(thickness);
        if dice.below(2) == 0 {
            settings = settings.clearance(thickness * 0.125);
        }
        let mut start: Vec<[T; 3]> = of_kind(x0);
        let Ok(mut certifier) = settings.start(&start) else { return };
        let masses = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]][dice.below(3)];
        let inv_mass: Vec<T> = (0..start.len()).map(|_| T::nearest(masses[dice.below(2)])).collect();
        for proposed in &self.states[1..] {
            let mut end: Vec<[T; 3]> = of_kind(proposed);
            let certificate = certifier.correct(&start, &mut end, &inv_mass).unwrap();
            let ends = [in_f64(&start), in_f64(&end)];
            let ends = ends.each_ref().map(|x| &x[..]);
            if certificate.is_unconditional() {
                let keeps = thickness > 0.0 && certificate.near() == 0;
                let distance = if keeps { thickness } else { 0.0 };
                assert!(self.all_are_free(ends, distance), "{thickness:e}: {ends:?}");
                assert!(
                    !keeps || self.all_are_free([ends[1]; 2], thickness * 1.01),
                    "{thickness:e}: {ends:?}"
                );
                assert!(self.mesh.check_state(&end).unwrap().is_clean(), "{ends:?}");
                counts.certified += usize::from(ends[0] != ends[1]);
                counts.kept += usize::from(keeps && ends[0] != ends[1]);
            }
            counts.corrected += usize::from(!certificate.changed().is_empty());
            start = end;
        }
    }

    /// A distance (m) to keep: none, that of the numbers, or about that of the first pair. Exact roots take
    /// seconds where it is above 0 and sizes differ by hundreds of powers of two: none then.
    fn distance(&self, dice: &mut Dice) -> f64 {
        let x = points(&self.states[0]);
        let near = (x[0] - x[1]).amax().min((x[0] - x[2]).amax());
        let wanted = match dice.below(8) {
            0..=4 => return 0.0,
            5 => self.numbers.tiny() * (1 + dice.below(8)) as f64 / 4.0,
            _ => near * [0.1, 0.5, 0.9, 0.98, 1.0][dice.below(5)],
        };
        if self.numbers.are_alike() { wanted.min(CollisionMesh::LIMIT) } else { 0.0 }
    }

    /// Lists that serve several motions find what all pairs find. Below a millionth of the extent planes of
    /// one kind may show a distance that those of another do not, so none is kept then.
    fn check_lists<T: Coordinate>(&self, dice: &mut Dice) {
        let extent = self.states.iter().flatten().flatten().fold(0.0, |most: f64, c| most.max(c.abs()));
        let kept = Some(self.distance(dice)).filter(|&kept| kept > 1e-6 * extent).unwrap_or(0.0);
        let topology = self.mesh.topology().clone();
        let part = vec![0; topology.vertex_count()];
        let surface = Surface::for_gate_alone(topology, &part, &[false], &[], Regions::default()).unwrap();
        let mut start: Vec<Point3<T>> = self.points_of_kind(0);
        let clearance = ((1.125 * kept) as f32).next_up().max(self.numbers.tiny() as f32);
        let surface = surface.placed(&start, |_| clearance);
        let inv_mass = vec![T::nearest(1.0); start.len()];
        let new = || {
            let mut gate = Gate::<_, T>::with_ccd(Filtered::default());
            gate.keep_distance(kept);
            gate
        };
        let mut gate = new();
        for motion in 1..3 {
            let [mut end, mut wanted] = [(); 2].map(|()| self.points_of_kind(motion));
            let (inv_mass, slack) = (&inv_mass[..], 0.0);
            let mut proposal = Proposal { start: &start, end: &mut end, inv_mass, slack };
            gate.certify(&surface, &mut proposal).unwrap();
            let mut proposal = Proposal { start: &start, end: &mut wanted, inv_mass, slack };
            new().certify_all_pairs(&surface, &mut proposal).unwrap();
            assert_eq!(end, wanted, "{kept:e} {clearance:e}: {start:?} {:?}", self.states[motion]);
            start = end;
        }
    }

    fn points_of_kind<T: Coordinate>(&self, state: usize) -> Vec<Point3<T>> {
        of_kind(&self.states[state]).into_iter().map(Point3::from).collect()
    }
}

/// A number from the environment.
fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |n| n.parse().expect("a number"))
}

/// Calls `check` with cases for a kind of coordinate, one in sixteen of a mesh of several pairs.
fn for_each_case<T: Coordinate>(cases: usize, limit: f64, mut check: impl FnMut(&Case, &mut Dice)) {
    let meshes = meshes();
    let pairs = meshes.each_ref().map(pairs);
    let mut dice = Dice::new(setting("CLOTH_SEED", 1).into());
    for case in 0..cases {
        let place = if case % 16 == 15 { 2 } else { case % 2 };
        let numbers = Numbers::new::<T>(&mut dice, limit);
        let count = meshes[place].vertex_count();
        let x0 = numbers.state::<T>(&mut dice, count);
        let x1 = numbers.next::<T>(&mut dice, &x0);
        let x2 = numbers.next::<T>(&mut dice, &x1);
        let (mesh, pairs) = (meshes[place].clone(), pairs[place].clone());
        let case = Case { mesh, pairs, numbers, states: [x0, x1, x2] };
        check(&case, &mut dice);
    }
}

/// Checks one case in `share`, half of them for each kind of coordinate; what was found.
fn check_both(
    share: u64,
    limits: [f64; 2],
    mut in_f32: impl FnMut(&Case, &mut Dice, &mut Counts),
    mut in_f64: impl FnMut(&Case, &mut Dice, &mut Counts),
) -> Counts {
    let cases = (setting("CLOTH_CASES", 10_000) / share) as usize;
    let mut counts = Counts { cases, ..Counts::default() };
    for_each_case::<f32>(cases / 2, limits[0], |case, dice| in_f32(case, dice, &mut counts));
    for_each_case::<f64>(cases / 2, limits[1], |case, dice| in_f64(case, dice, &mut counts));
    println!("{counts:?}");
    counts
}

/// The greatest finite numbers.
const ANY: [f64; 2] = [f32::MAX as f64, f64::MAX];

/// Those that a gate accepts.
const GATED: [f64; 2] = [CollisionMesh::LIMIT; 2];

#[test]
fn judges_of_adversarial_motions_say_what_exact_roots_say() {
    let counts = check_both(8, ANY, Case::check_judges::<f32>, Case::check_judges::<f64>);
    counts.have_found(&[counts.colliding, counts.clean, counts.tangled]);
}

#[test]
fn adversarial_motions_that_are_certified_touch_nothing() {
    let counts = check_both(8, GATED, Case::check_certifier::<f32>, Case::check_certifier::<f64>);
    counts.have_found(&[counts.certified, counts.corrected, counts.kept]);
}

#[test]
fn lists_of_adversarial_motions_find_what_all_pairs_find() {
    check_both(
        4,
        GATED,
        |case, dice, _| case.check_lists::<f32>(dice),
        |case, dice, _| case.check_lists::<f64>(dice),
    );
}

#[test]
fn steps_of_adversarial_motions_are_never_too_long() {
    let counts = check_both(32, ANY, Case::check_step::<f32>, Case::check_step::<f64>);
    counts.have_found(&[counts.steps]);
}

#[test]
fn adversarial_states_keep_apart_within_their_safe_distances() {
    let counts = check_both(4, GATED, Case::check_safe_distances::<f32>, Case::check_safe_distances::<f64>);
    counts.have_found(&[counts.safe]);
}

/// The least number of `f64`.
const LEAST: f64 = f64::from_bits(1);

#[test]
fn a_vertex_whose_heights_underflow_passes_through_no_face() {
    let d = LEAST;
    let mesh = CollisionMesh::new(4, &[[1, 2, 3]]).build().unwrap();
    let states = [
        [[1.0, d, d], [0.0; 3], [-5.0, 3.0, 1.0], [-5.0, 1.0, 3.0]],
        [[-d, 1.5, 1.5], [0.0; 3], [0.0, 2.5, 0.5], [0.0, 0.5, 2.5]],
        [[-1.0, 0.7, 0.7], [0.0; 3], [0.0, 2.5, 0.5], [0.0, 0.5, 2.5]],
    ];
    assert!(!mesh.check_motion(&states[0], &states[1], Search::First).unwrap().is_clean());
    let mut certifier = Certifier::start(&mesh, &states[0]).unwrap();
    let mut start = states[0];
    for proposed in &states[1..] {
        let mut end = *proposed;
        let certificate = certifier.correct(&start, &mut end, &[0.0; 4]).unwrap();
        let is_clean = mesh.check_motion(&start, &end, Search::First).unwrap().is_clean();
        assert!(is_clean || !certificate.is_unconditional(), "{start:?} {end:?}");
        start = end;
    }
    assert!(start[0][0] > 0.0, "it is where it was: {start:?}");
}

/// A vertex comes nearer to a face, at distances (m) whose squares underflow in `f32`.
fn keeps_a_thickness_of_tiny_squares<T: Coordinate>() {
    let (size, high) = (3e-23, (1.49 * f64::from(f32::from_bits(1))).sqrt());
    let mesh = CollisionMesh::new(4, &[[1, 2, 3]]).build().unwrap();
    for (thickness, low) in [(4.4e-23, 3.75e-23), (4.0e-23, 3.4e-23), (4.3e-23, 3.9e-23)] {
        let face = [[0.0; 3], [-size, -size, -size], [size, -size, -size]];
        let x0: Vec<[T; 3]> = of_kind(&[[0.0, high, 0.0], face[0], face[1], face[2]]);
        let mut x1: Vec<[T; 3]> = of_kind(&[[0.0, low, 0.0], face[0], face[1], face[2]]);
        let mut certifier = mesh.certifier().thickness(thickness).clearance(0.0).start(&x0).unwrap();
        let certificate = certifier.correct(&x0, &mut x1, &[T::default(); 4]).unwrap();
        assert!(certificate.is_unconditional());
        let distance: f64 = x1[0][1].into() - x1[1][1].into();
        assert!(certificate.near() > 0 || distance > thickness, "{distance:e} of {thickness:e}");
        // It starts farther apart than 1.01 of it, so it is kept.
        assert!(certificate.near() == 0 || high <= 1.01 * thickness * (1.0 + 1e-6));
    }
}

#[test]
fn a_thickness_whose_square_underflows_in_f32_is_kept() {
    keeps_a_thickness_of_tiny_squares::<f32>();
    keeps_a_thickness_of_tiny_squares::<f64>();
}
