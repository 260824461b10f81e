//! USD layers: what is written reads back bit for bit, what other programs write is placed as they mean it,
//! and what needs more than a flat file is refused by the name of its prim.

use std::fs;
use std::path::{Path, PathBuf};

use cloth_io::{LoadedMesh, UsdMesh, UsdPrim, UsdWriter, read_mesh, write_mesh};
use nalgebra::Point3;
use proptest::prelude::*;
use tempfile::TempDir;

/// Values that a careless printer or reader changes.
const AWKWARD: [f32; 9] = [
    7.038_531e-26,
    -0.0,
    f32::MIN_POSITIVE,
    1e-45,
    f32::MAX,
    -16_777_217.0,
    1.0 / 3.0,
    0.300_000_04,
    1.000_000_1,
];

fn frame(shift: usize) -> Vec<Point3<f32>> {
    (0..9).map(|i| Point3::new(AWKWARD[i], AWKWARD[(i + shift) % 9], AWKWARD[(i + 2 * shift) % 9])).collect()
}

fn bits(frame: &[Point3<f64>]) -> Vec<u64> {
    frame.iter().flat_map(|p| [p.x, p.y, p.z]).map(f64::to_bits).collect()
}

fn widened(frame: &[Point3<f32>]) -> Vec<u64> {
    bits(&frame.iter().map(|p| p.map(f64::from)).collect::<Vec<_>>())
}

/// A layer in a folder of its own.
struct Saved(TempDir);

impl Saved {
    fn new(text: impl AsRef<[u8]>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.usda"), text).unwrap();
        Self(dir)
    }

    fn path(&self, prim: &str) -> PathBuf {
        self.0.path().join(format!("a.usda{prim}"))
    }

    fn read(&self) -> UsdMesh {
        UsdMesh::read(&self.path("")).unwrap()
    }

    fn problem(&self, prim: &str) -> String {
        let error = UsdMesh::read(&self.path(prim)).unwrap_err();
        format!("{}: {}", error.line.unwrap_or(0), error.problem)
    }
}

/// A stage in metres, y up, of what stands in it.
fn stage(prims: &str) -> String {
    format!("#usda 1.0\n(metersPerUnit = 1\nupAxis = \"Y\")\n{prims}\n")
}

/// A triangle with these properties besides.
fn triangle(name: &str, more: &str) -> String {
    format!(
        "def Mesh \"{name}\" {{ int[] faceVertexCounts = [3]\n int[] faceVertexIndices = [0, 1, 2]\n \
         uniform token subdivisionScheme = \"none\"\n {more}\n \
         {} }}",
        if more.contains("points") { "" } else { "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 2, 0)]" }
    )
}

fn positions(text: &str) -> Vec<[f64; 3]> {
    Saved::new(text).read().loaded.mesh.positions.iter().map(|p| p.coords.into()).collect()
}

const FACES: [[u32; 3]; 3] = [[0, 1, 2], [3, 4, 5], [6, 7, 8]];

