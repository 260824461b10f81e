//! Queries of others with their exact answers, read from CSV.

use std::path::{Path, PathBuf};

use cloth_ccd::Query;
use nalgebra::Point3;

use cloth_testing::corpus;

/// A query of others, and what they computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Labelled {
    pub(crate) query: Query,
    pub(crate) collides: bool,
    /// An enclosure of the earliest time, where it collides.
    pub(crate) first: Option<[f64; 2]>,
}

/// The queries of one scene and kind, by name; none, and a word, without the data.
pub(crate) fn all() -> Vec<(String, Vec<Labelled>)> {
    let Some(corpus) = corpus("ccd") else { return vec![] };
    let scenes = [
        "erleben-cube-cliff-edges",
        "erleben-sliding-spike",
        "erleben-spike-crack",
        "erleben-spike-wedge",
        "erleben-wedges",
        "unit-tests",
    ];
    let mut sets = Vec::new();
    for scene in scenes {
        for (folder, kind) in [("edge-edge", "ee"), ("vertex-face", "vf")] {
            let files =
                [0, 1].map(|k| corpus.join(format!("sample-queries/{scene}/{folder}/data_0_{k}.csv")));
            let times = corpus.join(format!("exact-toi/sq_{scene}_{kind}_exact_toi.csv"));
            sets.extend(read(&files, &times, kind).map(|set| (format!("{scene} {kind}"), set)));
        }
    }
    for kind in ["ee", "vf"] {
        let file = corpus.join(format!("scalable/cloth-funnel/queries/227{kind}.csv"));
        let times = corpus.join(format!("exact-toi/sc_cloth-funnel_{kind}_exact_toi.csv"));
        sets.extend(read(&[file], &times, kind).map(|set| (format!("cloth-funnel {kind}"), set)));
    }
    sets
}

/// The queries of some files in a row, and their answers from another.
fn read(files: &[PathBuf], times: &Path, kind: &str) -> Option<Vec<Labelled>> {
    let text = |path: &Path| {
        let text = std::fs::read_to_string(path);
        text.inspect_err(|_| eprintln!("skipped: no {}", path.display())).ok()
    };
    let texts = files.iter().map(|file| text(file)).collect::<Option<Vec<_>>>()?;
    let rows: Vec<[f64; 3]> = texts.iter().flat_map(|text| text.lines()).map(corner).collect();
    let answers = text(times)?;
    let answers: Vec<&str> = answers.lines().skip(1).collect();
    assert_eq!(rows.len(), 8 * answers.len(), "{}", times.display());
    let query = |rows: &[[f64; 3]]| {
        let at = |k: usize| std::array::from_fn(|i| Point3::from(rows[k + i]));
        if kind == "ee" { Query::edge_edge(at(0), at(4)) } else { Query::point_triangle(at(0), at(4)) }
    };
    Some(rows.chunks(8).zip(answers).map(|(rows, answer)| labelled(query(rows), answer)).collect())
}

/// `query,collides,toi_lo,toi_hi,always_coplanar`.
fn labelled(query: Query, answer: &str) -> Labelled {
    let words: Vec<&str> = answer.split(',').collect();
    let first = words[2].parse().ok().zip(words[3].parse().ok());
    Labelled { query, collides: words[1] == "1", first: first.map(|(low, high)| [low, high]) }
}

/// `xn,xd,yn,yd,zn,zd` and perhaps a label: three quotients that are exact.
fn corner(line: &str) -> [f64; 3] {
    let words: Vec<f64> = line.split(',').map(|word| word.trim().parse().expect("a number")).collect();
    assert!(words.iter().all(|word| word.is_finite()), "{line}");
    [0, 2, 4].map(|k| words[k] / words[k + 1])
}
