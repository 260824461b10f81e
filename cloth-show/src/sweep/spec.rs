//! The file of a sweep: a scene, what varies in it, and what is written of each run.

use std::path::{Component, Path, PathBuf};

use cloth_io::FileError;
use cloth_scene::Units;
use serde::{Deserialize, Serialize};
use toml::Value;

use super::latin::LatinHypercube;
use crate::run::{CachePlan, Format, Limits};

/// What a sweep file says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spec {
    /// The scene file, relative to the folder of this one.
    pub(super) scene: PathBuf,
    /// Files that each run writes to its folder, by the formats of `cloth simulate --out`.
    #[serde(default)]
    pub(super) outputs: Vec<PathBuf>,
    /// Their unit and axes.
    #[serde(default)]
    pub(super) units: Units,
    /// Intersections of cloth up to which the last frame is accepted.
    #[serde(default)]
    pub(super) allow: u64,
    /// Intersections of cloth up to which there is a first frame; none: unless the start is hopeless.
    pub(super) allow_start: Option<u64>,
    /// Depth (m) of a face in a body that is accepted; the thickness by default.
    pub(super) max_depth: Option<f64>,
    /// How many values are drawn of each parameter that is drawn.
    pub(super) samples: Option<u64>,
    /// Of the values that are drawn.
    #[serde(default)]
    pub(super) seed: u64,
    #[serde(default, rename = "parameter")]
    pub(super) parameters: Vec<Parameter>,
}

/// A key of the scene that varies: over `values`, over the `files` of a pattern, over `count` values evenly
/// from `from` to `to`, or, without `count`, over values that are drawn between them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameter {
    /// The path of the key in the scene file, `garment.0.material`; tables of a list by number or by `name`.
    pub(super) key: String,
    values: Option<Vec<Value>>,
    files: Option<String>,
    from: Option<Value>,
    to: Option<Value>,
    count: Option<u64>,
    #[serde(default)]
    scale: Scale,
}

/// How values lie between two bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Scale {
    #[default]
    Linear,
    Log,
}

/// The values of a parameter.
#[derive(Clone, Debug)]
pub(super) enum Values {
    List(Vec<Value>),
    Even(Bounds, u64),
    /// Drawn; with the number of its dimension.
    Drawn(Bounds, usize),
}

/// Two bounds, whole numbers if both are written so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    ends: [f64; 2],
    is_whole: bool,
    scale: Scale,
}

/// The most letters of the name of an output: file systems take 255 bytes, with what is temporary.
const MOST_LETTERS: usize = 100;

/// The most runs of a sweep, and bounds that are whole numbers: doubles hold all of them.
const MOST: u64 = 1 << 53;

impl Spec {
    /// The values of all parameters, and how many are drawn; `path` names the file in errors, and `scene` is
    /// the folder that files are relative to.
    ///
    /// # Errors
    /// If a parameter has none or several kinds of values, or none of them is there.
    pub(super) fn values(
        &mut self,
        path: &Path,
        scene: &Path,
    ) -> Result<(Vec<Values>, LatinHypercube), FileError> {
        let mut drawn = 0;
        let values = self.parameters.iter_mut().map(|parameter| {
            let values = parameter.values(scene, &mut drawn);
            values.map_err(|text| {
                FileError::new(path, format!("[[parameter]] with key `{}`: {text}", parameter.key))
            })
        });
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let samples = match (self.samples, drawn) {
            (Some(0), _) => return Err(FileError::new(path, "`samples` must be at least 1")),
            (Some(samples), 1..) => samples,
            (None, 0) => 1,
            (None, _) => {
                let text = "a parameter with `from` and `to` alone is drawn: say how often by `samples`, or \
                            give it a `count`";
                return Err(FileError::new(path, text));
            }
            (Some(_), 0) => {
                let text =
                    "`samples` is of parameters with `from` and `to` but no `count`, and there is none";
                return Err(FileError::new(path, text));
            }
        };
        let hypercube = LatinHypercube::new(self.seed, samples, drawn)
            .map_err(|text| FileError::new(path, format!("`samples` {text}")))?;
        Ok((values, hypercube))
    }

    /// Refuses numbers and names that no run could do anything with. The error is a sentence.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.scene.as_os_str().is_empty() {
            return Err("`scene` names no file".into());
        }
        if self.max_depth.is_some_and(|depth| !(depth.is_finite() && depth >= 0.0)) {
            return Err("`max_depth` must be 0 or positive, and finite".into());
        }
        let lower: Vec<String> = self.outputs.iter().map(|n| n.to_string_lossy().to_lowercase()).collect();
        for (k, (output, name)) in self.outputs.iter().zip(&lower).enumerate() {
            let is_plain = output.file_name() == Some(output.as_os_str()) && name != "row.json";
            if !is_plain || name.chars().any(char::is_control) || name.len() > MOST_LETTERS {
                return Err(format!("`outputs`: {name:?} must be the name of a file, such as cloth.pc2"));
            }
            if lower[..k].contains(name) {
                return Err(format!("`outputs`: {name:?} is there twice; name another"));
            }
            if name.ends_with(".glb") {
                return Err("`outputs`: a sweep writes no GLB files; name a cache or a mesh".into());
            }
        }
        Ok(())
    }

    /// What a run writes to its folder. The error is a sentence.
    pub(super) fn caches(&self, folder: &Path) -> Result<CachePlan, String> {
        let cache = |name: &PathBuf| Ok((folder.join(name), Format::from_path(name, None)?));
        let caches = self.outputs.iter().map(cache).collect::<Result<_, String>>();
        Ok(CachePlan { caches: caches.map_err(|text| format!("`outputs`: {text}"))?, units: self.units })
    }

    pub(super) fn limits(&self) -> Limits {
        Limits { end: self.allow, start: self.allow_start, depth: self.max_depth, only_start: false }
    }
}

