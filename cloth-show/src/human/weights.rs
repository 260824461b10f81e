//! Which joints a vertex of the built-in character follows: those whose flesh is near, smoothed over the
//! surface.

use cloth_character::{Affine, CharacterError, Skin, SkinDescription};
use cloth_geom::{Topology, TriMesh};
use nalgebra::Point3;

use super::joints::Bone;
use super::shape::Body;

/// Distance (m) over which the weight of a joint falls by the factor e outside of its flesh.
const FALL: f64 = 0.012;
/// Rounds in which the weights of a vertex become the mean of its own and its neighbours'.
const ROUNDS: usize = 4;
/// Joints that a vertex follows.
const INFLUENCES: usize = 4;

/// The weight of each joint.
type Weights = [f64; Bone::COUNT];

/// The skin of a mesh of a body.
pub(super) fn skin(body: &Body, mesh: &TriMesh, topology: &Topology) -> Result<Skin, CharacterError> {
    let mut weights: Vec<Weights> = mesh.positions.iter().map(|p| near(body, p)).collect();
    for _ in 0..ROUNDS {
        weights = smooth(&weights, topology.edges());
    }
    let (mut entries, mut values) = (Vec::new(), Vec::new());
    for weights in &weights {
        let mut order: [usize; Bone::COUNT] = std::array::from_fn(|joint| joint);
        order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
        for &joint in &order[..INFLUENCES] {
            entries.push(joint as u32);
            values.push(weights[joint] as f32);
        }
    }
    let unbind = |bone: Bone| Affine { translation: -bone.place().coords, ..Affine::IDENTITY };
    let description = SkinDescription {
        positions: mesh.positions_f32(),
        normals: Vec::new(),
        joints: (0..Bone::COUNT).collect(),
        inverse_binds: Bone::all().map(unbind).to_vec(),
        influences: INFLUENCES,
        entries,
        weights: values,
    };
    description.build(Bone::COUNT)
}

/// By the distance of the flesh of each joint. Only the nearest joint and its neighbours in the skeleton
/// count: a thigh does not follow the other one.
fn near(body: &Body, p: &Point3<f64>) -> Weights {
    let mut distances = [f64::INFINITY; Bone::COUNT];
    for cone in &body.cones {
        let slot = &mut distances[cone.bone.number()];
        *slot = slot.min(cone.distance(p));
    }
    let bones = Bone::all();
    let nearest = (0..Bone::COUNT).fold(0, |best, k| if distances[k] < distances[best] { k } else { best });
    let is_near = |k: usize| {
        k == nearest || bones[k].parent() == Some(bones[nearest]) || bones[nearest].parent() == Some(bones[k])
    };
    let weight = |k: usize| libm::exp((distances[nearest] - distances[k]) / FALL);
    std::array::from_fn(|k| if is_near(k) && distances[k].is_finite() { weight(k) } else { 0.0 })
}

fn smooth(weights: &[Weights], edges: &[[u32; 2]]) -> Vec<Weights> {
    let scaled = |w: &Weights| {
        let sum: f64 = w.iter().sum();
        w.map(|x| x / sum)
    };
    let own: Vec<Weights> = weights.iter().map(scaled).collect();
    let mut sums = own.clone();
    for &[a, b] in edges {
        for joint in 0..Bone::COUNT {
            sums[a as usize][joint] += own[b as usize][joint];
            sums[b as usize][joint] += own[a as usize][joint];
        }
    }
    sums
}
