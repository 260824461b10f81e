//! Last stage: contacts in canonical order, on the sides that they had, and measured anew between two detections.
//!
//! | file | what it has |
//! |---|---|
//! | `order` | from the contacts of all sections to one sorted array |
//! | `history` | sides and directions carried over from the step before |
//! | `measure` | contacts that are kept, at the start of another step |

pub(crate) mod history;
pub(crate) mod measure;
pub(crate) mod order;
