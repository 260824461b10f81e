//! MDD caches: what is written reads back bit for bit with its rate, and what is broken is refused.

use std::{fs, path::Path};

use cloth_io::{ArrayNames, MddReader, MddWriter, Pc2Reader, PointCache, PointCacheWriter};
use nalgebra::Point3;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

/// A cache of one point with these times.
fn cache(times: &[f32]) -> Vec<u8> {
    let counts = [times.len() as i32, 1].map(i32::to_be_bytes);
    let numbers = times.iter().copied().chain(times.iter().flat_map(|_| [1.0, 2.0, 3.0]));
    counts.into_iter().chain(numbers.map(f32::to_be_bytes)).flatten().collect()
}

fn saved(bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.mdd");
    fs::write(&path, bytes).unwrap();
    (dir, path)
}

fn rate_of(times: &[f32]) -> (Option<f64>, usize) {
    let (_dir, path) = saved(&cache(times));
    let cache = PointCache::open(&path, &ArrayNames::default(), 1).unwrap();
    assert!(cache.cuts().is_empty() && cache.number(2) == 2.0);
    (cache.frames_per_second(), cache.notes().iter().filter(|n| n.contains("not evenly spaced")).count())
}

fn write(path: &Path, rate: f64, frames: &[Vec<Point3<f32>>]) {
    let mut writer = PointCacheWriter::create(path, frames[0].len(), &[], rate).unwrap();
    frames.iter().for_each(|frame| writer.push(frame).unwrap());
    writer.finish().unwrap();
}

#[test]
fn a_cache_has_the_bytes_that_the_format_asks_for() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.mdd");
    write(&path, 2.0, &[vec![Point3::new(1.0, -2.0, 0.5)], vec![Point3::new(-0.0, 0.0, 1.5)]]);
    let words = [
        [0, 0, 0, 2],
        [0, 0, 0, 1],
        [0, 0, 0, 0],
        [0x3f, 0, 0, 0],
        [0x3f, 0x80, 0, 0],
        [0xc0, 0, 0, 0],
        [0x3f, 0, 0, 0],
        [0x80, 0, 0, 0],
        [0, 0, 0, 0],
        [0x3f, 0xc0, 0, 0],
    ];
    assert_eq!(fs::read(&path).unwrap(), words.concat());
    let mut reader = MddReader::open(&path).unwrap();
    assert_eq!((reader.point_count(), reader.times()), (1, &[0.0, 0.5][..]));
    let mut found = Vec::new();
    for (frame, x) in [(1, -0.0), (0, 1.0)] {
        reader.read_frame(frame, &mut found).unwrap();
        assert_eq!(found[0].x.to_bits(), f32::to_bits(x));
    }
    assert!(reader.read_frame(2, &mut found).unwrap_err().problem.contains("has no frame 2, only 2"));
}

#[test]
fn nothing_is_in_the_folder_until_a_cache_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let files = || fs::read_dir(dir.path()).unwrap().count();
    let create = || MddWriter::create(&dir.path().join("a.mdd"), 2, 60.0).unwrap();
    for is_finished in [false, true] {
        let mut writer = create();
        // More than is gathered in memory.
        for _ in 0..1000 {
            writer.push(&[Point3::new(1.0, 2.0, 3.0); 2]).unwrap();
        }
        assert!(writer.push(&[Point3::origin()]).unwrap_err().problem.contains("has 1 points, not 2"));
        let broken = [Point3::origin(), Point3::new(0.0, f32::NAN, 0.0)];
        assert!(writer.push(&broken).unwrap_err().problem.contains("vertex 1 is not finite"));
        // Elsewhere a file without a name has one until it is closed.
        assert!(cfg!(not(unix)) || files() == 0);
        if is_finished {
            writer.finish().unwrap();
        }
    }
    assert_eq!(files(), 1);
    let mut reader = MddReader::open(&dir.path().join("a.mdd")).unwrap();
    let mut last = Vec::new();
    reader.read_frame(999, &mut last).unwrap();
    assert_eq!((reader.times().len(), last), (1000, vec![Point3::new(1.0, 2.0, 3.0); 2]));
}

