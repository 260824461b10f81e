//! The files of a report, held to the formats that they claim.

use jsonschema::validator_for;
use serde_json::{Value, json};

use super::*;
use crate::fixture;

fn texts() -> [(&'static str, String); 5] {
    let (report, history) = (fixture::report(), fixture::history());
    files(&report, &history, &[("../index.html", "verdict")]).expect("files")
}

/// One of them.
fn named(name: &str) -> String {
    texts().into_iter().find(|(file, _)| *file == name).expect("the file").1
}

fn parsed(name: &str) -> Value {
    serde_json::from_str(&named(name)).expect("JSON")
}

/// The page of a report without a history.
fn page(report: &BenchReport) -> String {
    page::html(report, &[], &[])
}

fn assert_valid(schema: &Value, instance: &Value) {
    let validator = validator_for(schema).expect("a schema");
    let faults: Vec<String> =
        validator.iter_errors(instance).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(faults.is_empty(), "{faults:?}");
}

#[test]
fn bencher_metric_format_is_that_of_its_documentation() {
    // The schema of <https://bencher.dev/docs/reference/bencher-metric-format>, closed to unknown fields of a
    // metric.
    let metric = json!({
        "type": "object",
        "properties": {
            "value": {"type": "number"},
            "lower_value": {"type": "number"},
            "upper_value": {"type": "number"},
        },
        "required": ["value"],
        "additionalProperties": false,
    });
    let measures = json!({"type": "object", "patternProperties": {".+": metric}});
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema",
        "type": "object",
        "patternProperties": {".+": measures},
    });
    let found = parsed("bencher.json");
    assert_valid(&schema, &found);
    let benchmarks = found.as_object().expect("a map");
    assert!(benchmarks.len() > 40);
    assert_eq!(found["scene/pile/32/cloth/1"]["latency"]["value"], json!(1.6e6));
    assert_eq!(
        found["kernel/point-triangle/random/cloth-geom closest"]["latency"]["lower_value"],
        json!(8.827)
    );
    for (name, measures) in benchmarks {
        assert!(
            name.len() <= 1024 && measures.as_object().expect("a map").keys().all(|k| k.len() <= 64),
            "{name}"
        );
    }
}

#[test]
fn github_action_benchmark_reads_the_array() {
    // `BenchmarkResult` in the module `extract` of benchmark-action/github-action-benchmark, and its README,
    // "Custom benchmark".
    let schema = json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 1},
                "unit": {"type": "string"},
                "value": {"type": "number"},
                "range": {"type": "string"},
                "extra": {"type": "string"},
            },
            "required": ["name", "unit", "value"],
            "additionalProperties": false,
        },
    });
    let found = parsed("github-action-benchmark.json");
    assert_valid(&schema, &found);
    let entries = found.as_array().expect("an array");
    let mut names: Vec<&str> = entries.iter().filter_map(|e| e["name"].as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), entries.len(), "names that are not unique would be drawn as one");
}

#[test]
fn csv_has_a_row_for_each_result() {
    let text = named("bench.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().expect("CSV");
    assert_eq!(rows.len(), history::records(&fixture::report()).len());
}

#[test]
fn the_page_loads_nothing_and_names_undecided_stopped_and_failed_results() {
    let page = named(PAGE);
    for words in [
        "undecided: 0.59",
        "7 of 12 frames in 120 s",
        "failed after 4 of 12 frames: solver diverged",
        "not supported: more than 10,000 particles",
        "The machine was loaded",
        "regression",
        "+5.",
        "../index.html",
    ] {
        assert!(page.contains(words), "`{words}` is not on the page");
    }
    for foreign in ["http://", "https://", "<script", "<link", "<iframe", "@import", "url("] {
        let without_namespaces = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        assert!(!without_namespaces.contains(foreign), "the page holds {foreign}");
    }
}

#[test]
fn every_chart_is_named_and_has_a_table_and_a_download() {
    let page = named(PAGE);
    let charts: Vec<&str> = page.split("<figure class=\"chart\">").skip(1).collect();
    assert!(charts.len() > 15, "{}", charts.len());
    for chart in charts {
        let chart = chart.split("</figure>").next().unwrap_or_default();
        for part in [
            "role=\"img\"",
            "<title>",
            "<desc>",
            "<caption",
            "scope=\"col\"",
            "href=\"data:text/csv",
            "download=",
        ] {
            assert!(chart.contains(part), "no {part} in {}", &chart[..200.min(chart.len())]);
        }
    }
    let ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    for (k, id) in ids.iter().enumerate() {
        assert!(!ids[..k].contains(id), "the address {id} is given twice");
    }
}

#[test]
fn equal_reports_give_equal_bytes() {
    assert_eq!(texts(), texts());
}

#[test]
fn an_empty_report_is_a_page_too() {
    let mut report = fixture::report();
    (report.scenes, report.ratios, report.growth) = Default::default();
    (report.kernels, report.broad_phases, report.ccd) = Default::default();
    let found = page(&report);
    assert!(found.contains("Benchmarks") && !found.contains("<figure"));
}

#[test]
fn names_cannot_break_out_of_the_page() {
    let mut report = fixture::report();
    report.scenes[0].contender.name = "<script>alert(1)</script>".into();
    report.scenes[0].status = crate::schema::Status::Failed { error: "\"><img src=x>".into() };
    let found = page(&report);
    assert!(!found.contains("<script") && !found.contains("<img"));
}

#[test]
fn files_are_written_and_link_to_the_pages_that_are_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("bench");
    write(&fixture::report(), &[], &dir).expect("written");
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).expect("a file");
    assert!(!read(PAGE).contains("../index.html") && !read(PAGE).contains("push.html"));
    std::fs::write(folder.path().join("verify.json"), "{}").expect("written");
    write_pushes(&fixture::pushes(), &dir).expect("written");
    write(&fixture::report(), &[], &dir).expect("written");
    assert!(read(PAGE).contains("../index.html") && read(PAGE).contains("push.html"));
    let report: BenchReport = serde_json::from_str(&read(JSON)).expect("a report");
    assert_eq!(report, fixture::report());
}

#[test]
fn tables_name_every_contender_with_its_end_and_its_ratio() {
    let text = text(&fixture::report());
    for part in [
        "pile 128: 16,384 particles",
        "7 of 12 frames in 120 s",
        "failed after 4 of 12 frames",
        "not supported",
        "undecided: 0.59",
        "growth: time ~ particles",
        "cloth-ccd filtered",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}
