#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod callgrind;
pub mod chart;
pub mod page;
pub mod program;
pub mod statistics;
pub mod table;
