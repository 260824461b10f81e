//! An OBJ file whose positions can be replaced while everything else stays as it is: polygons, texture
//! coordinates, groups, materials, smoothing groups, comments, line ends.
//!
//! ```text
//! mtllib shirt.mtl          copied                  an OBJ file --parse--> text with a gap at every position
//! v <gap> 0.8 0.2 0.2       position replaced       text + positions --write--> OBJ file
//! vt 0.25 0.5               copied
//! vn <gap>                  recomputed: one for each vertex and normal that a corner named together
//! g sleeve                  copied
//! f 1/1/1 2/2/1 5/5/1 4/4/1 copied, its normals renumbered
//! ```
//!
//! The normals of the input belong to the input's shape, so they cannot be copied. Which corners share a
//! normal is what they say about the surface (where it is smooth, where it has a crease), and that is kept.

use std::{borrow::Cow, collections::HashMap, io, io::Write, path::Path};

use cloth_geom::TriMesh;
use nalgebra::Point3;

use super::normals::{Corner, Normals};
use super::{
    Problem,
    statements::{Statement, statements},
    surface::{self, VERTEX_NEEDS},
};
use crate::{FileError, format::extension, off, ply, read_file, read_mesh, write_atomically};

/// What becomes of the faces of a file: which triangles stay, and which vertices take the place of others.
#[derive(Clone, Copy, Debug)]
pub struct FaceEdit<'a> {
    /// The triangles that the file is read as.
    pub faces: &'a [[u32; 3]],
    /// Which of them stay. A polygon of which all do stays as it is, one of which some do is cut.
    pub keep: &'a [bool],
    /// For each vertex the one that faces name instead, mostly itself.
    pub vertex: &'a [u32],
}

/// Before UTF-8 text, as some programs write it.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The structure of an OBJ file without its positions: everything that is written back as it was read.
#[derive(Clone, Debug)]
pub struct ObjTemplate {
    /// Everything that is the same in each file written.
    text: Vec<u8>,
    /// For each vertex the byte of `text` that its position stands before.
    points_at: Vec<usize>,
    normals: Option<Normals>,
    /// The material files that the text names, which a reader looks for next to the file written.
    material_files: Vec<String>,
}

