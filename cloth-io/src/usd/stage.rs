//! The meshes of a layer as one mesh, and its states.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use nalgebra::Point3;

use super::{
    MOST_HELD,
    layer::{Attribute, Layer, Prim, SHAPES},
    sampled::{Sampled, precision},
    scan::{Fault, Scan, Scanner, array, refuse, vector},
    xform::Xform,
};
use crate::{
    FileError, Group, LoadedMesh,
    format::split_prim,
    polygon::{Cut, DEGENERATE, too_large, triangulate},
    quoted, read_file,
};

/// What USD takes where a layer does not say it.
const FALLBACK_UNIT: f64 = 0.01;
const FALLBACK_RATE: f64 = 24.0;

/// Meshes that are named in an error, at most.
const NAMED: usize = 6;

/// The meshes of a USD layer as one, with its states.
#[derive(Debug)]
pub struct UsdMesh {
    /// The first state, in metres, y up; each mesh is a group.
    pub loaded: LoadedMesh,
    path: PathBuf,
    text: Vec<u8>,
    stage: Stage,
}

/// What a layer has on its stage.
#[derive(Debug)]
struct Stage {
    parts: Vec<Part>,
    space: Space,
    /// Time codes of the states; empty if nothing moves.
    times: Vec<f64>,
    cuts: Vec<usize>,
    rate: f64,
}

/// A mesh.
#[derive(Debug)]
struct Part {
    path: String,
    points: Sampled,
    /// Points of the first state; none before it was read.
    count: Option<usize>,
    xform: Xform,
}

/// How the space of a stage becomes metres, y up.
#[derive(Clone, Copy, Debug)]
struct Space {
    metres_per_unit: f64,
    is_z_up: bool,
}

impl UsdMesh {
    /// Reads the meshes of a layer; `stage.usda#/World/shirt` or `stage.usda#shirt` names a prim, of which
    /// and below which they are.
    ///
    /// # Errors
    /// If the file cannot be read, is not a flat text layer, or has no such mesh, or one that is not valid.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let (file, prim) = split_prim(path);
        let text = read_file(path)?;
        let (stage, loaded) = Stage::read(&text, prim).map_err(|fault| fault.in_file(file, &text))?;
        Ok(Self { loaded, path: file.to_path_buf(), text, stage })
    }

    /// How many states there are, at least 1.
    #[must_use]
    pub fn state_count(&self) -> usize {
        self.stage.times.len().max(1)
    }

    /// The time code of a state; none if nothing moves.
    #[must_use]
    pub fn time_code(&self, state: usize) -> Option<f64> {
        self.stage.times.get(state).copied()
    }

    /// Time codes a second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.stage.rate
    }

    /// The states that a cut leads to.
    #[must_use]
    pub fn cuts(&self) -> &[usize] {
        &self.stage.cuts
    }

    /// The positions (m, y up) of a state, counted from 0.
    ///
    /// # Errors
    /// If there is no such state, or a mesh has not its points in it.
    pub fn read_frame(&self, state: usize) -> Result<Vec<Point3<f64>>, FileError> {
        if state >= self.state_count() {
            let text = format!("has no frame {state}, only {}, counted from 0", self.state_count());
            return Err(FileError::new(&self.path, text));
        }
        let Stage { parts, space, .. } = &self.stage;
        let time = self.time_code(state).unwrap_or_default();
        let mut positions = Vec::with_capacity(self.loaded.mesh.positions.len());
        for part in parts {
            let read = part.positions(&self.text, time, *space);
            positions.extend(read.map_err(|fault| fault.in_file(&self.path, &self.text))?);
        }
        Ok(positions)
    }
}

impl Fault {
    fn in_file(self, path: &Path, text: &[u8]) -> FileError {
        let before = text.get(..self.at).unwrap_or(text);
        FileError::at_line(path, 1 + memchr::memchr_iter(b'\n', before).count(), self.problem)
    }
}

