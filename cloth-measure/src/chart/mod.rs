//! Charts as SVG within a page: no script, colours from the page's style sheet, equal input gives equal
//! bytes.
//!
//! ```text
//! axis     a scale (linear, logarithmic, logarithmic with zero) with its labels
//! marker   colours for the colour-blind, and a shape for each
//! ```

mod axis;
mod marker;

use maud::{Markup, html};

pub use axis::{Axis, Scale};
pub(crate) use marker::color_rules;
use marker::{class, symbol};

use crate::table::Table;

/// Width of a drawing, and height of a plot, in its own units, about a pixel each.
const SIZE: [f64; 2] = [480.0, 310.0];
/// Room about the field of a drawing: for the numbers of the y axis and its label, and for those of the x
/// axis.
const LEFT: f64 = 66.0;
const RIGHT: f64 = 22.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 52.0;
/// Height of a bar, and of a row with its name.
const BAR: f64 = 27.0;
const ROW: f64 = 56.0;
/// Width of a digit, to tell whether a number fits into a part.
const DIGIT: f64 = 13.0;

/// A point of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// On the x axis.
    pub x: f64,
    /// On the y axis.
    pub y: f64,
    /// Whether a ring stresses the point.
    pub stressed: bool,
}

impl Point {
    /// A point without a ring.
    #[must_use]
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, stressed: false }
    }
}

/// Points with one marker.
#[derive(Clone, Debug)]
pub struct Series {
    /// In the legend.
    pub name: String,
    /// Which marker: the same subject has the same in all charts.
    pub marker: usize,
    /// A point that an axis cannot show is left out.
    pub points: Vec<Point>,
    /// Whether a line joins the points, in their order.
    pub joined: bool,
}

/// Points over two axes.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Above the drawing.
    pub title: String,
    /// For those who do not see the chart: what it shows, and what is to be seen.
    pub description: String,
    /// From left to right.
    pub x: Axis,
    /// From bottom to top.
    pub y: Axis,
    /// In the order of the legend.
    pub series: Vec<Series>,
}

impl Plot {
    /// Caption, drawing, legend, and the data behind it as a table; nothing if there is no point to draw.
    #[must_use]
    pub fn figure(&self, data: &Table) -> Markup {
        if self.places().next().is_none() {
            return html! {};
        }
        let shown = self.series.iter().filter(|series| !series.points.is_empty());
        let key = |series: &Series| {
            html! {
                svg viewBox="-7 -7 14 14" aria-hidden="true" { (symbol(series.marker, [0.0; 2])) }
                (series.name)
            }
        };
        framed(&self.title, &self.svg(), &shown.map(key).collect::<Vec<_>>(), data)
    }

    /// Positions of all points that have one.
    fn places(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        self.series.iter().flat_map(|series| &series.points).filter_map(|p| self.place(p))
    }

    fn place(&self, point: &Point) -> Option<[f64; 2]> {
        Some([self.x.position(point.x)?, self.y.position(point.y)?])
    }

    fn svg(&self) -> Markup {
        let [width, height] = SIZE;
        let x = self.x.over(self.places().map(|place| place[0]));
        let y = self.y.over(self.places().map(|place| place[1]));
        let across = |position: f64| LEFT + x.share(position) * (width - LEFT - RIGHT);
        let up = |position: f64| height - BOTTOM - y.share(position) * (height - TOP - BOTTOM);
        let middle = TOP + 0.5 * (height - TOP - BOTTOM);
        let at = |p: &Point| self.place(p).map(|[x, y]| [across(x), up(y)]);
        let field = html! {
            @for (position, text) in self.y.labels(y) {
                @let y = format!("{:.1}", up(position));
                line.grid x1=(LEFT) x2=(width - RIGHT) y1=(y) y2=(y) {}
                text x=(LEFT - 6.0) y=(y) dy="0.35em" text-anchor="end" { (text) }
            }
            @for (position, text) in self.x.labels(x) {
                @let x = format!("{:.1}", across(position));
                line.grid x1=(x) x2=(x) y1=(TOP) y2=(height - BOTTOM) {}
                text x=(x) y=(height - BOTTOM + 20.0) text-anchor="middle" { (text) }
            }
            text x=(0.5 * (LEFT + width - RIGHT)) y=(height - 8.0) text-anchor="middle" { (self.x.label) }
            text transform=(format!("translate(16 {middle}) rotate(-90)")) text-anchor="middle" {
                (self.y.label)
            }
            @for series in &self.series {
                @if series.joined {
                    (line(&series.points.iter().filter_map(at).collect::<Vec<_>>(), series.marker))
                }
                @for point in &series.points {
                    @if let Some(at) = at(point) {
                        @if point.stressed { (ring(at, series.marker)) }
                        (symbol(series.marker, at))
                    }
                }
            }
        };
        drawing(height, &self.title, &self.description, &field)
    }
}

