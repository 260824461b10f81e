//! Attachments: springs of no length from a vertex to a point that the caller moves.

use nalgebra::Point3;

use super::Bodies;
use super::bodies::packed;

/// One attachment; the target moves through the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hold {
    pub(crate) vertex: u32,
    /// Compliance (m/N).
    pub(crate) compliance: f32,
    /// Where the target was when the step began.
    pub(crate) target_t0: Point3<f32>,
    /// Where it is to be when the step ends.
    pub(crate) target_t1: Point3<f32>,
    /// Where it is at the end of this substep.
    pub(crate) target: Point3<f32>,
}

/// One pass over the attachments, in order.
pub(crate) fn project(holds: &[Hold], bodies: &mut Bodies<'_>) {
    for hold in holds {
        let v = hold.vertex as usize;
        let w = bodies.w[v];
        if w > 0.0 {
            let softness = hold.compliance / (bodies.h * bodies.h);
            let apart = packed(&hold.target.coords) - bodies.x[v];
            bodies.x[v] += apart * (w / (w + softness));
        }
    }
}
