//! Which face a ray hits first.

use nalgebra::{Point3, Vector3};

/// A ray from a point (m); the direction may have any length but zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it begins (m).
    pub origin: Point3<f32>,
    /// Where it goes.
    pub direction: Vector3<f32>,
}

/// Where a ray meets a face, seen from either side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The index of the face.
    pub face: usize,
    /// In lengths of the ray's direction.
    pub distance: f32,
    /// The place (m).
    pub point: Point3<f32>,
}

impl Ray {
    /// The first face that it meets; the lower index of two at the same distance.
    #[must_use]
    pub fn first_hit(&self, positions: &[Point3<f32>], faces: &[[u32; 3]]) -> Option<Hit> {
        let distances = faces.iter().enumerate().filter_map(|(face, corners)| {
            let corners = corners.map(|v| positions[v as usize]);
            self.distance_to(&corners).map(|distance| (face, distance))
        });
        let (face, distance) = distances.reduce(|best, next| if next.1 < best.1 { next } else { best })?;
        Some(Hit { face, distance, point: self.origin + self.direction * distance })
    }

    /// The distance to a triangle, in lengths of the direction (Moeller and Trumbore 1997).
    fn distance_to(&self, [a, b, c]: &[Point3<f32>; 3]) -> Option<f32> {
        let (u, v) = (b - a, c - a);
        let p = self.direction.cross(&v);
        let volume = u.dot(&p);
        let from = self.origin - a;
        let q = from.cross(&u);
        let [along_u, along_v, distance] =
            [from.dot(&p), self.direction.dot(&q), v.dot(&q)].map(|x| x / volume);
        // Infinite or NaN where the ray lies in the plane of the face: no hit.
        let is_inside = along_u >= 0.0 && along_v >= 0.0 && along_u + along_v <= 1.0;
        (is_inside && distance > 0.0 && distance.is_finite()).then_some(distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn down(x: f32, z: f32) -> Ray {
        Ray { origin: Point3::new(x, 3.0, z), direction: Vector3::y() * -2.0 }
    }

    #[test]
    fn the_nearer_of_two_layers_is_hit_from_either_side() {
        let layer = |y: f32| [[0.0, y, 0.0], [1.0, y, 0.0], [0.0, y, 1.0]].map(Point3::from);
        let positions: Vec<_> = layer(0.0).into_iter().chain(layer(1.0)).collect();
        let faces = [[0, 1, 2], [3, 4, 5]];
        let hit = down(0.2, 0.3).first_hit(&positions, &faces).expect("both layers are below");
        assert_eq!((hit.face, hit.distance, hit.point), (1, 1.0, Point3::new(0.2, 1.0, 0.3)));
        let up = Ray { origin: Point3::new(0.2, -1.0, 0.3), direction: Vector3::y() };
        assert_eq!(up.first_hit(&positions, &faces).map(|hit| hit.face), Some(0));
    }

    #[test]
    fn misses_what_is_beside_behind_or_in_its_plane() {
        let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(Point3::from);
        assert_eq!(down(0.6, 0.6).first_hit(&positions, &[[0, 1, 2]]), None);
        let away = Ray { direction: Vector3::y(), ..down(0.2, 0.2) };
        assert_eq!(away.first_hit(&positions, &[[0, 1, 2]]), None);
        let within = Ray { origin: Point3::new(-1.0, 0.0, 0.2), direction: Vector3::x() };
        assert_eq!(within.first_hit(&positions, &[[0, 1, 2]]), None);
        assert_eq!(down(f32::NAN, 0.2).first_hit(&positions, &[[0, 1, 2]]), None);
    }
}
