//! Where garments that nobody here made end on the figure, after a short simulation.

use std::path::Path;

use clap::Parser;
use cloth_geom::Topology;
use nalgebra::Point3;

use super::body::Body;
use super::garment_kind::{GarmentKind, classify};
use super::openings::{Opening, measure, openings};
use crate::args::{Cli, Command};
use crate::commands::simulate::{bodies::limb_angles, prepare, quick};
use crate::files::RunFiles;
use crate::test_data::corpus;

/// Simulated time (s), in which what falls freely falls 1.2 m.
const SECONDS: &str = "0.5";

/// Where a garment is at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The middle of its waist is at the waist or the hips, inside the trunk.
    Waist,
    /// The middle of its neck is above the shoulder joints and not above the head's middle, within a neck's
    /// width of the neck; its sleeves are around the arms.
    Shoulders,
    /// Its topmost vertex is above the head's middle, and the middle of its brim is below that, on the axis
    /// of the body.
    Head,
    /// Its topmost vertex is below the hips.
    Fell,
    /// None of these: over the head, in a heap on a shoulder, still falling.
    Elsewhere,
}

/// The end of a garment with these arguments, and what was said about its start.
fn end(garment: &Path, more: &[&str]) -> (End, String) {
    let garment = garment.to_str().expect("UTF-8");
    let line = ["cloth", "simulate", "--garment", garment, "--body", "figure", "--seconds", SECONDS];
    let line = line.iter().chain(more);
    let Command::Simulate(args) = Cli::try_parse_from(line).expect("arguments").command else {
        unreachable!()
    };
    let (source, scene, notes) = quick::scene(&args.quick).expect("a scene");
    let mut prepared = prepare::prepare(&scene, &source, &RunFiles::default()).expect("a simulation");
    let start = prepared.garments[0].mesh.clone();
    for _ in 0..prepared.frames {
        prepared.simulation.step(prepared.dt as f32).expect("a step");
    }
    let cloth = &prepared.simulation.positions()[..start.positions.len()];
    let last: Vec<Point3<f64>> = cloth.iter().map(|p| p.map(f64::from)).collect();
    let topology = Topology::of_mesh(&start).expect("a surface");
    let height = cloth_verify::CapsuleFigure::HEIGHT;
    let limbs = scene.bodies.iter().find_map(|b| match b.shape {
        cloth_io::scene::Shape::Figure { arms, legs, .. } => Some(limb_angles(arms, legs)),
        _ => None,
    });
    let body = Body::new(height.into(), limbs.expect("a figure"));
    // The openings are named by the start, and looked for at the end.
    let first = openings(&start, &topology, super::least_opening(&start.bounds(), &body));
    let mut moved = start.clone();
    moved.positions = last;
    let end_of = |opening: &Opening| measure(&moved.positions, opening.ring.clone());
    let top = moved.faces.iter().flatten().map(|&v| moved.positions[v as usize].y).fold(0.0, f64::max);
    let end = match classify(&first, &start.bounds()) {
        Ok(worn) => worn_at(&worn, &body, top, end_of),
        Err(_) => End::Elsewhere,
    };
    let end = if end == End::Elsewhere && top < body.waist()[0] { End::Fell } else { end };
    (end, notes.join("\n"))
}

