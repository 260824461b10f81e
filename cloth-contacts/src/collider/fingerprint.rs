//! Whether two shapes are alike in content, where `==` asks whether they share it.

use nalgebra::{Isometry3, Point3};

use super::Shape;
use cloth_geom::fnv1a;

impl Shape {
    /// A bitwise hash of the type and of all numbers of the shape, equal on every machine for equal shapes.
    ///
    /// For a shape that only parry supports it is a hash of the bounds and of the nearest points of 125
    /// positions in and around them, which may not distinguish all shapes.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let mut numbers = Vec::new();
        self.write(&mut numbers);
        fnv1a(numbers.into_iter().flat_map(u64::to_le_bytes))
    }

    fn write(&self, out: &mut Vec<u64>) {
        let mut put = |kind: u64, lengths: &[f32]| {
            out.push(kind);
            out.extend(lengths.iter().map(|x| u64::from(x.to_bits())));
        };
        match self {
            Self::Plane => put(0, &[]),
            &Self::Sphere { radius } => put(1, &[radius]),
            &Self::Capsule { half_length, radius } => put(2, &[half_length, radius]),
            &Self::TaperedCapsule { half_length, bottom_radius, top_radius } => {
                put(3, &[half_length, bottom_radius, top_radius]);
            }
            &Self::Cylinder { half_length, radius } => put(4, &[half_length, radius]),
            &Self::Cone { half_length, radius } => put(5, &[half_length, radius]),
            Self::Cuboid { half_extents } => put(6, half_extents.as_slice()),
            Self::Hull(hull) => write_faces(7, hull.faces(), out),
            Self::Mesh(mesh) => write_faces(8 + mesh.sides() as u64, mesh.faces(), out),
            Self::Compound(compound) => {
                out.extend([11, compound.parts().len() as u64]);
                for part in compound.parts() {
                    write_pose(&part.pose, out);
                    out.push(part.rounding.to_bits().into());
                    part.shape.write(out);
                }
            }
            #[cfg(feature = "parry")]
            Self::Parry(shape) => {
                out.push(12);
                write_points(shape.bounds().map(Point3::cast), out);
                out.extend(shape.samples().map(|n| u64::from(n.to_bits())));
            }
        }
    }
}

fn write_faces(kind: u64, faces: impl ExactSizeIterator<Item = [Point3<f64>; 3]>, out: &mut Vec<u64>) {
    out.extend([kind, faces.len() as u64]);
    write_points(faces.flatten(), out);
}

fn write_points(points: impl IntoIterator<Item = Point3<f64>>, out: &mut Vec<u64>) {
    out.extend(points.into_iter().flat_map(|p| [p.x, p.y, p.z].map(f64::to_bits)));
}

fn write_pose(pose: &Isometry3<f32>, out: &mut Vec<u64>) {
    let numbers = pose.translation.vector.iter().chain(pose.rotation.coords.iter());
    out.extend(numbers.map(|x| u64::from(x.to_bits())));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collider::{CompoundShape, HullShape, MeshShape, MeshSides};
    use cloth_geom::fixtures::icosphere;
    use nalgebra::Vector3;

    fn shapes(scale: f32) -> Vec<Shape> {
        let ball = icosphere(1, 0.1).expect("a ball").mapped(|p| p * f64::from(scale));
        let (points, faces) = (ball.positions_f32(), &ball.faces);
        let hull = Shape::Hull(HullShape::new(&points).expect("a hull"));
        let mesh = |sides| Shape::Mesh(MeshShape::new(&points, faces, sides).expect("a mesh"));
        let (half_length, radius) = (0.2 * scale, 0.1);
        let part = (Isometry3::translation(0.1, 0.0, scale), hull.clone());
        vec![
            Shape::Sphere { radius: scale },
            Shape::Capsule { half_length, radius },
            Shape::TaperedCapsule { half_length, bottom_radius: 0.1, top_radius: 0.1 },
            Shape::Cylinder { half_length, radius },
            Shape::Cone { half_length, radius },
            Shape::Cuboid { half_extents: Vector3::new(0.1, scale, 0.1) },
            hull,
            mesh(MeshSides::Closed),
            mesh(MeshSides::OneSided),
            mesh(MeshSides::TwoSided),
            Shape::Compound(CompoundShape::new(vec![part]).expect("a compound")),
            #[cfg(feature = "parry")]
            voxels(scale),
        ]
    }

    #[cfg(feature = "parry")]
    fn voxels(scale: f32) -> Shape {
        use parry3d::math::{IVector, Vector};
        use parry3d::shape::SharedShape;

        let cells = [IVector::ZERO, IVector::new(1, 0, 0)];
        Shape::from_parry(&SharedShape::voxels(Vector::splat(scale), &cells)).expect("voxels")
    }

    #[test]
    fn equal_shapes_have_equal_fingerprints_and_different_shapes_different_ones() {
        let prints = |scale| shapes(scale).iter().map(Shape::fingerprint).collect::<Vec<_>>();
        assert_eq!(prints(1.0), prints(1.0));
        let mut all = [prints(1.0), prints(1.5), vec![Shape::Plane.fingerprint()]].concat();
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