fn line(places: &[[f64; 2]], marker: usize) -> Markup {
    let points: Vec<String> = places.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
    html! { polyline class=(class(marker)) stroke="currentColor" points=(points.join(" ")) {} }
}

fn ring([x, y]: [f64; 2], marker: usize) -> Markup {
    let [x, y] = [x, y].map(|c| format!("{c:.1}"));
    html! {
        circle class=(class(marker)) cx=(x) cy=(y) r="10"
            fill="none" stroke="currentColor" stroke-width="2" {}
    }
}

/// One bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What it stands for.
    pub name: String,
    /// Length of each part, the same parts in every bar; 0 where it has none.
    pub parts: Vec<f64>,
}

/// Stacked bars with equal parts: where time goes, one bar for each subject.
#[derive(Clone, Debug)]
pub struct Bars {
    /// Above the drawing.
    pub title: String,
    /// For those who do not see the chart.
    pub description: String,
    /// What lengths are: `ms a frame`.
    pub label: String,
    /// From top to bottom.
    pub bars: Vec<Bar>,
    /// Names of the parts, whose numbers are written into them where they fit; none if there is one part.
    pub parts: Vec<String>,
}

impl Bars {
    /// Caption, drawing, legend, and the data behind it as a table; nothing without bars.
    #[must_use]
    pub fn figure(&self, data: &Table) -> Markup {
        if self.bars.is_empty() {
            return html! {};
        }
        let key = |(k, part): (usize, &String)| html! { i class=(class(k)) {} (k + 1) " " (part) };
        let keys: Vec<Markup> = self.parts.iter().enumerate().map(key).collect();
        framed(&self.title, &self.svg(), &keys, data)
    }

    fn svg(&self) -> Markup {
        let height = TOP + ROW * self.bars.len() as f64 + BOTTOM;
        let axis = Axis::new(self.label.as_str(), Scale::Linear);
        let extent = axis.over(self.bars.iter().map(|bar| bar.parts.iter().sum()));
        let across = |length: f64| 8.0 + extent.share(length) * (SIZE[0] - 8.0 - RIGHT);
        let field = html! {
            @for (position, text) in axis.labels(extent) {
                @let x = format!("{:.1}", across(position));
                line.grid x1=(x) x2=(x) y1=(TOP) y2=(height - BOTTOM) {}
                text x=(x) y=(height - BOTTOM + 20.0) text-anchor="middle" { (text) }
            }
            text x=(0.5 * SIZE[0]) y=(height - 8.0) text-anchor="middle" { (self.label) }
            @for (row, bar) in self.bars.iter().enumerate() {
                @let top = TOP + ROW * row as f64;
                // Above its bar: names are longer than a margin of a small screen.
                text x="8" y=(top + 18.0) { (bar.name) }
                @for (part, &length) in bar.parts.iter().enumerate().filter(|(_, length)| **length > 0.0) {
                    @let start = bar.parts[..part].iter().sum::<f64>();
                    (self.part(part, [across(start), across(start + length)], top + 24.0))
                }
            }
        };
        drawing(height, &self.title, &self.description, &field)
    }

    /// A part between two ends, with its number where it fits.
    fn part(&self, part: usize, [from, to]: [f64; 2], top: f64) -> Markup {
        let number = (part + 1).to_string();
        let has_number = !self.parts.is_empty() && to - from > DIGIT * number.len() as f64;
        // A gap of a unit separates parts where colours do not.
        let [x, width] = [from, (to - from - 1.0).max(0.5)].map(|c| format!("{c:.1}"));
        html! {
            rect class=(class(part)) fill="currentColor" x=(x) y=(top) width=(width) height=(BAR) {}
            @if has_number {
                text.inside x=(format!("{:.1}", 0.5 * (from + to))) y=(top + 0.5 * BAR)
                    dy="0.35em" text-anchor="middle" { (number) }
            }
        }
    }
}

