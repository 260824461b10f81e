//! What a text layer says: its metadata, its prims in their order, and where the values of their attributes
//! stand in the text. No value of an attribute is read here.

use std::{collections::BTreeMap, ops::Range};

use super::scan::{CUT_SHORT, Scan, Scanner, refuse};
use crate::quoted;

/// The deepest nesting of prims.
const MAX_DEPTH: usize = 256;

/// The longest path of a prim, in bytes: each prim holds its own.
const MAX_PATH: usize = 1024;

/// How a file of several layers becomes one.
pub(crate) const FLATTEN: &str =
    "`usdcat --flatten IN -o OUT.usda` makes a flat file, and Python with usd-core reads it";

/// Metadata of a prim that bring in what stands elsewhere.
const COMPOSITION: [&str; 8] =
    ["references", "payload", "inherits", "specializes", "variantSets", "variantSet", "clips", "clipSets"];

/// Types of shapes that are no meshes.
pub(super) const SHAPES: [&str; 11] = [
    "Sphere",
    "Cube",
    "Capsule",
    "Cylinder",
    "Cone",
    "Plane",
    "BasisCurves",
    "NurbsCurves",
    "NurbsPatch",
    "Points",
    "TetMesh",
];

/// Words before the name of what they change.
const LIST_EDITS: [&str; 5] = ["add", "append", "prepend", "delete", "reorder"];

/// A layer.
#[derive(Debug, Default)]
pub(super) struct Layer {
    /// Metadata by their names, where their values stand.
    pub(super) metadata: BTreeMap<String, Range<usize>>,
    pub(super) prims: Vec<Prim>,
}

/// A prim.
#[derive(Debug)]
pub(super) struct Prim {
    /// `/World/cloth/shirt`.
    pub(super) path: String,
    /// Its type, `Mesh`; empty if it has none.
    pub(super) kind: String,
    pub(super) parent: Option<usize>,
    /// Whether it is on the stage: it and all above are defined, and none is inactive.
    pub(super) is_there: bool,
    pub(super) attributes: BTreeMap<String, Attribute>,
    /// Where it begins.
    pub(super) at: usize,
}

/// Where the values of an attribute stand.
#[derive(Clone, Debug, Default)]
pub(super) struct Attribute {
    /// Its type, `point3f[]`.
    pub(super) kind: String,
    pub(super) default: Option<Range<usize>>,
    /// By time code, increasing.
    pub(super) samples: Vec<(f64, Range<usize>)>,
    /// Of a primvar.
    pub(super) interpolation: Option<String>,
    /// Whether a curve goes before its values.
    pub(super) is_spline: bool,
}

impl Layer {
    /// Reads a text.
    pub(super) fn parse(text: &[u8]) -> Scan<Self> {
        let mut scanner = Scanner::new(text, 0..text.len());
        if !text.starts_with(b"#usda ") {
            let text =
                "is no text layer of USD, which begins with `#usda 1.0`; of a binary one or of a package";
            return refuse(0, format!("{text}, {FLATTEN}"));
        }
        let mut layer = Self::default();
        layer.metadata = read_metadata(&mut scanner)?;
        for name in ["subLayers", "relocates"] {
            if let Some(at) = layer.metadata.get(name).filter(|at| !is_nothing(text, at)) {
                return refuse(at.start, format!("has {name}, which are not read; {FLATTEN}"));
            }
        }
        let mut open: Vec<usize> = Vec::new();
        while scanner.peek().is_some() {
            if let Some(&parent) = open.last() {
                if scanner.eat(b'}') {
                    open.pop();
                    continue;
                }
                if !layer.is_prim_next(&scanner) {
                    read_property(&mut scanner, text, &mut layer.prims[parent])?;
                    scanner.eat(b';');
                    continue;
                }
            }
            if open.len() == MAX_DEPTH {
                return scanner.fail(format!("prims are nested more than {MAX_DEPTH} deep"));
            }
            if layer.read_prim(&mut scanner, text, open.last().copied())? {
                open.push(layer.prims.len() - 1);
            }
        }
        match open.last() {
            None => Ok(layer),
            Some(&prim) => {
                let Prim { at, path, .. } = &layer.prims[prim];
                refuse(*at, format!("{path} does not end: {CUT_SHORT}"))
            }
        }
    }

    fn is_prim_next(&self, scanner: &Scanner<'_>) -> bool {
        ["def", "over", "class"].contains(&scanner.clone().word())
    }

    /// Reads the head of a prim; whether it opened a body. At the top `reorder rootPrims = [...]` is no prim.
    fn read_prim(&mut self, scanner: &mut Scanner<'_>, text: &[u8], parent: Option<usize>) -> Scan<bool> {
        let at = scanner.place();
        let specifier = scanner.word();
        if specifier == "reorder" {
            scanner.word();
            scanner.expect(b'=')?;
            scanner.value()?;
            return Ok(false);
        }
        if !["def", "over", "class"].contains(&specifier) {
            return refuse(at, "is no prim; export the file again");
        }
        let kind = scanner.word().to_owned();
        let name = scanner.string()?;
        let path = format!("{}/{name}", parent.map_or("", |p| &self.prims[p].path));
        if path.len() > MAX_PATH {
            return refuse(at, format!("has a path of more than {MAX_PATH} bytes; shorten its names"));
        }
        let metadata = read_metadata(scanner)?;
        let is_on = |name: &str, otherwise: bool| {
            metadata.get(name).map_or(otherwise, |v| ![&b"false"[..], b"0"].contains(&&text[v.clone()]))
        };
        for (name, value) in &metadata {
            if COMPOSITION.contains(&name.as_str()) && !is_nothing(text, value) {
                let first = if is_on("instanceable", false) { "`instanceable = false`, then " } else { "" };
                return refuse(
                    at,
                    format!("{} has `{name}`, which is not read; {first}{FLATTEN}", quoted(&path)),
                );
            }
        }
        let is_there =
            specifier == "def" && is_on("active", true) && parent.is_none_or(|p| self.prims[p].is_there);
        if is_there && kind == "PointInstancer" {
            return refuse(at, format!("{} has instances, which are not read; bake them", quoted(&path)));
        }
        scanner.expect(b'{')?;
        self.prims.push(Prim { path, kind, parent, is_there, attributes: BTreeMap::new(), at });
        Ok(true)
    }
}

