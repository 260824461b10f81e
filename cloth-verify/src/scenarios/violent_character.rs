//! A skirt and a cape on a character that spins, leaps and stands: intersections that
//! the motion causes are resolved within a second.
//!
//! From Lewin 2018, figure 1. A character of a game moves as no person can: it turns 720 deg/s, and leaps 4 m
//! to the side and back at up to 10 m/s with legs that kick. It wears two layers of a skirt and a cape over
//! them, in order, with contacts that are computed once, in frames of a thirtieth of a second. The cloth
//! feels a tenth of all that, as games have it; all of it would be ten times its weight. Without the order,
//! the same contacts take sides as each substep finds them, and what has crossed stays so.

use cloth_geom::fixtures::{FixtureError, SkirtShape, sheet, skirt};
use cloth_geom::{Topology, TriMesh};
use cloth_show::Direction;
use cloth_show::invariants::MeasuredEdges;
use cloth_solver::{ClothDesc, LocalFrame, Material, Settings, Tethers};
use nalgebra::{Isometry3, Point3, Translation3, Vector3};

use super::parts::{self, ease};
use crate::scenario::{Driver, Expectations, Scenario, Setup, SetupError};
use crate::{AnimatedFigure, FigurePose, Size};

/// Radius of the inner skirt's waist and hem (m), and what the outer one adds to them.
const WAIST: [f64; 2] = [0.145, 0.016];
const HEM: [f64; 2] = [0.30, 0.03];
/// Height of the waist and length of the skirts (m).
const TOP: f64 = 0.99;
const LENGTH: f64 = 0.40;
/// Upper and lower edge of the cape, parts of circles around the middle: their radius and height (m).
const CAPE_TOP: [f64; 2] = [0.19, 1.42];
const CAPE_HEM: [f64; 2] = [0.36, 0.70];
/// How far the cape reaches to either side (rad).
const CAPE_SIDE: f64 = 1.0;
/// Cotton, stiffened as that of the layered skirt.
const FABRIC: Material = Material { bend: 2e-4, ..Material::COTTON };
/// Thickness `2r + SCR` (m) of each layer, if that is less than half the shortest edge.
const THICKNESS: f64 = 0.012;
/// Share of the character's motion that the cloth feels.
const INERTIA_SCALE: f32 = 0.1;
/// Greatest distance (m) of a vertex to the face of another layer that it is kept from.
const REACH: f32 = 0.10;
/// Speeds of turning (rad/s) and of leaping (m/s).
const SPIN: f32 = 2.0 * std::f32::consts::TAU;
const SPEED: f32 = 10.0;
/// When it begins to spin and to leap, how long a leap takes, when it stands after two of them, and the end
/// (s).
const SPINS: f32 = 0.4;
const LEAPS: f32 = 1.6;
const LEAP: f32 = 0.6;
const STANDS: f32 = LEAPS + 2.0 * LEAP;
const SECONDS: f32 = STANDS + 2.0;
/// How long it takes to start and to stop turning (s), on the ground and in the air.
const STARTS: [f32; 2] = [0.2, 0.1];
/// From then on (s) nothing may cross.
const CLEAN: f32 = STANDS + 1.0;
/// How high it leaps (m), how far its thighs go (rad), and which part of that backward.
const HEIGHT: f32 = 0.6;
const THIGH: f32 = 0.9;
const BACKWARD: f32 = 0.4;
/// Greatest 99th percentile of the stretch along the threads in any frame.
const STRETCH_LIMIT: f64 = 0.05;
/// Greatest depth (m) of a vertex in the body.
const PENETRATION: f64 = 1e-3;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "violent-character",
    about: "a skirt and a cape on a character that spins and leaps, then stands",
    build,
};

fn settings(substeps: u32) -> Settings {
    Settings { stretch_cycles: 8, air_damping: 2.0, ..parts::settings_of_layers(substeps, REACH) }
}

fn build(size: Size) -> Result<Setup, SetupError> {
    let (around, along, cape, substeps) = match size {
        Size::Small => (24, 10, [13, 20], 8),
        Size::Medium => (34, 15, [18, 28], 8),
        Size::Large => (96, 42, [50, 80], 16),
    };
    let mut setup = Setup::at_30_hz(settings(substeps), SECONDS);
    for layer in 0..2 {
        add(&mut setup, &skirt_mesh(layer, around, along)?, around)?;
    }
    add(&mut setup, &cape_mesh(cape)?, cape[0])?;
    let figure = AnimatedFigure::add_to_scene(&mut setup.scene, parts::BODY_FRICTION)?;
    setup.driver = Some(moves(figure, &setup.scene.cloths));
    setup.without_layer_order = Some(setup.scene.settings.contacts);
    setup.expectations = Expectations {
        stretch_p99: Some(STRETCH_LIMIT).into(),
        penetration: Some(PENETRATION),
        clean_from: Some((CLEAN / setup.dt).ceil() as usize),
        ..Expectations::default()
    };
    setup.view = Direction { azimuth_deg: 150.0, elevation_deg: 10.0 };
    setup.focus = Some([Point3::new(-0.55, 0.0, -0.55), Point3::new(0.55, 1.75, 0.55)]);
    setup.follows = Some(0);
    Ok(setup)
}

/// Adds the next layer, whose last row of `held` vertices the character holds.
fn add(setup: &mut Setup, mesh: &TriMesh, held: usize) -> Result<(), SetupError> {
    let layer = setup.scene.cloths.len() as u16;
    let mut cloth = parts::layer(mesh, FABRIC, layer, held, THICKNESS)?;
    cloth.tethers = Some(Tethers::default());
    cloth.local_frame = Some(LocalFrame { pose: Isometry3::identity(), inertia_scale: INERTIA_SCALE });
    setup.add(cloth, &MeasuredEdges::of_mesh(mesh, &Topology::of_mesh(mesh)?));
    Ok(())
}

