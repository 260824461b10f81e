//! The colour of a material: its factor times the mean of its texture.

use std::{collections::BTreeMap, io::Cursor, path::Path};

use super::{accessor::Buffers, container, document::Image};

/// The most bytes that a texture may take when it is decoded: 4,096 x 4,096 pixels of RGBA.
const MAX_TEXTURE: usize = 1 << 26;

/// Colours by material, each computed once.
#[derive(Default)]
pub(super) struct Palette(BTreeMap<usize, [f32; 4]>);

impl Palette {
    /// Linear RGBA of a material; white where there is none. A texture that cannot be decoded counts as
    /// white, with a note.
    pub(super) fn color(
        &mut self,
        buffers: &Buffers<'_>,
        path: &Path,
        material: Option<usize>,
        notes: &mut Vec<String>,
    ) -> [f32; 4] {
        let Some(index) = material else { return [1.0; 4] };
        *self.0.entry(index).or_insert_with(|| {
            let Some(material) = buffers.document.materials.get(index) else {
                notes.push(format!("material {index} does not exist; white is used"));
                return [1.0; 4];
            };
            let pbr = &material.pbr_metallic_roughness;
            let factor = pbr.base_color_factor.unwrap_or([1.0; 4]);
            let Some(texture) = &pbr.base_color_texture else { return factor };
            let mean = image_bytes(buffers, path, texture.index).and_then(|bytes| mean_of_png(&bytes));
            let mean = mean.unwrap_or_else(|problem| {
                notes.push(format!("the texture of material {index} is not read ({problem}); white is used"));
                [1.0; 3]
            });
            [factor[0] * mean[0], factor[1] * mean[1], factor[2] * mean[2], factor[3]]
        })
    }
}

fn image_bytes(buffers: &Buffers<'_>, path: &Path, texture: usize) -> Result<Vec<u8>, String> {
    let document = buffers.document;
    let source = document.textures.get(texture).and_then(|texture| texture.source);
    match source.and_then(|source| document.images.get(source)) {
        Some(Image { buffer_view: Some(view), .. }) => Ok(buffers.view(*view)?.to_vec()),
        Some(Image { uri: Some(uri), .. }) => container::read_uri(uri, path),
        _ => Err("it has no image".into()),
    }
}

/// The mean colour of a PNG, linear RGB; transparent pixels count as much as others.
fn mean_of_png(bytes: &[u8]) -> Result<[f32; 3], String> {
    if !bytes.starts_with(b"\x89PNG") {
        return Err("only PNG is decoded".into());
    }
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: MAX_TEXTURE });
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
    let size = reader.output_buffer_size().filter(|&size| size <= MAX_TEXTURE).ok_or("it is too large")?;
    let mut pixels = vec![0; size];
    let frame = reader.next_frame(&mut pixels).map_err(|e| e.to_string())?;
    let samples = frame.color_type.samples();
    let linear: Vec<f64> = (0..=255u8).map(linear_from_srgb).collect();
    let mut sums = [0.0; 3];
    let used = &pixels[..frame.buffer_size()];
    for pixel in used.chunks_exact(samples) {
        for (axis, sum) in sums.iter_mut().enumerate() {
            // Grey has one value, with or without alpha.
            *sum += linear[usize::from(pixel[if samples < 3 { 0 } else { axis }])];
        }
    }
    let count = (used.len() / samples).max(1) as f64;
    Ok(sums.map(|sum| (sum / count) as f32))
}

/// The inverse of the transfer function of sRGB (IEC 61966-2-1).
fn linear_from_srgb(byte: u8) -> f64 {
    let value = f64::from(byte) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { libm::pow((value + 0.055) / 1.055, 2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png_file(color: png::ColorType, width: u32, pixels: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, 1);
        encoder.set_color(color);
        encoder.write_header().unwrap().write_image_data(pixels).unwrap();
        bytes
    }

    #[test]
    fn averages_in_linear_light() {
        let file = png_file(png::ColorType::Rgb, 2, &[255, 0, 0, 0, 0, 0]);
        assert_eq!(mean_of_png(&file).unwrap(), [0.5, 0.0, 0.0]);
        let [r, g, b] = mean_of_png(&png_file(png::ColorType::Grayscale, 1, &[188])).unwrap();
        assert!((r - 0.503).abs() < 1e-3 && r == g && g == b, "{r}");
    }

    #[test]
    fn rejects_what_is_no_png_or_cut_short() {
        let file = png_file(png::ColorType::Rgba, 1, &[1, 2, 3, 4]);
        assert!(mean_of_png(b"\xFF\xD8\xFF").is_err());
        (0..file.len() - 16).for_each(|n| assert!(mean_of_png(&file[..n]).is_err(), "{n}"));
    }
}
