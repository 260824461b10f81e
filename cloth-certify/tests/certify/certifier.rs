//! Motions that are corrected.

use cloth_certify::{Certificate, Certifier, CollisionMesh, Coordinate, CorrectError, Search};
use cloth_geom::closest::{point_triangle, segment_segment};
use nalgebra::{Point3, Vector3};

use crate::pushes::{AS_PROPOSED, Contestant, cases, run};
use crate::{Dice, ones, sheets};

#[test]
fn pushes_never_cross_and_cross_at_once_without_a_certifier() {
    // The whole takes minutes: `cloth-bench push`.
    for case in cases().into_iter().step_by(3) {
        let outcome = run(&case, 50, Contestant::Certifier);
        assert_eq!([outcome.crossings, outcome.conditional], [0, 0], "{}", case.name());
        let unchecked = run(&case, 50, AS_PROPOSED);
        assert!(unchecked.first_crossing.is_some() && unchecked.crossings > 0, "{}", case.name());
        for kept in [outcome.kept_apart, outcome.kept_at_contact].into_iter().flatten() {
            assert!(kept >= 0.9, "{}: {outcome:?}", case.name());
        }
        assert!(outcome.changed > outcome.frozen && outcome.moved > 0.0, "{}: {outcome:?}", case.name());
        assert!(outcome.seconds > 0.0);
    }
}

#[test]
fn sheets_nearer_than_numbers_of_f32_are_certified_in_f64() {
    let (mesh, x0) = sheets::<f64>(20, 2, 1.0, 2e-8);
    let rounded: Vec<[f32; 3]> = x0.iter().map(|p| p.map(|c| c as f32)).collect();
    assert!(mesh.check_state(&rounded).unwrap().intersections().count() > 100);
    let mut certifier = Certifier::start(&mesh, &x0).unwrap();
    let mut dice = Dice::new(5);
    // Both move alike; then the upper one is pushed at the lower one.
    let mut x0 = x0;
    for step in 0..10 {
        let push = Vector3::from(dice.vector()) * 0.01;
        let mut x1 = x0.clone();
        for (v, p) in x1.iter_mut().enumerate() {
            let extra = if v >= 441 && step >= 5 { -1e-3 } else { 0.0 };
            *p = [p[0] + push.x, p[1] + push.y + extra, p[2] + push.z];
        }
        let certificate = certifier.correct(&x0, &mut x1, &ones(x0.len())).unwrap();
        assert!(certificate.is_unconditional());
        assert!(mesh.check_motion(&x0, &x1, Search::First).unwrap().is_clean());
        x0 = x1;
    }
    assert!(mesh.check_state(&x0).unwrap().is_clean());
}

#[test]
fn a_start_elsewhere_is_checked_again() {
    let (mesh, x0) = sheets::<f64>(3, 2, 0.0, 0.1);
    let mut certifier = Certifier::start(&mesh, &x0).unwrap();
    let mut tangled = x0.clone();
    tangled[5][1] = 0.2;
    let mut x1 = x0.clone();
    let error = certifier.correct(&tangled, &mut x1, &ones(x0.len())).unwrap_err();
    assert!(matches!(error, CorrectError::Tangled(_)) && x1 == x0);
    // Elsewhere, but clean.
    let lifted: Vec<[f64; 3]> = x0.iter().map(|p| [p[0], p[1] + 1.0, p[2]]).collect();
    x1.clone_from(&lifted);
    assert!(certifier.correct(&lifted, &mut x1, &ones(x0.len())).unwrap().is_unconditional());
    assert_eq!((certifier.end(), certifier.motions()), (&*lifted, 1));
}

#[test]
fn a_start_that_differs_in_one_vertex_is_checked_again() {
    let (mesh, x0) = sheets::<f64>(3, 2, 0.0, 0.1);
    let mut certifier = Certifier::start(&mesh, &x0).unwrap();
    for v in 0..x0.len() {
        let (mut tangled, mut x1) = (x0.clone(), x0.clone());
        tangled[v][1] = if v < x0.len() / 2 { 0.2 } else { -0.1 };
        let error = certifier.correct(&tangled, &mut x1, &ones(x0.len())).unwrap_err();
        assert!(matches!(error, CorrectError::Tangled(_)), "vertex {v}");
        assert!(certifier.correct(&x0, &mut x1, &ones(x0.len())).unwrap().is_unconditional());
    }
}