impl Space {
    fn read(layer: &Layer, text: &[u8], notes: &mut Vec<String>) -> Scan<Self> {
        let scanner = |name: &str| layer.metadata.get(name).map(|value| Scanner::new(text, value.clone()));
        let metres_per_unit = match scanner("metersPerUnit") {
            Some(mut value) => match value.clone().number() {
                Ok(unit) if unit > 0.0 && unit.is_finite() => unit,
                _ => return value.fail("metersPerUnit is no positive number"),
            },
            None => {
                notes.push(format!("says no metersPerUnit: {FALLBACK_UNIT}, as USD takes it then"));
                FALLBACK_UNIT
            }
        };
        let up = scanner("upAxis").map_or(Ok("Y".to_owned()), |mut value| value.string())?;
        let is_z_up = match up.as_str() {
            "Y" => false,
            "Z" => true,
            _ => return refuse(0, format!("has upAxis {}; it must be Y or Z", quoted(&up))),
        };
        if metres_per_unit != 1.0 || is_z_up {
            let text = "positions are converted to metres, y up";
            notes.push(format!("{text}, from metersPerUnit = {metres_per_unit}, upAxis = {up}"));
        }
        Ok(Self { metres_per_unit, is_z_up })
    }

    fn metres(&self, p: Point3<f64>) -> Point3<f64> {
        let p = if self.is_z_up { Point3::new(p.x, p.z, -p.y) } else { p };
        if self.metres_per_unit == 1.0 { p } else { p * self.metres_per_unit }
    }
}

impl Stage {
    fn read(text: &[u8], prim: Option<&str>) -> Scan<(Self, LoadedMesh)> {
        let layer = Layer::parse(text)?;
        let mut builder = Builder::default();
        let space = Space::read(&layer, text, &mut builder.loaded.notes)?;
        let rate = |name: &str| {
            let value = layer.metadata.get(name).map(|value| Scanner::new(text, value.clone()).number());
            value.and_then(Result::ok).filter(|rate| *rate > 0.0 && rate.is_finite())
        };
        let rate = rate("timeCodesPerSecond").or_else(|| rate("framesPerSecond")).unwrap_or(FALLBACK_RATE);
        let chosen = chosen(&layer, text, prim, &mut builder.loaded.notes)?;
        let mut parts = Vec::new();
        for &prim in &chosen {
            parts.push(Part::read(&layer.prims, prim, text)?);
        }
        let (times, cuts) = times(&parts, text);
        let first = times.first().copied().unwrap_or_default();
        for (part, &prim) in parts.iter_mut().zip(&chosen) {
            part.count = Some(builder.append(part, &layer.prims[prim], text, first, space)?);
        }
        Ok((Self { parts, space, times, cuts, rate }, builder.finish()?))
    }
}

/// The prims of the meshes that are meant; of others a note.
fn chosen(layer: &Layer, text: &[u8], wanted: Option<&str>, notes: &mut Vec<String>) -> Scan<Vec<usize>> {
    let is_wanted = |prim: &Prim| {
        wanted.is_none_or(|wanted| {
            // A separator of another system, as paths are spelled there.
            let wanted = wanted.replace('\\', "/");
            let (path, inner) = (format!("{}/", prim.path), wanted.trim_matches('/'));
            let inner = if inner.is_empty() { "/".to_owned() } else { format!("/{inner}/") };
            if wanted.starts_with('/') { path.starts_with(&inner) } else { path.contains(&inner) }
        })
    };
    let on_stage = || layer.prims.iter().enumerate().filter(|(_, prim)| prim.is_there);
    let (mut found, mut unseen, mut other) = (Vec::new(), 0, None);
    for (k, prim) in on_stage().filter(|(_, prim)| is_wanted(prim)) {
        match prim.kind.as_str() {
            "Mesh" if is_unseen(layer, text, k) => unseen += 1,
            "Mesh" => found.push(k),
            kind if SHAPES.contains(&kind) => other.get_or_insert((0, prim)).0 += 1,
            _ => {}
        }
    }
    if unseen > 0 {
        notes.push(format!("{unseen} meshes left out: invisible, or of the purpose guide or proxy"));
    }
    notes.extend(
        other.map(|(n, prim)| format!("{n} shapes that are no meshes left out, first {}", prim.path)),
    );
    if found.is_empty() {
        let meshes = on_stage().filter(|(_, prim)| prim.kind == "Mesh").map(|(_, prim)| prim.path.as_str());
        let named: Vec<&str> = meshes.clone().take(NAMED).collect();
        let more = meshes.count().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let wanted = wanted.map_or(String::new(), |wanted| format!(" at or below {}", quoted(wanted)));
        let all = if named.is_empty() {
            "it has none".into()
        } else {
            format!("it has {}{more}", named.join(", "))
        };
        return refuse(0, format!("has no mesh to read{wanted}; {all}"));
    }
    if let [first, _, ..] = *found.as_slice() {
        let first = &layer.prims[first].path;
        notes.push(format!("{} meshes are read as one; FILE#{first} names the first alone", found.len()));
    }
    Ok(found)
}

