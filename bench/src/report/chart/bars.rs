//! Stacked bars: where time goes, one bar for each subject.

use maud::Markup;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::{Axis, Scale};
use super::marker::marker_of;
use super::plot::{BOTTOM, GRID, SIZE, SOFT, TEXT};
use super::svg::{self, ChartError};

/// Height of a bar with the room about it (units of the drawing).
const ROW: u32 = 112;
/// Width of a digit (units), to tell whether a number fits into a part.
const DIGIT: i32 = 26;

/// One bar.
#[derive(Clone, Debug)]
pub(in crate::report) struct Bar {
    pub(in crate::report) name: String,
    /// Length of each part, the same parts in every bar; 0 where it has none.
    pub(in crate::report) parts: Vec<f64>,
}

/// Bars with equal parts.
#[derive(Clone, Debug)]
pub(in crate::report) struct Bars {
    pub(in crate::report) title: String,
    /// For those who do not see the chart.
    pub(in crate::report) description: String,
    /// What lengths are: `ms a frame`.
    pub(in crate::report) label: String,
    pub(in crate::report) bars: Vec<Bar>,
    /// Whether each part has its number, counted from 1, written into it where it fits.
    pub(in crate::report) numbered: bool,
}

impl Bars {
    /// The drawing.
    ///
    /// # Errors
    /// If the library refuses it.
    pub(in crate::report) fn svg(&self) -> Result<Markup, ChartError> {
        let mut text = String::new();
        self.draw(&mut text).map_err(|why| ChartError::new(&format!("`{}`", self.title), &why))?;
        Ok(svg::labelled(&text, &self.title, &self.description))
    }

    fn draw(&self, text: &mut String) -> Result<(), String> {
        let said = |e: &dyn std::fmt::Display| e.to_string();
        let height = ROW * self.bars.len() as u32 + BOTTOM + 20;
        let root = SVGBackend::with_string(text, (SIZE.0, height)).into_drawing_area();
        let x = Axis::new(self.label.as_str(), Scale::Linear);
        let rows = self.bars.iter().map(|_| String::new()).collect();
        let y = Axis { names: Some(rows), ..Axis::new("", Scale::Linear) };
        let longest = self.bars.iter().map(|bar| bar.parts.iter().sum::<f64>());
        let mut chart = ChartBuilder::on(&root)
            .margin(10)
            .margin_right(44)
            .x_label_area_size(BOTTOM)
            .y_label_area_size(16)
            .build_cartesian_2d(x.over(longest), y.over(std::iter::empty()))
            .map_err(|e| said(&e))?;
        let font = ("sans-serif", TEXT).into_font().color(&SOFT);
        let mut mesh = chart.configure_mesh();
        mesh.disable_y_mesh().light_line_style(TRANSPARENT).bold_line_style(GRID).axis_style(GRID);
        mesh.x_desc(x.label.as_str()).axis_desc_style(font.clone()).label_style(font.clone());
        mesh.draw().map_err(|e| said(&e))?;
        for (row, bar) in self.bars.iter().rev().enumerate() {
            let mut start = 0.0;
            // Above its bar: names are longer than a margin of a small screen.
            let name = Text::new(bar.name.clone(), (0.0, row as f64 + 0.46), font.clone());
            chart.draw_series([name]).map_err(|e| said(&e))?;
            for (part, &length) in bar.parts.iter().enumerate().filter(|(_, length)| **length > 0.0) {
                let (row, end) = (row as f64, start + length);
                let area = chart.plotting_area();
                let [a, b] =
                    [(start, row + 0.06), (end, row - 0.42)].map(|place| area.map_coordinate(&place));
                draw_part(&root, [a, b], part, self.numbered).map_err(|e| said(&e))?;
                start = end;
            }
        }
        root.present().map_err(|e| said(&e))
    }
}

/// A part between two corners, with its number where it fits.
fn draw_part<B: DrawingBackend>(
    root: &DrawingArea<B, plotters::coord::Shift>,
    [a, b]: [(i32, i32); 2],
    part: usize,
    numbered: bool,
) -> Result<(), plotters::drawing::DrawingAreaErrorKind<B::ErrorType>> {
    // A gap of two units separates parts where colours do not.
    root.draw(&Rectangle::new([a, ((b.0 - 2).max(a.0 + 1), b.1)], marker_of(part).color.filled()))?;
    let number = (part + 1).to_string();
    if numbered && b.0 - a.0 > DIGIT * number.len() as i32 {
        let center = Pos::new(HPos::Center, VPos::Center);
        let style = ("sans-serif", TEXT).into_font().color(&WHITE).pos(center);
        root.draw(&Text::new(number, ((a.0 + b.0) / 2, (a.1 + b.1) / 2), style))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_as_long_as_its_share_and_nothing_is_drawn_for_none() {
        let bar = |name: &str, parts: [f64; 3]| Bar { name: name.into(), parts: parts.to_vec() };
        let bars = Bars {
            title: "t".into(),
            description: "d".into(),
            label: "ms".into(),
            numbered: true,
            bars: vec![bar("a", [1.0, 0.0, 3.0]), bar("b", [2.0, 2.0, 0.0])],
        };
        let text = bars.svg().expect("a drawing").into_string();
        let widths: Vec<i32> = text
            .split("<rect")
            .filter_map(|rect| rect.split_once(" width=\"")?.1.split('"').next()?.parse().ok())
            .collect();
        assert_eq!(widths.len(), 4, "{text}");
        // The last bar is drawn first.
        assert!((widths[3] + 2 - 3 * (widths[2] + 2)).abs() <= 3, "{widths:?}");
    }
}
