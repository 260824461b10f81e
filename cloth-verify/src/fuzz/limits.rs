//! What a replay file may ask for: a scene out of these limits is refused by the name of its field, before
//! anything is built.
//!
//! The limits are by the names of fields, wherever they stand in the file, so that they apply to whatever the
//! format grows. They keep out what no campaign writes and nobody waits for: runs of days, meshes that fill
//! the memory, lengths whose squares are no numbers. What is merely wrong (a negative thickness) is for the
//! solver to refuse.

use serde_json::Value;

use super::scene::{FORMAT, FuzzScene};
use super::script::{ScriptCall, ScriptEntry, SettingsChange};

/// Greatest size of any number that has no limit of its own, seeds aside.
const MAX_SIZE: f64 = 1e12;

/// The most `vertices^2 * substeps` of a whole run, which bounds the pairs that are judged: about an hour.
const MAX_PAIRS: f64 = 1e10;

/// The most vertices of a scene.
const MAX_VERTICES: usize = 4_000;

/// Vertices of a body: a ball or a disc, whichever has more.
const BODY_VERTICES: usize = 42;

/// Fields whose numbers are anything that fits.
const SEEDS: [&str; 3] = ["jitter", "permutation_seed", "seed"];

/// Least and greatest value of numbers, by field; arrays of numbers by that of each.
const NUMBERS: [(&str, [f64; 2]); 23] = [
    ("candidate_slack", [0.0, 1e3]),
    ("dt", [f64::MIN_POSITIVE, 1e3]),
    ("steps", [1.0, 1e6]),
    ("substeps", [1.0, 1e4]),
    ("iterations", [1.0, 100.0]),
    ("detect_interval", [1.0, 1e4]),
    ("wind_interval", [1.0, 1e4]),
    ("stretch_cycles", [1.0, 100.0]),
    ("contact_iterations", [1.0, 100.0]),
    ("friction_iterations", [1.0, 100.0]),
    ("newton_iterations", [1.0, 100.0]),
    ("solver_iterations", [1.0, 1e4]),
    ("threads", [1.0, 8.0]),
    ("vertices", [1.0, 500.0]),
    ("rings", [1.0, 250.0]),
    ("sheets", [1.0, 100.0]),
    ("scale", [1e-6, 1e6]),
    ("grid", [1e-12, 1e6]),
    ("factor", [1e-3, 1e3]),
    ("detour", [0.0, 100.0]),
    ("count", [0.0, 1e4]),
    ("detect-interval", [1.0, 1e4]),
    ("explicit_steps", [1.0, 1e4]),
];

/// Least and greatest length of lists, by field.
const LISTS: [(&str, [usize; 2]); 11] = [
    ("cloths", [1, 100]),
    ("colliders", [0, 100]),
    ("bodies", [0, 100]),
    ("instances", [0, 100]),
    ("script", [0, 10_000]),
    ("rules", [0, 1000]),
    ("pins", [0, MAX_VERTICES]),
    ("attachments", [0, MAX_VERTICES]),
    ("stitches", [0, MAX_VERTICES]),
    ("exclusions", [0, MAX_VERTICES]),
    ("regions", [0, 1000]),
];

/// Reads the text of a replay file.
///
/// # Errors
/// If the text is not a scene, or asks for more than a replay may: a sentence that names the field and the
/// limits.
pub fn read_scene(text: &str) -> Result<FuzzScene, String> {
    let value: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let format = match value.get("format") {
        None if value.get("frames").is_some() => Some(1),
        format => format.and_then(Value::as_u64),
    };
    if let Some(format) = format.filter(|&format| format != u64::from(FORMAT)) {
        return Err(format!(
            "it has format {format}, and this version reads format {FORMAT}; run the campaign again to write \
             a new file"
        ));
    }
    check("", "", &value)?;
    let scene: FuzzScene = serde_json::from_str(text).map_err(|e| e.to_string())?;
    check_size(&scene)?;
    Ok(scene)
}