impl Prim {
    /// Whether its transformation counts: that of a type which has one.
    pub(super) fn is_xformable(&self) -> bool {
        ["Xform", "Mesh", "Camera", "SkelRoot", "Skeleton", "PointInstancer"].contains(&self.kind.as_str())
            || SHAPES.contains(&self.kind.as_str())
            || self.kind.ends_with("Light")
    }
}

/// Whether a value is an empty list, or none: it blocks what is weaker.
fn is_nothing(text: &[u8], value: &Range<usize>) -> bool {
    let mut scanner = Scanner::new(text, value.clone());
    is_none(text, value) || (scanner.eat(b'[') && scanner.eat(b']'))
}

/// The metadata in parentheses, if there are any.
fn read_metadata(scanner: &mut Scanner<'_>) -> Scan<BTreeMap<String, Range<usize>>> {
    let mut found = BTreeMap::new();
    if !scanner.eat(b'(') {
        return Ok(found);
    }
    while !scanner.eat(b')') {
        if scanner.eat(b';') || scanner.eat(b',') {
            continue;
        }
        if let Some(b'"' | b'\'') = scanner.peek() {
            scanner.string()?;
            continue;
        }
        let mut name = scanner.word();
        if LIST_EDITS.contains(&name) && scanner.peek() != Some(b'=') {
            name = scanner.word();
        }
        if name.is_empty() {
            return scanner.fail("is no name of metadata; export the file again");
        }
        scanner.expect(b'=')?;
        let value = scanner.value()?;
        // How the time of a layer is changed.
        if scanner.peek() == Some(b'(') {
            scanner.value()?;
        }
        found.insert(name.to_owned(), value);
    }
    Ok(found)
}

/// Reads an attribute or a relationship of a prim.
fn read_property(scanner: &mut Scanner<'_>, text: &[u8], prim: &mut Prim) -> Scan<()> {
    let at = scanner.place();
    let mut kind = scanner.word();
    if kind == "variantSet" {
        return refuse(at, format!("{} has variants, which are not read; {FLATTEN}", quoted(&prim.path)));
    }
    while LIST_EDITS.contains(&kind) || ["custom", "uniform", "varying", "config"].contains(&kind) {
        kind = scanner.word();
    }
    let is_array = scanner.eat(b'[');
    if is_array {
        scanner.expect(b']')?;
    }
    // `reorder properties = [...]` names no property.
    let name = scanner.word();
    if kind.is_empty() || name.is_empty() && scanner.peek() != Some(b'=') {
        return refuse(at, "is no property of a prim; export the file again");
    }
    let (name, part) = name.rsplit_once('.').unwrap_or((name, ""));
    let mut read =
        Attribute { kind: format!("{kind}{}", if is_array { "[]" } else { "" }), ..Attribute::default() };
    if scanner.eat(b'=') {
        if part == "timeSamples" {
            read.samples = read_samples(scanner)?;
        } else {
            read.default = Some(scanner.value()?).filter(|value| part.is_empty() && !is_none(text, value));
        }
    }
    let metadata = read_metadata(scanner)?;
    if kind == "rel" || name.is_empty() {
        return Ok(());
    }
    if let Some(value) = metadata.get("interpolation") {
        read.interpolation = Some(Scanner::new(text, value.clone()).string()?);
    }
    let known = prim.attributes.entry(name.to_owned()).or_default();
    known.kind = read.kind;
    known.is_spline |= part == "spline";
    known.default = read.default.or(known.default.take());
    known.interpolation = read.interpolation.or(known.interpolation.take());
    if !read.samples.is_empty() {
        known.samples = read.samples;
    }
    Ok(())
}

fn is_none(text: &[u8], value: &Range<usize>) -> bool {
    Scanner::new(text, value.clone()).word() == "None"
}

/// `{ 0: value, 1: value }`, sorted by time.
fn read_samples(scanner: &mut Scanner<'_>) -> Scan<Vec<(f64, Range<usize>)>> {
    let mut samples: Vec<(f64, Range<usize>)> = Vec::new();
    scanner.expect(b'{')?;
    while !scanner.eat(b'}') {
        let at = scanner.place();
        // `12:` is a word of its own.
        let time = scanner.word().trim_end_matches(':').parse().ok().filter(|time: &f64| time.is_finite());
        let Some(time) = time else { return refuse(at, "is no time code") };
        scanner.eat(b':');
        samples.push((time, scanner.value()?));
        if !scanner.eat(b',') {
            scanner.expect(b'}')?;
            break;
        }
    }
    samples.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Of several at one time the last counts.
    samples.reverse();
    samples.dedup_by(|a, b| a.0 == b.0);
    samples.reverse();
    Ok(samples)
}
