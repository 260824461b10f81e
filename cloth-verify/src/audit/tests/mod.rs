//! What the auditor finds, and what it leaves alone.

mod contours;
mod cuts;
mod independence;
mod motions;
mod rules;

use cloth_solver::AcceptedMotion;
use nalgebra::Point3;

use super::{AuditScene, Auditor};

/// Cloth of one part and region, as thick as 1 mm.
fn cloth(faces: &[[u32; 3]], vertices: usize) -> AuditScene {
    AuditScene {
        faces: faces.to_vec(),
        loose_edges: Vec::new(),
        part: vec![0; vertices],
        is_body: vec![false; vertices],
        radius: vec![5e-4; vertices],
        ..AuditScene::default()
    }
}

fn points(at: &[[f32; 3]]) -> Vec<Point3<f32>> {
    at.iter().map(|&p| p.into()).collect()
}

/// A motion of one substep without releases.
fn motion<'a>(x_t0: &'a [Point3<f32>], x_t1: &'a [Point3<f32>]) -> AcceptedMotion<'a> {
    AcceptedMotion {
        substep: 0,
        substeps: 1,
        x_t0,
        x_t1,
        colliders: &[],
        cuts: &[],
        released: &[],
        examined: None,
    }
}

/// Reports a step of one motion to the auditor.
fn step(auditor: &mut Auditor, x_t0: &[Point3<f32>], x_t1: &[Point3<f32>]) {
    auditor.begin_step();
    auditor.motion(&motion(x_t0, x_t1));
    auditor.end_step(true);
}
