//! What the runs of a sweep are: run by run the scene and its parameters.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use cloth_io::FileError;
use cloth_scene::{Scene, SceneSource, parse_toml, read_text};
use serde::Serialize;
use toml::{Table, Value};

use super::latin::LatinHypercube;
use super::spec::{Spec, Values};
use super::{Kind, RowKey, plan_id};
use crate::run::CachePlan;
use crate::{Failure, RunFiles};

/// The most parts of a key; no scene is as deep.
const MOST_PARTS: usize = 32;

/// Of the folder of a sweep and of the rows in it.
const FORMAT: u32 = 1;

/// A sweep: a scene, and the values of its parameters in each of many runs.
///
/// Runs are numbered: the first parameter of the file varies slowest, and every combination of those that are
/// not drawn has all samples of those that are.
#[derive(Clone, Debug)]
pub struct Sweep {
    pub(super) path: PathBuf,
    pub(super) spec: Spec,
    pub(super) source: SceneSource,
    scene: Table,
    values: Vec<Values>,
    hypercube: LatinHypercube,
    count: u64,
    /// What is compared before a folder is used again, and its name in rows.
    pub(super) plan: String,
    id: String,
}

/// The file `sweep.json` of a folder.
#[derive(Serialize)]
struct Plan<'a> {
    format: u32,
    cloth: &'a str,
    of: u64,
    sweep: &'a Spec,
    scene: &'a Table,
}

