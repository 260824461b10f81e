//! The nearest surface under each sample of the picture.

use super::camera::View;
use super::scan::scan;
use super::surfaces::Surfaces;

/// No surface under this sample.
pub(super) const NOTHING: u32 = u32::MAX;

/// What is seen through one sample.
#[derive(Clone, Copy)]
pub(super) struct Hit {
    /// One over the distance along the view (1/m), 0 where nothing is.
    pub(super) inverse_depth: f32,
    /// Index of the face, or [`NOTHING`].
    pub(super) face: u32,
    /// Barycentric coordinates of the first two corners, on the surface.
    pub(super) at: [f32; 2],
}

/// One hit for each sample, row by row from the upper left.
pub(super) struct Target(pub(super) Vec<Hit>);

impl Target {
    /// Where two faces are equally near, the one with the lower index is seen. A face with a corner behind
    /// the camera is left out as a whole: framing never puts one there.
    pub(super) fn new(surfaces: &Surfaces, view: &View) -> Self {
        let nothing = Hit { inverse_depth: 0.0, face: NOTHING, at: [0.0; 2] };
        let mut hits = vec![nothing; view.width * view.height];
        let projected: Vec<_> = surfaces.positions.iter().map(|p| view.project(p)).collect();
        for (index, face) in surfaces.faces.iter().enumerate() {
            let [Some(a), Some(b), Some(c)] = face.vertices.map(|v| projected[v as usize]) else { continue };
            scan([a.at, b.at, c.at], view.width, view.height, |i, s| {
                // On the picture 1/depth is linear; a coordinate on the surface is its share of that sum.
                let parts = [s[0] * a.inverse_depth, s[1] * b.inverse_depth, s[2] * c.inverse_depth];
                let inverse_depth = parts[0] + parts[1] + parts[2];
                if inverse_depth > hits[i].inverse_depth {
                    let at = [parts[0] / inverse_depth, parts[1] / inverse_depth];
                    hits[i] = Hit { inverse_depth, face: index as u32, at };
                }
            });
        }
        Self(hits)
    }
}
