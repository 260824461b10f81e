//! Two flaps of a coat, one on the other, rest on a leg that swings.
//!
//! From Lewin 2018, figure 5 left: what a game has most of. The flaps are layers in order, and their contacts
//! are computed once. Frames last a thirtieth of a second, with few substeps, as in a game. Contacts that are
//! detected keep these two apart as well, at four times the price.

use cloth_geom::fixtures::sheet;
use cloth_show::Direction;
use cloth_show::invariants::MeasuredEdges;
use cloth_solver::{ClothDesc, Collider, Material, Shape, Tethers};
use nalgebra::{Isometry3, Point3, Translation3, Vector3};

use super::parts;
use crate::Size;
use crate::scenario::{Expectations, Scenario, Setup, SetupError};

/// Width and height of a flap (m).
const FLAP: [f64; 2] = [0.2, 0.35];
/// Height (m) at which they are held, how far the inner one is in front of the hip, and the outer one in
/// front of that.
const TOP: f64 = 1.0;
const FRONT: f64 = 0.1;
const APART: f64 = 0.015;
/// How far (m) each is off the middle: the inner one to the right of the leg, the outer one to the left.
const ASIDE: f64 = 0.03;
/// Thickness `2r + SCR` (m) of a flap, if that is less than half the shortest edge.
const THICKNESS: f64 = 0.01;
/// Greatest distance (m) of a vertex to the face of the other flap that it is kept from.
const REACH: f32 = 0.06;
/// Height (m) of the hip, length of the leg's axis and its radius.
const HIP: f32 = 0.85;
const LEG: [f32; 2] = [0.5, 0.07];
/// How far forward (rad) the leg is raised at first and at last, and how far it swings.
const RAISED: f32 = 0.3;
const SWINGS_TO: f32 = 0.7;
/// Swings a second, until when (s), and the duration of all.
const RATE: f32 = 1.0;
const SWINGS: f32 = 3.0;
const SECONDS: f32 = 4.5;
/// Greatest 99th percentile of the stretch along the threads in any frame.
const STRETCH_LIMIT: f64 = 0.05;
/// Greatest depth (m) of a vertex in the leg.
const PENETRATION: f64 = 1e-3;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "flaps",
    about: "two flaps in order rest on a swinging leg, their contacts computed once",
    build,
};

fn build(size: Size) -> Result<Setup, SetupError> {
    let (across, down, substeps, passes) = match size {
        Size::Small => (9, 15, 2, 3),
        Size::Medium => (11, 19, 2, 3),
        Size::Large => (30, 52, 4, 4),
    };
    let mut setup = Setup::at_30_hz(parts::settings_of_skirts(substeps, passes, REACH), SECONDS);
    for place in 0..2 {
        let (cloth, measured) = flap(place, across, down)?;
        setup.add(cloth, &measured);
    }
    let shape = Shape::Capsule { half_length: 0.5 * LEG[0], radius: LEG[1] };
    setup.scene.add_colliders([Collider::new(shape, leg(0.0), parts::BODY_FRICTION)?]);
    setup.driver = Some(parts::moves(0, |time| leg(raised(time))));
    setup.expectations = Expectations {
        stretch_p99: Some(STRETCH_LIMIT).into(),
        penetration: Some(PENETRATION),
        ..Expectations::default()
    };
    setup.view = Direction { azimuth_deg: 50.0, elevation_deg: 10.0 };
    setup.focus = Some([Point3::new(-0.25, 0.35, -0.1), Point3::new(0.25, 1.05, 0.45)]);
    Ok(setup)
}

/// A flap by its place, 0 on the leg: it hangs in front of the leg, looks forward (+z) and is held at its
/// top.
fn flap(place: u16, across: usize, down: usize) -> Result<(ClothDesc, MeasuredEdges), SetupError> {
    let sheet = sheet(across, down, FLAP)?;
    let (aside, forward) = (ASIDE * (2.0 * f64::from(place) - 1.0), FRONT + APART * f64::from(place));
    // Row 0, which lies at the back of the sheet, is the lowest.
    let hang = |p: Point3<f64>| Point3::new(aside - p.x, TOP - 0.5 * FLAP[1] + p.z, forward);
    let rest = sheet.mesh.clone().mapped(hang);
    let mut cloth = parts::layer(&rest, Material::COTTON, place, across, THICKNESS)?;
    cloth.tethers = Some(Tethers { max_stretch: 0.0, anchors: 1, ..Tethers::default() });
    Ok((cloth, MeasuredEdges::of_sheet(&sheet)))
}

/// How far the leg is raised (rad) at a time (s).
fn raised(time: f32) -> f32 {
    let swing = 0.5 * (1.0 - libm::cosf(std::f32::consts::TAU * RATE * time));
    let ebb = 1.0 - parts::ease(SWINGS - 0.5, SWINGS, time);
    RAISED * parts::ease(0.0, 0.5, time) + (SWINGS_TO - RAISED) * swing * ebb
}

/// The leg, its hip at its place, raised forward by an angle (rad).
fn leg(angle: f32) -> Isometry3<f32> {
    let turn = parts::turn(&Vector3::x(), -angle);
    let middle = Vector3::new(0.0, HIP, 0.0) - turn * Vector3::new(0.0, 0.5 * LEG[0], 0.0);
    Isometry3::from_parts(Translation3::from(middle), turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flaps_look_forward_and_start_in_front_of_the_leg() {
        let (cloth, _) = flap(1, 4, 5).expect("a flap");
        let [a, b, c] = cloth.mesh.faces[0].map(|v| cloth.mesh.positions[v as usize]);
        assert!((b - a).cross(&(c - a)).normalize().z > 0.99);
        assert!(cloth.mesh.positions.iter().all(|p| p.z > f64::from(LEG[1])));
        let held = cloth.pins.iter().map(|&v| cloth.mesh.positions[v as usize].y);
        assert!(held.fold(f64::INFINITY, f64::min) > TOP - 0.01, "the top row is held");
    }

    #[test]
    fn the_leg_hangs_swings_forward_and_stays_raised() {
        assert_eq!(raised(0.0), 0.0);
        assert!((raised(1.5) - SWINGS_TO).abs() < 1e-5);
        assert_eq!(raised(SECONDS), RAISED);
        let knee = leg(SWINGS_TO) * Point3::new(0.0, -0.5 * LEG[0], 0.0);
        let hip = leg(SWINGS_TO) * Point3::new(0.0, 0.5 * LEG[0], 0.0);
        assert!((hip - Point3::new(0.0, HIP, 0.0)).norm() < 1e-6 && knee.z > 0.3, "{knee}");
    }
}