/// Whether a prim is not rendered: what is nearest above says its purpose, and whatever is invisible hides
/// all below.
fn is_unseen(layer: &Layer, text: &[u8], prim: usize) -> bool {
    let (mut next, mut purpose) = (Some(prim), None);
    while let Some(prim) = next.map(|k| &layer.prims[k]) {
        if token(prim, "visibility", text).is_some_and(|v| v == "invisible") {
            return true;
        }
        purpose = purpose.or_else(|| token(prim, "purpose", text));
        next = prim.parent;
    }
    purpose.is_some_and(|purpose| purpose == "guide" || purpose == "proxy")
}

fn token(prim: &Prim, name: &str, text: &[u8]) -> Option<String> {
    Scanner::new(text, prim.attributes.get(name)?.default.clone()?).string().ok()
}

/// The time codes of the states, and those that a cut leads to.
fn times(parts: &[Part], text: &[u8]) -> (Vec<f64>, Vec<usize>) {
    let values = || parts.iter().flat_map(Part::values).filter(|value| value.is_sampled);
    let mut all: Vec<f64> = values().flat_map(|value| value.samples.iter().map(|(time, _)| *time)).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    let (mut times, mut cuts) = (Vec::with_capacity(all.len()), Vec::new());
    for (k, &time) in all.iter().enumerate() {
        let gaps =
            k.checked_sub(1).zip(all.get(k + 1)).map(|(before, next)| [time - all[before], next - time]);
        let is_close = gaps.is_some_and(|[before, next]| next <= MOST_HELD && next <= 0.1 * before);
        // Whatever has a sample here has the same one before.
        let holds = |value: &Sampled| {
            let here = value.samples.binary_search_by(|(t, _)| t.total_cmp(&time)).ok();
            let value = |k: usize| &text[value.samples[k].1.clone()];
            here.is_none_or(|here| here > 0 && value(here) == value(here - 1))
        };
        if is_close && values().all(holds) {
            cuts.push(times.len());
        } else {
            times.push(time);
        }
    }
    (times, cuts)
}

impl Part {
    fn read(prims: &[Prim], prim: usize, text: &[u8]) -> Scan<Self> {
        let Prim { path, attributes, at, .. } = &prims[prim];
        let refuse = |what: &str| Err(Fault::new(*at, format!("{} {what}", quoted(path))));
        if attributes.keys().any(|name| name.starts_with("primvars:skel:")) {
            return refuse("is bound to a skeleton, which is not evaluated; bake its points");
        }
        let holes = attributes.get("holeIndices").map(|holes| constant(holes, text)).transpose()?.flatten();
        if holes.is_some_and(|holes| !holes.is_empty()) {
            return refuse("has holes (`holeIndices`), which are not read; delete these faces");
        }
        let points = attributes.get("points").filter(|points| points.kind.ends_with("[]"));
        let points = points.and_then(|points| Sampled::new(points, precision(&points.kind)));
        let Some(points) = points else {
            return refuse("has no points of single or double precision; export its mesh");
        };
        let xform = Xform::read(text, prims, prim)?;
        Ok(Self { path: path.clone(), points, count: None, xform })
    }

    /// All that its positions depend on.
    fn values(&self) -> impl Iterator<Item = &Sampled> {
        std::iter::once(&self.points).chain(self.xform.values())
    }

