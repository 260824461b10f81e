//! Caches and sequences: what is written reads back bit for bit, and what is broken is refused by name.

use std::{fs, path::Path};

use cloth_geom::TriMesh;
use cloth_io::{ObjSequence, ObjSequenceWriter, ObjTemplate, Pc2Reader, Pc2Writer, read_mesh, write_obj};
use nalgebra::Point3;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

/// Values that a careless printer or reader changes.
const AWKWARD: [f32; 9] =
    [0.1, -0.0, f32::MIN_POSITIVE, 1e-45, f32::MAX, -16_777_217.0, 1.0 / 3.0, 0.300_000_04, 1.000_000_1];

fn awkward_frame(shift: usize) -> Vec<Point3<f32>> {
    (0..9).map(|i| Point3::new(AWKWARD[i], AWKWARD[(i + shift) % 9], AWKWARD[(i + 2 * shift) % 9])).collect()
}

fn bits(frame: &[Point3<f32>]) -> Vec<u32> {
    frame.iter().flat_map(|p| [p.x, p.y, p.z]).map(f32::to_bits).collect()
}

fn write_cache(path: &Path, frames: &[Vec<Point3<f32>>]) {
    let mut writer = Pc2Writer::create(path, frames[0].len(), 1.0, 0.5).unwrap();
    for frame in frames {
        writer.push(frame).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn a_cache_reads_back_bit_for_bit_in_any_order() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.pc2");
    let frames: Vec<_> = (0..4).map(awkward_frame).collect();
    write_cache(&path, &frames);
    let mut reader = Pc2Reader::open(&path).unwrap();
    let h = reader.header();
    assert_eq!((h.points, h.samples, h.start, h.rate), (9, 4, 1.0, 0.5));
    let mut found = Vec::new();
    for k in [2, 0, 3, 1] {
        reader.read_frame(k, &mut found).unwrap();
        assert_eq!(bits(&found), bits(&frames[k]));
    }
    assert!(reader.read_frame(4, &mut found).unwrap_err().problem.contains("has no frame 4, only 4"));
}

#[test]
fn an_unfinished_cache_is_a_cache_of_its_frames() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.pc2");
    let mut writer = Pc2Writer::create(&path, 9, 1.0, 0.5).unwrap();
    for frames in 1..4 {
        writer.push(&awkward_frame(frames)).unwrap();
        let part = fs::read_dir(dir.path()).unwrap().next().unwrap().unwrap().path();
        assert!(part.extension().is_some_and(|e| e == "part"), "{part:?}");
        let mut found = Vec::new();
        let mut reader = Pc2Reader::open(&part).unwrap();
        assert_eq!(reader.header().samples, frames);
        reader.read_frame(frames - 1, &mut found).unwrap();
        assert_eq!(bits(&found), bits(&awkward_frame(frames)));
    }
    drop(writer);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_cache_has_the_bytes_that_the_format_asks_for() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.pc2");
    write_cache(&path, &[vec![Point3::new(1.0, -2.0, 0.5)]]);
    let mut wanted = b"POINTCACHE2\0".to_vec();
    for word in [[1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0x80, 0x3f], [0, 0, 0, 0x3f], [1, 0, 0, 0]] {
        wanted.extend::<[u8; 4]>(word);
    }
    for word in [[0, 0, 0x80, 0x3f], [0, 0, 0, 0xc0], [0, 0, 0, 0x3f]] {
        wanted.extend::<[u8; 4]>(word);
    }
    assert_eq!(fs::read(&path).unwrap(), wanted);
}

