//! What is judged for itself: a mesh, the frames of one, or garments with their bodies.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cloth_io::{ArrayNames, FileError, ObjSequence, frame_number, is_mesh_file, known_meshes, read_mesh};
use cloth_show::check::Subject;
use cloth_show::program::Failure;
use cloth_show::program::console::counted;
use walkdir::WalkDir;

use crate::args::{CheckArgs, MeshWithCache};

/// A mesh, as it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A file, or a folder or a pattern of frames, with the cache that moves it.
    Named(MeshWithCache),
    /// Frames of one mesh.
    Frames {
        /// What names them.
        pattern: PathBuf,
        files: Vec<PathBuf>,
        /// Why they are frames, a sentence.
        note: String,
    },
}

/// Meshes that are judged together: one, or the garments that bodies wear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Job {
    /// Its place among all, from 0.
    pub(super) number: u64,
    pub(super) meshes: Vec<Source>,
}

/// All jobs of a command line, and what has to be said about them, a sentence each.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Jobs {
    pub(super) jobs: Vec<Job>,
    pub(super) notes: Vec<String>,
    /// Whether some were found in a folder or by a pattern.
    pub(super) is_found: bool,
}

impl Source {
    fn file(mesh: PathBuf) -> Self {
        Self::Named(MeshWithCache { mesh, cache: None })
    }

    /// How it is named.
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Named(named) => &named.mesh,
            Self::Frames { pattern, .. } => pattern,
        }
    }

    /// The files that it reads, without its cache.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        match self {
            Self::Named(named) => Subject::files(&named.mesh),
            Self::Frames { files, .. } => files.clone(),
        }
    }

    /// The cache that moves it.
    pub(super) fn cache(&self) -> Option<&Path> {
        match self {
            Self::Named(named) => named.cache.as_deref(),
            Self::Frames { .. } => None,
        }
    }

    /// Opens it; of NumPy archives these arrays.
    pub(super) fn open(&self, arrays: &ArrayNames) -> Result<Subject, FileError> {
        match self {
            Self::Named(named) => Subject::open_arrays(&named.mesh, named.cache.as_deref(), arrays),
            Self::Frames { pattern, files, note } => {
                let mut subject = Subject::open_frames(pattern, files.clone())?;
                subject.notes.push(note.clone());
                Ok(subject)
            }
        }
    }
}

impl Job {
    fn one(source: Source) -> Self {
        Self { number: 0, meshes: vec![source] }
    }

    /// The names of its meshes.
    pub(super) fn name(&self) -> String {
        let names: Vec<String> = self.meshes.iter().map(|mesh| mesh.path().display().to_string()).collect();
        names.join(", ")
    }
}

/// The jobs of a command line: with bodies, all meshes that are files are one; what a folder or a pattern
/// holds are jobs of their own.
pub(super) fn jobs(args: &CheckArgs) -> Result<Jobs, Failure> {
    let meshes = &args.wearing.meshes;
    let is_found = |mesh: &MeshWithCache| mesh.mesh.is_dir() || is_pattern(&mesh.mesh);
    let mut found = Jobs { is_found: meshes.iter().any(is_found), ..Jobs::default() };
    if !args.wearing.bodies.is_empty() && !args.each && !found.is_found {
        let all = || meshes.iter().chain(&args.wearing.bodies).map(|mesh| &mesh.mesh);
        if let Some((_, twice)) =
            all().enumerate().find(|(k, mesh)| all().take(*k).any(|other| other == *mesh))
        {
            return Err(Failure::new(format!("{}: is named twice; name it once", twice.display())));
        }
        found.jobs.push(Job { number: 0, meshes: meshes.iter().cloned().map(Source::Named).collect() });
        return Ok(found);
    }
    for mesh in meshes {
        if !is_found(mesh) || mesh.cache.is_some() {
            found.jobs.push(Job::one(Source::Named(mesh.clone())));
            continue;
        }
        let files = match mesh.mesh.is_dir() {
            true => files_below(&mesh.mesh)?,
            false => files_of_pattern(&mesh.mesh)?,
        };
        if files.is_empty() {
            let text = format!("{}: holds no meshes; known are: {}", mesh.mesh.display(), known_meshes());
            return Err(Failure::new(text));
        }
        let (jobs, notes) = grouped(files, args);
        found.jobs.extend(jobs);
        found.notes.extend(notes);
    }
    found.jobs.iter_mut().zip(0..).for_each(|(job, number)| job.number = number);
    Ok(found)
}