#[test]
fn the_last_certificate_can_be_read_again_until_a_refusal() {
    let (mesh, x0) = sheets::<f64>(3, 2, 0.0, 0.1);
    let mut certifier = Certifier::start(&mesh, &x0).unwrap();
    assert!(certifier.certificate().is_none());
    let mut x1 = x0.clone();
    x1[5][1] += 1.0; // through the other sheet
    let given = certifier.correct(&x0, &mut x1, &ones(x0.len())).unwrap();
    let facts = |c: &Certificate<'_, f64>| {
        (c.is_unconditional(), c.changed().to_vec(), c.stats(), c.impulse(0.5).collect::<Vec<_>>())
    };
    let given = facts(&given);
    assert!(!given.1.is_empty());
    assert_eq!(certifier.certificate().map(|again| facts(&again)), Some(given));
    let mut tangled = x0.clone();
    tangled[5][1] = 0.2;
    certifier.correct(&tangled, &mut x1, &ones(x0.len())).unwrap_err();
    assert!(certifier.certificate().is_none());
}

#[test]
fn a_tangle_is_exempt_until_it_has_come_apart() {
    let (mesh, clean) = sheets::<f64>(6, 2, 0.0, 0.1);
    let mut x0 = clean.clone();
    x0[24][1] = 0.2;
    let mut certifier = mesh.certifier().admit_tangles().start(&x0).unwrap();
    assert_eq!(certifier.exempt().len(), 1);
    assert_eq!(certifier.exempt()[0].since, 0);
    let before = mesh.check_state(&x0).unwrap().witnesses().len();
    // Held tangled, then pulled back.
    let mut x1 = x0.clone();
    let certificate = certifier.correct(&x0, &mut x1, &ones(x0.len())).unwrap();
    assert!(!certificate.is_unconditional() && certificate.exempt().len() == 1);
    assert_eq!(mesh.check_state(&x1).unwrap().witnesses().len(), before);
    let mut x2 = clean.clone();
    let certificate = certifier.correct(&x1, &mut x2, &ones(x0.len())).unwrap();
    assert!(!certificate.is_unconditional(), "in this motion it was still exempt");
    assert_eq!((certificate.resolved(), certificate.exempt().len()), (1, 0));
    assert_eq!(x2, clean);
    let mut x3 = x0.clone();
    let certificate = certifier.correct(&x2, &mut x3, &ones(x0.len())).unwrap();
    assert!(certificate.is_unconditional() && !certificate.changed().is_empty());
    assert!(mesh.check_state(&x3).unwrap().is_clean(), "it is guarded now");
}

#[test]
fn what_was_released_is_a_tangle_in_the_next_motion() {
    // The tip of a kinematic face goes through a face that cannot give way, rests there, and is drawn back.
    let mesh = CollisionMesh::new(6, &[[0, 1, 2], [3, 4, 5]]);
    let mesh = mesh.parts(&[0, 0, 0, 1, 1, 1]).kinematic(&[false, true]).build().unwrap();
    let above = [[0., 0., 0.], [4., 0., 0.], [0., 0., 4.], [1., 1., 1.], [1., 3., 1.], [2., 3., 1.]];
    let mut through = above;
    through[3..].iter_mut().for_each(|p| p[1] -= 2.0);
    let mut certifier = Certifier::start(&mesh, &above).unwrap();
    let mut go = |x0: &[[f64; 3]; 6], mut x1: [[f64; 3]; 6]| {
        let wanted = x1;
        let certificate = certifier.correct(x0, &mut x1, &[0.0; 6]).unwrap();
        assert_eq!(x1, wanted);
        (certificate.is_unconditional(), !certificate.released().is_empty(), certificate.exempt().len())
    };
    assert_eq!(go(&above, through), (false, true, 0));
    assert!(!mesh.check_state(&through).unwrap().is_clean());
    assert_eq!(go(&through, through), (false, false, 1), "it is tangled from the start");
    assert_eq!(go(&through, above), (false, false, 0));
    assert_eq!(go(&above, above), (true, false, 0));
}

