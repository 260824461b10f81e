//! Query files: what is written reads back, what is no query is refused in one line that says where, and the
//! public sets read.

use std::fs;
use std::path::Path;

use cloth_io::queries::{
    Enclosure, MovingPair, QueryFile, QueryScene, default_label_file, enclosures_in, files_below,
    parse_enclosures, parse_queries, read_enclosures, read_labels, read_pair_ids, read_queries,
    write_queries,
};
use nalgebra::Point3;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

use cloth_testing::corpus;

/// One query in rows of 7 columns.
fn rows(label: &str) -> Vec<String> {
    (0..8).map(|i| format!("{i},1,-3,4,{i},8,{label}")).collect()
}

fn parse(text: &str) -> Result<QueryFile, String> {
    parse_queries(Path::new("q.csv"), text.as_bytes()).map_err(|e| e.to_string())
}

/// The error of a text; it is one line of bounded length and names the file.
fn refusal(text: &[u8]) -> String {
    let error = parse_queries(Path::new("q.csv"), text).expect_err("refused").to_string();
    assert!(error.starts_with("q.csv:") && error.len() < 500 && !error.contains('\n'), "{error}");
    error
}

#[test]
fn reads_corners_in_the_order_of_the_rows() {
    let file = parse(&rows("1").join("\n")).unwrap();
    let at = |i: f64| Point3::new(i, -0.75, i / 8.0);
    let pair = MovingPair { t0: [0.0, 1.0, 2.0, 3.0].map(at), t1: [4.0, 5.0, 6.0, 7.0].map(at) };
    assert_eq!(file, QueryFile { queries: vec![pair], labels: Some(vec![true]) });
}

#[test]
fn takes_crlf_blanks_around_words_and_blank_lines_at_the_end() {
    let plain = parse(&rows("0").join("\n")).unwrap();
    let crlf = rows("0").join("\r\n") + "\r\n";
    let blanks = rows("0").join("\n").replace(',', " ,\t") + "\n \n\n";
    assert_eq!((parse(&crlf), parse(&blanks)), (Ok(plain.clone()), Ok(plain)));
}

#[test]
fn a_file_of_six_columns_has_no_labels() {
    let unlabelled: Vec<String> = rows("1").iter().map(|row| row.trim_end_matches(",1").to_owned()).collect();
    let file = parse(&unlabelled.join("\n")).unwrap();
    assert_eq!((file.queries.len(), file.labels), (1, None));
}

#[test]
fn refuses_files_without_rows_or_with_part_of_a_query() {
    for empty in ["", "\n", " \r\n\n"] {
        assert!(refusal(empty.as_bytes()).contains("holds no row"));
    }
    let two = [rows("1"), rows("0")].concat();
    for left in [1, 7, 9, 15] {
        assert!(refusal(two[..left].join("\n").as_bytes()).contains(&format!("has {left} rows")));
    }
}

#[test]
fn refuses_a_wrong_number_of_columns_and_names_the_row() {
    for first in ["1,1", "1,1,1,1,1", "1,1,1,1,1,1,0,0", "{\"queries\": []}", "x"] {
        assert!(refusal([first; 8].join("\n").as_bytes()).contains("columns in its first row"), "{first}");
    }
    for (changed, count) in [("1,1,1,1,1,1", 6), ("1,1,1,1,1,1,1,1", 8), ("", 1)] {
        let mut rows = [rows("1"), rows("0")].concat();
        rows[12] = changed.to_owned();
        let error = refusal(rows.join("\n").as_bytes());
        assert!(error.starts_with(&format!("q.csv:13: has {count} columns")), "{error}");
    }
}

#[test]
fn refuses_coordinates_that_are_none_and_names_row_and_columns() {
    let long = "9".repeat(100_000);
    for (n, d, why) in [
        ("1", "3", "no f64 has this value"),
        ("1", "0", "denominator is 0"),
        ("nan", "1", "numerator is not an integer"),
        ("1", "NaN", "denominator is not an integer"),
        ("inf", "1", "numerator is not an integer"),
        ("0.5", "1", "numerator is not an integer"),
        ("1e5", "1", "numerator is not an integer"),
        ("", "1", "numerator is not an integer"),
        ("1\0", "1", "numerator is not an integer"),
        ("9007199254740993", "1", "no f64 has this value"),
        (&long, "1", "no f64 has this value"),
        ("1", &long, "no f64 has this value"),
    ] {
        for axis in 0..3 {
            let mut cells = ["0", "1", "0", "1", "0", "1", "1"];
            (cells[2 * axis], cells[2 * axis + 1]) = (n, d);
            let mut rows = [rows("0"), rows("1")].concat();
            rows[10] = cells.join(",");
            let error = refusal(rows.join("\n").as_bytes());
            let place = format!("q.csv:11: columns {} and {}: ", 2 * axis + 1, 2 * axis + 2);
            assert!(error.starts_with(&place) && error.contains(why), "{error}");
        }
    }
}

