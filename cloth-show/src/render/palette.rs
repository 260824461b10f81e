//! The colours: pairs of hues for the two sides of each cloth, grey for bodies, red for what is wrong and
//! nothing else.

use super::Rgb;

/// Front and back of each cloth, as sRGB. Two neighbours in a stack differ in hue on both sides.
const CLOTHS: [[u32; 2]; 8] = [
    [0x2b74ad, 0xdfae52], // blue, sand
    [0xd79a2b, 0x9db4d8], // amber, pale blue
    [0x3f9a5c, 0xd3b8dc], // green, lilac
    [0x8a5fb5, 0xd6d289], // violet, straw
    [0x2aa5a0, 0xe0bfa4], // teal, peach
    [0x9aa83a, 0xb9b3e0], // olive, lavender
    [0x4c56b0, 0xa8d3a2], // indigo, pale green
    [0xc262a8, 0xa9d8d6], // magenta, pale teal
];

/// Both sides of colliders.
pub(super) const BODY: [Rgb; 2] = [Rgb::new(0.42, 0.42, 0.43); 2];

/// A body of a colour, dimmed so that white skin is not burnt out and black clothing keeps its shape.
pub(super) fn body(color: [f32; 3]) -> [Rgb; 2] {
    [Rgb::from(color).map(|c| if c.is_finite() { 0.06 + 0.6 * c.clamp(0.0, 1.0) } else { 0.42 }); 2]
}

/// Colour of faces that intersect.
pub(super) const RED: u32 = 0xf00c18;

/// Of the squares of the floor.
pub(super) const FLOOR: [f32; 2] = [0.56, 0.49];

/// The two sides of a cloth.
pub(super) fn cloth(hue: usize) -> [Rgb; 2] {
    CLOTHS[hue % CLOTHS.len()].map(linear)
}

/// Linear light of an sRGB colour `0xRRGGBB` (IEC 61966-2-1).
pub(super) fn linear(srgb: u32) -> Rgb {
    let channel = |shift: u32| {
        let c = (srgb >> shift & 0xff) as f32 / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { libm::powf((c + 0.055) / 1.055, 2.4) }
    };
    Rgb::new(channel(16), channel(8), channel(0))
}

/// sRGB byte of linear light, which is clamped to 0 ..= 1 (IEC 61966-2-1).
pub(super) fn srgb_byte(linear: f32) -> u8 {
    let c =
        if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * libm::powf(linear, 1.0 / 2.4) - 0.055 };
    (c * 255.0 + 0.5) as u8 // saturates; NaN becomes 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive_conversion_to_linear_light_and_back() {
        for byte in 0..=255 {
            assert_eq!(u32::from(srgb_byte(linear(byte).z)), byte);
        }
        assert_eq!((srgb_byte(-1.0), srgb_byte(7.0), srgb_byte(f32::NAN)), (0, 255, 0));
    }

    #[test]
    fn no_cloth_looks_like_an_intersection() {
        for srgb in CLOTHS.concat() {
            let [r, g, b] = [16, 8, 0].map(|shift| srgb >> shift & 0xff);
            assert!(r < 2 * g.max(b), "{srgb:06x} is red");
        }
    }
}
