//! Closest points and predicates against their references, and meshes of others.

mod closest_agreement;
mod exact_agreement;
mod fixtures;
mod garments;
