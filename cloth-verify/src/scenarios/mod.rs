//! The scenarios, one file each.
//!
//! Each file's first lines say what it stresses and where it comes from, and its constants are all that can be tuned
//! of it. To add one, write its file and put it in the list.

mod drape_sphere;
mod exempt;
mod flaps;
mod funnel;
mod garment;
mod hang;
mod knot;
mod layered_skirt;
mod needles;
pub(crate) mod parts;
mod pile;
mod pinch;
mod reef_knot;
mod rotating_sphere;
mod stack;
mod tablecloth;
pub mod tangled;
mod tunnelling;
mod twist;
mod violent_character;

use crate::scenario::Scenario;
pub(crate) use exempt::exempt_pair_substeps;

const ALL: [Scenario; 18] = [
    hang::SCENARIO,
    drape_sphere::SCENARIO,
    pile::SCENARIO,
    stack::SCENARIO,
    tunnelling::SCENARIO,
    rotating_sphere::SCENARIO,
    knot::SCENARIO,
    flaps::SCENARIO,
    layered_skirt::SCENARIO,
    violent_character::SCENARIO,
    garment::SCENARIO,
    twist::SCENARIO,
    needles::SCENARIO,
    tablecloth::SCENARIO,
    funnel::SCENARIO,
    pinch::SCENARIO,
    reef_knot::SCENARIO,
    tangled::SCENARIO,
];

/// All scenarios, in the order in which they run.
#[must_use]
pub fn all() -> &'static [Scenario] {
    &ALL
}
