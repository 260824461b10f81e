//! Writes a stage of meshes as one text layer, frame by frame.
//!
//! ```text
//! /World            y up, metres; time codes are frames, counted from 0
//!   /cloth/NAME     triangles, one sample of points and of the extent a frame
//!   /bodies/NAME    the same, or one state without a time if it stands still
//! ```
//!
//! Numbers are the shortest decimals that read back to the same bits, also by way of a double, as USD reads
//! them. Subdivision is off: the fallback of USD would smooth the mesh that was judged. No velocities are
//! written, which would move it off the motion that was judged. The samples of one mesh stand together in
//! the text, so that frames of several are kept on disk until the end; a process that is killed leaves none.

use std::{
    fmt::{self, Debug, Display, Write as _},
    io::{self, Write},
    path::{Path, PathBuf},
};

use nalgebra::Point3;

use super::HELD;
use crate::{FileError, mesh::check_mesh, output::Spool, pc2::check_finite, write_atomically};

/// A mesh of a stage.
#[derive(Clone, Copy, Debug, Default)]
pub struct UsdPrim<'a> {
    /// What it is called; the prim has the letters, digits and underscores of it.
    pub name: &'a str,
    /// Whether it is a body rather than cloth.
    pub is_body: bool,
    /// How many vertices it has.
    pub points: usize,
    /// Its faces.
    pub faces: &'a [[u32; 3]],
    /// Texture coordinates of the corners of its faces.
    pub uv: Option<&'a [[[f64; 2]; 3]]>,
    /// Its colour, linear red, green and blue.
    pub color: Option<[f32; 3]>,
}

/// A stage under construction; dropped before [`UsdWriter::finish`] it leaves no file.
#[derive(Debug)]
pub struct UsdWriter {
    path: PathBuf,
    rate: f64,
    prims: Vec<Prim>,
}

/// A mesh with the frames that it has so far.
#[derive(Debug)]
struct Prim {
    name: String,
    is_body: bool,
    points: usize,
    /// Its attributes that do not change.
    fixed: String,
    /// `TIME: [(x, y, z), ...],` of each sample.
    samples: Spool,
    /// The time and the extent of each sample.
    extents: Vec<(f64, [Point3<f32>; 2])>,
    last: Vec<Point3<f32>>,
    frames: usize,
    /// Frames of a body that has not moved so far, which have no sample yet.
    still: usize,
}

impl UsdWriter {
    /// Starts a stage whose frames are `1 / rate` (s) apart.
    ///
    /// # Errors
    /// If the rate is not positive.
    pub fn create(path: &Path, rate: f64) -> Result<Self, FileError> {
        if !(rate > 0.0 && rate.is_finite()) {
            return Err(FileError::new(
                path,
                format!("cannot have {rate} frames a second; it must be positive"),
            ));
        }
        Ok(Self { path: path.to_path_buf(), rate, prims: Vec::new() })
    }

    /// Adds a mesh; frames of it are pushed by the number that is returned.
    ///
    /// # Errors
    /// If a face names a vertex that there is not, the texture coordinates are not those of its faces, or
    /// nothing can be written in the folder of the file.
    pub fn add(&mut self, prim: &UsdPrim<'_>) -> Result<usize, FileError> {
        let path = &self.path;
        check_mesh(path, &vec![Point3::origin(); prim.points], prim.faces)?;
        if prim.uv.is_some_and(|uv| uv.len() != prim.faces.len()) {
            return Err(FileError::new(
                path,
                format!("texture coordinates of {} are not those of its faces", prim.name),
            ));
        }
        let name = self.free_name(prim);
        self.prims.push(Prim {
            name,
            is_body: prim.is_body,
            points: prim.points,
            fixed: fixed_attributes(prim),
            samples: Spool::create(path)?,
            extents: Vec::new(),
            last: Vec::new(),
            frames: 0,
            still: 0,
        });
        Ok(self.prims.len() - 1)
    }