#[test]
fn a_cache_that_is_not_finished_leaves_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = Pc2Writer::create(&dir.path().join("a.pc2"), 9, 0.0, 1.0).unwrap();
    writer.push(&awkward_frame(1)).unwrap();
    drop(writer);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_cache_refuses_frames_that_do_not_fit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.pc2");
    let mut writer = Pc2Writer::create(&path, 2, 0.0, 1.0).unwrap();
    assert!(writer.push(&[Point3::origin()]).unwrap_err().problem.contains("has 1 points, not 2"));
    let broken = [Point3::origin(), Point3::new(0.0, f32::NAN, 0.0)];
    assert!(writer.push(&broken).unwrap_err().problem.contains("vertex 1 is not finite"));
    writer.finish().unwrap();
    assert_eq!(Pc2Reader::open(&path).unwrap().header().samples, 0);
    assert!(Pc2Writer::create(&path, 0, 0.0, 1.0).is_err());
    assert!(Pc2Writer::create(&path, 1, 0.0, 0.0).is_err());
    assert!(Pc2Writer::create(&path, 1, f32::NAN, 1.0).is_err());
}

#[test]
fn refuses_caches_that_lie_about_their_length() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.pc2");
    write_cache(&path, &[awkward_frame(1), awkward_frame(2)]);
    let whole = fs::read(&path).unwrap();
    let changed = |at: usize, word: i32| {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        bytes
    };
    let nan = changed(32 + 9 * 12 + 8, i32::from_le_bytes(f32::NAN.to_le_bytes()));
    fs::write(&path, nan).unwrap();
    let error = Pc2Reader::open(&path).unwrap().read_frame(1, &mut Vec::new()).unwrap_err();
    assert!(error.problem.starts_with("frame 1: vertex 0 is not finite"), "{error}");
    let broken = [
        (whole[..whole.len() - 1].to_vec(), "write it again"),
        (whole[..31].to_vec(), "too short"),
        (changed(0, 0), "is not a PC2 cache"),
        (changed(12, 2), "version 2"),
        (changed(16, -9), "points"),
        (changed(16, 0), "points"),
        (changed(16, i32::MAX), "write it again"),
        (changed(28, -1), "frames"),
        (changed(28, i32::MAX), "write it again"),
        (changed(28, 1), "write it again"),
    ];
    for (bytes, wanted) in broken {
        fs::write(&path, bytes).unwrap();
        let error = Pc2Reader::open(&path).unwrap_err();
        assert!(error.problem.contains(wanted), "{error}");
    }
}

#[test]
fn a_sequence_reads_back_bit_for_bit_in_numeric_order() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("run");
    let faces = [[0, 1, 2], [8, 7, 6]];
    let mut writer = ObjSequenceWriter::create(&folder, "shirt2", 9, &faces).unwrap();
    for k in 0..11 {
        writer.push(&awkward_frame(k)).unwrap();
    }
    assert!(folder.join("shirt2_0010.obj").exists());
    // Without its zeros a number still sorts as a number.
    fs::rename(folder.join("shirt2_0002.obj"), folder.join("shirt2_2.obj")).unwrap();
    for pattern in [folder.clone(), folder.join("shirt2_*.obj")] {
        let sequence = ObjSequence::open(&pattern).unwrap();
        assert_eq!(sequence.frame_count(), 11);
        assert_eq!(sequence.first().mesh.faces, faces);
        assert!(sequence.frames().map(|f| f.0).eq(0..11));
        for k in 0..11 {
            let exact: Vec<_> = awkward_frame(k).iter().map(|p| p.map(f64::from)).collect();
            let found = sequence.read_frame(k).unwrap();
            assert_eq!(found, exact);
            assert_eq!(bits(&TriMesh::new(found, vec![]).positions_f32()), bits(&awkward_frame(k)));
        }
        assert!(sequence.read_frame(11).unwrap_err().problem.contains("there is no frame 11"));
    }
}