impl Sweep {
    /// Reads a sweep file and its scene, and checks the first run.
    ///
    /// # Errors
    /// If either cannot be read, if a parameter has no values or no such key is in the scene, or if there are
    /// too many runs.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let mut spec: Spec = parse_toml(path, &read_text(path)?)?;
        spec.check().map_err(|text| FileError::new(path, text))?;
        let scene_path = path.parent().unwrap_or(Path::new("")).join(&spec.scene);
        let scene_text = read_text(&scene_path)?;
        let scene: Table = parse_toml(&scene_path, &scene_text)?;
        let folder = scene_path.parent().unwrap_or(Path::new("")).to_path_buf();
        let (values, hypercube) = spec.values(path, &folder)?;
        let count = values.iter().try_fold(hypercube.samples(), |all, v| all.checked_mul(v.count()));
        let count = count.filter(|count| *count < 1 << 53);
        let count = count.ok_or_else(|| FileError::new(path, "has 2^53 runs or more; give fewer values"))?;
        let cloth = env!("CARGO_PKG_VERSION");
        let plan = Plan { format: FORMAT, cloth, of: count, sweep: &spec, scene: &scene };
        let plan = serde_json::to_string_pretty(&plan)
            .map_err(|e| FileError::new(path, format!("cannot be written as JSON: {e}")))?
            + "\n";
        let (id, source) = (plan_id(&plan), SceneSource::File(scene_path));
        let path = path.to_path_buf();
        let sweep = Self { path, spec, source, scene, values, hypercube, count, plan, id };
        sweep.check_keys().map_err(|text| FileError::new(&sweep.path, text))?;
        let first = sweep.scene(0).map_err(|error| match Scene::parse(sweep.source.path(), &scene_text) {
            // No value is to blame, and the line is known.
            Err(of_scene) if error.problem.ends_with(&of_scene.problem) => of_scene,
            _ => error,
        })?;
        sweep.caches(&first, Path::new("")).map_err(|e| FileError::new(&sweep.path, e.to_string()))?;
        Ok(sweep)
    }

    /// How many runs there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// How the row of a run begins.
    #[must_use]
    pub fn key(&self, number: u64) -> RowKey {
        RowKey { kind: Kind::Sweep, plan: self.id.clone(), number, of: self.count }
    }

    /// The keys of the scene that vary, and their values in a run below [`Self::count`].
    #[must_use]
    pub fn parameters(&self, number: u64) -> Vec<(&str, Value)> {
        let (mut rest, sample) = (number / self.hypercube.samples(), number % self.hypercube.samples());
        let mut found: Vec<(&str, Value)> = Vec::new();
        for (parameter, values) in self.spec.parameters.iter().zip(&self.values).rev() {
            let place = rest % values.count();
            rest /= values.count();
            let value = match values {
                Values::List(list) => list[place as usize].clone(),
                Values::Even(bounds, count) => bounds.even(place, *count),
                Values::Drawn(bounds, dimension) => bounds.drawn(self.hypercube.share(sample, *dimension)),
            };
            found.push((&parameter.key, value));
        }
        found.reverse();
        found
    }

    /// Refuses keys of which one is lost: the same twice, a key of what another sets, one that runs ignore.
    fn check_keys(&self) -> Result<(), String> {
        let (mut table, mut found) = (self.scene.clone(), Vec::new());
        for (key, value) in self.parameters(0) {
            // Equal keys are refused below, and what is in a value that another sets does not count.
            let path = set(&mut table, key, value)?;
            if path[0] == "output" || path == ["contacts", "file"] {
                return Err(format!("parameter key `{key}`: what a run writes is said by `outputs`"));
            }
            found.push((path, key));
        }
        found.sort();
        match found.windows(2).find(|pair| pair[1].0.starts_with(&pair[0].0)) {
            Some([(_, one), (_, other)]) => Err(format!("parameter keys `{one}` and `{other}` set the same")),
            _ => Ok(()),
        }
    }

    /// What a run of a scene writes to a folder, none of it twice.
    pub(super) fn caches(&self, scene: &Scene, folder: &Path) -> Result<(CachePlan, RunFiles), Failure> {
        let (plan, mut files) = (self.spec.caches(folder).map_err(Failure::new)?, RunFiles::default());
        plan.add_to(&mut files, &scene.garment_names(&self.source), 0);
        files.check().map(|()| (plan, files))
    }

    /// A text without the folder of the scene and that of a run, which are others on every machine.
    pub(super) fn without_folders(&self, text: &str, part: &Path) -> String {
        let scene = self.source.path().parent().unwrap_or(Path::new(""));
        [part, scene].into_iter().fold(text.to_owned(), |text, folder| {
            // As errors have it, which join white space.
            let name = folder.display().to_string().split_whitespace().collect::<Vec<_>>().join(" ") + "/";
            let is_inside = |c: char| !c.is_whitespace() && !"\"'`(".contains(c);
            let places = text.match_indices(&name).filter(|(at, _)| !text[..*at].ends_with(is_inside));
            let (mut rest, mut without) = (0, String::new());
            for (at, name) in places.filter(|(_, name)| name.len() > 1) {
                without += &text[rest..at];
                rest = at + name.len();
            }
            without + &text[rest..]
        })
    }

    /// The scene of a run below [`Self::count`].
    ///
    /// # Errors
    /// If the scene has no such key, or refuses its value.
    pub fn scene(&self, number: u64) -> Result<Scene, FileError> {
        let (mut table, mut said) = (self.scene.clone(), String::new());
        for (key, value) in self.parameters(number) {
            // Writing to a string cannot fail.
            let _ = write!(said, "{}{key} = {value}", if said.is_empty() { "" } else { ", " });
            set(&mut table, key, value).map_err(|text| FileError::new(self.source.path(), text))?;
        }
        let text = table.to_string();
        let scene = Scene::parse(self.source.path(), &text).map_err(|error| {
            // Its line is that of a text that nobody sees.
            let problem =
                if said.is_empty() { error.problem } else { format!("with {said}: {}", error.problem) };
            FileError::new(&error.path, problem)
        })?;
        // A run writes what the sweep says, and keeps no contacts for others.
        Ok(Scene { output: None, contact_file: None, ..scene })
    }
}

/// Sets a value of a scene at the path of its key, and gives that path with numbers instead of names. The error
/// is a sentence.
fn set(table: &mut Table, key: &str, value: Value) -> Result<Vec<String>, String> {
    let refuse =
        |text: String| format!("parameter key `{}`: {text}", key.chars().take(80).collect::<String>());
    let parts: Vec<&str> = key.split('.').collect();
    if parts.len() > MOST_PARTS {
        return Err(refuse(format!("has {} parts, more than {MOST_PARTS}", parts.len())));
    }
    let (mut path, mut whole) = (Vec::new(), Value::Table(std::mem::take(table)));
    let mut place = Ok(&mut whole);
    for (k, part) in parts.iter().enumerate() {
        let is_last = k + 1 == parts.len();
        let new = || if is_last { Value::Boolean(false) } else { Value::Table(Table::new()) };
        place = place.and_then(|place| {
            let (name, place) = member(place, part, new).map_err(refuse)?;
            path.push(name);
            Ok(place)
        });
    }
    let set = place.map(|place| *place = value);
    if let Value::Table(inner) = whole {
        *table = inner;
    }
    set.map(|()| path)
}