#[test]
fn several_meshes_read_back_bit_for_bit_with_their_cuts() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.usda");
    let uv: Vec<[[f64; 2]; 3]> = (0..3).map(|k| [[f64::from(k), 0.5], [0.25, 1.0], [-1.0, 3.0]]).collect();
    let mut writer = UsdWriter::create(&path, 60.0).unwrap();
    let prim = UsdPrim { name: "a shirt", points: 9, faces: &FACES, uv: Some(&uv), ..UsdPrim::default() };
    let shirt = writer.add(&prim).unwrap();
    let other = writer.add(&prim).unwrap();
    let floor = writer.add(&UsdPrim { name: "1", is_body: true, uv: None, ..prim }).unwrap();
    let late = writer.add(&UsdPrim { name: "late", is_body: true, uv: None, ..prim }).unwrap();
    for k in 0..5 {
        writer.push(shirt, &frame(k), k == 3).unwrap();
        writer.push(other, &frame(k + 1), false).unwrap();
        writer.push(floor, &frame(7), false).unwrap();
        writer.push(late, &frame(k / 3), false).unwrap();
    }
    writer.finish().unwrap();
    let one = |prim: &str| UsdMesh::read(&dir.path().join(format!("a.usda#{prim}"))).unwrap();
    let shirt = one("/World/cloth/a_shirt");
    assert_eq!((shirt.state_count(), shirt.rate(), shirt.cuts()), (5, 60.0, &[3][..]));
    assert_eq!((shirt.loaded.mesh.faces.as_slice(), shirt.loaded.rest_uv.as_ref()), (&FACES[..], Some(&uv)));
    assert!(shirt.loaded.notes.is_empty(), "{:?}", shirt.loaded.notes);
    for k in [4, 0, 3, 1, 2] {
        assert_eq!(shirt.time_code(k), Some(k as f64));
        assert_eq!(bits(&shirt.read_frame(k).unwrap()), widened(&frame(k)));
        assert_eq!(bits(&one("a_shirt_2").read_frame(k).unwrap()), widened(&frame(k + 1)));
    }
    let problem = shirt.read_frame(5).unwrap_err().problem;
    assert_eq!(problem, "has no frame 5, only 5, counted from 0");
    let floor = one("bodies/_1");
    assert_eq!((floor.state_count(), floor.time_code(0), floor.cuts()), (1, None, &[][..]));
    assert_eq!(bits(&floor.loaded.mesh.positions), widened(&frame(7)));
    let late = one("late");
    assert_eq!(late.state_count(), 5);
    for k in 0..5 {
        assert_eq!(bits(&late.read_frame(k).unwrap()), widened(&frame(k / 3)), "{k}");
    }
    let all = UsdMesh::read(&path).unwrap();
    let names: Vec<&str> = all.loaded.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(
        names,
        ["/World/cloth/a_shirt", "/World/cloth/a_shirt_2", "/World/bodies/_1", "/World/bodies/late"]
    );
    // The other mesh has no sample between.
    assert_eq!((all.loaded.mesh.positions.len(), all.state_count(), all.cuts()), (36, 5, &[3][..]));
    assert_eq!(all.loaded.rest_uv, None);
}

#[test]
fn a_mesh_is_written_with_the_bits_of_single_precision() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("one.usda");
    let points: Vec<Point3<f64>> = frame(2).iter().map(|p| p.map(f64::from)).collect();
    write_mesh(&path, &points, &FACES).unwrap();
    let read = read_mesh(&path).unwrap();
    assert_eq!((bits(&read.mesh.positions), &read.mesh.faces[..]), (bits(&points), &FACES[..]));
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("def Mesh \"one\"") && !text.contains("timeSamples"), "{text}");
    let beyond = write_mesh(&path, &points[..8], &FACES).unwrap_err();
    assert!(beyond.problem.contains("names a vertex beyond 8"), "{beyond}");
}

#[test]
fn nothing_is_written_of_what_no_reader_takes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.usda");
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(UsdWriter::create(&path, rate).is_err());
    }
    let mut writer = UsdWriter::create(&path, 30.0).unwrap();
    let prim = UsdPrim { name: "x", points: 3, faces: &FACES[..1], ..UsdPrim::default() };
    assert!(writer.add(&UsdPrim { points: 2, ..prim }).is_err());
    assert!(writer.add(&UsdPrim { uv: Some(&[]), ..prim }).is_err());
    let x = writer.add(&prim).unwrap();
    assert!(writer.push(x, &frame(0), false).unwrap_err().problem.contains("has 9 points, not 3"));
    let broken = [Point3::new(0.0, f32::NAN, 0.0); 3];
    assert!(writer.push(x, &broken, false).unwrap_err().problem.contains("vertex 0 is not finite"));
    assert!(writer.push(9, &frame(0), false).is_err());
    drop(writer);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn units_and_axes_become_metres_and_y_up() {
    let head = |meta: &str| format!("#usda 1.0\n({meta})\n{}", triangle("t", ""));
    assert_eq!(positions(&stage(&triangle("t", "")))[2], [0.0, 2.0, 0.0]);
    assert_eq!(positions(&head("metersPerUnit = 0.5 ; upAxis = 'Z'"))[2], [0.0, 0.0, -1.0]);
    let read = Saved::new(head("")).read().loaded;
    assert_eq!(read.mesh.positions[2].y, 2.0 * 0.01);
    assert_eq!(read.notes.len(), 2, "{:?}", read.notes);
    assert!(read.notes[0].starts_with("says no metersPerUnit: 0.01"), "{:?}", read.notes);
    let zero = Saved::new(head("metersPerUnit = 0")).problem("");
    assert_eq!(zero, "2: metersPerUnit is no positive number");
    assert!(Saved::new(head("upAxis = \"X\"")).problem("").contains("upAxis `X`; it must be Y or Z"));
}