/// Checks that a scene is no longer to run than anybody waits.
fn check_size(scene: &FuzzScene) -> Result<(), String> {
    let of_cloths = scene.cloths.iter().map(|piece| piece.mesh.vertex_bound());
    let largest = of_cloths.clone().max().unwrap_or(0).max(BODY_VERTICES);
    let is_addition = |entry: &&ScriptEntry| matches!(entry.call, ScriptCall::Edit { .. });
    let copies = scene.instances.len() + scene.script.iter().filter(is_addition).count();
    let of_bodies = scene.bodies.iter().map(|_| BODY_VERTICES);
    let vertices =
        of_cloths.chain(of_bodies).chain([copies.saturating_mul(largest)]).fold(0, usize::saturating_add);
    if vertices > MAX_VERTICES {
        return Err(format!("the scene has up to {vertices} vertices; at most {MAX_VERTICES} are run"));
    }
    let runs = 1.0 + f64::from(u8::from(scene.repeat.is_some()) + u8::from(scene.variant.is_some()));
    // A step that fails is a step, and so is each of a detour.
    let calls = f64::from(scene.steps) + scene.script.len() as f64;
    let set = scene.script.iter().filter_map(|entry| match entry.call {
        ScriptCall::Set { setting: SettingsChange::Substeps(substeps) } => Some(substeps),
        _ => None,
    });
    let most = set.fold(scene.settings.substeps, u32::max);
    let substeps = runs * calls * f64::from(most);
    let pairs = substeps * (vertices as f64) * (vertices as f64);
    if pairs > MAX_PAIRS {
        return Err(format!(
            "`steps` times `settings.substeps` is too much for {vertices} vertices: {pairs:e} of \
             vertices^2 * substeps, and at most {MAX_PAIRS:e} are run"
        ));
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

    /// The error about a scene of the campaign in which the value at a JSON pointer is another.
    fn error(pointer: &str, value: Value) -> String {
        let mut scene = serde_json::to_value(FuzzScene::from_seed(1)).expect("plain data");
        *scene.pointer_mut(pointer).expect("there is such a field") = value;
        read_scene(&scene.to_string()).expect_err("it is refused")
    }

    #[test]
    fn every_scene_of_the_campaign_is_within_the_limits() {
        for seed in 0..500 {
            for scene in [FuzzScene::from_seed(seed), FuzzScene::long_from_seed(seed)] {
                let text = serde_json::to_string(&scene).expect("plain data");
                assert_eq!(read_scene(&text).as_ref(), Ok(&scene), "seed {seed}");
            }
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
            ("/steps", 4_000_000_000_u64.into(), "`steps` is 4000000000; from 1 to 1000000"),
            ("/steps", 0.into(), "`steps` is 0; from 1"),
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
            ("/format", 2.into(), "it has format 2, and this version reads format 6"),
            ("/threads", 9.into(), "`threads` is 9; from 1 to 8 is allowed"),
            ("/settings/threads", 9.into(), "`settings.threads` is 9; from 1 to 8 is allowed"),
        ];
        for (pointer, value, words) in cases {
            let error = error(pointer, value);
            assert!(error.starts_with(words), "{pointer}: {error}");
        }
    }

    #[test]
    fn refuses_meshes_and_runs_that_are_too_large() {
        let mesh = serde_json::json!({ "sheet": { "vertices": [3, 4_000_000_000_u64], "spacing": 0.1 } });
        assert!(
            error("/cloths/0/mesh", mesh).starts_with("`cloths[0].mesh.sheet.vertices[1]` is 4000000000")
        );
        let mesh = serde_json::json!({ "sheet": { "vertices": [400, 400], "spacing": 0.1 } });
        assert!(error("/cloths/0/mesh", mesh).contains("at most 4000 are run"));
        let mut scene = FuzzScene::from_seed(1);
        (scene.steps, scene.settings.substeps) = (1_000_000, 10_000);
        let text = serde_json::to_string(&scene).expect("plain data");
        assert!(read_scene(&text).expect_err("too long").contains("`steps` times `settings.substeps`"));
    }

    #[test]
    fn numbers_that_are_none_are_no_json() {
        let text = serde_json::to_string(&FuzzScene::from_seed(1)).expect("plain data");
        let dt = text.find("\"dt\":").expect("a field") + 5;
        let end = dt + text[dt..].find(',').expect("more fields");
        for word in ["NaN", "inf", "1e999"] {
            assert!(read_scene(&format!("{}{word}{}", &text[..dt], &text[end..])).is_err(), "{word}");
        }
    }

    #[test]
    fn a_file_of_an_older_format_is_refused_by_both_formats() {
        for (text, format) in [
            ("{\"dt\": 0.01, \"frames\": 3, \"settings\": {}}", 1),
            ("{\"format\": 5, \"settings\": {}}", 5),
            ("{\"format\": 3, \"settings\": {\"contacts\": \"none\", \"wind\": [[0, 0, 0], 0, 0]}}", 3),
        ] {
            let error = read_scene(text).expect_err("an older format");
            assert!(
                error
                    .starts_with(&format!("it has format {format}, and this version reads format {FORMAT};")),
                "{error}"
            );
        }
    }

    #[test]
    fn numbers_and_words_that_the_solver_refuses_are_refused() {
        for (pointer, value, words) in [
            ("/cloths/0/damping/global", (-1).into(), "must be zero or positive, and finite"),
            ("/settings/version", 1.into(), "settings of version 1; this program reads version 2"),
            ("/cloths/0/material", "paper".into(), "unknown variant `paper`"),
            ("/broad_phase", "guess".into(), "unknown variant `guess`"),
        ] {
            let error = error(pointer, value);
            assert!(error.contains(words), "{pointer}: {error}");
        }
    }
}