#[test]
fn impulses_of_free_pairs_sum_to_zero_and_explain_the_velocities() {
    let (mesh, mut x0) = sheets::<f64>(8, 2, 0.0, 0.004);
    let half = x0.len() / 2;
    let inv_mass: Vec<f64> = (0..x0.len()).map(|v| if v < half { 50.0 } else { 200.0 }).collect();
    let mut certifier = Certifier::start(&mesh, &x0).unwrap();
    let mut dice = Dice::new(6);
    let (dt, mut corrected) = (0.01, 0);
    for _ in 0..30 {
        let velocity = |v: usize, dice: &mut Dice| {
            let down = if v < half { 0.0 } else { -0.3 };
            [0.05 * dice.unit(), down + 0.1 * dice.unit(), 0.05 * dice.unit()]
        };
        let v0: Vec<[f64; 3]> = (0..x0.len()).map(|v| velocity(v, &mut dice)).collect();
        let mut x1: Vec<[f64; 3]> =
            x0.iter().zip(&v0).map(|(p, v)| [0, 1, 2].map(|k| p[k] + dt * v[k])).collect();
        let certificate = certifier.correct(&x0, &mut x1, &inv_mass).unwrap();
        let impulses: Vec<Vector3<f64>> = certificate.impulse(dt).map(Vector3::from).collect();
        let size: f64 = impulses.iter().map(Vector3::norm).sum();
        let sum: Vector3<f64> = impulses.iter().sum();
        assert!(sum.norm() <= 1e-9 * size, "{sum} of {size}");
        let mut v1 = v0.clone();
        certificate.update_velocities(dt, &mut v1).unwrap();
        for v in 0..v1.len() {
            let change = Vector3::from(v1[v]) - Vector3::from(v0[v]);
            assert!((change - impulses[v] * inv_mass[v]).norm() < 1e-9);
        }
        corrected += certificate.changed().len();
        x0 = x1;
    }
    assert!(corrected > 100, "{corrected}");
}

#[test]
fn bits_depend_on_no_thread_count() {
    let results = [1, 2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mesh, mut x0) = sheets::<f64>(12, 3, 0.0, 0.004);
            let mut certifier = Certifier::start(&mesh, &x0).unwrap();
            let (mut dice, mut judged) = (Dice::new(7), Vec::new());
            for _ in 0..10 {
                let mut x1 = x0.clone();
                for p in &mut x1 {
                    let by = dice.vector();
                    (0..3).for_each(|k| p[k] += 0.006 * by[k]);
                }
                judged.push(mesh.max_step(&x0, &x1, 0.0).unwrap().step);
                for search in [Search::First, Search::Earliest, Search::All] {
                    let report = mesh.check_motion(&x0, &x1, search).unwrap();
                    judged.extend(report.witnesses().iter().flat_map(|w| [w.time.time, w.time.gap]));
                }
                certifier.clone().correct(&x0, &mut x1.clone(), &ones(x0.len())).unwrap();
                assert!(certifier.correct(&x0, &mut x1, &ones(x0.len())).unwrap().is_unconditional());
                x0 = x1;
            }
            assert!(judged.len() > 1000);
            (x0, judged)
        })
    });
    assert!(results[0] == results[1] && results[0] == results[2]);
}

#[test]
fn a_certifier_may_be_sent_shared_and_cloned() {
    fn check<T: Send + Sync + Clone>() {}
    check::<Certifier<f32>>();
    check::<Certifier<f64>>();
    check::<CollisionMesh>();
}

/// The least computed distance (m) of a vertex and a face, or of two edges, that share no vertex, at moments
/// of a motion.
fn least_distance<T: Coordinate>(mesh: &CollisionMesh, [x0, x1]: [&[[T; 3]]; 2], moments: u32) -> f64 {
    let (faces, edges) = (mesh.topology().faces(), mesh.topology().edges());
    let mut least = f64::INFINITY;
    for moment in (0..=moments).map(|k| f64::from(k) / f64::from(moments)) {
        let at = |v: u32| {
            let [a, b] = [x0, x1].map(|x| Point3::from(x[v as usize].map(Into::<f64>::into)));
            a + (b - a) * moment
        };
        let mut lower = |distance_sq: f64| least = least.min(distance_sq.sqrt());
        for face in faces {
            let [a, b, c] = face.map(at);
            let others = (0..x0.len() as u32).filter(|v| !face.contains(v));
            others.for_each(|v| lower(point_triangle(&at(v), [&a, &b, &c]).distance_sq));
        }
        for (k, edge) in edges.iter().enumerate() {
            let [a, b] = edge.map(at);
            for other in edges[..k].iter().filter(|other| !other.iter().any(|v| edge.contains(v))) {
                let [c, d] = other.map(at);
                lower(segment_segment([&a, &b], [&c, &d]).distance_sq);
            }
        }
    }
    least
}

