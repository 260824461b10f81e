//! `cargo xtask matrix`: one scenario, one result, however it is compiled, on however many threads and with
//! whatever vector instructions it runs; with `--against`, the same result as in another revision.
//!
//! ```text
//! options    the command line
//! table      hashes of all frames by program and threads -> where they part
//! ```

mod options;
mod table;

use std::path::Path;

use cloth_measure::program::{Program, Sources};
pub(crate) use options::Options;
use table::{Cell, Row, frame_hashes};

use crate::commands::Outcome;

/// Runs every scenario on every program and number of threads; passes if all results of each are the same,
/// and no scenario is lost. The error says what could not be run.
pub(crate) fn matrix(options: &Options, root: &Path) -> Result<Outcome, String> {
    let mut sources = vec![Sources::working_tree(root)];
    if let Some(commit) = &options.against {
        sources.push(Sources::from_commit(root, commit)?);
    }
    let (builds, left_out): (Vec<_>, Vec<_>) = options.builds.iter().partition(|build| build.runs_here());
    let mut programs = Vec::new();
    for (sources, &build) in sources.iter().flat_map(|s| builds.iter().map(move |b| (s, b))) {
        let program = Program::build(sources, build)?;
        let scenarios = program.scenarios()?;
        programs.push((program, scenarios));
    }
    if programs.is_empty() {
        return Err("none of these builds runs on this machine".into());
    }
    let (simd, lacking_simd): (Vec<_>, Vec<_>) =
        options.instructions.iter().map(String::as_str).partition(|name| runs_here(name));
    let simd = match options.instructions.is_empty() {
        true => vec![None],
        false => simd.into_iter().map(Some).collect(),
    };
    let mut rows = Vec::new();
    for scenario in asked(&options.scenarios, programs.iter().map(|(_, known)| known))? {
        let (mut cells, mut lacking) = (Vec::new(), Vec::new());
        for (program, known) in &programs {
            if !known.contains(&scenario) {
                lacking.push(program.sources.clone());
                continue;
            }
            let name = match options.against {
                Some(_) => format!("{} of {}", program.build.name, program.sources),
                None => program.build.name.to_owned(),
            };
            for (&threads, simd) in options.threads.iter().flat_map(|n| simd.iter().map(move |s| (n, s))) {
                let name = simd.map_or(name.clone(), |simd| format!("{name} with {simd}"));
                eprintln!("{scenario}: {name}, {threads} threads");
                let count = threads.to_string();
                let arguments = [["--size", &options.size], ["--threads", &count]];
                let report = program.verify(&scenario, *simd, &arguments)?;
                let hashes = frame_hashes(&report).map_err(|e| format!("{name} on {scenario}: {e}"))?;
                cells.push(Cell { program: name, threads, hashes });
            }
        }
        lacking.dedup();
        rows.push(Row { scenario, cells, lacking });
    }
    let left_out: Vec<&str> = left_out.iter().map(|build| build.name).chain(lacking_simd).collect();
    Ok(Outcome { text: table::text(&rows, &left_out), passes: rows.iter().all(Row::passes) })
}

/// Whether this machine has these vector instructions.
fn runs_here(simd: &str) -> bool {
    match simd {
        #[cfg(target_arch = "x86_64")]
        "sse2" => true,
        #[cfg(target_arch = "x86_64")]
        "avx2" => std::arch::is_x86_feature_detected!("avx2"),
        #[cfg(target_arch = "x86_64")]
        "avx512" => std::arch::is_x86_feature_detected!("avx512vbmi2"),
        #[cfg(target_arch = "aarch64")]
        "neon" => true,
        _ => false,
    }
}

/// The scenarios that are asked for, or all that any program knows; an error if no program knows one.
fn asked<'a>(names: &[String], known: impl Iterator<Item = &'a Vec<String>>) -> Result<Vec<String>, String> {
    let mut all: Vec<String> = Vec::new();
    for name in known.flatten() {
        if !all.contains(name) {
            all.push(name.clone());
        }
    }
    match names.iter().find(|name| !all.contains(name)) {
        Some(name) => Err(format!("unknown scenario `{name}`; known are {}", all.join(", "))),
        None if names.is_empty() => Ok(all),
        None => Ok(names.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_scenarios_of_both_revisions_are_run_unless_some_are_named() {
        let [new, old] = [["hang", "new"], ["gone", "hang"]].map(|names| names.map(String::from).to_vec());
        let asked = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.into()).collect();
            asked(&names, [&new, &old].into_iter())
        };
        assert_eq!(asked(&[]).unwrap(), ["hang", "new", "gone"]);
        assert_eq!(asked(&["gone"]).unwrap(), ["gone"]);
        assert_eq!(asked(&["x"]).unwrap_err(), "unknown scenario `x`; known are hang, new, gone");
    }
}
