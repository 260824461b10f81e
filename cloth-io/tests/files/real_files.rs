//! Real files, and files made to break loaders: each loads, or is refused in one line; the counts are the
//! known ones.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cloth_io::{ObjTemplate, read_mesh, write_mesh};

use cloth_testing::corpus;

/// All mesh files below a folder, in order.
fn meshes(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<_> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        if path.is_dir() {
            meshes(&path, out);
        } else if extension == "obj" || extension == "ply" {
            out.push(path);
        }
    }
}

/// Vertex lines, counted by the simplest code.
fn vertex_lines(path: &Path) -> usize {
    let bytes = fs::read(path).unwrap();
    let is_vertex = |l: &&str| l.split_whitespace().next() == Some("v");
    String::from_utf8_lossy(&bytes).lines().filter(is_vertex).count()
}

/// Loads every mesh below a folder; returns how many load, and the refusals.
fn load_all(folder: &Path) -> (usize, Vec<String>) {
    let mut paths = Vec::new();
    meshes(folder, &mut paths);
    let (mut loaded, mut refused) = (0, Vec::new());
    for path in paths {
        match read_mesh(&path) {
            Ok(m) => {
                loaded += 1;
                let n = m.mesh.positions.len();
                assert!(m.mesh.faces.iter().flatten().all(|&v| (v as usize) < n), "{}", path.display());
                assert!(m.rest_uv.is_none_or(|uv| uv.len() == m.mesh.faces.len()), "{}", path.display());
                if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("obj")) {
                    assert_eq!(n, vertex_lines(&path), "{}", path.display());
                }
            }
            Err(e) => {
                let message = e.to_string();
                assert!(!message.contains('\n') && message.len() < 700, "{message}");
                refused.push(
                    message.strip_prefix(&format!("{}/", folder.display())).unwrap_or(&message).to_owned(),
                );
            }
        }
    }
    (loaded, refused)
}

#[test]
fn loads_or_refuses_every_stress_file_in_one_line() {
    let Some(folder) = corpus("stress") else { return };
    let (loaded, refused) = load_all(&folder);
    println!("{loaded} load, {} are refused:\n{}", refused.len(), refused.join("\n"));
    assert!(loaded > 80, "{loaded}");
}

#[test]
fn loads_every_garment_pose_and_frame() {
    for folder in ["garments", "deforming", "ccd"] {
        let Some(path) = corpus(folder) else { return };
        let (loaded, refused) = load_all(&path);
        println!("{folder}: {loaded} load");
        assert!(loaded > 3, "{folder}: {loaded}");
        assert_eq!(refused, Vec::<String>::new());
    }
}

#[test]
fn finds_the_known_numbers_of_vertices_and_faces() {
    let known = [
        ("garments/codim-ipc/dress_knife_drape.obj", 15_656 + 12_811, None),
        ("garments/codim-ipc/dress_knife_stage.obj", 15_656, Some(29_456)),
        ("garments/diffcloth/tshirt1900.obj", 1_921, Some(3_726)),
        ("garments/diffcloth/dress-v5k-f10k-v2.obj", 5_227, Some(9_508)),
        ("garments/newton/unisex_shirt.DERIVED.obj", 6_436, Some(12_736)),
        ("ccd/scalable/cloth-ball/frames/cloth_ball92.ply", 46_598, Some(92_230)),
        ("ccd/scalable/cloth-funnel/frames/227.ply", 9_450, Some(18_484)),
    ];
    for (path, vertices, faces) in known {
        let Some(file) = corpus(path) else { return };
        let m = read_mesh(&file).unwrap().mesh;
        assert_eq!(m.positions.len(), vertices, "{path}");
        assert_eq!(m.faces.len(), faces.unwrap_or(m.faces.len()), "{path}");
    }
}

#[test]
fn finds_the_flat_pattern_of_a_garment() {
    let Some(path) = corpus("garments/codim-ipc/dress_knife_stage.obj") else { return };
    let m = read_mesh(&path).unwrap();
    let cloth_io::VertexUv::Unambiguous(uv) = m.vertex_uv() else { panic!("{:?}", m.vertex_uv()) };
    assert!(uv.iter().all(Option::is_some));
}

#[test]
fn every_garment_reads_back_from_every_format_that_is_written() {
    let (dir, mut paths) = (tempfile::tempdir().unwrap(), Vec::new());
    let Some(folder) = corpus("garments") else { return };
    meshes(&folder, &mut paths);
    let mut written = 0;
    for path in &paths {
        let mesh = read_mesh(path).unwrap().mesh;
        for name in ["a.obj", "a.ply", "a.off", "a.npz", "a.stl"] {
            let copy = dir.path().join(name);
            write_mesh(&copy, &mesh.positions, &mesh.faces).unwrap();
            let found = read_mesh(&copy).unwrap().mesh;
            match name {
                "a.stl" => assert_eq!(found.faces.len(), mesh.faces.len()),
                _ => assert_eq!(found, mesh, "{} as {name}", path.display()),
            }
        }
        written += 1;
    }
    assert!(written > 20, "{written}");
}

/// Statements of an OBJ file but for positions and normals, which are those of the shape.
fn structure(path: &Path) -> Vec<String> {
    let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    let of_shape = |line: &&str| ["v", "vn"].contains(&line.split_whitespace().next().unwrap_or_default());
    let corner = |word: &str| {
        word.splitn(3, '/').take(2).collect::<Vec<_>>().join("/").trim_end_matches('/').to_owned()
    };
    let lines = text.lines().filter(|line| !of_shape(line));
    lines
        .map(|line| {
            if line.starts_with("f ") {
                line.split_whitespace().map(corner).collect::<Vec<_>>().join(" ")
            } else {
                line.to_owned()
            }
        })
        .collect()
}

#[test]
fn every_real_obj_file_is_written_back_as_it_was() {
    let (dir, mut paths) = (tempfile::tempdir().unwrap(), Vec::new());
    for folder in ["garments", "stress"] {
        let Some(folder) = corpus(folder) else { return };
        meshes(&folder, &mut paths);
    }
    let (copy, mut written) = (dir.path().join("copy.obj"), 0);
    for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("obj"))) {
        let Ok(loaded) = read_mesh(path) else { continue };
        ObjTemplate::read(path).unwrap().write(&copy, &loaded.mesh.positions).unwrap();
        assert_eq!(read_mesh(&copy).unwrap(), loaded, "{}", path.display());
        if !fs::read(path).unwrap().contains(&b'\\') {
            assert_eq!(structure(&copy), structure(path), "{}", path.display());
        }
        written += 1;
    }
    println!("{written} written");
    assert!(written > 80, "{written}");
}
