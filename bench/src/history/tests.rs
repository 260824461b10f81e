//! Histories that are made up: a regression of 5 % is marked, noise is not.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;

/// Runs of a history.
const RUNS: usize = 40;
/// The run from which on the injected regression acts.
const INJECTED: usize = 25;

/// Noise about one with a standard deviation.
fn noisy(random: &mut Pcg64Mcg, deviation: f64) -> f64 {
    // The sum of twelve uniform numbers has a standard deviation of one, and is close to normal.
    let normal: f64 = (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
    1.0 + deviation * normal
}

fn record(instructions: Option<f64>, paired: Option<Paired>) -> Record {
    Record { instructions, paired: paired.into_iter().collect(), ..Record::default() }
}

/// A history in which everything costs `factor` from [`INJECTED`] on.
fn history(seed: u64, factor: f64, record_of: fn(&mut Pcg64Mcg, f64) -> Record) -> Vec<Record> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    (0..RUNS).map(|k| record_of(&mut random, if k < INJECTED { 1.0 } else { factor })).collect()
}

/// Instructions with the noise that was seen between runs of one program, 0.1 %; times that double at random,
/// as on a loaded machine.
fn counted(random: &mut Pcg64Mcg, factor: f64) -> Record {
    let mut record = record(Some(2.0e9 * factor * noisy(random, 0.001)), None);
    let value = 20.0 * (1.0 + random.random::<f64>());
    record.time = Some(Time { value, unit: "ms".into() });
    record
}

/// A paired time with a noise of 0.7 % and an interval of 1.4 % to either side.
fn timed(random: &mut Pcg64Mcg, factor: f64) -> Record {
    let ratio = 0.25 * factor * noisy(random, 0.007);
    record(None, Some(Paired { peer: "rapier".into(), ratio, low: 0.986 * ratio, high: 1.014 * ratio }))
}

fn found(history: &[Record]) -> Vec<Change> {
    changes(&history.iter().collect::<Vec<_>>())
}

#[test]
fn a_regression_of_five_percent_is_marked_once_by_instructions() {
    for seed in 0..100 {
        let found = found(&history(seed, 1.05, counted));
        assert_eq!(found.len(), 1, "seed {seed}: {found:?}");
        let change = found[0];
        assert_eq!((change.at, change.evidence), (INJECTED, Evidence::Instructions), "seed {seed}");
        assert!((change.ratio - 1.05).abs() < 0.005, "{change:?}");
    }
}

#[test]
fn noise_of_instructions_and_load_of_the_machine_are_not_marked() {
    for seed in 0..100 {
        assert_eq!(found(&history(seed, 1.0, counted)), [], "seed {seed}");
    }
}

#[test]
fn paired_times_mark_a_regression_where_nothing_was_counted() {
    // A single run may fall into the margin; the run after it must not.
    for seed in 0..100 {
        let found = found(&history(seed, 1.05, timed));
        let slower = found.iter().find(|c| c.ratio > 1.0 && c.at >= INJECTED);
        let change = slower.unwrap_or_else(|| panic!("seed {seed}: {found:?}"));
        assert!(change.at <= INJECTED + 2, "seed {seed}: {change:?}");
        assert_eq!(change.evidence, Evidence::PairedTime);
    }
}

#[test]
fn noise_of_paired_times_is_not_marked() {
    // 100 histories of 40 runs: a false alarm in a thousand runs would be four.
    let alarms: usize = (0..100).map(|seed| found(&history(seed, 1.0, timed)).len()).sum();
    assert!(alarms <= 4, "{alarms} false alarms in {} runs", 100 * RUNS);
}

#[test]
fn an_interval_wider_than_the_effect_is_not_marked() {
    let paired = |ratio, half| Paired { peer: "p".into(), ratio, low: ratio - half, high: ratio + half };
    let before = [record(None, Some(paired(1.0, 0.01)))];
    let wide = record(None, Some(paired(1.05, 0.06)));
    let narrow = record(None, Some(paired(1.05, 0.01)));
    assert_eq!(changes(&[&before[0], &wide]), []);
    assert_eq!(changes(&[&before[0], &narrow]).len(), 1);
}

#[test]
fn another_compiler_or_machine_is_not_a_regression() {
    let before = record(Some(1.0e9), None);
    let mut after = record(Some(1.2e9), None);
    assert_eq!(changes(&[&before, &after]).len(), 1);
    after.toolchain = "rustc 2".into();
    assert_eq!(changes(&[&before, &after]), []);
    let paired = |ratio| Some(Paired { peer: "p".into(), ratio, low: ratio, high: ratio });
    let (before, mut after) = (record(None, paired(1.0)), record(None, paired(2.0)));
    assert_eq!(changes(&[&before, &after]).len(), 1);
    after.machine = "another".into();
    assert_eq!(changes(&[&before, &after]), []);
}

#[test]
fn records_of_a_report_are_read_as_they_were_appended() {
    let folder = tempfile::tempdir().expect("a folder");
    let written = records(&crate::fixture::report());
    append(folder.path(), &written[..5]).expect("written");
    append(folder.path(), &written[5..]).expect("written");
    assert_eq!(read(folder.path()).expect("read"), written);
    assert_eq!(read(&folder.path().join("none")).expect("an empty history"), []);
}

#[test]
fn lines_of_earlier_revisions_are_read() {
    // Their times have fields that are unknown today.
    let kept = read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/history"))).expect("read");
    assert!(kept.iter().any(|record| record.time.is_some()));
}

#[test]
fn a_line_that_is_no_record_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    append(folder.path(), &records(&crate::fixture::report())[..1]).expect("written");
    let path = folder.path().join("scene.jsonl");
    let text = std::fs::read_to_string(&path).expect("the file");
    std::fs::write(&path, format!("{text}{}", text.replace("\"record_version\":1", "\"record_version\":99")))
        .expect("written");
    let message = read(folder.path()).expect_err("a fault");
    assert!(message.contains("scene.jsonl:2:") && message.contains("99"), "{message}");
    std::fs::write(&path, "{}\n").expect("written");
    assert!(read(folder.path()).expect_err("a fault").contains("scene.jsonl:1:"));
}

#[test]
fn the_baseline_is_paired_with_its_peers_by_the_inverse() {
    let report = crate::fixture::report();
    let all = records(&report);
    let own = all.iter().find(|r| r.own && !r.paired.is_empty()).expect("an own record with a peer");
    let pair = &own.paired[0];
    let scene = own.id.split('/').next().expect("a scene");
    let ratio =
        report.ratios.iter().find(|r| r.scene == scene && r.contender == pair.peer).expect("its ratio");
    assert!(
        (pair.ratio * ratio.ratio - 1.0).abs() < 1e-12 && pair.low <= pair.ratio && pair.ratio <= pair.high
    );
}
