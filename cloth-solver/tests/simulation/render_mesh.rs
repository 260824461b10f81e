//! Vertex buffers of engines: joined to a cloth, and written back.

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use cloth_solver::{DisplayError, NormalWeights, RenderMesh, SimulationBuilder, VertexBuffers, VertexOutput};
use nalgebra::{Point3, UnitQuaternion, Vector3};

use crate::scenes::{bare, cotton};
use cloth_testing::corpus;

/// Buffers that own what they hold.
#[derive(Clone, Default)]
struct Owned {
    positions: Vec<[f32; 3]>,
    indices: Vec<u32>,
    normals: Vec<[f32; 3]>,
    tangents: Vec<[f32; 4]>,
}

impl Owned {
    fn bound(&self) -> Result<RenderMesh, DisplayError> {
        let Self { positions, indices, normals, tangents } = self;
        RenderMesh::new(&VertexBuffers { positions, indices, normals, tangents })
    }

    /// What is written for positions (m) of the cloth.
    fn written(&self, render: &mut RenderMesh, cloth: &[Point3<f32>]) -> Self {
        let mut out = self.clone();
        let Self { positions, normals, tangents, .. } = &mut out;
        [&mut *positions, normals].into_iter().flatten().for_each(|v| *v = [9.0; 3]);
        tangents.iter_mut().for_each(|t| *t = [9.0; 4]);
        render.write(cloth, VertexOutput { positions, normals, tangents }).unwrap();
        out
    }
}

