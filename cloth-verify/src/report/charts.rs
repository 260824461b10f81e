//! Charts as inline SVG: no script, colours from the page's style sheet, so that they follow light and dark.

use cloth_show::report::{Figure, count, human};
use maud::{Markup, html};

/// Size of a chart in its own units, and the room that its labels take.
const SIZE: [f64; 2] = [440.0, 170.0];
const LEFT: f64 = 46.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 22.0;
/// Most points of a line: past a point for each unit of width nothing is gained.
const MAX_POINTS: usize = 400;

/// A line of a chart.
pub(super) struct Line<'a> {
    /// Shown in the legend.
    pub(super) label: &'a str,
    /// Class that gives the line its colour.
    pub(super) class: &'static str,
    /// A value for each frame; values that are not finite are left out.
    pub(super) values: Vec<f64>,
}

/// Values by frame, from zero up. Nothing if no line has a point.
pub(super) fn by_frame(title: &str, lines: &[Line<'_>]) -> Markup {
    let frames = lines.iter().map(|l| l.values.len()).max().unwrap_or(0);
    let greatest =
        lines.iter().flat_map(|l| &l.values).copied().filter(|v| v.is_finite()).fold(0.0, f64::max);
    if frames == 0 {
        return html! {};
    }
    let top = round_up(greatest);
    html! {
        figure.chart {
            figcaption {
                (title)
                @if lines.len() > 1 {
                    @for line in lines { span.key { i class=(line.class) {} (line.label) } }
                }
            }
            svg viewBox=(format!("0 0 {} {}", SIZE[0], SIZE[1])) role="img" aria-label=(title) {
                @for (part, value) in [(0.0, 0.0), (0.5, top / 2.0), (1.0, top)] {
                    line.grid x1=(LEFT) x2=(SIZE[0] - RIGHT) y1=(y(part)) y2=(y(part)) {}
                    text.tick x=(LEFT - 6.0) y=(y(part) + 3.5) text-anchor="end" {
                        (human(value.into(), 1.0))
                    }
                }
                text.tick x=(LEFT) y=(SIZE[1] - 5.0) { "frame 1" }
                text.tick x=(SIZE[0] - RIGHT) y=(SIZE[1] - 5.0) text-anchor="end" { (count(frames as u64)) }
                @for line in lines {
                    polyline class=(line.class) points=(points(&line.values, frames, top)) {}
                }
            }
        }
    }
}

/// Height on the chart of a part of its range.
fn y(part: f64) -> f64 {
    TOP + (1.0 - part) * (SIZE[1] - TOP - BOTTOM)
}

/// A line's points; where frames outnumber them, each point is the greatest of its frames: no peak is lost.
fn points(values: &[f64], frames: usize, top: f64) -> String {
    let group = frames.div_ceil(MAX_POINTS).max(1);
    let mut text = String::new();
    for (k, chunk) in values.chunks(group).enumerate() {
        let finite = chunk.iter().copied().filter(|v| v.is_finite());
        let Some(value) = finite.reduce(f64::max) else { continue };
        let along = if frames > 1 { (k * group) as f64 / (frames - 1) as f64 } else { 0.0 };
        let x = LEFT + along * (SIZE[0] - LEFT - RIGHT);
        text.push_str(&format!("{x:.1},{:.1} ", y((value / top).clamp(0.0, 1.0))));
    }
    text
}

/// The next of 1, 2, 4, 5, 8, 10 times a power of ten: its half is a round number too.
fn round_up(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 1.0;
    }
    let power = format!("{value:e}").split('e').nth(1).and_then(|e| e.parse::<i32>().ok()).unwrap_or(0);
    let unit = format!("1e{power}").parse::<f64>().unwrap_or(1.0);
    [1.0, 2.0, 4.0, 5.0, 8.0].iter().map(|m| m * unit).find(|&m| value <= m).unwrap_or(10.0 * unit)
}

/// Stages as shares of a whole in one bar, with a legend that says each in milliseconds and percent. The
/// palette has a colour for each name.
pub(super) fn shares(title: &str, parts: &[(&str, Figure)]) -> Markup {
    let value = |f: Figure| f.get().unwrap_or(0.0).max(0.0);
    let sum: f64 = parts.iter().map(|p| value(p.1)).sum();
    if sum <= 0.0 {
        return html! {};
    }
    let color = |name: &str| format!("background:var(--stage-{name})");
    html! {
        figure.chart {
            figcaption { (title) }
            div.bar {
                @for (name, ms) in parts {
                    @let percent = value(*ms) / sum * 100.0;
                    span style=(format!("{};width:{percent:.2}%", color(name))) title=(name) {}
                }
            }
            ul.legend {
                @for (name, ms) in parts {
                    li {
                        i style=(color(name)) {} (name)
                        b { (human(*ms, 1.0)) " ms" }
                        small { (format!("{:.0} %", value(*ms) / sum * 100.0)) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_ends_at_a_round_number_not_below_the_greatest_value() {
        let given = [0.0, 0.03, 1.0, 1.1, 3324.0, 8.1, f64::NAN];
        assert_eq!(given.map(round_up), [1.0, 0.04, 1.0, 2.0, 4000.0, 10.0, 1.0]);
    }

    #[test]
    fn a_peak_of_one_frame_among_thousands_is_seen() {
        let mut values = vec![0.0; 5000];
        values[2503] = 9.0;
        let text = points(&values, 5000, 9.0);
        assert!(text.contains(&format!(",{TOP:.1} ")));
        assert!(text.split(' ').count() <= MAX_POINTS + 1);
    }

    #[test]
    fn nothing_to_draw_draws_nothing() {
        assert_eq!(by_frame("x", &[]).into_string(), "");
        assert_eq!(shares("x", &[("a", Figure::from(0.0))]).into_string(), "");
        let nan = Line { label: "a", class: "run", values: vec![f64::NAN, f64::INFINITY] };
        assert!(by_frame("x", &[nan]).into_string().contains("points=\"\""));
    }
}
