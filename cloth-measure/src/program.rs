//! The program of the harness, built from the working tree or from another revision.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Name of the sources that are there as they are.
pub const WORKING_TREE: &str = "working tree";

/// Options of the harness that leave out what is not measured, and the words of its help by which a
/// revision knows them.
const LEAVE_OUT: [(&str, &str); 2] = [("--audit=off", "--audit[="), ("--no-controls", "--no-controls")];

/// The sources of a revision, and where they are built.
#[derive(Clone, Debug)]
pub struct Sources {
    /// [`WORKING_TREE`] or the commit, shortened.
    pub name: String,
    folder: PathBuf,
    target: PathBuf,
}

impl Sources {
    /// The working tree as it is, built where it always is.
    #[must_use]
    pub fn working_tree(root: &Path) -> Self {
        Self { name: WORKING_TREE.into(), folder: root.into(), target: root.join("target") }
    }

    /// A commit, in a worktree and a target directory of its own; what was built before is used again.
    ///
    /// # Errors
    /// If there is no such commit, or git cannot add the worktree.
    pub fn from_commit(root: &Path, commit: &str) -> Result<Self, String> {
        let object = format!("{commit}^{{commit}}");
        let hash = output(git(root).args(["rev-parse", "--verify", "--end-of-options", &object]))
            .map_err(|e| format!("`{commit}` is no commit here: {e}"))?;
        let name: String = hash.trim().chars().take(10).collect();
        let folder = root.join("target").join("compare").join(&name);
        if !folder.join("Cargo.toml").is_file() {
            output(git(root).args(["worktree", "prune"]))?;
            let mut add = git(root);
            output(add.args(["worktree", "add", "--detach", "--force"]).arg(&folder).arg(hash.trim()))?;
        }
        Ok(Self { name, target: folder.join("target"), folder })
    }

    /// Whether these sources define a profile; cargo defines `dev` and `release`.
    fn has_profile(&self, profile: &str) -> bool {
        let manifest = std::fs::read_to_string(self.folder.join("Cargo.toml")).unwrap_or_default();
        ["dev", "release"].contains(&profile) || manifest.contains(&format!("[profile.{profile}]"))
    }
}

/// A profile and an instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Build {
    /// As the command line names it.
    pub name: &'static str,
    profile: &'static str,
    has_avx2: bool,
}

impl Build {
    /// Release, for every machine of this target.
    pub const RELEASE: Self = Self::new("release", "release", false);
    /// As `cargo xtask verify` builds it: several units of code generation in each crate.
    pub const VERIFY: Self = Self::new("verify", "verify", false);
    /// The same with debug assertions, overflow checks and other inlining.
    pub const DEV: Self = Self::new("dev", "dev", false);
    /// Release with AVX2 and what comes with it.
    pub const RELEASE_AVX2: Self = Self::new("release-avx2", "release", true);
    /// With debug assertions and AVX2.
    pub const DEV_AVX2: Self = Self::new("dev-avx2", "dev", true);
    /// All of them.
    pub const ALL: [Self; 5] = [Self::RELEASE, Self::VERIFY, Self::DEV, Self::RELEASE_AVX2, Self::DEV_AVX2];

    const fn new(name: &'static str, profile: &'static str, has_avx2: bool) -> Self {
        Self { name, profile, has_avx2 }
    }

    /// Whether this machine can run it.
    #[must_use]
    pub fn runs_here(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        let avx2 = std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
        #[cfg(not(target_arch = "x86_64"))]
        let avx2 = false;
        avx2 || !self.has_avx2
    }
}

/// The program that runs the scenarios.
pub struct Program {
    /// Name of its sources.
    pub sources: String,
    /// How it was built.
    pub build: Build,
    binary: PathBuf,
    /// The words before its options.
    before: &'static [&'static str],
    /// What its `--help` prints.
    help: String,
}

