//! Finished pictures: samples to pixels, and several pictures in one.

use super::Rgb;
use super::palette::srgb_byte;

/// Samples along each side of a pixel.
pub(super) const SAMPLES: usize = 2;

/// Pixels of the gap in a filmstrip: near white, so that it is a gap on a light page and a frame on a dark
/// one.
const GAP: u8 = 244;

/// A picture of 8-bit sRGB pixels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Red, green and blue of each pixel, row by row from the upper left: `3 * width * height` bytes.
    pub rgb: Vec<u8>,
}

impl Image {
    /// The mean of each pixel's samples, taken in linear light.
    pub(super) fn of_samples(samples: &[Rgb], width: usize, height: usize) -> Self {
        debug_assert_eq!(samples.len(), width * height * SAMPLES * SAMPLES);
        let mut rgb = Vec::with_capacity(3 * width * height);
        for y in 0..height {
            for x in 0..width {
                let rows = (y * SAMPLES..(y + 1) * SAMPLES).map(|row| (row * width + x) * SAMPLES);
                let own = rows.flat_map(|first| &samples[first..first + SAMPLES]);
                // Clamped first: a bright sample at an outline would make it jagged again.
                let sum: Rgb = own.map(|s| s.map(|c| c.min(1.0))).sum();
                rgb.extend((sum / (SAMPLES * SAMPLES) as f32).iter().map(|&c| srgb_byte(c)));
            }
        }
        Self { width, height, rgb }
    }
}

/// Several pictures in rows of `columns` (at least 1), `gap` pixels apart, each at the upper left of its
/// cell.
///
/// Cells have the size of the widest and of the highest picture. No pictures give a picture of no pixels.
#[must_use]
pub fn filmstrip(images: &[Image], columns: usize, gap: usize) -> Image {
    let columns = columns.clamp(1, images.len().max(1));
    let rows = images.len().div_ceil(columns);
    let cell_width = images.iter().map(|i| i.width).max().unwrap_or(0);
    let cell_height = images.iter().map(|i| i.height).max().unwrap_or(0);
    if rows == 0 {
        return Image::default();
    }
    let width = columns * cell_width + (columns - 1) * gap;
    let height = rows * cell_height + (rows - 1) * gap;
    let mut rgb = vec![GAP; 3 * width * height];
    for (index, image) in images.iter().enumerate() {
        let left = index % columns * (cell_width + gap);
        let top = index / columns * (cell_height + gap);
        // A picture whose bytes do not fill its size is drawn as far as they go.
        for (y, row) in image.rgb.chunks(3 * image.width.max(1)).take(image.height).enumerate() {
            let at = 3 * ((top + y) * width + left);
            rgb[at..at + row.len()].copy_from_slice(row);
        }
    }
    Image { width, height, rgb }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(width: usize, height: usize, byte: u8) -> Image {
        Image { width, height, rgb: vec![byte; 3 * width * height] }
    }

    #[test]
    fn filmstrip_places_pictures_row_by_row() {
        let strip = filmstrip(&[plain(2, 2, 1), plain(2, 2, 2), plain(2, 1, 3)], 2, 1);
        assert_eq!((strip.width, strip.height), (5, 5));
        let red: Vec<u8> = strip.rgb.iter().step_by(3).copied().collect();
        assert_eq!(red[0..5], [1, 1, GAP, 2, 2]);
        assert_eq!(red[10..15], [GAP; 5]);
        assert_eq!(red[15..20], [3, 3, GAP, GAP, GAP]);
        assert_eq!(red[20..25], [GAP; 5]);
    }

    #[test]
    fn filmstrip_of_nothing_or_of_odd_pictures_does_not_panic() {
        assert_eq!(filmstrip(&[], 0, 3), Image::default());
        assert_eq!(filmstrip(&[plain(1, 1, 7)], 0, 3), plain(1, 1, 7));
        let short = Image { width: 3, height: 2, rgb: vec![9; 4] };
        assert_eq!(filmstrip(&[short, Image::default()], 5, 0).rgb.len(), 3 * 6 * 2);
    }

    #[test]
    fn a_pixel_is_the_mean_of_its_samples_in_linear_light() {
        let samples = [0.0, 1.0, 1.0, 9.0].map(|c| Rgb::new(c, 0.0, 1.0));
        let image = Image::of_samples(&samples, 1, 1);
        assert_eq!(image.rgb, [srgb_byte(0.75), 0, 255]);
    }
}
