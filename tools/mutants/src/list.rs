//! The mutants that `cargo-mutants` lists.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

/// A change of the source that the tests should notice.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Mutant {
    pub name: String,
    pub file: String,
    pub package: String,
    pub genre: Genre,
    pub replacement: String,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub enum Genre {
    BinaryOperator,
    UnaryOperator,
    FnValue,
    MatchArm,
    MatchArmGuard,
    /// Needs the type of the expression, so that it is left out here.
    StructField,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Span {
    pub start: LineColumn,
    pub end: LineColumn,
}

/// Line and column, from 1.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct LineColumn {
    pub line: usize,
    pub column: usize,
}

/// All mutants of the files that match the patterns, in the order of `cargo-mutants`.
pub fn all(tree: &Path, patterns: &[String]) -> Result<Vec<Mutant>> {
    let mut command = Command::new("cargo");
    command.current_dir(tree).args(["mutants", "--list", "--json", "--workspace"]);
    for pattern in patterns {
        command.args(["-f", pattern]);
    }
    let output =
        command.output().context("cargo-mutants is not installed: cargo install --locked cargo-mutants")?;
    if !output.status.success() {
        bail!("cargo mutants --list failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).context("the list of cargo-mutants has another format")
}

/// `count` of them, drawn without replacement; all of them where there are no more.
pub fn sample(mut mutants: Vec<Mutant>, count: usize, seed: u64) -> Vec<Mutant> {
    let mut rng = Pcg64::seed_from_u64(seed);
    mutants.shuffle(&mut rng);
    mutants.truncate(count);
    mutants
}
