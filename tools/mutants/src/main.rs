//! Mutation testing with one compilation: lists mutants with `cargo-mutants`, weaves a sample of them into a
//! copy of the workspace, each behind a switch, builds the tests once, and runs them once for each mutant.
//!
//! The usual method compiles for each mutant, which takes half a minute to four minutes here.

mod build;
mod instrument;
mod kill;
mod list;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Parser;

use crate::list::Mutant;

/// Runs a sample of mutants against the tests of their crates, then against audited scenes.
#[derive(Parser)]
struct Options {
    /// Files to mutate, as patterns relative to the workspace.
    #[arg(required = true)]
    files: Vec<String>,
    /// How many mutants to draw.
    #[arg(long, default_value_t = 300)]
    sample: usize,
    /// Seed of the draw.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Processes at once.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Scenes of the campaign in the second suite; each mutant that the unit tests miss runs them.
    #[arg(long, default_value_t = 60)]
    scenes: u32,
    /// Run the survivors of the report against the slow tests, those of contacts and of the solver as a
    /// whole.
    #[arg(long)]
    survivors: bool,
    /// Run only mutants whose name has this in it; may be repeated.
    #[arg(long)]
    only: Vec<String>,
    /// Where the copy is made; its build is kept from run to run.
    #[arg(long, default_value = "target/mutants")]
    dir: PathBuf,
    /// Report, one line of JSON for each mutant; mutants in it are not run again.
    #[arg(long, default_value = "target/mutants/report.jsonl")]
    report: PathBuf,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let tree = build::copy_of_head(&options.dir)?;
    let all = list::all(&tree, &options.files)?;
    let population = all.len();
    let mutants: Vec<(u32, Mutant)> = (1..).zip(list::sample(all, options.sample, options.seed)).collect();
    println!("{population} mutants, {} drawn with seed {}", mutants.len(), options.seed);
    let broken = instrument_until_it_compiles(&tree, &mutants)?;
    let suites = if options.survivors {
        build::slow_suites(&tree)?
    } else {
        let packages = mutants.iter().map(|(_, mutant)| mutant.package.as_str()).collect();
        build::suites(&tree, &packages, options.scenes)?
    };
    kill::run(&options, &suites, &mutants, &broken)
}

/// Weaves until the copy compiles; returns the mutants that had to be left out, with the reason.
fn instrument_until_it_compiles(
    tree: &Path,
    mutants: &[(u32, Mutant)],
) -> Result<BTreeMap<u32, &'static str>> {
    let mut files = BTreeMap::<&str, Vec<(u32, &Mutant)>>::new();
    for (id, mutant) in mutants {
        files.entry(&mutant.file).or_default().push((*id, mutant));
    }
    let sources: BTreeMap<&str, String> = files
        .keys()
        .map(|&file| Ok((file, fs::read_to_string(tree.join(file)).context(file.to_owned())?)))
        .collect::<Result<_>>()?;
    build::add_switch(tree)?;
    let mut broken = BTreeMap::new();
    loop {
        let mut places = BTreeMap::new();
        for (&file, wanted) in &files {
            let kept: Vec<_> = wanted.iter().copied().filter(|(id, _)| !broken.contains_key(id)).collect();
            let woven = instrument::instrument(&sources[file], &kept).with_context(|| file.to_owned())?;
            broken.extend(woven.left_out.iter().map(|&id| (id, "no switch")));
            fs::write(tree.join(file), &woven.text)?;
            places.insert(file, woven.places);
        }
        let errors = build::errors(tree)?;
        if errors.is_empty() {
            return Ok(broken);
        }
        let before = broken.len();
        for (file, range) in &errors {
            let hit = places.get(file.as_str()).into_iter().flatten();
            for (id, _) in hit.filter(|(_, place)| place.start < range.end && range.start < place.end) {
                broken.insert(*id, "does not compile");
            }
        }
        println!("{} errors, {} mutants do not compile", errors.len(), broken.len());
        if broken.len() == before {
            bail!("errors outside every mutant: {errors:?}");
        }
    }
}
