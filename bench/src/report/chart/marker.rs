//! Colours and shapes of series: a series differs from another in both, so that neither is needed alone.
//!
//! The colours are those of Okabe and Ito (2008), without yellow and black, which have too little contrast
//! with a light and a dark page, and with a grey. In the dark scheme the style sheet replaces those that are
//! too dark.

use std::fmt::Write;

use maud::{Markup, PreEscaped};
use plotters::element::{Drawable, PointCollection};
use plotters::prelude::*;
use plotters_backend::{BackendCoord, DrawingErrorKind};

use super::svg::{self, ChartError};

/// The shape of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Circle,
    Square,
    Triangle,
    Cross,
    Diamond,
    Plus,
    Bar,
}

/// A colour and a shape.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) struct Marker {
    pub(super) color: RGBColor,
    /// The colour on a dark page.
    dark: RGBColor,
    pub(super) shape: Shape,
}

const fn marker(light: [u8; 3], dark: [u8; 3], shape: Shape) -> Marker {
    let [r, g, b] = light;
    let color = RGBColor(r, g, b);
    let [r, g, b] = dark;
    Marker { color, dark: RGBColor(r, g, b), shape }
}

/// In the order of use; series past the last begin anew.
pub(in crate::report) const MARKERS: [Marker; 7] = [
    marker([0, 114, 178], [76, 164, 224], Shape::Circle),
    marker([213, 94, 0], [240, 128, 60], Shape::Square),
    marker([0, 158, 115], [44, 190, 148], Shape::Triangle),
    marker([204, 121, 167], [220, 145, 190], Shape::Diamond),
    marker([190, 130, 0], [230, 159, 0], Shape::Cross),
    marker([60, 150, 205], [106, 194, 243], Shape::Plus),
    marker([110, 118, 130], [160, 168, 180], Shape::Bar),
];

/// The marker of series number `index`.
pub(super) fn marker_of(index: usize) -> Marker {
    MARKERS[index % MARKERS.len()]
}

/// Style rules that give the colours of drawings their names, and replace them on dark pages.
pub(in crate::report) fn color_rules() -> String {
    let mut rules = String::new();
    let mut dark = String::new();
    for (k, marker) in MARKERS.iter().enumerate() {
        let (light, replaced) = (hex(marker.color), hex(marker.dark));
        // Writing to a string cannot fail.
        let _ = write!(rules, ".c{k}{{background:{light}}}");
        let _ = write!(
            dark,
            ".c{k}{{background:{replaced}}}svg [fill=\"{light}\"]{{fill:{replaced}}}svg [stroke=\"{light}\"]{{stroke:{replaced}}}"
        );
    }
    format!("{rules}@media(prefers-color-scheme:dark){{{dark}}}")
}

/// As `plotters` writes it.
pub(super) fn hex(RGBColor(r, g, b): RGBColor) -> String {
    format!("#{r:02X}{g:02X}{b:02X}")
}

/// A marker at a place of a chart.
pub(super) struct Symbol {
    pub(super) place: (f64, f64),
    pub(super) marker: Marker,
    /// Whether a ring is drawn about it.
    pub(super) stressed: bool,
}

impl<'a> PointCollection<'a, (f64, f64)> for &'a Symbol {
    type Point = &'a (f64, f64);
    type IntoIter = std::iter::Once<&'a (f64, f64)>;

    fn point_iter(self) -> Self::IntoIter {
        std::iter::once(&self.place)
    }
}

impl<B: DrawingBackend> Drawable<B> for Symbol {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        mut points: I,
        backend: &mut B,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        let Some(at) = points.next() else { return Ok(()) };
        if self.stressed {
            let ring = ShapeStyle { color: self.marker.color.to_rgba(), filled: false, stroke_width: 4 };
            backend.draw_circle(at, RING, &ring, false)?;
        }
        draw_marker(backend, at, self.marker)
    }
}

/// Half the size of a marker, and the radius of a ring about it (units of the drawing).
const HALF: i32 = 9;
const RING: u32 = 20;

/// Draws a marker about a point.
fn draw_marker<B: DrawingBackend>(
    root: &mut B,
    (x, y): BackendCoord,
    marker: Marker,
) -> Result<(), DrawingErrorKind<B::ErrorType>> {
    let style = ShapeStyle { color: marker.color.to_rgba(), filled: true, stroke_width: 2 };
    let line = ShapeStyle { color: marker.color.to_rgba(), filled: false, stroke_width: 5 };
    let s = HALF;
    let mut polygon =
        |offsets: &[(i32, i32)]| root.fill_polygon(offsets.iter().map(|(dx, dy)| (x + dx, y + dy)), &style);
    match marker.shape {
        Shape::Circle => root.draw_circle((x, y), s as u32, &style, true),
        Shape::Square => polygon(&[(-s, -s), (s, -s), (s, s), (-s, s)]),
        Shape::Triangle => polygon(&[(0, -s - 2), (s + 2, s), (-s - 2, s)]),
        Shape::Diamond => polygon(&[(0, -s - 3), (s + 3, 0), (0, s + 3), (-s - 3, 0)]),
        Shape::Bar => polygon(&[(-s - 2, -3), (s + 2, -3), (s + 2, 3), (-s - 2, 3)]),
        Shape::Cross => {
            root.draw_line((x - s, y - s), (x + s, y + s), &line)?;
            root.draw_line((x - s, y + s), (x + s, y - s), &line)
        }
        Shape::Plus => {
            root.draw_line((x - s - 2, y), (x + s + 2, y), &line)?;
            root.draw_line((x, y - s - 2), (x, y + s + 2), &line)
        }
    }
}

/// The symbol of series number `index` for a legend; decoration next to the name.
///
/// # Errors
/// If it cannot be drawn.
pub(in crate::report) fn legend_symbol(index: usize) -> Result<Markup, ChartError> {
    let mut text = String::new();
    {
        let mut backend = SVGBackend::with_string(&mut text, (28, 28));
        draw_marker(&mut backend, (14, 14), marker_of(index)).map_err(|e| ChartError::new("a legend", &e))?;
        backend.present().map_err(|e| ChartError::new("a legend", &e))?;
    }
    Ok(PreEscaped(svg::decorative(&text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance (WCAG 2).
    fn luminance(RGBColor(r, g, b): RGBColor) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.03928 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
    }

    fn contrast(a: RGBColor, b: RGBColor) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_colour_has_the_contrast_that_graphics_need_in_both_schemes() {
        // 3 to 1 is what WCAG 2.1 asks of graphical objects (1.4.11); the backgrounds are those of the shared
        // style sheet.
        for marker in MARKERS {
            assert!(contrast(marker.color, RGBColor(255, 255, 255)) >= 3.0, "{}", hex(marker.color));
            assert!(contrast(marker.dark, RGBColor(0x1b, 0x21, 0x2a)) >= 3.0, "{}", hex(marker.dark));
        }
    }

    #[test]
    fn every_series_has_a_shape_of_its_own() {
        for (i, a) in MARKERS.iter().enumerate() {
            assert!(MARKERS[..i].iter().all(|b| b.shape != a.shape && b.color != a.color));
        }
        assert!(legend_symbol(3).is_ok());
    }
}
