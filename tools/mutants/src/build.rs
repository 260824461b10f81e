//! The copy of the workspace and what is built in it.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Optimised, since each mutant runs scenes, and with the assertions of a debug build, since they are tests
/// too.
const PROFILE: [&str; 2] = ["--profile", "mutants"];

const SWITCH: &str = r#"//! Which mutant is on.
use std::sync::OnceLock;

static ON: OnceLock<u32> = OnceLock::new();

#[inline]
pub fn on(id: u32) -> bool {
    *ON.get_or_init(|| std::env::var("CLOTH_MUTANT").ok().and_then(|id| id.parse().ok()).unwrap_or(0)) == id
}
"#;

/// A program that fails when it notices a mutant.
pub struct Suite {
    pub name: String,
    /// The package whose mutants it is the first test of; `None` for those that every survivor runs.
    pub package: Option<String>,
    pub program: PathBuf,
    pub arguments: Vec<String>,
    pub dir: PathBuf,
}

fn cargo(tree: &Path) -> Command {
    let mut command = Command::new("cargo");
    command
        .current_dir(tree)
        .env("CARGO_TARGET_DIR", tree.with_file_name("build"))
        .env("CARGO_PROFILE_MUTANTS_OPT_LEVEL", "2");
    command
}

/// Checks out `HEAD` below a folder, as a worktree; returns its path.
pub fn copy_of_head(dir: &Path) -> Result<PathBuf> {
    fs::create_dir_all(dir)?;
    let tree = fs::canonicalize(dir)?.join("tree");
    if tree.exists() {
        git(&tree, &["reset", "--quiet", "--hard"])?;
        git(&tree, &["clean", "--quiet", "-fd"])?;
        let head = Command::new("git").args(["rev-parse", "HEAD"]).output()?;
        git(&tree, &["checkout", "--quiet", "--detach", String::from_utf8(head.stdout)?.trim()])?;
    } else {
        let path = tree.to_str().context("the folder's name is not UTF-8")?;
        git(Path::new("."), &["worktree", "add", "--quiet", "--detach", path, "HEAD"])?;
    }
    Ok(tree)
}

fn git(dir: &Path, arguments: &[&str]) -> Result<()> {
    let status = Command::new("git").current_dir(dir).args(arguments).status().context("git")?;
    if !status.success() {
        bail!("git {} failed", arguments.join(" "));
    }
    Ok(())
}

/// Adds the switch to the lowest crate, which all others depend on.
pub fn add_switch(tree: &Path) -> Result<()> {
    let lib = tree.join("cloth-geom/src/lib.rs");
    let text = fs::read_to_string(&lib)?;
    let added =
        "\nextern crate self as cloth_geom;\n#[doc(hidden)]\n#[allow(missing_docs)]\npub mod mutant;\n";
    fs::write(&lib, text + added)?;
    fs::write(tree.join("cloth-geom/src/mutant.rs"), SWITCH)?;
    // Parentheses and returns that the weaving adds; and what a mutant of constants computes, which a check
    // does not evaluate, is an error of the running test.
    let manifest = tree.join("Cargo.toml");
    let text = fs::read_to_string(&manifest)?;
    fs::write(
        &manifest,
        text.replace(
            "[workspace.lints.rust]",
            "[workspace.lints.rust]\nwarnings = \"allow\"\narithmetic_overflow = \"allow\"\n\
             unconditional_panic = \"allow\"\n[workspace.unused]",
        ),
    )?;
    Ok(())
}

/// Errors of a check of all libraries: file, and range in bytes.
pub fn errors(tree: &Path) -> Result<Vec<(String, Range<usize>)>> {
    let output = cargo(tree)
        .args(["check", "--workspace", "--exclude", "xtask", "--keep-going", "--message-format=json"])
        .args(PROFILE)
        .stderr(Stdio::null())
        .output()?;
    let mut errors = Vec::new();
    for message in messages(&output.stdout) {
        let message = &message["message"];
        if message["level"] != "error" {
            continue;
        }
        for mut span in message["spans"].as_array().into_iter().flatten() {
            // An error within a macro is one of its caller.
            while let outer @ Value::Object(_) = &span["expansion"]["span"] {
                span = outer;
            }
            let file = span["file_name"].as_str().unwrap_or_default().to_owned();
            let at = |key: &str| span[key].as_u64().unwrap_or(0) as usize;
            errors.push((file, at("byte_start")..at("byte_end").max(at("byte_start") + 1)));
        }
    }
    if errors.is_empty() && !output.status.success() {
        bail!("cargo check failed without an error in a file; run it in {}", tree.display());
    }
    Ok(errors)
}

/// Builds the unit tests of each crate that has mutants, the tests of the audit, and the program.
pub fn suites(tree: &Path, packages: &BTreeSet<&str>, scenes: u32) -> Result<Vec<Suite>> {
    let mut suites = Vec::new();
    for &package in packages {
        suites.push(test(tree, package, Some(package), &["--lib"])?);
    }
    suites.push(test(tree, "cloth-verify", None, &["--test", "audit"])?);
    let program = built(tree, &["build", "-p", "cloth-verify", "--bin", "cloth-verify"])?;
    let scenes = scenes.to_string();
    let arguments = ["--fuzz", &scenes, "--seed", "1", "--no-shrink", "--threads", "1"];
    suites.push(Suite {
        name: "campaign".to_owned(),
        package: None,
        program,
        arguments: arguments.map(str::to_owned).to_vec(),
        dir: tree.to_owned(),
    });
    Ok(suites)
}

/// Builds the tests that take a minute or more.
pub fn slow_suites(tree: &Path) -> Result<Vec<Suite>> {
    let tests =
        [("cloth-contacts", "predictive"), ("cloth-contacts", "checker"), ("cloth-solver", "simulation")];
    tests.into_iter().map(|(package, name)| test(tree, package, None, &["--test", name])).collect()
}

fn test(tree: &Path, package: &str, of: Option<&str>, target: &[&str]) -> Result<Suite> {
    let arguments: Vec<_> = ["test", "--no-run", "-p", package].iter().chain(target).copied().collect();
    Ok(Suite {
        name: format!("{package} {}", target.join(" ")),
        package: of.map(str::to_owned),
        program: built(tree, &arguments)?,
        arguments: vec!["--quiet".to_owned()],
        dir: tree.join(package),
    })
}

/// Builds; returns the last program that was built.
fn built(tree: &Path, arguments: &[&str]) -> Result<PathBuf> {
    println!("cargo {}", arguments.join(" "));
    let output = cargo(tree)
        .args(arguments)
        .args(PROFILE)
        .arg("--message-format=json")
        .stderr(Stdio::inherit())
        .output()?;
    let program = messages(&output.stdout).filter_map(|m| m["executable"].as_str().map(PathBuf::from)).last();
    match program {
        Some(program) if output.status.success() => Ok(program),
        _ => bail!("cargo {} failed", arguments.join(" ")),
    }
}

fn messages(output: &[u8]) -> impl Iterator<Item = Value> {
    output.split(|&b| b == b'\n').filter_map(|line| serde_json::from_slice(line).ok())
}
