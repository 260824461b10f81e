//! A hand sweeps through a hanging cape: fingers that are thinner than its edges are long, at 10 m/s.
//!
//! From Tourniaire 2025, who reports that cloth tunnels through thin limbs that move fast. The fingers are
//! capsules of 8 mm diameter, the vertices of the cape 25 mm apart, and a finger moves 10 mm in a substep:
//! contacts of vertices let it pass between them. The fingers are guarded: no axis may cross the cape in any
//! substep, by exact detection of all pairs, and nothing may be released. The control is the same scene with
//! colliders that are not guarded and without a gate; its fingers must cross.

use cloth_solver::{Collider, Material, Shape};
use nalgebra::{Isometry3, Point3};

use super::parts;
use crate::Size;
use crate::scenario::{ControlKind, Driver, Expectations, Scenario, Setup, SetupError};
use cloth_geom::fixtures;
use cloth_show::Direction;
use cloth_show::invariants::MeasuredEdges;

/// Distance of neighbouring vertices of the cape (m).
const SPACING: f64 = 0.025;
/// Radius of a finger (m), half the length of its axis (m), distance of neighbouring fingers (m), and their
/// number.
const RADIUS: f32 = 0.004;
const HALF_LENGTH: f32 = 0.04;
const APART: f32 = 0.021;
const FINGERS: usize = 5;
/// Speed of the hand (m/s), where it starts before the cape (m), and for how many frames it moves; it stops
/// within a substep.
const SPEED: f32 = 10.0;
const START: f32 = -0.2;
const SWEEP: usize = 5;
/// Height of the middle of the fingers above the lower hem (m): the cape yields and slips off below. With the
/// hand in the middle of a cape that is 0.4 m high, the cloth winds round the fingers and stretches by 300 %,
/// and the gate takes 200 ms a frame.
const HEIGHT: f32 = 0.1;
/// Duration (s).
const SECONDS: f32 = 0.8;
/// Substeps a frame: the default of the solver.
const SUBSTEPS: u32 = 16;
/// Of the jitter.
const SEED: u64 = 1;

pub(super) const SCENARIO: Scenario =
    Scenario { name: "coat-fingers", about: "thin fingers sweep through a coarse cape at 10 m/s", build };

fn build(size: Size) -> Result<Setup, SetupError> {
    // Another size is another cape, not a finer one: the subject is that it is coarse.
    let (rows, columns) = match size {
        Size::Small => (41, 25),
        Size::Medium => (49, 33),
        Size::Large => (81, 61),
    };
    let mut setup = Setup::new(parts::settings(SUBSTEPS), SECONDS);
    let extent = [columns, rows].map(|count: usize| SPACING * (count - 1) as f64);
    let sheet = fixtures::sheet(columns, rows, extent)?;
    let measured = MeasuredEdges::of_sheet(&sheet);
    let mut cloth = parts::cloth(&parts::upright(sheet.mesh), Material::COTTON, SEED)?;
    cloth.thickness = parts::split(THICKNESS);
    let top = cloth.mesh.positions.iter().map(|p| p.y).fold(f64::MIN, f64::max) - 0.5 * SPACING;
    cloth.pins = (0..).zip(&cloth.mesh.positions).filter(|(_, p)| p.y > top).map(|(v, _)| v).collect();
    setup.add(cloth, &measured);
    let hem = -0.5 * extent[1] as f32;
    let shape = Shape::Capsule { half_length: HALF_LENGTH, radius: RADIUS };
    for finger in 0..FINGERS {
        let capsule = Collider::new(shape.clone(), pose(finger, hem, START), parts::BODY_FRICTION)?;
        setup.scene.add_colliders([capsule.guarded()?]);
    }
    setup.driver = Some(sweeps(hem));
    setup.control_kinds = Ok(ControlKind::UnguardedColliders).into();
    setup.expectations = Expectations { clean_from: Some(0), ..Expectations::default() };
    setup.view = Direction { azimuth_deg: 60.0, elevation_deg: 15.0 };
    let [x, y] = extent.map(|length| 0.5 * length as f32);
    setup.focus = Some([Point3::new(-x, -y, -0.25), Point3::new(x, y, 0.65)]);
    Ok(setup)
}

/// Thickness of the cape (m): that of a coat, less than half an edge.
const THICKNESS: f64 = 0.004;

/// A finger, upright, with the hem of the cape at the height `hem` and the hand at `z` (m).
fn pose(finger: usize, hem: f32, z: f32) -> Isometry3<f32> {
    // Beside the columns of the cape, on none of them.
    let x = APART * (finger as f32 - 0.5 * (FINGERS - 1) as f32) + 0.3 * SPACING as f32;
    Isometry3::translation(x, hem + HEIGHT, z)
}

fn sweeps(hem: f32) -> Driver {
    Box::new(move |stage, frame, _| {
        let z = place(frame + 1);
        (0..FINGERS).try_for_each(|finger| stage.move_collider(finger, pose(finger, hem, z)))
    })
}

/// Where the hand is after some frames (m).
fn place(frames: usize) -> f32 {
    START + SPEED * Setup::DT * frames.min(SWEEP) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hand_moves_at_its_speed_and_stops_behind_the_cape() {
        let places: Vec<f32> = (0..30).map(place).collect();
        assert!((places[1] - places[0] - SPEED / 60.0).abs() < 1e-6 && places[SWEEP] > 0.5, "{places:?}");
        assert_eq!(places[SWEEP], places[29]);
    }

    #[test]
    fn fingers_are_thinner_than_edges_and_move_beyond_their_thickness_per_substep() {
        assert!(2.0 * RADIUS < 0.5 * SPACING as f32);
        assert!(SPEED * Setup::DT / SUBSTEPS as f32 > 2.0 * RADIUS);
    }
}
