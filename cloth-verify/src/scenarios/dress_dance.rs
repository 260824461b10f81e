//! A dress on a character that dances: two whole turns, one each way, in 0.8 s each, with kicks, on its bare
//! skin.
//!
//! The dress has a bodice that starts 11 mm off the skin, held at its upper edge by the nearest points of the
//! skin, a waist, and a skirt that flares in the turns and winds round the legs when they stop. The character
//! collides as its skin alone. No frame may have an intersection of the dress with itself or with the skin,
//! and nothing may be released. The control has no self-collision, with which the skin is no obstacle either.

use cloth_geom::Topology;
use cloth_scene::CharacterBody;
use cloth_show::Direction;
use cloth_show::human::{human, ring_dress};
use cloth_show::invariants::MeasuredEdges;
use cloth_solver::Material;
use nalgebra::Point3;

use super::{cape, parts};
use crate::scenario::{Expectations, Scenario, Setup, SetupError};
use crate::{Size, Wearer};

/// Greatest thickness `2r + SCR` (m).
const THICKNESS: f64 = 0.006;
/// Cross-fade from the bind pose to the first pose of the dance (s).
const PRE_ROLL: f64 = 0.5;
/// Substeps a frame: at the fastest, the skin at the hips moves 2.5 mm in one.
const SUBSTEPS: u32 = 16;
/// Greatest 99th percentile of the stretch along the threads in any frame: the waist, which fits closely,
/// yields to hips that roll.
const STRETCH_LIMIT: f64 = 0.14;
/// Of the jitter.
const SEED: u64 = 9;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "dress-dance",
    about: "a dress with a bodice and a skirt on the skin of a character that dances and turns",
    build,
};

fn build(size: Size) -> Result<Setup, SetupError> {
    // The small one dances until its first turn is over.
    let (around, along, seconds) = match size {
        Size::Small => (36, 20, 1.2),
        Size::Medium => (60, 34, 3.2),
        Size::Large => (120, 68, 3.2),
    };
    let human = human()?;
    let mut setup = Setup::new(parts::settings(SUBSTEPS), (PRE_ROLL + seconds) as f32);
    let mesh = ring_dress(around, along);
    let mut cloth = parts::cloth(&mesh, Material::COTTON, SEED)?;
    cloth.thickness = parts::split(f64::from(cloth.thickness.total()).min(THICKNESS));
    // The last ring is the upper edge.
    let first = (around * (along - 1)) as u32;
    cloth.pins = (first..first + around as u32).collect();
    let start = &cloth.mesh.positions;
    let held: Vec<(u32, Point3<f64>)> = cloth.pins.iter().map(|&v| (v, start[v as usize])).collect();
    let thickness = cloth.thickness;
    setup.add(cloth, &MeasuredEdges::of_mesh(&mesh, &Topology::of_mesh(&mesh)?));
    let motion = cape::chain(human, &[("dance", seconds)], PRE_ROLL)?.build(human.character.clone())?;
    let friction = parts::BODY_FRICTION;
    let mut wearer =
        Wearer::add_to_scene(&mut setup, human, motion, CharacterBody::Skin, friction, thickness)?;
    wearer.hold_by_skin(0, &held)?;
    setup.wearer = Some(wearer);
    setup.expectations = Expectations {
        stretch_p99: Some(STRETCH_LIMIT).into(),
        skin_depth: Some(0.0),
        clean_from: Some(0),
        ..Expectations::default()
    };
    setup.audit_every = parts::audit_every(size);
    setup.view = Direction { azimuth_deg: 25.0, elevation_deg: 8.0 };
    setup.focus = Some([Point3::new(-0.75, 0.0, -0.5), Point3::new(0.75, 1.8, 0.5)]);
    Ok(setup)
}
