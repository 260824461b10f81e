//! What is known of the motion of one patch.

use cloth_geom::bounds::Upper;

use crate::detect::motion::extent::Extent;
use crate::detect::motion::patch_motion::{BoundingSphere, PatchMotion, RotationFit, TranslationBound};

/// The state of a patch in the present step.
#[derive(Clone, Copy, Debug)]
pub(super) struct PatchState {
    /// Bounds of its positions (m).
    pub(super) at: Extent,
    pub(super) sphere: BoundingSphere,
    /// Bounding sphere in the previous step.
    pub(super) former_sphere: BoundingSphere,
    /// Motion in the previous step.
    pub(super) last_step: PatchMotion,
    /// Predicted motion.
    pub(super) next_step: PatchMotion,
    /// Cached rotation fit.
    pub(super) rotation_fit: Option<RotationFit>,
    /// Translation since the anchor before this step.
    pub(super) since_former_anchor: TranslationBound,
    /// Translation since the present anchor.
    pub(super) since_anchor: TranslationBound,
    pub(super) reanchored: bool,
    /// Its share of the distance error (m): points of a pair within reach are at most the sizes and reaches
    /// of both patches apart.
    pub(super) error: Upper,
}