#[test]
fn refuses_labels_that_are_none_and_labels_that_disagree() {
    for label in ["2", "-1", "true", "", "01", "nan"] {
        assert!(
            refusal(rows(label).join("\n").as_bytes()).starts_with("q.csv:1: column 7: the label"),
            "{label}"
        );
    }
    for odd in 1..8 {
        let mut rows = [rows("1"), rows("0")].concat();
        rows[8 + odd] = rows[odd].clone();
        let error = refusal(rows.join("\n").as_bytes());
        assert!(error.starts_with(&format!("q.csv:{}: column 7: the label is 1", 9 + odd)), "{error}");
        assert!(error.contains("rows 9 to 16 are one query"), "{error}");
    }
}

#[test]
fn refuses_bytes_that_are_no_text() {
    let mut bytes = rows("1").join("\n").into_bytes();
    bytes[0] = 0xff;
    assert!(refusal(&bytes).starts_with("q.csv:1: is not text"));
    bytes[0] = 0;
    assert!(refusal(&bytes).starts_with("q.csv:1: columns 1 and 2"));
}

#[test]
fn says_which_file_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let gone = folder.path().join("no.csv");
    for error in [
        read_queries(&gone).unwrap_err(),
        read_labels(&gone).unwrap_err(),
        read_enclosures(&gone).unwrap_err(),
        files_below(&gone).unwrap_err(),
    ] {
        assert!(error.problem.starts_with("cannot read"), "{error}");
    }
    let folder = read_queries(folder.path()).unwrap_err();
    assert!(folder.problem.starts_with("is a folder, not a regular file"), "{folder}");
}

#[test]
fn folders_are_searched_in_order_and_not_without_end() {
    let folder = tempfile::tempdir().unwrap();
    let names =
        ["b/edge-edge/x.csv", "a/queries/2vf.csv", "a/queries/10ee.CSV", "a/notes.csv", "a/edge-edge/x.txt"];
    for name in names {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    let found = files_below(folder.path()).unwrap();
    let expected =
        ["a/queries/10ee.CSV", "a/queries/2vf.csv", "b/edge-edge/x.csv"].map(|name| folder.path().join(name));
    assert_eq!(found, expected);
    fs::create_dir_all(folder.path().join("d/".repeat(30))).unwrap();
    assert!(files_below(folder.path()).unwrap_err().problem.contains("nested deeper"));
}

#[test]
fn what_is_no_query_file_cannot_be_written() {
    let pair = MovingPair { t0: [Point3::origin(); 4], t1: [Point3::origin(); 4] };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.csv");
    let labels = Some(vec![true, false]);
    assert!(write_queries(&path, &QueryFile { queries: vec![pair], labels }).is_err());
    let mut far = pair;
    far.t1[3].z = f64::INFINITY;
    let error = write_queries(&path, &QueryFile { queries: vec![pair, far], labels: None }).unwrap_err();
    assert!(error.problem.contains("query 1") && !path.exists(), "{error}");
}

/// Any finite number, but no negative zero.
fn finite() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite()).prop_map(|x| x + 0.0)
}

proptest! {
    // No `main.rs` stands above this file, so failures are kept next to it.
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("proptest-regressions"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_written_reads_back(
        coordinates in prop::collection::vec(prop::array::uniform24(finite()), 1..5),
        labelled in any::<bool>(),
    ) {
        let point = |c: &[f64; 24], i: usize| Point3::new(c[3 * i], c[3 * i + 1], c[3 * i + 2]);
        let four = |c: &[f64; 24], from: usize| [0, 1, 2, 3].map(|i| point(c, from + i));
        let query = |c: &_| MovingPair { t0: four(c, 0), t1: four(c, 4) };
        let queries: Vec<_> = coordinates.iter().map(query).collect();
        let labels = labelled.then(|| coordinates.iter().map(|c| c[0] > 0.0).collect());
        let file = QueryFile { queries, labels };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("q.csv");
        write_queries(&path, &file).unwrap();
        prop_assert_eq!(read_queries(&path).unwrap(), file);
    }

    #[test]
    fn a_changed_byte_is_read_or_refused_in_one_line(at in 0_usize..200, byte in any::<u8>()) {
        let mut bytes = [rows("1"), rows("0")].concat().join("\n").into_bytes();
        let place = at % bytes.len();
        bytes[place] = byte;
        if parse_queries(Path::new("q.csv"), &bytes).is_err() {
            refusal(&bytes);
        }
    }

    #[test]
    fn a_truncated_file_is_read_or_refused_in_one_line(kept in 0_usize..300) {
        let bytes = [rows("1"), rows("0")].concat().join("\n").into_bytes();
        let cut = &bytes[..kept.min(bytes.len())];
        if parse_queries(Path::new("q.csv"), cut).is_err() {
            refusal(cut);
        }
    }
}

#[test]
fn lists_are_arrays_of_the_right_words() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.json");
    let write = |text: &str| fs::write(&path, text).unwrap();
    write("[true,\n false]");
    assert_eq!(read_labels(&path), Ok(vec![true, false]));
    write("[[3, 70], [5, 81]]");
    assert_eq!(read_pair_ids(&path), Ok(vec![[3, 70], [5, 81]]));
    for bad in
        ["", "[", "[tru]", "[1, 2]", "{}", "[true] x", "[[-1, 2]]", "[[1, 2, 3]]", "\0", &"[".repeat(10_000)]
    {
        write(bad);
        let errors = [read_labels(&path).unwrap_err(), read_pair_ids(&path).unwrap_err()];
        assert!(errors.iter().all(|e| e.problem.starts_with("is not a JSON array of ")), "{bad}: {errors:?}");
    }
}

