//! Attachments: zero-length springs from a vertex to a moving target.

use nalgebra::Point3;

use super::Bodies;
use super::bodies::{Packed, packed};

/// One attachment; the target moves through the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AttachmentConstraint {
    pub(crate) vertex: u32,
    /// Compliance (m/N).
    pub(crate) compliance: f32,
    /// Target at the start of the step.
    pub(crate) target_t0: Point3<f32>,
    /// Target at the end of the step.
    pub(crate) target_t1: Point3<f32>,
    /// Target at the end of the substep.
    pub(crate) target: Point3<f32>,
    pub(crate) lambda: Packed,
}

/// One pass over the attachments, in order.
pub(crate) fn project(attachments: &mut [AttachmentConstraint], bodies: &mut Bodies<'_>, first: bool) {
    for attachment in attachments {
        let v = attachment.vertex as usize;
        let w = bodies.w[v];
        if w > 0.0 {
            let softness = attachment.compliance / (bodies.h * bodies.h);
            let lambda = if first { Packed::zeros() } else { attachment.lambda };
            let apart = packed(&attachment.target.coords) - bodies.x[v] - lambda * softness;
            attachment.lambda = lambda + apart / (w + softness);
            bodies.x[v] += apart * (w / (w + softness));
        }
    }
}
