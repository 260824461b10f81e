//! The files that a run reads and those that it writes: none of the first may be among the second.
//!
//! What the command line and the scene name is known before the work starts, so that a run which would
//! destroy its input does nothing at all. What a file names in turn, as a glTF document names its buffers and
//! images, is known once it is opened: [`cloth_io::input_at`] knows everything that any reader has opened. So
//! an output is compared with both right before it gets its name. Files are compared by what they are, not by
//! how they are spelled: see [`FileMap`].

#[cfg(feature = "pictures")]
use std::io::Write;
use std::path::{Path, PathBuf};

#[cfg(feature = "pictures")]
use cloth_io::write_atomically;
use cloth_io::{AtomicFile, FileMap, input_at, split_prim};

use crate::Failure;
#[cfg(feature = "pictures")]
use crate::render::{Image, encode_png};

/// What a run reads and writes.
#[derive(Default)]
pub struct RunFiles {
    reads: FileMap<Named>,
    writes: Vec<Named>,
    /// Those of `writes` that are read where they are there already.
    updates: FileMap<()>,
}

/// A file, and what it is to the run.
#[derive(Clone)]
struct Named {
    path: PathBuf,
    /// In the words of the command line or of the scene: `MESH`, `--json`, `contacts.file`.
    role: String,
}

impl RunFiles {
    /// Adds a file that is read; one that does not exist is refused when it is read.
    pub fn reads(&mut self, path: &Path, role: &str) {
        let (path, _) = split_prim(path);
        self.reads.insert(path, Named { path: path.into(), role: role.into() });
    }

    /// Adds all of these.
    pub fn reads_all<'a>(&mut self, paths: impl IntoIterator<Item = &'a PathBuf>, role: &str) {
        paths.into_iter().for_each(|path| self.reads(path, role));
    }

    /// Adds a file that is written.
    pub fn writes(&mut self, path: &Path, role: &str) {
        self.writes.push(Named { path: path.into(), role: role.into() });
    }

    /// Adds a file that is read where it is there, and written.
    pub fn updates(&mut self, path: &Path, role: &str) {
        self.updates.insert(path, ());
        self.writes(path, role);
    }

    /// Adds the file of `--json`, checks all of them, and that the file can be written there, so that a long
    /// run does not fail at its end. The last thing to add.
    ///
    /// # Errors
    /// Those of [`Self::check`], and if the file cannot be written.
    pub fn writes_json(&mut self, path: Option<&Path>) -> Result<(), Failure> {
        path.inspect(|path| self.writes(path, "--json"));
        self.check()?;
        // Dropped before it is finished, it leaves nothing behind.
        path.map_or(Ok(()), |path| Ok(AtomicFile::create(path).map(drop)?))
    }

    /// Refuses a run that would write over a file that it reads, or write two outputs to one file.
    ///
    /// # Errors
    /// As it says, with both files and what they are to the run.
    pub fn check(&self) -> Result<(), Failure> {
        let mut written: FileMap<&Named> = FileMap::default();
        for output in &self.writes {
            self.confirm(&output.path, &output.role)?;
            if let Some(other) = written.get(&output.path) {
                return Err(Failure::new(format!(
                    "{}: {} and {} are one file; name another for either",
                    output.path.display(),
                    other.role,
                    output.role
                )));
            }
            written.insert(&output.path, output);
        }
        Ok(())
    }

    /// Writes a picture.
    ///
    /// # Errors
    /// If the file is an input, or cannot be written.
    #[cfg(feature = "pictures")]
    pub fn write_png(&self, path: &Path, image: &Image) -> Result<(), Failure> {
        self.confirm(path, "a picture")?;
        let bytes = encode_png(image).map_err(|e| Failure::new(format!("{}: {e}", path.display())))?;
        Ok(write_atomically(path, |w| w.write_all(&bytes))?)
    }

    /// Checks that an output is no input: before the run, and again right before it takes its name.
    ///
    /// # Errors
    /// If it is one.
    pub fn confirm(&self, output: &Path, role: &str) -> Result<(), Failure> {
        let (input, is_read) = match self.reads.get(output) {
            Some(input) => (input.path.clone(), format!("read as {}", input.role)),
            None if self.updates.get(output).is_some() => return Ok(()),
            None => match input_at(output) {
                Some(input) => (input, "read as a part of the input".to_owned()),
                None => return Ok(()),
            },
        };
        let is = if input == output { String::new() } else { format!("is {}, ", input.display()) };
        Err(Failure::new(format!(
            "{}: {is}{is_read}; {role} would write over it, name another file",
            output.display()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with a mesh, which a run reads, and the output that it is to write.
    fn run() -> (tempfile::TempDir, RunFiles) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.obj"), "x").unwrap();
        let mut files = RunFiles::default();
        files.reads(&dir.path().join("a.obj"), "MESH");
        files.writes(&dir.path().join("b.json"), "--json");
        assert_eq!(files.check(), Ok(()));
        (dir, files)
    }

    #[test]
    fn an_output_is_neither_an_input_nor_another_output() {
        let (dir, mut files) = run();
        let at = |name: &str| dir.path().join(name);
        let error = files.confirm(&at("./a.obj"), "--json").unwrap_err().to_string();
        assert!(error.contains("read as MESH; --json would write over it"), "{error}");
        files.writes(&at("none/../b.json"), "--out");
        assert!(files.check().unwrap_err().to_string().contains("--json and --out are one file"));
    }

    #[test]
    fn confirm_refuses_an_output_that_became_a_link_to_an_input() {
        let (dir, files) = run();
        let at = |name: &str| dir.path().join(name);
        std::fs::hard_link(at("a.obj"), at("b.json")).unwrap();
        assert!(files.confirm(&at("b.json"), "--json").is_err());
    }
}
