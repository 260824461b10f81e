//! From the coordinates of a scene to those of the simulation: scaled, moved, put on a grid, mirrored.

use cloth_geom::TriMesh;
use cloth_solver::{ContactSource, Settings, Shape};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::random::SplitMix64;
use super::scene::{FuzzMotion, FuzzWaypoints, FuzzWorld};
use crate::scenarios::parts::turn;

impl FuzzWorld {
    /// At the origin, with the lengths of the scene.
    pub(super) const PLAIN: Self = Self {
        scale: 1.0,
        origin: [0.0; 3],
        grid: None,
        mirrored: false,
        permutation_seed: None,
        reversed: false,
    };

    /// The settings of the solver, with their lengths scaled.
    pub(super) fn settings(&self, settings: &Settings) -> Settings {
        let mut scaled = *settings;
        scaled.gravity = self.vector(scaled.gravity);
        scaled.wind.velocity = self.vector(scaled.wind.velocity);
        if let Some(gusts) = &mut scaled.wind.gusts {
            gusts.strength *= self.scale;
            gusts.length *= self.scale;
        }
        scaled.velocity_limit *= self.scale;
        if let ContactSource::Cached { reach, .. } = &mut scaled.contacts {
            *reach *= self.scale;
        }
        if let Some(teleport) = &mut scaled.teleport {
            teleport.metres *= self.scale;
            teleport.speed *= self.scale;
        }
        scaled.layer_depth *= self.scale;
        scaled.recovery_speed *= self.scale;
        if let Some(sleep) = &mut scaled.sleep {
            sleep.speed *= self.scale;
        }
        scaled
    }

    /// A length in any direction, or a velocity.
    pub(super) fn vector(&self, v: Vector3<f32>) -> Vector3<f32> {
        self.mirror(v * self.scale)
    }

    /// A place.
    pub(super) fn point(&self, p: Vector3<f32>) -> Point3<f32> {
        Point3::from(self.mirror(p * self.scale + Vector3::from(self.origin)))
    }

    /// A place at the start, on the grid.
    pub(super) fn start(&self, p: &Point3<f64>) -> Point3<f32> {
        let at = p.coords * f64::from(self.scale) + Vector3::from(self.origin).cast::<f64>();
        let at = match self.grid.map(f64::from) {
            Some(grid) if grid > 0.0 => (at / grid).map(f64::round) * grid,
            _ => at,
        };
        Point3::from(self.mirror(at.cast::<f32>()))
    }

    /// A rotation, by its rotation vector (rad). In a mirror it goes the other way round.
    pub(super) fn rotation(&self, rotation: Vector3<f32>) -> UnitQuaternion<f32> {
        self::rotation(self.turning(rotation))
    }

    pub(super) fn pose(&self, at: Vector3<f32>, rotation: Vector3<f32>) -> Isometry3<f32> {
        Isometry3::from_parts(Translation3::from(self.point(at).coords), self.rotation(rotation))
    }

    /// An angular velocity (rad/s), which a mirror reverses as it does rotations.
    pub(super) fn turning(&self, v: Vector3<f32>) -> Vector3<f32> {
        if self.mirrored { Vector3::new(v.x, -v.y, -v.z) } else { v }
    }

    /// A motion: a rotation (rad) about a point of the simulation, then a distance.
    pub(super) fn motion(&self, about: &Point3<f32>, rotation: [f32; 3], by: [f32; 3]) -> Isometry3<f32> {
        let rotation = self.rotation(rotation.into());
        let by = about.coords - rotation * about.coords + self.vector(by.into());
        Isometry3::from_parts(Translation3::from(by), rotation)
    }

    /// The faces of a mesh, with their orientation preserved in a mirror.
    pub(super) fn faces(&self, faces: &[[u32; 3]]) -> Vec<[u32; 3]> {
        faces.iter().map(|&[a, b, c]| if self.mirrored { [a, c, b] } else { [a, b, c] }).collect()
    }

    fn mirror(&self, v: Vector3<f32>) -> Vector3<f32> {
        if self.mirrored { Vector3::new(-v.x, v.y, v.z) } else { v }
    }
}

/// A shape with its lengths multiplied by a factor; a shape that no file holds is as it was.
pub(super) fn scaled(shape: &Shape, factor: f32) -> Shape {
    let mut scaled = shape.clone();
    match &mut scaled {
        Shape::Sphere { radius } => *radius *= factor,
        Shape::Capsule { half_length, radius }
        | Shape::Cylinder { half_length, radius }
        | Shape::Cone { half_length, radius } => {
            *half_length *= factor;
            *radius *= factor;
        }
        Shape::TaperedCapsule { half_length, bottom_radius, top_radius } => {
            [half_length, bottom_radius, top_radius].into_iter().for_each(|length| *length *= factor);
        }
        Shape::Cuboid { half_extents } => *half_extents *= factor,
        _ => {}
    }
    scaled
}

