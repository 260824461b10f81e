//! The value of an attribute over time: linear between its samples, the nearest one before and behind them.

use std::ops::Range;

use super::layer::Attribute;

/// Where the values of an attribute stand.
#[derive(Debug)]
pub(super) struct Sampled {
    /// By time code, increasing; at least one.
    pub(super) samples: Vec<(f64, Range<usize>)>,
    /// Whether it moves: its samples have times.
    pub(super) is_sampled: bool,
    is_single: bool,
}

/// Where a time is among the samples.
pub(super) struct Around<'a> {
    pub(super) from: &'a Range<usize>,
    pub(super) to: &'a Range<usize>,
    /// Parameter of the interpolation between them, 0 to 1.
    pub(super) share: f64,
}

/// Whether numbers of a type are single-precision; none if it is neither that nor double-precision.
pub(super) fn precision(kind: &str) -> Option<bool> {
    let kind = kind.trim_end_matches("[]").trim_end_matches(|c: char| c.is_ascii_digit());
    match kind {
        "float" => Some(true),
        "double" => Some(false),
        _ if kind.ends_with('f') => Some(true),
        _ if kind.ends_with('d') => Some(false),
        _ => None,
    }
}

impl Sampled {
    /// The values of an attribute; none if it has none, no precision, or a curve.
    pub(super) fn new(attribute: &Attribute, is_single: Option<bool>) -> Option<Self> {
        let is_single = is_single.filter(|_| !attribute.is_spline)?;
        if !attribute.samples.is_empty() {
            return Some(Self { samples: attribute.samples.clone(), is_sampled: true, is_single });
        }
        let default = attribute.default.clone()?;
        Some(Self { samples: vec![(0.0, default)], is_sampled: false, is_single })
    }

    /// The samples before and behind a time code.
    pub(super) fn around(&self, time: f64) -> Around<'_> {
        let after = self.samples.partition_point(|(t, _)| *t <= time);
        let [from, to] = [after.saturating_sub(1), after.min(self.samples.len() - 1)];
        let [(start, from), (end, to)] = [&self.samples[from], &self.samples[to]];
        let share = if after > 0 && end > start { (time - start) / (end - start) } else { 0.0 };
        Around { from, to: if share > 0.0 { to } else { from }, share }
    }

    /// A number, as the attribute stores it.
    pub(super) fn rounded(&self, x: f64) -> f64 {
        if self.is_single { f64::from(x as f32) } else { x }
    }
}
