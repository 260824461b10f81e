//! Colours and shapes of series: a series differs from another in both, so that neither is needed alone.
//!
//! The colours are those of Okabe and Ito (2008), without yellow and black, which have too little contrast
//! with a light and a dark page, and with a grey. Each has a class, `c0` and so on, by which a dark page
//! replaces it.

use std::fmt::Write;

use maud::{Markup, html};

/// A colour on light and on dark pages, and a shape.
struct Marker {
    light: [u8; 3],
    dark: [u8; 3],
    /// The outline about the origin, as the data of an SVG path.
    outline: &'static str,
}

const fn marker(light: [u8; 3], dark: [u8; 3], outline: &'static str) -> Marker {
    Marker { light, dark, outline }
}

/// In the order of use; series past the last begin anew.
const MARKERS: [Marker; 7] = [
    // A circle, a square, a triangle, a diamond, a cross, a plus and a bar.
    marker([0, 114, 178], [76, 164, 224], "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z"),
    marker([213, 94, 0], [240, 128, 60], "M-4.5-4.5h9v9h-9z"),
    marker([0, 158, 115], [44, 190, 148], "M0-5.5l5.5 10h-11z"),
    marker([204, 121, 167], [220, 145, 190], "M0-6l6 6-6 6-6-6z"),
    marker(
        [190, 130, 0],
        [230, 159, 0],
        "M-5-3.2l1.8-1.8 3.2 3.2 3.2-3.2 1.8 1.8-3.2 3.2 3.2 3.2-1.8 1.8-3.2-3.2-3.2 3.2-1.8-1.8 3.2-3.2z",
    ),
    marker([60, 150, 205], [106, 194, 243], "M-1.3-5.6h2.6v4.3h4.3v2.6h-4.3v4.3h-2.6v-4.3h-4.3v-2.6h4.3z"),
    marker([110, 118, 130], [160, 168, 180], "M-5.5-1.6h11v3.2h-11z"),
];

/// The class that colours series number `index`.
pub(super) fn class(index: usize) -> String {
    format!("c{}", index % MARKERS.len())
}

/// The symbol of series number `index` about a point of a drawing.
pub(super) fn symbol(index: usize, [x, y]: [f64; 2]) -> Markup {
    let place = format!("translate({x:.1} {y:.1})");
    let outline = MARKERS[index % MARKERS.len()].outline;
    html! { path class=(class(index)) fill="currentColor" transform=(place) d=(outline) {} }
}

/// Style rules that give the classes their colours.
pub(crate) fn color_rules() -> String {
    let (mut light, mut dark) = (String::new(), String::new());
    for (k, marker) in MARKERS.iter().enumerate() {
        for (rules, [r, g, b]) in [(&mut light, marker.light), (&mut dark, marker.dark)] {
            // Writing to a string cannot fail.
            let _ = write!(rules, ".c{k}{{color:#{r:02x}{g:02x}{b:02x}}}");
        }
    }
    format!("{light}@media(prefers-color-scheme:dark){{{dark}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance (WCAG 2).
    fn luminance(color: [u8; 3]) -> f64 {
        let [r, g, b] = color.map(|c| {
            let c = f64::from(c) / 255.0;
            if c <= 0.03928 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    fn contrast(a: [u8; 3], b: [u8; 3]) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_colour_has_the_contrast_that_graphics_need_in_both_schemes() {
        // 3 to 1 is what WCAG 2.1 asks of graphical objects (1.4.11); the backgrounds are those of the style
        // sheet.
        for Marker { light, dark, .. } in MARKERS {
            assert!(contrast(light, [255; 3]) >= 3.0, "{light:?}");
            assert!(contrast(dark, [0x1b, 0x21, 0x2a]) >= 3.0, "{dark:?}");
        }
    }

    #[test]
    fn every_series_has_a_shape_and_a_colour_of_its_own() {
        for (i, a) in MARKERS.iter().enumerate() {
            assert!(MARKERS[..i].iter().all(|b| b.outline != a.outline && b.light != a.light));
            assert!(color_rules().matches(&format!(".c{i}{{")).count() == 2);
        }
    }
}
