//! Third-party queries and exact times for the tests of the conservative methods.

use nalgebra::Point3;

use crate::{Ccd, Query};
use cloth_testing::corpus;

/// What a method did wrong on a set of queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    pub(crate) queries: usize,
    pub(crate) misses: usize,
    pub(crate) late: usize,
    pub(crate) false_impacts: usize,
}

/// A query with its label, and an upper bound of its exact time of impact.
struct Labelled {
    query: Query,
    collides: bool,
    latest: f64,
}

/// Judges a method on both kinds of queries of a scene, point-triangle first. None, and a word, without the
/// data.
pub(crate) fn check_answer(method: &impl Ccd, scene: &str) -> Option<[Faults; 2]> {
    let kinds = [("vertex-face", "vf"), ("edge-edge", "ee")];
    let faults = kinds.map(|(folder, short)| Some(judge_all(method, &load(scene, folder, short)?)));
    if let [Some(point_triangle), Some(edge_edge)] = faults {
        println!("{scene}: point-triangle {point_triangle:?}, edge-edge {edge_edge:?}");
        return Some([point_triangle, edge_edge]);
    }
    None
}

fn judge_all(method: &impl Ccd, queries: &[Labelled]) -> Faults {
    let mut faults = Faults { queries: queries.len(), ..Faults::default() };
    for Labelled { query, collides, latest } in queries {
        let found = method.impact(query, 0.0).expect("finite");
        faults.misses += usize::from(*collides && found.is_none());
        faults.false_impacts += usize::from(!*collides && found.is_some());
        faults.late += usize::from(*collides && found.is_some_and(|toi| toi.time > *latest));
    }
    faults
}

fn load(scene: &str, folder: &str, short: &str) -> Option<Vec<Labelled>> {
    let mut rows = Vec::new();
    for name in ["data_0_0.csv", "data_0_1.csv"] {
        let file = read(&format!("sample-queries/{scene}/{folder}/{name}"))?;
        rows.extend(file.iter().map(|row| corner(row)));
    }
    let times = read(&format!("exact-toi/sq_{scene}_{short}_exact_toi.csv"))?;
    let queries = rows.chunks_exact(8).zip(&times[1..]).map(|(rows, time)| {
        let [t0, t1] = [0, 4].map(|from| std::array::from_fn(|k| rows[from + k].0));
        let query = if short == "vf" { Query::point_triangle(t0, t1) } else { Query::edge_edge(t0, t1) };
        let collides = rows[0].1;
        assert_eq!(collides, time[1] == "1", "label and time agree");
        Labelled { query, collides, latest: time[3].parse().unwrap_or(f64::NAN) }
    });
    let queries: Vec<Labelled> = queries.collect();
    assert_eq!((queries.len() * 8, queries.len()), (rows.len(), times.len() - 1), "{scene} {folder}");
    assert!(queries.iter().all(|query| query.collides != query.latest.is_nan()));
    Some(queries)
}

/// The cells of a CSV file of the query sets, row by row; none, and a word, without the data.
fn read(name: &str) -> Option<Vec<Vec<String>>> {
    let text = std::fs::read_to_string(corpus(&format!("ccd/{name}"))?).expect("it can be read");
    Some(text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect())
}

/// A corner and the label; numerators and denominators are exact in `f64`, and so are their quotients.
fn corner(row: &[String]) -> (Point3<f64>, bool) {
    let number = |k: usize| row[k].parse::<f64>().expect("an integer");
    let coordinate = |axis: usize| number(2 * axis) / number(2 * axis + 1);
    (Point3::new(coordinate(0), coordinate(1), coordinate(2)), row[6] == "1")
}
