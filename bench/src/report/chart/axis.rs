//! An axis: how a value becomes a position, and which values are labelled.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;

/// Most labels of an axis of a small chart.
const MOST_LABELS: usize = 6;
/// The same of names, which are wider.
const MOST_NAMES: usize = 4;

/// How values are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Scale {
    /// From zero, evenly.
    Linear,
    /// Evenly, over the values alone: for changes that are small compared with the values.
    Fitted,
    /// By ratio; values that are not above zero cannot be shown.
    Log,
    /// By ratio, with a place of its own for zero one decade below one: for counts.
    LogCount,
}

/// What an axis shows.
#[derive(Clone, Debug)]
pub(in crate::report) struct Axis {
    pub(in crate::report) label: String,
    pub(in crate::report) scale: Scale,
    /// Label of each value, where values stand for names.
    pub(in crate::report) names: Option<Vec<String>>,
}

impl Axis {
    /// An axis of numbers.
    pub(in crate::report) fn new(label: impl Into<String>, scale: Scale) -> Self {
        Self { label: label.into(), scale, names: None }
    }

    /// The position of a value on an even scale; none if it has none.
    pub(super) fn position(&self, value: f64) -> Option<f64> {
        let position = match self.scale {
            Scale::Linear | Scale::Fitted => value,
            Scale::Log => value.log10(),
            Scale::LogCount if value == 0.0 => -1.0,
            Scale::LogCount => value.max(1.0).log10(),
        };
        position.is_finite().then_some(position)
    }

    /// The scale that shows some positions.
    pub(super) fn over(&self, positions: impl Iterator<Item = f64>) -> ScaledAxis {
        let (low, high) =
            positions.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let range = match (self.scale, &self.names) {
            (_, Some(names)) => -0.5..names.len().max(1) as f64 - 0.5,
            (Scale::Linear, None) => low.min(0.0)..if high > 0.0 { 1.08 * high } else { 1.0 },
            (Scale::Fitted, None) => {
                let margin = (0.15 * (high - low)).max(0.02 * high.abs());
                low - margin..high + margin
            }
            (Scale::Log | Scale::LogCount, None) => {
                let margin = (0.08 * (high - low)).max(0.12);
                low - margin..high + margin
            }
        };
        ScaledAxis { range, scale: self.scale, names: self.names.clone() }
    }
}

/// An axis of `plotters` over positions.
#[derive(Clone, Debug)]
pub(super) struct ScaledAxis {
    range: Range<f64>,
    scale: Scale,
    names: Option<Vec<String>>,
}

impl ScaledAxis {
    /// Positions of the labels.
    pub(super) fn ticks(&self) -> Vec<f64> {
        match (&self.names, self.scale) {
            (Some(names), _) => {
                let step = names.len().div_ceil(MOST_NAMES).max(1);
                (0..names.len()).step_by(step).map(|k| k as f64).collect()
            }
            (None, Scale::Linear | Scale::Fitted) => {
                RangedCoordf64::from(self.range.clone()).key_points(MOST_LABELS)
            }
            (None, scale) => log_ticks(&self.range, scale == Scale::LogCount),
        }
    }

    fn text(&self, position: f64) -> String {
        if let Some(names) = &self.names {
            return names.get(position.round() as usize).cloned().unwrap_or_default();
        }
        match self.scale {
            Scale::Linear | Scale::Fitted => short(position),
            Scale::LogCount if position < -0.5 => "0".into(),
            Scale::Log | Scale::LogCount => short(10f64.powf(position)),
        }
    }
}

/// Decades if there are two of them, else 1, 2 and 5 of each; with zero, its place and decades from one.
fn log_ticks(range: &Range<f64>, with_zero: bool) -> Vec<f64> {
    let decades = range.start.floor() as i32..=range.end.ceil() as i32;
    let shown = |position: &f64| range.contains(position);
    let whole: Vec<f64> =
        decades.clone().map(f64::from).filter(shown).filter(|&p| !with_zero || p >= -1.0).collect();
    if whole.len() < 2 && !with_zero {
        let fine = decades.flat_map(|d| [1.0, 2.0, 5.0].map(|m: f64| f64::from(d) + m.log10()));
        return fine.filter(shown).collect();
    }
    let step = whole.len().div_ceil(MOST_LABELS).max(1);
    whole.into_iter().step_by(step).collect()
}

/// A number in as few characters as an axis has room for: `0.02`, `50`, `2k`, `1M`.
fn short(value: f64) -> String {
    let plain = |v: f64| {
        let text = format!("{v:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    match value.abs() {
        v if v >= 1e9 => format!("{}G", plain(value / 1e9)),
        v if v >= 1e6 => format!("{}M", plain(value / 1e6)),
        v if v >= 1e3 => format!("{}k", plain(value / 1e3)),
        v if v != 0.0 && v < 1e-3 => format!("{value:.0e}"),
        _ => plain(value),
    }
}

impl Ranged for ScaledAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        RangedCoordf64::from(self.range.clone()).map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for ScaledAxis {
    fn format_ext(&self, value: &f64) -> String {
        self.text(*value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, values: &[f64]) -> Vec<String> {
        let axis = Axis::new("x", scale);
        let scaled = axis.over(values.iter().filter_map(|&v| axis.position(v)));
        scaled.ticks().iter().map(|&t| scaled.text(t)).collect()
    }

    #[test]
    fn decades_are_labelled_and_within_one_decade_round_numbers() {
        assert_eq!(labels(Scale::Log, &[0.05, 2.0, 300.0]), ["0.1", "1", "10", "100"]);
        assert_eq!(labels(Scale::Log, &[1.5, 6.0]), ["2", "5"]);
        assert_eq!(labels(Scale::Log, &[1000.0, 1.0e6]), ["1k", "10k", "100k", "1M"]);
    }

    #[test]
    fn zero_has_a_place_on_a_logarithmic_count() {
        assert_eq!(labels(Scale::LogCount, &[0.0, 3324.0]), ["0", "1", "10", "100", "1k"]);
        let axis = Axis::new("n", Scale::LogCount);
        assert_eq!((axis.position(0.0), axis.position(1.0)), (Some(-1.0), Some(0.0)));
    }

    #[test]
    fn what_a_scale_cannot_show_has_no_position() {
        let axis = Axis::new("t", Scale::Log);
        assert_eq!((axis.position(0.0), axis.position(-1.0), axis.position(f64::NAN)), (None, None, None));
        assert!(labels(Scale::Log, &[]).len() > 1);
    }
}
