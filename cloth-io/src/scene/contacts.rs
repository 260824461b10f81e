//! Where the contacts between the cloths of a scene come from.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::number;

/// `[contacts]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Contacts {
    /// Whether they are detected in each step, or computed once.
    pub source: ContactSource,
    /// Of cached contacts: the greatest distance of a vertex to a face of another layer (m).
    #[serde(deserialize_with = "number::optional::positive")]
    pub reach: Option<f64>,
    /// Of cached contacts: whether they move on with their vertices; yes by default.
    pub follow: Option<bool>,
    /// Of cached contacts: the file that they are kept in. It is read if it is there, and written if not.
    pub file: Option<PathBuf>,
    /// How far two layers in order may have gone through each other and still be found (m).
    #[serde(deserialize_with = "number::optional::non_negative")]
    pub layer_depth: Option<f64>,
    /// Greatest speed at which contacts that are violated are brought back (m/s); no limit by default.
    #[serde(deserialize_with = "number::optional::positive")]
    pub recovery_speed: Option<f64>,
}

/// Where contacts come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContactSource {
    /// Detected in the course of each step.
    #[default]
    Detected,
    /// Computed once, between garments whose `layer` puts them in order.
    Cached,
}
