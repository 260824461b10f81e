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
        let scene_path = path.parent().unwrap_or(Path::new("")).join(&spec.scene);
        let scene: Table = parse_toml(&scene_path, &read_text(&scene_path)?)?;
        let folder = scene_path.parent().unwrap_or(Path::new("")).to_path_buf();
        let (values, hypercube) = spec.values(path, &folder)?;
        spec.caches(path, Path::new(""))?;
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
        sweep.scene(0)?;
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

    /// A text without the folder of the scene, which is another on every machine.
    pub(super) fn without_folder(&self, text: &str) -> String {
        match self.source.path().parent().map(|folder| folder.display().to_string()) {
            Some(folder) if !folder.is_empty() => text.replace(&(folder + "/"), ""),
            _ => text.to_owned(),
        }
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
            set(&mut table, key, value).map_err(|text| FileError::new(&self.path, text))?;
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

/// Sets a value of a scene at the path of its key. The error is a sentence.
fn set(table: &mut Table, key: &str, value: Value) -> Result<(), String> {
    let refuse = |text: String| format!("parameter key `{key}`: {text}");
    let (parents, last) = key.rsplit_once('.').unwrap_or(("", key));
    let mut place = Value::Table(std::mem::take(table));
    let found = parents.split('.').filter(|_| !parents.is_empty()).try_fold(&mut place, |place, part| {
        member(place, part, || Value::Table(Table::new())).map_err(refuse)
    });
    let set = found.and_then(|place| member(place, last, || Value::Boolean(false)).map_err(refuse));
    let set = set.map(|place| *place = value);
    if let Value::Table(inner) = place {
        *table = inner;
    }
    set
}

/// What a table has under a name, made `new` if there is nothing, or what a list has under a number or a name.
fn member<'a>(place: &'a mut Value, part: &str, new: impl Fn() -> Value) -> Result<&'a mut Value, String> {
    match place {
        _ if part.is_empty() => Err("a part of it is empty".into()),
        Value::Table(inner) => Ok(inner.entry(part).or_insert_with(new)),
        Value::Array(list) => {
            let count = list.len();
            let is_it = |item: &Value| item.get("name").and_then(Value::as_str) == Some(part);
            let index = part.parse().ok().or_else(|| list.iter().position(is_it));
            let item = index.and_then(|index: usize| list.get_mut(index));
            item.ok_or_else(|| format!("nothing in the list of {count} has the number or name `{part}`"))
        }
        _ => Err(format!("the scene has no table that `{part}` could be in; write one there")),
    }
}
