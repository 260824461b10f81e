//! The files of a report.

use super::*;
use crate::fixture;

fn texts() -> [(&'static str, String); 2] {
    let (report, history) = (fixture::report(), fixture::history());
    files(&report, &history, &[("../index.html", "verdict")]).expect("files")
}

/// One of them.
fn named(name: &str) -> String {
    texts().into_iter().find(|(file, _)| *file == name).expect("the file").1
}

/// The page of a report without a history.
fn page(report: &BenchReport) -> String {
    page::html(report, &[], &[])
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
fn every_chart_is_named_and_has_a_table() {
    let page = named(PAGE);
    let charts: Vec<&str> = page.split("<figure class=\"chart\">").skip(1).collect();
    assert!(charts.len() > 15, "{}", charts.len());
    for chart in charts {
        let chart = chart.split("</figure>").next().unwrap_or_default();
        for part in ["role=\"img\"", "<title>", "<desc>", "<caption", "scope=\"col\""] {
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
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}
