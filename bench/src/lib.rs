//! Cloth libraries on the same scenes, judged by the same exact checker.
//!
//! ```text
//! scene      the scenes;  contenders: the libraries;  run: the measuring
//! promise    pushes of one sheet through another
//! schema     the JSON of a run
//! history    results over many runs, and which of them are regressions
//! report     the JSON as files, pages and text
//! ```

#![forbid(unsafe_code)]

pub mod contenders;
#[cfg(test)]
mod fixture;
pub mod history;
pub mod promise;
pub mod report;
pub mod run;
pub mod scene;
pub mod schema;
