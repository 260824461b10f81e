//! Contours get shorter where `minimise` says so, and cloth that cuts itself comes free.

use approx::assert_relative_eq;
use cloth_contacts::intersect::find;
use cloth_contacts::tangle::{BodyOrientation, Contour, Rings, SheetSplitter, trace};
use cloth_contacts::{Contacts, PointTriangle, Regions, Side, Surface, SurfaceDesc};
use cloth_geom::fixtures::sheet;
use cloth_geom::{Topology, TriMesh};
use nalgebra::{Point3, Vector3};

use super::contact_sides::ContactSides;
use super::descent::{MAX_DESCENT, descent, directions, shorten};
use super::plan::{
    ContourPlan, DescentMode, IntersectionMotions, RecoveryContext, Strategy, barycentric, normal, share,
};
use super::tracked_contours::TrackedContours;
use super::trapped::TrappedCloth;
use crate::{ClothDesc, Material, Settings, Simulation, SimulationBuilder, Thickness, Wind};

fn flat(n: usize) -> TriMesh {
    sheet(n, n, [1.0, 1.0]).expect("a sheet").mesh
}

/// A flat sheet with another that dips through it, and with one that stands in it.
fn crossings(n: usize) -> [TriMesh; 2] {
    let mut bump = flat(n);
    bump.append(&flat(n).mapped(|p| {
        let r_sq = (p.x - 0.013).powi(2) + (p.z - 0.007).powi(2);
        Point3::new(p.x + 0.011, 0.1 - 0.2 * (-r_sq / 0.03).exp(), p.z + 0.017)
    }));
    let mut upright = flat(n);
    // Wider above than below, and curved.
    upright.append(&flat(n).mapped(|p| {
        let x = (0.5 + 0.3 * p.z) * p.x;
        Point3::new(x + 0.013, p.z + 0.017, 0.1 * p.x + 0.5 * x * x - 0.03)
    }));
    [bump, upright]
}

struct TracedRun {
    at: Vec<Point3<f64>>,
    topology: Topology,
    contour: Contour,
}

impl TracedRun {
    fn new(mesh: TriMesh) -> Self {
        let topology = Topology::of_mesh(&mesh).expect("valid faces");
        let hits = find(&mesh.positions, &topology).expect("finite").edge_faces;
        let mut contours = trace(&hits, &topology);
        assert_eq!(contours.len(), 1);
        Self { at: mesh.positions, contour: contours.remove(0), topology }
    }

    fn length(&self, moved: impl Fn(usize) -> Vector3<f64>) -> f64 {
        let at: Vec<_> = self.at.iter().enumerate().map(|(v, p)| p + moved(v)).collect();
        self.contour.length(&at, &self.topology)
    }

    /// The gradient of the length with respect to every vertex, hit by hit: an edge moves its hit with it and
    /// along itself into the plane of the face, a face moves its plane.
    fn gradient(&self) -> Vec<Vector3<f64>> {
        let mut gradient = vec![Vector3::zeros(); self.at.len()];
        let along = along(self);
        for (&[e, f], r) in self.contour.hits.iter().zip(&along) {
            let (ends, corners) = (self.topology.edges()[e as usize], self.topology.faces()[f as usize]);
            let [a, b] = ends.map(|v| self.at[v as usize]);
            let n = normal(f, &self.at, &self.topology).expect("an area");
            let slide = n * ((b - a).dot(r) / (b - a).dot(&n));
            let at = cloth_contacts::tangle::hit_point([e, f], &self.at, &self.topology).expect("a hit");
            let s = share([a, b], &at);
            for (v, weight) in ends.into_iter().zip([1.0 - s, s]) {
                gradient[v as usize] -= (r - slide) * weight;
            }
            let weights = barycentric(corners.map(|v| self.at[v as usize]), &at).expect("an area");
            for (v, weight) in corners.into_iter().zip(weights) {
                gradient[v as usize] -= slide * weight;
            }
        }
        gradient
    }
}

#[test]
fn the_directions_along_a_contour_are_the_gradient_of_its_length() {
    for mesh in crossings(9) {
        let traced = TracedRun::new(mesh);
        let gradient = traced.gradient();
        let moving: Vec<usize> = (0..gradient.len()).filter(|&v| gradient[v].norm() > 1e-6).collect();
        assert!(moving.len() > 10);
        for &v in &moving {
            for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
                const STEP: f64 = 1e-7;
                let by = |h: f64| traced.length(|w| if v == w { axis * h } else { Vector3::zeros() });
                let difference = (by(STEP) - by(-STEP)) / (2.0 * STEP);
                assert_relative_eq!(gradient[v].dot(&axis), difference, epsilon = 2e-5, max_relative = 1e-5);
            }
        }
    }
}

