//! Queries with what is known about them.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use cloth_ccd::{Query, Toi};
use cloth_io::queries::{
    Enclosure, MovingPair, QueryKind, QueryScene, default_label_file, enclosures_in, files_below,
    read_enclosures, read_labels, read_queries,
};

/// The queries of one file, in its order.
pub(crate) struct Batch {
    pub(crate) path: PathBuf,
    pub(crate) scene: QueryScene,
    pub(crate) queries: Vec<Query>,
    /// Whether each collides, and where that stands.
    pub(crate) labels: Vec<bool>,
    pub(crate) labels_from: String,
    pub(crate) times: Option<Times>,
}

/// Bounds of the time at which each query that collides does so first.
pub(crate) struct Times {
    pub(crate) bounds: Vec<Option<[f64; 2]>>,
    /// Whether they are so close that a time claimed to be exact must lie between them.
    pub(crate) are_enclosures: bool,
    /// The file in which they stand, or the method that found them.
    pub(crate) origin: String,
}

impl Times {
    /// Those of the answers of the exact method.
    pub(crate) fn by_exact_method(impacts: &[Option<Toi>]) -> Self {
        // The sum is rounded; the next number is at least the true one.
        let end = |Toi { time, gap }: Toi| if gap == 0.0 { time } else { (time + gap).next_up() };
        let bounds = impacts.iter().map(|impact| impact.map(|toi| [toi.time, end(toi)])).collect();
        Self { bounds, are_enclosures: false, origin: "method exact".to_owned() }
    }
}

/// Reads query files and those below folders, and bounds of their times from the folder `toi`.
pub(crate) fn read_batches(named: &[PathBuf], toi: Option<&Path>) -> Result<Vec<Batch>, Box<dyn Error>> {
    let mut batches = Vec::new();
    for path in named {
        let found = if path.is_dir() { files_below(path)? } else { vec![path.clone()] };
        if found.is_empty() {
            return Err(format!("{}: holds no query files (..ee.csv, ..vf.csv)", path.display()).into());
        }
        for path in found {
            batches.push(read(path)?);
        }
    }
    if let Some(folder) = toi {
        enclose(&mut batches, folder)?;
    }
    Ok(batches)
}

fn read(path: PathBuf) -> Result<Batch, Box<dyn Error>> {
    let refuse = |text: &str| format!("{}: {text}", path.display());
    let scene = QueryScene::from_path(&path).ok_or_else(|| {
        refuse("neither its folder (edge-edge, vertex-face) nor its name (..ee.csv, ..vf.csv) says its kind")
    })?;
    let file = read_queries(&path)?;
    let query = |MovingPair { t0, t1 }| match scene.kind {
        QueryKind::VertexFace => Query::point_triangle(t0, t1),
        QueryKind::EdgeEdge => Query::edge_edge(t0, t1),
    };
    let queries: Vec<Query> = file.queries.into_iter().map(query).collect();
    let beside = default_label_file(&path);
    let (labels, labels_from) = match file.labels {
        Some(labels) => (labels, "column 7".to_owned()),
        None if beside.is_file() => (read_labels(&beside)?, beside.display().to_string()),
        None => Err(refuse(&format!("has no labels: no column 7, and no file {}", beside.display())))?,
    };
    if labels.len() != queries.len() {
        let (labels, queries) = (labels.len(), queries.len());
        return Err(format!("{labels_from}: has {labels} labels for {queries} queries").into());
    }
    Ok(Batch { path, scene, queries, labels, labels_from, times: None })
}

/// Hands the bounds of each scene out to its files, in their order.
fn enclose(batches: &mut [Batch], folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut scenes: BTreeMap<QueryScene, Vec<&mut Batch>> = BTreeMap::new();
    for batch in batches {
        scenes.entry(batch.scene.clone()).or_default().push(batch);
    }
    for (scene, batches) in scenes {
        let path = enclosures_in(folder, &scene);
        let origin = path.display().to_string();
        let mut enclosures = read_enclosures(&path)?;
        let queries: usize = batches.iter().map(|batch| batch.queries.len()).sum();
        if enclosures.len() != queries {
            let described = enclosures.len();
            return Err(format!(
                "{origin}: describes {described} queries, but the files given have {queries}; name all files \
                 of the scene, in order"
            )
            .into());
        }
        for batch in batches {
            let own: Vec<Enclosure> = enclosures.drain(..batch.queries.len()).collect();
            let mut both = own.iter().zip(&batch.labels);
            if let Some(query) = both.position(|(own, label)| own.collides() != *label) {
                let path = batch.path.display();
                return Err(format!("{origin}: contradicts the label of query {query} of {path}").into());
            }
            let bounds = own.iter().map(|enclosure| enclosure.times).collect();
            batch.times = Some(Times { bounds, are_enclosures: true, origin: origin.clone() });
        }
    }
    Ok(())
}
