//! Cloth libraries on the same scenes, judged by the same exact checker.
//!
//! ```text
//! schema     the JSON of a run
//! documents  the JSON schemas in docs/schema
//! history    results over many runs, and which of them are regressions
//! report     the JSON as files and pages
//! ```

#![forbid(unsafe_code)]

pub mod contenders;
pub mod documents;
#[cfg(test)]
mod fixture;
pub mod history;
pub mod report;
pub mod scene;
pub mod schema;