#[test]
fn enclosures_are_read_or_refused_by_line() {
    let parse = |text: &str| parse_enclosures(Path::new("t.csv"), text.as_bytes()).map_err(|e| e.to_string());
    let header = "query,collides,toi_lo,toi_hi,always_coplanar";
    let good = parse(&format!("{header}\n0,0,,,1\r\n1,1,0.25,0.5,0\n")).unwrap();
    let expected = [
        Enclosure { times: None, always_coplanar: true },
        Enclosure { times: Some([0.25, 0.5]), always_coplanar: false },
    ];
    assert_eq!(good, expected);
    assert_eq!((good[0].collides(), good[1].collides()), (false, true));
    assert_eq!(parse(header), Ok(vec![]));
    assert!(parse("").unwrap_err().contains("header") && parse("0,0,,,0").unwrap_err().contains("header"));
    for bad in [
        "0,0,,",
        "0,0,,,,",
        "1,0,,,0",
        "x,0,,,0",
        "0,2,,,0",
        "0,0,0.5,0.5,0",
        "0,1,,,0",
        "0,1,0.5,,0",
        "0,1,nan,nan,0",
        "0,1,0.6,0.5,0",
        "0,1,-0.1,0.5,0",
        "0,1,0.5,1.5,0",
        "0,1,0.5,inf,0",
        "0,0,,,2",
        "0,0,,,",
        "",
        "\0",
    ] {
        let error = parse(&format!("{header}\n{bad}\n0,0,,,0")).unwrap_err();
        assert!(error.starts_with("t.csv:2: ") && !error.contains('\n'), "{bad}: {error}");
    }
}

#[test]
fn every_public_query_has_a_label_that_agrees_with_its_enclosure() {
    let Some(root) = corpus("ccd") else { return };
    let files = files_below(&root).unwrap();
    assert_eq!(files.len(), 6 * 2 * 2 + 2, "{files:?}");
    let mut scenes: Vec<(QueryScene, Vec<bool>)> = Vec::new();
    for path in &files {
        let file = read_queries(path).unwrap();
        let labels = file.labels.unwrap_or_else(|| read_labels(&default_label_file(path)).unwrap());
        assert_eq!(labels.len(), file.queries.len(), "{}", path.display());
        let scene = QueryScene::from_path(path).unwrap();
        match scenes.last_mut() {
            Some((last, all)) if *last == scene => all.extend(labels),
            _ => scenes.push((scene, labels)),
        }
    }
    for (scene, labels) in &scenes {
        let enclosures = read_enclosures(&enclosures_in(&root.join("exact-toi"), scene)).unwrap();
        let collides: Vec<bool> = enclosures.iter().map(Enclosure::collides).collect();
        assert_eq!(collides, *labels, "{scene:?}");
    }
    println!("{} queries", scenes.iter().map(|(_, labels)| labels.len()).sum::<usize>());
}

#[test]
fn the_pairs_of_the_scalable_scenes_have_one_label_each() {
    let Some(root) = corpus("ccd") else { return };
    for name in ["cloth-ball/boxes/92", "cloth-funnel/boxes/227"] {
        for letters in ["vf", "ee"] {
            let path = root.join("scalable").join(format!("{name}{letters}.json"));
            let (pairs, labels) =
                (read_pair_ids(&path).unwrap(), read_labels(&default_label_file(&path)).unwrap());
            assert_eq!(pairs.len(), labels.len(), "{}", path.display());
            println!("{}: {} of {}", path.display(), labels.iter().filter(|&&l| l).count(), labels.len());
        }
    }
}
