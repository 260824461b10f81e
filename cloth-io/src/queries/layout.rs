//! Where the public data sets keep what belongs to a query file.
//!
//! ```text
//! <scene>/edge-edge/data_0_0.csv    <scene>/queries/227ee.csv   <scene>/mma_bool/227ee_mma_bool.json
//! <scene>/vertex-face/data_0_0.csv                              <scene>/boxes/227ee.json
//! sq_<scene>_ee_exact_toi.csv       sc_<scene>_ee_exact_toi.csv  (enclosures)
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use super::QueryKind;
use crate::FileError;

/// How deep a folder is searched: more than any data set has, and an end where a link leads back.
const MAX_DEPTH: usize = 16;

/// The files of one scene and kind, over all of which its enclosures count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueryScene {
    /// The folder of the scene.
    pub folder: PathBuf,
    /// The kind of its queries.
    pub kind: QueryKind,
    /// Whether the kind follows from the folder (`edge-edge`), as among the sample queries, or by the end of
    /// the file's name.
    pub by_folder: bool,
}

impl QueryScene {
    /// Where a file has its place, and which kind its path says; none if it does not say any.
    ///
    /// A path from the current folder is completed first, so that the folder it stands in is known.
    #[must_use]
    pub fn from_path(path: &Path) -> Option<Self> {
        let path = std::path::absolute(path).ok()?;
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let folder = path.parent()?;
        let above = folder.parent().unwrap_or(Path::new("")).to_path_buf();
        let kinds = [QueryKind::EdgeEdge, QueryKind::VertexFace];
        let told_by_folder = kinds.into_iter().find(|kind| name(folder).as_deref() == Some(kind.name()));
        let stem = path.file_stem()?.to_string_lossy().into_owned();
        let told_by_name = || kinds.into_iter().find(|kind| stem.ends_with(kind.letters()));
        let kind = told_by_folder.or_else(told_by_name)?;
        Some(Self { folder: above, kind, by_folder: told_by_folder.is_some() })
    }
}

/// Where the labels of a file belong: of `<scene>/queries/227ee.csv` or `<scene>/boxes/227ee.json` that is
/// `<scene>/mma_bool/227ee_mma_bool.json`. It need not exist.
#[must_use]
pub fn default_label_file(path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(Path::new(""));
    let scene = folder.parent().map_or_else(|| folder.join(".."), Path::to_path_buf);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    scene.join("mma_bool").join(format!("{stem}_mma_bool.json"))
}

/// Where a folder of enclosures keeps those of a scene. It need not exist.
#[must_use]
pub fn enclosures_in(folder: &Path, scene: &QueryScene) -> PathBuf {
    let set = if scene.by_folder { "sq" } else { "sc" };
    let name = scene.folder.file_name().unwrap_or_default().to_string_lossy();
    folder.join(format!("{set}_{name}_{}_exact_toi.csv", scene.kind.letters()))
}

/// The query files below a folder, in the order of their paths: those ending in `.csv` whose path says the
/// kind.
///
/// # Errors
/// If a folder cannot be read, or folders are nested without end.
pub fn files_below(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let mut found = Vec::new();
    collect(folder, 0, &mut found)?;
    found.sort();
    Ok(found)
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), FileError> {
    if depth > MAX_DEPTH {
        return Err(FileError::new(
            folder,
            format!("is nested deeper than {MAX_DEPTH} folders; name the files"),
        ));
    }
    let failed = |e: std::io::Error| FileError::io(folder, "read the folder", &e);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_csv = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv"));
        if path.is_dir() {
            collect(&path, depth + 1, found)?;
        } else if is_csv && QueryScene::from_path(&path).is_some() {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(path: &str) -> Option<QueryKind> {
        QueryScene::from_path(Path::new(path)).map(|scene| scene.kind)
    }

    #[test]
    fn the_folder_says_the_kind_or_else_the_end_of_the_name() {
        assert_eq!(kind_of("a/edge-edge/data_0_0.csv"), Some(QueryKind::EdgeEdge));
        assert_eq!(kind_of("a/vertex-face/data_0_0.csv"), Some(QueryKind::VertexFace));
        assert_eq!(kind_of("a/queries/227ee.csv"), Some(QueryKind::EdgeEdge));
        assert_eq!(kind_of("227vf.csv"), Some(QueryKind::VertexFace));
        assert_eq!(kind_of("a/vertex-face/like_ee.csv"), Some(QueryKind::VertexFace));
        for unknown in
            ["a/queries/data.csv", "sq_a_ee_exact_toi.csv", "", "/", "..", "a/edge-edge/x/data.csv"]
        {
            assert_eq!(kind_of(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn labels_and_enclosures_have_their_places() {
        let [queries, boxes] = ["x/funnel/queries/227ee.csv", "x/funnel/boxes/227ee.json"].map(Path::new);
        let labels = Path::new("x/funnel/mma_bool/227ee_mma_bool.json");
        assert_eq!((default_label_file(queries), default_label_file(boxes)), (labels.into(), labels.into()));
        assert_eq!(default_label_file(Path::new("queries/1vf.csv")), Path::new("mma_bool/1vf_mma_bool.json"));
        assert_eq!(default_label_file(Path::new("1vf.csv")), Path::new("../mma_bool/1vf_mma_bool.json"));
        let times = |path| enclosures_in(Path::new("toi"), &QueryScene::from_path(path).unwrap());
        assert_eq!(times(queries), Path::new("toi/sc_funnel_ee_exact_toi.csv"));
        let sample = Path::new("x/spike/vertex-face/data_0_1.csv");
        assert_eq!(times(sample), Path::new("toi/sq_spike_vf_exact_toi.csv"));
    }

    #[test]
    fn files_of_one_scene_and_kind_belong_together() {
        let scene = |path: &str| QueryScene::from_path(Path::new(path)).unwrap();
        assert_eq!(scene("a/edge-edge/data_0_0.csv"), scene("a/edge-edge/data_0_1.csv"));
        assert_ne!(scene("a/edge-edge/data_0_0.csv"), scene("a/vertex-face/data_0_0.csv"));
        assert_ne!(scene("a/edge-edge/data_0_0.csv"), scene("b/edge-edge/data_0_0.csv"));
    }
}
