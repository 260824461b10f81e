//! Builds the workloads, and counts the instructions of one by callgrind.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The function of tools/counts within which instructions are counted.
const MEASURED: &str = "cloth_counts::measured";

pub(super) fn is_installed() -> bool {
    Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Builds the workloads by the profile `release`, whose single code generation unit per crate makes code the
/// same in every folder; returns the program.
pub(super) fn build(root: &Path) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command.args(["build", "--quiet", "--release", "--package", "cloth-counts", "--manifest-path"]);
    command.arg(root.join("Cargo.toml"));
    let status = command.status().map_err(|e| format!("cannot start cargo: {e}"))?;
    if !status.success() {
        return Err("tools/counts cannot be built".to_owned());
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(target.join("release").join(format!("cloth-counts{}", std::env::consts::EXE_SUFFIX)))
}

/// What counts are comparable within: the compiler, and the instruction set that the program was compiled
/// for.
pub(super) fn toolchain(binary: &Path) -> Result<String, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = text(Command::new(rustc).arg("--version"))?;
    let instruction_set = text(Command::new(binary).arg("--instruction-set"))?;
    Ok(format!("{}, {}", version.trim(), instruction_set.trim()))
}

/// The names of all workloads.
pub(super) fn workloads(binary: &Path) -> Result<Vec<String>, String> {
    Ok(text(&mut Command::new(binary))?.lines().map(String::from).collect())
}

/// The instructions of a workload.
pub(super) fn count(binary: &Path, name: &str) -> Result<u64, String> {
    let file = std::env::temp_dir().join(format!("cloth-counts-{}.out", std::process::id()));
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--collect-atstart=no"]).arg(format!("--toggle-collect={MEASURED}"));
    command.arg(format!("--callgrind-out-file={}", file.display())).arg(binary).arg(name);
    text(&mut command)?;
    let report = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let _ = std::fs::remove_file(&file);
    match total(&report) {
        Some(count) if count > 0 => Ok(count),
        _ => Err(format!("callgrind has seen no call of {MEASURED} in `{name}`")),
    }
}

/// The instructions in a report of callgrind.
fn total(report: &str) -> Option<u64> {
    report.lines().find_map(|line| line.strip_prefix("totals:"))?.trim().parse().ok()
}

fn text(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("cannot start {program}: {e}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_total_of_a_report() {
        assert_eq!(total("events: Ir\nfn=(1)\n1 5\ntotals: 1234\n"), Some(1234));
        assert_eq!(total("events: Ir\n"), None);
    }
}
