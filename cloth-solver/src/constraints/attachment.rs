//! Attachments: zero-length springs from a vertex to a moving target.

use nalgebra::Point3;

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
}

impl Constraint for Vec<AttachmentConstraint> {
    fn add_cloth(&mut self, cloth: &ClothInput<'_>) {
        self.extend(cloth.cloth.attachments.iter().map(|a| AttachmentConstraint {
            vertex: cloth.shift(a.vertex),
            compliance: a.compliance,
            target: cloth.place(&a.target),
            lambda: Packed::zeros(),
        }));
    }

    fn project(&mut self, bodies: &mut Bodies<'_>, pass: Pass, _: BetweenLevels<'_>) {
        for attachment in self {
            let v = attachment.vertex as usize;
            let w = bodies.w[v];
            if w > 0.0 {
                let softness = attachment.compliance / (bodies.h * bodies.h);
                let lambda = if pass.first { Packed::zeros() } else { attachment.lambda };
                let apart = difference(&packed(&attachment.target.coords), &bodies.x[v]) - lambda * softness;
                attachment.lambda = lambda + apart / (w + softness);
                bodies.x[v] += apart * (w / (w + softness));
            }
        }
    }
}
