//! What is read of the report of one run.

use std::collections::BTreeMap;

use serde_json::Value;

/// A run of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    /// Time of each frame (ms).
    pub(super) frames: Vec<f64>,
    /// Mean time of each stage in a frame (ms).
    pub(super) stages: BTreeMap<String, f64>,
    /// Figures of [`QUALITY`]; what a report does not have is not a number.
    pub(super) quality: [f64; QUALITY.len()],
    /// Hash of the last state.
    pub(super) hash: String,
}

/// How good the cloth is: name, place in the report of a scenario, and factor to the unit of the name.
pub(super) const QUALITY: [(&str, &str, f64); 6] = [
    ("intersections, worst", "/intersections/max", 1.0),
    ("intersections, end", "/intersections/final", 1.0),
    ("stretch p99, %", "/stretch/p99", 100.0),
    ("stretch max, %", "/stretch/max", 100.0),
    ("penetration, mm", "/deepest_penetration_m", 1000.0),
    ("substeps", "/substeps", 1.0),
];

impl Run {
    /// Reads a report of one scenario.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let report: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let scenario = report.pointer("/scenarios/0").ok_or("it has no scenario")?;
        let number = |path: &str| scenario.pointer(path).and_then(Value::as_f64).unwrap_or(f64::NAN);
        let frames = scenario.pointer("/per_frame/ms").and_then(Value::as_array).ok_or("it has no times")?;
        let frames: Vec<f64> = frames.iter().filter_map(Value::as_f64).collect();
        if frames.is_empty() {
            let failures = scenario.pointer("/failures").map(Value::to_string).unwrap_or_default();
            return Err(format!("no frame was simulated: {failures}"));
        }
        let stages = scenario.pointer("/stage_ms").and_then(Value::as_object);
        let stages =
            stages.into_iter().flatten().filter_map(|(k, v)| Some((k.clone(), v.as_f64()?))).collect();
        let quality = QUALITY.map(|(_, path, factor)| factor * number(path));
        let hash = scenario.pointer("/state_hash").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Self { frames, stages, quality, hash })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn report(frames: &[f64], hash: &str) -> String {
        serde_json::json!({"scenarios": [{
            "per_frame": {"ms": frames},
            "stage_ms": {"detect": 2.0, "solve": 1.0},
            "intersections": {"max": 3, "final": 0},
            "stretch": {"p99": 0.04, "max": null},
            "substeps": 8,
            "state_hash": hash,
        }]})
        .to_string()
    }

    #[test]
    fn reads_times_quality_and_hash_and_marks_what_is_missing() {
        let run = Run::read(&report(&[1.0, 2.5], "ab")).unwrap();
        assert_eq!((run.frames.as_slice(), run.hash.as_str()), (&[1.0, 2.5][..], "ab"));
        assert_eq!((run.stages["detect"], run.stages.len()), (2.0, 2));
        assert_eq!(run.quality[..3], [3.0, 0.0, 4.0]);
        assert!(run.quality[3].is_nan() && run.quality[4].is_nan());
    }

    #[test]
    fn a_report_without_frames_is_an_error() {
        let text = r#"{"scenarios": [{"per_frame": {"ms": []}, "failures": ["cannot be built"]}]}"#;
        assert!(Run::read(text).unwrap_err().contains("cannot be built"));
        assert!(Run::read("{}").unwrap_err().contains("no scenario"));
        assert!(Run::read("x").is_err());
    }
}
