//! What the certifier allocates: nothing in a warm call, and no more where a vertex is far away.

use cloth_certify::{Certifier, CollisionMesh, Coordinate};

/// The most bytes held by a certifier of a sheet that rises by 1 mm, and of a vertex this far away (m).
fn bytes<T: Coordinate>(far: f64) -> u64 {
    let (row, mut x, mut faces) = (40_u32, Vec::new(), Vec::new());
    for (i, j) in (0..row).flat_map(|i| (0..row).map(move |j| (i, j))) {
        x.push([0.01 * f64::from(i), 0.0, 0.01 * f64::from(j)].map(T::nearest));
        if i + 1 < row && j + 1 < row {
            let a = i * row + j;
            faces.extend([[a, a + 1, a + row], [a + 1, a + row + 1, a + row]]);
        }
    }
    x.push([far, 0.0, 0.0].map(T::nearest));
    let mesh = CollisionMesh::new(x.len(), &faces).build().unwrap();
    let mut x1 = x.clone();
    x1[..x.len() - 1].iter_mut().for_each(|p| p[1] = T::nearest(1e-3));
    let masses = vec![T::nearest(1.0); x.len()];
    let counted = allocation_counter::measure(|| {
        let certificate = Certifier::start(&mesh, &x).unwrap();
        assert!({ certificate }.correct(&x, &mut x1, &masses).unwrap().changed().is_empty());
    });
    counted.bytes_max
}

#[test]
fn a_far_vertex_takes_no_memory() {
    let [near, far] = [1.0, 1e9].map(|far| [bytes::<f32>(far), bytes::<f64>(far)]);
    assert!((0..2).all(|k| far[k] < near[k] + near[k] / 10), "{far:?}, without it {near:?}");
}

#[test]
fn a_warm_call_allocates_nothing() {
    let row = 21_u32;
    let mut faces = Vec::new();
    let mut x = Vec::new();
    for sheet in 0..2_u32 {
        let first = x.len() as u32;
        for (i, j) in (0..row).flat_map(|j| (0..row).map(move |i| (i, j))) {
            x.push([
                f64::from(i) * 0.05,
                f64::from(sheet) * 0.004,
                f64::from(j) * 0.05 + 0.01 * f64::from(sheet),
            ]);
        }
        for (i, j) in (0..row - 1).flat_map(|j| (0..row - 1).map(move |i| (i, j))) {
            let a = first + j * row + i;
            faces.extend([[a, a + 1, a + row], [a + 1, a + row + 1, a + row]]);
        }
    }
    let mesh = CollisionMesh::new(x.len(), &faces).build().unwrap();
    let masses = vec![1.0; x.len()];
    let mut certifier = Certifier::start(&mesh, &x).unwrap();
    let (mut x1, half) = (x.clone(), x.len() / 2);
    let mut changed = 0;
    // To and fro, so that the last rounds need no more memory than the first ones.
    for step in 0..24 {
        let push = if step % 4 < 2 { -0.003 } else { 0.003 };
        x1.clone_from(&x);
        x1[half..].iter_mut().for_each(|p| p[1] += push);
        let mut count = 0;
        let counted = allocation_counter::measure(|| {
            count = certifier.correct(&x, &mut x1, &masses).unwrap().changed().len();
        });
        changed += count;
        assert!(step < 12 || counted.count_total == 0, "{} in step {step}", counted.count_total);
        x.clone_from(&x1);
    }
    assert!(changed > 0);
}