fn worn_at(worn: &GarmentKind, body: &Body, top: f64, end_of: impl Fn(&Opening) -> Opening) -> End {
    match worn {
        GarmentKind::Top { neck, sleeves, .. } => {
            let [neck, left, right] = [*neck, sleeves[0], sleeves[1]].map(end_of);
            let [low, high] = [body.shoulder().y - 0.03, 1.65];
            let at_neck = neck.middle.x.abs().max(neck.middle.z.abs()) < 0.12;
            // An opening is around an arm if the arm's axis is near its middle.
            let on_arm =
                |o: &Opening| body.distance_to_arm(&o.middle) < 0.5 * o.around / std::f64::consts::PI;
            let is_on = (low..high).contains(&neck.middle.y) && at_neck && on_arm(&left) && on_arm(&right);
            if is_on { End::Shoulders } else { End::Elsewhere }
        }
        GarmentKind::Bottom { waist, .. } => {
            let waist = end_of(waist);
            let [low, high] = body.waist();
            let is_on = (low..high).contains(&waist.middle.y) && waist.middle.x.hypot(waist.middle.z) < 0.08;
            if is_on { End::Waist } else { End::Elsewhere }
        }
        GarmentKind::Hat { brim } => {
            let brim = end_of(brim);
            let is_on = top > 1.65 && brim.middle.y < top && brim.middle.x.hypot(brim.middle.z) < 0.15;
            if is_on { End::Head } else { End::Elsewhere }
        }
    }
}

/// A garment of the data, its arguments, and what becomes of it.
type Expected = (&'static str, &'static [&'static str], End);

const SKIRTS: [Expected; 3] = [
    ("codim-ipc/skirt4K.obj", &[], End::Waist),
    ("diffcloth/skirt2011.obj", &["--scale", "1.35"], End::Waist),
    ("makehuman/skirthelper.obj", &["--unit", "0.1"], End::Waist),
];

const SHIRTS: [Expected; 8] = [
    ("diffcloth/tshirt1000-tri.obj", &["--unit", "0.1"], End::Shoulders),
    ("diffcloth/tshirt1900.obj", &["--unit", "0.1"], End::Shoulders),
    ("newton/unisex_shirt.DERIVED.obj", &["--unit", "0.01"], End::Shoulders),
    // Jacket and trousers: the figure spreads its legs.
    ("makehuman/male_casualsuit04.obj", &["--unit", "0.1"], End::Shoulders),
    // Their sleeves are 0.21 and 0.17 m around, and the arms of the figure 0.31 and 0.25 m: dropped from
    // above.
    ("makehuman/female_casualsuit01.obj", &["--unit", "0.1"], End::Elsewhere),
    ("makehuman/female_elegantsuit01.obj", &["--unit", "0.1"], End::Elsewhere),
    // Its sleeves hang straight down, so near the trunk that the figure's arms and hips have no room: dropped
    // from above.
    ("diffcloth/dress-v5k-f10k-v2.obj", &["--unit", "0.0254"], End::Elsewhere),
    // Front and back are 45 cm apart, and the seams between them are welded and rest so long: its neck is
    // 1.55 m around.
    ("garmentcode/shirt_mean_boxmesh.GENERATED.obj", &[], End::Fell),
];

const HATS: [Expected; 2] = [
    ("makehuman/fedora.obj", &["--unit", "0.1"], End::Head),
    ("diffcloth/agenthat2-579.obj", &["--unit", "0.01"], End::Head),
];

fn check(garments: &[Expected]) {
    for (name, more, expected) in garments {
        let Some(path) = corpus(&format!("garments/{name}")) else { continue };
        let (found, notes) = end(&path, more);
        println!("{name}: {found:?}\n{notes}");
        assert_eq!(found, *expected, "{name}\n{notes}");
    }
}

#[test]
fn skirts_end_on_the_waist() {
    check(&SKIRTS);
}

#[test]
fn shirts_end_on_the_shoulders_but_for_those_that_cannot() {
    check(&SHIRTS);
}

#[test]
fn a_skirt_in_another_unit_is_not_placed_on_the_head() {
    let Some(path) = corpus("garments/makehuman/skirthelper.obj") else { return };
    for (unit, why) in
        [("0.01", "waist opening, 0.08 m around"), ("0.001", "waist opening"), ("1", "too large")]
    {
        let (_, notes) = end(&path, &["--unit", unit]);
        assert!(notes.contains(why) && notes.contains("is its unit right?"), "{unit}: {notes}");
    }
}

#[test]
fn hats_end_on_the_head() {
    check(&HATS);
}