impl ObjTemplate {
    /// The structure of a mesh file: of an OBJ all of it, of a PLY or OFF its polygons, of any
    /// other its triangles.
    ///
    /// # Errors
    /// If the file cannot be read or is not valid.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        match extension(path).as_str() {
            "ply" => {
                let (points, polygons) = ply::read_polygons(path)?;
                return Ok(Self::from_polygons(points, &polygons));
            }
            "off" => {
                let (points, polygons) = off::read_polygons(path)?;
                return Ok(Self::from_polygons(points, &polygons));
            }
            "stl" | "npz" => return Ok(Self::from_mesh(&read_mesh(path)?.mesh)),
            _ => {}
        }
        let bytes = read_file(path)?;
        Self::parse(path, &bytes)
    }

    /// The structure of an OBJ file with some of its faces. All vertices keep their numbers.
    ///
    /// # Errors
    /// If the file cannot be read or is not valid.
    pub fn read_edited(path: &Path, edit: FaceEdit<'_>) -> Result<Self, FileError> {
        Self::parse_edited(path, &read_file(path)?, Some(edit))
    }

    /// The structure of the bytes of an OBJ file; `path` only names it in errors.
    ///
    /// # Errors
    /// If a vertex has fewer than three coordinates, or a face names one that does not exist: the error names
    /// the line.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, FileError> {
        Self::parse_edited(path, bytes, None)
    }

    fn parse_edited(path: &Path, bytes: &[u8], edit: Option<FaceEdit<'_>>) -> Result<Self, FileError> {
        let (mark, bytes) =
            bytes.strip_prefix(BYTE_ORDER_MARK).map_or((&[][..], bytes), |rest| (BYTE_ORDER_MARK, rest));
        // A file that is no UTF-8 is taken byte by byte, and written byte by byte.
        let (text, is_utf8) = match std::str::from_utf8(bytes) {
            Ok(text) => (Cow::Borrowed(text), true),
            Err(_) => (bytes.iter().map(|&b| char_of(b)).collect(), false),
        };
        let mut builder = Builder { edit, ..Builder::new(&text, is_utf8) };
        builder.template.text.extend_from_slice(mark);
        for statement in statements(&text) {
            builder.copy(&statement).map_err(|problem| problem.in_file(path))?;
        }
        Ok(builder.finish())
    }

    /// The structure of a mesh: its faces and nothing else.
    #[must_use]
    pub fn from_mesh(mesh: &TriMesh) -> Self {
        Self::from_polygons(mesh.positions.len(), &mesh.faces)
    }

    /// The template of a mesh of polygons and nothing else. Corners beyond the points are the caller's
    /// mistake.
    pub(crate) fn from_polygons(points: usize, polygons: &[impl AsRef<[u32]>]) -> Self {
        let (mut text, mut points_at) = (Vec::new(), Vec::with_capacity(points));
        for _ in 0..points {
            text.extend_from_slice(b"v ");
            points_at.push(text.len());
            text.push(b'\n');
        }
        for polygon in polygons {
            text.push(b'f');
            for &v in polygon.as_ref() {
                text.extend_from_slice(format!(" {}", u64::from(v) + 1).as_bytes());
            }
            text.push(b'\n');
        }
        Self { text, points_at, normals: None, material_files: Vec::new() }
    }

    /// How many positions a file has.
    #[must_use]
    pub fn point_count(&self) -> usize {
        self.points_at.len()
    }

    /// The names of the material files (`mtllib`), as written: readers look for them next to the file that
    /// names them.
    #[must_use]
    pub fn material_files(&self) -> &[String] {
        &self.material_files
    }

    /// Writes the file with these positions, in the unit and axes of the caller; it appears whole or not at
    /// all. Every number reads back bit for bit.
    ///
    /// # Errors
    /// If there are not as many positions as in the file read, if one is not finite, or if the file cannot be
    /// written.
    pub fn write(&self, path: &Path, positions: &[Point3<f64>]) -> Result<(), FileError> {
        if positions.len() != self.point_count() {
            let text = format!("{} positions for a file of {} vertices", positions.len(), self.point_count());
            return Err(FileError::new(path, text));
        }
        if let Some(v) = positions.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            return Err(FileError::new(path, format!("vertex {v} is not finite; nothing was written")));
        }
        write_atomically(path, |w| self.write_to(w, positions))
    }

    fn write_to(&self, w: &mut impl Write, positions: &[Point3<f64>]) -> io::Result<()> {
        let (mut done, mut normals) = (0, self.normals.as_ref());
        for (p, &at) in positions.iter().zip(&self.points_at) {
            if let Some(found) = normals.take_if(|n| n.at <= at) {
                done = self.write_normals(w, done, found, positions)?;
            }
            w.write_all(&self.text[done..at])?;
            done = at;
            write!(w, "{:?} {:?} {:?}", p.x, p.y, p.z)?;
        }
        if let Some(found) = normals {
            done = self.write_normals(w, done, found, positions)?;
        }
        w.write_all(&self.text[done..])
    }

    /// Writes the text up to the normals, and these on lines of their own; returns how much of the text is
    /// written.
    fn write_normals(
        &self,
        w: &mut impl Write,
        from: usize,
        normals: &Normals,
        positions: &[Point3<f64>],
    ) -> io::Result<usize> {
        w.write_all(&self.text[from..normals.at])?;
        // The last line of a file may have no end.
        if normals.at > 0 && self.text[normals.at - 1] != b'\n' {
            w.write_all(b"\n")?;
        }
        normals.write(w, positions)?;
        Ok(normals.at)
    }
}

