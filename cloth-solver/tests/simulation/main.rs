//! What cloth does, seen from outside: the laws it must obey, the promises of its interface, and what it
//! refuses.

mod assets;
mod attachments;
mod bending;
mod boundaries;
mod conservation;
mod damping;
mod determinism;
mod drives;
mod elastic_models;
mod errors;
mod exemptions;
mod falling;
mod friction;
mod gate;
mod guarded;
mod layers;
mod local_frames;
mod long_runs;
mod motions;
mod particles;
mod regions;
mod render_mesh;
mod rest_shapes;
mod rigid;
mod rollback;
mod scenes;
mod several;
mod sleeping;
mod snapshots;
mod steps;
mod teleport;
#[path = "../../../xtask/src/test_data.rs"]
mod test_data;
mod tethers;
mod wind;