#[test]
fn a_writer_refuses_what_no_cache_can_hold() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let refusal = |name: &str, points, rate| MddWriter::create(&at(name), points, rate).unwrap_err().problem;
    assert!(refusal("a.mdd", 0, 60.0).contains("cannot hold 0 points"));
    assert!(refusal("a.mdd", 1 << 31, 60.0).contains("cannot hold"));
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(refusal("a.mdd", 1, rate).contains("finite and positive"));
    }
    assert!(refusal("no/a.mdd", 1, 60.0).contains("does the folder exist?"));
    assert!(refusal("", 1, 60.0).contains("is a folder"));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    MddWriter::create(&at("none.mdd"), 1, 60.0).unwrap().finish().unwrap();
    let error = PointCache::open(&at("none.mdd"), &ArrayNames::default(), 1).unwrap_err();
    assert!(error.problem.contains("has no frames"), "{error}");
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_devices_are_written_through() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("far")).unwrap();
    for (link, target) in [("a.mdd", "far/b.mdd"), ("null.mdd", "/dev/null")] {
        std::os::unix::fs::symlink(target, at(link)).unwrap();
        write(&at(link), 60.0, &[vec![Point3::origin()]]);
        assert!(fs::symlink_metadata(at(link)).unwrap().is_symlink());
    }
    assert_eq!(fs::read(at("far/b.mdd")).unwrap().len(), 24);
}

#[test]
fn the_rate_is_the_simplest_that_has_the_times() {
    let times = |rate: f64, first: usize, count: usize| -> Vec<f32> {
        (first..first + count).map(|k| (k as f64 / rate) as f32).collect()
    };
    for rate in [24.0, 23.976, 25.0, 29.97, 48.0, 50.0, 59.94, 60.0, 90.0, 120.0, 240.0, 0.5, 1000.0] {
        for (first, count) in [(0, 2), (1, 2), (0, 3), (1, 250), (1001, 90), (0, 20_000)] {
            assert_eq!(rate_of(&times(rate, first, count)), (Some(rate), 0), "{rate} {first} {count}");
        }
    }
    let found = rate_of(&times(30_000.0 / 1001.0, 0, 1000)).0.unwrap();
    assert!((found - 30_000.0 / 1001.0).abs() < 1e-5, "{found}");
    // Sums of a rounded step, as some programs write them.
    let sums: Vec<f32> = std::iter::successors(Some(0.0), |t| Some(t + 1.0 / 24.0)).take(500).collect();
    assert!((rate_of(&sums).0.unwrap() - 24.0).abs() < 1e-3);
}

#[test]
fn times_that_are_not_evenly_spaced_give_no_rate() {
    assert_eq!(rate_of(&[7.0]), (None, 0), "a single frame");
    assert_eq!(rate_of(&[f32::NAN]), (None, 0));
    for times in [
        &[0.0, 0.1, 0.3][..],
        &[0.0, 0.1, 0.199, 0.3],
        &[1.0, 1.0],
        &[1.0, 0.5, 0.0],
        &[0.0, f32::NAN, 2.0],
        &[f32::NAN, 1.0, 2.0],
        &[0.0, 1.0, f32::INFINITY],
        &[f32::NEG_INFINITY, f32::INFINITY],
    ] {
        assert_eq!(rate_of(times), (None, 1), "{times:?}");
    }
    assert!(rate_of(&[0.0, f32::from_bits(1)]).0.is_none_or(f64::is_finite));
    assert!(rate_of(&[-f32::MAX, f32::MAX]).0.is_none_or(|rate| rate > 0.0));
}

#[test]
fn refuses_caches_that_lie_about_their_length() {
    let whole = cache(&[0.0, 0.5]);
    let changed = |at: usize, word: i32| {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&word.to_be_bytes());
        bytes
    };
    let longer = [&whole[..], &[0]].concat();
    let broken = [
        (Vec::new(), "too short"),
        (whole[..7].to_vec(), "too short"),
        (whole[..8].to_vec(), "take 40"),
        (whole[..39].to_vec(), "holds 39 bytes, but 2 frames of 1 points take 40"),
        (longer, "holds 41 bytes"),
        (changed(0, -1), "-1 frames"),
        (changed(0, i32::MIN), "frames of"),
        (changed(0, i32::MAX), "take 34359738360"),
        (changed(0, 1), "take 24"),
        (changed(4, 0), "of 0 points"),
        (changed(4, -1), "of -1 points"),
        (changed(4, i32::MAX), "take 515396075"),
        (b"POINTCACHE2\0 is another format".to_vec(), "MDD cache?"),
    ];
    for (bytes, wanted) in broken {
        let (_dir, path) = saved(&bytes);
        let error = MddReader::open(&path).unwrap_err();
        assert!(error.problem.contains(wanted) && !error.problem.contains('\n'), "{error}");
    }
    let (_dir, path) = saved(&changed(8 + 8 + 12 + 4, f32::NAN.to_bits() as i32));
    let mut reader = MddReader::open(&path).unwrap();
    assert!(reader.read_frame(0, &mut Vec::new()).is_ok());
    let error = reader.read_frame(1, &mut Vec::new()).unwrap_err();
    assert!(error.problem.starts_with("frame 1: vertex 0 is not finite"), "{error}");
}