/// A rotation by its rotation vector (rad).
pub(super) fn rotation(rotation: Vector3<f32>) -> UnitQuaternion<f32> {
    let angle = rotation.norm();
    if angle > 0.0 { turn(&(rotation / angle), angle) } else { UnitQuaternion::identity() }
}

impl FuzzMotion {
    /// How far (m) it has gone after this many steps of `dt` (s).
    pub(super) fn after(&self, steps: u32, dt: f32) -> Vector3<f32> {
        let turn = self.half_period.max(1);
        let phase = if self.stops_at_drift { steps.min(self.drift_start) } else { steps } % (2 * turn);
        let to_and_fro = phase.min(2 * turn - phase);
        let drifting = steps.saturating_sub(self.drift_start);
        Vector3::from(self.velocity) * (dt * to_and_fro as f32)
            + Vector3::from(self.drift_velocity) * (dt * drifting as f32)
    }

    /// How far (m) it has gone a share of a step later.
    pub(super) fn within(&self, steps: u32, share: f32, dt: f32) -> Vector3<f32> {
        let from = self.after(steps, dt);
        if share == 0.0 { from } else { from + (self.after(steps + 1, dt) - from) * share }
    }
}

impl FuzzWaypoints {
    /// The share of the step at each waypoint, and how far from the straight line it is (of the simulation).
    pub(super) fn points(&self, world: &FuzzWorld) -> impl Iterator<Item = (usize, f32, Vector3<f32>)> {
        let (count, bow) = (self.count, world.vector(self.bow.into()));
        (0..count).map(move |k| {
            let share = (k + 1) as f32 / (count + 1) as f32;
            (k as usize, share, bow * (4.0 * share * (1.0 - share)))
        })
    }
}

/// The order in which a mesh is described: for each vertex and each face as the mesh makes them the number
/// that it gets.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    pub(super) vertices: Vec<u32>,
    pub(super) faces: Vec<u32>,
}

impl Order {
    /// As the mesh makes them, or in an order that a seed decides, in which the corners of faces are shifted
    /// as well.
    pub(super) fn apply(seed: Option<u64>, mesh: &mut TriMesh) -> Self {
        let [n, m] = [mesh.positions.len(), mesh.faces.len()];
        let Some(seed) = seed else {
            return Self { vertices: (0..n as u32).collect(), faces: (0..m as u32).collect() };
        };
        let mut random = SplitMix64::new(seed);
        let order = Self { vertices: random.permutation(n), faces: random.permutation(m) };
        let old = std::mem::take(mesh);
        mesh.positions = order.placed(&old.positions);
        mesh.faces = vec![[0; 3]; m];
        for (f, face) in old.faces.iter().enumerate() {
            let mut corners = face.map(|v| order.vertices[v as usize]);
            corners.rotate_left(random.count(0, 2));
            mesh.faces[order.faces[f] as usize] = corners;
        }
        order
    }

    /// Entries a vertex, in this order.
    pub(super) fn placed<T: Copy>(&self, entries: &[T]) -> Vec<T> {
        let mut placed = entries.to_vec();
        self.vertices.iter().zip(entries).for_each(|(&to, &entry)| placed[to as usize] = entry);
        placed
    }

    /// A vertex; numbers beyond the last begin again.
    pub(super) fn vertex(&self, v: u32) -> u32 {
        self.vertices[v as usize % self.vertices.len().max(1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::FuzzMesh;

    #[test]
    fn a_permuted_mesh_is_the_same_mesh() {
        let mesh = FuzzMesh::Disc { rings: 2, spacing: 0.1 }.rest().unwrap();
        let mut permutation_seed = mesh.clone();
        let order = Order::apply(Some(3), &mut permutation_seed);
        assert_ne!(permutation_seed, mesh);
        for (v, p) in mesh.positions.iter().enumerate() {
            assert_eq!(permutation_seed.positions[order.vertex(v as u32) as usize], *p);
        }
        for (f, face) in mesh.faces.iter().enumerate() {
            let mut there = permutation_seed.faces[order.faces[f] as usize];
            let mut here = face.map(|v| order.vertex(v));
            there.sort_unstable();
            here.sort_unstable();
            assert_eq!(there, here);
        }
    }

    #[test]
    fn a_motion_goes_to_and_fro_and_drifts_later() {
        let motion = FuzzMotion {
            velocity: [1.0, 0.0, 0.0],
            half_period: 2,
            drift_velocity: [0.0, 1.0, 0.0],
            drift_start: 3,
            stops_at_drift: false,
        };
        let places =
            |motion: FuzzMotion| (0..6).map(|k| motion.after(k, 1.0)).map(|p| [p.x, p.y]).collect::<Vec<_>>();
        assert_eq!(places(motion), [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 2.0]]);
        let stops = places(FuzzMotion { stops_at_drift: true, ..motion });
        assert_eq!(stops, [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]);
    }
}
