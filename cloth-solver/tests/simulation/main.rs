//! What cloth does, seen from outside: the laws it must obey, the promises of its interface, and what it
//! refuses.

mod assets;
mod attachments;
mod bending;
mod boundaries;
mod conservation;
mod cuts;
mod damping;
mod determinism;
mod drives;
mod elastic_models;
mod errors;
mod exemptions;
mod face_materials;
mod falling;
mod friction;
mod gate;
mod guarded;
mod ids;
mod layers;
mod local_frames;
mod long_runs;
mod motions;
mod outfits;
#[expect(dead_code, reason = "the program around the model is not run here")]
#[path = "../../examples/own_elastic_model.rs"]
mod own_elastic_model;
mod own_models;
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
mod states;
mod steps;
mod tangled_pins;
mod targets;
mod teleport;
mod tethers;
mod untangling;
mod wind;