/// Writes a mesh as OBJ so that every number reads back bit for bit, as `f64` and as `f32`; the file appears
/// whole or not at all.
///
/// Each coordinate is printed as the shortest decimal of its `f64`. For a value that was `f32` that is longer
/// than its own shortest decimal, and needed: a verdict is about exact positions, and `0.1` read as `f64` is
/// not the `f32` that was simulated.
///
/// # Errors
/// If a coordinate is not finite or the file cannot be written.
pub fn write_obj(path: &Path, mesh: &TriMesh) -> Result<(), FileError> {
    ObjTemplate::from_mesh(mesh).write(path, &mesh.positions)
}

/// A template in the making.
struct Builder<'a> {
    source: &'a str,
    is_utf8: bool,
    /// Up to this byte of the source everything has been taken.
    taken: usize,
    template: ObjTemplate,
    totals: [usize; 2],
    /// Statements so far: `v`, `vt`, `vn`.
    before: [usize; 3],
    /// The number of each normal, by vertex and normal of the source.
    numbers: HashMap<(usize, i64), u32>,
    polygons: Vec<Vec<Corner>>,
    edit: Option<FaceEdit<'a>>,
    /// Triangles of the polygons so far.
    triangles: usize,
}

/// A corner of a face as it is written.
struct CornerWords<'a> {
    vertex: u32,
    first: &'a str,
    uv: &'a str,
    normal: Option<&'a str>,
}

impl<'a> Builder<'a> {
    fn new(source: &'a str, is_utf8: bool) -> Self {
        let (text, points_at) = (Vec::with_capacity(source.len()), Vec::new());
        Self {
            source,
            is_utf8,
            taken: 0,
            template: ObjTemplate { text, points_at, normals: None, material_files: Vec::new() },
            totals: surface::totals(source),
            before: [0; 3],
            numbers: HashMap::new(),
            polygons: Vec::new(),
            edit: None,
            triangles: 0,
        }
    }

    fn copy(&mut self, s: &Statement<'_>) -> Result<(), Problem> {
        match s.keyword() {
            "v" => self.copy_vertex(s)?,
            "vt" => self.before[1] += 1,
            "vn" => self.leave_out_normal(s),
            "f" => self.copy_face(s)?,
            "mtllib" => self.template.material_files.push(s.rest().to_owned()),
            _ => {}
        }
        Ok(())
    }

    fn copy_vertex(&mut self, s: &Statement<'_>) -> Result<(), Problem> {
        let tail = s.after(4).ok_or_else(|| Problem::at(s.line, VERTEX_NEEDS))?;
        self.replace(s, "v ");
        self.template.points_at.push(self.template.text.len());
        self.push(tail);
        self.before[0] += 1;
        Ok(())
    }

    /// Leaves the statement out; where the first stood, all new ones will.
    fn leave_out_normal(&mut self, s: &Statement<'_>) {
        self.remove(s);
        let at = self.template.text.len();
        self.template.normals.get_or_insert(Normals { at, count: 0, polygons: Vec::new() });
        self.before[2] += 1;
    }

    /// Leaves a statement out, with its line end.
    fn remove(&mut self, s: &Statement<'_>) {
        self.replace(s, "");
        let rest = &self.source[self.taken..];
        self.taken += rest
            .find(['\n', '\r'])
            .map_or(rest.len(), |i| i + if rest[i..].starts_with("\r\n") { 2 } else { 1 });
    }

    /// Copies a face, its normals renumbered and edited; one without normals and edits stays as it is.
    fn copy_face(&mut self, s: &Statement<'_>) -> Result<(), Problem> {
        let mut corners = Vec::new();
        for word in s.words() {
            let (v, _) = surface::corner(word, [self.before[0], self.before[1]], self.totals)
                .map_err(|text| Problem::at(s.line, text))?;
            let mut fields = word.splitn(3, '/');
            let mut next = || fields.next();
            let (first, uv, normal) = (next().unwrap_or_default(), next().unwrap_or_default(), next());
            corners.push(CornerWords { vertex: v as u32 - 1, first, uv, normal });
        }
        let parts = self.parts(&corners);
        if parts.is_empty() {
            self.remove(s);
            return Ok(());
        }
        let is_moved = |c: &CornerWords<'_>| self.vertex(c.vertex) != c.vertex;
        let is_copy = parts.len() == 1 && parts[0].len() == corners.len() && !corners.iter().any(is_moved);
        if !is_copy || corners.iter().any(|c| c.normal.is_some()) {
            let faces: Vec<String> = parts.iter().map(|part| self.face(&corners, part)).collect();
            self.replace(s, &faces.join("\n"));
        }
        Ok(())
    }