    /// Appends a frame (m, y up) of a mesh. With `is_cut` the frame before is held until it.
    ///
    /// # Errors
    /// If there is no such mesh, it has another number of points, one is not finite, or the disk is full.
    pub fn push(&mut self, prim: usize, positions: &[Point3<f32>], is_cut: bool) -> Result<(), FileError> {
        let path = &self.path;
        let Some(prim) = self.prims.get_mut(prim) else {
            return Err(FileError::new(path, format!("has no mesh {prim}")));
        };
        if positions.len() != prim.points {
            let text = format!(
                "frame {} of {} has {} points, not {}",
                prim.frames,
                prim.name,
                positions.len(),
                prim.points
            );
            return Err(FileError::new(path, text));
        }
        check_finite(path, prim.frames, positions)?;
        prim.push(positions, is_cut)
    }

    /// Writes the stage and gives the file its name.
    ///
    /// # Errors
    /// If the file cannot be written or renamed.
    pub fn finish(self) -> Result<(), FileError> {
        let Self { path, rate, prims } = self;
        write_atomically(&path, |file| write_stage(file, rate, prims))
    }

    /// A name for a prim that no other of its kind has.
    fn free_name(&self, prim: &UsdPrim<'_>) -> String {
        let plain: String =
            prim.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let plain =
            if plain.starts_with(|c: char| !c.is_ascii_digit()) { plain } else { format!("_{plain}") };
        let is_free =
            |name: &String| !self.prims.iter().any(|p| p.is_body == prim.is_body && p.name == *name);
        let numbered = (2..).map(|k| format!("{plain}_{k}"));
        std::iter::once(plain.clone()).chain(numbered).find(is_free).unwrap_or(plain)
    }
}

impl Prim {
    fn push(&mut self, positions: &[Point3<f32>], is_cut: bool) -> Result<(), FileError> {
        let time = self.frames as f64;
        if self.is_body && self.extents.len() == 1 && bits(&self.last).eq(bits(positions)) {
            self.still += 1;
            self.frames += 1;
            return Ok(());
        }
        for k in 0..std::mem::take(&mut self.still) {
            let last = std::mem::take(&mut self.last);
            self.sample((k + 1) as f64, &last)?;
            self.last = last;
        }
        if is_cut && self.frames > 0 {
            let held = std::mem::take(&mut self.last);
            self.sample(time - HELD, &held)?;
        }
        self.sample(time, positions)?;
        self.last.clear();
        self.last.extend_from_slice(positions);
        self.frames += 1;
        Ok(())
    }

    fn sample(&mut self, time: f64, positions: &[Point3<f32>]) -> Result<(), FileError> {
        let extend = |[min, max]: [Point3<f32>; 2], p: &Point3<f32>| [min.inf(p), max.sup(p)];
        let start = positions.first().map_or([Point3::origin(); 2], |p| [*p; 2]);
        self.extents.push((time, positions.iter().fold(start, extend)));
        self.samples.push(format!("{time}: {},\n", list(positions.iter().map(Vector))).as_bytes())
    }
}

/// A number whose text is read back to the same bits: never an integer, of which zero has no sign.
struct Shortest(f32);

impl Shortest {
    /// Of all numbers those whose shortest decimal, 7.038531e-26, is rounded to another one by way of a
    /// double.
    const ODD: u32 = 0x15ae_43fd;
}

impl Display for Shortest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.abs().to_bits() == Self::ODD {
            Debug::fmt(&f64::from(self.0), f)
        } else {
            Debug::fmt(&self.0, f)
        }
    }
}

/// Zeros of two signs are equal and not the same.
fn bits(positions: &[Point3<f32>]) -> impl Iterator<Item = u32> {
    positions.iter().flat_map(|p| [p.x, p.y, p.z]).map(f32::to_bits)
}

/// A point as it is written.
struct Vector<'a>(&'a Point3<f32>);

impl Display for Vector<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {}, {})", Shortest(self.0.x), Shortest(self.0.y), Shortest(self.0.z))
    }
}

/// `[a, b, c]`.
fn list(items: impl Iterator<Item = impl Display>) -> String {
    let mut text = String::from("[");
    for (k, item) in items.enumerate() {
        let before = if k > 0 { ", " } else { "" };
        // To a string nothing fails.
        let _ = write!(text, "{before}{item}");
    }
    text.push(']');
    text
}