/// How cargo builds the program of a revision, its name, and the words before its options.
type Recipe = (&'static [&'static str], &'static str, &'static [&'static str]);

/// As `cargo xtask verify` builds it.
const HARNESS: Recipe = (&HARNESS_BUILD, "cloth-verify", &[]);

/// The options of cargo for the program of the harness, without what only its schemas need.
pub const HARNESS_BUILD: [&str; 7] =
    ["--package", "cloth-verify", "--bin", "cloth-verify", "--no-default-features", "--features", "program"];

/// Of revisions in which it was a part of the command.
const COMMAND: Recipe = (&["--package", "cloth-cli", "--bin", "cloth"], "cloth", &["verify"]);

impl Program {
    /// Builds it.
    ///
    /// # Errors
    /// If the sources lack the profile or do not build; the error names the revision.
    pub fn build(sources: &Sources, build: Build) -> Result<Self, String> {
        let (name, Build { name: built, profile, has_avx2 }) = (&sources.name, build);
        if !sources.has_profile(profile) {
            return Err(format!("{name} has no profile `{profile}`: ask for `release` or `dev`"));
        }
        eprintln!("building {name} ({built})");
        // Other flags in the same folder would rebuild everything each time.
        let target = if has_avx2 { sources.target.join("matrix") } else { sources.target.clone() };
        let mut cargo = cargo();
        let is_apart = sources.folder.join("cloth-verify/src/bin").is_dir();
        let (options, program, before) = if is_apart { HARNESS } else { COMMAND };
        cargo.args(["build", "--profile", profile, "--quiet"]).args(options);
        if has_avx2 {
            cargo.env("RUSTFLAGS", "-C target-cpu=x86-64-v3");
        }
        match cargo.current_dir(&sources.folder).env("CARGO_TARGET_DIR", &target).status() {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(format!("{name} ({built}) does not build ({status})")),
            Err(e) => return Err(format!("cannot start cargo: {e}")),
        }
        let folder = if profile == "dev" { "debug" } else { profile };
        let binary = target.join(folder).join(format!("{program}{}", std::env::consts::EXE_SUFFIX));
        let help = output(Command::new(&binary).args(before).arg("--help"))?;
        Ok(Self { sources: name.clone(), build, binary, before, help })
    }

    /// The names of all scenarios.
    ///
    /// # Errors
    /// If the program cannot be started, or names none.
    pub fn scenarios(&self) -> Result<Vec<String>, String> {
        // Asked for one that is not there, it names those that are.
        let asked = Command::new(&self.binary).args(self.before).args(["--scenario", "?"]).output();
        let text = asked.map_err(|e| format!("cannot start {}: {e}", self.binary.display()))?.stderr;
        let text = String::from_utf8_lossy(&text).into_owned();
        names(&text).ok_or_else(|| format!("{} names no scenarios: {}", self.sources, text.trim()))
    }

    /// Runs a scenario with some options and their values, without audit and controls; its report. `simd`
    /// names the vector instructions; without, they are those of the environment or the machine.
    ///
    /// # Errors
    /// If the revision lacks an option, or wrote no report.
    pub fn verify(
        &self,
        scenario: &str,
        simd: Option<&str>,
        options: &[[&str; 2]],
    ) -> Result<String, String> {
        let name = &self.sources;
        if let Some([option, _]) = options.iter().find(|[option, _]| !self.help.contains(option)) {
            return Err(format!("verify of {name} has no option {option}"));
        }
        let json = self.binary.with_file_name(format!("report-{}.json", std::process::id()));
        let mut program = Command::new(&self.binary);
        program.envs(simd.map(|name| ("CLOTH_SIMD", name)));
        program.args(self.before).args(["--scenario", scenario]).args(options.iter().flatten());
        program
            .args(LEAVE_OUT.iter().filter(|(_, words)| self.help.contains(words)).map(|(option, _)| option));
        let ran =
            program.arg("--json").arg(&json).output().map_err(|e| format!("cannot start {name}: {e}"))?;
        let report = std::fs::read_to_string(&json).map_err(|e| {
            let said = String::from_utf8_lossy(&ran.stderr);
            format!("{name} ran {scenario} without a report ({e}): {}", said.trim())
        });
        // The next run must not find it.
        let _ = std::fs::remove_file(&json);
        report
    }
}

/// The names in a message that ends with a list of them.
fn names(text: &str) -> Option<Vec<String>> {
    let list = text.trim().rsplit([':', ';']).find(|part| part.contains(", "))?;
    let is_name = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let words = list.split(", ").filter_map(|part| part.split_whitespace().last());
    Some(words.map(|word| word.trim_end_matches('.')).filter(is_name).map(String::from).collect())
}

/// The cargo that runs this program.
#[must_use]
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The commit that is checked out in so many digits, with `-dirty` if tracked files differ; none without a
/// repository.
#[must_use]
pub fn commit(root: &Path, digits: usize) -> Option<String> {
    let mut git = git(root);
    git.args(["describe", "--always", "--dirty", "--exclude=*"]).arg(format!("--abbrev={digits}"));
    Some(output(&mut git).ok()?.trim().to_owned())
}

fn git(root: &Path) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(root);
    git
}

/// What a program prints.
///
/// # Errors
/// If it cannot be started; its complaint if it fails.
pub fn output(command: &mut Command) -> Result<String, String> {
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
    fn finds_the_names_that_a_message_ends_with() {
        let message = "cloth-verify: unknown scenario `?`; known are hang, drape-sphere, tangled\n";
        assert_eq!(names(message).unwrap(), ["hang", "drape-sphere", "tangled"]);
        assert_eq!(names("cloth: no such option"), None);
    }

    #[test]
    fn what_needs_no_more_than_the_target_runs_here() {
        assert!(Build::RELEASE.runs_here() && Build::DEV.runs_here());
        assert_eq!(Build::RELEASE_AVX2.runs_here(), Build::DEV_AVX2.runs_here());
    }

    #[test]
    fn says_by_name_what_a_revision_lacks() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let message = Sources::from_commit(root, "no-such-commit").unwrap_err();
        assert!(message.starts_with("`no-such-commit` is no commit here"), "{message}");
        let old = Sources { name: "0ld".into(), folder: root.join("docs"), target: root.join("target") };
        let message = Program::build(&old, Build::VERIFY).err().unwrap();
        assert_eq!(message, "0ld has no profile `verify`: ask for `release` or `dev`");
        let (sources, help) = ("0ld".to_owned(), "--size SIZE".to_owned());
        let binary = "no-such-program".into();
        let program = Program { sources, build: Build::DEV, binary, before: &[], help };
        let message = program.verify("hang", None, &[["--size", "small"], ["--threads", "2"]]).unwrap_err();
        assert_eq!(message, "verify of 0ld has no option --threads");
    }
}
