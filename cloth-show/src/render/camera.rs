//! A perspective camera, and the place from which a box fills the picture.

use cloth_geom::Aabb;
use nalgebra::{Point3, Vector3};

use crate::Direction;

/// Nothing nearer than this part of the distance to the target is drawn.
const NEAR: f32 = 1e-3;

/// The picture is this much larger than what is framed.
const MARGIN: f32 = 1.06;

/// A perspective camera that looks from `eye` to `target`, y up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands (m).
    pub eye: Point3<f32>,
    /// What is in the middle of the picture (m).
    pub target: Point3<f32>,
    /// Vertical opening angle (rad), in (0, pi).
    pub fov_y: f32,
}

/// From the target towards the eye.
fn unit(direction: Direction) -> Vector3<f32> {
    let (azimuth, elevation) = (direction.azimuth_deg.to_radians(), direction.elevation_deg.to_radians());
    let level = libm::cosf(elevation);
    Vector3::new(level * libm::sinf(azimuth), libm::sinf(elevation), level * libm::cosf(azimuth))
}

impl Camera {
    /// The camera that sees the whole box from a side, as near as it can. Bounds that are empty or not finite
    /// count as the unit box around the origin.
    #[must_use]
    pub fn framing(bounds: &Aabb, direction: Direction, aspect: f32) -> Self {
        Self::framing_points(&corners([bounds.min, bounds.max]), direction, aspect)
    }

    /// The camera that sees all points from a side, as near as it can: nearer than that of their box. Without
    /// a finite point it sees the unit box around the origin.
    #[must_use]
    pub fn framing_points(points: &[Point3<f32>], direction: Direction, aspect: f32) -> Self {
        let mut points = points.to_vec();
        points.retain(|p| p.iter().all(|c| c.is_finite()));
        if points.is_empty() {
            points.extend(corners([-0.5, 0.5].map(|c| Point3::new(c, c, c))));
        }
        let start = (points[0], points[0]);
        let (min, max) = points.iter().fold(start, |(min, max), p| (min.inf(p), max.sup(p)));
        let middle = nalgebra::center(&min, &max);
        let (unit, fov_y) = (unit(direction), 30_f32.to_radians());
        let axes = Self { eye: middle + unit, target: middle, fov_y }.view(1, 1);
        let points: Vec<Vector3<f32>> = points.iter().map(|p| p - middle).collect();
        let tan_y = libm::tanf(fov_y / 2.0) / MARGIN;
        let (shift_x, distance_x) = fit(&points, &axes.right, &axes.forward, tan_y * aspect);
        let (shift_y, distance_y) = fit(&points, &axes.up, &axes.forward, tan_y);
        let target = middle + axes.right * shift_x + axes.up * shift_y;
        Self { eye: target + unit * distance_x.max(distance_y).max(1e-3), target, fov_y }
    }

    /// The camera's axes and scale for a picture of this many samples. A camera that looks nowhere looks
    /// along -z.
    pub(super) fn view(&self, width: usize, height: usize) -> View {
        let unit = |v: Vector3<f32>, or: Vector3<f32>| v.try_normalize(1e-12).unwrap_or(or);
        let forward = unit(self.target - self.eye, -Vector3::z());
        let right = unit(forward.cross(&Vector3::y()), Vector3::x());
        let distance = (self.target - self.eye).norm();
        let distance = if distance > 0.0 { distance } else { 1.0 };
        View {
            eye: self.eye,
            right,
            up: right.cross(&forward),
            forward,
            scale: height as f32 / 2.0 / libm::tanf(self.fov_y / 2.0),
            distance,
            width,
            height,
        }
    }
}

/// The corners of a box.
fn corners(bounds: [Point3<f64>; 2]) -> [Point3<f32>; 8] {
    std::array::from_fn(|corner| Point3::from([0, 1, 2].map(|k| bounds[corner >> k & 1][k] as f32)))
}

/// Along one axis of the picture: how far to move sideways, and how far back, so that all points are just in
/// view.
///
/// With the eye moved by `s` and back by `d`, a point at `x` across and `z` deep is in view if
/// `|x - s| <= t (d + z)`: so `t d + s >= max(x - t z)` and `t d - s >= max(-x - t z)`, and both hold with
/// equality at the answer.
fn fit(points: &[Vector3<f32>], across: &Vector3<f32>, forward: &Vector3<f32>, tan: f32) -> (f32, f32) {
    let greatest = |sign: f32| {
        let sides = points.iter().map(|p| sign * p.dot(across) - tan * p.dot(forward));
        sides.fold(f32::NEG_INFINITY, f32::max)
    };
    let (right, left) = (greatest(1.0), greatest(-1.0));
    ((right - left) / 2.0, (right + left) / 2.0 / tan)
}

