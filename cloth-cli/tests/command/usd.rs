//! USD: a run as one stage, and stages as meshes, caches and animations.

use std::fs;
use std::path::Path;

use cloth_io::{UsdMesh, UsdPrim, UsdWriter, read_mesh};
use nalgebra::{Point3, Vector3};

use crate::simulate::frame;
use crate::support::{assert_refused, cloth, crossing, json, sheet, text, write};

fn read(stage: &str, prim: &str) -> UsdMesh {
    UsdMesh::read(Path::new(&format!("{stage}#{prim}"))).unwrap()
}

fn bits(positions: impl IntoIterator<Item = Point3<f64>>) -> Vec<[u64; 3]> {
    positions.into_iter().map(|p| p.coords.map(f64::to_bits).into()).collect()
}

#[test]
fn a_run_is_one_stage_of_the_bits_of_its_caches() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    let low = write(dir.path(), "low.obj", &sheet(6, 0.3).translated(Vector3::new(0.0, 0.02, 0.0)));
    let high = write(dir.path(), "high.obj", &sheet(7, 0.3).translated(Vector3::new(0.0, 0.06, 0.0)));
    let (stage, cache) = (at("run.usda"), at("run.pc2"));
    let scene = at("scene.toml");
    let content = format!(
        "[settings]\nduration = 0.2\n[[garment]]\nmesh = {low:?}\n[[garment]]\nmesh = {high:?}\n\
         [[body]]\nname = \"a ball\"\nkind = \"sphere\"\ncenter = [0, -0.2, 0]\nradius = 0.2\n"
    );
    fs::write(&scene, content).unwrap();
    let line = ["simulate", &scene];
    let ran = cloth(line.iter().copied().chain(["--out", &stage]));
    assert_eq!(ran.status, 0, "{ran:?}");
    let said = format!(
        "wrote {stage}: 13 frames of 2 garments with bodies, 60 a second, in metres, y up; `cloth check \
         {stage}#/World/cloth` judges it\n"
    );
    assert!(ran.out.contains(&said), "{}", ran.out);
    assert_eq!(cloth(line.iter().copied().chain(["--out", &cache])).status, 0);
    for name in ["low", "high"] {
        let garment = read(&stage, &format!("/World/cloth/{name}"));
        assert_eq!((garment.state_count(), garment.rate()), (13, 60.0));
        assert_eq!(
            garment.loaded.mesh.faces,
            read_mesh(&dir.path().join(format!("{name}.obj"))).unwrap().mesh.faces
        );
        for k in [0, 7, 12] {
            let wanted = frame(&at(&format!("run_{name}.pc2")), k);
            let wanted = wanted.iter().map(|p| p.map(f64::from));
            assert_eq!(bits(garment.read_frame(k).unwrap()), bits(wanted), "{name} {k}");
        }
    }
    assert_eq!(read(&stage, "/World/bodies/a_ball").state_count(), 1);
    let report = at("r.json");
    let judged = cloth(["check", &format!("{stage}#/World/cloth"), "--json", &report]);
    assert_eq!(judged.status, 0, "{judged:?}");
    let mesh = &json(Path::new(&report))["meshes"][0];
    assert_eq!((mesh["frames"].as_array().map(Vec::len), &mesh["clean"]), (Some(13), &true.into()));
    // The garments on their body: one frame of which stands for all.
    let judged = cloth(["check", &format!("{stage}#cloth"), "--body", &format!("{stage}#bodies")]);
    assert!(judged.out.contains("2 pieces") && judged.out.contains("closed"), "{judged:?}");
    // A part of a stage starts as the mesh that it was written of.
    let again = at("again.pc2");
    let part = format!("{stage}#/World/cloth/low");
    let one = ["simulate", "--place", "asis", "--seconds", "0.1", "--body", "none", "--out"];
    assert_eq!(cloth(one.iter().copied().chain([&again, "--garment", &part])).status, 0);
    let first = bits(frame(&again, 0).iter().map(|p| p.map(f64::from)));
    assert_eq!(first, bits(read(&stage, "low").read_frame(0).unwrap()));
}

