//! Five sheets of finite elements swing by two corners each: the cloths of Zhang 2014, table 2.
//!
//! The paper hangs one sheet by two fixed points, with 9 x 9 to 17 x 17 vertices, in steps of 1 ms. Here the
//! five hang side by side. They start level, so that every face turns by a right angle and more while it
//! swings: that is what the strain measure is for. The deformation of a continuum hardly depends on its mesh,
//! so one limit holds for all five. The control takes the strain in the frame of the start, and must stretch
//! beyond that limit: to it, a sheet that turns is one that deforms.

use cloth_show::Direction;
use cloth_solver::fem::FemSettings;
use cloth_solver::{ElasticModel, Material, Settings};
use nalgebra::Vector3;

use super::parts;
use crate::Size;
use crate::scenario::{ControlKind, Expectations, Scenario, Setup, SetupError};

/// Cells along each side of the sheets at the small size, as in the paper; twice and four times as many at
/// the others.
const CELLS: [usize; 5] = [8, 10, 12, 14, 16];
/// Side of a sheet, distance between the middles of neighbours, and height at which they start (m).
const SIDE: f64 = 1.0;
const APART: f64 = 1.3;
const TOP: f64 = 1.2;
/// Thickness (m) of all sheets, so that they differ in their meshes alone; less than half an edge at every
/// size.
const THICKNESS: f64 = 0.006;
/// Substeps a frame, and duration of a frame (s): a substep is the step of the paper.
const SUBSTEPS: u32 = 16;
const DT: f32 = 0.016;
/// Duration (s): there and back.
const SECONDS: f32 = 2.0;
/// Of the jitter of the first sheet.
const SEED: u64 = 1;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "fem-hang",
    about: "finite elements: sheets of five resolutions swing by two corners",
    build,
};

fn build(size: Size) -> Result<Setup, SetupError> {
    let refinement = match size {
        Size::Small => 1,
        Size::Medium => 2,
        Size::Large => 4,
    };
    let model = ElasticModel::Fem(FemSettings::default());
    let settings = Settings { model, ..parts::settings(SUBSTEPS) };
    let frames = (SECONDS / DT).round() as usize;
    let mut setup = Setup { dt: DT, frames, ..Setup::new(settings, SECONDS) };
    for (i, cells) in (0_u32..).zip(CELLS) {
        let count = cells * refinement + 1;
        let (sheet, measured) = parts::square(count, SIDE)?;
        let x = APART * (f64::from(i) - 0.5 * (CELLS.len() - 1) as f64);
        let rest = sheet.mesh.clone().translated(Vector3::new(x, TOP, 0.0));
        let mut cloth = parts::cloth(&rest, Material::COTTON, SEED + u64::from(i))?;
        cloth.thickness = parts::split(THICKNESS);
        cloth.pins = [0, count - 1].iter().filter_map(|&i| sheet.vertex(i, count - 1)).collect();
        setup.add(cloth, &measured);
    }
    setup.control_kinds = Ok(ControlKind::UncorrectedStrain).into();
    setup.expectations = Expectations {
        stretch_p99: Some(limit(size)).into(),
        clean_from: Some(0),
        ..Expectations::default()
    };
    setup.view = Direction { azimuth_deg: 25.0, elevation_deg: 12.0 };
    Ok(setup)
}

/// The greatest 99th percentile of the stretch: a tenth more than the most that was measured of all models,
/// which is XPBD. At the small, medium and large size it has 0.57, 0.48 and 1.11 %, implicit finite elements
/// 0.32, 0.28 and 0.18 %, explicit ones 0.33, 0.29 and 0.19 %, mass-spring 0.33, 0.27 and 0.18 %; the control
/// 1,660 % at the small size.
fn limit(size: Size) -> f64 {
    match size {
        Size::Small => 0.0063,
        Size::Medium => 0.0053,
        Size::Large => 0.0122,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_small_sheets_are_those_of_table_2_and_lie_apart() {
        let setup = build(Size::Small).expect("a scene");
        let counts: Vec<usize> = setup.scene.cloths.iter().map(|c| c.mesh.positions.len()).collect();
        assert_eq!(counts, [9, 11, 13, 15, 17].map(|n| n * n));
        assert_eq!(setup.scene.cloths[4].mesh.faces.len(), 512);
        let ends = |i: usize| setup.scene.cloths[i].mesh.positions.iter().map(|p| p.x);
        assert!(ends(0).fold(f64::MIN, f64::max) + THICKNESS < ends(1).fold(f64::MAX, f64::min));
    }

    #[test]
    fn the_thickness_is_less_than_half_an_edge_at_every_size() {
        for size in Size::ALL {
            let setup = build(size).expect("a scene");
            let half = |rest: f64| 0.5 * rest > THICKNESS;
            assert!(setup.measured.threads.iter().all(|edge| half(edge.rest)), "{size}");
        }
    }
}
