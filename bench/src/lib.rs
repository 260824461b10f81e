//! Cloth libraries on the same scenes, judged by the same exact checker.
//!
//! ```text
//! schema     the JSON of a run
//! report     the JSON as files and pages
//! ```

#![forbid(unsafe_code)]

pub mod report;
pub mod schema;
