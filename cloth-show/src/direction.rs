//! From which side a scene is seen.

use serde::Serialize;

/// From which side a scene is seen, in degrees.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Direction {
    /// Rotation about y (degrees): 0 looks from +z, 90 from +x.
    #[serde(rename = "azimuth")]
    pub azimuth_deg: f32,
    /// Height above the horizon (degrees): 90 looks straight down.
    #[serde(rename = "elevation")]
    pub elevation_deg: f32,
}

impl Default for Direction {
    /// From the front, a little to the right and above: a floor reads as a floor, and a fold shows its depth.
    fn default() -> Self {
        Self { azimuth_deg: 30.0, elevation_deg: 24.0 }
    }
}