#[test]
fn descents_sum_to_the_length_derivative_of_relative_sheet_motion() {
    let traced = TracedRun::new(crossings(9)[1].clone());
    let (contour, topology) = (&traced.contour, &traced.topology);
    let along = along(&traced);
    let sheet_of = |v: usize| v / 81;
    let mut sum = Vector3::zeros();
    for (&hit, r) in contour.hits.iter().zip(&along) {
        let g = descent(hit, r, &traced.at, topology);
        assert!(g.norm() < MAX_DESCENT, "nothing is cut short here");
        let of_second = sheet_of(topology.edges()[hit[0] as usize][0] as usize) == 1;
        sum += if of_second { g } else { -g };
    }
    assert!(sum.norm() > 0.1);
    for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
        const STEP: f64 = 1e-6;
        let by = |h: f64| traced.length(|v| axis * (h * (sheet_of(v) as f64 - 0.5)));
        let difference = (by(STEP) - by(-STEP)) / (2.0 * STEP);
        assert_relative_eq!(-0.5 * sum.dot(&axis), difference, epsilon = 1e-6);
    }
}

#[test]
fn a_step_along_the_descent_shortens_a_contour_and_against_lengthens_it() {
    for mesh in crossings(9) {
        let traced = TracedRun::new(mesh);
        for mode in [DescentMode::Combined, DescentMode::PerIntersection] {
            let mut motions = IntersectionMotions::default();
            shorten(&traced.contour, mode, &traced.at, &traced.topology, &mut motions);
            let mut motion = vec![Vector3::zeros(); traced.at.len()];
            for (&[e, f], g) in traced.contour.hits.iter().zip(&motions.of_hits) {
                for v in traced.topology.edges()[e as usize] {
                    motion[v as usize] += g * 1e-4;
                }
                for v in traced.topology.faces()[f as usize] {
                    motion[v as usize] -= g * 1e-4;
                }
            }
            let [back, now, forth] = [-1.0, 0.0, 1.0].map(|share| traced.length(|v| motion[v] * share));
            assert!(forth < now && now < back, "{forth} {now} {back}");
        }
    }
}

fn along(traced: &TracedRun) -> Vec<Vector3<f64>> {
    let mut along = Vec::new();
    directions(&traced.contour, &traced.at, &traced.topology, &mut along);
    along
}

fn choose(contour: &Contour, surface: &Surface, attempt: u32) -> ContourPlan {
    let mut contour_plan = ContourPlan::default();
    contour_plan.choose(
        contour,
        surface,
        &BodyOrientation::default(),
        attempt,
        &mut SheetSplitter::default(),
    );
    contour_plan
}

/// A surface of one part for contacts of about a centimetre.
fn surface(traced: &TracedRun) -> Surface {
    let rest: Vec<Point3<f32>> = traced.at.iter().map(|p| p.cast()).collect();
    let count = rest.len();
    Surface::new(&SurfaceDesc {
        faces: traced.topology.faces(),
        radius: &vec![0.004; count],
        half_scr: &vec![0.001; count],
        part: &vec![0; count],
        kinematic: &[false],
        rest: &rest,
        exclusions: &[],
        regions: Regions::default(),
    })
    .expect("valid")
}

