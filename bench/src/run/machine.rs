//! Where and when a benchmark ran.

use cloth_geom::fnv1a;
use cloth_geom::lanes;
use cloth_measure::program;
use cloth_show::report;

use crate::contenders::version_of;
use crate::schema::{Machine, Provenance};

/// Provenance of this process; the load of the machine is that at the start and that of now.
pub(crate) fn provenance(note: &str, load_at_start: Option<f64>) -> Provenance {
    let here = report::Provenance::of_this_run(&version_of("cloth-solver"), None);
    let commit = commit();
    let clean = commit.as_ref().map(|commit| commit.trim_end_matches("-dirty").to_owned());
    Provenance {
        version: here.version,
        dirty: clean != commit,
        commit: clean,
        date_utc: here.date,
        arguments: here.arguments,
        toolchain: env!("CLOTH_BENCH_RUSTC").to_owned(),
        machine: machine(here.cpu, here.logical_cpus),
        instruction_set: lanes::level_name(lanes::level()).to_owned(),
        note: note.to_owned(),
        load_average: load_at_start.zip(load_average()).map(|(start, end)| [start, end]),
    }
}

/// The commit that is checked out, with `-dirty` if tracked files differ; none without a repository.
pub(super) fn commit() -> Option<String> {
    program::commit(env!("CARGO_MANIFEST_DIR").as_ref(), 40)
}

/// Processes that were ready to run, mean over the last minute.
pub(crate) fn load_average() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

fn machine(cpu: String, cores: usize) -> Machine {
    let memory_bytes = memory("/proc/meminfo", "MemTotal:");
    let os = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let text = format!("{cpu}|{cores}|{}|{os}", memory_bytes.map_or(String::new(), |m| m.to_string()));
    Machine { cpu, cores, memory_bytes, os, fingerprint: format!("{:016x}", fnv1a(text.bytes())) }
}

/// An amount of memory (bytes) as a file of Linux states it.
pub(super) fn memory(file: &str, key: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| 1024 * kib)
}