/// A file without content that is as long as it says: nothing of its size is held.
#[cfg(unix)]
#[test]
fn a_head_beyond_the_limit_of_inputs_is_not_read() {
    let (_dir, path) = saved(&[i32::MAX, 1].map(i32::to_be_bytes).concat());
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    let length = 8 + 16 * u64::from(i32::MAX as u32);
    // A file system without holes may refuse this.
    if file.set_len(length).is_ok() {
        let error = MddReader::open(&path).unwrap_err();
        assert!(error.problem.contains("raise --max-input"), "{error}");
    }
}

proptest! {
    // No `main.rs` stands above this file, so failures are kept next to it.
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("proptest-regressions"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes_are_read_or_refused(
        counts in prop::option::of((0i32..6, 0i32..6)),
        bytes in prop::collection::vec(any::<u8>(), 0..600),
    ) {
        // Whole caches too, of any numbers.
        let bytes = match counts {
            None => bytes,
            Some((frames, points)) => {
                let length = 4 * frames as usize * (1 + 3 * points as usize);
                let numbers = bytes.into_iter().chain(std::iter::repeat(0x40)).take(length);
                [frames, points].map(i32::to_be_bytes).concat().into_iter().chain(numbers).collect()
            }
        };
        let (_dir, path) = saved(&bytes);
        let Ok(mut reader) = MddReader::open(&path) else {
            prop_assert!(counts.is_none_or(|(_, points)| points == 0));
            return Ok(());
        };
        prop_assert!(reader.frames_per_second().is_none_or(|rate| rate.is_finite() && rate > 0.0));
        let mut frame = Vec::new();
        for k in 0..reader.times().len() {
            if reader.read_frame(k, &mut frame).is_ok() {
                let is_finite = frame.iter().flat_map(|p| p.iter()).all(|c| c.is_finite());
                prop_assert!(frame.len() == reader.point_count() && is_finite);
            }
        }
    }

    #[test]
    fn frames_are_those_of_pc2_and_the_rate_is_kept(
        thousandths in 1u32..1_000_000,
        frames in (1usize..6).prop_flat_map(|n| prop::collection::vec(
            prop::collection::vec(prop::array::uniform3(any::<u32>()), n), 2..9,
        )),
    ) {
        let finite = |bits| Some(f32::from_bits(bits)).filter(|c| c.is_finite()).unwrap_or(0.5);
        let frames: Vec<Vec<Point3<f32>>> =
            frames.iter().map(|frame| frame.iter().map(|p| Point3::from(p.map(finite))).collect()).collect();
        let dir = tempfile::tempdir().unwrap();
        let [mdd, pc2] = ["a.mdd", "a.pc2"].map(|name| dir.path().join(name));
        let rate = f64::from(thousandths) / 1000.0;
        write(&mdd, rate, &frames);
        write(&pc2, rate, &frames);
        let (mut mdd, mut pc2) = (MddReader::open(&mdd).unwrap(), Pc2Reader::open(&pc2).unwrap());
        prop_assert_eq!(mdd.frames_per_second(), Some(rate));
        let bits = |frame: &[Point3<f32>]| -> Vec<u32> {
            frame.iter().flat_map(|p| [p.x, p.y, p.z]).map(f32::to_bits).collect()
        };
        let [mut a, mut b] = [Vec::new(), Vec::new()];
        for k in (0..frames.len()).rev() {
            mdd.read_frame(k, &mut a).unwrap();
            pc2.read_frame(k, &mut b).unwrap();
            prop_assert_eq!(bits(&a), bits(&frames[k]));
            prop_assert_eq!(bits(&b), bits(&frames[k]));
        }
    }
}
