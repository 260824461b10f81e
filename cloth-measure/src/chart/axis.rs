//! An axis: how a value becomes a position, and which values are labelled.

/// Most labels of an axis of a small chart.
const MOST_LABELS: usize = 6;
/// The same of names, which are wider.
const MOST_NAMES: usize = 4;

/// How values are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
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
pub struct Axis {
    /// Its name, with the unit.
    pub label: String,
    /// How values are spread.
    pub scale: Scale,
    /// Label of each value, where values stand for names.
    pub names: Option<Vec<String>>,
}

impl Axis {
    /// An axis of numbers.
    pub fn new(label: impl Into<String>, scale: Scale) -> Self {
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

    /// The part of the axis that shows some positions.
    pub(super) fn over(&self, positions: impl Iterator<Item = f64>) -> Extent {
        let (low, high) =
            positions.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let [low, high] = match (self.scale, &self.names) {
            (_, Some(names)) => [-0.5, names.len().max(1) as f64 - 0.5],
            (Scale::Linear, None) => [low.min(0.0), if high > 0.0 { 1.08 * high } else { 1.0 }],
            (scale, None) => {
                let margin = match scale {
                    Scale::Fitted => (0.15 * (high - low)).max(0.02 * high.abs()).max(f64::MIN_POSITIVE),
                    _ => (0.08 * (high - low)).max(0.12),
                };
                [low - margin, high + margin]
            }
        };
        Extent { low, high }
    }

    /// Positions of the labels, and their texts.
    pub(super) fn labels(&self, extent: Extent) -> Vec<(f64, String)> {
        if let Some(names) = &self.names {
            let step = names.len().div_ceil(MOST_NAMES).max(1);
            return names
                .iter()
                .enumerate()
                .step_by(step)
                .map(|(k, name)| (k as f64, name.clone()))
                .collect();
        }
        let text = |p: f64| match self.scale {
            Scale::Linear | Scale::Fitted => short(p),
            Scale::LogCount if p < -0.5 => "0".into(),
            Scale::Log | Scale::LogCount => short(10f64.powf(p)),
        };
        let ticks = match self.scale {
            Scale::Linear | Scale::Fitted => even_ticks(extent),
            scale => log_ticks(extent, scale == Scale::LogCount),
        };
        ticks.into_iter().map(|p| (p, text(p))).collect()
    }
}

/// What an axis shows, from its least to its greatest position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    low: f64,
    high: f64,
}

impl Extent {
    /// Which part of the way a position is from the least to the greatest.
    pub(super) fn share(self, position: f64) -> f64 {
        (position - self.low) / (self.high - self.low)
    }

    fn contains(self, position: f64) -> bool {
        self.low <= position && position <= self.high
    }
}

/// Multiples of 1, 2 or 5 times a power of ten.
fn even_ticks(extent: Extent) -> Vec<f64> {
    let least = (extent.high - extent.low) / MOST_LABELS as f64;
    let power = 10f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().map(|m| m * power).find(|&s| s >= least).unwrap_or(10.0 * power);
    let first = (extent.low / step).ceil();
    let ticks = (0..=MOST_LABELS).map(|k| (first + k as f64) * step);
    ticks.filter(|&p| extent.contains(p)).collect()
}

/// Decades if there are two of them, else 1, 2 and 5 of each; with zero, its place and decades from one.
fn log_ticks(extent: Extent, with_zero: bool) -> Vec<f64> {
    let decades = extent.low.floor() as i32..=extent.high.ceil() as i32;
    let shown = |position: &f64| extent.contains(*position);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, values: &[f64]) -> Vec<String> {
        let axis = Axis::new("x", scale);
        let extent = axis.over(values.iter().filter_map(|&v| axis.position(v)));
        axis.labels(extent).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn decades_are_labelled_and_within_one_decade_round_numbers() {
        assert_eq!(labels(Scale::Log, &[0.05, 2.0, 300.0]), ["0.1", "1", "10", "100"]);
        assert_eq!(labels(Scale::Log, &[1.5, 6.0]), ["2", "5"]);
        assert_eq!(labels(Scale::Log, &[1000.0, 1.0e6]), ["1k", "10k", "100k", "1M"]);
    }

    #[test]
    fn even_scales_are_labelled_by_round_numbers() {
        assert_eq!(labels(Scale::Linear, &[3.0, 9.0]), ["0", "2", "4", "6", "8"]);
        assert_eq!(labels(Scale::Fitted, &[0.98, 1.05]), ["0.96", "0.98", "1", "1.02", "1.04", "1.06"]);
        assert!(labels(Scale::Fitted, &[0.0]).len() <= MOST_LABELS + 1);
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