#[test]
fn a_cut_of_a_run_is_one_in_its_stage() {
    let dir = tempfile::tempdir().unwrap();
    let scene = crate::cuts::scene(dir.path(), 20.0, "", 60);
    let stage = text(&dir.path().join("run.usda"));
    let ran = cloth(["simulate", &scene, "--out", &stage]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert_eq!(read(&stage, "/World/cloth/cape").cuts(), [4]);
    assert_eq!(read(&stage, "/World/bodies/person").cuts(), [4]);
    let judged = cloth(["check", &format!("{stage}#/World/cloth")]);
    assert_eq!(judged.status, 0, "{judged:?}");
    // Without the held samples the motion over the cut is judged.
    let content = fs::read_to_string(&stage).unwrap();
    let uncut: Vec<&str> = content.lines().filter(|line| !line.starts_with("3.999: ")).collect();
    fs::write(&stage, uncut.join("\n")).unwrap();
    assert_eq!(read(&stage, "/World/cloth/cape").cuts().len(), 0);
}

#[test]
fn a_stage_moves_a_body_at_its_own_rate() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    let plate = sheet(5, 0.8);
    let stage = at("plate.usda");
    let mut writer = UsdWriter::create(Path::new(&stage), 20.0).unwrap();
    let (points, faces) = (plate.positions.len(), &plate.faces[..]);
    let prim = writer.add(&UsdPrim { name: "plate", points, faces, ..UsdPrim::default() }).unwrap();
    for k in 0..3 {
        let up = Vector3::y() * f64::from(k) * 0.01;
        let frame: Vec<Point3<f32>> = plate.positions.iter().map(|p| (p + up).map(|c| c as f32)).collect();
        writer.push(prim, &frame, k == 2).unwrap();
    }
    writer.finish().unwrap();
    let scene = at("scene.toml");
    let content = format!(
        "[settings]\nduration = 0.2\nthickness = 0.004\n[[garment]]\nmesh = \"cloth.obj\"\n\
         [[body]]\nname = \"plate\"\nkind = \"mesh\"\npath = {stage:?}\nmotion = {stage:?}\n"
    );
    fs::write(&scene, content).unwrap();
    write(dir.path(), "cloth.obj", &sheet(9, 0.4).translated(Vector3::new(0.0, 0.02, 0.0)));
    let ran = cloth(["simulate", &scene]);
    assert_eq!(ran.status, 0, "{ran:?}");
    for said in [
        "20 a second, as the file says, from 0.000 s to 0.100 s",
        "is cut from frame 1 to 2, as its file says",
    ] {
        assert!(ran.out.contains(said), "{said}\n{}", ran.out);
    }
}

#[test]
fn untangle_reads_and_writes_stages() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&dir.path().join(name));
    let input = at("in.usda");
    let mesh = crossing();
    cloth_io::write_mesh(Path::new(&input), &mesh.positions, &mesh.faces).unwrap();
    let ran = cloth(["untangle", &input, &at("out.usda")]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.contains("OUT is USD, which rounds positions to `f32`: check it again"), "{}", ran.out);
    assert_eq!(cloth(["check", &input]).status, 1);
    assert_eq!(cloth(["check", &at("out.usda")]).status, 0);
    // Texture coordinates stay.
    let obj = at("uv.obj");
    let mapped = fs::read_to_string(write(dir.path(), "in.obj", &mesh)).unwrap();
    let corners = |line: &str| line.split(' ').map(|v| format!("{v}/{v}")).collect::<Vec<_>>().join(" ");
    let lines = mapped.lines().map(|line| match line.strip_prefix("f ") {
        Some(face) => format!("f {}", corners(face)),
        None => line.strip_prefix("v ").map_or(line.into(), |_| format!("{line}\nvt 0.5 {}", line.len())),
    });
    fs::write(&obj, lines.collect::<Vec<_>>().join("\n")).unwrap();
    let wanted = read_mesh(Path::new(&obj)).unwrap().rest_uv;
    assert!(wanted.is_some());
    assert_eq!(cloth(["untangle", &obj, &at("uv.usda")]).status, 0);
    assert_eq!(read_mesh(&dir.path().join("uv.usda")).unwrap().rest_uv, wanted);
    assert_eq!(cloth(["untangle", &input, &at("out.obj")]).status, 0);
    assert_eq!(read_mesh(&dir.path().join("out.obj")).unwrap().mesh.faces, mesh.faces);
}

#[test]
fn what_is_no_flat_stage_is_refused_with_the_way() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.usda");
    let reference = "#usda 1.0\ndef \"shirt\" (prepend references = @b.usda@) {\n}\n";
    for content in [reference, "PXR-USDC"] {
        fs::write(&path, content).unwrap();
        assert_refused(&cloth(["check", &text(&path)]), &["usdcat --flatten"]);
    }
    let crate_file = text(&dir.path().join("a.usdc"));
    fs::write(&crate_file, "PXR-USDC").unwrap();
    assert_refused(&cloth(["check", &crate_file]), &["usdcat --flatten"]);
    fs::write(&path, "#usda 1.0\ndef Mesh \"shirt\" {\n}\n").unwrap();
    assert_refused(
        &cloth(["check", &format!("{}#coat", text(&path))]),
        &["has no mesh to read at or below `coat`"],
    );
}

#[test]
fn a_stage_that_is_read_is_not_written_over() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.usda");
    let mesh = sheet(5, 0.3);
    cloth_io::write_mesh(&path, &mesh.positions, &mesh.faces).unwrap();
    let (before, garment) = (fs::read(&path).unwrap(), format!("{}#/World", text(&path)));
    let ran = cloth(["simulate", "--garment", &garment, "--seconds", "0.1", "--out", &text(&path)]);
    assert_eq!(ran.status, 2, "{ran:?}");
    assert_eq!(fs::read(&path).unwrap(), before);
}
