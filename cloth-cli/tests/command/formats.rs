//! Meshes and caches in every format that is read and written: STL, OFF, and arrays of NumPy as data sets
//! have them.

use std::fs::{self, File};
use std::io::{Cursor, Write};
use std::path::Path;

use cloth_geom::TriMesh;
use cloth_io::{MddReader, NpyWriter, Pc2Reader, read_mesh, write_mesh};
use nalgebra::{Point3, Vector3};

use crate::support::{assert_refused, cloth, crossing, sheet, text};

/// Writes a mesh in the format that its name says, and gives its path.
fn write(folder: &Path, name: &str, mesh: &TriMesh) -> String {
    let path = folder.join(name);
    write_mesh(&path, &mesh.positions, &mesh.faces).unwrap();
    text(&path)
}

/// Writes the arrays of a mesh of one state under other names, with a further array of either kind.
fn write_arrays(folder: &Path, name: &str, names: [&str; 2], mesh: &TriMesh) -> String {
    let made = folder.join("made.npz");
    write_mesh(&made, &mesh.positions, &mesh.faces).unwrap();
    let mut source = zip::ZipArchive::new(File::open(&made).unwrap()).unwrap();
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (from, to) in [("vertices", names[0]), ("faces", names[1]), ("vertices", "rest"), ("faces", "other")]
    {
        let entry = source.by_name(&format!("{from}.npy")).unwrap();
        zip.raw_copy_file_rename(entry, format!("{to}.npy")).unwrap();
    }
    let path = folder.join(name);
    File::create(&path).unwrap().write_all(&zip.finish().unwrap().into_inner()).unwrap();
    text(&path)
}

#[test]
fn check_reads_stl_and_off_and_says_what_was_joined() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["clean.stl", "clean.off", "clean.ply", "clean.npz"] {
        let ran = cloth(["check", &write(dir.path(), name, &sheet(3, 1.0))]);
        assert_eq!(ran.status, 0, "{ran:?}");
        assert_eq!(ran.out.contains("24 corners are 9 vertices"), name.ends_with("stl"), "{ran:?}");
    }
    for name in ["crossing.stl", "crossing.off"] {
        let ran = cloth(["check", &write(dir.path(), name, &crossing())]);
        assert_eq!(ran.status, 1, "{ran:?}");
    }
}

#[test]
fn check_names_a_way_for_formats_that_are_not_read() {
    let dir = tempfile::tempdir().unwrap();
    for (name, way) in [("a.vtk", "meshio convert"), ("a.usdc", "usdcat --flatten"), ("a.npy", "numpy.savez")]
    {
        let path = dir.path().join(name);
        fs::write(&path, "x").unwrap();
        let ran = cloth(["check", &text(&path)]);
        assert_refused(&ran, &["known are: obj, ply, stl, off, npz, usda, glb, gltf", way]);
    }
}

#[test]
fn check_takes_arrays_by_known_names_or_by_option() {
    let dir = tempfile::tempdir().unwrap();
    let known = write_arrays(dir.path(), "known.npz", ["vertices_seq", "tris"], &crossing());
    assert_eq!(cloth(["check", &known]).status, 1);
    let other = write_arrays(dir.path(), "other.npz", ["a", "b"], &crossing());
    assert_refused(&cloth(["check", &other]), &["several arrays fit", "`rest`", "--arrays POSITIONS,FACES"]);
    assert_eq!(cloth(["check", &other, "--arrays", "a,b"]).status, 1);
    assert_refused(&cloth(["check", &other, "--arrays", "c,b"]), &["has no array `c` that fits"]);
    assert_eq!(cloth(["check", &other, "--arrays", "a,b,c"]).status, 2);
}

#[test]
fn simulate_reads_and_writes_arrays_that_check_reads() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    let plate = sheet(5, 0.8);
    let garment = write(dir.path(), "x.npz", &sheet(7, 0.4).translated(Vector3::new(0.0, 0.02, 0.0)));
    let body = write_arrays(dir.path(), "body.npz", ["verts", "f"], &plate);
    let mut motion = NpyWriter::create(&dir.path().join("m.npy"), plate.positions.len()).unwrap();
    for height in [0.0, 0.01, 0.02] {
        motion.push(&plate.clone().translated(Vector3::new(0.0, height, 0.0)).positions_f32()).unwrap();
    }
    motion.finish().unwrap();
    let run = |out: &str, further: &[&str]| {
        let (out, motion) = (at(out), at("m.npy"));
        let own =
            ["simulate", "--garment", &garment, "--body", &body, "--body-motion", &motion, "--out", &out];
        let ran = cloth([&own[..], &["--seconds", "0.1", "--fps", "30"], further].concat());
        assert_eq!(ran.status, 0, "{ran:?}");
        ran.out
    };
    let said = run("y.npz", &[]);
    assert!(said.contains("y.npz: 4 frames of 49 vertices"), "{said}");
    assert!(
        said.contains("in its unit and axes; 30 frames a second, which the file does not say\n"),
        "{said}"
    );
    assert!(said.contains("m.npy, 30 a second by default (--body-motion-fps sets it), from"), "{said}");
    run("y.npy", &[]);
    run("y.pc2", &[]);
    let said = run("y.mdd", &["--body-motion-fps", "60"]);
    assert!(said.contains("in its unit and axes\n") && said.contains("m.npy, 60 a second, from"), "{said}");
    run("y.mdd", &[]);
    let all = cloth(["check", &at("y.npz")]);
    assert!(all.status == 0 && all.out.contains('4'), "{all:?}");
    let said = |ran: &crate::support::Ran| ran.out.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    for cache in ["y.npz", "y.npy", "y.pc2", "y.mdd"] {
        let of_cache = cloth(["check", &garment, "--cache", &at(cache)]);
        assert_eq!((of_cache.status, said(&of_cache)), (0, said(&all)), "{cache}");
    }
    // The last frame, in every format of meshes.
    let found: Vec<TriMesh> = ["z.obj", "z.ply", "z.off", "z.stl"]
        .map(|name| {
            assert_eq!(run(name, &[]).contains("rounded to `f32`"), name == "z.stl");
            read_mesh(&dir.path().join(name)).unwrap().mesh
        })
        .into();
    assert!(found[..3].iter().all(|mesh| *mesh == found[0]));
    assert_eq!(found[3].faces.len(), found[0].faces.len());
}