fn keeps_a_thickness<T: Coordinate + From<f32>>() {
    let (mesh, mut x0) = sheets::<T>(6, 3, 0.0, 0.02);
    let thickness = 0.01;
    let mut certifier = mesh.certifier().thickness(thickness).start(&x0).unwrap();
    let mut dice = Dice::new(8);
    let (mut changed, mut frozen) = (0, 0);
    for _ in 0..40 {
        let mut x1 = x0.clone();
        for (v, p) in x1.iter_mut().enumerate() {
            let (by, down) = (dice.vector(), if v >= 98 { 0.004 } else { 0.0 });
            *p = [0, 1, 2].map(|k| {
                let sideways = [0.003, -down, 0.0][k];
                T::nearest(Into::<f64>::into(p[k]) + 0.002 * by[k] + sideways)
            });
        }
        let certificate = certifier.correct(&x0, &mut x1, &ones(x0.len())).unwrap();
        assert!(certificate.is_unconditional() && certificate.near() == 0);
        changed += certificate.changed().len();
        frozen += certificate.stats().frozen;
        let least = least_distance(&mesh, [&x0, &x1], 4);
        assert!(least > thickness, "{least}");
        x0 = x1;
    }
    assert!(changed > 500 && frozen * 20 < changed, "{changed} changed, {frozen} frozen");
    assert!(least_distance(&mesh, [&x0, &x0], 1) < 1.2 * thickness, "they were pushed together");
}

#[test]
fn a_thickness_is_kept_by_all_that_start_apart() {
    keeps_a_thickness::<f32>();
    keeps_a_thickness::<f64>();
}

#[test]
fn a_thickness_is_kept_by_what_passes_by() {
    let mesh = CollisionMesh::new(6, &[[0, 1, 2], [3, 4, 5]]).build().unwrap();
    let mut dice = Dice::new(10);
    let (thickness, mut accepted, mut corrected) = (0.1, 0, 0);
    for _ in 0..3000 {
        let [x0, mut x1] = [(); 2].map(|()| -> [[f64; 3]; 6] { std::array::from_fn(|_| dice.vector()) });
        // An edge through the middle of a face is far from its sides, and a tangle.
        let Ok(mut certifier) = mesh.certifier().thickness(thickness).start(&x0) else { continue };
        if least_distance(&mesh, [&x0, &x0], 1) < 1.02 * thickness {
            continue;
        }
        let certificate = certifier.correct(&x0, &mut x1, &[1.0; 6]).unwrap();
        assert!(certificate.is_unconditional() && certificate.near() == 0);
        let count = if certificate.changed().is_empty() { &mut accepted } else { &mut corrected };
        *count += 1;
        let least = least_distance(&mesh, [&x0, &x1], 64);
        assert!(least > thickness, "{least}");
    }
    assert!(accepted > 100 && corrected > 100, "{accepted} accepted, {corrected} corrected");
}

#[test]
fn what_starts_nearer_than_the_thickness_does_not_touch() {
    let (mesh, mut x0) = sheets::<f64>(6, 2, 0.0, 0.005);
    let mut certifier = mesh.certifier().thickness(0.01).start(&x0).unwrap();
    let mut near = Vec::new();
    for step in 0..20 {
        // Pushed together, then pulled apart.
        let by = if step < 10 { -0.002 } else { 0.002 };
        let mut x1 = x0.clone();
        x1[49..].iter_mut().for_each(|p| p[1] += by);
        let certificate = certifier.correct(&x0, &mut x1, &ones(x0.len())).unwrap();
        assert!(certificate.is_unconditional());
        near.push(certificate.near());
        assert!(mesh.check_motion(&x0, &x1, Search::First).unwrap().is_clean());
        x0 = x1;
    }
    assert!(near[0] > 100 && near[19] == 0, "{near:?}");
    assert!(least_distance(&mesh, [&x0, &x0], 1) > 0.01);
}

#[test]
fn a_kinematic_part_takes_the_thickness_first_and_the_certificate_says_so() {
    // A sheet between two plates that close, 1 mm in a step, or open. It cannot move before step `free_from`.
    let (described, start) = sheets::<f64>(2, 3, 0.0, 0.02);
    let part: Vec<u16> = (0..27).map(|v| v / 9).collect();
    let mesh = CollisionMesh::new(27, described.topology().faces());
    let mesh = mesh.parts(&part).kinematic(&[true, false, true]).build().unwrap();
    let run = |steps: usize, closes: &dyn Fn(usize) -> bool, free_from: usize| -> Vec<[bool; 2]> {
        let mut certifier = mesh.certifier().thickness(0.01).start(&start).unwrap();
        let mut x0 = start.clone();
        let steps = (0..steps).map(|step| {
            let mut x1 = x0.clone();
            x1[18..].iter_mut().for_each(|p| p[1] += if closes(step) { -0.001 } else { 0.001 });
            let inv_mass = if step < free_from { 0.0 } else { 1.0 };
            let certificate = certifier.correct(&x0, &mut x1, &[inv_mass; 27]).unwrap();
            let seen = [certificate.near(), certificate.released().len()].map(|count| count > 0);
            x0 = x1;
            seen
        });
        steps.collect()
    };
    let closing = run(24, &|_| true, 24);
    assert_eq!(closing[..9], [[false, false]; 9]);
    assert_eq!(closing[10..18], [[true, false]; 8], "nearer, but not touching");
    assert!(closing[19..22].contains(&[true, true]), "{closing:?}");
    let again = run(38, &|step| !(12..24).contains(&step), 24);
    assert_eq!(again[11], [true, false]);
    assert_eq!(again[24..], [[false, false]; 14], "the sheet gives way");
}

