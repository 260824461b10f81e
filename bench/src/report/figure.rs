//! A figure of the page: caption, drawing, legend, and the data behind it as a table and as a download.

use maud::{Markup, html};

use super::chart::{Bars, Plot, legend_symbol};
use super::table::Table;
use super::{Fault, number};

/// The drawing of a figure.
pub(super) enum Drawing {
    Plot(Plot),
    Bars(Bars, Vec<String>),
}

/// A chart with its data; nothing if there is nothing to draw. `file` is the name of the download.
///
/// # Errors
/// If it cannot be drawn.
pub(super) fn figure(drawing: &Drawing, data: &Table, file: &str) -> Result<Markup, Fault> {
    let (title, svg, keys) = match drawing {
        Drawing::Plot(plot) if plot.is_empty() => return Ok(html! {}),
        Drawing::Plot(plot) => {
            let keys = plot.series.iter().filter(|series| !series.points.is_empty());
            let keys = keys.map(|series| Ok(html! { li { (legend_symbol(series.marker)?) (series.name) } }));
            (&plot.title, plot.svg()?, keys.collect::<Result<Vec<Markup>, Fault>>()?)
        }
        Drawing::Bars(bars, _) if bars.bars.is_empty() => return Ok(html! {}),
        Drawing::Bars(bars, parts) => {
            let key = |(k, part): (usize, &String)| {
                html! { li { i class=(format!("c{}", k % super::chart::MARKERS.len())) {} (k + 1) " " (part) } }
            };
            (&bars.title, bars.svg()?, parts.iter().enumerate().map(key).collect())
        }
    };
    Ok(html! {
        figure.chart {
            figcaption { (title) }
            (svg)
            @if !keys.is_empty() { ul.keys { @for key in &keys { (key) } } }
            details { summary { "Data, " (number::counted(data.rows.len(), "row")) } (data.html()) }
            p.note { (data.download(file)?) }
        }
    })
}
