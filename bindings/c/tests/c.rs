//! The programs in C and C++: compiled without a warning, linked with the archive, run, and run under
//! valgrind.
//!
//! Without a compiler or without valgrind a test says so and is skipped; with `CI_REQUIRE=c` that is a
//! failure.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What an archive made by Rust needs of the system.
const SYSTEM: [&str; 4] = ["-lpthread", "-ldl", "-lm", "-lrt"];

/// A program, its compiler, and the standard that it keeps.
struct Program {
    source: &'static str,
    compiler: &'static str,
    standard: &'static str,
}

const CHECK: Program = Program { source: "examples/check.c", compiler: "cc", standard: "-std=c99" };
const OUTFIT: Program = Program { source: "examples/outfit.c", compiler: "cc", standard: "-std=c99" };
const DRAPE: Program = Program { source: "examples/drape.cpp", compiler: "c++", standard: "-std=c++11" };
const HOSTILE: Program = Program { source: "tests/hostile.c", compiler: "cc", standard: "-std=c99" };

#[test]
fn the_example_in_c_finds_and_prevents_a_crossing() {
    run(&CHECK, |text| {
        let expected = "vertex 3 meets face 0 at 0.500 of the motion\n\
                        3 vertices corrected, certified, 0 intersections, vertex 3 stops at 0.501 m with \
                        -1.00 m/s\n";
        assert_eq!(text, expected);
    });
}

#[test]
fn the_example_with_a_body_says_what_is_inside() {
    run(&OUTFIT, |text| {
        let expected = "not clean: 6 edges and faces of cloth and body meet; inside of the closed body: \
                        vertex 0, 0.100 m deep\n";
        assert_eq!(text, expected);
    });
}

#[test]
fn the_example_in_c_plus_plus_ends_in_equal_bits() {
    run(&DRAPE, |text| {
        let expected = "certified, 0 intersections, the corner is at 0.355 m, equal bits\n";
        assert_eq!(text, expected);
    });
}

#[test]
fn null_garbage_and_numbers_out_of_range_are_errors() {
    run(&HOSTILE, |text| {
        let text = text.strip_prefix(concat!("cloth ", env!("CARGO_PKG_VERSION"), ": "));
        let (checked, rest) = text.and_then(|text| text.split_once(' ')).expect("a count");
        assert_eq!(rest, "calls checked, 0 wrong\n");
        assert!(checked.parse::<u32>().expect("a number") > 200, "{checked}");
    });
}

/// Compiles a program, runs it, and runs it under valgrind; `judge` sees what it prints.
fn run(program: &Program, judge: impl Fn(&str)) {
    if !is_there(program.compiler) {
        return skip(program.compiler);
    }
    let built = compile(program);
    judge(&printed(&mut Command::new(&built)));
    if !is_there("valgrind") {
        return skip("valgrind");
    }
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--leak-check=full", "--error-exitcode=99"]);
    valgrind.arg("--errors-for-leak-kinds=definite,indirect,possible");
    valgrind.arg(concat!("--suppressions=", env!("CARGO_MANIFEST_DIR"), "/tests/valgrind.supp")).arg(&built);
    let output = output(&mut valgrind);
    let report = String::from_utf8_lossy(&output.stderr);
    let lines = report.lines().filter(|line| {
        ["in use at exit", "All heap blocks", "lost:", "still reachable", "suppressed:", "SUMMARY"]
            .iter()
            .any(|part| line.contains(part))
    });
    println!("{}:\n{}", program.source, lines.collect::<Vec<_>>().join("\n"));
    assert!(output.status.success() && report.contains("ERROR SUMMARY: 0 errors"), "{report}");
    judge(&String::from_utf8_lossy(&output.stdout));
}

fn compile(&Program { source, compiler, standard }: &Program) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let name = Path::new(source).file_stem().expect("a name");
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut command = Command::new(compiler);
    command.args([standard, "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-g", "-I"]);
    command.arg(root.join("include")).arg(root.join(source)).arg(archive()).args(SYSTEM);
    printed(command.arg("-o").arg(&built));
    built
}

/// The archive that cargo made for this test, in the same folder or in the one above.
fn archive() -> PathBuf {
    let test = std::env::current_exe().expect("this program has a path");
    let folders = test.ancestors().skip(1).take(2);
    let found = folders.map(|folder| folder.join("libcloth.a")).find(|archive| archive.exists());
    found.unwrap_or_else(|| panic!("no libcloth.a next to {}: cargo test makes it", test.display()))
}

/// What a command prints, if it succeeds without a word to its standard error.
fn printed(command: &mut Command) -> String {
    let output = output(command);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{command:?}: {}\n{errors}", output.status);
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn output(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn skip(missing: &str) {
    println!("skipped: {missing} is not installed");
    let required = std::env::var("CI_REQUIRE").unwrap_or_default();
    assert!(
        !required.split(',').any(|part| part == "c"),
        "CI_REQUIRE names c, but {missing} is not installed"
    );
}
