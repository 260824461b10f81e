//! Arrays of NumPy: meshes and caches as data sets have them, written ones that read back, and broken files.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use cloth_io::{ArrayNames, NpzMesh, Pc2Reader, PointCache, PointCacheWriter, read_mesh, write_mesh};
use nalgebra::Point3;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// An array of version 1.0 of the format.
fn npy(descr: &str, is_fortran: bool, shape: &[usize], data: &[u8]) -> Vec<u8> {
    let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
    let fortran = if is_fortran { "True" } else { "False" };
    let header =
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': ({},), }}\n", shape.join(", "));
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
}

fn archive(arrays: &[(&str, Vec<u8>)], method: CompressionMethod) -> Vec<u8> {
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        zip.start_file(format!("{name}.npy"), SimpleFileOptions::default().compression_method(method))
            .unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A file in a folder of its own.
struct Saved(tempfile::TempDir, &'static str);

impl Saved {
    fn new(name: &'static str, bytes: &[u8]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(name), bytes).unwrap();
        Self(dir, name)
    }

    fn path(&self) -> std::path::PathBuf {
        self.0.path().join(self.1)
    }

    fn mesh(&self, names: &str) -> Result<NpzMesh, String> {
        NpzMesh::read_arrays(&self.path(), &chosen(names)).map_err(|e| e.problem)
    }

    fn cache(&self, names: &str, vertices: usize) -> Result<PointCache, String> {
        PointCache::open(&self.path(), &chosen(names), vertices).map_err(|e| e.problem)
    }
}

/// The names of arrays in the words of an option, none if it is not given.
fn chosen(names: &str) -> ArrayNames {
    if names.is_empty() { ArrayNames::default() } else { names.parse().unwrap() }
}

fn mesh(arrays: &[(&str, Vec<u8>)], names: &str) -> Result<NpzMesh, String> {
    Saved::new("a.npz", &archive(arrays, CompressionMethod::Stored)).mesh(names)
}

fn floats(shape: &[usize]) -> Vec<u8> {
    let count: usize = shape.iter().product();
    npy("<f4", false, shape, &(0..count).flat_map(|k| (k as f32).to_le_bytes()).collect::<Vec<_>>())
}

fn faces(corners: &[[i32; 3]]) -> Vec<u8> {
    npy(
        "<i4",
        false,
        &[corners.len(), 3],
        &corners.iter().flatten().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>(),
    )
}

#[test]
fn arrays_are_found_by_the_names_that_data_sets_use() {
    for positions in ["frames", "vertices_seq", "positions", "vertices", "verts", "v", "points"] {
        for triangles in ["faces", "triangles", "tris", "f"] {
            let further = [
                ("faces_uv", faces(&[[0, 1, 2]; 2])),
                ("vertices_uv", floats(&[4, 2])),
                ("x", floats(&[4, 3])),
            ];
            let own = [(positions, floats(&[2, 4, 3])), (triangles, faces(&[[0, 2, 3]]))];
            let found = mesh(&[&further[..], &own[..]].concat(), "").unwrap();
            assert_eq!((found.state_count(), found.mesh.faces.as_slice()), (2, &[[0, 2, 3]][..]));
            assert_eq!(found.notes, Vec::<String>::new(), "{positions} {triangles}");
        }
    }
}

#[test]
fn arrays_of_other_names_are_taken_if_only_two_fit() {
    let arrays = [("p", floats(&[4, 3])), ("q", faces(&[[0, 1, 3]])), ("r", floats(&[3, 3]))];
    let found = mesh(&arrays, "").unwrap();
    assert_eq!((found.mesh.positions.len(), found.mesh.faces.len()), (4, 1));
    assert_eq!(found.notes, ["positions are its array `p`, faces `q`: no others fit"]);
    let smaller = [("p", floats(&[4, 3])), ("q", faces(&[[0, 1, 2]])), ("r", floats(&[3, 3]))];
    let problem = mesh(&smaller, "").unwrap_err();
    let wanted = "several arrays fit, `p` or `r` for positions and `q` for faces: name them by --arrays";
    assert!(problem.starts_with(wanted) && problem.contains("`q` (<i4, 1 x 3)"), "{problem}");
    assert_eq!(mesh(&smaller, "r,q").unwrap().mesh.positions.len(), 3);
    assert_eq!(mesh(&smaller, "r").unwrap().mesh.positions.len(), 3, "faces are found by shape");
    assert!(mesh(&smaller, "q,r").unwrap_err().starts_with("has no array `q` that fits"));
    assert!(mesh(&smaller, "none").unwrap_err().contains("has no array `none`"));
    assert!(mesh(&arrays, "r,q").unwrap_err().contains("face 0 names vertex 3, but there are 3"));
    for outside in [4, -1] {
        let none = mesh(&[("p", floats(&[4, 3])), ("q", faces(&[[0, 1, outside]]))], "").unwrap_err();
        assert!(none.starts_with("no array of positions has all vertices"), "{none}");
    }
}

#[test]
fn a_cache_takes_one_array_whatever_else_is_there() {
    let arrays = [("rest", floats(&[7, 3])), ("motion", floats(&[5, 4, 3])), ("count", faces(&[[5, 4, 3]]))];
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let saved = Saved::new("a.npz", &archive(&arrays, method));
        let mut cache = saved.cache("", 4).unwrap();
        assert_eq!((cache.frame_count(), cache.point_count(), cache.number(4)), (5, 4, 4.0));
        assert_eq!(cache.read_frame(4).unwrap()[3], Point3::new(57.0, 58.0, 59.0));
        assert_eq!(cache.read_frame(1).unwrap()[0], Point3::new(12.0, 13.0, 14.0), "in any order");
        assert!(cache.read_frame(5).unwrap_err().problem.contains("has no frame 5, only 5"));
        assert!(saved.cache("", 9).unwrap_err().starts_with("several arrays fit, `rest` or `motion`"));
        assert_eq!(saved.cache("rest", 9).unwrap().point_count(), 7);
    }
    let one = Saved::new("a.npy", &floats(&[4, 3]));
    assert_eq!(one.cache("", 4).unwrap().frame_count(), 1);
    let wrong = Saved::new("a.npy", &faces(&[[0, 1, 2]])).cache("", 4).unwrap_err();
    assert!(wrong.starts_with("holds an array of <i4, 1 x 3; a cache is of float16"), "{wrong}");
    assert!(Saved::new("a.npy", &floats(&[0, 4, 3])).cache("", 4).unwrap_err().contains("has no frames"));
    for bytes in [&b"Ogawa"[..], &[b'x'; 40]] {
        let other = Saved::new("a.abc", bytes).cache("", 4).unwrap_err();
        assert!(
            other.contains("known caches are: pc2, pc16, mdd, usda, npy, npz; play it in Blender"),
            "{other}"
        );
    }
    let swapped = Saved::new("a.npz", &floats(&[4, 3])).cache("", 4).unwrap_err();
    assert!(swapped.contains("give it the extension .npy"), "{swapped}");
    let swapped = Saved::new("a.npy", &archive(&arrays, CompressionMethod::Stored)).cache("", 4).unwrap_err();
    assert!(swapped.contains("give it the extension .npz"), "{swapped}");
}

#[test]
fn half_precision_numbers_are_widened_and_a_note_says_so() {
    let half = npy("<f2", false, &[3, 3], &[0x3c00u16; 9].map(u16::to_le_bytes).concat());
    let found = mesh(&[("v", half.clone()), ("f", faces(&[[0, 1, 2]]))], "").unwrap();
    assert_eq!(found.mesh.positions, [Point3::new(1.0, 1.0, 1.0); 3]);
    assert!(found.notes[0].contains("float16"), "{:?}", found.notes);
    assert!(Saved::new("a.npy", &half).cache("", 3).unwrap().notes()[0].contains("float16"));
    let mut pc2 = b"POINTCACHE2\0".to_vec();
    for word in [1, 3, 0, 1.0f32.to_bits() as i32, 2] {
        pc2.extend(word.to_le_bytes());
    }
    pc2.extend([0xc000u16; 18].map(u16::to_le_bytes).concat());
    let saved = Saved::new("a.pc16", &pc2);
    let mut cache = saved.cache("", 3).unwrap();
    assert!(cache.notes()[0].contains("half-precision"));
    assert_eq!(cache.read_frame(1).unwrap(), [Point3::new(-2.0, -2.0, -2.0); 3]);
    assert!(Pc2Reader::open(&saved.path()).unwrap().is_half());
    pc2.pop();
    let short = Saved::new("a.pc2", &pc2).cache("", 3).unwrap_err();
    assert!(short.contains("take 104, or 68 if they are half-precision"), "{short}");
}

fn create(path: &Path, points: usize) -> PointCacheWriter {
    PointCacheWriter::create(path, points, &[[0, 1, 2]], 60.0).unwrap()
}

#[test]
fn an_unfinished_cache_is_a_cache_of_its_frames() {
    for name in ["a.npy", "a.npz", "a.pc2"] {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = create(&dir.path().join(name), 3);
        for frames in 1..4 {
            writer.push(&[Point3::new(frames as f32, 0.1, -0.0); 3]).unwrap();
            let part = fs::read_dir(dir.path()).unwrap().next().unwrap().unwrap().path();
            let copy = dir.path().join(format!("copy-{name}"));
            fs::copy(part, &copy).unwrap();
            let mut cache = PointCache::open(&copy, &ArrayNames::default(), 3).unwrap();
            assert_eq!(
                (cache.frame_count(), cache.read_frame(frames - 1).unwrap()[2].x),
                (frames, frames as f64)
            );
            // Every checksum is right.
            if name == "a.npz" {
                let mut zip = zip::ZipArchive::new(File::open(&copy).unwrap()).unwrap();
                for k in 0..zip.len() {
                    std::io::copy(&mut zip.by_index(k).unwrap(), &mut std::io::sink()).unwrap();
                }
            }
            fs::remove_file(copy).unwrap();
        }
        assert!(writer.push(&[Point3::origin()]).unwrap_err().problem.contains("has 1 points, not 3"));
        let nan = [Point3::new(0.0, f32::NAN, 0.0); 3];
        assert!(writer.push(&nan).unwrap_err().problem.contains("vertex 0 is not finite"));
        drop(writer);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}

#[test]
fn refuses_archives_that_promise_what_they_do_not_hold() {
    let triangle = faces(&[[0, 1, 2]]);
    for huge in [vec![usize::MAX, 4, 3], vec![1 << 61, 3, 3], vec![1 << 30, 1 << 20, 3], vec![usize::MAX, 3]]
    {
        for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
            let arrays = [("frames", npy("<f4", false, &huge, &[0; 36])), ("faces", triangle.clone())];
            let saved = Saved::new("a.npz", &archive(&arrays, method));
            let problem = saved.mesh("").unwrap_err();
            assert!(problem.contains("array `frames`") || problem.contains("--max-input"), "{problem}");
            assert!(saved.cache("", 4).is_err());
        }
        assert!(Saved::new("a.npy", &npy("<f4", false, &huge, &[0; 36])).cache("", 4).is_err());
    }
    // 48 MiB of zeros in some 48 KB, behind the shape of a triangle and behind its own.
    let zeros = vec![0; 48 << 20];
    for (shape, wanted) in [(vec![3, 3], "holds 37 bytes, but its shape takes 36"), (vec![4 << 20, 3], "")] {
        let arrays = [("v", npy("<f4", false, &shape, &zeros)), ("f", triangle.clone())];
        let bytes = archive(&arrays, CompressionMethod::Deflated);
        assert!(bytes.len() < 100_000);
        let read = Saved::new("a.npz", &bytes).mesh("");
        assert_eq!(read.is_err(), !wanted.is_empty());
        assert!(read.err().unwrap_or_default().contains(wanted));
    }
}

#[test]
fn refuses_files_that_are_cut_short_at_any_byte() {
    let arrays = [("frames", floats(&[2, 3, 3])), ("faces", faces(&[[0, 1, 2]]))];
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let whole = archive(&arrays, method);
        for end in 0..whole.len() {
            let saved = Saved::new("a.npz", &whole[..end]);
            assert!(saved.mesh("").is_err() && saved.cache("", 3).is_err(), "{end}");
        }
    }
    let whole = floats(&[2, 3, 3]);
    for end in 0..whole.len() {
        assert!(Saved::new("a.npy", &whole[..end]).cache("", 3).is_err(), "{end}");
    }
}