/// A camera made ready for one picture.
pub(super) struct View {
    pub(super) eye: Point3<f32>,
    pub(super) right: Vector3<f32>,
    pub(super) up: Vector3<f32>,
    pub(super) forward: Vector3<f32>,
    /// Samples a unit at unit distance.
    scale: f32,
    /// From the eye to the target (m), 1 if they are one: the scale of what is looked at.
    pub(super) distance: f32,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// A point on the picture plane.
#[derive(Clone, Copy)]
pub(super) struct Projected {
    /// Place in samples from the upper left corner.
    pub(super) at: [f32; 2],
    /// One over the distance along the view (1/m): linear on the picture, greater is nearer.
    pub(super) inverse_depth: f32,
}

impl View {
    /// Where a point is seen; none for points behind the camera or not finite.
    pub(super) fn project(&self, p: &Point3<f32>) -> Option<Projected> {
        let d = p - self.eye;
        let depth = d.dot(&self.forward);
        let x = self.width as f32 / 2.0 + self.scale * d.dot(&self.right) / depth;
        let y = self.height as f32 / 2.0 - self.scale * d.dot(&self.up) / depth;
        let drawn = depth > NEAR * self.distance && x.is_finite() && y.is_finite();
        drawn.then_some(Projected { at: [x, y], inverse_depth: 1.0 / depth })
    }

    /// From the eye through the middle of a sample, one metre along the view: not of unit length.
    pub(super) fn ray(&self, x: usize, y: usize) -> Vector3<f32> {
        let right = (x as f32 + 0.5 - self.width as f32 / 2.0) / self.scale;
        let up = (self.height as f32 / 2.0 - y as f32 - 0.5) / self.scale;
        self.forward + self.right * right + self.up * up
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit_box() -> Aabb {
        Aabb { min: Point3::new(-1.0, 0.0, -0.5), max: Point3::new(1.0, 0.5, 0.5) }
    }

    #[test]
    fn frames_every_corner_and_wastes_little() {
        for (azimuth_deg, elevation_deg) in
            [(0.0, 0.0), (30.0, 24.0), (140.0, 60.0), (10.0, 90.0), (0.0, -30.0)]
        {
            let camera = Camera::framing(&unit_box(), Direction { azimuth_deg, elevation_deg }, 4.0 / 3.0);
            let view = camera.view(640, 480);
            let mut reach = 0_f32;
            for corner in 0..8 {
                let p = Point3::new(
                    [-1.0, 1.0][corner & 1],
                    [0.0, 0.5][corner >> 1 & 1],
                    [-0.5, 0.5][corner >> 2 & 1],
                );
                let [x, y] = view.project(&p).expect("in front").at;
                assert!((0.0..=640.0).contains(&x) && (0.0..=480.0).contains(&y), "{azimuth_deg}: {x} {y}");
                reach = reach.max((x / 320.0 - 1.0).abs()).max((y / 240.0 - 1.0).abs());
            }
            assert!(reach > 0.93, "{azimuth_deg} {elevation_deg}: fills only {reach}");
        }
    }

    #[test]
    fn ray_passes_through_what_is_projected_there() {
        let view = Camera::framing(&unit_box(), Direction::default(), 1.0).view(100, 100);
        let p = Point3::new(0.3, 0.2, -0.1);
        let seen = view.project(&p).expect("in front");
        let (x, y) = (seen.at[0] as usize, seen.at[1] as usize);
        let q = view.eye + view.ray(x, y) / seen.inverse_depth;
        // Half a sample off at most, on each axis.
        assert!((p - q).norm() <= 0.75 / seen.inverse_depth / view.scale, "{p} {q}");
    }

    #[test]
    fn does_not_project_what_is_behind_or_not_finite() {
        let view = Camera::framing(&unit_box(), Direction::default(), 1.0).view(100, 100);
        assert!(view.project(&(view.eye - view.forward)).is_none());
        assert!(view.project(&view.eye.clone()).is_none());
        assert!(view.project(&Point3::new(f32::NAN, 0.0, 0.0)).is_none());
        assert!(view.project(&Point3::new(f32::INFINITY, 0.0, 0.0)).is_none());
    }

    #[test]
    fn frames_empty_and_single_point_bounds() {
        let point = Aabb { min: Point3::origin(), max: Point3::origin() };
        for bounds in [Aabb::EMPTY, point] {
            let camera = Camera::framing(&bounds, Direction::default(), 1.0);
            assert!(camera.eye.iter().all(|c| c.is_finite()));
            assert!(camera.view(10, 10).project(&camera.target).is_some());
        }
    }
}
