//! The command line as a whole: help, usage errors, and `cloth verify` as far as it runs without a scene.

use std::path::Path;

use cloth_geom::lanes::{NAMES, available};

use crate::support::{assert_refused, cloth, cloth_with};

#[test]
fn help_and_version_go_to_standard_output() {
    for line in
        [&["--help"][..], &["check", "--help"], &["simulate", "-h"], &["verify", "--help"], &["--version"]]
    {
        let ran = cloth(line);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{line:?}");
        assert!(ran.out.contains("cloth "), "{line:?}");
    }
}

#[test]
fn usage_errors_are_one_line_with_exit_status_2() {
    assert_refused(&cloth::<&str>([]), &["use verify, check", "or sample"]);
    assert_refused(&cloth(["chek"]), &["chek", "check"]);
    assert_refused(&cloth(["check"]), &["<MESH>"]);
    assert_refused(&cloth(["check", "a.obj", "--examples", "many"]), &["many", "--examples"]);
    assert_refused(&cloth(["simulate", "s.toml", "--unit", "2"]), &["--unit"]);
}

#[test]
fn verify_refuses_what_it_does_not_know() {
    assert_refused(&cloth(["verify", "--gate", "ajar"]), &["ajar", "on, off"]);
    assert_refused(&cloth(["verify", "--size", "huge"]), &["huge", "small, medium, large"]);
    assert_refused(&cloth(["verify", "--broadphase", "octree"]), &["octree", "parry-bvh", "all"]);
    assert_refused(&cloth(["verify", "--scenario", "no-such"]), &["no-such"]);
    assert_refused(&cloth(["verify", "--self-collision", "some"]), &["some", "full, particles"]);
    assert_refused(&cloth(["verify", "--threads", "0"]), &["--threads"]);
    assert_refused(&cloth(["verify", "--json", "no/such/v.json"]), &["does the folder exist?"]);
}

#[test]
fn instructions_are_those_of_the_variable_or_an_error() {
    let mesh = Path::new(env!("CARGO_TARGET_TMPDIR")).join("instructions.obj");
    std::fs::write(&mesh, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").expect("a file");
    let line = ["check", mesh.to_str().expect("a path of text")];
    assert_refused(&cloth_with("sse9", &line), &["CLOTH_SIMD=sse9 is unknown", "scalar, sse2"]);
    for name in NAMES {
        let ran = cloth_with(name, &line);
        match available().contains(&name) {
            true => assert_eq!(ran.status, 0, "{name}: {ran:?}"),
            false => assert_refused(&ran, &["is not available here"]),
        }
    }
}
