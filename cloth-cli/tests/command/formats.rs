//! Meshes and caches in every format that is read and written: STL, OFF, and arrays of NumPy as data sets
//! have them.

use std::fs::File;
use std::io::{Cursor, Write};
use std::path::Path;

use cloth_geom::TriMesh;
use cloth_io::{NpyWriter, read_mesh, write_mesh};
use nalgebra::Vector3;

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
    for (name, way) in [("a.vtk", "meshio convert"), ("a.usd", "Blender"), ("a.npy", "numpy.savez")] {
        let path = dir.path().join(name);
        std::fs::write(&path, "x").unwrap();
        let ran = cloth(["check", &text(&path)]);
        assert_refused(&ran, &["known are: obj, ply, stl, off, npz, glb, gltf", way]);
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
    run("y.npy", &[]);
    run("y.pc2", &[]);
    let all = cloth(["check", &at("y.npz")]);
    assert!(all.status == 0 && all.out.contains('4'), "{all:?}");
    let said = |ran: &crate::support::Ran| ran.out.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    for cache in ["y.npz", "y.npy", "y.pc2"] {
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