/// What does not change of a mesh.
fn fixed_attributes(prim: &UsdPrim<'_>) -> String {
    let mut text = format!(
        "uniform bool doubleSided = 1\nint[] faceVertexCounts = {}\nint[] faceVertexIndices = {}\n\
         uniform token orientation = \"rightHanded\"\nuniform token subdivisionScheme = \"none\"\n",
        list(prim.faces.iter().map(|_| 3)),
        list(prim.faces.iter().flatten())
    );
    if let Some(uv) = prim.uv {
        let single = |[u, v]: &[f64; 2]| format!("({}, {})", Shortest(*u as f32), Shortest(*v as f32));
        let st = list(uv.iter().flatten().map(single));
        text += &format!("texCoord2f[] primvars:st = {st} (\ninterpolation = \"faceVarying\"\n)\n");
    }
    if let Some([r, g, b]) = prim.color {
        text += &format!("color3f[] primvars:displayColor = [({r:?}, {g:?}, {b:?})]\n");
    }
    text
}

fn write_stage(to: &mut impl Write, rate: f64, prims: Vec<Prim>) -> io::Result<()> {
    let frames = prims.iter().map(|prim| prim.frames).max().unwrap_or(0);
    let range =
        if frames > 1 { format!("startTimeCode = 0\nendTimeCode = {}\n", frames - 1) } else { String::new() };
    write!(
        to,
        "#usda 1.0\n(\ncustomLayerData = {{\nstring creator = \"cloth {}\"\n}}\ndefaultPrim = \"World\"\n\
         framesPerSecond = {rate}\nmetersPerUnit = 1\n{range}timeCodesPerSecond = {rate}\nupAxis = \"Y\"\n)\n\n\
         def Xform \"World\"\n{{\n",
        env!("CARGO_PKG_VERSION")
    )?;
    let (bodies, cloths): (Vec<Prim>, Vec<Prim>) = prims.into_iter().partition(|prim| prim.is_body);
    for (scope, prims) in [("cloth", cloths), ("bodies", bodies)] {
        if prims.is_empty() {
            continue;
        }
        write!(to, "def Scope \"{scope}\"\n{{\n")?;
        for prim in prims {
            write_prim(to, prim)?;
        }
        to.write_all(b"}\n")?;
    }
    to.write_all(b"}\n")
}

fn write_prim(to: &mut impl Write, prim: Prim) -> io::Result<()> {
    let Prim { name, fixed, mut samples, extents, .. } = prim;
    write!(to, "def Mesh \"{name}\"\n{{\n{fixed}")?;
    let extent = |ends: &[Point3<f32>; 2]| list(ends.iter().map(Vector));
    match extents.as_slice() {
        [] => {}
        // One state needs no time: its text has that of the sample before it.
        [(_, only)] => {
            write!(to, "float3[] extent = {}\npoint3f[] points = ", extent(only))?;
            let mut text = Vec::new();
            samples.copy_to(&mut text)?;
            let value = text.strip_prefix(b"0: ").and_then(|text| text.strip_suffix(b",\n")).unwrap_or(&text);
            to.write_all(value)?;
            to.write_all(b"\n")?;
        }
        _ => {
            to.write_all(b"float3[] extent.timeSamples = {\n")?;
            extents.iter().try_for_each(|(time, of)| writeln!(to, "{time}: {},", extent(of)))?;
            to.write_all(b"}\npoint3f[] points.timeSamples = {\n")?;
            samples.copy_to(to)?;
            to.write_all(b"}\n")?;
        }
    }
    to.write_all(b"}\n")
}

/// Writes a mesh as a stage of its own (m, y up), its positions rounded to single precision, with the texture
/// coordinates of the corners of its faces, if it has any. The file appears whole or not at all.
///
/// # Errors
/// If a face names a vertex that there is not, `uv` are not those of the faces, a coordinate is not finite,
/// or the file cannot be written.
pub fn write_usd(
    path: &Path,
    positions: &[Point3<f64>],
    faces: &[[u32; 3]],
    uv: Option<&[[[f64; 2]; 3]]>,
) -> Result<(), FileError> {
    let mut writer = UsdWriter::create(path, 24.0)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let points = positions.len();
    let prim = writer.add(&UsdPrim { name: &name, points, faces, uv, ..UsdPrim::default() })?;
    writer.push(prim, &positions.iter().map(|p| p.map(|c| c as f32)).collect::<Vec<_>>(), false)?;
    writer.finish()
}