    /// The polygons, as numbers of corners, that are left of one: itself, triangles of it, or none.
    fn parts(&mut self, corners: &[CornerWords<'_>]) -> Vec<Vec<usize>> {
        let whole: Vec<usize> = (0..corners.len()).collect();
        let Some(edit) = self.edit else { return vec![whole] };
        // As the file is read: without corners that repeat the one before.
        let mut ring: Vec<u32> = corners.iter().map(|c| c.vertex).collect();
        if ring.len() > 3 {
            ring.dedup();
            ring.pop_if(|last| *last == corners[0].vertex);
        }
        let all = self.triangles..self.triangles + ring.len().saturating_sub(2);
        self.triangles = all.end;
        let (Some(faces), Some(keep)) = (edit.faces.get(all.clone()), edit.keep.get(all)) else {
            return vec![whole];
        };
        if keep.iter().all(|keep| *keep) {
            return vec![whole];
        }
        let corner = |v: u32| corners.iter().position(|c| c.vertex == v).unwrap_or_default();
        let kept = faces.iter().zip(keep).filter(|(_, keep)| **keep);
        kept.map(|(face, _)| face.iter().map(|&v| corner(v)).collect()).collect()
    }

    /// The vertex that faces name in the place of one.
    fn vertex(&self, v: u32) -> u32 {
        self.edit.and_then(|edit| edit.vertex.get(v as usize).copied()).unwrap_or(v)
    }

    /// The statement of a face of some of the corners.
    fn face(&mut self, corners: &[CornerWords<'_>], part: &[usize]) -> String {
        let (mut words, mut polygon) = (String::from("f"), Vec::new());
        for &CornerWords { vertex, first, uv, normal } in part.iter().map(|&c| &corners[c]) {
            let normal = normal.and_then(|field| self.normal(vertex as usize, field));
            let named = self.vertex(vertex);
            polygon.push((named, normal));
            words.push(' ');
            match named == vertex {
                true => words.push_str(first),
                false => words.push_str(&(u64::from(named) + 1).to_string()),
            }
            match (uv, normal) {
                ("", None) => {}
                (uv, None) => words.extend(["/", uv]),
                (uv, Some(n)) => words.push_str(&format!("/{uv}/{}", n + 1)),
            }
        }
        if polygon.iter().any(|(_, normal)| normal.is_some()) {
            self.polygons.push(polygon);
        }
        words
    }

    /// The number, from 0, of the normal that a corner of vertex `v` names; none if it names none.
    fn normal(&mut self, v: usize, field: &str) -> Option<u32> {
        let named: i64 = field.parse().ok()?;
        let absolute = if named < 0 { named.checked_add(self.before[2] as i64 + 1)? } else { named };
        let next = self.numbers.len() as u32;
        Some(*self.numbers.entry((v, absolute)).or_insert(next))
    }

    /// Copies the source up to a statement, and puts a text in its place.
    fn replace(&mut self, s: &Statement<'_>, text: &str) {
        let source = self.source;
        self.push(&source[self.taken..s.span.start]);
        self.push(text);
        self.taken = s.span.end;
    }

    fn push(&mut self, text: &str) {
        if self.is_utf8 {
            self.template.text.extend_from_slice(text.as_bytes());
        } else {
            // Every character stands for the byte that it ends in.
            self.template.text.extend(text.chars().map(|c| c as u32 as u8));
        }
    }

    fn finish(mut self) -> ObjTemplate {
        let source = self.source;
        self.push(&source[self.taken..]);
        let at = self.template.normals.take().map_or(self.template.text.len(), |n| n.at);
        self.template.normals = (!self.numbers.is_empty()).then_some(Normals {
            at,
            count: self.numbers.len(),
            polygons: self.polygons,
        });
        self.template
    }
}

/// The character that stands for a byte of a file that is no UTF-8. Those beyond ASCII are for private use
/// and end in the byte, so that none of them is a blank.
fn char_of(byte: u8) -> char {
    if byte.is_ascii() {
        char::from(byte)
    } else {
        char::from_u32(0xe000 + u32::from(byte)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use crate::obj::parse_obj;

    /// What is written with the positions of the source, or with others.
    fn written(source: &[u8], moved: impl Fn(Point3<f64>) -> Point3<f64>) -> Vec<u8> {
        let template = ObjTemplate::parse(Path::new("a.obj"), source).unwrap();
        let positions = parse_obj(Path::new("a.obj"), source).unwrap().mesh.positions;
        let positions: Vec<_> = positions.into_iter().map(moved).collect();
        let mut out = Vec::new();
        template.write_to(&mut out, &positions).unwrap();
        out
    }

    const RICH: &str = "# made by hand\r\nmtllib cloth.mtl\r\no shirt\r\nv 0.0 0.0 0.0 0.5 0.5 1\r\n\
        v 1.0 0.0 0.0\r\nv 1.0 1.0 0.0 # tip\r\n\
        v 0.0 1.0 0.0\r\nvt 0 0\r\nvt 1 0\r\nvt 1 1\r\ng front sleeve\r\nusemtl red\r\ns 1\r\n\
        f 1/1 2/2 3/3 4/2\r\ns off\r\n\
        usemtl blue\r\nf -4/-3 -3/-2 \\\r\n  -1/-1\r\nl 1 2\r\nstitch 0 1 2 0.5\r\n";

    #[test]
    fn with_the_positions_of_the_input_the_output_is_the_input() {
        assert_eq!(String::from_utf8(written(RICH.as_bytes(), |p| p)).unwrap(), RICH);
        let bare = "v 0.0 0.0 0.0\nv 1.0 0.0 0.0\nv 0.0 0.0 1.0\nf 1 2 3";
        assert_eq!(written(bare.as_bytes(), |p| p), bare.as_bytes());
    }

    #[test]
    fn only_positions_change() {
        let found = String::from_utf8(written(RICH.as_bytes(), |p| p + Vector3::z() * 0.5)).unwrap();
        let different: Vec<_> =
            found.lines().zip(RICH.lines()).filter(|(a, b)| a != b).map(|(a, _)| a).collect();
        let expected = ["v 0.0 0.0 0.5 0.5 0.5 1", "v 1.0 0.0 0.5", "v 1.0 1.0 0.5 # tip", "v 0.0 1.0 0.5"];
        assert_eq!(different, expected);
        assert_eq!(found.lines().count(), RICH.lines().count());
    }

    #[test]
    fn bytes_that_are_no_utf8_and_a_byte_order_mark_are_kept() {
        let latin = b"g \xc4rmel\nv 0.0 0.0 0.0\nv 1.0 0.0 0.0\nv 0.0 0.0 1.0\nusemtl gr\xfcn\nf 1 2 3\n";
        assert_eq!(written(latin, |p| p), latin);
        // What would be a blank in Latin-1 is none, as where the mesh is read.
        let blank = b"v 0.0 0.0 0.0\nv 1.0 0.0 0.0\nv 0.0 0.0 1.0\nvt 0 0\nf 1/1/1\x853/-2/2 2 3\n";
        assert!(written(blank, |p| p).starts_with(b"v 0.0 0.0 0.0\n"));
        let marked = "\u{feff}v 0.0 0.0 0.0\nv 1.0 0.0 0.0\nv 0.0 0.0 1.0\ng \u{c4}rmel\nf 1 2 3\n";
        assert_eq!(written(marked.as_bytes(), |p| p), marked.as_bytes());
    }

    #[test]
    fn normals_are_those_of_the_new_shape_and_creases_stay() {
        // A book of two pages: the spine (vertices 1 and 2) has a normal for each page in the first file, and
        // one for both in the second.
        let book = |normals: &str, faces: &str| {
            format!("v 0 0 0\nv 0 0 1\nv 1 0 0\nv -1 0 0\n{normals}g pages\n{faces}g end\n")
        };
        let creased = book("vn 0 1 0\nvn 0 1 0\n", "f 1//1 2//1 3//1\nf 2//2 1//2 4//-1\n");
        let smooth = book("vn 0 1 0\n", "f 1//1 2//1 3//1\nf 2//1 1//1 4//1\n");
        // The pages stand up at a right angle to each other.
        let fold = |p: Point3<f64>| Point3::new(p.x, p.x.abs(), p.z);
        let normals = |source: &str| -> Vec<String> {
            let text = String::from_utf8(written(source.as_bytes(), fold)).unwrap();
            assert!(text.contains("g pages\nf ") && text.ends_with("g end\n"), "{text}");
            text.lines().filter(|line| line.starts_with("vn")).map(str::to_owned).collect()
        };
        let (left, right) = ("vn -0.707107 0.707107 0.000000", "vn 0.707107 0.707107 0.000000");
        assert_eq!(normals(&creased), [left, left, left, right, right, right]);
        let up = "vn 0.000000 1.000000 0.000000";
        assert_eq!(normals(&smooth), [up, up, left, right]);
        let text = String::from_utf8(written(creased.as_bytes(), fold)).unwrap();
        assert!(text.contains("f 1//1 2//2 3//3\nf 2//4 1//5 4//6\n"), "{text}");
    }

    #[test]
    fn edited_faces_go_are_cut_or_name_other_vertices() {
        let source = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\ng a\nf 1/1 2/2 3/1 4/2\n\
                      f 1 2 3 4\n\
                      f -3 -1 -5\ng b\nf 3 4 5\n";
        let faces = [[0, 1, 2], [0, 2, 3], [0, 1, 2], [0, 2, 3], [2, 4, 0], [2, 3, 4]];
        let edited = |keep: [bool; 6], vertex: [u32; 5]| {
            let edit = FaceEdit { faces: &faces, keep: &keep, vertex: &vertex };
            let path = Path::new("a.obj");
            let template = ObjTemplate::parse_edited(path, source.as_bytes(), Some(edit)).unwrap();
            let (mut out, at) = (Vec::new(), parse_obj(path, source.as_bytes()).unwrap().mesh.positions);
            template.write_to(&mut out, &at).unwrap();
            let text = String::from_utf8(out).unwrap();
            let start = text.find("vt 0 0").unwrap();
            text[start..].to_owned()
        };
        let all = edited([true; 6], [0, 1, 2, 3, 4]);
        assert!(source.ends_with(&all), "{all}");
        let some = edited([true, false, false, false, true, true], [0, 1, 2, 3, 3]);
        assert_eq!(some, "vt 0 0\nvt 1 0\ng a\nf 1/1 2/2 3/1\nf -3 4 -5\ng b\nf 3 4 4\n");
    }

    #[test]
    fn errors_name_their_line() {
        let line = |text: &str| ObjTemplate::parse(Path::new("a.obj"), text.as_bytes()).unwrap_err().line;
        assert_eq!(line("v 0 0 0\nv 1 0\n"), Some(2));
        assert_eq!(line("v 0 0 0\nf 1 2 3\n"), Some(2));
    }

    #[test]
    fn refuses_positions_that_do_not_fit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.obj");
        let template = ObjTemplate::from_polygons(3, &[[0, 1, 2]]);
        let error = |positions: &[Point3<f64>]| template.write(&path, positions).unwrap_err().problem;
        assert!(error(&[Point3::origin(); 2]).contains("2 positions for a file of 3"));
        assert!(error(&[Point3::new(0.0, f64::NAN, 0.0); 3]).contains("not finite"));
        assert!(!path.exists());
    }
}