impl Parameter {
    /// Its values; those of a pattern become a list here, so that the plan names every file.
    fn values(&mut self, scene: &Path, drawn: &mut usize) -> Result<Values, String> {
        let Self { values, files, from, to, count, scale, .. } = self;
        match (values.clone(), files.take(), from.as_ref().zip(to.as_ref()), *count) {
            (Some(list), None, None, None) if !list.is_empty() && from.is_none() && to.is_none() => {
                match list.iter().all(is_plain) {
                    true => Ok(Values::List(list)),
                    false => Err("`values` must be finite numbers, texts, lists and tables; no dates".into()),
                }
            }
            (None, Some(pattern), None, None) if from.is_none() && to.is_none() => {
                let found = files_of(&pattern, scene)?;
                *values = Some(found.clone());
                Ok(Values::List(found))
            }
            (None, None, Some((from, to)), count) => {
                let bounds = Bounds::new([from, to], *scale)?;
                match count {
                    Some(0) => Err("`count` must be at least 1".into()),
                    Some(count)
                        if bounds.is_whole && count as f64 > bounds.ends[1] - bounds.ends[0] + 1.0 =>
                    {
                        Err(format!("there are fewer whole numbers than {count}; write them with a point"))
                    }
                    Some(count) => Ok(Values::Even(bounds, count)),
                    None => {
                        *drawn += 1;
                        Ok(Values::Drawn(bounds, *drawn - 1))
                    }
                }
            }
            _ => Err("give it either `values`, or `files`, or `from` and `to`, the last with or without \
                      `count`"
                .into()),
        }
    }
}

/// Whether a value says the same in a scene and in a row: JSON has no infinite numbers and no dates.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Float(number) => number.is_finite(),
        Value::Datetime(_) => false,
        Value::Array(list) => list.iter().all(is_plain),
        Value::Table(table) => table.values().all(is_plain),
        _ => true,
    }
}

/// The files of a pattern, in their order, relative to the folder of the scene.
fn files_of(pattern: &str, scene: &Path) -> Result<Vec<Value>, String> {
    // As the search spells it, which leaves `./` out.
    let base: PathBuf = scene.components().filter(|part| *part != Component::CurDir).collect();
    let place = Path::new(&glob::Pattern::escape(&base.to_string_lossy())).join(pattern);
    let found = glob::glob(&place.to_string_lossy()).map_err(|e| format!("`files`: {e}"))?;
    let mut files = Vec::new();
    for file in found {
        let file = file.map_err(|e| format!("`files`: {e}"))?;
        let name = if Path::new(pattern).is_absolute() { Ok(&*file) } else { file.strip_prefix(&base) };
        let name = name.ok().and_then(Path::to_str);
        let fault = || format!("`files`: {}: cannot be named in UTF-8; rename it", file.display());
        files.push(name.ok_or_else(fault)?.into());
    }
    match files.is_empty() {
        true => Err(format!("`files`: no file fits {pattern:?} in {}", scene.display())),
        false => Ok(files),
    }
}

impl Values {
    /// How many of the grid there are; a drawn one is of no grid.
    pub(super) fn count(&self) -> u64 {
        match self {
            Self::List(list) => list.len() as u64,
            Self::Even(_, count) => *count,
            Self::Drawn(..) => 1,
        }
    }
}

impl Bounds {
    fn new(ends: [&Value; 2], scale: Scale) -> Result<Self, String> {
        let number = |end: &Value| end.as_integer().map(|whole| whole as f64).or_else(|| end.as_float());
        let [Some(from), Some(to)] = ends.map(number) else {
            return Err("`from` and `to` must be numbers".into());
        };
        let is_whole = ends.iter().all(|end| end.is_integer());
        match scale {
            _ if !(from.is_finite() && to.is_finite() && from <= to) => {
                Err(format!("`from` must be at most `to`, found {from} and {to}"))
            }
            Scale::Log if from <= 0.0 => Err(format!("a logarithmic scale begins above 0, found {from}")),
            _ if is_whole && from.abs().max(to.abs()) >= MOST as f64 => {
                Err("whole numbers must be below 2^53; write them with a point".into())
            }
            _ => Ok(Self { ends: [from, to], is_whole, scale }),
        }
    }

    /// Value `k` of `count` evenly from the first to the last bound.
    pub(super) fn even(&self, k: u64, count: u64) -> Value {
        let [from, to] = self.ends;
        match (k, count - 1) {
            (0, _) => self.value(from),
            (k, last) if k == last => self.value(to),
            (k, last) => self.value(self.between(k as f64 / last as f64)),
        }
    }

    /// The value at a share of the way, from 0 to below 1, of which every whole number has as much.
    pub(super) fn drawn(&self, share: f64) -> Value {
        let [from, to] = self.ends;
        match (self.is_whole, self.scale) {
            (true, Scale::Linear) => self.value((from + (to - from + 1.0) * share).floor().min(to)),
            _ => self.value(self.between(share)),
        }
    }

    fn between(&self, share: f64) -> f64 {
        let [from, to] = self.ends;
        match self.scale {
            Scale::Linear => from + (to - from) * share,
            // The same bits on every machine.
            Scale::Log => libm::exp(libm::log(from) + (libm::log(to) - libm::log(from)) * share),
        }
        .clamp(from, to)
    }

    fn value(&self, number: f64) -> Value {
        match self.is_whole {
            true => Value::Integer(number.round() as i64),
            false => Value::Float(number),
        }
    }
}
