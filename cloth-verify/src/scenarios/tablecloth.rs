//! A cloth is pulled from under plates at 4 m/s, and the plates stay.
//!
//! From C-IPC (Li, Kaufman and Jiang 2021). There are no rigid bodies here, and a collider would not feel the
//! cloth: so a plate is a round piece of cloth, as stiff as a board and ten times as heavy as the cloth it
//! stands on. Between plate and table the cloth is pressed by both, and slides along both at a speed at which
//! it goes seven of its edges in a frame. The control, without self-collision, lets the plates down into the
//! cloth.

use cloth_geom::Topology;
use cloth_geom::fixtures::{disc, sheet};
use cloth_show::Direction;
use cloth_show::invariants::MeasuredEdges;
use cloth_solver::{Collider, Material, Settings, Shape};
use nalgebra::{Isometry3, Point3, Vector3};

use super::parts;
use crate::Size;
use crate::scenario::{Cloths, Driver, EndCheck, Expectations, Scenario, Setup, SetupError};

/// Half the measures of the table (m), which stands on the floor.
const TABLE: [f32; 3] = [0.35, 0.2, 0.3];
const TOP: f64 = 2.0 * TABLE[1] as f64;
/// Measures of the cloth (m), and how far its held side hangs out over the table's edge.
const CLOTH: [f64; 2] = [0.7, 0.5];
const OUT: f64 = 0.08;
/// Radius of the plates (m), and their places on the table (m).
const PLATE: f64 = 0.08;
const PLACES: [[f64; 2]; 4] = [[0.08, 0.12], [0.1, -0.12], [-0.15, 0.11], [-0.13, -0.13]];
/// What plates are made of: 1.5 kg/m2, as stiff as a board.
const BOARD: Material =
    Material { density: 1.5, stretch_warp: 2e5, stretch_weft: 2e5, shear: 1e5, bend: 1.0, damping: 2e-3 };
/// When the pull begins (s), how long it takes to reach its speed (s), the speed (m/s), and how far it goes
/// (m).
const PULLS: f32 = 0.3;
const STARTS: f32 = 0.05;
const SPEED: f32 = 4.0;
const WAY: f32 = 1.1;
/// Duration (s).
const SECONDS: f32 = 1.5;
/// Coefficients of friction: of the table, and of the cloth against the plates.
const TABLE_FRICTION: f32 = 0.3;
const CLOTH_FRICTION: f32 = 0.1;
/// Substeps a frame, up to 64 vertices a side.
const SUBSTEPS: u32 = 16;
/// A plate that stays is not dragged farther than this (m): it still lies on the table with all of itself.
const DRAGGED: f64 = 0.17;
/// Of the jitter.
const SEED: u64 = 1;

pub(super) const SCENARIO: Scenario =
    Scenario { name: "tablecloth", about: "a cloth pulled from under plates at 4 m/s", build };

fn build(size: Size) -> Result<Setup, SetupError> {
    let (count, rings) = match size {
        Size::Small => (36, 4),
        Size::Medium => (71, 8),
        Size::Large => (176, 20),
    };
    let settings = Settings {
        detect_interval: 5,
        self_friction: CLOTH_FRICTION,
        ..parts::settings(parts::substeps(SUBSTEPS, count))
    };
    let mut setup = Setup::new(settings, SECONDS);
    let sheet = sheet(count, 1 + (count - 1) * 5 / 7, CLOTH)?;
    let thickness = f64::from(parts::thickness(&sheet.mesh).total());
    let middle = f64::from(TABLE[0]) + OUT - 0.5 * CLOTH[0];
    let rest = sheet.mesh.clone().translated(Vector3::new(middle, TOP + thickness, 0.0));
    let mut cloth = parts::cloth(&rest, Material::COTTON, SEED)?;
    cloth.pins = (0..sheet.ny).filter_map(|j| sheet.vertex(sheet.nx - 1, j)).collect();
    setup.driver = Some(pulls(&cloth.mesh.positions_f32(), &cloth.pins));
    setup.add(cloth, &MeasuredEdges::of_sheet(&sheet));
    for (k, [x, z]) in PLACES.into_iter().enumerate() {
        let rest = disc(PLATE, rings)?.translated(Vector3::new(x, TOP + 2.5 * thickness, z));
        let measured = MeasuredEdges::of_mesh(&rest, &Topology::of_mesh(&rest)?);
        setup.add(parts::cloth(&rest, BOARD, SEED + 1 + k as u64)?, &measured);
    }
    let table = Shape::Cuboid { half_extents: Vector3::from(TABLE) };
    let stands = Isometry3::translation(0.0, TABLE[1], 0.0);
    setup.scene.add_colliders([parts::floor()?, Collider::new(table, stands, TABLE_FRICTION)?]);
    let stay: EndCheck = Box::new(plates_stay);
    setup.expectations =
        Expectations { penetration: Some(thickness), at_the_end: vec![stay], ..Expectations::default() };
    setup.view = Direction { azimuth_deg: 20.0, elevation_deg: 25.0 };
    setup.focus = Some([Point3::new(-0.4, 0.1, -0.3), Point3::new(1.2, 0.5, 0.3)]);
    Ok(setup)
}

fn pulls(starts: &[Point3<f32>], pins: &[u32]) -> Driver {
    let held: Vec<(u32, Point3<f32>)> = pins.iter().map(|&v| (v, starts[v as usize])).collect();
    Box::new(move |stage, _, time| {
        let moved = Vector3::x() * way(time);
        held.iter().try_for_each(|&(v, at)| stage.move_pin(0, v, at + moved))
    })
}

/// How far the cloth has been pulled (m): at a constant acceleration, and then at a constant speed.
fn way(time: f32) -> f32 {
    let t = (time - PULLS).max(0.0);
    let begun = t.min(STARTS);
    (SPEED * (0.5 * begun * begun / STARTS + (t - begun))).min(WAY)
}

/// Plates lie on the table where they were put, but for a slide.
fn plates_stay(cloths: &Cloths<'_>) -> Result<(), String> {
    for (k, [x, z]) in PLACES.into_iter().enumerate() {
        let faces = cloths.faces[k + 1].as_flattened();
        let sum = faces.iter().map(|&v| cloths.positions[v as usize].coords.cast::<f64>());
        let middle = sum.sum::<Vector3<f64>>() / faces.len() as f64;
        let slid = (middle - Vector3::new(x, middle.y, z)).norm();
        if slid > DRAGGED || (middle.y - TOP).abs() > 0.02 {
            let above = 1e3 * (middle.y - TOP);
            return Err(format!(
                "plate {} slid by {:.0} mm and lies {above:.0} mm above the table, at most {:.0} and 20 mm \
                 expected",
                k + 1,
                1e3 * slid,
                1e3 * DRAGGED,
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pull_reaches_its_speed_and_ends() {
        assert_eq!((way(0.0), way(PULLS)), (0.0, 0.0));
        let speed = |time: f32| (way(time + 0.01) - way(time)) / 0.01;
        assert!((speed(PULLS + STARTS) - SPEED).abs() < 1e-3 && (speed(PULLS + 0.2) - SPEED).abs() < 1e-3);
        assert_eq!(way(SECONDS), WAY);
    }
}