#[test]
fn a_quad_that_bends_keeps_the_diagonal_of_its_first_frame() {
    let dir = tempfile::tempdir().unwrap();
    let source = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\ng patch\nf 1 2 3 4\n";
    let template = ObjTemplate::parse(Path::new("quad.obj"), source.as_bytes()).unwrap();
    let mut writer = ObjSequenceWriter::from_template(dir.path(), "quad", template).unwrap();
    let flat = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0]].map(Point3::<f64>::from);
    let mut dented = flat;
    dented[1] = Point3::new(0.3, 0.0, 0.6);
    let paths = [flat, dented].map(|frame| writer.push(&frame).unwrap());
    let cut = paths.map(|path| read_mesh(&path).unwrap().mesh.faces);
    assert_ne!(cut[0], cut[1], "alone, the second frame is cut along the other diagonal");
    let sequence = ObjSequence::open(dir.path()).unwrap();
    assert_eq!((&sequence.first().mesh.faces, sequence.first().groups.len()), (&cut[0], 1));
    assert_eq!(sequence.read_frame(1).unwrap(), dented);
}

#[test]
fn a_sequence_starts_with_the_file_that_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    for name in ["a_1.obj", "a_2.obj", "a_10.obj", "a_b_3.obj", "still.obj"] {
        fs::write(at(name), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3").unwrap();
    }
    let sequence = ObjSequence::open_from(&at("a_2.obj")).unwrap();
    assert!(sequence.frames().map(|f| f.0).eq([2, 10]));
    assert!(ObjSequence::open_from(&at("still.obj")).unwrap_err().problem.contains("no frame number"));
}

#[test]
fn refuses_sequences_that_do_not_belong_together() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let refusal = |path: &Path| ObjSequence::open(path).unwrap_err().problem;
    assert!(refusal(dir.path()).contains("holds no OBJ frames"));
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3";
    fs::write(at("a_1.obj"), triangle).unwrap();
    fs::write(at("a_2.obj"), format!("v 5 5 5\n{triangle}")).unwrap();
    fs::write(at("a_3.obj"), triangle.replace("f 1 2 3", "f 1 3 2")).unwrap();
    let sequence = ObjSequence::open(dir.path()).unwrap();
    assert!(sequence.read_frame(1).unwrap_err().problem.contains("has 4 vertices, the first frame has 3"));
    assert!(sequence.read_frame(2).unwrap_err().problem.contains("other faces"));
    fs::write(at("b_1.obj"), triangle).unwrap();
    assert!(refusal(dir.path()).contains("two sequences"));
    assert_eq!(ObjSequence::open(&at("a_*.obj")).unwrap().frame_count(), 3);
    fs::write(at("a_01.obj"), triangle).unwrap();
    assert!(refusal(&at("a_*")).contains("two frames have the number 1"));
    fs::write(at("last.obj"), triangle).unwrap();
    assert!(refusal(&at("l*")).contains("has no frame number"));
    assert!(ObjSequence::open(&at("nowhere/x_*.obj")).is_err());
    assert!(ObjSequenceWriter::create(dir.path(), "a/b", 3, &[]).is_err());
    assert!(ObjSequenceWriter::create(dir.path(), "a", 2, &[[0, 1, 2]]).is_err());
}

proptest! {
    // No `main.rs` stands above this file, so failures are kept next to it.
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("proptest-regressions"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_finite_position_survives_obj(bits in prop::collection::vec(any::<u64>(), 9)) {
        let c: Vec<f64> = bits.into_iter().map(f64::from_bits).collect();
        let positions: Vec<_> = c.chunks(3).map(Point3::from_slice).collect();
        let mesh = TriMesh::new(positions, vec![[0, 1, 2]]);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.obj");
        let finite = c.iter().all(|c| c.is_finite());
        prop_assert_eq!(write_obj(&path, &mesh).is_ok(), finite);
        prop_assert_eq!(path.exists(), finite);
        if finite {
            let found = read_mesh(&path).unwrap().mesh;
            let bits_of = |p: &Point3<f64>| [p.x, p.y, p.z].map(f64::to_bits);
            let to_bits = |m: &TriMesh| m.positions.iter().flat_map(bits_of).collect::<Vec<_>>();
            prop_assert_eq!(to_bits(&found), to_bits(&mesh));
        }
    }
}
