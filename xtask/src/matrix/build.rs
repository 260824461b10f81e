//! Builds of `cloth` that must not differ in a bit.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A profile and an instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Release, for every machine of this target.
    Release,
    /// As `cargo xtask verify` builds it: several units of code generation in each crate.
    Verify,
    /// The same with debug assertions, overflow checks and other inlining.
    Dev,
    /// Release with AVX2 and what comes with it.
    ReleaseAvx2,
    /// With debug assertions and AVX2.
    DevAvx2,
}

impl Kind {
    pub(super) const ALL: [Self; 5] =
        [Self::Release, Self::Verify, Self::Dev, Self::ReleaseAvx2, Self::DevAvx2];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Verify => "verify",
            Self::Dev => "dev",
            Self::ReleaseAvx2 => "release-avx2",
            Self::DevAvx2 => "dev-avx2",
        }
    }

    fn has_avx2(self) -> bool {
        matches!(self, Self::ReleaseAvx2 | Self::DevAvx2)
    }

    /// Whether this machine can run it.
    pub(super) fn runs_here(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        let avx2 = std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
        #[cfg(not(target_arch = "x86_64"))]
        let avx2 = false;
        avx2 || !self.has_avx2()
    }

    /// The profile, and the folder of its results.
    fn profile(self) -> [&'static str; 2] {
        match self {
            Self::Release | Self::ReleaseAvx2 => ["release", "release"],
            Self::Verify => ["verify", "verify"],
            Self::Dev | Self::DevAvx2 => ["dev", "debug"],
        }
    }
}

/// `cloth`, built.
pub(super) struct Build {
    kind: Kind,
    binary: PathBuf,
}

impl Build {
    pub(super) fn new(kind: Kind, root: &Path) -> Result<Self, String> {
        eprintln!("building {}", kind.name());
        let target = root.join("target");
        // Other flags in the same folder would rebuild everything each time.
        let target = if kind.has_avx2() { target.join("matrix") } else { target };
        let [profile, folder] = kind.profile();
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["build", "--profile", profile, "--quiet", "--package", "cloth-cli", "--bin", "cloth"]);
        if kind.has_avx2() {
            cargo.env("RUSTFLAGS", "-C target-cpu=x86-64-v3");
        }
        match cargo.current_dir(root).env("CARGO_TARGET_DIR", &target).status() {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(format!("{} does not build ({status})", kind.name())),
            Err(e) => return Err(format!("cannot start cargo: {e}")),
        }
        let binary = target.join(folder).join(format!("cloth{}", std::env::consts::EXE_SUFFIX));
        Ok(Self { kind, binary })
    }

    pub(super) fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// The names of all scenarios.
    pub(super) fn scenarios(&self) -> Result<Vec<String>, String> {
        crate::compare::scenarios_of(&self.binary)
    }

    /// Runs a scenario; the hashes of its frames.
    pub(super) fn hashes(&self, scenario: &str, size: &str, threads: usize) -> Result<Vec<String>, String> {
        let json = self.binary.with_file_name("matrix.json");
        // A file of an earlier run must not pass for one of this.
        let _ = std::fs::remove_file(&json);
        let mut cloth = Command::new(&self.binary);
        cloth.args(["verify", "--scenario", scenario, "--size", size, "--threads", &threads.to_string()]);
        cloth.args(["--audit=off", "--no-controls", "--json"]).arg(&json);
        let output = cloth.output().map_err(|e| format!("cannot start {}: {e}", self.name()))?;
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let report = std::fs::read_to_string(&json)
            .map_err(|e| format!("{} ran {scenario} without a report ({e}): {said}", self.name()))?;
        frame_hashes(&report).map_err(|e| format!("{} on {scenario}: {e}: {said}", self.name()))
    }
}

fn frame_hashes(report: &str) -> Result<Vec<String>, String> {
    let report: Value = serde_json::from_str(report).map_err(|e| e.to_string())?;
    let hashes = report.pointer("/scenarios/0/frame_hashes").and_then(Value::as_array);
    let hashes: Vec<String> =
        hashes.into_iter().flatten().filter_map(|hash| Some(hash.as_str()?.to_owned())).collect();
    if hashes.is_empty() { Err("the report has no hashes of frames".into()) } else { Ok(hashes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_hashes_of_all_frames_and_takes_none_for_an_error() {
        let report = r#"{"scenarios": [{"frame_hashes": ["a", "b"]}]}"#;
        assert_eq!(frame_hashes(report).unwrap(), ["a", "b"]);
        assert!(frame_hashes(r#"{"scenarios": [{"frame_hashes": []}]}"#).is_err());
        assert!(frame_hashes("{}").is_err());
    }

    #[test]
    fn what_needs_no_more_than_the_target_runs_here() {
        assert!(Kind::Release.runs_here() && Kind::Dev.runs_here());
        assert_eq!(Kind::ReleaseAvx2.runs_here(), Kind::DevAvx2.runs_here());
    }
}
