//! Queries with what is known about them: from query files and folders of them, or from two frames of a mesh
//! and lists of its pairs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cloth_ccd::Query;
use cloth_io::queries::{
    Enclosure, MovingPair, QueryKind, QueryScene, default_label_file, enclosures_in, files_below,
    read_enclosures, read_labels, read_queries,
};
use cloth_show::program::Failure;

use super::figures::TimesFrom;
use crate::args::CcdArgs;
use crate::commands::motion::{Frames, Pair, read_pairs};

/// Queries of one file, in its order.
pub(super) struct Batch {
    /// The file.
    pub(super) path: String,
    /// The words of its kind, or `mixed`.
    pub(super) kind: &'static str,
    pub(super) queries: Vec<Query>,
    /// Whether each collides, as far as the file or one next to it states.
    pub(super) labels: Option<Labels>,
    /// Bounds of the exact times, if there are any.
    pub(super) times: Option<Times>,
}

/// Whether each query collides.
pub(super) struct Labels {
    pub(super) collides: Vec<bool>,
    /// Where that stands: a column or a file.
    pub(super) origin: String,
}

/// Bounds of the time at which each query that collides does so first.
pub(super) struct Times {
    pub(super) bounds: Vec<Option<[f64; 2]>>,
    pub(super) from: TimesFrom,
    /// The file in which they stand, or the method that found them.
    pub(super) origin: String,
}

impl Batch {
    /// A batch about which nothing is known yet.
    fn new(path: String, queries: Vec<Query>) -> Self {
        let of = |kind| {
            queries.iter().all(|query| matches!(query, Query::EdgeEdge(_)) == (kind == QueryKind::EdgeEdge))
        };
        let kinds = [QueryKind::EdgeEdge, QueryKind::VertexFace];
        let kind = kinds.into_iter().find(|&kind| of(kind)).map_or("mixed", QueryKind::name);
        Self { path, kind, queries, labels: None, times: None }
    }
}

/// The query of a moving pair of a kind.
fn query(kind: QueryKind, MovingPair { t0, t1 }: MovingPair) -> Query {
    match kind {
        QueryKind::VertexFace => Query::point_triangle(t0, t1),
        QueryKind::EdgeEdge => Query::edge_edge(t0, t1),
    }
}

/// Reads the query files of the command line, with the labels that are theirs.
pub(super) fn read_files(args: &CcdArgs) -> Result<(Vec<Batch>, Vec<PathBuf>), Failure> {
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
            let text = "holds no query files: their names end in ee.csv or vf.csv, or they lie in folders \
                        edge-edge or vertex-face";
            return Err(Failure::new(format!("{}: {text}", path.display())));
        }
        paths.extend(below);
    }
    Ok(paths)
}

fn read_one(path: &Path, kind: Option<QueryKind>) -> Result<Batch, Failure> {
    let kind = kind.or_else(|| QueryScene::from_path(path).map(|scene| scene.kind)).ok_or_else(|| {
        let text = "neither its folder (edge-edge, vertex-face) nor its name (..ee.csv, ..vf.csv) says what \
                    the queries are; pass --kind";
        Failure::new(format!("{}: {text}", path.display()))
    })?;
    let file = read_queries(path)?;
    let queries = file.queries.into_iter().map(|pair| query(kind, pair)).collect();
    let mut batch = Batch::new(path.display().to_string(), queries);
    batch.labels = file.labels.map(|collides| Labels { collides, origin: "column 7".to_owned() });
    Ok(batch)
}