#[test]
fn transformations_apply_from_the_innermost_outward() {
    let ops = |ops: &str, order: &str| {
        stage(&format!(
            "def Xform \"a\" {{ double3 xformOp:translate = (10, 0, 0)\n uniform token[] xformOpOrder = \
             [\"xformOp:translate\"]\n def Xform \"b\" {{ {ops}\n uniform token[] xformOpOrder = [{order}]\n {} }} }}",
            triangle("t", "")
        ))
    };
    let second = |text: String| positions(&text)[1].map(|x| (x * 1e12).round() / 1e12);
    let turn = "float xformOp:rotateY = 90";
    assert_eq!(second(ops(turn, "\"xformOp:rotateY\"")), [10.0, 0.0, -1.0]);
    assert_eq!(second(ops(turn, "\"!invert!xformOp:rotateY\"")), [10.0, 0.0, 1.0]);
    assert_eq!(second(ops(turn, "\"!resetXformStack!\", \"xformOp:rotateY\"")), [0.0, 0.0, -1.0]);
    let both = format!("{turn}\n double3 xformOp:scale:big = (3, 1, 1)");
    assert_eq!(second(ops(&both, "\"xformOp:rotateY\", \"xformOp:scale:big\"")), [10.0, 0.0, -3.0]);
    // First about x, which keeps it, then about z.
    let three = "float3 xformOp:rotateXZY = (90, 0, 90)";
    assert_eq!(second(ops(three, "\"xformOp:rotateXZY\"")), [10.0, 1.0, 0.0]);
    let matrix = "matrix4d xformOp:transform = ((0, 2, 0, 0), (1, 0, 0, 0), (0, 0, 1, 0), (0, 0, 5, 1))";
    assert_eq!(second(ops(matrix, "\"xformOp:transform\"")), [10.0, 2.0, 5.0]);
    let half = "quatf xformOp:orient = (0.70710678, 0, 0, 0.70710678)\n double xformOp:translateZ = 4";
    let found = positions(&ops(half, "\"xformOp:translateZ\", \"xformOp:orient\""))[1];
    assert!((found[1] - 1.0).abs() < 1e-7 && found[2] == 4.0, "{found:?}");
}

#[test]
fn what_is_not_a_shape_in_space_transforms_nothing() {
    for kind in ["Scope", "", "Material", "Unknown"] {
        let text = stage(&format!(
            "def {kind} \"a\" {{ double3 xformOp:translate = (10, 0, 0)\n uniform token[] xformOpOrder = \
             [\"xformOp:translate\"]\n {} }}",
            triangle("t", "")
        ));
        assert_eq!(positions(&text)[1], [1.0, 0.0, 0.0], "{kind}");
    }
    let order =
        "double3 xformOp:translate = (10, 0, 0)\n uniform string xformOpOrder = \"xformOp:translate\"";
    assert_eq!(positions(&stage(&triangle("t", order)))[1], [1.0, 0.0, 0.0]);
}

