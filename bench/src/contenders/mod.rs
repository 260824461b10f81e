//! The libraries that are compared, behind one trait.
//!
//! ```text
//! own            this project at its presets
//! rapier         rapier3d's soft bodies: defaults, and the best settings of a sweep
//! cloth_core     rapier-cloth-core: XPBD and implicit;   obstacles: its colliders
//! ```
//!
//! To add one, implement [`Contender`] in a file of its own and name it in [`all`].

mod cloth_core;
mod obstacles;
mod own;
mod pins;
mod rapier;

use std::collections::BTreeMap;

use nalgebra::Point3;

use crate::scene::Scene;
use crate::schema::{self, Status};

pub use cloth_core::{ClothCore, ClothCoreSettings, Method};
pub use own::Own;
pub use pins::{PinRecorder, PinTarget};
pub use rapier::{Rapier, RapierSettings};

/// Id of the contender that the others are divided by.
pub const BASELINE: &str = "cloth";

/// A library with its settings. It is loaded once, and stepped on one thread.
pub trait Contender {
    /// Name, version and settings.
    fn describe(&self) -> schema::Contender;

    /// Builds the scene.
    ///
    /// # Errors
    /// How the run ends if the library cannot represent it, or refuses it.
    fn load(&mut self, scene: &Scene) -> Result<(), Status>;

    /// Advances by a frame of `dt` (s), in the course of which pinned vertices move to their targets; the
    /// others stay.
    ///
    /// # Errors
    /// What the library says, in one line.
    fn step(&mut self, dt: f64, pins: &[PinTarget]) -> Result<(), String>;

    /// Writes the positions (m) of all vertices, in the order of the scene's cloths, to `out`, which is
    /// overwritten.
    fn positions(&self, out: &mut Vec<Point3<f64>>);

    /// Time (ms) by stage since the scene was loaded, if the library reports it.
    fn stage_ms(&self) -> BTreeMap<String, f64> {
        BTreeMap::new()
    }
}

/// All contenders, the baseline first.
#[must_use]
pub fn all() -> Vec<Box<dyn Contender>> {
    let [baseline, game, film] = Own::presets();
    vec![
        Box::new(baseline),
        Box::new(game),
        Box::new(film),
        Box::new(Rapier::new(RapierSettings::library_default())),
        Box::new(Rapier::new(RapierSettings::best())),
        Box::new(ClothCore::new(ClothCoreSettings::xpbd())),
        Box::new(ClothCore::new(ClothCoreSettings::implicit())),
    ]
}

/// The contender with an id; none if there is none.
#[must_use]
pub fn by_id(id: &str) -> Option<Box<dyn Contender>> {
    all().into_iter().find(|c| c.describe().id == id)
}

/// A library with some settings, not certified and not of this project.
fn described(id: &str, name: &str, library: &str, settings: String) -> schema::Contender {
    let [id, name, library] = [id, name, library].map(String::from);
    let version = version_of(&library);
    schema::Contender { id, name, library, version, settings, certified: false, own: false }
}

/// Version of a crate in the lock file that this program was built with; empty if it is not in it.
#[must_use]
pub fn version_of(package: &str) -> String {
    let lock = include_str!("../../Cargo.lock");
    let heading = format!("name = \"{package}\"\nversion = \"");
    let version = lock.split_once(&heading).and_then(|(_, rest)| rest.split_once('"'));
    version.map_or(String::new(), |(version, _)| version.to_owned())
}

#[cfg(test)]
mod tests;