/// Checks that a motion of a kinematic part, of the first vertices, is accepted as it is, without an impulse.
fn leaves_kinematic<T: Coordinate>(
    certificate: &Certificate<'_, T>,
    [wanted, end]: [&[[T; 3]]; 2],
    is_kinematic: impl Fn(usize) -> bool,
) {
    let (impulses, changes) = (certificate.impulse(0.5), certificate.velocity_changes(0.5));
    for (v, (impulse, change)) in impulses.zip(changes).enumerate().filter(|&(v, _)| is_kinematic(v)) {
        assert!(end[v] == wanted[v] && !certificate.changed().contains(&(v as u32)), "{v}");
        assert_eq!((impulse, change), ([0.0; 3], [0.0; 3]));
    }
}

fn keeps_kinematic_vertices<T: Coordinate + From<f32>>() {
    let x0: [[f32; 3]; 6] =
        [[0., 0., 0.], [0., 0., 4.], [4., 0., 0.], [1., 1., 1.], [1.2, 2., 1.], [1., 2., 1.2]];
    let x0 = x0.map(|p| p.map(T::from));
    let mesh = CollisionMesh::new(6, &[[0, 1, 2], [3, 4, 5]]).parts(&[0, 0, 0, 1, 1, 1]);
    let mesh = mesh.kinematic(&[true, false]).build().unwrap();
    let ends = [0.0, 1e-3, 1.0, 1e6].map(|inv_mass: f32| {
        let mut certifier = Certifier::start(&mesh, &x0).unwrap();
        let mut x1 = x0;
        x1[3..].iter_mut().for_each(|p| p[1] = T::nearest(p[1].into() - 2.0));
        let wanted = x1;
        let masses = [inv_mass, inv_mass, inv_mass, 1.0, 1.0, 1.0].map(T::from);
        let certificate = certifier.correct(&x0, &mut x1, &masses).unwrap();
        assert!(certificate.is_unconditional() && !certificate.changed().is_empty());
        leaves_kinematic(&certificate, [&wanted, &x1], |v| v < 3);
        let mut velocities = [[T::from(3.0); 3]; 6];
        certificate.update_velocities(0.5, &mut velocities).unwrap();
        assert_eq!(velocities[..3], [[T::from(3.0); 3]; 3]);
        x1
    });
    assert!(ends.iter().all(|end| *end == ends[0]), "the mass of what is kinematic changes nothing");
}

#[test]
fn kinematic_vertices_stay_on_their_way_whatever_their_mass() {
    keeps_kinematic_vertices::<f32>();
    keeps_kinematic_vertices::<f64>();
}

#[test]
fn no_fallback_of_the_gate_moves_a_kinematic_vertex() {
    // A sheet between two plates that close until nothing fits between them, all of one mass.
    let (described, mut x0) = sheets::<f64>(2, 3, 0.0, 0.02);
    let part: Vec<u16> = (0..27).map(|v| v / 9).collect();
    let mesh = CollisionMesh::new(27, described.topology().faces());
    let mesh = mesh.parts(&part).kinematic(&[true, false, true]).build().unwrap();
    let (mut rounds, mut released) = (0, 0);
    let mut certifier = mesh.certifier().admit_tangles().start(&x0).unwrap();
    for _ in 0..30 {
        let mut x1 = x0.clone();
        x1[..9].iter_mut().for_each(|p| p[1] += 0.001);
        x1[9..18].iter_mut().enumerate().for_each(|(v, p)| p[1] += [0.03, -0.03][v % 2]);
        x1[18..].iter_mut().for_each(|p| p[1] -= 0.001);
        let wanted = x1.clone();
        let certificate = certifier.correct(&x0, &mut x1, &[1.0; 27]).unwrap();
        leaves_kinematic(&certificate, [&wanted, &x1], |v| part[v] != 1);
        rounds = certificate.stats().rounds.max(rounds);
        released += certificate.released().len();
        x0 = x1;
    }
    assert!(rounds > 12 && released > 0, "{rounds} rounds, {released} released");
}
