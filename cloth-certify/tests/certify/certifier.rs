//! Motions that are corrected.

use cloth_certify::{Certifier, CollisionMesh, CorrectError, Search};
use nalgebra::Vector3;

use crate::pushes::{CASES, first_crossing_unchecked, run};
use crate::{Dice, sheets};

fn ones<T: From<f32> + Clone>(count: usize) -> Vec<T> {
    vec![T::from(1.0); count]
}

#[test]
fn pushes_never_cross_and_cross_at_once_without_a_certifier() {
    for case in CASES {
        let outcome = run(case, 50);
        assert_eq!([outcome.crossings, outcome.conditional], [0, 0], "{}", case.name());
        assert!(first_crossing_unchecked(case, 50).is_some(), "{}", case.name());
        for kept in [outcome.kept_apart, outcome.kept_at_contact] {
            assert!(kept.is_nan() || kept >= 0.9, "{}: {outcome:?}", case.name());
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
        certificate.update_velocities(dt, &mut v1);
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
    let hashes = [1, 2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mesh, mut x0) = sheets::<f64>(12, 3, 0.0, 0.004);
            let mut certifier = Certifier::start(&mesh, &x0).unwrap();
            let mut dice = Dice::new(7);
            for _ in 0..10 {
                let mut x1 = x0.clone();
                for p in &mut x1 {
                    let by = dice.vector();
                    (0..3).for_each(|k| p[k] += 0.006 * by[k]);
                }
                certifier.clone().correct(&x0, &mut x1.clone(), &ones(x0.len())).unwrap();
                assert!(certifier.correct(&x0, &mut x1, &ones(x0.len())).unwrap().is_unconditional());
                x0 = x1;
            }
            x0
        })
    });
    assert!(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

#[test]
fn a_certifier_may_be_sent_shared_and_cloned() {
    fn check<T: Send + Sync + Clone>() {}
    check::<Certifier<f32>>();
    check::<Certifier<f64>>();
    check::<CollisionMesh>();
}
