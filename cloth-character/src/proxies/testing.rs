//! Synthetic skins that the tests of proxies share.

use nalgebra::{Point3, Vector3};

use crate::{Affine, Character, CharacterMesh, Joint, Skeleton, SkinDescription, Transform};

/// Vertices and faces, counter-clockwise seen from outside.
pub(crate) type Mesh = (Vec<Point3<f64>>, Vec<[u32; 3]>);

/// A surface of revolution around y through points of a profile (distance from the axis, height), from bottom
/// to top, with flat ends.
pub(crate) fn turned(profile: &[[f64; 2]], around: u32) -> Mesh {
    let (mut positions, mut faces) = (Vec::new(), Vec::new());
    for &[radius, y] in profile {
        for k in 0..around {
            let angle = f64::from(k) / f64::from(around) * 2.0 * std::f64::consts::PI;
            positions.push(Point3::new(radius * libm::sin(angle), y, radius * libm::cos(angle)));
        }
    }
    let rings = profile.len() as u32;
    for ring in 0..rings - 1 {
        for k in 0..around {
            let (p, q) = (ring * around + k, ring * around + (k + 1) % around);
            faces.extend([[p, q, q + around], [p, q + around, p + around]]);
        }
    }
    for (y, ring, is_top) in [(profile[0][1], 0, false), (profile[profile.len() - 1][1], rings - 1, true)] {
        let center = positions.len() as u32;
        positions.push(Point3::new(0.0, y, 0.0));
        for k in 0..around {
            let (p, q) = (ring * around + k, ring * around + (k + 1) % around);
            faces.push(if is_top { [p, q, center] } else { [q, p, center] });
        }
    }
    (positions, faces)
}

/// A ball with `rings` rings of vertices.
pub(crate) fn ball(center: Point3<f64>, radius: f64, rings: u32) -> Mesh {
    let profile: Vec<_> = (1..rings)
        .map(|k| {
            let angle = f64::from(k) / f64::from(rings) * std::f64::consts::PI;
            [radius * libm::sin(angle), -radius * libm::cos(angle)]
        })
        .collect();
    let (mut positions, faces) = turned(&profile, 2 * rings);
    let count = positions.len();
    positions[count - 2].y = -radius;
    positions[count - 1].y = radius;
    (positions.iter().map(|p| center + p.coords).collect(), faces)
}

/// A character of rigid parts: each mesh follows the joint with its number, whose parent and position are
/// given; everything is multiplied by `scale` in the file and divided by it above the root.
pub(crate) fn rigid_character(parts: &[(Option<usize>, Point3<f64>, Mesh)], scale: f64) -> Character {
    let joints = parts.iter().enumerate().map(|(k, (parent, position, _))| {
        let above = parent.map_or(Point3::origin(), |p| parts[p].1);
        let rest = Transform::from_translation((position - above) * scale);
        Joint { name: format!("bone {k}"), parent: *parent, rest }
    });
    let mut skeleton = Skeleton::new(joints.collect()).expect("parents come first");
    for k in (0..parts.len()).filter(|&k| parts[k].0.is_none()) {
        let above = Transform { scale: Vector3::repeat(1.0 / scale), ..Transform::IDENTITY };
        skeleton.set_root_map(k, above.to_affine()).expect("a root");
    }
    let binds: Vec<Affine> =
        parts.iter().map(|(_, p, _)| Transform::from_translation(-p.coords * scale).to_affine()).collect();
    let meshes = parts.iter().enumerate().map(|(k, (_, _, (positions, faces)))| CharacterMesh {
        skin: SkinDescription {
            positions: positions.iter().map(|p| (p * scale).cast()).collect(),
            joints: (0..parts.len()).collect(),
            inverse_binds: binds.clone(),
            influences: 1,
            entries: vec![k as u32; positions.len()],
            weights: vec![1.0; positions.len()],
            ..SkinDescription::default()
        }
        .build(parts.len())
        .expect("a valid skin"),
        faces: faces.clone(),
        ..CharacterMesh::default()
    });
    Character { meshes: meshes.collect(), skeleton, ..Character::default() }
}
