//! The harness on its scenarios, and its program.

mod audit;
mod broad_phases;
mod campaign;
mod cape;
mod cuts;
mod fem;
mod guarded;
mod models;
mod program;
mod recovery;
mod same_bits;
mod sleep;
mod sleep_table;
mod small;
mod teleports;
