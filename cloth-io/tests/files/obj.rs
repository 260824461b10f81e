//! What OBJ files state in their many notations, and what is said about those that are wrong.

use std::path::Path;

use cloth_io::{Group, LoadedMesh, ObjTemplate, VertexUv, obj::parse_obj};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

fn load(text: &str) -> Result<LoadedMesh, String> {
    parse_obj(Path::new("a.obj"), text.as_bytes()).map_err(|e| e.to_string())
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

fn square(rest: &str) -> Result<LoadedMesh, String> {
    load(&format!("{SQUARE}{rest}"))
}

#[test]
fn keeps_vertices_as_the_file_numbers_them() {
    // The first vertex is unused, the third and fourth coincide, and the faces name them backwards.
    let m = load("v 9 9 9\nv 1 0 0\nv 0 1 0\nv 0 1 0\nv 0 0 1\nf 5 4 2\nf 3 2 5\n").unwrap();
    let x: Vec<f64> = m.mesh.positions.iter().map(|p| p.x).collect();
    assert_eq!(x, [9.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(m.mesh.faces, [[4, 3, 1], [2, 1, 4]]);
}

#[test]
fn does_not_split_a_vertex_that_has_two_texture_coordinates() {
    let m = square("vt 0 0\nvt 1 0\nvt 1 1\nvt 9 9\nf 1/1 2/2 3/3\nf 1/4 3/3 4/1").unwrap();
    assert_eq!(m.mesh.positions.len(), 4);
    assert_eq!(m.rest_uv.as_ref().unwrap()[1], [[9.0, 9.0], [1.0, 1.0], [0.0, 0.0]]);
    assert_eq!(m.vertex_uv(), VertexUv::Seam { vertex: 0 });
}

#[test]
fn takes_rest_coordinates_only_if_every_corner_has_them() {
    let m = square("vt 0 0\nvt 0.5\nvt 1 1 7\nf 1/1/1 2/2/1 3/3/1\nf 1 3 4").unwrap();
    assert_eq!(m.rest_uv, None);
    assert_eq!(m.notes, ["1 of 2 faces lack texture coordinates: no rest shape from them"]);
    let m = square("vt 0 0\nvt 0.5\nvt 1 1 7\nf 1/1/1 2/2/1 3/3/1").unwrap();
    assert_eq!(m.rest_uv.unwrap(), [[[0.0, 0.0], [0.5, 0.0], [1.0, 1.0]]]);
}

#[test]
fn rest_coordinates_follow_the_corners_of_a_polygon_that_is_cut() {
    let text = "v 0 0 0\nv 4 0 0\nv 1 1 0\nv 0 4 0\nvt 0 0\nvt 4 0\nvt 1 1\nvt 0 4\nf 2/2 3/3 4/4 1/1";
    let m = load(text).unwrap();
    assert_eq!(m.mesh.faces.len(), 2);
    for (face, uv) in m.mesh.faces.iter().zip(m.rest_uv.unwrap()) {
        for (&v, uv) in face.iter().zip(uv) {
            let p = m.mesh.positions[v as usize];
            assert_eq!([p.x, p.y], uv);
        }
        let [a, b, c] = face.map(|v| m.mesh.positions[v as usize]);
        assert!((b - a).cross(&(c - a)).z > 0.0, "{face:?} is flipped");
    }
}

#[test]
fn reads_the_same_mesh_however_it_is_written() {
    let wanted = square("f 1 2 3 4\n").unwrap();
    let ways = [
        format!("{SQUARE}f -4 -3 -2 -1"),
        format!("{SQUARE}f 1//7 2//7 3//7 4//7\n"),
        format!("{SQUARE}f 1 2 \\\n 3 4 # a comment\n"),
        format!("\u{feff}# c:\\\nmtllib gone.mtl\n{SQUARE}usemtl\ts\ns off\nvn 0 0 1\nf 1 2 3 4"),
        format!("{SQUARE}f 1 2 3 4").replace('\n', "\r\n"),
        format!("{SQUARE}f 1 2 3 4").replace('\n', "\r"),
        format!("  {SQUARE}\tf\t1  2 3 4 ")
            .replace(" 1 0\n", " +1. -0e3 0.5 0.5 0.5\n")
            .replace("0.5 0.5 0.5", "1 0 0"),
        format!("f 1 2 3 4\n{SQUARE}"),
        format!("{SQUARE}f 1 1 2 2 3 4 4 1"),
    ];
    for way in ways {
        assert_eq!(load(&way).unwrap_or_else(|e| panic!("{way}: {e}")).mesh, wanted.mesh, "{way}");
    }
}

#[test]
fn keeps_groups_as_ranges_of_triangles() {
    let m = square("f 1 2 3\no  left sleeve \ng\nf 1 2 3 4\nf 1 2 4\ng b\n o c \nf 4 2 1").unwrap();
    let wanted = [("", 1..4), ("c", 4..5)].map(|(name, faces)| Group { name: name.into(), faces });
    assert_eq!(m.groups, wanted);
}

#[test]
fn leaves_out_what_is_no_surface_and_says_so() {
    let m = square("p 1 2\nl 1 2 3\nl 1 2\nf 1 2\nf\nstitch 1 2 3 0.5\nv 5 5 5 2\nf 1 2 3").unwrap();
    assert_eq!(m.mesh.faces, [[0, 1, 2]]);
    assert_eq!(m.mesh.positions[4].x, 5.0);
    assert_eq!(
        m.notes,
        [
            "1 `stitch` statements left out, first in line 10",
            "2 faces of fewer than three corners left out, first in line 8",
            "2 lines (`l`) left out, first in line 6",
            "1 points (`p`) left out, first in line 5",
            "1 vertices with a weight other than 1: weight ignored, first in line 11",
        ]
    );
}

#[test]
fn names_the_line_of_what_is_wrong() {
    let wrong = [
        ("v 0 0\nf 1 2 3", "a.obj:5: `v` needs three numbers"),
        ("v 0 0 x\nf 1 2 3", "a.obj:5: `v` needs three numbers"),
        ("vt\nf 1 2 3", "a.obj:5: `vt` needs two numbers"),
        ("v 0 nan 0\nf 1 2 3", "a.obj:5: a coordinate is not a finite number"),
        ("v 0 1e999 0\nf 1 2 3", "a.obj:5: a coordinate is not a finite number"),
        ("f 1 2 3\nf 0 1 2", "a.obj:6: index 0"),
        ("f 1 2 3\nf 5 1 2", "a.obj:6: index 5, but the file has 4 vertices"),
        ("f 1 2 3\nf -5 1 2", "a.obj:6: index -5, but only 4 vertices come before"),
        ("f 1 2 3\n\nf \\\n1 \\\n2 nine", "a.obj:7: `nine` is not an index"),
        ("f 1/1 2/1 3/1", "a.obj:5: index 1, but the file has 0 texture coordinates"),
        ("vt 0 0\nf 1/1 2/0 3/1", "a.obj:6: index 0"),
        ("f 1 2", "a.obj: has no faces"),
    ];
    for (text, wanted) in wrong {
        let error = square(text).unwrap_err();
        assert!(error.starts_with(wanted), "{text:?}: {error}");
    }
    assert!(load("").unwrap_err().starts_with("a.obj: is empty"));
    assert!(load("hello\nworld").unwrap_err().contains("is it an OBJ file?"));
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(SQUARE.bytes().flat_map(|b| [b, 0])).collect();
    assert!(parse_obj(Path::new("a.obj"), &utf16).unwrap_err().problem.contains("is UTF-16"));
}

#[test]
fn triangulates_a_polygon_of_many_corners_in_reasonable_time() {
    let comb = |teeth: u32| {
        let mut text = String::from("v 0 -1 0\n");
        for i in 0..teeth {
            text += &format!("v {} {} 0\n", teeth - i, i % 2);
        }
        let corners: Vec<String> = (1..=teeth + 1).map(|i| i.to_string()).collect();
        text + "f " + &corners.join(" ")
    };
    for teeth in [4000, 200_000] {
        let m = load(&comb(teeth)).unwrap();
        assert_eq!((m.mesh.faces.len(), m.notes.len()), (teeth as usize - 1, 0));
    }
}

fn check(bytes: &[u8]) {
    match parse_obj(Path::new("a.obj"), bytes) {
        Ok(m) => {
            let n = m.mesh.positions.len();
            assert!(m.mesh.faces.iter().flatten().all(|&v| (v as usize) < n));
            assert!(m.mesh.positions.iter().all(|p| p.iter().all(|c| c.is_finite())));
            assert!(m.groups.iter().all(|g| g.faces.end as usize <= m.mesh.faces.len()));
            let template = ObjTemplate::parse(Path::new("a.obj"), bytes).unwrap();
            assert_eq!(template.point_count(), n);
        }
        Err(e) => {
            assert!(!e.to_string().contains('\n'));
            // Not all that has no surface is refused here, and nothing panics.
            drop(ObjTemplate::parse(Path::new("a.obj"), bytes));
        }
    }
}

proptest! {
    // No `main.rs` stands above this file, so failures are kept next to it.
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("proptest-regressions"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn never_panics_on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check(&bytes);
    }

    #[test]
    fn never_panics_on_statements_in_any_order(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "v", "vt", "vn", "f", "g", "o", "l", "p", "\n", "\n", "\n", "1", "2", "3", "-1", "0",
                "1/1", "2/2/2", "3//3", "-9", "0.5", "nan", "1e400", "/", "//", "\\\n", "#", "\r",
                "9223372036854775807",
                "-9223372036854775808/-9223372036854775808", "usemtl", "mtllib x"]),
            0..80,
        )
    ) {
        check(words.join(" ").as_bytes());
        check(format!("{SQUARE}vt 0 0\nvt 1 0\nvt 1 1\nf 1 2 3\n{}", words.join(" ")).as_bytes());
    }

    #[test]
    fn never_panics_on_a_valid_file_with_changed_bytes(
        changes in prop::collection::vec((any::<u16>(), any::<u8>()), 1..12),
    ) {
        let mut bytes = format!("g a\n{SQUARE}vt 0 0\nvt 1 0\nvt 1 1\nf 1/1 2/2 3/3\nf -4/-1/1 -3/-2/2 \
                                 \\\n-2/-3/3 -1/-1/1\n").into_bytes();
        for (at, byte) in changes {
            let at = at as usize % bytes.len();
            bytes[at] = byte;
        }
        check(&bytes);
    }
}
