//! A measured number as a report shows it.

use cloth_scene::words;
use serde::{Deserialize, Serialize};

/// A finite number rounded to six significant digits, or none where the measurement was not finite.
///
/// JSON knows no NaN, and a simulation that has exploded must still be reported: it fails with words,
/// and its figure is `null`. Rounded, because the seventh digit of a time or a strain says nothing and
/// makes two reports differ. Never -0.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "Option<f64>", into = "Option<f64>")]
pub struct Figure(Option<f64>);

impl Figure {
    /// The number, if the measurement was finite.
    #[must_use]
    pub fn get(self) -> Option<f64> {
        self.0
    }
}

impl From<f64> for Figure {
    fn from(value: f64) -> Self {
        let rounded = format!("{value:.5e}").parse::<f64>().ok().filter(|v| v.is_finite());
        Self(rounded.map(|v| if v == 0.0 { 0.0 } else { v }))
    }
}

impl From<Option<f64>> for Figure {
    fn from(value: Option<f64>) -> Self {
        value.map_or(Self(None), Self::from)
    }
}

impl From<Figure> for Option<f64> {
    fn from(figure: Figure) -> Self {
        figure.0
    }
}

/// For people: three significant digits after scaling, or `not finite`.
#[must_use]
pub fn human(figure: Figure, scale: f64) -> String {
    match figure.get().map(|v| v * scale) {
        None => "not finite".into(),
        Some(0.0) => "0".into(),
        Some(v) if v.abs() >= 99.95 && v.abs() < 1e15 => {
            format!("{}{}", if v < 0.0 { "-" } else { "" }, count(v.abs().round() as u64))
        }
        Some(v) if v.abs() >= 9.995 => format!("{v:.1}"),
        Some(v) if v.abs() >= 0.9995 => format!("{v:.2}"),
        Some(v) if v.abs() >= 0.000_999_5 => format!("{v:.3}"),
        Some(v) => format!("{v:.0e}"),
    }
}

/// The same with its unit, which is left out where there is no number.
#[must_use]
pub fn human_with(figure: Figure, scale: f64, unit: &str) -> String {
    let number = human(figure, scale);
    if figure.get().is_some() { format!("{number} {unit}") } else { number }
}

/// A stretch in percent, or `not measured` where there is no number: a scene that names no edges.
#[must_use]
pub fn stretch_percent(stretch: Figure) -> String {
    if stretch.get().is_some() { human_with(stretch, 100.0, "%") } else { "not measured".into() }
}

/// A count with its thousands apart: `12,345`.
#[must_use]
pub fn count(n: u64) -> String {
    words::count(usize::try_from(n).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(value: f64) -> String {
        serde_json::to_string(&Figure::from(value)).expect("a number or null")
    }

    #[test]
    fn keeps_six_significant_digits_whatever_the_size() {
        assert_eq!(json(0.123_456_789), "0.123457");
        assert_eq!(json(123_456_789.0), "123457000.0");
        assert_eq!(json(-1.234_567_89e-9), "-1.23457e-9");
    }

    #[test]
    fn never_writes_minus_zero_or_what_json_does_not_know() {
        assert_eq!(json(-0.0), "0.0");
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(json(value), "null");
        }
        assert_eq!(json(f64::MAX), "1.79769e+308");
    }

    #[test]
    fn reads_back_what_it_wrote() {
        for text in ["0.123457", "null", "-1.23457e-9"] {
            let figure: Figure = serde_json::from_str(text).expect("written by us");
            assert_eq!(serde_json::to_string(&figure).expect("a number or null"), text);
        }
    }

    #[test]
    fn speaks_to_people_in_three_digits() {
        let text = |v: f64| human(v.into(), 1.0);
        let given =
            [0.0, 0.000_12, 0.0123, 1.234, 9.999, 12.34, 99.96, 123.4, 1234.5, -1_234_560.0, f64::NAN];
        let expected =
            ["0", "1e-4", "0.012", "1.23", "10.0", "12.3", "100", "123", "1,235", "-1,234,560", "not finite"];
        assert_eq!(given.map(text), expected);
        assert_eq!(count(1_000), "1,000");
    }
}
