//! The built-in t-shirt settles on a person made of capsules.
//!
//! Daily use: it drops on the shoulders, the sleeves slide down the arms, and the armpits press cloth against
//! cloth. The control, without self-collision, lets the folds under the arms pass through each other. With
//! finite elements and, at the small size, mass-spring these folds do not meet, and there is no control.

use cloth_geom::Topology;
use cloth_geom::fixtures::{TshirtShape, tshirt};
use cloth_scene::CapsuleFigure;
use cloth_show::Direction;
use cloth_show::invariants::MeasuredEdges;
use cloth_solver::{Material, Settings};
use nalgebra::Isometry3;

use super::parts;
use crate::Size;
use crate::scenario::{Expectations, NoControl, Scenario, Setup, SetupError};

/// Duration (s).
const SECONDS: f32 = 3.0;
/// Substeps a frame.
const SUBSTEPS: u32 = 16;
/// Of the jitter.
const SEED: u64 = 1;
/// Measured for finite elements at the small and medium size, and for mass-spring at the small one.
const NO_FOLD_MEETS: NoControl =
    NoControl("its folds do not meet, so that it has no intersection without self-collision either");

pub(super) const SCENARIO: Scenario =
    Scenario { name: "garment", about: "a t-shirt settles on a body of capsules", build };

fn build(size: Size) -> Result<Setup, SetupError> {
    // Length that edges aim at (m): about 1,000, 4,000 and 16,000 vertices.
    let spacing = match size {
        Size::Small => 0.036,
        Size::Medium => 0.018,
        Size::Large => 0.009,
    };
    let settings = Settings { detect_interval: 8, ..parts::settings(SUBSTEPS) };
    let mut setup = Setup::new(settings, SECONDS);
    let shirt = tshirt(TshirtShape { spacing, ..TshirtShape::default() })?;
    let topology = Topology::of_mesh(&shirt)?;
    setup.add(parts::cloth(&shirt, Material::COTTON, SEED)?, &MeasuredEdges::of_mesh(&shirt, &topology));
    setup.scene.add_colliders([parts::floor()?]);
    setup
        .scene
        .add_colliders(CapsuleFigure::default().colliders(parts::BODY_FRICTION, &Isometry3::identity())?);
    let thickness = f64::from(parts::thickness(&shirt).total());
    setup.expectations = Expectations { penetration: Some(thickness), ..Expectations::default() };
    if size == Size::Small {
        setup.control_kinds.mass_spring = Err(NO_FOLD_MEETS);
    }
    if size != Size::Large {
        setup.control_kinds.fem = Err(NO_FOLD_MEETS);
    }
    setup.view = Direction { azimuth_deg: 25.0, elevation_deg: 8.0 };
    Ok(setup)
}
