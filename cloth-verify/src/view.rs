//! From which side a scene is seen.

/// From which side a scene is seen, in degrees.
///
/// A scenario states it ([`Setup::view`](crate::scenario::Setup::view)) whether or not pictures can be drawn,
/// which takes the feature `render`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Direction {
    /// Rotation about y (degrees): 0 looks from +z, 90 from +x.
    pub azimuth_deg: f32,
    /// Height above the horizon (degrees): 90 looks straight down.
    pub elevation_deg: f32,
}

impl Default for Direction {
    /// From the front, a little to the right and above: a floor reads as a floor, and a fold shows its depth.
    fn default() -> Self {
        Self { azimuth_deg: 30.0, elevation_deg: 24.0 }
    }
}