fn skirt_mesh(layer: usize, around: usize, along: usize) -> Result<TriMesh, FixtureError> {
    let radius = |[inner, more]: [f64; 2]| inner + more * layer as f64;
    let (waist_radius, hem_radius) = (radius(WAIST), radius(HEM));
    let shape = SkirtShape { waist_radius, hem_radius, length: LENGTH, around, along };
    Ok(skirt(shape)?.translated(Vector3::y() * (TOP - 0.5 * LENGTH)))
}

/// Part of a cone behind the back, row 0 its hem, its faces backward.
fn cape_mesh([across, down]: [usize; 2]) -> Result<TriMesh, FixtureError> {
    let flat = sheet(across, down, [1.0, 1.0])?.mesh;
    Ok(flat.mapped(|p| {
        // The sheet's rows run along z, from -0.5 up.
        let t = p.z + 0.5;
        let [radius, height] = [0, 1].map(|k| CAPE_HEM[k] * (1.0 - t) + CAPE_TOP[k] * t);
        let angle = 2.0 * p.x * CAPE_SIDE;
        Point3::new(radius * libm::sin(angle), height, -radius * libm::cos(angle))
    }))
}

/// Moves the character, what is pinned to it, and what carries its cloth.
fn moves(figure: AnimatedFigure, cloths: &[ClothDesc]) -> Driver {
    let held = |(c, cloth): (usize, &ClothDesc)| {
        let at = cloth.mesh.positions_f32();
        cloth.pins.iter().map(|&v| (c, v, at[v as usize])).collect::<Vec<_>>()
    };
    let held: Vec<(usize, u32, Point3<f32>)> = cloths.iter().enumerate().flat_map(held).collect();
    let count = cloths.len();
    Box::new(move |stage, _, time| {
        let figure_pose = figure_pose(time);
        (0..count).try_for_each(|c| stage.move_local_frame(c, figure_pose.root))?;
        held.iter().try_for_each(|&(cloth, v, at)| stage.move_pin(cloth, v, figure_pose.root * at))?;
        figure.apply_pose(&figure_pose, stage)
    })
}

/// Where the character is at a time (s), and how it stands.
fn figure_pose(time: f32) -> FigurePose {
    let back = LEAPS + LEAP;
    let spin = |from: f32, to: f32, starts: f32| run(from, from + starts, time) - run(to - starts, to, time);
    let turned = SPIN * (spin(SPINS, LEAPS, STARTS[0]) + spin(back, STANDS, STARTS[1]));
    // The fastest moment of an ease is one and a half times its mean.
    let far = SPEED * LEAP / 1.5;
    let x = far * (ease(LEAPS, back, time) - ease(back, STANDS, time));
    let hops = [hop(LEAPS, time), hop(back, time)];
    let at = Translation3::new(x, HEIGHT * (hops[0] + hops[1]), 0.0);
    let hips = [hops[0] - BACKWARD * hops[1], hops[1] - BACKWARD * hops[0]];
    FigurePose {
        root: Isometry3::from_parts(at, parts::turn(&Vector3::y(), turned)),
        hips: hips.map(|part| THIGH * part),
        knees: hops,
    }
}

/// From 0 up to 1 and back in the course of a leap that begins at a time (s).
fn hop(from: f32, time: f32) -> f32 {
    let s = 2.0 * ((time - from) / LEAP).clamp(0.0, 1.0) - 1.0;
    let low = 1.0 - s * s;
    low * low
}

/// How long (s) something has run that takes up a speed of 1 between two times: the integral of an ease.
fn run(from: f32, to: f32, time: f32) -> f32 {
    let t = ((time - from) / (to - from)).clamp(0.0, 1.0);
    (to - from) * t * t * t * (1.0 - 0.5 * t) + (time - to).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The motion of the root between two times (s), as a speed (m/s) and a rate of turning (rad/s).
    fn speeds(time: f32) -> [f32; 2] {
        let h = 1e-2;
        let (a, b) = (figure_pose(time).root, figure_pose(time + h).root);
        [(b.translation.vector - a.translation.vector).norm() / h, a.rotation.angle_to(&b.rotation) / h]
    }

    #[test]
    fn it_turns_twice_a_second_and_leaps_at_ten_metres_a_second() {
        let most = |k: usize| (0..300).map(|i| speeds(i as f32 * 0.01)[k]).fold(0.0, f32::max);
        assert!((most(0) - SPEED).abs() < 0.5, "{}", most(0));
        assert!((most(1) - SPIN).abs() < 0.01 * SPIN, "{}", most(1));
    }

    #[test]
    fn it_stands_where_it_began() {
        assert_eq!(figure_pose(0.0), FigurePose::default());
        let end = figure_pose(SECONDS);
        assert!(end.root.translation.vector.norm() < 1e-5 && end.hips == [0.0; 2], "{end:?}");
        assert!(end.root.rotation.angle() < 1e-5, "after three turns: {end:?}");
        assert!(speeds(STANDS + 0.01).iter().all(|&s| s < 1e-2), "{:?}", speeds(STANDS + 0.01));
    }

    #[test]
    fn the_cape_hangs_behind_the_back_and_looks_backward() {
        let cape = cape_mesh([5, 7]).expect("a cape");
        let top = &cape.positions[30..];
        assert!(top.iter().all(|p| (p.y - CAPE_TOP[1]).abs() < 1e-12 && p.z < 0.0));
        for f in &cape.faces {
            let [a, b, c] = f.map(|v| cape.positions[v as usize]);
            let out = Vector3::new(a.x, 0.0, a.z);
            assert!((b - a).cross(&(c - a)).dot(&out) > 0.0);
        }
    }
}