/// A drawing with an accessible name and description.
fn drawing(height: f64, title: &str, description: &str, field: &Markup) -> Markup {
    html! {
        svg viewBox=(format!("0 0 {} {height}", SIZE[0])) role="img" {
            title { (title) }
            desc { (description) }
            (field)
        }
    }
}

/// A figure of the page: caption, drawing, legend, data.
fn framed(title: &str, svg: &Markup, keys: &[Markup], data: &Table) -> Markup {
    let rows = data.rows();
    html! {
        figure.chart {
            figcaption { (title) }
            (svg)
            @if !keys.is_empty() { ul.keys { @for key in keys { li { (key) } } } }
            details { summary { "Data, " (rows) @if rows == 1 { " row" } @else { " rows" } } (data.html()) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::words;

    fn data() -> Table {
        Table::new("data", [vec![words("a", "row")]])
    }

    /// The numbers of an attribute, in the order of the drawing.
    fn attributes(text: &str, element: &str, name: &str) -> Vec<f64> {
        let start = format!("<{element} ");
        let elements = text.split(&start).skip(1);
        let of = |e: &str| e.split_once(&format!(" {name}=\""))?.1.split('"').next()?.parse().ok();
        elements.filter_map(of).collect()
    }

    #[test]
    fn a_part_of_a_bar_is_as_long_as_its_share() {
        let bar = |name: &str, parts: [f64; 3]| Bar { name: name.into(), parts: parts.to_vec() };
        let bars = Bars {
            title: "t".into(),
            description: "d".into(),
            label: "ms".into(),
            parts: ["x", "y", "z"].map(String::from).to_vec(),
            bars: vec![bar("a", [1.0, 0.0, 3.0]), bar("b", [2.0, 2.0, 0.0])],
        };
        let text = bars.figure(&data()).into_string();
        let widths = attributes(&text, "rect", "width");
        assert_eq!(widths.len(), 4, "{text}");
        assert!((widths[1] + 1.0 - 3.0 * (widths[0] + 1.0)).abs() < 0.5, "{widths:?}");
        assert_eq!(text.matches("text class=\"inside\"").count(), 4);
        let none = Bars { bars: vec![], ..bars };
        assert_eq!(none.figure(&data()).into_string(), "");
    }

    #[test]
    fn points_lie_where_their_axes_say_and_others_are_left_out() {
        let series = |points: &[[f64; 2]], joined| Series {
            name: "a < b".into(),
            marker: 1,
            points: points.iter().map(|p| Point { stressed: true, ..Point::new(p[0], p[1]) }).collect(),
            joined,
        };
        let plot = |series| Plot {
            title: "t".into(),
            description: "d".into(),
            x: Axis::new("x", Scale::Log),
            y: Axis::new("y", Scale::Linear),
            series: vec![series],
        };
        let shown = plot(series(&[[1.0, 0.0], [10.0, 5.0], [100.0, 10.0], [0.0, 1.0]], true));
        let text = shown.figure(&data()).into_string();
        let [x, y] = ["cx", "cy"].map(|name| attributes(&text, "circle", name));
        assert_eq!(x.len(), 3, "a logarithm of zero has no place");
        assert!((x[1] - 0.5 * (x[0] + x[2])).abs() < 0.2 && (y[1] - 0.5 * (y[0] + y[2])).abs() < 0.2);
        assert!(x[0] < x[1] && y[0] > y[1], "to the right and up");
        assert!(text.contains("<polyline") && text.contains("a &lt; b"));
        let hidden = plot(series(&[[0.0, 1.0]], false));
        assert_eq!(hidden.figure(&data()).into_string(), "");
    }

    #[test]
    fn a_figure_is_named_and_carries_its_data() {
        let bars = vec![Bar { name: "a".into(), parts: vec![1.0] }];
        let [title, description, label] = ["a < b", "what it shows", "ms"].map(String::from);
        let text = Bars { title, description, label, bars, parts: vec![] }.figure(&data()).into_string();
        for part in ["role=\"img\"", "<title>a &lt; b</title>", "<desc>what it shows</desc>", "1 row<"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(!text.contains("class=\"inside\"") && !text.contains("class=\"keys\""));
    }
}