/// What a table has under a name, made `new` if there is nothing, or what a list has under a number or a name;
/// with that name, or its number.
fn member<'a>(
    place: &'a mut Value,
    part: &str,
    new: impl Fn() -> Value,
) -> Result<(String, &'a mut Value), String> {
    match place {
        _ if part.is_empty() => Err("a part of it is empty".into()),
        Value::Table(inner) => Ok((part.to_owned(), inner.entry(part).or_insert_with(new))),
        Value::Array(list) => {
            let count = list.len();
            let is_it = |item: &Value| item.get("name").and_then(Value::as_str) == Some(part);
            let number = part.parse().ok().filter(|number: &usize| number.to_string() == part);
            let number = number.or_else(|| list.iter().position(is_it));
            let found = number.and_then(|number| Some((number.to_string(), list.get_mut(number)?)));
            found.ok_or_else(|| format!("nothing in the list of {count} has the number or name `{part}`"))
        }
        _ => Err(format!("the scene has no table that `{part}` could be in; write one there")),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    const SCENE: &str = "[settings]\nfriction = 0.5\n[[garment]]\nname = \"a.b\"\nmesh = \"a.obj\"\n\
                         [[garment]]\nname = \"cape\"\nmesh = \"b.obj\"\ntranslate = [0, 1, 2]\n";

    fn sweep(parameters: &str) -> Result<Sweep, String> {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("scene.toml"), SCENE).unwrap();
        for name in ["c.obj", "a.obj"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        let path = dir.path().join("sweep.toml");
        fs::write(&path, format!("scene = \"scene.toml\"\n{parameters}")).unwrap();
        Sweep::read(&path).map_err(|error| error.problem)
    }

    fn values(sweep: &Sweep) -> Vec<String> {
        let all = (0..sweep.count()).map(|number| {
            let values = sweep.parameters(number).into_iter().map(|(_, value)| value.to_string());
            values.collect::<Vec<_>>().join(" ")
        });
        all.collect()
    }

    #[test]
    fn the_example_of_every_key_has_the_runs_that_it_says() {
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/sweep.toml");
        let sweep = Sweep::read(&example).unwrap();
        assert_eq!(sweep.count(), 120);
        let all: BTreeSet<String> = values(&sweep).into_iter().collect();
        assert_eq!(all.len(), 120);
        let scenes: Vec<Scene> = (0..120).map(|number| sweep.scene(number).unwrap()).collect();
        assert!(scenes.iter().all(|scene| (0.1..0.9).contains(&scene.friction.unwrap())));
        let substeps: BTreeSet<u32> = scenes.iter().map(|scene| scene.settings.substeps).collect();
        assert!(substeps.len() > 10 && substeps.range(..8).chain(substeps.range(25..)).count() == 0);
        let thickness = |scene: &Scene| scene.garments[0].thickness.unwrap();
        let thin = scenes.iter().filter(|scene| thickness(scene) < 2e-3).count();
        assert_eq!(thin, 60, "half of the logarithms");
    }

    #[test]
    fn an_error_of_the_scene_itself_has_its_line() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("scene.toml"), SCENE.replace("friction", "frictoin")).unwrap();
        let path = dir.path().join("sweep.toml");
        fs::write(&path, "scene = \"scene.toml\"\n[[parameter]]\nkey = \"settings.gate\"\nvalues = [true]\n")
            .unwrap();
        let error = Sweep::read(&path).unwrap_err().to_string();
        assert!(error.contains("scene.toml:2:1: unknown key `frictoin`"), "{error}");
    }

    #[test]
    fn the_first_parameter_varies_slowest_and_whole_numbers_stay_whole() {
        let both = "[[parameter]]\nkey = \"settings.friction\"\nfrom = 0.0\nto = 1.0\ncount = 3\n\
                    [[parameter]]\nkey = \"settings.substeps\"\nfrom = 4\nto = 9\ncount = 3\n";
        let found = values(&sweep(both).unwrap());
        let expected = ["0.0 4", "0.0 7", "0.0 9", "0.5 4", "0.5 7", "0.5 9", "1.0 4", "1.0 7", "1.0 9"];
        assert_eq!(found, expected);
        assert_eq!(values(&sweep("").unwrap()), [""], "a scene alone is one run");
    }

    #[test]
    fn a_key_may_be_one_that_the_scene_leaves_out() {
        let one = |key: &str, value: &str| {
            let sweep = sweep(&format!("[[parameter]]\nkey = \"{key}\"\nvalues = [{value}]\n"))?;
            sweep.scene(0).map_err(|error| error.problem)
        };
        assert_eq!(one("settings.gate", "false").map(|scene| scene.settings.gate), Ok(false));
        assert_eq!(one("wind.velocity", "[1, 2, 3]").map(|scene| scene.settings.wind.velocity.y), Ok(2.0));
        assert_eq!(one("garment.cape.layer", "3").map(|scene| scene.garments[1].layer), Ok(Some(3)));
        assert_eq!(one("garment.1.translate.1", "7.5").map(|scene| scene.garments[1].translate[1]), Ok(7.5));
        for (key, value, words) in [
            ("settings.frictoin", "1", "with settings.frictoin = 1: unknown key `frictoin`"),
            ("garment.2.layer", "1", "the list of 2 has the number or name `2`"),
            ("garment.coat.layer", "1", "the number or name `coat`"),
            ("garment.0.mesh.x", "1", "no table that `x` could be in"),
            ("garment..mesh", "1", "a part of it is empty"),
            ("", "1", "a part of it is empty"),
            (&"a.".repeat(5000), "1", "more than 32"),
            ("settings.friction", "-1", "with settings.friction = -1"),
        ] {
            let error = one(key, value).unwrap_err();
            assert!(error.contains(words), "{key}: {error}");
        }
    }

    #[test]
    fn keys_that_set_the_same_are_refused() {
        for keys in [
            ["settings.friction", "settings.friction"],
            ["settings", "settings.friction"],
            ["garment.cape.layer", "garment.1.layer"],
            ["garment.1.layer", "garment.cape"],
        ] {
            let both = keys.map(|key| format!("[[parameter]]\nkey = \"{key}\"\nvalues = [1]\n"));
            let error = sweep(&both.concat()).unwrap_err();
            // A value in a number is refused before.
            assert!(error.contains("set the same") || error.contains("no table"), "{keys:?}: {error}");
        }
        for key in ["output.cache", "contacts.file"] {
            let error = sweep(&format!("[[parameter]]\nkey = \"{key}\"\nvalues = [\"a\"]\n")).unwrap_err();
            assert!(error.contains("is said by `outputs`"), "{error}");
        }
    }

    #[test]
    fn texts_lose_the_folder_where_a_path_begins() {
        let mut sweep = sweep("").unwrap();
        let of = |sweep: &Sweep, text: &str| sweep.without_folders(text, Path::new("/out/.0.x.part"));
        for (folder, text, expected) in [
            ("s", "s/meshes/bad.obj: s/ is \"s/b\"", "meshes/bad.obj:  is \"b\""),
            ("../sc", "../sc/../sc/none.obj: no", "../sc/none.obj: no"),
            ("/a  b", "frame 3: /a b/c.pc2: no", "frame 3: c.pc2: no"),
            ("", "/out/.0.x.part/c.pc2: s/x", "c.pc2: s/x"),
        ] {
            sweep.source = SceneSource::File(Path::new(folder).join("scene.toml"));
            assert_eq!(of(&sweep, text), expected);
        }
    }

    #[test]
    fn files_of_a_pattern_are_values_in_the_order_of_their_names() {
        let files = sweep("[[parameter]]\nkey = \"garment.0.mesh\"\nfiles = \"*.obj\"\n").unwrap();
        assert_eq!(values(&files), ["\"a.obj\"", "\"c.obj\""]);
        assert!(files.plan.contains("\"c.obj\"") && !files.plan.contains('*'));
        // However the folder is spelled.
        let dir = tempfile::tempdir_in(".").unwrap();
        fs::create_dir(dir.path().join("sub")).unwrap();
        for (name, text) in [("sub/scene.toml", SCENE), ("sub/a.obj", "")] {
            fs::write(dir.path().join(name), text).unwrap();
        }
        let text =
            "scene = \"./sub/../sub/scene.toml\"\n[[parameter]]\nkey = \"garment.0.mesh\"\nfiles = \"a*\"\n";
        fs::write(dir.path().join("sweep.toml"), text).unwrap();
        let name = dir.path().file_name().unwrap();
        for path in [Path::new("."), Path::new("")] {
            let sweep = Sweep::read(&path.join(name).join("sweep.toml")).unwrap();
            assert_eq!(values(&sweep), ["\"a.obj\""]);
        }
        let none = sweep("[[parameter]]\nkey = \"garment.0.mesh\"\nfiles = \"*.ply\"\n").unwrap_err();
        assert!(none.contains("no file fits"), "{none}");
    }

    #[test]
    fn a_sweep_that_says_nothing_or_too_much_is_refused() {
        let key = "[[parameter]]\nkey = \"settings.friction\"\n";
        for (text, words) in [
            (key.to_owned(), "either `values`, or `files`, or `from`"),
            (format!("{key}values = []\n"), "either `values`"),
            (format!("{key}values = [1]\nfrom = 1\n"), "either `values`"),
            (format!("{key}from = 1\n"), "either `values`"),
            (format!("{key}from = 0.5\nto = 1\n"), "say how often by `samples`"),
            (format!("samples = 0\n{key}from = 0.5\nto = 1\n"), "must be at least 1"),
            (format!("samples = 5000000000\n{key}from = 0.5\nto = 1\n"), "must be at most 100000000"),
            (format!("samples = 2\n{key}values = [1]\n"), "there is none"),
            (format!("{key}from = 0\nto = 1\ncount = 0\n"), "`count` must be at least 1"),
            (format!("{key}from = 2\nto = 1\ncount = 2\n"), "`from` must be at most `to`"),
            (format!("{key}from = nan\nto = 1\ncount = 2\n"), "`from` must be at most `to`"),
            (format!("{key}from = \"a\"\nto = 1\ncount = 2\n"), "must be numbers"),
            (format!("{key}from = 0\nto = 1\ncount = 2\nscale = \"log\"\n"), "begins above 0"),
            (format!("{key}from = 0\nto = 9007199254740993\ncount = 2\n"), "below 2^53"),
            (
                format!(
                    "{key}from = 0.0\nto = 1.0\ncount = 9007199254740991\n[[parameter]]\nkey = \"settings.substeps\"\nvalues = [1, 2]\n"
                ),
                "has 2^53 runs",
            ),
            (format!("{key}from = 1\nto = 2\ncount = 3\n"), "fewer whole numbers than 3"),
            (format!("{key}values = [nan]\n"), "must be finite"),
            (format!("{key}values = [[1, {{ a = 2001-01-01 }}]]\n"), "no dates"),
            ("max_depth = nan\n".to_owned(), "`max_depth` must be 0 or positive"),
            ("max_depth = -1.0\n".to_owned(), "`max_depth` must be 0 or positive"),
            ("outputs = [\"a.pc2\", \"A.pc2\"]\n".to_owned(), "is there twice"),
            ("outputs = [\"a\\u0000.pc2\"]\n".to_owned(), "must be the name of a file"),
            ("outputs = [\"a.glb\"]\n".to_owned(), "writes no GLB files"),
            ("outputs = [\"a/b.pc2\"]\n".to_owned(), "must be the name of a file"),
            ("outputs = [\"row.json\"]\n".to_owned(), "must be the name of a file"),
            ("outputs = [\"a.xyz\"]\n".to_owned(), "is not a cache format"),
            ("smaples = 1\n".to_owned(), "did you mean `samples`?"),
        ] {
            let error = sweep(&text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
