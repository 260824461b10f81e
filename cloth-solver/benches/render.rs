//! The time in which a render mesh of 10,000 vertices is written: positions, normals and tangents.
//! `cargo bench -p cloth-solver --bench render`.

use cloth_geom::fixtures::sheet;
use cloth_solver::{RenderMesh, VertexBuffers, VertexOutput};
use criterion::{Criterion, criterion_group, criterion_main};

fn write(c: &mut Criterion) {
    let mesh = sheet(100, 100, [1.0, 1.0]).unwrap().mesh;
    let mut positions: Vec<[f32; 3]> = mesh.positions_f32().iter().map(|p| (*p).into()).collect();
    let indices = mesh.faces.concat();
    let (mut normals, mut tangents) = (vec![[0.0, 1.0, 0.0]; 10_000], vec![[1.0, 0.0, 0.0, 1.0]; 10_000]);
    let buffers =
        VertexBuffers { positions: &positions, indices: &indices, normals: &normals, tangents: &tangents };
    let mut render = RenderMesh::new(&buffers).unwrap();
    let cloth = mesh.positions_f32();
    c.bench_function("render mesh/10,000 vertices", |b| {
        b.iter(|| {
            let output =
                VertexOutput { positions: &mut positions, normals: &mut normals, tangents: &mut tangents };
            render.write(&cloth, output).unwrap();
        });
    });
}

criterion_group!(benches, write);
criterion_main!(benches);
