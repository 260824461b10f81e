//! Passes the commit of the build to the program; without a repository it is empty.

use std::path::Path;
use std::process::Command;

/// Sources of this repository other than those of this crate, whose changes make a build differ from its
/// commit.
const CRATES: [&str; 11] = [
    "cloth-geom",
    "cloth-broadphase",
    "cloth-ccd",
    "cloth-contacts",
    "cloth-certify",
    "cloth-solver",
    "cloth-character",
    "cloth-io",
    "cloth-scene",
    "cloth-show",
    "cloth-cli",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let commit = packaged().or_else(commit).unwrap_or_default();
    println!("cargo:rustc-env=CLOTH_COMMIT={commit}");
}

/// What git says, if it is there, and if this crate is part of its repository and not only lies in somebody
/// else's.
fn commit() -> Option<String> {
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    for file in ["HEAD", "logs/HEAD", "index"] {
        let path = git(&["rev-parse", "--git-path", file])?;
        rerun_if_changed(Path::new(path.trim()));
    }
    CRATES.iter().for_each(|name| rerun_if_changed(&Path::new("..").join(name).join("src")));
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
    let mark = if changed.trim().is_empty() { "" } else { "-dirty" };
    Some(format!("{}{mark}", commit.trim()))
}

/// The commit that `cargo package` has noted.
fn packaged() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let hash = text.split("\"sha1\"").nth(1)?.split('"').nth(1)?;
    hash.chars().all(|c| c.is_ascii_hexdigit()).then(|| hash.chars().take(12).collect())
}

/// Has this run again when a file changes; what is not there would have it run each time.
fn rerun_if_changed(path: &Path) {
    if path.exists() {
        println!("cargo:rerun-if-changed={}", path.display());
    }
}

/// The output of git in the folder of this crate; none if it fails, or is not there. Nothing is written: an
/// index that `git status` refreshes would be newer than this build, and have it run again.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("--no-optional-locks").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
