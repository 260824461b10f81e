//! `cloth cull` as its user calls it: the table, the JSON, the exit status.

use cloth_contacts::intersect::find;
use cloth_geom::Topology;
use cloth_geom::fixtures::{BarShape, twisted_bar};

use crate::support::{assert_refused, cloth, crossing, json, sheet, text, write};
use cloth_testing::corpus;

#[test]
fn spares_a_sheet_and_misses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("out.json");
    let mut folded = sheet(12, 1.0);
    for p in &mut folded.positions {
        p.y = 0.2 * p.x * p.z;
    }
    let ran = cloth(["cull", &write(dir.path(), "sheet.obj", &folded), "--json", &text(&file)]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    let found = json(&file);
    let methods = found["methods"].as_array().unwrap();
    assert_eq!(methods.len(), 5);
    assert_eq!((&methods[0]["method"], &methods[0]["filtration"]), (&"boxes".into(), &0.0.into()));
    for method in &methods[1..] {
        assert_eq!((&method["after"], &method["missed"]), (&0.into(), &0.into()), "{method}");
        assert_eq!(method["filtration"], 1.0);
    }
    assert_eq!(ran.out.lines().count(), 7, "{}", ran.out);
}

#[test]
fn leaves_a_crossing_and_sums_over_meshes() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("out.json");
    let path = write(dir.path(), "x.obj", &crossing());
    let ran = cloth(["cull", &path, &path, "--json", &text(&file)]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let found = json(&file);
    assert_eq!(found["meshes"][1]["intersecting_pairs"], 1);
    for method in found["methods"].as_array().unwrap() {
        assert_eq!(
            (&method["before"], &method["after"], &method["missed"]),
            (&2.into(), &2.into(), &0.into())
        );
    }
}

#[test]
fn a_refused_file_does_not_keep_the_others_from_being_judged() {
    let dir = tempfile::tempdir().unwrap();
    let ran = cloth(["cull", "none.obj", &write(dir.path(), "sheet.obj", &sheet(4, 1.0))]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("none.obj") && ran.out.contains("sheet.obj"), "{ran:?}");
    assert_refused(&cloth(["cull", "a.obj", "b.obj", "--cache", "c.pc2"]), &["one MESH"]);
}

#[test]
fn spares_more_of_a_twisted_bar_than_was_published() {
    let dir = tempfile::tempdir().unwrap();
    for turns in [0.25, 0.5, 1.0] {
        let bar = twisted_bar(BarShape { turns, ..BarShape::default() }).unwrap();
        assert_eq!(bar.faces.len(), 208);
        let topology = Topology::of_mesh(&bar).unwrap();
        assert!(topology.boundary_loops().is_empty());
        assert!(find(&bar.positions, &topology).unwrap().is_clean());
        let file = dir.path().join("out.json");
        let ran = cloth(["cull", &write(dir.path(), "bar.obj", &bar), "--json", &text(&file)]);
        eprintln!("{turns} turns: {}", ran.out);
        let found = json(&file);
        let methods = found["methods"].as_array().unwrap();
        assert!(methods.iter().all(|method| method["missed"] == 0));
        // Zhang 2014, table 1: 73.45 %, counted with pairs that share a vertex as it seems.
        let best = methods.last().unwrap();
        assert!(best["filtration_all"].as_f64().unwrap() > 0.7345, "{best}");
    }
}

#[test]
fn spares_garments_at_rest_and_a_galloping_horse() {
    let garments =
        ["tshirt1900.obj", "skirt2011.obj"].map(|name| corpus(&format!("garments/diffcloth/{name}")));
    let horses = ["0001", "0025"].map(|n| corpus(&format!("deforming/horse-gallop/horse-gallop_{n}.obj")));
    let dir = tempfile::tempdir().unwrap();
    for (meshes, least) in [(garments, 0.95), (horses, 0.9)] {
        let [Some(one), Some(other)] = meshes else { continue };
        let file = dir.path().join("out.json");
        let ran = cloth(["cull", &text(&one), &text(&other), "--json", &text(&file)]);
        assert_eq!(ran.status, 0, "{ran:?}");
        eprintln!("{}", ran.out);
        let found = json(&file);
        let best = found["methods"].as_array().unwrap().last().unwrap();
        assert!(best["filtration"].as_f64().unwrap() > least, "{best}");
        assert!(best["filtration_all"].as_f64().unwrap() > least, "{best}");
    }
}