#[test]
fn an_mdd_of_a_run_moves_a_body_at_its_rate() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    let garment = write(dir.path(), "x.obj", &sheet(5, 0.4).translated(Vector3::new(0.0, 0.02, 0.0)));
    for out in ["x.pc2", "x.mdd"] {
        let line = ["simulate", "--garment", &garment, "--body", "none", "--seconds", "0.1", "--fps", "50"];
        let ran = cloth(line.into_iter().chain(["--out", &at(out)]));
        assert_eq!(ran.status, 0, "{ran:?}");
    }
    let mut pc2 = Pc2Reader::open(at("x.pc2").as_ref()).unwrap();
    let mut mdd = MddReader::open(at("x.mdd").as_ref()).unwrap();
    assert_eq!((pc2.header().samples, mdd.times().len(), mdd.frames_per_second()), (6, 6, Some(50.0)));
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for frame in 0..6 {
        pc2.read_frame(frame, &mut a).unwrap();
        mdd.read_frame(frame, &mut b).unwrap();
        let bits = |frame: &[Point3<f32>]| -> Vec<u32> {
            frame.iter().flat_map(|p| [p.x, p.y, p.z]).map(f32::to_bits).collect()
        };
        assert_eq!(bits(&a), bits(&b));
    }
    // As the motion of a body: at its own rate, or at another.
    let cape = write(dir.path(), "cape.obj", &sheet(5, 0.2).translated(Vector3::new(0.0, 0.2, 0.0)));
    let (mdd, uneven) = (at("x.mdd"), at("uneven.mdd"));
    let line = ["simulate", "--garment", &cape, "--body", &garment, "--body-motion", &mdd];
    for (more, said) in [
        (&[][..], "x.mdd, 50 a second, as the file says, from 0.000 s to 0.100 s\n"),
        (&["--body-motion-fps", "10"][..], "x.mdd, 10 a second, from 0.000 s to 0.500 s\n"),
    ] {
        let ran = cloth(line.iter().chain(&["--seconds", "0.04"]).chain(more).copied());
        assert!(ran.status == 0 && ran.out.contains(said), "{ran:?}");
    }
    // Times that are not evenly spaced give no rate.
    let mut bytes = fs::read(at("x.mdd")).unwrap();
    bytes[12..16].copy_from_slice(&0.019f32.to_be_bytes());
    fs::write(at("uneven.mdd"), bytes).unwrap();
    let line = ["simulate", "--garment", &cape, "--body", &garment, "--body-motion", &uneven];
    let ran = cloth(line.iter().copied().chain(["--seconds", "0.04"]));
    for said in ["uneven.mdd, 30 a second by default (--body", "uneven.mdd: its times are not evenly spaced"]
    {
        assert!(ran.status == 0 && ran.out.contains(said), "{ran:?}");
    }
    fs::write(at("no.mdd"), "MDD").unwrap();
    let ran = cloth(["check", &garment, "--cache", &at("no.mdd")]);
    assert_refused(&ran, &["no.mdd", "too short for an MDD cache"]);
}

#[test]
fn untangle_writes_the_format_of_its_output() {
    let dir = tempfile::tempdir().unwrap();
    let clean = write(dir.path(), "in.off", &sheet(3, 1.0));
    for (name, note) in [("out.obj", false), ("out.ply", false), ("out.npz", false), ("out.STL", true)] {
        let out = text(&dir.path().join(name));
        let ran = cloth(["untangle", &clean, &out]);
        assert_eq!((ran.status, ran.out.contains("rounds positions")), (0, note), "{ran:?}");
        assert_eq!(read_mesh(out.as_ref()).unwrap().mesh.faces.len(), 8);
    }
    assert_refused(&cloth(["untangle", &clean, "out.fbx"]), &["obj, ply, stl, off, npz"]);
}