/// Whether a path is no file and has a letter of a pattern.
fn is_pattern(path: &Path) -> bool {
    !path.is_file() && path.as_os_str().to_string_lossy().contains(['*', '?', '['])
}

/// The meshes in a folder and below, in the order of their names; links to folders are not followed.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let is_hidden = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with('.');
    let mut files = Vec::new();
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter();
    for entry in entries.filter_entry(|e| e.depth() == 0 || !is_hidden(e.file_name())) {
        let entry = entry.map_err(|e| Failure::new(format!("{}: {e}", folder.display())))?;
        if !entry.file_type().is_dir() && is_mesh_file(entry.path()) {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}

/// The meshes that a pattern names, in the order of their names: `*` and `?` stand for letters of a name, and
/// `**` for folders.
fn files_of_pattern(pattern: &Path) -> Result<Vec<PathBuf>, Failure> {
    let refuse = |e: &dyn std::fmt::Display| Failure::new(format!("{}: {e}", pattern.display()));
    let found = glob::glob(&pattern.to_string_lossy()).map_err(|e| refuse(&e))?;
    let files = found.collect::<Result<Vec<PathBuf>, _>>().map_err(|e| refuse(&e))?;
    Ok(files.into_iter().filter(|file| is_mesh_file(file) && !file.is_dir()).collect())
}

/// Takes files as frames of one mesh or each for itself; what is said about that.
fn grouped(files: Vec<PathBuf>, args: &CheckArgs) -> (Vec<Job>, Vec<String>) {
    let pattern_of = |file: &Path| ObjSequence::pattern(file).filter(|_| is_obj(file) && !args.each);
    let mut members: BTreeMap<PathBuf, Vec<(u64, PathBuf)>> = BTreeMap::new();
    for file in &files {
        if let Some((pattern, number)) = pattern_of(file).zip(frame_number(file)) {
            members.entry(pattern).or_default().push((number, file.clone()));
        }
    }
    let (mut jobs, mut notes) = (Vec::new(), Vec::new());
    for file in files {
        let Some(pattern) = pattern_of(&file) else {
            jobs.push(Job::one(Source::file(file)));
            continue;
        };
        // All of a pattern are taken with its first.
        let Some(mut frames) = members.remove(&pattern) else { continue };
        frames.sort();
        let why_not = if frames.len() < 2 || args.sequence { None } else { why_no_sequence(&frames) };
        let what = format!("{}: {}", pattern.display(), counted(frames.len(), "file"));
        let files = frames.into_iter().map(|(_, file)| file);
        if files.len() > 1 && why_not.is_none() {
            let why = if args.sequence { "" } else { " of equal topology and consecutive numbers" };
            let note = format!("{what}{why} are frames of one mesh; --each judges each for itself");
            notes.push(note.clone());
            jobs.push(Job::one(Source::Frames { pattern, files: files.collect(), note }));
        } else {
            notes.extend(why_not.map(|why| format!("{what} are judged one by one: {why}")));
            jobs.extend(files.map(|file| Job::one(Source::file(file))));
        }
    }
    (jobs, notes)
}

fn is_obj(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("obj"))
}

/// Why files, in the order of their numbers, are not the frames of one mesh; the topology of the first two
/// and the last is compared, that of the others when they are judged.
fn why_no_sequence(frames: &[(u64, PathBuf)]) -> Option<String> {
    if let Some(pair) = frames.windows(2).find(|pair| pair[1].0 != pair[0].0 + 1) {
        let [a, b] = [pair[0].0, pair[1].0];
        return Some(format!("number {b} follows {a}; --sequence judges them as frames all the same"));
    }
    let topology =
        |file: &Path| read_mesh(file).ok().map(|read| (read.mesh.positions.len(), read.mesh.faces));
    let first = topology(&frames[0].1);
    let others = [&frames[1].1, &frames[frames.len() - 1].1];
    let differs = others.into_iter().find(|file| first.is_none() || topology(file) != first)?;
    Some(format!("the topology of {} is not that of the first", differs.display()))
}
