//! A vertex far away, which is allowed, costs and changes nothing elsewhere.

use cloth_certify::{Certifier, CollisionMesh, Coordinate};

use crate::ones;

/// A sheet of `n` by `n` vertices 1 cm apart at a height of 0, and a vertex this far away (m).
fn sheet_and_vertex<T: Coordinate>(n: u32, far: [f64; 3]) -> (CollisionMesh, Vec<[T; 3]>) {
    let (mut x, mut faces) = (Vec::new(), Vec::new());
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        x.push([0.01 * f64::from(i), 0.0, 0.01 * f64::from(j)].map(T::nearest));
        if i + 1 < n && j + 1 < n {
            let a = i * n + j;
            faces.extend([[a, a + 1, a + n], [a + 1, a + n + 1, a + n]]);
        }
    }
    x.push(far.map(T::nearest));
    (CollisionMesh::new(x.len(), &faces).build().unwrap(), x)
}

/// A motion of all but the last vertex.
fn moved<T: Coordinate>(x: &[[T; 3]], by: impl Fn([f64; 3]) -> [f64; 3]) -> Vec<[T; 3]> {
    let mut end: Vec<[T; 3]> = x.iter().map(|p| by(p.map(Into::into)).map(T::nearest)).collect();
    end[x.len() - 1] = x[x.len() - 1];
    end
}

/// Proofs of motions in which a sheet rises, 1 mm each, and the far vertex comes nearer by this much (m) in
/// each.
fn proofs<T: Coordinate + From<f32>>(far: [f64; 3], by: f64) -> usize {
    let (mesh, mut x0) = sheet_and_vertex::<T>(20, far);
    let mut certifier = Certifier::start(&mesh, &x0).unwrap();
    let mut proofs = 0;
    for _ in 0..4 {
        let mut x1 = moved(&x0, |[x, y, z]| [x, y + 1e-3, z]);
        let last = x0.len() - 1;
        x1[last][0] = T::nearest(x0[last][0].into() - by);
        let certificate = certifier.correct(&x0, &mut x1, &ones(x0.len())).unwrap();
        assert!(certificate.is_unconditional() && certificate.changed().is_empty());
        proofs += certificate.stats().proofs;
        x0 = x1;
    }
    proofs
}

#[test]
fn a_far_vertex_costs_no_proofs() {
    for far in [[1e9, 0.0, 0.0], [-1e9, 1e9, 1e9], [3e4, -1e6, 0.0]] {
        assert_eq!([proofs::<f32>(far, 0.0), proofs::<f64>(far, 0.0)], [0, 0], "{far:?}");
    }
}

#[test]
fn a_far_vertex_that_moves_is_compared_with_faces_alone() {
    let faces = 2 * 19 * 19;
    for by in [1e5, 2e8] {
        let proofs =
            [1.0, 1e9].map(|far| [far, 0.0, 0.0]).map(|far| [proofs::<f32>(far, by), proofs::<f64>(far, by)]);
        assert!(proofs.iter().flatten().all(|&proofs| proofs <= 4 * faces), "{proofs:?}");
    }
}

/// The number of vertices that are changed where a sheet is squeezed.
fn squeezed<T: Coordinate + From<f32>>(far: [f64; 3]) -> usize {
    let (mesh, x0) = sheet_and_vertex::<T>(12, far);
    let mut x1 = moved(&x0, |[x, y, z]| [0.8 * x, y, z]);
    let mut certifier = Certifier::start(&mesh, &x0).unwrap();
    certifier.correct(&x0, &mut x1, &ones(x0.len())).unwrap().changed().len()
}

#[test]
fn a_far_vertex_keeps_no_others_apart() {
    for far in [[1.0, 5.0, 0.0], [1e9, 5.0, 0.0], [1e9, -1e9, 1e9]] {
        assert_eq!([squeezed::<f32>(far), squeezed::<f64>(far)], [0, 0], "{far:?}");
    }
}
