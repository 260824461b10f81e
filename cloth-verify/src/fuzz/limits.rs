//! What a replay file may ask for: a scene out of these limits is refused by the name of its field, before anything is built.
//!
//! The limits are by the names of fields, wherever they stand in the file, so that they apply to whatever the format grows. They
//! keep out what no campaign writes and nobody waits for: runs of days, meshes that fill the memory, lengths whose squares are no
//! numbers. What is merely wrong (a negative thickness) is for the solver to refuse.

use serde_json::Value;

/// Greatest size of any number that has no limit of its own, seeds aside.
const MAX_SIZE: f64 = 1e12;

/// The most substeps of a whole run.
const MAX_RUN: f64 = 1e8;

/// Fields whose numbers are anything that fits.
const SEEDS: [&str; 3] = ["crumple", "permuted", "seed"];

/// Least and greatest value of numbers, by field; arrays of numbers by that of each.
const NUMBERS: [(&str, [f64; 2]); 9] = [
    ("dt", [f64::MIN_POSITIVE, 1e3]),
    ("frames", [1.0, 1e6]),
    ("substeps", [1.0, 1e4]),
    ("iterations", [1.0, 1e4]),
    ("detect_interval", [1.0, 1e4]),
    ("vertices", [1.0, 500.0]),
    ("rings", [1.0, 250.0]),
    ("anchors", [0.0, 1e3]),
    ("steps", [0.0, 1e6]),
];

/// Least and greatest length of lists, by field.
const LISTS: [(&str, [usize; 2]); 4] =
    [("cloths", [1, 100]), ("colliders", [0, 1000]), ("bodies", [0, 1000]), ("script", [0, 1_000_000])];

/// Checks the text of a replay file before its scene is read.
///
/// # Errors
/// If the text is no JSON, or a field is out of its limits: a sentence that names the field and the limits.
pub fn check_limits(text: &str) -> Result<(), String> {
    let value: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    check("", "", &value)?;
    let at = |value: &Value, name: &str| value.get(name).and_then(Value::as_f64).unwrap_or(1.0);
    let run = at(&value, "frames") * value.get("settings").map_or(1.0, |settings| at(settings, "substeps"));
    if run > MAX_RUN {
        return Err(format!("`frames` times `settings.substeps` is {run:e}; at most {MAX_RUN:e} are run"));
    }
    Ok(())
}

/// Checks a value that stands at `path` under the field `field`.
fn check(path: &str, field: &str, value: &Value) -> Result<(), String> {
    match value {
        Value::Object(fields) => fields.iter().try_for_each(|(name, value)| {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            check(&path, name, value)
        }),
        Value::Array(values) => {
            check_length(path, field, values.len())?;
            values.iter().enumerate().try_for_each(|(i, value)| check(&format!("{path}[{i}]"), field, value))
        }
        Value::Number(number) => check_number(path, field, number.as_f64().unwrap_or(f64::NAN)),
        Value::Null | Value::Bool(_) | Value::String(_) => Ok(()),
    }
}

fn check_length(path: &str, field: &str, length: usize) -> Result<(), String> {
    match LISTS.iter().find(|(name, _)| *name == field) {
        Some((_, [least, most])) if !(least..=most).contains(&&length) => {
            Err(format!("`{path}` has {length} entries; {least} to {most} are allowed"))
        }
        _ => Ok(()),
    }
}

fn check_number(path: &str, field: &str, number: f64) -> Result<(), String> {
    let limits = NUMBERS.iter().find(|(name, _)| *name == field).map(|(_, limits)| *limits);
    match limits {
        // In single precision, as the solver has it: a number that rounds to 0 there is 0.
        Some([least, most]) if !(least..=most).contains(&f64::from(number as f32)) => {
            let least =
                if least == f64::MIN_POSITIVE { "more than 0".to_owned() } else { format!("from {least}") };
            Err(format!("`{path}` is {number}; {least} to {most} is allowed"))
        }
        None if !SEEDS.contains(&field) && !(-MAX_SIZE..=MAX_SIZE).contains(&number) => {
            Err(format!("`{path}` is {number}; numbers from -{MAX_SIZE:e} to {MAX_SIZE:e} are allowed"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::FuzzScene;

    /// The error about a scene of the campaign in which the value at a JSON pointer is another.
    fn error(pointer: &str, value: Value) -> String {
        let mut scene = serde_json::to_value(FuzzScene::of_seed(1)).expect("plain data");
        *scene.pointer_mut(pointer).expect("there is such a field") = value;
        check_limits(&scene.to_string()).expect_err("it is refused")
    }

    #[test]
    fn every_scene_of_the_campaign_is_within_the_limits() {
        for seed in 0..500 {
            let scene = FuzzScene::of_seed(seed);
            let text = serde_json::to_string(&scene).expect("plain data");
            assert_eq!(check_limits(&text), Ok(()), "seed {seed}");
        }
    }

    #[test]
    fn names_the_field_that_is_out_of_its_limits() {
        let cases = [
            (
                "/settings/substeps",
                4e9.into(),
                "`settings.substeps` is 4000000000; from 1 to 10000 is allowed",
            ),
            ("/settings/substeps", 0.into(), "`settings.substeps` is 0; from 1"),
            ("/frames", 4_000_000_000_u64.into(), "`frames` is 4000000000; from 1 to 1000000"),
            ("/frames", 0.into(), "`frames` is 0; from 1"),
            ("/dt", 0.into(), "`dt` is 0; more than 0 to 1000"),
            ("/dt", (-0.5).into(), "`dt` is -0.5"),
            ("/dt", 1e-60.into(), "`dt` is 0.000"),
            ("/cloths", Value::Array(vec![]), "`cloths` has 0 entries; 1 to 100"),
            (
                "/cloths/0/at/1",
                1e30.into(),
                "`cloths[0].at[1]` is 1000000000000000000000000000000; numbers from",
            ),
            ("/cloths/0/thickness", 1e39.into(), "`cloths[0].thickness`"),
        ];
        for (pointer, value, words) in cases {
            let error = error(pointer, value);
            assert!(error.starts_with(words), "{pointer}: {error}");
        }
    }

    #[test]
    fn refuses_a_mesh_that_fills_the_memory_and_a_run_that_has_no_end() {
        let form = serde_json::json!({ "sheet": { "vertices": [3, 4_000_000_000_u64], "spacing": 0.1 } });
        assert!(
            error("/cloths/0/form", form).starts_with("`cloths[0].form.sheet.vertices[1]` is 4000000000")
        );
        let mut scene = FuzzScene::of_seed(1);
        (scene.frames, scene.settings.substeps) = (1_000_000, 10_000);
        let text = serde_json::to_string(&scene).expect("plain data");
        assert!(check_limits(&text).expect_err("too long").contains("`frames` times `settings.substeps`"));
    }

    #[test]
    fn numbers_that_are_none_are_no_json() {
        let text = serde_json::to_string(&FuzzScene::of_seed(1)).expect("plain data");
        let dt = text.find("\"dt\":").expect("a field") + 5;
        let end = dt + text[dt..].find(',').expect("more fields");
        for word in ["NaN", "inf", "1e999"] {
            assert!(check_limits(&format!("{}{word}{}", &text[..dt], &text[end..])).is_err(), "{word}");
        }
    }
}
