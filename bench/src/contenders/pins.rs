//! Pins that a scene moves, in a form that every contender understands.

use cloth_solver::{Simulation, StepError};
use cloth_verify::scenario::SimulationControl;
use nalgebra::{Isometry3, Point3, Vector3};

/// Where a pinned vertex is at the end of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PinTarget {
    /// Index of the cloth.
    pub cloth: usize,
    /// The vertex in that cloth.
    pub vertex: u32,
    /// The position (m).
    pub target: Point3<f32>,
}

/// Records the pins that a driver moves.
#[derive(Debug, Default)]
pub struct PinRecorder {
    targets: Vec<PinTarget>,
    /// The first thing other than a pin that the driver asked for.
    refused: Option<&'static str>,
}

impl PinRecorder {
    /// The targets.
    ///
    /// # Errors
    /// If the driver asked for something else.
    pub fn finish(self) -> Result<Vec<PinTarget>, String> {
        match self.refused {
            None => Ok(self.targets),
            Some(what) => Err(format!(
                "the scene {what}, which contenders cannot represent: use scenes that move pins alone"
            )),
        }
    }

    fn refuse(&mut self, what: &'static str) -> Result<(), StepError> {
        self.refused.get_or_insert(what);
        Ok(())
    }
}

impl SimulationControl for PinRecorder {
    fn simulation(&self) -> Option<&Simulation> {
        None
    }

    fn move_pin(&mut self, cloth: usize, vertex: u32, target: Point3<f32>) -> Result<(), StepError> {
        self.targets.push(PinTarget { cloth, vertex, target });
        Ok(())
    }

    fn move_collider(&mut self, _: usize, _: Isometry3<f32>) -> Result<(), StepError> {
        self.refuse("moves a collider")
    }

    fn move_mesh_body(&mut self, _: usize, _: &[Point3<f32>]) -> Result<(), StepError> {
        self.refuse("moves a mesh body")
    }

    fn pin(&mut self, _: usize, _: u32) -> Result<(), StepError> {
        self.refuse("pins a vertex")
    }

    fn set_mass(&mut self, _: usize, _: u32, _: f32) -> Result<(), StepError> {
        self.refuse("sets a mass")
    }

    fn move_attachment(&mut self, _: usize, _: Point3<f32>) -> Result<(), StepError> {
        self.refuse("moves an attachment")
    }

    fn move_local_frame(&mut self, _: usize, _: Isometry3<f32>) -> Result<(), StepError> {
        self.refuse("moves a local frame")
    }

    fn set_velocity(&mut self, _: usize, _: u32, _: Vector3<f32>) -> Result<(), StepError> {
        self.refuse("sets a velocity")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_pin_is_refused_by_name() {
        let mut recorder = PinRecorder::default();
        recorder.move_pin(1, 7, Point3::origin()).expect("recorded");
        recorder.set_mass(0, 0, 1.0).expect("noted");
        assert!(recorder.finish().is_err_and(|e| e.contains("sets a mass")));
    }
}
