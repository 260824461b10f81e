//! What describes a simulation.
//!
//! | file | describes |
//! |---|---|
//! | `builder` | a simulation as a whole: what it is built of |
//! | `cloth` | a cloth and a mesh body |
//! | `cloth_asset` | a cloth that is checked and prepared once and added many times |
//! | `material` | a fabric, and which faces have which |
//! | `elastic_model` | what resists stretch and shear; models of the caller |
//! | `mass_spring` | the settings of one elastic model; `fem` has those of another |
//! | `controls` | tethers, drives, damping and local frames |
//! | `regions` | named regions of cloth, and how two of them interact |
//! | `friction` | coefficients by cloth, body and pair |
//! | `particles` | vertices that collide as balls |
//! | `wind`, `gusts` | the mean velocity of the air, and its variation |
//! | `sleep` | when cloth falls asleep, and the state that decides it |
//! | `settings` | everything that is not a part of the scene |
//!
//! The types are re-exported from the root of the crate. Each file has its own place in the order of modules.

pub(crate) mod builder;
pub(crate) mod cloth;
pub(crate) mod cloth_asset;
pub(crate) mod controls;
pub(crate) mod elastic_model;
pub(crate) mod friction;
pub(crate) mod gusts;
pub(crate) mod mass_spring;
pub(crate) mod material;
pub(crate) mod particles;
pub(crate) mod regions;
pub(crate) mod settings;
pub(crate) mod sleep;
pub(crate) mod wind;
