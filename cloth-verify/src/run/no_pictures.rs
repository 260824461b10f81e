//! What stands for `pictures.rs` without the feature `render`: nothing is kept and nothing is drawn.

use cloth_show::Direction;
use cloth_solver::ClothDesc;
use nalgebra::Point3;

use super::Observation;
use crate::report::Picture;

/// The frames that are drawn: none.
pub(super) fn frames(_count: usize) -> Vec<usize> {
    Vec::new()
}

/// Draws nothing; its fields are those of the renderer.
#[expect(dead_code, reason = "only the renderer reads them")]
pub(super) struct SceneRenderer<'a> {
    pub(super) cloths: &'a [ClothDesc],
    pub(super) view: Direction,
    pub(super) focus: Option<[Point3<f32>; 2]>,
    pub(super) follows: Option<usize>,
    pub(super) skin_faces: &'a [[u32; 3]],
}

impl SceneRenderer<'_> {
    pub(super) fn of_run(&self, _seen: &Observation) -> Vec<Picture> {
        Vec::new()
    }

    pub(super) fn of_control(&self, _seen: &Observation, _control: &str) -> Option<Picture> {
        None
    }
}
