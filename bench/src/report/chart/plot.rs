//! Points over two axes, with intervals, joined by lines or not.

use maud::Markup;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;

use super::axis::{Axis, ScaledAxis};
use super::marker::{Marker, Symbol, marker_of};
use super::svg::{self, ChartError};

/// Size in units of the drawing; the page shows it at about half, so that whole units do not show.
pub(super) const SIZE: (u32, u32) = (960, 620);
/// Text (units).
pub(super) const TEXT: f64 = 36.0;
/// Room for the numbers of the y axis and its label, and for those of the x axis (units).
const LEFT: u32 = 130;
pub(super) const BOTTOM: u32 = 104;

/// Grid lines and text, which the style sheet recolours.
pub(super) const GRID: RGBColor = RGBColor(0xdf, 0xe4, 0xea);
pub(super) const SOFT: RGBColor = RGBColor(0x5a, 0x66, 0x77);

/// A point of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::report) struct Point {
    pub(in crate::report) x: f64,
    pub(in crate::report) y: f64,
    /// Interval of `y`, if it is known.
    pub(in crate::report) interval: Option<[f64; 2]>,
    /// Whether a ring stresses the point.
    pub(in crate::report) stressed: bool,
}

impl Point {
    /// A point without an interval.
    pub(in crate::report) fn new(x: f64, y: f64) -> Self {
        Self { x, y, interval: None, stressed: false }
    }
}

/// Points with one marker.
#[derive(Clone, Debug)]
pub(in crate::report) struct Series {
    pub(in crate::report) name: String,
    /// Which marker: the same subject has the same in all charts.
    pub(in crate::report) marker: usize,
    pub(in crate::report) points: Vec<Point>,
    /// Whether a line joins the points, in their order.
    pub(in crate::report) joined: bool,
}

/// A chart of series.
#[derive(Clone, Debug)]
pub(in crate::report) struct Plot {
    pub(in crate::report) title: String,
    /// For those who do not see the chart: what it shows, and what is to be seen.
    pub(in crate::report) description: String,
    pub(in crate::report) x: Axis,
    pub(in crate::report) y: Axis,
    pub(in crate::report) series: Vec<Series>,
}

impl Plot {
    /// Whether any point can be shown.
    pub(in crate::report) fn is_empty(&self) -> bool {
        self.places().next().is_none()
    }

    /// The drawing.
    ///
    /// # Errors
    /// If the library refuses it.
    pub(in crate::report) fn svg(&self) -> Result<Markup, ChartError> {
        let mut text = String::new();
        self.draw(&mut text).map_err(|why| ChartError::new(&format!("`{}`", self.title), &why))?;
        Ok(svg::labelled(&text, &self.title, &self.description))
    }

    /// Positions of all points that have one.
    fn places(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let points = self.series.iter().flat_map(|series| &series.points);
        points.filter_map(|p| self.place(p.x, p.y))
    }

    fn place(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        Some((self.x.position(x)?, self.y.position(y)?))
    }

    fn scales(&self) -> (ScaledAxis, ScaledAxis) {
        let intervals = self.series.iter().flat_map(|s| &s.points).filter_map(|p| p.interval).flatten();
        let heights = self.places().map(|place| place.1).chain(intervals.filter_map(|y| self.y.position(y)));
        (self.x.over(self.places().map(|place| place.0)), self.y.over(heights))
    }

    fn draw(&self, text: &mut String) -> Result<(), String> {
        let said = |e: &dyn std::fmt::Display| e.to_string();
        let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
        let (x, y) = self.scales();
        let mut chart = ChartBuilder::on(&root)
            .margin(10)
            .margin_top(26)
            .margin_right(44)
            .x_label_area_size(BOTTOM)
            .y_label_area_size(LEFT)
            .build_cartesian_2d(x, y)
            .map_err(|e| said(&e))?;
        let font = ("sans-serif", TEXT).into_font().color(&SOFT);
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(GRID)
            .x_desc(self.x.label.as_str())
            .y_desc(self.y.label.as_str())
            .axis_desc_style(font.clone())
            .label_style(font)
            .draw()
            .map_err(|e| said(&e))?;
        for series in &self.series {
            let marker = marker_of(series.marker);
            let places: Vec<(f64, f64)> = series.points.iter().filter_map(|p| self.place(p.x, p.y)).collect();
            if series.joined {
                let line = LineSeries::new(places.iter().copied(), marker.color.stroke_width(4));
                chart.draw_series(line).map_err(|e| said(&e))?;
            }
            for point in &series.points {
                self.draw_point(&mut chart, point, marker).map_err(|e| said(&e))?;
            }
        }
        root.present().map_err(|e| said(&e))
    }

    /// The interval of a point and its symbol; nothing if it has no place.
    fn draw_point(&self, chart: &mut Chart<'_, '_>, point: &Point, marker: Marker) -> Result<(), DrawError> {
        let Some(place) = self.place(point.x, point.y) else { return Ok(()) };
        if let Some([low, high]) = point.interval
            && let (Some(low), Some(high)) = (self.y.position(low), self.y.position(high))
        {
            let line = PathElement::new([(place.0, low), (place.0, high)], marker.color.stroke_width(3));
            chart.draw_series([line])?;
        }
        chart.plotting_area().draw(&Symbol { place, marker, stressed: point.stressed })
    }
}

/// The chart that is drawn on.
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<ScaledAxis, ScaledAxis>>;

/// What the backend may say.
type DrawError = DrawingAreaErrorKind<<SVGBackend<'static> as DrawingBackend>::ErrorType>;
