//! Files as a user of the crate reads and writes them.

mod caches;
mod characters;
mod glb;
mod hostile_characters;
mod inputs;
mod mdd;
mod numpy;
mod obj;
mod ply;
mod proxies;
mod queries;
mod real_files;
mod stl_off;
mod usd;