/// The largest difference of two numbers.
fn farthest<const N: usize>(a: &[[f32; N]], b: &[[f32; N]]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// A ball of one metre as engines make it: meridians split along one of them, and a vertex at each pole for
/// every meridian, so that half of the triangles there have no area.
fn ball(around: u32, up: u32) -> Owned {
    let mut ball = Owned::default();
    for j in 0..=up {
        for i in 0..=around {
            let (u, v) = (TAU * (i % around) as f32 / around as f32, PI * j as f32 / up as f32 - FRAC_PI_2);
            let level = if j % up == 0 { 0.0 } else { v.cos() };
            let outward = [u.cos() * level, if j == 0 { -1.0 } else { v.sin() }, u.sin() * level];
            ball.positions.push(outward);
            ball.normals.push(Vector3::from(outward).normalize().into());
            ball.tangents.push([-u.sin(), 0.0, u.cos(), -1.0]);
            if i < around && j < up {
                let a = j * (around + 1) + i;
                let b = a + around + 1;
                ball.indices.extend([a, b, a + 1, a + 1, b, b + 1]);
            }
        }
    }
    ball
}

#[test]
fn a_ball_is_one_closed_cloth_and_returns_as_bound() {
    let ball = ball(24, 12);
    let mut render = ball.bound().unwrap();
    let cloth = render.cloth_mesh().clone();
    assert_eq!((cloth.positions.len(), cloth.faces.len()), (24 * 11 + 2, 2 * 24 * 11));
    assert_eq!(render.dropped_faces().len(), 2 * 24);
    assert!(cloth_geom::Topology::of_mesh(&cloth).unwrap().boundary_loops().is_empty());
    let bound = ball.written(&mut render, &cloth.positions_f32());
    assert_eq!(bound.positions, ball.positions);
    assert!(farthest(&bound.normals, &ball.normals) < 1e-5);
    assert!(farthest(&bound.tangents, &ball.tangents) < 1e-5);
}

#[test]
fn normals_and_tangents_turn_with_the_cloth() {
    let ball = ball(24, 12);
    let mut render = ball.bound().unwrap();
    let turn = UnitQuaternion::from_euler_angles(0.3, -1.2, 2.0);
    let moved: Vec<_> = render.cloth_mesh().positions_f32().iter().map(|p| turn * p).collect();
    let written = ball.written(&mut render, &moved);
    let turned = |v: &[f32; 3]| <[f32; 3]>::from(turn * Vector3::from(*v));
    assert!(farthest(&written.normals, &ball.normals.iter().map(turned).collect::<Vec<_>>()) < 1e-5);
    for (t, bound) in written.tangents.iter().zip(&ball.tangents) {
        let expected = turn * Vector3::new(bound[0], bound[1], bound[2]);
        assert!((Vector3::new(t[0], t[1], t[2]) - expected).norm() < 1e-5 && t[3] == -1.0);
    }
}

/// Two squares that meet in a hard edge along x, each with its own four vertices.
fn folded(angle: f32) -> Owned {
    let (sin, cos) = angle.sin_cos();
    let positions = [[0.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0; 3], [1.0, 0.0, 0.0]].into_iter();
    let positions = positions.chain([[0.0; 3], [1.0, 0.0, 0.0], [0.0, sin, cos], [1.0, sin, cos]]).collect();
    let normals = [[0.0, 1.0, 0.0]; 4].into_iter().chain([[0.0, cos, -sin]; 4]).collect();
    Owned { positions, indices: vec![0, 2, 1, 1, 2, 3, 4, 6, 5, 5, 6, 7], normals, tangents: Vec::new() }
}

#[test]
fn a_hard_edge_stays_hard_and_a_smooth_one_shows_no_seam() {
    let hard = folded(1.0);
    let mut render = hard.bound().unwrap();
    assert_eq!(render.cloth_mesh().positions.len(), 6);
    // Unfolded further: only the second square turns.
    let target = folded(0.4);
    let mut cloth = render.cloth_mesh().positions_f32();
    for (&v, p) in render.vertex_map().to_vec().iter().zip(&target.positions) {
        cloth[v as usize] = Point3::from(*p);
    }
    assert!(farthest(&hard.written(&mut render, &cloth).normals, &target.normals) < 1e-6);
    let smooth = Owned { normals: vec![[0.0, 1.0, 0.0]; 8], ..folded(0.0) };
    let mut render = smooth.bound().unwrap();
    let written = smooth.written(&mut render, &cloth);
    let [first, second] = [0, 7].map(|v| Vector3::from(target.normals[v]));
    // Of the triangles at each end of the edge, two belong to one square and one to the other.
    for (a, b, sum) in [(2, 4, first * 2.0 + second), (3, 5, first + second * 2.0)] {
        assert_eq!(written.normals[a], written.normals[b]);
        assert!((Vector3::from(written.normals[a]) - sum.normalize()).norm() < 1e-6);
    }
}

#[test]
fn without_normals_those_of_the_cloth_are_written() {
    let Owned { positions, indices, .. } = ball(24, 12);
    let buffers = VertexBuffers { positions: &positions, indices: &indices, ..VertexBuffers::default() };
    let mut render = RenderMesh::new(&buffers).unwrap();
    let cloth = render.cloth_mesh().positions_f32();
    let mut normals = vec![[0.0; 3]; positions.len()];
    render.write(&cloth, VertexOutput { normals: &mut normals, ..VertexOutput::default() }).unwrap();
    let mut builder = SimulationBuilder::new(bare());
    builder.add_cloth(cotton(render.cloth_mesh().clone()));
    let expected = builder.build().unwrap().normals(NormalWeights::Area);
    let expected: Vec<[f32; 3]> = render.vertex_map().iter().map(|&v| expected[v as usize].into()).collect();
    assert!(farthest(&normals, &expected) < 1e-6);
    let tangents = &mut vec![[0.0; 4]; positions.len()][..];
    let unbound = render.write(&cloth, VertexOutput { tangents, ..VertexOutput::default() });
    assert!(unbound.unwrap_err().to_string().contains("expected 0"));
}

#[test]
fn a_buffer_that_cannot_be_bound_is_refused() {
    let refused = |spoil: fn(&mut Owned)| {
        let mut buffers = ball(8, 4);
        spoil(&mut buffers);
        buffers.bound().unwrap_err().to_string()
    };
    type Spoil = fn(&mut Owned);
    let cases: [(&str, Spoil); 7] = [
        ("index 5 of the buffer is vertex 999, and there are 45", |b| b.indices[5] = 999),
        ("last triangle has 2 entries, expected 3", |b| b.indices.truncate(191)),
        ("normals has 44 entries, expected 45", |b| b.normals.truncate(44)),
        ("tangents has 44 entries, expected 45", |b| b.tangents.truncate(44)),
        ("position of vertex 3 is [1.0, NaN, 0.0]", |b| b.positions[3] = [1.0, f32::NAN, 0.0]),
        ("normal of vertex 4", |b| b.normals[4][2] = f32::INFINITY),
        ("tangent of vertex 0", |b| b.tangents[0][3] = f32::NAN),
    ];
    for (message, spoil) in cases {
        assert!(refused(spoil).contains(message), "{message}: {}", refused(spoil));
    }
    let buffers = ball(8, 4);
    let mut render = buffers.bound().unwrap();
    let mut cloth = render.cloth_mesh().positions_f32();
    let short = render.write(&cloth[1..], VertexOutput::default()).unwrap_err();
    assert!(short.to_string().contains("cloth has 25 entries, expected 26"), "{short}");
    let mut normals = vec![[0.5; 3]; 45];
    let few = render.write(&cloth, VertexOutput { normals: &mut normals[1..], ..VertexOutput::default() });
    assert!(few.unwrap_err().to_string().contains("normals has 44 entries, expected 45"));
    cloth[7].z = f32::NAN;
    let output = VertexOutput { normals: &mut normals, ..VertexOutput::default() };
    let nan = render.write(&cloth, output).unwrap_err().to_string();
    assert!(nan.contains("position of the cloth of vertex 7") && normals == vec![[0.5; 3]; 45], "{nan}");
}

#[test]
fn what_has_collapsed_moves_nothing_to_infinity() {
    let ball = ball(8, 4);
    let mut render = ball.bound().unwrap();
    let written = ball.written(&mut render, &[Point3::new(1.0, 2.0, 3.0); 26]);
    assert!(written.positions.iter().all(|p| *p == [1.0, 2.0, 3.0]));
    assert!(written.normals.iter().flatten().all(|c| c.abs() <= 1.0 + 1e-6));
}

#[test]
fn cesium_man_survives_the_round_trip() {
    let Some(path) = corpus("characters/khronos/CesiumMan.glb") else { return };
    let file = gltf::Gltf::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let primitive = file.meshes().next().unwrap().primitives().next().unwrap();
    let reader = primitive.reader(|_| file.blob.as_deref());
    let buffers = Owned {
        positions: reader.read_positions().unwrap().collect(),
        indices: reader.read_indices().unwrap().into_u32().collect(),
        normals: reader.read_normals().unwrap().collect(),
        tangents: Vec::new(),
    };
    assert_eq!(buffers.positions.len(), 3273);
    let mut render = buffers.bound().unwrap();
    let cloth = render.cloth_mesh().clone();
    assert!(cloth.positions.len() < buffers.positions.len());
    let written = buffers.written(&mut render, &cloth.positions_f32());
    assert_eq!(written.positions, buffers.positions);
    assert!(farthest(&written.normals, &buffers.normals) < 1e-5);
}
