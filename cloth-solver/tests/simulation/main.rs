//! What cloth does, seen from outside: the laws it must obey, the promises of its interface, and what it refuses.

mod bending;
mod boundaries;
mod conservation;
mod damping;
mod determinism;
mod drives;
mod falling;
mod friction;
mod gate;
mod holds;
mod jumps;
mod layers;
mod local_frames;
mod long_runs;
mod motions;
mod particles;
mod refusals;
mod regions;
mod rest_shapes;
mod scenes;
mod several;
mod snapshots;
mod steps;
mod tethers;
mod undone;
mod wind;
