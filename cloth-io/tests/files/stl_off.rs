//! STL and OFF files as other programs write them, written ones that read back, and files that are broken.

use std::fmt::Write;
use std::path::Path;

use cloth_geom::TriMesh;
use cloth_io::{FileError, LoadedMesh, off::parse_off, read_mesh, stl::parse_stl, write_mesh};
use nalgebra::Point3;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

fn stl(bytes: &[u8]) -> Result<LoadedMesh, String> {
    parse_stl(Path::new("a.stl"), bytes).map_err(|e| e.to_string())
}

fn off(text: &str) -> Result<LoadedMesh, String> {
    parse_off(Path::new("a.off"), text.as_bytes()).map_err(|e| e.to_string())
}

const TEXT: &str = "solid left one\r\nfacet normal 0 0 1\r\n outer loop\r\n  vertex 0 0 0\r\n  \
    VERTEX 1 0 0\r\n  vertex 0 0.1 0\r\n endloop\r\nendfacet\r\nendsolid left one\r\n\n\
    solid\nfacet normal 0 0 nan\nouter loop\n\
    vertex 1.0 0e9 -0\nvertex 1 1 0\nvertex 0 .1 0\nendloop\nendfacet\nendsolid";

/// A binary file of these corners whose header begins with `start`.
fn binary(start: &[u8], faces: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut bytes = start.to_vec();
    bytes.resize(80, b' ');
    bytes.extend((faces.len() as u32).to_le_bytes());
    for face in faces {
        bytes.extend([0; 12]);
        bytes.extend(face.iter().flatten().flat_map(|c| c.to_le_bytes()));
        bytes.extend([7; 2]);
    }
    bytes
}

const SQUARE: [[[f32; 3]; 3]; 2] = [
    [[0.0, 0.0, 0.0], [1.0, -0.0, 0.0], [0.0, 0.1, 0.0]],
    [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [-0.0, 0.1, -0.0]],
];

