//! Built-in garments on the figure.

use super::*;
use cloth_geom::fixtures::{SkirtShape, TshirtShape, skirt, tshirt};
use nalgebra::Point3;

fn placed(mesh: &TriMesh) -> Result<Placement, String> {
    on_figure(mesh, FigureSize::new(None, None))
}

#[test]
fn dresses_the_figure_in_a_shirt_from_anywhere() {
    let shirt = tshirt(TshirtShape::default()).unwrap().translated(Vector3::new(3.0, -7.0, 2.0));
    let found = placed(&shirt).unwrap();
    assert!(
        found.note.contains("shoulders") && found.note.contains("nothing starts inside"),
        "{}",
        found.note
    );
    let off = found.translate - Vector3::new(-3.0, 7.0, -2.0);
    assert!(off.norm() < 0.08, "{off}");
    // The shirt is cut for arms at 40 degrees.
    assert!((found.limbs.arms_deg - 40.0).abs() < 12.0, "{}", found.limbs.arms_deg);
}

#[test]
fn puts_a_skirt_where_the_trunk_is_as_wide_as_its_waist() {
    let of = |radius: f64| {
        let shape = SkirtShape { waist_radius: radius, hem_radius: 0.4, length: 0.5, around: 60, along: 12 };
        let skirt = skirt(shape).unwrap();
        let top = skirt.bounds().max.y;
        placed(&skirt).map(|p| (top + p.translate.y, p.note))
    };
    let (tight, note) = of(0.135).unwrap();
    assert!(tight > 1.0 && tight < 1.17 && note.contains("waist"), "{tight} {note}");
    let (hip, note) = of(0.15).unwrap();
    assert!(hip > 0.88 && hip < tight && !note.contains("wider"), "{hip} {note}");
    let (_, note) = of(0.19).unwrap();
    assert!(note.contains("wider than the hips"), "{note}");
    let text = of(0.09).unwrap_err();
    assert!(text.contains("--scale 1.45"), "{text}");
}

#[test]
fn does_not_dress_it_in_what_is_too_small_or_closed_or_lies() {
    let shirt = tshirt(TshirtShape::default()).unwrap().scaled(0.4);
    assert!(placed(&shirt).unwrap_err().contains("too narrow"));
    let ball = cloth_geom::fixtures::icosphere(2, 0.5).unwrap();
    assert!(placed(&ball).unwrap_err().contains("no opening"));
    let sheet = cloth_geom::fixtures::sheet(4, 4, [1.8, 1.8]).unwrap().mesh;
    assert!(placed(&sheet).unwrap_err().contains("flat"));
}

#[test]
fn does_not_dress_it_in_what_it_would_pierce() {
    // A skirt of three faces around: the trunk fits between its vertices and not between its faces.
    let shape = SkirtShape { waist_radius: 0.2, hem_radius: 0.45, length: 0.5, around: 3, along: 1 };
    let Ok(mut coarse) = skirt(shape) else { return };
    for p in coarse.positions.iter_mut() {
        *p = Point3::new(p.x, p.y, 0.02 * p.z);
    }
    assert!(placed(&coarse).is_err());
}

#[test]
fn puts_a_hat_on_the_head() {
    let dome = cloth_geom::fixtures::icosphere(3, 0.13).unwrap();
    let keep = |f: &&[u32; 3]| f.iter().all(|&v| dome.positions[v as usize].y > -0.04);
    let faces: Vec<[u32; 3]> = dome.faces.iter().filter(keep).copied().collect();
    let placed = placed(&TriMesh::new(dome.positions.clone(), faces)).unwrap();
    assert!(placed.note.contains("on the head"), "{}", placed.note);
    let off = placed.translate - Vector3::y() * 1.65;
    assert!(off.x.abs() < 0.01 && off.y.abs() < 0.06, "{off}");
}

#[test]
fn lowers_a_box_on_the_middle_of_another() {
    let boxed = |min: [f64; 3], max: [f64; 3]| Aabb { min: min.into(), max: max.into() };
    let t = above(&boxed([0.0, 5.0, 0.0], [2.0, 6.0, 2.0]), &boxed([-1.0; 3], [1.0, 3.0, 1.0]), 0.1);
    assert!((t - Vector3::new(-1.0, -1.9, -1.0)).norm() < 1e-12, "{t}");
}

#[test]
fn a_skirt_in_another_unit_is_no_hat_and_the_note_doubts_the_unit() {
    let shape = SkirtShape { waist_radius: 0.135, hem_radius: 0.4, length: 0.5, around: 60, along: 12 };
    let skirt = skirt(shape).unwrap();
    assert!(placed(&skirt).unwrap().note.contains("on the waist"));
    for factor in [0.1, 0.01, 0.001] {
        let why = placed(&skirt.clone().scaled(factor)).unwrap_err();
        assert!(why.contains("waist opening") && why.contains("is its unit right?"), "{factor}: {why}");
    }
    for factor in [10.0, 1000.0] {
        let why = placed(&skirt.clone().scaled(factor)).unwrap_err();
        assert!(why.contains("too large for 1.76 m; is its unit right?"), "{factor}: {why}");
    }
}
