//! A character made in code, so that a fresh clone has one: a human of 1.7 m with a skeleton, a skin, proxies
//! and clips.
//!
//! ```text
//! joints      where the joints are at the bind pose
//! shape       the body as a signed distance
//! surface     its surface as a closed mesh
//! weights     which joints a vertex follows
//! stance      angles in words of a body -> keys of a clip
//! clips       formulas: walk, run, idle, dance
//! dress       a dress that fits it
//! ```
//!
//! Nothing is random and nothing is read; the bytes are the same on every machine.
//! `docs/design/built-in-character.md` has the reasons and the figures.

mod clips;
mod dress;
mod joints;
mod shape;
mod stance;
mod surface;
#[cfg(test)]
mod tests;
mod weights;

use std::sync::{Arc, OnceLock};

use cloth_character::{
    Character, CharacterError, CharacterMesh, FittedProxies, ProxyError, ProxyOptions, fit_proxies,
};
use cloth_geom::{Topology, TopologyError};
pub use dress::{human_dress, ring_dress};
use nalgebra::Point3;

/// Distance of neighbouring vertices of the skin (m), about.
const CELL: f64 = 0.028;
/// The number of proxies from which on no bone gets another one.
const MAX_PROXIES: usize = 30;
/// Linear red, green and blue of the skin.
const COLOR: [f32; 4] = [0.56, 0.42, 0.33, 1.0];

/// A character with proxies that were fitted to its skin.
#[derive(Clone, Debug)]
pub struct FittedCharacter {
    /// The character. Its first mesh is its skin, closed, in metres.
    pub character: Arc<Character>,
    /// Spheres and tapered capsules that slightly cover the skin, with the report of their fit.
    pub fitted: FittedProxies,
}

/// Why the built-in character cannot be made: a defect of this crate.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HumanError {
    /// Its surface is none.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// Its skeleton, its skin or a clip is unusable.
    #[error(transparent)]
    Character(#[from] CharacterError),
    /// No proxies fit it.
    #[error(transparent)]
    Proxies(#[from] ProxyError),
}

/// The built-in character: 1.7 m tall, feet at y = 0, looking along z, its left at x > 0, arms 45 degrees
/// down at the bind pose.
///
/// Its clips are `walk`, `run`, `idle` and `dance`. Walk and run lead forward (z) at 1.2 and 3 m/s, so a
/// [`Motion`](cloth_character::Motion) plays them with
/// [`RootMotion::Accumulate`](cloth_character::RootMotion::Accumulate). It is made, and at most 30 proxies
/// are fitted to it, once per process, in about a second.
///
/// # Errors
/// None that a caller can cause: a defect of this crate.
pub fn human() -> Result<&'static FittedCharacter, HumanError> {
    static HUMAN: OnceLock<Result<FittedCharacter, HumanError>> = OnceLock::new();
    HUMAN.get_or_init(make).as_ref().map_err(Clone::clone)
}

/// Distance (m) of a point from the skin at the bind pose, negative inside.
#[must_use]
pub fn distance_at_bind_pose(p: &Point3<f64>) -> f64 {
    static BODY: OnceLock<shape::Body> = OnceLock::new();
    BODY.get_or_init(shape::Body::human).distance(p)
}

fn make() -> Result<FittedCharacter, HumanError> {
    let body = shape::Body::human();
    let mesh = surface::mesh(&body, CELL);
    let skin = weights::skin(&body, &mesh, &Topology::of_mesh(&mesh)?)?;
    let mesh = CharacterMesh {
        name: "human".into(),
        skin,
        faces: mesh.faces,
        color: COLOR,
        vertex_colors: Vec::new(),
    };
    let character = Character { skeleton: joints::skeleton()?, meshes: vec![mesh], clips: clips::clips()? };
    let options = ProxyOptions { max_proxies: MAX_PROXIES, ..ProxyOptions::default() };
    let fitted = fit_proxies(&character, &options)?;
    Ok(FittedCharacter { character: Arc::new(character), fitted })
}