#[test]
fn contacts_between_the_sides_are_flipped_kept_or_dropped_and_others_stay() {
    let traced = TracedRun::new(crossings(9)[1].clone());
    let surface = surface(&traced);
    let (contour, topology) = (&traced.contour, &traced.topology);
    let plan = choose(contour, &surface, 0);
    let upright = contour
        .sides
        .iter()
        .position(|side| topology.faces()[side[0] as usize][0] >= 81)
        .expect("two sheets");
    // Vertices of the upright sheet at the contour, on either side of the flat one, and a face of that
    // between them.
    let mut rings = Rings::default();
    let near = rings.k_ring_of_side(contour, upright, topology, 0);
    let (wrong, right): (Vec<u32>, Vec<u32>) =
        near.iter().partition(|&&v| plan.is_wrong(upright, v) == Some(true));
    assert!(!wrong.is_empty() && !right.is_empty());
    let face = contour.sides[1 - upright][0];
    let contact = |vertex: u32, gap: f32| {
        let normal = normal(face, &traced.at, topology).expect("an area").cast::<f32>();
        let corners = topology.faces()[face as usize];
        let weights = [0.2, 0.3, 0.5];
        PointTriangle { vertex, face, corners, side: Side::Front, normal, weights, gap, distance: 0.008 }
    };
    // The flat sheet's vertices are on no known side; one in the corner is far from everything.
    let flat = topology.faces()[face as usize][0];
    let other = contour.sides[upright][0];
    let unknown =
        PointTriangle { face: other, corners: topology.faces()[other as usize], ..contact(flat, 0.001) };
    let far = PointTriangle { vertex: 0, ..contact(0, -0.001) };
    let mut contacts = Contacts {
        point_triangles: vec![
            contact(wrong[0], 0.001),
            contact(wrong[0], -0.001),
            contact(right[0], -0.001),
            contact(right[0], 0.001),
            unknown,
            far,
        ],
        edge_edges: Vec::new(),
    };
    let plans = [plan];
    let outside = BodyOrientation::default();
    let context = RecoveryContext {
        at: &traced.at,
        surface: &surface,
        outside: &outside,
        recovery_share: 1.0,
        max_recovery: 1.0,
    };
    let update_contacts = |contacts: &mut Contacts| {
        ContactSides::default().update_contacts(
            std::slice::from_ref(contour),
            &plans,
            &TrappedCloth::default(),
            &context,
            contacts,
        )
    };
    assert!(update_contacts(&mut contacts));
    let found: Vec<(u32, Side, f32)> =
        contacts.point_triangles.iter().map(|c| (c.vertex, c.side, c.gap)).collect();
    let expected = [
        (wrong[0], Side::Back, -0.001),
        (wrong[0], Side::Front, -0.001),
        (right[0], Side::Back, 0.001),
        (right[0], Side::Front, 0.001),
        (0, Side::Front, -0.001),
    ];
    assert_eq!(found, expected);
    contacts.point_triangles.retain(|c| c.vertex == 0);
    assert!(!update_contacts(&mut contacts));
}

#[test]
fn attempts_go_from_the_smaller_part_to_shortening_and_come_round() {
    let traced = TracedRun::new(crossings(9)[1].clone());
    let surface = surface(&traced);
    let plan = |attempt| choose(&traced.contour, &surface, attempt);
    let size = |contour_plan: ContourPlan| match contour_plan.strategy {
        Strategy::PullBack(_) => {
            (0..2).filter_map(|side| contour_plan.pulled(side)).map(<[u32]>::len).sum::<usize>()
        }
        Strategy::Outward(..) | Strategy::Order => 3000,
        Strategy::Minimise(DescentMode::Combined) => 1000,
        Strategy::Minimise(DescentMode::PerIntersection) => 1001,
        Strategy::Minimise(DescentMode::Rotated(number)) => 2000 + number as usize,
    };
    let sizes: Vec<usize> = (0..6).map(|attempt| size(plan(attempt))).collect();
    assert!(sizes[0] <= sizes[1] && sizes[0] + sizes[1] == 81, "{sizes:?}");
    assert_eq!(sizes[2..], [1000, 1001, 2004, sizes[0]]);
    let closed = TracedRun::new(crossings(9)[0].clone());
    let first = choose(&closed.contour, &self::surface(&closed), 0).strategy;
    assert!(matches!(first, Strategy::PullBack([Some(_), Some(_)])), "{first:?}");
}

#[test]
fn a_contour_without_progress_changes_strategy_and_is_reported_stuck() {
    let traced = TracedRun::new(crossings(9)[0].clone());
    let contours = [traced.contour.clone()];
    let mut tracked_contours = TrackedContours::default();
    let (mut attempts, mut now) = (Vec::new(), Vec::new());
    for frame in 0..60 {
        let scale = if frame < 10 { 1.0 - 0.05 * f64::from(frame) } else { 0.5 };
        let at: Vec<_> = traced.at.iter().map(|p| p * scale).collect();
        tracked_contours.update(&contours, &at, &traced.topology, true, &mut now);
        attempts.push(now[0]);
        tracked_contours.update(&contours, &at, &traced.topology, false, &mut now);
    }
    assert!(attempts[..20].iter().all(|&a| a == 0), "it gets shorter, and then it may rest for a while");
    assert_eq!(attempts[59], 4);
    assert_eq!(tracked_contours.stuck(), 1);
}