/// The files of labels for each of some files: those that were named, or else those next to them that exist.
fn label_files<'a>(
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
fn labels_of(path: &Path, queries: usize) -> Result<Labels, Failure> {
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

/// Reads lists of pairs of a mesh in motion and their labels, one batch for each list: the coordinates are
/// those of the frames, bit for bit.
pub(super) fn read_rebuilt(
    frames: &Frames,
    boxes: &[PathBuf],
    labels: &[PathBuf],
) -> Result<Vec<(Vec<Pair>, Batch)>, Failure> {
    let labels = label_files(labels, boxes.iter().map(PathBuf::as_path))?;
    let mut batches = Vec::new();
    for (path, labels) in boxes.iter().zip(labels) {
        let pairs = read_pairs(path, frames.counts())?;
        let queries: Vec<Query> = pairs.iter().map(|&pair| query_of(frames, pair)).collect();
        let mut batch = Batch::new(path.display().to_string(), queries);
        batch.labels = labels.map(|labels| labels_of(&labels, pairs.len())).transpose()?;
        batches.push((pairs, batch));
    }
    Ok(batches)
}

/// The query of a pair: the vertex before the face, and edges from their lesser vertex to their greater.
pub(super) fn query_of(frames: &Frames, pair: Pair) -> Query {
    let (kind, corners) = match pair {
        Pair::FaceVertex([face, vertex]) => {
            let [a, b, c] = frames.faces()[face as usize];
            (QueryKind::VertexFace, [vertex, a, b, c])
        }
        Pair::EdgeEdge(edges) => {
            let [[a, b], [c, d]] = edges.map(|edge| frames.edges()[edge as usize]);
            (QueryKind::EdgeEdge, [a, b, c, d])
        }
    };
    let [t0, t1] = [&frames.t0, &frames.t1].map(|at| corners.map(|vertex| at[vertex as usize]));
    query(kind, MovingPair { t0, t1 })
}

/// Bounds from one file that counts over all batches, or from a folder with a file for each scene.
pub(super) fn enclose(batches: &mut [Batch], paths: &[PathBuf], toi: &Path) -> Result<(), Failure> {
    if !toi.is_dir() {
        return spread(batches.iter_mut().collect(), toi);
    }
    let mut scenes: BTreeMap<QueryScene, Vec<&mut Batch>> = BTreeMap::new();
    for (batch, path) in batches.iter_mut().zip(paths) {
        let scene = QueryScene::from_path(path).ok_or_else(|| {
            let text =
                "lies in no folder of a scene, so that its times are not found; name their file by --toi";
            Failure::new(format!("{}: {text}", path.display()))
        })?;
        scenes.entry(scene).or_default().push(batch);
    }
    scenes.into_iter().try_for_each(|(scene, batches)| spread(batches, &enclosures_in(toi, &scene)))
}

/// Hands the bounds of a file out to batches, in their order.
fn spread(batches: Vec<&mut Batch>, path: &Path) -> Result<(), Failure> {
    let enclosures = read_enclosures(path)?;
    let queries: usize = batches.iter().map(|batch| batch.queries.len()).sum();
    if enclosures.len() != queries {
        return Err(Failure::new(format!(
            "{}: describes {} queries, but the files given have {queries}; name all files it counts over, in \
             order",
            path.display(),
            enclosures.len()
        )));
    }
    let mut rest = &enclosures[..];
    for batch in batches {
        let own;
        (own, rest) = rest.split_at(batch.queries.len());
        attach(batch, own, path)?;
    }
    Ok(())
}

fn attach(batch: &mut Batch, enclosures: &[Enclosure], path: &Path) -> Result<(), Failure> {
    let origin = path.display().to_string();
    let collides: Vec<bool> = enclosures.iter().map(Enclosure::collides).collect();
    let labels =
        batch.labels.get_or_insert_with(|| Labels { collides: collides.clone(), origin: origin.clone() });
    if let Some(query) = (0..collides.len()).find(|&i| labels.collides[i] != collides[i]) {
        let text = format!(
            "{origin}: contradicts the verdict of {} on query {query} of {}",
            labels.origin, batch.path
        );
        return Err(Failure::new(format!("{text}; name the times of these queries")));
    }
    let bounds = enclosures.iter().map(|enclosure| enclosure.times).collect();
    batch.times = Some(Times { bounds, from: TimesFrom::Enclosures, origin });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_testing::corpus;
    use nalgebra::Point3;

    #[test]
    fn a_batch_is_of_one_kind_or_mixed() {
        let pair = MovingPair { t0: [Point3::origin(); 4], t1: [Point3::origin(); 4] };
        let [vf, ee] = [QueryKind::VertexFace, QueryKind::EdgeEdge].map(|kind| query(kind, pair));
        let kind = |queries: &[Query]| Batch::new(String::new(), queries.to_vec()).kind;
        assert_eq!((kind(&[vf, vf]), kind(&[ee]), kind(&[ee, vf])), ("vertex-face", "edge-edge", "mixed"));
    }

    /// The coordinates of a query, by their bits; a negative zero of the frames is a positive one in
    /// quotients.
    fn bits<'a>(points: impl IntoIterator<Item = &'a Point3<f64>>) -> Vec<u64> {
        points.into_iter().flat_map(|point| point.iter().map(|c| (c + 0.0).to_bits())).collect()
    }

    #[test]
    fn published_queries_are_rebuilt_from_their_frames_bit_for_bit() {
        let Some(scene) = corpus("ccd/scalable/cloth-funnel") else { return };
        let place = |name: &str| scene.join(Path::new(name));
        let frames = Frames::read(&place("frames/227.ply"), &place("frames/228.ply")).unwrap();
        for (letters, queries) in [("vf", 92), ("ee", 263)] {
            let published = read_queries(&place(&format!("queries/227{letters}.csv"))).unwrap().queries;
            let boxes = [place(&format!("boxes/227{letters}.json"))];
            let (_, rebuilt) = &read_rebuilt(&frames, &boxes, &[]).unwrap()[0];
            assert_eq!((published.len(), rebuilt.queries.len()), (queries, queries));
            for (published, rebuilt) in published.iter().zip(&rebuilt.queries) {
                assert_eq!(
                    bits(published.t0.iter().chain(&published.t1)),
                    bits(rebuilt.start().iter().chain(rebuilt.end()))
                );
            }
        }
    }
}
