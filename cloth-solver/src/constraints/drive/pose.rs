//! The target pose of a drive: positions and normals.
//!
//! Targets move linearly over the step, as pins do. Normals are exact at the two ends of the step and
//! interpolated in between: a pose that rotates by 30 degrees in a step, 900 degrees a second at 30 Hz, is
//! off by at most 1.5 degrees.

use nalgebra::{Isometry3, Point3, Vector3};

/// The pose of one cloth over the step.
#[derive(Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct DrivePose {
    /// Faces over the vertices of the cloth.
    faces: Vec<[u32; 3]>,
    /// Targets (m) when the step begins, and when it ends.
    t0: Vec<Point3<f32>>,
    t1: Vec<Point3<f32>>,
    normals_t0: Vec<Vector3<f32>>,
    normals_t1: Vec<Vector3<f32>>,
}

cloth_geom::clone_in_place!(DrivePose { faces, t0, t1, normals_t0, normals_t1 });

impl DrivePose {
    /// A pose at rest.
    pub(crate) fn new(targets: Vec<Point3<f32>>, faces: Vec<[u32; 3]>) -> Self {
        let mut normals = vec![Vector3::zeros(); targets.len()];
        vertex_normals(&faces, &targets, &mut normals);
        Self { faces, t0: targets.clone(), t1: targets, normals_t0: normals.clone(), normals_t1: normals }
    }

    /// Whether every target and normal is finite.
    pub(crate) fn is_finite(&self) -> bool {
        let targets = self.t0.iter().chain(&self.t1).flat_map(|p| p.iter());
        let normals = self.normals_t0.iter().chain(&self.normals_t1).flat_map(|n| n.iter());
        targets.chain(normals).all(|c| c.is_finite())
    }

    /// Whether it has the faces and as many vertices as another.
    pub(crate) fn has_form_of(&self, other: &Self) -> bool {
        let Self { faces, t0, t1, normals_t0, normals_t1 } = self;
        let lengths = [t0.len(), t1.len(), normals_t0.len(), normals_t1.len()];
        *faces == other.faces && lengths.iter().all(|&length| length == other.t0.len())
    }

    /// The number of vertices.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.t0.len()
    }

    /// Sets the targets for the end of the next step, one per vertex.
    pub(crate) fn move_to(&mut self, targets: &[Point3<f32>]) {
        self.t1.copy_from_slice(targets);
        vertex_normals(&self.faces, &self.t1, &mut self.normals_t1);
    }

    /// Whether it moves in the step.
    pub(crate) fn is_moving(&self) -> bool {
        self.t0 != self.t1
    }

    /// Makes the end of this step the start of the next.
    pub(crate) fn finish(&mut self) {
        self.t0.copy_from_slice(&self.t1);
        self.normals_t0.copy_from_slice(&self.normals_t1);
    }

    /// Moves the pose rigidly.
    pub(crate) fn teleport(&mut self, motion: &Isometry3<f32>) {
        self.t0.iter_mut().chain(&mut self.t1).for_each(|p| *p = motion * *p);
        self.normals_t0.iter_mut().chain(&mut self.normals_t1).for_each(|n| *n = motion * *n);
    }

    /// Where a target is when the step begins, and when it ends (m).
    pub(crate) fn ends(&self, vertex: usize) -> [Point3<f32>; 2] {
        [self.t0[vertex], self.t1[vertex]]
    }

    /// The unit normal at a vertex, as `turn` makes it of those at its two ends.
    pub(crate) fn normal_between(
        &self,
        vertex: usize,
        turn: impl Fn([&Vector3<f32>; 2]) -> Vector3<f32>,
    ) -> Vector3<f32> {
        let ends = [&self.normals_t0[vertex], &self.normals_t1[vertex]];
        turn(ends).try_normalize(1e-6).unwrap_or(*ends[1])
    }

    /// Moves the pose at the start of the step to a place between its two ends.
    pub(crate) fn go_to(
        &mut self,
        place: impl Fn([Point3<f32>; 2]) -> Point3<f32>,
        turn: impl Fn([&Vector3<f32>; 2]) -> Vector3<f32>,
    ) {
        for v in 0..self.t0.len() {
            self.normals_t0[v] = self.normal_between(v, &turn);
            self.t0[v] = place(self.ends(v));
        }
    }

    /// Moves the pose at the start of the step.
    pub(crate) fn move_start(
        &mut self,
        place: impl Fn(&Point3<f32>) -> Point3<f32>,
        turn: impl Fn(&Vector3<f32>) -> Vector3<f32>,
    ) {
        self.t0.iter_mut().for_each(|p| *p = place(p));
        self.normals_t0.iter_mut().for_each(|n| *n = turn(n));
    }

    /// The target of a vertex (m) when the share `to` of the step is over; at the end it is the caller's, to
    /// the bit.
    pub(crate) fn target(&self, vertex: usize, to: f32) -> Point3<f32> {
        if to == 1.0 { self.t1[vertex] } else { self.t0[vertex] + self.displacement(vertex) * to }
    }

    /// Displacement of the target over the step (m).
    pub(crate) fn displacement(&self, vertex: usize) -> Vector3<f32> {
        self.t1[vertex] - self.t0[vertex]
    }

    /// The unit normal at a vertex when the share `to` of the step is over; zero where no face has an area.
    pub(crate) fn normal(&self, vertex: usize, to: f32) -> Vector3<f32> {
        let (from, end) = (self.normals_t0[vertex], self.normals_t1[vertex]);
        if from == end {
            return end;
        }
        (from * (1.0 - to) + end * to).try_normalize(1e-6).unwrap_or(end)
    }
}

