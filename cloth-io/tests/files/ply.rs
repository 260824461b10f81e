//! PLY files in all encodings and types, and files that promise more than they hold.

use std::path::Path;

use cloth_io::{LoadedMesh, ply::parse_ply};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

fn load(bytes: &[u8]) -> Result<LoadedMesh, String> {
    parse_ply(Path::new("a.ply"), bytes).map_err(|e| e.to_string())
}

/// A square of one quad in a binary file, with properties and an element that nobody asks for.
fn binary(little: bool, double: bool, index: &str) -> Vec<u8> {
    let order = if little { "little" } else { "big" };
    let real = if double { "double" } else { "float" };
    let mut bytes = format!(
        "ply\nformat binary_{order}_endian 1.0\ncomment made here\nelement vertex 4\nproperty uchar red\n\
         property {real} x\nproperty {real} y\nproperty {real} z\nelement edge 1\n\
         property list uchar short ends\n\
         element face 1\nproperty float q\nproperty list uchar {index} vertex_index\nend_header\n"
    )
    .into_bytes();
    let mut put = |little_endian: Vec<u8>| {
        let mut word = little_endian;
        if !little {
            word.reverse();
        }
        bytes.extend(word);
    };
    for p in [[0.1, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0f64]] {
        put(vec![7]);
        for c in p {
            put(if double { c.to_le_bytes().to_vec() } else { (c as f32).to_le_bytes().to_vec() });
        }
    }
    put(vec![1]);
    put(3i16.to_le_bytes().to_vec());
    put(0.5f32.to_le_bytes().to_vec());
    put(vec![4]);
    for v in 0..4u8 {
        let size = match index {
            "char" | "uchar" => 1,
            "short" | "ushort" => 2,
            _ => 4,
        };
        put([v, 0, 0, 0][..size].to_vec());
    }
    bytes
}

#[test]
fn reads_both_byte_orders_both_precisions_and_every_integer_type() {
    for index in ["char", "uchar", "short", "ushort", "int", "uint"] {
        for (little, double) in [(true, true), (true, false), (false, true), (false, false)] {
            let m = load(&binary(little, double, index)).unwrap().mesh;
            assert_eq!(m.positions[0].x, if double { 0.1 } else { f64::from(0.1f32) });
            assert_eq!(m.faces, [[0, 1, 2], [0, 2, 3]], "{index}");
        }
    }
}

const ASCII: &str = "ply\r\nformat ascii 1.0\r\nelement vertex 4\r\nproperty double x\r\n\
    property double y\r\n\
    property double z\r\nelement face 2\r\nproperty list uchar int vertex_indices\r\nend_header\r\n\
    0 0 0\r\n4 0 0\r\n1 1 0\r\n0.1 4 1e-3\r\n4 1 2 3 0\r\n2 0 1";

#[test]
fn reads_ascii_and_cuts_concave_polygons() {
    let m = load(ASCII.as_bytes()).unwrap();
    assert_eq!(m.mesh.positions[3].x, 0.1);
    assert_eq!(m.notes, ["1 faces of fewer than three corners left out"]);
    for f in &m.mesh.faces {
        let [a, b, c] = f.map(|v| m.mesh.positions[v as usize]);
        assert!((b - a).cross(&(c - a)).z > 0.0, "{f:?} is flipped");
    }
}

#[test]
fn refuses_what_is_no_mesh_and_says_why() {
    let changed = |from: &str, to: &str| load(ASCII.replace(from, to).as_bytes()).unwrap_err();
    let wrong = [
        (changed("4 1 2 3 0", "4 1 2 3 4"), "a.ply: face 0 names vertex 4, but there are 4"),
        (changed("4 1 2 3 0", "3 1 2"), "a.ply:14: is not valid PLY"),
        (changed("4 1 2 3 0", "3 1 2 -1"), "a.ply:14: is not valid PLY"),
        (changed("1 1 0\r", "1 1e999 0\r"), "a.ply: vertex 2 is not finite"),
        (changed("double y", "double why"), "a.ply: its vertices have no property `y`"),
        (changed("vertex_indices", "strip"), "a.ply: its faces have no list"),
        (changed("element face 2", "element cell 2"), "a.ply: has no element `face`"),
        (changed("4 1 2 3 0", "2 1 2"), "a.ply: has no faces"),
        (changed("ply", "plx"), "a.ply:1: is not valid PLY (it does not start with `ply`)"),
        (load(b"").unwrap_err(), "a.ply: is not valid PLY"),
    ];
    for (error, wanted) in wrong {
        assert!(error.starts_with(wanted) && !error.contains('\n'), "{error}");
    }
}

#[test]
fn refuses_counts_beyond_the_file_without_reading_or_allocating_them() {
    let whole = binary(true, true, "int");
    for count in ["5", "1000000000", "18446744073709551615"] {
        let mut bytes = whole.clone();
        let at = whole.windows(16).position(|w| w == b"element vertex 4").unwrap() + 15;
        bytes.splice(at..=at, count.bytes());
        let error = load(&bytes).unwrap_err();
        assert!(error.contains("is cut short"), "{error}");
    }
    let nothing = ASCII.replace("element face 2", "element nothing 99999999999999999\r\nelement face 2");
    assert!(load(nothing.as_bytes()).unwrap_err().contains("`nothing` has no properties"));
    for end in 0..whole.len() {
        assert!(load(&whole[..end]).is_err(), "{end}");
    }
}

fn check(bytes: &[u8]) {
    match load(bytes) {
        Ok(m) => {
            assert!(m.mesh.faces.iter().flatten().all(|&v| (v as usize) < m.mesh.positions.len()));
            assert!(m.mesh.positions.iter().all(|p| p.iter().all(|c| c.is_finite())));
        }
        Err(e) => assert!(!e.contains('\n')),
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
        let header = b"ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty float x\n";
        check(&[header.as_slice(), &bytes].concat());
    }

    #[test]
    fn never_panics_on_a_valid_file_with_changed_bytes(
        changes in prop::collection::vec((any::<u16>(), any::<u8>()), 1..12),
        kind in 0..3,
    ) {
        let mut bytes = match kind {
            0 => ASCII.as_bytes().to_vec(),
            k => binary(k == 1, k == 1, "int"),
        };
        for (at, byte) in changes {
            let at = at as usize % bytes.len();
            bytes[at] = byte;
        }
        check(&bytes);
    }
}