#[test]
fn sampled_transformations_are_states_of_what_stands_still() {
    let text = stage(&format!(
        "def Xform \"a\" {{ double3 xformOp:translate.timeSamples = {{ 4: (0, 1, 0), 2: (0, 0, 0), }}\n \
         quatd xformOp:orient.timeSamples = {{ 2: (1, 0, 0, 0), 4: (0, 0, 0, 1), 3: (0.70710678, 0, 0, 0.70710678) }}\n \
         uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n {} }}",
        triangle("t", "")
    ));
    let read = Saved::new(&text).read();
    assert_eq!((read.state_count(), read.time_code(0), read.time_code(2)), (3, Some(2.0), Some(4.0)));
    let second = |k: usize| read.read_frame(k).unwrap()[1];
    assert_eq!(second(0), Point3::new(1.0, 0.0, 0.0));
    assert!((second(1) - Point3::new(0.0, 1.5, 0.0)).norm() < 1e-7, "{}", second(1));
    assert!((second(2) - Point3::new(-1.0, 1.0, 0.0)).norm() < 1e-12, "{}", second(2));
    // Between samples a mesh is on its way, in the precision of its points.
    let points = "point3f[] points.timeSamples = { 0: [(0, 0, 0), (1, 0, 0), (0, 2, 0)], 8: [(8, 0, 0), (9, 0, 0), (8, 2, 0)] }";
    let two = stage(&format!(
        "{} {}",
        triangle("slow", points),
        triangle("fast", &points.replace("8:", "2: [(0,0,0),(0,0,0),(0,0,0)], 8:"))
    ));
    let read = Saved::new(&two).read();
    assert_eq!(read.state_count(), 3);
    assert_eq!(read.read_frame(1).unwrap()[1].x, 3.0);
}