#[test]
fn equal_corners_of_stl_are_one_vertex_and_a_note_says_so() {
    let text = stl(TEXT.as_bytes()).unwrap();
    assert_eq!(text.mesh.faces, [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(text.mesh.positions[2], Point3::new(0.0, 0.1, 0.0));
    assert_eq!(text.groups.len(), 1, "the second solid has no name");
    assert_eq!((text.groups[0].name.as_str(), text.groups[0].faces.clone()), ("left one", 0..1));
    assert!(text.notes[0].ends_with("6 corners are 4 vertices"), "{:?}", text.notes);
    // Many programs begin a binary file like a text file.
    for start in [&b"solid of some program"[..], b"", b"\0\0", b"SOLID \xff"] {
        let found = stl(&binary(start, &SQUARE)).unwrap();
        assert_eq!(found.mesh.faces, text.mesh.faces);
        assert_eq!(found.mesh.positions[2].y, f64::from(0.1f32), "f32 widens exactly");
    }
}

#[test]
fn stl_that_is_cut_short_or_not_valid_is_refused() {
    let whole = binary(b"solid", &SQUARE);
    for end in 0..whole.len() {
        assert!(stl(&whole[..end]).is_err(), "{end}");
    }
    for end in 0..TEXT.len() {
        // The first of two solids is a whole file.
        let is_whole = TEXT[..end].ends_with("endsolid")
            || (TEXT.find("endsolid").unwrap() + 8..=TEXT.find("\nsolid").unwrap() + 1).contains(&end);
        assert_eq!(stl(&TEXT.as_bytes()[..end]).is_ok(), is_whole, "{end}");
    }
    let changed = |from: &str, to: &str| stl(TEXT.replacen(from, to, 1).as_bytes()).unwrap_err();
    let mut nan = SQUARE;
    nan[1][2][0] = f32::NAN;
    let mut promised = whole.clone();
    promised[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    for (error, wanted) in [
        (changed("VERTEX 1 0 0", "vertex 1 0"), "a.stl:5: `vertex 1 0` is no corner"),
        (changed("VERTEX 1 0 0", "vertex 1 0 inf"), "a.stl:5: `vertex 1 0 inf` is no corner"),
        (changed("VERTEX 1 0 0", "vertex 1 0 0 0"), "a.stl:5: "),
        (changed("  VERTEX 1 0 0\r\n", ""), "a.stl:6: a loop that has not three corners"),
        (changed(" endloop\r\n", "vertex 0 0 0\n"), "a.stl:7: a corner that is of no triangle"),
        (changed("endfacet", "what"), "a.stl:8: `what` is not expected here"),
        (changed("solid", "solit"), "a.stl: is no text STL"),
        (stl(b"solid a\nendsolid a").unwrap_err(), "a.stl: has no faces"),
        (stl(&binary(b"", &[])).unwrap_err(), "a.stl: has no faces"),
        (stl(&binary(b"", &nan)).unwrap_err(), "a.stl: face 1 has a coordinate that is not finite"),
        (stl(&promised).unwrap_err(), "a.stl: is no text STL, which begins with `solid`, and as binary STL"),
        (stl(b"").unwrap_err(), "a.stl: is no STL"),
    ] {
        assert!(error.starts_with(wanted) && !error.contains('\n'), "{error}");
    }
}

const SQUARE_OFF: &str =
    "OFF # made here\n\n# counts\n4 2 0\n0 0 0\n1 0 0\n1 1 0 # corner\n0.1 1 1e-3\n3 0 1 2\n4 0 1 2 3\n";

#[test]
fn reads_off_with_colours_normals_comments_and_polygons() {
    let plain = off(SQUARE_OFF).unwrap();
    assert_eq!(plain.mesh.faces, [[0, 1, 2], [0, 1, 2], [0, 2, 3]]);
    assert_eq!(plain.mesh.positions[3], Point3::new(0.1, 1.0, 1e-3));
    let rows = "\n0 0 0 9 9 9 255\n1 0 0 9 9 9 255\n1 1 0 9 9 9 255\n0.1 1 1e-3 9 9 9 255\n\
                3 0 1 2 1.0 0 0\r\n4 0 1 2 3 7\n2 0 1";
    for head in ["COFF\n4 3 0", "NOFF 4 3", "STCNOFF\r\n4 3 0\r", "OFF4 3 0", "OFF\n4 3 9 # edges"] {
        let found = off(&format!("{head}{rows}")).unwrap();
        assert_eq!(found.mesh, plain.mesh, "{head}");
        assert_eq!(found.notes, ["1 faces of fewer than three corners left out"]);
    }
}

#[test]
fn off_that_is_cut_short_or_not_valid_is_refused() {
    let changed = |from: &str, to: &str| off(&SQUARE_OFF.replacen(from, to, 1)).unwrap_err();
    for (error, wanted) in [
        (changed("OFF", "OOF"), "a.off:1: `OOF` is not `OFF`"),
        (changed("OFF", "4OFF"), "a.off:1: `4OFF` is not an OFF of three dimensions"),
        (changed("OFF", "OFF BINARY"), "a.off:1: is binary OFF"),
        (changed("4 2 0", "4 2 0 0"), "a.off:4: `4 2 0 0` are no numbers"),
        (changed("4 2 0", "-4 2 0"), "a.off:4: `-4 2 0` are no numbers"),
        (changed("4 2 0", "18446744073709551615 2 0"), "a.off: is cut short: a vertex"),
        (changed("4 2 0", "4 99999999999 0"), "a.off: is cut short: a face"),
        (changed("4 2 0", "4 1 0"), "a.off:10: follows the 4 vertices and 1 faces"),
        (changed("1 1 0", "1 nan 0"), "a.off:7: `1 nan 0` is no position"),
        (changed("1 1 0", "1 1"), "a.off:7: `1 1` is no position"),
        (changed("3 0 1 2", "3 0 1 4"), "a.off:9: a face names vertex `4`, but there are 4"),
        (changed("3 0 1 2", "3 0 1 -1"), "a.off:9: a face names vertex `-1`"),
        (changed("3 0 1 2", "4 0 1 2"), "a.off:9: `4 0 1 2` is no face"),
        (changed("3 0 1 2", "x 0 1 2"), "a.off:9: `x 0 1 2` is no face"),
        (changed("3 0 1 2", "99999999999999999999999 0 1 2"), "a.off:9: "),
        (off("OFF 3 0 0\n0 0 0\n0 0 1\n0 1 0").unwrap_err(), "a.off: has no faces"),
        (off("").unwrap_err(), "a.off: is empty"),
    ] {
        assert!(error.starts_with(wanted) && !error.contains('\n'), "{error}");
    }
    for end in 0..SQUARE_OFF.len() - 3 {
        assert!(off(&SQUARE_OFF[..end]).is_err(), "{end}");
    }
}

#[test]
fn what_cannot_be_written_leaves_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let [far, nan] = [1e39, f64::NAN].map(|x| vec![Point3::new(x, 0.0, 0.0); 3]);
    let write = |name: &str, positions: &[Point3<f64>], face: [u32; 3]| {
        write_mesh(&dir.path().join(name), positions, &[face]).err().map(|e: FileError| e.problem)
    };
    for name in ["a.obj", "a.ply", "a.stl", "a.off"] {
        assert!(write(name, &nan, [0, 1, 2]).unwrap().contains("vertex 0 is not finite"), "{name}");
        assert!(write(name, &far, [0, 1, 3]).unwrap().contains("beyond 3"), "{name}");
    }
    assert!(write("a.stl", &far, [0, 1, 2]).unwrap().contains("beyond the numbers of STL"));
    assert!(write("a.fbx", &far, [0, 1, 2]).unwrap().contains("known are: obj, ply, stl, off"));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    assert_eq!(write("a.off", &far, [0, 1, 2]), None);
}

fn check(read: Result<LoadedMesh, FileError>) {
    match read {
        Ok(m) => {
            assert!(m.mesh.faces.iter().flatten().all(|&v| (v as usize) < m.mesh.positions.len()));
            assert!(m.mesh.positions.iter().all(|p| p.iter().all(|c| c.is_finite())));
        }
        Err(e) => assert!(!e.to_string().contains('\n')),
    }
}

fn bits(positions: &[Point3<f64>]) -> Vec<[u64; 3]> {
    positions.iter().map(|p| [p.x, p.y, p.z].map(f64::to_bits)).collect()
}

fn finite() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("proptest-regressions"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn never_panics_on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut numbers = String::new();
        bytes.iter().for_each(|b| write!(numbers, "{} ", i32::from(*b) - 100).unwrap());
        for head in ["", "solid\nouter loop\n", "solid\nouter loop\nvertex ", "OFF\n", "OFF 2 1 0\n"] {
            for body in [&text, &numbers] {
                let bytes = format!("{head}{body}").into_bytes();
                check(parse_stl(Path::new("a.stl"), &bytes));
                check(parse_off(Path::new("a.off"), &bytes));
            }
        }
        check(parse_stl(Path::new("a.stl"), &bytes));
    }

    #[test]
    fn never_panics_on_a_valid_file_with_changed_bytes(
        changes in prop::collection::vec((any::<u16>(), any::<u8>()), 1..12),
    ) {
        let texts = [TEXT, SQUARE_OFF].map(|text| text.as_bytes().to_vec());
        for mut bytes in texts.into_iter().chain([binary(b"solid", &SQUARE)]) {
            for &(at, byte) in &changes {
                let at = at as usize % bytes.len();
                bytes[at] = byte;
            }
            check(parse_stl(Path::new("a.stl"), &bytes));
            check(parse_off(Path::new("a.off"), &bytes));
        }
    }

    #[test]
    fn every_bit_of_a_mesh_reads_back(
        numbers in prop::collection::vec(prop::array::uniform3(finite()), 3..20),
        corners in prop::collection::vec(prop::array::uniform3(any::<prop::sample::Index>()), 1..20),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let positions: Vec<Point3<f64>> = numbers.iter().copied().map(Point3::from).collect();
        let faces: Vec<[u32; 3]> =
            corners.iter().map(|f| f.map(|v| v.index(positions.len()) as u32)).collect();
        for name in ["a.obj", "a.ply", "a.OFF"] {
            let path = dir.path().join(name);
            write_mesh(&path, &positions, &faces).unwrap();
            let found = read_mesh(&path).unwrap().mesh;
            prop_assert_eq!(bits(&found.positions), bits(&positions));
            prop_assert_eq!(found.faces, faces.clone());
        }
    }

    /// The corners of STL are the rounded positions, whichever of them were joined.
    #[test]
    fn every_corner_of_stl_reads_back_as_rounded(
        numbers in prop::collection::vec(prop::array::uniform3(-3i8..3), 3..20),
        scale in -1e3f64..1e3,
        corners in prop::collection::vec(prop::array::uniform3(any::<prop::sample::Index>()), 1..20),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.stl");
        let position = |p: &[i8; 3]| Point3::from(p.map(|c| f64::from(c) * scale));
        let mesh = TriMesh::new(
            numbers.iter().map(position).collect(),
            corners.iter().map(|f| f.map(|v| v.index(numbers.len()) as u32)).collect(),
        );
        write_mesh(&path, &mesh.positions, &mesh.faces).unwrap();
        let found = read_mesh(&path).unwrap().mesh;
        let corners = |mesh: &TriMesh| {
            let at = |v: &u32| mesh.positions[*v as usize].map(|c| f64::from(c as f32));
            mesh.faces.iter().flatten().map(at).collect::<Vec<_>>()
        };
        prop_assert_eq!(corners(&found), corners(&mesh));
        let mut unique = bits(&found.positions.iter().map(|p| p.map(|c| c + 0.0)).collect::<Vec<_>>());
        unique.sort_unstable();
        unique.dedup();
        prop_assert_eq!(unique.len(), found.positions.len());
    }
}