/// The mean normal of the faces around each vertex, by area; zero where there is none.
fn vertex_normals(faces: &[[u32; 3]], points: &[Point3<f32>], normals: &mut [Vector3<f32>]) {
    normals.fill(Vector3::zeros());
    for f in faces {
        let [a, b, c] = f.map(|v| points[v as usize]);
        let area = (b - a).cross(&(c - a));
        for &v in f {
            normals[v as usize] += area;
        }
    }
    normals.iter_mut().for_each(|n| *n = n.try_normalize(0.0).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::fixtures::{icosphere, sheet};

    fn ball() -> DrivePose {
        let mesh = icosphere(2, 0.5).unwrap();
        DrivePose::new(mesh.positions_f32(), mesh.faces)
    }

    #[test]
    fn the_normals_of_a_ball_point_outward() {
        let pose = ball();
        for v in 0..pose.len() {
            let outward = pose.target(v, 1.0).coords.normalize();
            assert!(pose.normal(v, 1.0).dot(&outward) > 0.99);
        }
    }

    #[test]
    fn a_pose_moves_and_turns_evenly_through_the_step() {
        let mut pose = ball();
        let turned = |angle: f32| {
            let turn = Isometry3::new(Vector3::new(0.4, 0.0, 0.0) * angle, Vector3::y() * angle);
            ball().t0.iter().map(|p| turn * p).collect::<Vec<_>>()
        };
        let (start, end) = (ball().t0, turned(std::f32::consts::FRAC_PI_6));
        pose.move_to(&end);
        for v in 0..pose.len() {
            assert_eq!(pose.target(v, 1.0), end[v]);
            assert!((pose.target(v, 0.25) - (start[v] + (end[v] - start[v]) * 0.25)).norm() < 1e-6);
        }
        for to in [0.25, 0.5, 0.75] {
            let exact = DrivePose::new(turned(to * std::f32::consts::FRAC_PI_6), ball().faces);
            let off = (0..pose.len()).map(|v| pose.normal(v, to).angle(&exact.normal(v, 1.0)));
            let off = off.fold(0.0, f32::max).to_degrees();
            assert!(off < 1.5, "{off} degrees at {to}");
        }
        pose.finish();
        assert_eq!((pose.target(7, 0.3), pose.displacement(7)), (end[7], Vector3::zeros()));
    }

    #[test]
    fn a_reversed_normal_and_one_without_area_are_not_nan() {
        let mesh = sheet(2, 2, [1.0, 1.0]).unwrap().mesh;
        let mut pose = DrivePose::new(mesh.positions_f32(), mesh.faces.clone());
        let over = Isometry3::rotation(Vector3::x() * std::f32::consts::PI);
        pose.move_to(&mesh.positions_f32().iter().map(|p| over * p).collect::<Vec<_>>());
        assert!((pose.normal(0, 0.5).norm() - 1.0).abs() < 1e-5);
        let flat = DrivePose::new(vec![Point3::origin(); 4], mesh.faces);
        assert_eq!(flat.normal(0, 0.5), Vector3::zeros());
    }
}
