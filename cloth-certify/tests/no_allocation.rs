//! A warm call of the certifier allocates nothing.

use cloth_certify::{Certifier, CollisionMesh};

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