/// Reads every frame.
fn check(saved: &Saved) {
    if let Ok(mut mesh) = saved.mesh("") {
        assert!(mesh.mesh.faces.iter().flatten().all(|&v| (v as usize) < mesh.mesh.positions.len()));
        (0..mesh.state_count().min(100)).for_each(|k| drop(mesh.read_frame(k)));
    }
    for vertices in [0, 3] {
        if let Ok(mut cache) = saved.cache("", vertices) {
            (0..cache.frame_count().min(100)).for_each(|k| drop(cache.read_frame(k)));
        }
    }
}

fn finite() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite())
}

fn ordinary() -> impl Strategy<Value = f32> {
    prop::num::f32::NORMAL | prop::num::f32::SUBNORMAL | prop::num::f32::ZERO
}

fn bits(positions: &[Point3<f64>]) -> Vec<[u64; 3]> {
    positions.iter().map(|p| [p.x, p.y, p.z].map(f64::to_bits)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("proptest-regressions"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn never_panics_on_changed_or_random_bytes(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let arrays = [("frames", floats(&[2, 3, 3])), ("faces", faces(&[[0, 1, 2]]))];
        for (name, mut whole) in [
            ("a.npz", archive(&arrays, CompressionMethod::Stored)),
            ("a.npz", archive(&arrays, CompressionMethod::Deflated)),
            ("a.npy", floats(&[2, 3, 3])),
        ] {
            for &(at, byte) in &changes {
                let at = at.index(whole.len());
                whole[at] = byte;
            }
            check(&Saved::new(name, &whole));
            check(&Saved::new(name, &bytes));
            check(&Saved::new(name, &[&whole[..60], &bytes[..]].concat()));
        }
    }

    #[test]
    fn every_bit_of_a_mesh_reads_back(
        numbers in prop::collection::vec(prop::array::uniform3(finite()), 3..20),
        corners in prop::collection::vec(prop::array::uniform3(any::<prop::sample::Index>()), 1..20),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.npz");
        let positions: Vec<Point3<f64>> = numbers.iter().copied().map(Point3::from).collect();
        let faces: Vec<[u32; 3]> =
            corners.iter().map(|f| f.map(|v| v.index(positions.len()) as u32)).collect();
        write_mesh(&path, &positions, &faces).unwrap();
        let found = read_mesh(&path).unwrap().mesh;
        prop_assert_eq!(bits(&found.positions), bits(&positions));
        prop_assert_eq!(found.faces, faces);
    }

    #[test]
    fn every_bit_of_a_cache_reads_back(
        frames in (1usize..6).prop_flat_map(|n| prop::collection::vec(
            prop::collection::vec(prop::array::uniform3(ordinary()), n + 2), 1..6,
        )),
    ) {
        for name in ["a.npy", "a.npz", "a.pc2", "a.mdd"] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join(name);
            let frames: Vec<Vec<Point3<f32>>> =
                frames.iter().map(|f| f.iter().copied().map(Point3::from).collect()).collect();
            let mut writer = create(&path, frames[0].len());
            frames.iter().for_each(|frame| writer.push(frame).unwrap());
            writer.finish().unwrap();
            let mut cache = PointCache::open(&path, &ArrayNames::default(), 0).unwrap();
            prop_assert_eq!(cache.frame_count(), frames.len());
            for k in (0..frames.len()).rev() {
                let wanted: Vec<Point3<f64>> = frames[k].iter().map(|p| p.map(f64::from)).collect();
                prop_assert_eq!(bits(&cache.read_frame(k).unwrap()), bits(&wanted));
            }
            if name == "a.npz" {
                prop_assert_eq!(NpzMesh::read(&path).unwrap().mesh.faces, [[0, 1, 2]]);
            }
        }
    }

    /// Numbers of each size, in both byte orders and both orders of dimensions, compressed and not.
    #[test]
    fn every_layout_of_an_array_has_the_same_numbers(
        halves in prop::collection::vec(any::<u16>().prop_filter("finite", |h| h >> 10 & 31 != 31), 18),
        is_big in any::<bool>(),
        is_fortran in any::<bool>(),
        size in prop::sample::select(vec![2, 4, 8]),
    ) {
        let data: Vec<u8> = halves.iter().flat_map(|h| h.to_le_bytes()).collect();
        let reference = Saved::new("a.npy", &npy("<f2", false, &[2, 3, 3], &data));
        let mut reference = reference.cache("", 3).unwrap();
        let wanted: Vec<Vec<Point3<f64>>> = (0..2).map(|k| reference.read_frame(k).unwrap()).collect();
        let bytes = |value: f64, half: u16| {
            let mut bytes = match size {
                2 => half.to_le_bytes().to_vec(),
                4 => (value as f32).to_le_bytes().to_vec(),
                _ => value.to_le_bytes().to_vec(),
            };
            if is_big {
                bytes.reverse();
            }
            bytes
        };
        let place = |k: usize| if is_fortran { [k % 2, k / 2 % 3, k / 6] } else { [k / 9, k / 3 % 3, k % 3] };
        let number = |[f, v, c]: [usize; 3]| bytes(wanted[f][v][c], halves[9 * f + 3 * v + c]);
        let data: Vec<u8> = (0..18).map(place).flat_map(number).collect();
        let descr = format!("{}f{size}", if is_big { '>' } else { '<' });
        let array = npy(&descr, is_fortran, &[2, 3, 3], &data);
        for saved in [
            Saved::new("a.npy", &array),
            Saved::new("a.npz", &archive(&[("a", array.clone())], CompressionMethod::Stored)),
            Saved::new("a.npz", &archive(&[("a", array.clone())], CompressionMethod::Deflated)),
        ] {
            let mut cache = saved.cache("", 3).unwrap();
            for k in [1, 0] {
                prop_assert_eq!(bits(&cache.read_frame(k).unwrap()), bits(&wanted[k]));
            }
        }
    }
}