    /// Its positions (m, y up), at a time code.
    fn positions(&self, text: &[u8], time: f64, space: Space) -> Scan<Vec<Point3<f64>>> {
        let around = self.points.around(time);
        let read = |value: &Range<usize>| -> Scan<Vec<[f64; 3]>> {
            let refused =
                |fault: Fault| Fault::new(fault.at, format!("{}: points: {}", self.path, fault.problem));
            let mut points = array(text, value, vector::<3>).map_err(refused)?;
            points.iter_mut().flatten().for_each(|x| *x = self.points.rounded(*x));
            if let Some(count) = self.count.filter(|&count| count != points.len()) {
                let text = format!(
                    "{} has {} points here, and {count} in its first sample",
                    self.path,
                    points.len()
                );
                return refuse(value.start, text);
            }
            Ok(points)
        };
        let mut points = read(around.from)?;
        if around.share > 0.0 {
            let (share, round) = (around.share, |x| self.points.rounded(x));
            let to = read(around.to)?;
            for (a, b) in points.iter_mut().flatten().zip(to.iter().flatten()) {
                *a = round(round((1.0 - share) * *a) + round(share * b));
            }
        }
        let matrix = if self.xform.is_identity() { None } else { Some(self.xform.at(text, time)?) };
        let place = |p: [f64; 3]| {
            let p = Point3::from(p);
            space.metres(matrix.map_or(p, |matrix| matrix.transform_point(&p)))
        };
        let points: Vec<Point3<f64>> = points.into_iter().map(place).collect();
        match points.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            None => Ok(points),
            Some(v) => {
                let text = format!("{}: vertex {v} is not finite; export it again", self.path);
                Err(Fault::new(around.from.start, text))
            }
        }
    }
}

/// The numbers of an attribute, which are the same at all times; none if it has no value.
fn constant(attribute: &Attribute, text: &[u8]) -> Scan<Option<Vec<f64>>> {
    let value = |at: &Range<usize>| array(text, at, Scanner::number);
    let mut values = attribute.samples.iter().map(|(_, value)| value);
    let Some(first) = values.next() else { return attribute.default.as_ref().map(value).transpose() };
    let numbers = value(first)?;
    for other in values {
        if value(other)? != numbers {
            return refuse(other.start, "the topology changes over time; export one that does not");
        }
    }
    Ok(Some(numbers))
}

/// The mesh that all meshes become.
#[derive(Default)]
struct Builder {
    loaded: LoadedMesh,
    /// Rest coordinates of all corners so far, and how many meshes lack them.
    rest_uv: Vec<[[f64; 2]; 3]>,
    without_uv: usize,
    degenerate: usize,
    short: usize,
    /// Meshes whose surface is smoothed when it is rendered.
    smoothed: usize,
}