#[test]
fn polygons_are_cut_and_keep_the_side_that_faces_out() {
    let quad = |more: &str, order: &str| {
        stage(&format!(
            "def Xform \"a\" {{ float3 xformOp:scale = (1, 1, -1)\n uniform token[] xformOpOrder = [{order}]\n \
             def Mesh \"q\" {{ point3d[] points = [(0,0,0),(1,0,0),(1,1,0),(0,1,0),(5,5,0.1)]\n int[] faceVertexCounts = [4, 2]\n \
             int[] faceVertexIndices = [0,1,2,3, 0,1]\n {more}\n texCoord2f[] primvars:st = [(0,0),(1,0),(1,1),(0,1),(9,9)] (\n interpolation = \"vertex\" ) }} }}"
        ))
    };
    let read = |more, order| Saved::new(quad(more, order)).read().loaded;
    let LoadedMesh { mesh, rest_uv, notes, .. } = read("", "");
    assert_eq!(mesh.faces, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(mesh.positions[4].z, 0.1, "double precision is kept");
    assert_eq!(rest_uv.unwrap()[1], [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
    assert_eq!(notes.len(), 2, "{notes:?}");
    let left = read("uniform token orientation = \"leftHanded\"", "");
    assert_eq!(left.mesh.faces, [[3, 2, 1], [3, 1, 0]]);
    assert_eq!(left.rest_uv.unwrap()[0], [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]);
    assert_eq!(read("", "\"xformOp:scale\"").mesh.faces, left.mesh.faces, "a mirror turns faces over");
    let both = read("uniform token orientation = \"leftHanded\"", "\"xformOp:scale\"");
    assert_eq!(both.mesh.faces, [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn what_is_not_rendered_or_not_there_is_left_out() {
    let parts = [
        triangle("seen", ""),
        triangle("hidden", "token visibility = \"invisible\""),
        triangle("guide", "uniform token purpose = \"guide\""),
        triangle("off", "").replacen("{", "(active = false) {", 1),
        triangle("over", "").replacen("def", "over", 1),
        format!("class \"c\" {{ {} }}", triangle("classed", "")),
        "def Sphere \"ball\" { double radius = 2 }".to_owned(),
        "def \"untyped\" { custom rel friend = [</seen>, </off>]\n string s = 'a \\' }'\n asset f = @x}y@ }"
            .to_owned(),
    ];
    let read = Saved::new(stage(&parts.join("\n"))).read().loaded;
    assert_eq!((read.mesh.positions.len(), read.groups.len()), (3, 1));
    let notes = ["2 meshes left out: invisible", "1 shapes that are no meshes left out, first /ball"];
    assert!(notes.iter().zip(&read.notes).all(|(start, note)| note.starts_with(start)), "{:?}", read.notes);
}

#[test]
fn a_prim_is_chosen_by_its_path_or_its_name() {
    let text = stage(&format!(
        "def Xform \"a\" {{ {} {} }} {}",
        triangle("x", ""),
        triangle("xy", ""),
        triangle("b", "")
    ));
    let saved = Saved::new(text);
    let groups = |prim: &str| UsdMesh::read(&saved.path(prim)).unwrap().loaded.groups.len();
    assert_eq!(["", "#/a", "#x", "#/a/xy", "#a/x", "#", "#/"].map(groups), [3, 2, 1, 1, 1, 3, 3]);
    let none = saved.problem("#/x");
    assert_eq!(none, "1: has no mesh to read at or below `/x`; it has /a/x, /a/xy, /b");
    assert!(saved.read().loaded.notes[0].starts_with("3 meshes are read as one; FILE#/a/x names"));
}

#[test]
fn what_other_layers_bring_in_is_refused_by_its_prim() {
    for (name, meta) in [
        ("references", "prepend references = @other.usda@</x> (offset = 1)"),
        ("references", "references = </c>"),
        ("payload", "payload = @@@a@b.usda@@@"),
        ("inherits", "inherits = [</c>]"),
        ("specializes", "add specializes = </c>"),
        ("variantSets", "append variantSets = \"size\""),
        ("clips", "clips = { dictionary default = { } }"),
    ] {
        let text = stage(&format!(
            "def \"w\" {{\n {} }}",
            triangle("shirt", "").replacen("{", &format!("({meta}) {{"), 1)
        ));
        let problem = Saved::new(text).problem("");
        let wanted = format!("5: `/w/shirt` has `{name}`, which is not read; `usdcat --flatten");
        assert!(problem.starts_with(&wanted), "{meta}: {problem}");
    }
    for meta in [
        "references = None",
        "inherits = []",
        "variants = { string size = \"s\" }",
        "instanceable = true",
        "doc = \"references\"",
    ] {
        let text = stage(&triangle("shirt", "").replacen("{", &format!("({meta}) {{"), 1));
        assert_eq!(positions(&text).len(), 3, "{meta}");
    }
    let instance = triangle("i", "").replacen("{", "(instanceable = true\n references = </c>) {", 1);
    let problem = Saved::new(stage(&instance)).problem("");
    assert!(
        problem.contains("`references`, which is not read; `instanceable = false`, then `usdcat"),
        "{problem}"
    );
    let layers = "#usda 1.0\n(\n subLayers = [@a.usda@ (offset = 3)]\n)\n";
    assert!(Saved::new(layers).problem("").starts_with("3: has subLayers, which are not read; `usdcat"));
    let variants = stage(&triangle("t", "variantSet \"size\" = { \"s\" { } }"));
    assert!(Saved::new(variants).problem("").contains("`/t` has variants"));
    assert!(Saved::new(stage("def PointInstancer \"p\" { }")).problem("").contains("`/p` has instances"));
    for binary in [&b"PXR-USDC\0\0"[..], b"PK\x03\x04", b"", b"# usda"] {
        assert!(Saved::new(binary).problem("").contains("`usdcat --flatten"));
    }
}

#[test]
fn a_mesh_that_is_not_valid_is_refused_with_its_line() {
    for (more, problem) in [
        ("int[] holeIndices = [0]", "has holes"),
        ("int[] primvars:skel:jointIndices = [0]", "is bound to a skeleton"),
        ("int[] faceVertexIndices = [0, 1, 3]", "names vertex 3, but there are 3"),
        ("int[] faceVertexIndices = [0, 1, -2]", "has a number in faceVertexIndices that is no count"),
        ("int[] faceVertexIndices = [0, 1, 2, 0]", "has 4 corners"),
        ("int[] faceVertexCounts = [1e300]", "is no count"),
        ("int[] faceVertexIndices = [0, 1 2]", "`]` is missing here"),
        ("point3h[] points = [(0, 0, 0)]", "has no points of single or double precision"),
        ("point3f[] points", "has no points of single or double precision"),
        ("point3f[] points = None", "has no points of single or double precision"),
        ("point3f[] points = [(0, 0, 0), (1, 0, 0), (0, inf, 0)]", "vertex 2 is not finite"),
        ("point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1e39, 0)]", "vertex 2 is not finite"),
        ("point3f[] points = [(0, 0), (1, 0, 0)]", "`,` is missing here"),
        ("uniform token[] xformOpOrder = [\"xformOp:rotateXYX\"]", "is not known"),
        ("uniform token[] xformOpOrder = [\"xformOp:scale\"]", "has no value"),
        (
            "double3 xformOp:scale = (0, 1, 1)\n uniform token[] xformOpOrder = [\"!invert!xformOp:scale\"]",
            "has no inverse",
        ),
        (
            "double xformOp:scaleX = 2\n uniform token[] xformOpOrder = [\"!invert!xformOp:scaleX\"]",
            "is inverted by other programs in another way",
        ),
        (
            "quatf xformOp:orient = (1, 0.1, 0, 0)\n uniform token[] xformOpOrder = [\"xformOp:orient\"]",
            "this quaternion is not of length 1",
        ),
        (
            "double xformOp:rotateX = 3\n double xformOp:rotateX.spline = { 1: 0; pre (0, 0) }\n \
             uniform token[] xformOpOrder = [\"xformOp:rotateX\"]",
            "`xformOp:rotateX` of /t is a spline or half-precision",
        ),
        ("def", "a string is missing here"),
        ("[]", "is no property of a prim"),
        ("point3f[] points = [(0, 0, 0", "closes another bracket than was opened"),
        ("string s = \"a", "the file is cut short"),
        ("point3f[] points.timeSamples = { x: [] }", "is no time code"),
        ("int[] faceVertexCounts.timeSamples = { 0: [3], 1: [2] }", "the topology changes over time"),
    ] {
        let found = Saved::new(stage(&triangle("t", more))).problem("");
        let line: usize = found.split(':').next().unwrap().parse().unwrap();
        assert!(found.contains(problem) && (line >= 4), "{more}: {found}");
    }
    for holes in ["int[] holeIndices", "int[] holeIndices = None", "int[] holeIndices = []"] {
        assert_eq!(positions(&stage(&triangle("t", holes))).len(), 3, "{holes}");
    }
    let without = stage(&triangle("t", "")).replace("faceVertexCounts = [3]", "faceVertexCounts");
    assert!(Saved::new(without).problem("").ends_with(": `/t` has no faceVertexCounts"));
    let shrinks =
        triangle("t", "point3f[] points.timeSamples = { 0: [(0,0,0),(1,0,0),(0,1,0)], 1: [(0,0,0)] }");
    let error = Saved::new(stage(&shrinks)).read().read_frame(1).unwrap_err().problem;
    assert_eq!(error, "/t has 1 points here, and 3 in its first sample");
    let blocked = shrinks.replace("1: [(0,0,0)]", "1: None");
    let error = Saved::new(stage(&blocked)).read().read_frame(1).unwrap_err().problem;
    assert_eq!(error, "/t: points: `[` is missing here");
    let deep = "def \"a\" {".repeat(100_000);
    assert!(Saved::new(stage(&deep)).problem("").contains("nested more than 256 deep"));
    let long = format!("def \"{}\" {{ }}", "a".repeat(1024));
    assert!(Saved::new(stage(&long)).problem("").contains("more than 1024 bytes"));
    assert!(Saved::new(stage("def \"a\" {")).problem("").contains("/a does not end"));
}

#[test]
fn a_held_sample_is_a_cut_and_dense_samples_are_not() {
    let at = |x: f64| format!("[({x}, 0, 0), (1, 0, 0), (0, 1, 0)]");
    let read = |samples: &[(f64, f64)]| {
        let samples: Vec<String> = samples.iter().map(|(time, x)| format!("{time}: {}", at(*x))).collect();
        let points = format!("point3f[] points.timeSamples = {{ {} }}", samples.join(", "));
        let read = Saved::new(stage(&triangle("t", &points))).read();
        (read.state_count(), read.cuts().to_vec())
    };
    assert_eq!(read(&[(0.0, 0.0), (1.0, 0.5), (1.999, 0.5), (2.0, 9.0), (3.0, 9.5)]), (4, vec![2]));
    // It is another one than the sample before, or is not close to the next.
    assert_eq!(read(&[(0.0, 0.0), (1.0, 0.5), (1.999, 0.6), (2.0, 9.0)]), (4, vec![]));
    assert_eq!(read(&[(0.0, 0.0), (1.0, 0.5), (1.5, 0.5), (2.0, 9.0)]), (4, vec![]));
    // Still cloth, sampled more often than a frame.
    assert_eq!(read(&[(0.0, 0.5), (0.004, 0.5), (0.008, 0.5), (0.012, 0.5)]), (4, vec![]));
}

/// Everything of a layer, or why not.
fn read_all(path: &Path) -> Result<(), String> {
    let read = UsdMesh::read(path).map_err(|e| e.to_string())?;
    for k in 0..read.state_count() {
        read.read_frame(k).map_err(|e| e.to_string())?;
    }
    let vertices = read.loaded.mesh.positions.len();
    assert!(read.loaded.mesh.faces.iter().flatten().all(|&v| (v as usize) < vertices));
    Ok(())
}

const SAMPLE: &str = "#usda 1.0\n( \"doc\" metersPerUnit = 0.01 upAxis = \"Z\" )\n# c\ndef Xform \"a\" ( kind = 'x' ) {\n \
    double3 xformOp:translate.timeSamples = { 1: (1, 2, 3), 2: (1, 2, 4) }\n uniform token[] xformOpOrder = \
    [\"xformOp:translate\"]\n def Mesh \"m\" { int[] faceVertexCounts = [3, 4] /* c */ int[] faceVertexIndices = \
    [0, 1, 2, 0, 1, 2, 3]\n point3f[] points.timeSamples = { 0: [(0,0,0),(1,0,0),(1,1,0),(0,1,0)], 3: \
    [(0,0,1),(1,0,1),(1,1,1),(0,1,1)] }\n rel r = </a> float2[] primvars:st = [(0,0),(1,1)] ( interpolation = \
    \"faceVarying\" ) int[] primvars:st:indices = [0,1,0,1,0,1,0] } }";

proptest! {
    #[test]
    fn random_text_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read_all(&Saved::new(bytes.clone()).path(""));
        let behind = [b"#usda 1.0\n", bytes.as_slice()].concat();
        let _ = read_all(&Saved::new(behind).path(""));
    }

    #[test]
    fn random_tokens_are_read_or_refused(tokens in prop::collection::vec(prop::sample::select(vec![
        "def", "over", "Mesh", "Xform", "\"a\"", "{", "}", "(", ")", "[", "]", ",", "=", ":", "points", ".timeSamples",
        "point3f[]", "int[]", "faceVertexCounts", "faceVertexIndices", "0", "1", "-1", "1e9", "nan", "@x@", "</a>", "None",
        "'''", "#", "\n", "//", "/*", "*/", "references", "xformOp:scale", "uniform", "token", "rel", ";", "reorder", "\\",
    ]), 0..60)) {
        let text = format!("#usda 1.0\n{}", tokens.join(" "));
        let _ = read_all(&Saved::new(text).path(""));
    }

    #[test]
    fn spoiled_layers_are_read_or_refused(edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..3), 1..6)) {
        let mut bytes = SAMPLE.as_bytes().to_vec();
        for (at, byte, how) in edits {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, byte),
            }
            if bytes.is_empty() { break }
        }
        let _ = read_all(&Saved::new(bytes).path(""));
    }

    #[test]
    fn layers_that_are_cut_short_are_refused(end in 0..SAMPLE.len() - 1) {
        let found = read_all(&Saved::new(&SAMPLE[..end]).path(""));
        prop_assert!(found.is_err(), "{:?}", &SAMPLE[..end]);
    }
}

#[test]
fn the_layer_that_is_spoiled_is_valid() {
    assert_eq!(read_all(&Saved::new(SAMPLE).path("")), Ok(()));
}
