//! A revision of the project, built.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::options::Options;
use super::run::Run;

/// A release build of `cloth`.
pub(super) struct Revision {
    name: String,
    binary: PathBuf,
    /// Options of `cloth verify` that leave out what is not measured, as far as this revision knows them.
    leaves_out: Vec<&'static str>,
}

/// Options that leave out what is not measured, and the words of the help text by which a revision knows
/// them.
const LEAVE_OUT: [(&str, &str); 2] = [("--audit=off", "--audit[="), ("--no-controls", "--no-controls")];

impl Revision {
    /// A commit, in a worktree and a target directory of its own; what was built before is used again.
    pub(super) fn of_commit(root: &Path, commit: &str) -> Result<Self, String> {
        let hash = output(git(root).args([
            "rev-parse",
            "--verify",
            "--end-of-options",
            &format!("{commit}^{{commit}}"),
        ]))
        .map_err(|e| format!("`{commit}` is no commit here: {e}"))?;
        let name: String = hash.chars().take(10).collect();
        let folder = root.join("target").join("compare").join(&name);
        if !folder.join("Cargo.toml").is_file() {
            output(git(root).arg("worktree").arg("prune"))?;
            output(git(root).args(["worktree", "add", "--detach", "--force"]).arg(&folder).arg(&hash))?;
        }
        Self::built(name, &folder, &folder.join("target"))
    }

    /// The working tree as it is, built where it always is.
    pub(super) fn working_tree(root: &Path) -> Result<Self, String> {
        Self::built("working tree".into(), root, &root.join("target"))
    }

    fn built(name: String, source: &Path, target: &Path) -> Result<Self, String> {
        eprintln!("building {name}");
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["build", "--release", "--quiet", "--package", "cloth-cli", "--bin", "cloth"]);
        let status = cargo.current_dir(source).env("CARGO_TARGET_DIR", target).status();
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(format!("{name} does not build ({status})")),
            Err(e) => return Err(format!("cannot start cargo: {e}")),
        }
        let binary = target.join("release").join(format!("cloth{}", std::env::consts::EXE_SUFFIX));
        let help = output(Command::new(&binary).args(["verify", "--help"]))?;
        let knows = |&(_, words): &(&str, &str)| help.contains(words);
        let leaves_out = LEAVE_OUT.iter().copied().filter(knows).map(|(option, _)| option).collect();
        Ok(Self { name, binary, leaves_out })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The names of all scenarios.
    pub(super) fn scenarios(&self) -> Result<Vec<String>, String> {
        scenarios_of(&self.binary)
    }

    /// Runs a scenario.
    pub(super) fn verify(&self, scenario: &str, options: &Options) -> Result<Run, String> {
        let json = self.binary.with_file_name("compare.json");
        // A file of an earlier run must not pass for one of this.
        let _ = std::fs::remove_file(&json);
        let mut command = Command::new(&self.binary);
        command.args(["verify", "--scenario", scenario, "--size", &options.size, "--gate", &options.gate]);
        command
            .args(["--threads", &options.threads.to_string()])
            .args(&self.leaves_out)
            .arg("--json")
            .arg(&json);
        let output = command.output().map_err(|e| format!("cannot start {}: {e}", self.name))?;
        let text = std::fs::read_to_string(&json).map_err(|e| {
            let said = String::from_utf8_lossy(&output.stderr);
            format!("{} ran {scenario} without a report ({e}): {}", self.name, said.trim())
        })?;
        Run::read(&text).map_err(|e| format!("the report of {} on {scenario} cannot be read: {e}", self.name))
    }
}

/// The names of all scenarios of a program `cloth`.
pub(crate) fn scenarios_of(cloth: &Path) -> Result<Vec<String>, String> {
    // Asked for one that is not there, it names those that are.
    let asked = Command::new(cloth).args(["verify", "--scenario", "?"]).output();
    let text = asked.map_err(|e| format!("cannot start {}: {e}", cloth.display()))?.stderr;
    let text = String::from_utf8_lossy(&text).into_owned();
    names(&text).ok_or_else(|| format!("{} names no scenarios: {}", cloth.display(), text.trim()))
}

/// The names in a message that ends with a list of them.
fn names(text: &str) -> Option<Vec<String>> {
    let list = text.trim().rsplit([':', ';']).find(|part| part.contains(", "))?;
    let is_name = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let words = list.split(", ").filter_map(|part| part.split_whitespace().last());
    Some(words.map(|word| word.trim_end_matches('.')).filter(is_name).map(String::from).collect())
}

fn git(root: &Path) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(root);
    git
}

/// What a program prints; its complaint if it fails.
fn output(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("cannot start {program}: {e}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_names_that_a_message_ends_with() {
        let message = "cloth: unknown scenario `?`; known are hang, drape-sphere, tangled\n";
        assert_eq!(names(message).unwrap(), ["hang", "drape-sphere", "tangled"]);
        assert_eq!(names("cloth: no such option"), None);
    }
}
