//! A skirt of three layers on kicking legs: each layer stays outside of the one below it.
//!
//! From Lewin 2018, figure 5 right. Frames last a thirtieth of a second and have a few substeps, as in a
//! game: with contacts that are detected and no order the layers intersect permanently, which the scenario
//! has to show in addition to its control. With the order, contacts are computed once and solved in every
//! substep. Folds of one layer are not kept from each other, so the cloth is one that folds little: 20 times
//! as rigid as cotton, which makes a bending length (Peirce 1930, the cube root of rigidity by weight) of 5
//! cm, as canvas and buckram have.

use cloth_geom::Topology;
use cloth_geom::fixtures::{SkirtShape, skirt};
use cloth_show::Direction;
use cloth_show::invariants::MeasuredEdges;
use cloth_solver::{ClothDesc, ContactSource, Material, Tethers};
use nalgebra::{Point3, Vector3};

use super::parts;
use crate::scenario::{Driver, Expectations, Scenario, Setup, SetupError};
use crate::{AnimatedFigure, FigurePose, Size};

/// Layers.
const LAYERS: u16 = 3;
/// Radius of the innermost waist and of its hem (m), and what each layer adds to both.
const WAIST: f64 = 0.145;
const HEM: f64 = 0.28;
const APART: f64 = 0.02;
/// Height of the waist (m), from there to the innermost hem, and by how much each layer is shorter than the
/// one below it.
const TOP: f64 = 0.99;
const LENGTH: f64 = 0.5;
const SHORTER: f64 = 0.05;
/// Cotton, stiffened.
const FABRIC: Material = Material { bend: 2e-4, ..Material::COTTON };
/// Thickness `2r + SCR` (m) of each layer, if that is less than half the shortest edge.
const THICKNESS: f64 = 0.012;
/// Greatest distance (m) of a vertex to the face of another layer that it is kept from.
const REACH: f32 = 0.06;
/// Kicks last so long (s); then the legs stand.
const KICKS: f32 = 3.0;
const SECONDS: f32 = 4.5;
/// Kicks of each leg in a second; how far (rad) its thigh goes forward, which part of that backward, and how
/// far its shin goes.
const RATE: f32 = 2.0;
const THIGH: f32 = 0.6;
const BACKWARD: f32 = 0.4;
const SHIN: f32 = 0.8;
/// Greatest 99th percentile of the stretch along the threads in any frame.
const STRETCH_LIMIT: f64 = 0.05;
/// Greatest depth (m) of a vertex in a leg.
const PENETRATION: f64 = 1e-3;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "layered-skirt",
    about: "three layers in order on kicking legs, their contacts computed once",
    build,
};

fn build(size: Size) -> Result<Setup, SetupError> {
    let (around, along, substeps, passes) = match size {
        Size::Small => (24, 13, 2, 2),
        Size::Medium => (34, 17, 2, 3),
        Size::Large => (96, 50, 6, 4),
    };
    let mut setup = Setup::at_30_hz(parts::settings_of_skirts(substeps, passes, REACH), SECONDS);
    for place in 0..LAYERS {
        let (cloth, measured) = layer(place, around, along)?;
        setup.add(cloth, &measured);
    }
    setup.driver = Some(legs(AnimatedFigure::add_to_scene(&mut setup.scene, parts::BODY_FRICTION)?));
    setup.without_layer_order = Some(ContactSource::Detected);
    setup.expectations = Expectations {
        stretch_p99: Some(STRETCH_LIMIT).into(),
        penetration: Some(PENETRATION),
        ..Expectations::default()
    };
    setup.view = Direction { azimuth_deg: 60.0, elevation_deg: 5.0 };
    setup.focus = Some([Point3::new(-0.4, 0.0, -0.4), Point3::new(0.4, 1.1, 0.4)]);
    Ok(setup)
}

/// A layer by its place, 0 innermost, held at its waist; `along` are the rows of the innermost.
fn layer(place: u16, around: usize, along: usize) -> Result<(ClothDesc, MeasuredEdges), SetupError> {
    let outward = APART * f64::from(place);
    let length = LENGTH - SHORTER * f64::from(place);
    let along = 1 + ((along - 1) as f64 * length / LENGTH).round() as usize;
    let shape =
        SkirtShape { waist_radius: WAIST + outward, hem_radius: HEM + outward, length, around, along };
    let mesh = skirt(shape)?.translated(Vector3::y() * (TOP - 0.5 * length));
    let measured = MeasuredEdges::of_mesh(&mesh, &Topology::of_mesh(&mesh)?);
    let mut cloth = parts::layer(&mesh, FABRIC, place, around, THICKNESS)?;
    cloth.tethers = Some(Tethers { max_stretch: 0.0, anchors: 1, ..Tethers::default() });
    Ok((cloth, measured))
}

fn legs(figure: AnimatedFigure) -> Driver {
    Box::new(move |stage, _, time| figure.apply_pose(&figure_pose(time), stage))
}

/// The legs kick in turn, one forward while the other goes back.
fn figure_pose(time: f32) -> FigurePose {
    let strength = parts::ease(0.0, 0.3, time) * (1.0 - parts::ease(KICKS - 0.3, KICKS, time));
    let phase = std::f32::consts::TAU * RATE * time;
    let phases = [phase, phase + std::f32::consts::PI];
    let swing = |phase: f32| {
        let swing = libm::sinf(phase);
        strength * THIGH * if swing > 0.0 { swing } else { BACKWARD * swing }
    };
    let bend = |phase: f32| strength * SHIN * 0.5 * (1.0 - libm::cosf(phase));
    FigurePose { hips: phases.map(swing), knees: phases.map(bend), ..FigurePose::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legs_stand_before_and_after_and_kick_in_turn() {
        assert_eq!(figure_pose(0.0).hips, [0.0; 2]);
        assert_eq!(figure_pose(KICKS), FigurePose::default());
        let (quarter, later) = (figure_pose(0.25 / RATE + 1.0 / RATE), figure_pose(0.75 / RATE + 1.0 / RATE));
        assert!((quarter.hips[0] - THIGH).abs() < 1e-5 && quarter.hips[1] < 0.0, "{quarter:?}");
        assert!((later.hips[1] - THIGH).abs() < 1e-5 && later.hips[0] < 0.0, "{later:?}");
        assert!(quarter.knees.iter().all(|&k| k >= 0.0), "knees bend backward alone");
    }
}