/// Two sheets that cut each other, at rest where they are, without gravity; `pins` of the lower one.
fn entangled(recovery: bool, gate: bool, pins: Vec<u32>) -> Simulation {
    let rest = sheet(14, 14, [0.3, 0.3]).expect("a sheet").mesh;
    let thickness = Thickness::from_total(0.01, 0.2);
    let settings =
        Settings { recovery, gate, gravity: Vector3::zeros(), wind: Wind::VACUUM, ..Settings::default() };
    let mut builder = SimulationBuilder::new(settings);
    let mut lower = ClothDesc::new(rest.clone(), Material::COTTON, thickness);
    lower.pins = pins;
    builder.add_cloth(lower);
    let upright = rest.mapped(|p| Point3::new(0.4 * p.x + 0.003, p.z + 0.1, 0.1 * p.x + 0.004));
    builder.add_cloth(ClothDesc::new(upright, Material::COTTON, thickness));
    builder.build().expect("valid")
}

fn count(sim: &Simulation) -> usize {
    let at: Vec<_> = sim.positions().iter().map(|p| p.cast::<f64>()).collect();
    find(&at, sim.surface().topology()).expect("finite").count()
}

#[test]
fn intersecting_sheets_are_untangled_for_good_with_and_without_the_gate() {
    for gate in [false, true] {
        for pins in [vec![], (0..196).collect()] {
            let mut sim = entangled(true, gate, pins);
            assert!(count(&sim) > 10);
            for _ in 0..30 {
                sim.step(1.0 / 60.0).expect("a step");
            }
            assert_eq!(count(&sim), 0);
            assert_eq!(sim.report().recovery, Default::default());
            assert_eq!(sim.report().gate.tangles, 0);
        }
    }
}

#[test]
fn nothing_comes_free_without_recovery() {
    let mut sim = entangled(false, false, vec![]);
    for _ in 0..30 {
        sim.step(1.0 / 60.0).expect("a step");
    }
    assert!(count(&sim) > 10);
    assert_eq!(sim.report().recovery, Default::default());
}

#[test]
fn recovery_repeats_itself_bit_for_bit() {
    let run = || {
        let mut sim = entangled(true, false, vec![0]);
        (0..10)
            .map(|_| sim.step(1.0 / 60.0).map(|r| r.recovery.intersections).ok())
            .for_each(|hits| assert!(hits.is_some()));
        sim.state_hash()
    };
    assert_eq!(run(), run());
}

#[test]
fn a_snapshot_in_the_middle_goes_on_bit_for_bit() {
    let mut sim = entangled(true, false, vec![0]);
    let step = |sim: &mut Simulation| (sim.step(1.0 / 60.0).map(|r| r.recovery).ok(), sim.state_hash());
    (0..2).for_each(|_| assert!(step(&mut sim).0.is_some()));
    assert!(count(&sim) > 0);
    let snapshot = sim.snapshot();
    let first: Vec<_> = (0..5).map(|_| step(&mut sim)).collect();
    sim.restore(&snapshot).expect("its own");
    let second: Vec<_> = (0..5).map(|_| step(&mut sim)).collect();
    assert_eq!(first, second);
}

#[test]
fn recovery_changes_no_bit_of_what_is_clean() {
    let run = |recovery: bool| {
        let rest = sheet(12, 12, [0.3, 0.3]).expect("a sheet").mesh;
        let settings = Settings { recovery, gate: false, ..Settings::default() };
        let mut builder = SimulationBuilder::new(settings);
        for height in [0.0, 0.02] {
            let at = rest.clone().translated(Vector3::new(height, height, 0.003));
            let mut cloth = ClothDesc::new(at, Material::COTTON, Thickness::from_total(0.01, 0.2));
            cloth.pins = if height == 0.0 { vec![0, 11, 132, 143] } else { vec![] };
            builder.add_cloth(cloth);
        }
        let mut sim = builder.build().expect("valid");
        for _ in 0..10 {
            sim.step(1.0 / 60.0).expect("a step");
        }
        assert!(sim.report().contacts > 10 && count(&sim) == 0);
        sim.state_hash()
    };
    assert_eq!(run(false), run(true));
}

#[test]
fn untangled_cloth_has_no_contacts_on_the_side_it_left() {
    let mut sim = entangled(true, false, (0..196).collect());
    let mut crossed = Vec::new();
    for _ in 0..20 {
        let report = *sim.step(1.0 / 60.0).expect("a step");
        crossed.push((report.recovery.intersections, report.warnings.crossed_contacts));
    }
    let free = crossed.iter().skip_while(|c| c.0 > 0).skip(1);
    assert_eq!(free.map(|c| c.1).sum::<usize>(), 0, "{crossed:?}");
}
