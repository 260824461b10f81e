//! Charts as SVG text, drawn by `plotters` when the page is written: no script, equal input gives equal
//! bytes.
//!
//! ```text
//! axis     a scale (linear, logarithmic, logarithmic with zero) with its ticks
//! marker   colours for the colour-blind, a shape for each, and the symbol of a legend
//! plot     series of points with intervals, joined by lines or not
//! bars     stacked bars
//! svg      what a drawing needs for the page: title, description, colours by name
//! ```

mod axis;
mod bars;
mod marker;
mod plot;
mod svg;

pub(super) use axis::{Axis, Scale};
pub(super) use bars::{Bar, Bars};
pub(super) use marker::{MARKERS, color_rules, legend_symbol};
pub(super) use plot::{Plot, Point, Series};
pub use svg::ChartError;
