//! Predictive contacts through the public interface, against formulas and enumerations written to be read.

mod cache;
mod collider_contacts;
mod collider_distances;
mod collider_refusals;
mod collider_shapes;
mod colliders;
mod detector;
mod detector_rules;
mod edge_edge;
mod face_contacts;
mod face_depths;
mod layers;
mod moving_colliders;
#[cfg(feature = "parry")]
mod parry_shapes;
mod particles;
mod point_triangle;
mod point_triangle_predict;
mod reference;
mod regions;
mod remeasured;
mod surface;
mod worlds;

/// Unit roundoff of `f32`.
const U: f32 = f32::EPSILON / 2.0;
