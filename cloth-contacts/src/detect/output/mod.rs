//! Contacts in canonical order, on the sides of the previous step, and their re-evaluation between two
//! detections.
//!
//! | file | content |
//! |---|---|
//! | `order` | sorts the contacts of all tasks into one array |
//! | `history` | carries sides and directions over from the previous step |
//! | `measure` | re-evaluates kept contacts at the start of another step |

pub(crate) mod history;
pub(crate) mod measure;
pub(crate) mod order;
