//! Attachments: zero-length springs from a vertex to a moving target, which can be switched off.
//!
//! The force of an attachment is that of XPBD, `f = lambda / h^2` at the end of a substep; a step has the
//! mean of its substeps.

use nalgebra::{Point3, Vector3};

use super::{BetweenLevels, ClothInput, Constraint, Pass};
use crate::bodies::{Bodies, Packed, difference, packed};

/// One attachment; the target moves through the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AttachmentConstraint {
    pub(crate) vertex: u32,
    /// Compliance (m/N).
    pub(crate) compliance: f32,
    /// Target at the end of the substep.
    pub(crate) target: Point3<f32>,
    pub(crate) lambda: Packed,
    /// [`AttachmentState::holds`] in this step.
    pub(crate) holds: bool,
}

/// What changes of an attachment from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct AttachmentState {
    /// Target (m) at the two ends of the step.
    pub(crate) targets: [Point3<f32>; 2],
    /// Whether it pulls at all.
    pub(crate) holds: bool,
    /// Mean force (N) on the cloth over the last step, with what tethers that end at its vertex bear.
    pub(crate) force: Vector3<f32>,
}

impl AttachmentState {
    /// One that holds its vertex at a target (m).
    pub(crate) fn holding(target: Point3<f32>) -> Self {
        Self { targets: [target; 2], holds: true, force: Vector3::zeros() }
    }

    /// Whether it holds, and its target moves in the coming step.
    pub(crate) fn is_moving(&self) -> bool {
        self.holds && self.targets[0] != self.targets[1]
    }
}

impl Constraint for Vec<AttachmentConstraint> {
    fn add_cloth(&mut self, cloth: &ClothInput<'_>) {
        self.extend(cloth.cloth.attachments.iter().map(|a| AttachmentConstraint {
            vertex: cloth.shift(a.vertex),
            compliance: a.compliance,
            target: cloth.place(&a.target),
            lambda: Packed::zeros(),
            holds: true,
        }));
    }

    fn project(&mut self, bodies: &mut Bodies<'_>, pass: Pass, _: BetweenLevels<'_>) {
        for attachment in self {
            let v = attachment.vertex as usize;
            let w = bodies.w[v];
            if w > 0.0 && attachment.holds {
                let softness = attachment.compliance / (bodies.h * bodies.h);
                let lambda = if pass.first { Packed::zeros() } else { attachment.lambda };
                let apart = difference(&packed(&attachment.target.coords), &bodies.x[v]) - lambda * softness;
                attachment.lambda = lambda + apart / (w + softness);
                bodies.x[v] += apart * (w / (w + softness));
            }
        }
    }
}
