//! A sheet falls on a rock and slides off it.
//!
//! After Zhang et al. 2014, figure 9 (b): a solid of irregular shape, with ridges and hollows that are a few
//! edges of the cloth wide. It is a mesh body, so faces and edges collide, and the gate certifies all of it.
//! The control, without self-collision, does not collide with it either.

use cloth_geom::TriMesh;
use cloth_geom::fixtures::{FixtureError, icosphere};
use cloth_show::Direction;
use cloth_solver::{Material, MeshBodyDesc, Settings};
use nalgebra::{Point3, Vector3};

use super::parts;
use crate::Size;
use crate::scenario::{Expectations, Scenario, Setup, SetupError};

/// Side of the sheet (m).
const SIDE: f64 = 1.0;
/// Mean radius of the rock (m), and the height of its bumps as a share of it.
const RADIUS: f64 = 0.25;
const BUMPS: f64 = 0.35;
/// From the highest point of the rock to the sheet (m).
const FALL: f64 = 0.1;
/// Duration (s).
const SECONDS: f32 = 3.0;
/// Substeps a frame, up to 64 vertices a side.
const SUBSTEPS: u32 = 12;
/// Greatest 99th percentile of the stretch along the threads in any frame.
const STRETCH_LIMIT: f64 = 0.05;
/// Of the jitter.
const SEED: u64 = 1;

pub(super) const SCENARIO: Scenario =
    Scenario { name: "obstacle", about: "a sheet falls on a solid of irregular shape", build };

fn build(size: Size) -> Result<Setup, SetupError> {
    let (count, subdivisions) = match size {
        // 512 triangles, as in the paper.
        Size::Small => (17, 3),
        Size::Medium => (64, 4),
        Size::Large => (128, 5),
    };
    let settings = Settings { detect_interval: 4, ..parts::settings(parts::substeps(SUBSTEPS, count)) };
    let mut setup = Setup::new(settings, SECONDS);
    let (sheet, measured) = parts::square(count, SIDE)?;
    let thickness = parts::thickness(&sheet.mesh);
    let rock = rock(subdivisions)?;
    let top = rock.positions.iter().map(|p| p.y).fold(f64::MIN, f64::max);
    let rest = sheet.mesh.translated(Vector3::y() * (top + FALL + f64::from(thickness.total())));
    setup.add(parts::cloth(&rest, Material::COTTON, SEED)?, &measured);
    setup.scene.add_colliders([parts::floor()?]);
    setup.scene.mesh_bodies =
        vec![MeshBodyDesc { mesh: rock, thickness: parts::split(0.25 * f64::from(thickness.total())) }];
    setup.expectations = Expectations {
        stretch_p99: Some(STRETCH_LIMIT).into(),
        penetration: Some(f64::from(thickness.total())),
        clean_from: Some(0),
        ..Expectations::default()
    };
    setup.view = Direction { azimuth_deg: 30.0, elevation_deg: 25.0 };
    Ok(setup)
}

/// A ball with bumps that stands on the floor.
fn rock(subdivisions: u32) -> Result<TriMesh, FixtureError> {
    let ball = icosphere(subdivisions, 1.0)?;
    let bumpy = ball.mapped(|p| p * (RADIUS * (1.0 + BUMPS * bumps(&p))));
    let low = bumpy.positions.iter().map(|p| p.y).fold(f64::MAX, f64::min);
    Ok(bumpy.translated(Vector3::y() * -low))
}

/// Waves in three directions that are not at right angles, between -1 and 1.
fn bumps(p: &Point3<f64>) -> f64 {
    let wave = |x: f64, y: f64, z: f64, phase: f64| libm::sin(x * p.x + y * p.y + z * p.z + phase);
    (wave(4.0, 1.0, 2.0, 0.3) + wave(-2.0, 3.0, 5.0, 1.1) + wave(1.0, 6.0, -3.0, 2.0)) / 3.0
}

#[cfg(test)]
mod tests {
    use cloth_geom::Topology;

    use super::*;

    #[test]
    fn the_rock_is_irregular_and_stands_on_the_floor() {
        let rock = rock(4).expect("a rock");
        let low = rock.positions.iter().map(|p| p.y).fold(f64::MAX, f64::min);
        let radii = rock.positions.iter().map(|p| (p.coords - Vector3::y() * RADIUS).norm());
        let (least, most) = radii.fold((f64::MAX, f64::MIN), |(l, m), r| (l.min(r), m.max(r)));
        assert_eq!(low, 0.0);
        assert!(most > 1.5 * least, "{least} {most}");
        let topology = Topology::of_mesh(&rock).expect("a surface");
        let found = cloth_contacts::intersect::Checker::default().check(&rock.positions, &topology);
        assert_eq!(found.expect("finite").count(), 0);
    }
}
