//! Contacts before a motion, and intersections of a state, as a user of the crate finds them.

mod checker;
mod predictive;
