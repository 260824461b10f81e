//! Batches from query files and folders of them.

use std::path::{Path, PathBuf};

use cloth_io::queries::{QueryKind, QueryScene, default_label_file, files_below, read_labels, read_queries};

use super::batch::{Batch, Labels, query};
use crate::args::CcdArgs;
use crate::failure::Failure;

/// Reads the query files of the command line, with the labels that are theirs.
pub(super) fn read(args: &CcdArgs) -> Result<(Vec<Batch>, Vec<PathBuf>), Failure> {
    let paths = expand(&args.queries)?;
    let mut batches = paths.iter().map(|path| read_one(path, args.kind)).collect::<Result<Vec<_>, _>>()?;
    let unlabelled: Vec<usize> = (0..batches.len()).filter(|&i| batches[i].labels.is_none()).collect();
    let labels = label_files(&args.labels, unlabelled.iter().map(|&i| paths[i].as_path()))?;
    for (&i, path) in unlabelled.iter().zip(&labels) {
        let count = batches[i].queries.len();
        batches[i].labels = path.as_deref().map(|path| labels_of(path, count)).transpose()?;
    }
    Ok((batches, paths))
}

/// The files themselves, and those below folders.
pub(super) fn expand(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut paths = Vec::new();
    for path in named {
        if !path.is_dir() {
            paths.push(path.clone());
            continue;
        }
        let below = files_below(path)?;
        if below.is_empty() {
            let text = "holds no query files: their names end in ee.csv or vf.csv, or they lie in folders edge-edge \
                        or vertex-face";
            return Err(Failure::new(format!("{}: {text}", path.display())));
        }
        paths.extend(below);
    }
    Ok(paths)
}

fn read_one(path: &Path, kind: Option<QueryKind>) -> Result<Batch, Failure> {
    let kind = kind.or_else(|| QueryScene::from_path(path).map(|scene| scene.kind)).ok_or_else(|| {
        let text = "neither its folder (edge-edge, vertex-face) nor its name (..ee.csv, ..vf.csv) says what the \
                    queries are; pass --kind";
        Failure::new(format!("{}: {text}", path.display()))
    })?;
    let file = read_queries(path)?;
    let queries = file.queries.into_iter().map(|pair| query(kind, pair)).collect();
    let mut batch = Batch::new(path.display().to_string(), queries);
    batch.labels = file.labels.map(|collides| Labels { collides, origin: "column 7".to_owned() });
    Ok(batch)
}

/// The files of labels for each of some files: those that were named, or else those next to them that exist.
pub(super) fn label_files<'a>(
    named: &[PathBuf],
    unlabelled: impl ExactSizeIterator<Item = &'a Path>,
) -> Result<Vec<Option<PathBuf>>, Failure> {
    if named.is_empty() {
        return Ok(unlabelled
            .map(|path| Some(default_label_file(path)).filter(|beside| beside.is_file()))
            .collect());
    }
    if named.len() != unlabelled.len() {
        let text = format!(
            "--labels is given {} times for {} files without labels; name one for each",
            named.len(),
            unlabelled.len()
        );
        return Err(Failure::new(text));
    }
    Ok(named.iter().cloned().map(Some).collect())
}

/// Reads the labels of so many queries.
pub(super) fn labels_of(path: &Path, queries: usize) -> Result<Labels, Failure> {
    let (collides, origin) = (read_labels(path)?, path.display().to_string());
    if collides.len() == queries {
        Ok(Labels { collides, origin })
    } else {
        Err(Failure::new(format!(
            "{origin}: has {} labels for {queries} queries; name the labels of these",
            collides.len()
        )))
    }
}
