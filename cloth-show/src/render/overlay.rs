//! Intersecting faces, laid over the finished picture in red that no light changes.
//!
//! A face that intersects is by nature next to others that hide it, and from afar it is smaller than a pixel.
//! So it is drawn a little larger than it is, in full red where it is in view and half through where other
//! things cover it.

use super::Rgb;
use super::camera::{Projected, View};
use super::image::SAMPLES;
use super::palette;
use super::scan::scan;
use super::surfaces::{Face, Surfaces};
use super::target::Target;

/// How far each corner is moved outward (samples): one and a half pixels.
const GROWN: f32 = 1.5 * SAMPLES as f32;
/// Part of the depth by which a red face may lie behind what is seen and still count as in view.
const LEEWAY: f32 = 2e-3;
/// How much of the red shows through what hides it.
const SEEN_THROUGH: f32 = 0.5;

/// Draws the red faces over `samples`.
pub(super) fn draw_intersecting_faces(
    surfaces: &Surfaces,
    target: &Target,
    view: &View,
    samples: &mut [Rgb],
) {
    let mut red = vec![0_f32; samples.len()];
    for face in surfaces.faces.iter().filter(|face| face.is_red) {
        let Some(corners) = grown(surfaces, face, view) else { continue };
        let nearest = corners.iter().map(|c| c.inverse_depth).fold(0.0, f32::max);
        scan(corners.map(|c| c.at), view.width, view.height, |i, b| {
            // Flat at its nearest corner would jut out at the rim of a steep face; its own depth, clamped,
            // does not.
            let depth: f32 = (0..3).map(|k| b[k] * corners[k].inverse_depth).sum();
            red[i] = red[i].max(depth.min(nearest));
        });
    }
    let colour = palette::linear(palette::RED);
    for ((sample, &inverse_depth), hit) in samples.iter_mut().zip(&red).zip(&target.0) {
        if inverse_depth > 0.0 {
            let in_view = inverse_depth * (1.0 + LEEWAY) >= hit.inverse_depth;
            let part = if in_view { 1.0 } else { SEEN_THROUGH };
            *sample += (colour - *sample) * part;
        }
    }
}

/// The corners moved away from their middle; a face seen from its edge, or as a point, gets an area.
fn grown(surfaces: &Surfaces, face: &Face, view: &View) -> Option<[Projected; 3]> {
    let [a, b, c] = surfaces.corners(face).map(|p| view.project(&p));
    let mut corners = [a?, b?, c?];
    let middle: [f32; 2] = [0, 1].map(|k| corners.iter().map(|c| c.at[k]).sum::<f32>() / 3.0);
    // Directions of a small upright triangle, in the order of its corners.
    let fallback = [[0.0, -1.0], [0.87, 0.5], [-0.87, 0.5]];
    for (corner, or) in corners.iter_mut().zip(fallback) {
        let away = [corner.at[0] - middle[0], corner.at[1] - middle[1]];
        let length = (away[0] * away[0] + away[1] * away[1]).sqrt();
        let unit = if length > 0.25 { away.map(|c| c / length) } else { or };
        corner.at = [0, 1].map(|k| corner.at[k] + unit[k] * GROWN);
    }
    Some(corners)
}
