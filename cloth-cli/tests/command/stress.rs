//! `cloth check` on files that break loaders: it judges or refuses each, and never panics.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{cloth_watched, text};
use cloth_testing::corpus;

/// The OBJ and PLY files below a folder, in the order of their paths.
fn meshes_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        let extension = entry.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        if entry.is_dir() {
            found.extend(meshes_below(&entry));
        } else if ["obj", "ply"].contains(&extension.as_str()) {
            found.push(entry);
        }
    }
    found.sort();
    found
}

#[test]
fn judges_or_refuses_every_file_that_breaks_loaders() {
    let Some(folder) = corpus("stress") else { return };
    let scratch = tempfile::tempdir().unwrap();
    let (mut accepted, mut refused) = (0, 0);
    for path in meshes_below(&folder) {
        let ran = cloth_watched(scratch.path(), &["check", &text(&path)]);
        assert!(
            !ran.err.contains("panicked") && !ran.out.contains("panicked"),
            "{}: {ran:?}",
            path.display()
        );
        match ran.status {
            0 | 1 => accepted += usize::from(ran.err.is_empty()),
            2 => refused += usize::from(ran.err.lines().count() == 1),
            _ => panic!("{}: {ran:?}", path.display()),
        }
    }
    eprintln!("{accepted} judged, {refused} refused");
    assert_eq!(accepted + refused, meshes_below(&folder).len(), "an error is one line, a judgement none");
    assert!(accepted > 0 && refused > 0);
}