impl Builder {
    /// Appends a mesh in its first state; returns how many points it has.
    fn append(&mut self, part: &Part, prim: &Prim, text: &[u8], time: f64, space: Space) -> Scan<usize> {
        let Self { loaded, rest_uv, .. } = self;
        let points = part.positions(text, time, space)?;
        let (first_vertex, first_face) = (loaded.mesh.positions.len(), loaded.mesh.faces.len());
        let refuse = |what: String| Fault::new(prim.at, format!("{} {what}", quoted(&prim.path)));
        let numbers = |name: &str| -> Scan<Vec<usize>> {
            let found = prim.attributes.get(name).map(|attribute| constant(attribute, text)).transpose()?;
            let found = found.flatten().ok_or_else(|| refuse(format!("has no {name}")))?;
            let whole =
                |x: f64| (x >= 0.0 && x.fract() == 0.0 && x < f64::from(u32::MAX)).then_some(x as usize);
            let whole: Option<Vec<usize>> = found.into_iter().map(whole).collect();
            whole.ok_or_else(|| refuse(format!("has a number in {name} that is no count")))
        };
        let (counts, corners) = (numbers("faceVertexCounts")?, numbers("faceVertexIndices")?);
        if counts.iter().try_fold(0usize, |sum, n| sum.checked_add(*n)) != Some(corners.len()) {
            return Err(refuse(format!(
                "has {} corners, which are not those of its faces; export it again",
                corners.len()
            )));
        }
        if let Some(v) = corners.iter().find(|&&v| v >= points.len()) {
            return Err(refuse(format!("names vertex {v}, but there are {}; export it again", points.len())));
        }
        let uv = corner_uv(prim, text, &corners, &counts, points.len())?;
        let is_mirrored = !part.xform.is_identity() && part.xform.at(text, time)?.determinant() < 0.0;
        let is_reversed = is_mirrored != token(prim, "orientation", text).is_some_and(|o| o == "leftHanded");
        self.smoothed +=
            usize::from(token(prim, "subdivisionScheme", text).is_none_or(|scheme| scheme != "none"));
        self.without_uv += usize::from(uv.is_none());
        let (mut from, mut around, mut cut) = (0, Vec::new(), Vec::new());
        for (face, &count) in counts.iter().enumerate() {
            let corner: Vec<usize> = match is_reversed {
                true => (from..from + count).rev().collect(),
                false => (from..from + count).collect(),
            };
            from += count;
            if count < 3 {
                self.short += 1;
                continue;
            }
            around.clear();
            around.extend(corner.iter().map(|&c| points[corners[c]]));
            cut.clear();
            match triangulate(&around, &mut cut) {
                Cut::Clean => {}
                Cut::Degenerate => self.degenerate += 1,
                Cut::TooLarge => return Err(refuse(format!("face {face} {}", too_large(count)))),
            }
            let vertex = |c: usize| (first_vertex + corners[corner[c]]) as u32;
            loaded.mesh.faces.extend(cut.iter().map(|t| t.map(vertex)));
            if let Some(uv) = &uv {
                rest_uv.extend(cut.iter().map(|t| t.map(|c| uv[corner[c]])));
            }
        }
        let (count, end) = (points.len(), loaded.mesh.faces.len());
        loaded.mesh.positions.extend(points);
        if u32::try_from(loaded.mesh.positions.len()).is_err() {
            return Err(refuse("has too many points".to_owned()));
        }
        if end > first_face {
            loaded.groups.push(Group { name: prim.path.clone(), faces: first_face as u32..end as u32 });
        }
        Ok(count)
    }

    fn finish(self) -> Scan<LoadedMesh> {
        let Self { mut loaded, rest_uv, without_uv, degenerate, short, smoothed } = self;
        if loaded.mesh.faces.is_empty() {
            return refuse(0, "has no faces; export the surface, not only points");
        }
        let notes = [
            (degenerate, DEGENERATE),
            (short, "faces of fewer than three corners left out"),
            (smoothed, "meshes are rendered as subdivision surfaces; their cages are read"),
        ];
        loaded.notes.extend(notes.iter().filter(|(n, _)| *n > 0).map(|(n, text)| format!("{n} {text}")));
        if without_uv == 0 {
            loaded.rest_uv = Some(rest_uv);
        }
        Ok(loaded)
    }
}

/// The texture coordinates of all corners, `primvars:st`; none where there are none for all.
fn corner_uv(
    prim: &Prim,
    text: &[u8],
    corners: &[usize],
    counts: &[usize],
    points: usize,
) -> Scan<Option<Vec<[f64; 2]>>> {
    let Some(st) = prim.attributes.get("primvars:st") else { return Ok(None) };
    let (Some(value), Some(is_single)) = (&st.default, precision(&st.kind)) else { return Ok(None) };
    let mut uv = array(text, value, vector::<2>)?;
    uv.iter_mut().flatten().filter(|_| is_single).for_each(|x| *x = f64::from(*x as f32));
    if let Some(indices) = prim.attributes.get("primvars:st:indices").and_then(|i| i.default.clone()) {
        let pick = |k: f64| uv.get(k as usize).copied().filter(|_| k >= 0.0);
        let picked: Option<Vec<_>> = array(text, &indices, Scanner::number)?.into_iter().map(pick).collect();
        uv = picked.unwrap_or_default();
    }
    if !uv.iter().flatten().all(|x| x.is_finite()) {
        return Ok(None);
    }
    Ok(match st.interpolation.as_deref() {
        Some("faceVarying") if uv.len() == corners.len() => Some(uv),
        Some("vertex" | "varying") if uv.len() == points => Some(corners.iter().map(|&v| uv[v]).collect()),
        Some("uniform") if uv.len() == counts.len() => {
            Some(uv.iter().zip(counts).flat_map(|(&uv, &n)| std::iter::repeat_n(uv, n)).collect())
        }
        _ => None,
    })
}
