//! Series over two axes as SVG.

use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::prelude::*;

const SIZE: (u32, u32) = (760, 460);
const COLORS: [RGBColor; 4] = [
    RGBColor(0x1f, 0x6f, 0xb4),
    RGBColor(0xd9, 0x5f, 0x02),
    RGBColor(0x2a, 0x8f, 0x5b),
    RGBColor(0x8a, 0x4f, 0xae),
];

/// How a series is drawn.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    Line,
    Points,
    Joined,
}

/// Points of one kind.
pub(crate) struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    style: Style,
}

impl Series {
    pub(crate) fn line(name: &str, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.to_owned(), points, style: Style::Line }
    }

    pub(crate) fn points(name: &str, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.to_owned(), points, style: Style::Points }
    }

    pub(crate) fn joined(name: &str, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.to_owned(), points, style: Style::Joined }
    }
}

/// A chart with linear axes, or with two logarithmic ones.
pub(crate) struct Chart {
    title: &'static str,
    axes: [&'static str; 2],
    is_logarithmic: bool,
    legend: SeriesLabelPosition,
    series: Vec<Series>,
}

impl Chart {
    pub(crate) fn new(title: &'static str, x: &'static str, y: &'static str) -> Self {
        Self {
            title,
            axes: [x, y],
            is_logarithmic: false,
            legend: SeriesLabelPosition::UpperLeft,
            series: Vec::new(),
        }
    }

    pub(crate) fn log(self) -> Self {
        Self { is_logarithmic: true, ..self }
    }

    /// With the legend below the curves.
    pub(crate) fn legend_below(self) -> Self {
        Self { legend: SeriesLabelPosition::LowerLeft, ..self }
    }

    pub(crate) fn add(&mut self, series: Series) {
        self.series.push(series);
    }

    pub(crate) fn svg(&self) -> Result<String, String> {
        let all = || self.series.iter().flat_map(|series| &series.points);
        let bounds = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)))
        };
        let ((x0, x1), (y0, y1)) = (bounds(&mut all().map(|p| p.0)), bounds(&mut all().map(|p| p.1)));
        let mut text = String::new();
        let drawn = if self.is_logarithmic {
            let (x, y) = ((0.8 * x0..1.25 * x1).log_scale(), (0.7 * y0..1.4 * y1).log_scale());
            self.draw(&mut text, x, y, &|x| format!("{x:.0e}"))
        } else {
            let margin = 0.05 * (y1 - y0);
            self.draw(&mut text, x0..x1, y0 - margin..y1 + margin, &|x| {
                format!("{}", (x * 1e6).round() / 1e6 + 0.0)
            })
        };
        drawn.map_err(|why| format!("`{}`: {why}", self.title)).map(|()| text)
    }

    fn draw<X, Y>(
        &self,
        text: &mut String,
        x: X,
        y: Y,
        format: &dyn Fn(&f64) -> String,
    ) -> Result<(), Box<dyn std::error::Error>>
    where
        X: plotters::coord::ranged1d::AsRangedCoord<Value = f64>,
        Y: plotters::coord::ranged1d::AsRangedCoord<Value = f64>,
        X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
        Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(self.title, ("sans-serif", 20))
            .margin(14)
            .x_label_area_size(46)
            .y_label_area_size(76)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .x_desc(self.axes[0])
            .y_desc(self.axes[1])
            .x_label_formatter(format)
            .y_label_formatter(format)
            .label_style(("sans-serif", 14))
            .draw()?;
        for (i, series) in self.series.iter().enumerate() {
            let color = COLORS[i % COLORS.len()];
            let points = || series.points.iter().copied();
            if series.style != Style::Points {
                chart
                    .draw_series(LineSeries::new(points(), color.stroke_width(2)))?
                    .label(&series.name)
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
            }
            if series.style != Style::Line {
                let circles = chart.draw_series(points().map(|p| Circle::new(p, 4, color.filled())))?;
                if series.style == Style::Points {
                    circles
                        .label(&series.name)
                        .legend(move |(x, y)| Circle::new((x + 10, y), 4, color.filled()));
                }
            }
        }
        chart
            .configure_series_labels()
            .position(self.legend.clone())
            .background_style(WHITE.mix(0.85))
            .border_style(RGBColor(0xcc, 0xcc, 0xcc))
            .label_font(("sans-serif", 14))
            .draw()?;
        root.present()?;
        Ok(())
    }
}
