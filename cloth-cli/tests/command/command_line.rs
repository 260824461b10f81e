//! The command line as a whole: help and usage errors.

use std::path::Path;

use cloth_geom::lanes::{NAMES, available};

use crate::support::{assert_refused, cloth, cloth_with};

#[test]
fn help_and_version_go_to_standard_output() {
    for line in [&["--help"][..], &["check", "--help"], &["simulate", "-h"], &["--version"]] {
        let ran = cloth(line);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{line:?}");
        assert!(ran.out.contains("cloth "), "{line:?}");
    }
}

#[test]
fn usage_errors_are_one_line_with_exit_status_2() {
    assert_refused(&cloth::<&str>([]), &["use check, simulate", "or sample"]);
    assert_refused(&cloth(["chek"]), &["chek", "check"]);
    assert_refused(&cloth(["check"]), &["<MESH>"]);
    assert_refused(&cloth(["check", "a.obj", "--examples", "many"]), &["many", "--examples"]);
    assert_refused(&cloth(["simulate", "s.toml", "--unit", "2"]), &["--unit"]);
}

#[test]
fn verify_names_the_program_that_it_has_become() {
    for line in [
        &["verify"][..],
        &["verify", "--size", "small", "--audit"],
        &["verify", "--help"],
        &["verify", "--max-input"],
        &["--max-input", "1k", "verify", "--fuzz", "3"],
        &["help", "verify"],
    ] {
        assert_refused(&cloth(line), &["program `cloth-verify`", "call `cargo xtask verify`"]);
    }
    assert_refused(&cloth_with("garbage", &["verify"]), &["call `cargo xtask verify`"]);
}

#[test]
fn commands_that_are_gone_name_what_does_their_work() {
    for (line, now) in [
        (&["ccd", "queries", "--method", "all"][..], "-p cloth-show --example query_sets"),
        (&["cull", "shirt.obj"], "cargo bench -p cloth-contacts --bench cull"),
        (&["pairs", "--start", "a.ply", "--end", "b.ply"], "cargo bench -p cloth-broadphase"),
    ] {
        assert_refused(&cloth(line), &[&format!("`cloth {}` is now", line[0]), now]);
    }
}

#[test]
fn instructions_are_those_of_the_variable_or_an_error() {
    let mesh = Path::new(env!("CARGO_TARGET_TMPDIR")).join("instructions.obj");
    std::fs::write(&mesh, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").expect("a file");
    let line = ["check", mesh.to_str().expect("a path of text")];
    assert_refused(&cloth_with("sse9", &line), &["CLOTH_SIMD=sse9 is unknown", &available().join(", ")]);
    assert_refused(&cloth_with("scalar", &line), &["CLOTH_SIMD=scalar is what tests compare vectors with"]);
    for name in NAMES {
        let ran = cloth_with(name, &line);
        match available().contains(&name) {
            true => assert_eq!(ran.status, 0, "{name}: {ran:?}"),
            false => assert_refused(&ran, &["is not available here"]),
        }
    }
}
