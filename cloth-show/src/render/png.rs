//! Pictures as PNG files.

use super::Image;

/// Why a picture cannot be encoded.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot encode a picture of {width} x {height} pixels and {bytes} bytes as PNG: {cause}; give 3 bytes a \
     pixel"
)]
pub struct PngError {
    width: usize,
    height: usize,
    bytes: usize,
    cause: String,
}

/// The bytes of a PNG file: 8-bit RGB, sRGB. The same picture gives the same bytes.
///
/// # Errors
/// If the picture has no pixels, or not three bytes for each.
pub fn encode_png(image: &Image) -> Result<Vec<u8>, PngError> {
    let error =
        |cause: String| PngError { width: image.width, height: image.height, bytes: image.rgb.len(), cause };
    let side = |pixels: usize| u32::try_from(pixels).map_err(|e| error(e.to_string()));
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side(image.width)?, side(image.height)?);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.set_compression(png::Compression::Balanced);
    let mut writer = encoder.write_header().map_err(|e| error(e.to_string()))?;
    writer.write_image_data(&image.rgb).map_err(|e| error(e.to_string()))?;
    writer.finish().map_err(|e| error(e.to_string()))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_to_the_same_pixels() {
        let image = Image { width: 3, height: 2, rgb: (0..18).collect() };
        let bytes = encode_png(&image).expect("a valid picture");
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a header");
        let mut pixels = vec![0; reader.output_buffer_size().expect("fits")];
        let frame = reader.next_frame(&mut pixels).expect("pixels");
        assert_eq!((frame.width, frame.height, pixels), (3, 2, image.rgb));
    }

    #[test]
    fn says_what_is_wrong_with_a_picture_of_the_wrong_length() {
        for rgb in [vec![], vec![0; 17], vec![0; 19]] {
            let error = encode_png(&Image { width: 3, height: 2, rgb }).expect_err("wrong length");
            assert!(error.to_string().contains("3 x 2"), "{error}");
        }
        assert!(encode_png(&Image::default()).is_err());
    }
}
