//! What cloth does, seen from outside: the laws it must obey, the promises of its interface, and what it refuses.

mod attachments;
mod bending;
mod boundaries;
mod conservation;
mod damping;
mod determinism;
mod drives;
mod errors;
mod falling;
mod friction;
mod gate;
mod layers;
mod local_frames;
mod long_runs;
mod motions;
mod particles;
mod regions;
mod rest_shapes;
mod rollback;
mod scenes;
mod several;
mod snapshots;
mod steps;
mod teleport;
mod tethers;
mod wind;
