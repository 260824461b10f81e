//! Bad input: an error that names the index, and nothing changed.

use cloth_certify::{Certifier, CollisionMesh, Coordinate, CorrectError, InputError, MeshError, StartError};

use crate::sheets;

#[test]
fn meshes_with_bad_indices_lengths_and_parts_are_refused() {
    let refused = |mesh: cloth_certify::MeshBuilder<'_>| mesh.build().unwrap_err().to_string();
    let faces = [[0, 1, 2], [3, 4, 5]];
    let mesh = || CollisionMesh::new(6, &faces);
    assert!(refused(CollisionMesh::new(5, &faces)).contains("face 1 uses vertex 5"));
    assert!(refused(CollisionMesh::new(6, &[[0, 1, 1]])).contains("face 0 uses vertex 1 twice"));
    assert!(refused(mesh().edges(&[[0, 9]])).contains("edge 0 uses vertex 9"));
    assert!(refused(mesh().edges(&[[4, 4]])).contains("vertex 4"));
    assert!(matches!(mesh().parts(&[0; 5]).build(), Err(MeshError::Length { got: 5, expected: 6, .. })));
    let mixed = mesh().parts(&[0, 0, 0, 1, 1, 2]).build();
    assert!(matches!(mixed, Err(MeshError::MixedParts { kind: "face", index: 1, parts: [1, 2] })));
    let parts = [0, 0, 0, 1, 1, 1];
    let short = mesh().parts(&parts).kinematic(&[true]).build();
    assert!(matches!(short, Err(MeshError::Part { vertex: 3, part: 1, name: "kinematic", count: 1 })));
    let exclusion = mesh().exclusions(&[[0, 1], [2, 6]]).build();
    assert!(matches!(exclusion, Err(MeshError::Exclusion { index: 1, vertex: 6, vertex_count: 6 })));
    assert!(CollisionMesh::new(0, &[]).build().is_ok());
}

#[test]
fn positions_and_masses_that_are_no_numbers_change_nothing() {
    let (mesh, x) = sheets::<f32>(3, 2, 0.0, 0.1);
    let masses = vec![1.0_f32; x.len()];
    let mut certifier = Certifier::start(&mesh, &x).unwrap();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 2e9] {
        let mut x1 = x.clone();
        x1[7][2] = bad;
        let before = x1.clone();
        let error = certifier.correct(&x, &mut x1, &masses).unwrap_err();
        let CorrectError::Input(error) = error else { panic!("{error}") };
        assert!(matches!(
            error,
            InputError::NotFinite { name: "x1", vertex: 7, .. }
                | InputError::BeyondLimit { name: "x1", vertex: 7, .. }
        ));
        assert!(before.iter().flatten().zip(x1.iter().flatten()).all(|(a, b)| a.to_bits() == b.to_bits()));
        if bad.is_nan() {
            assert!(matches!(mesh.check_state(&x1), Err(InputError::NotFinite { vertex: 7, .. })));
            assert!(mesh.safe_distances(&x1).is_err() && mesh.max_step(&x, &x1, 0.0).is_err());
            assert!(Certifier::start(&mesh, &x1).is_err());
        }
    }
    let mut x1 = x.clone();
    for bad in [-1.0, f32::NAN, f32::INFINITY] {
        let mut masses = masses.clone();
        masses[3] = bad;
        let error = certifier.correct(&x, &mut x1, &masses).unwrap_err();
        assert!(matches!(error, CorrectError::Input(InputError::InverseMass { vertex: 3, .. })), "{error}");
    }
    let error = certifier.correct(&x, &mut x1, &masses[1..]).unwrap_err();
    assert!(matches!(error, CorrectError::Input(InputError::Length { name: "inv_mass", .. })));
    assert!(mesh.max_step(&x, &x1, f64::NAN).is_err() && mesh.max_step(&x, &x1, -1.0).is_err());
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(mesh.certifier().clearance(bad).start(&x).is_err());
        assert!(mesh.certifier().thickness(bad).start(&x).is_err());
    }
    let mut v = x.clone();
    let certificate = certifier.correct(&x, &mut x1, &masses).unwrap();
    let error = certificate.update_velocities(0.1, &mut v[1..]).unwrap_err();
    assert!(matches!(error, InputError::Length { name: "v", .. }) && v == x);
    let step = mesh.max_step(&x, &x1, 0.0).unwrap();
    let error = step.advance(&x, &x1, &mut v[1..]).unwrap_err();
    assert!(matches!(error, InputError::Length { name: "end", .. }));
    assert!(step.advance(&x, &x1[1..], &mut v).is_err());
}

#[test]
fn a_tangled_start_is_refused_with_its_witnesses() {
    let (mesh, mut x) = sheets::<f64>(3, 2, 0.0, 0.1);
    x[5][1] = 0.2;
    let error = Certifier::start(&mesh, &x).unwrap_err();
    let StartError::Tangled(report) = &error else { panic!("{error}") };
    assert_eq!(report, &mesh.check_state(&x).unwrap());
    assert!(error.to_string().starts_with("the start is tangled: "), "{error}");
}

fn refuses_inverse_masses<T: Coordinate>(least: f64, greatest: f64) {
    let (mesh, x) = sheets::<T>(3, 2, 0.0, 0.1);
    let mut certifier = Certifier::start(&mesh, &x).unwrap();
    let correct = |certifier: &mut Certifier<T>, inv_mass: f64| {
        let (mut x1, mut masses) = (x.clone(), vec![T::nearest(1.0); x.len()]);
        masses[3] = T::nearest(inv_mass);
        // Through the other sheet.
        x1.iter_mut().take(16).for_each(|p| p[1] = T::nearest(0.2));
        let before = x1.clone();
        let is_unconditional = certifier.correct(&x, &mut x1, &masses).map(|c| {
            assert!(c.impulse(0.1).chain(c.velocity_changes(0.1)).flatten().all(f64::is_finite));
            c.is_unconditional()
        });
        assert!(is_unconditional.is_ok() || x1 == before);
        is_unconditional
    };
    for good in [0.0, -0.0, least, greatest] {
        assert!(correct(&mut certifier.clone(), good).unwrap(), "{good}");
    }
    for bad in [0.9 * least, 1.1 * greatest, -least, f64::MAX, f64::NAN] {
        let error = correct(&mut certifier, bad).unwrap_err();
        assert!(matches!(error, CorrectError::Input(InputError::InverseMass { vertex: 3, .. })), "{error}");
    }
}

#[test]
fn inverse_masses_without_a_finite_inverse_or_square_are_refused() {
    refuses_inverse_masses::<f32>(3e-39, 1.8e19);
    refuses_inverse_masses::<f64>(7.5e-155, 1.34e154);
}
