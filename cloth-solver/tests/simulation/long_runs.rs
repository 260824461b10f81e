//! What stays certified after tens of thousands of steps: bounds that add up may swallow nothing.

use crate::ids::cloth_id;
use crate::scenes::bare;
use cloth_geom::fixtures;
use cloth_solver::{ClothDesc, Material, Settings, Simulation, SimulationBuilder, Thickness};
use nalgebra::{Point3, Vector3};

/// How the upper of two sheets moves.
#[derive(Clone, Copy, Debug)]
struct LongMotion {
    /// Steps for which it trembles, by this much to and fro (m).
    trembles: usize,
    by: f32,
    /// How far it comes down in each step after that (m).
    approach: f32,
    /// How far apart they are at the start (m).
    gap: f32,
    /// Whether the vertices of both are pinned and moved; else they are thrown.
    pinned: bool,
    /// Where the sheets are (m), and their size in metres.
    origin: f32,
    scale: f32,
}

/// Trembles for 3 m in all, then comes down by less than half a unit in the last place of that in `f32`.
const LONGEST: LongMotion = LongMotion {
    trembles: 30_000,
    by: 1.0e-4,
    approach: 1.1e-7,
    gap: 5.0e-4,
    pinned: true,
    origin: 0.0,
    scale: 1.0,
};

/// Two sheets of 3 x 3 vertices, a tenth of a millimetre thick.
fn two_sheets(motion: &LongMotion) -> Simulation {
    let settings =
        Settings { gate: true, substeps: 1, gravity: Vector3::zeros(), air_damping: 0.0, ..bare() };
    let mut builder = SimulationBuilder::new(settings);
    let (scale, origin) = (f64::from(motion.scale), Vector3::repeat(f64::from(motion.origin)));
    for (height, turn) in [(0.0, 0.0), (f64::from(motion.gap), 0.3)] {
        let flat = fixtures::sheet(3, 3, [0.02, 0.02]).unwrap().mesh;
        let (sin, cos) = f64::sin_cos(turn);
        let mesh = flat.mapped(|p| {
            let turned = Point3::new(cos * p.x - sin * p.z, height, sin * p.x + cos * p.z);
            Point3::from(turned.coords * scale) + origin
        });
        let mut cloth =
            ClothDesc::new(mesh, Material::COTTON, Thickness::from_total(1.0e-4 * motion.scale, 0.2));
        if motion.pinned {
            cloth.pins = (0..9).collect();
        }
        builder.add_cloth(cloth);
    }
    builder.build().unwrap()
}

/// The least height (m, in units of the scale) of the upper sheet over the lower one in all of the run.
fn least_height(motion: &LongMotion) -> f32 {
    const DT: f32 = 1.0 / 64.0;
    let mut sim = two_sheets(motion);
    let start: Vec<Point3<f32>> = sim.positions().to_vec();
    let approaches = (1.5 * motion.gap / motion.approach) as usize;
    let (mut height, mut least) = (0.0_f32, f32::INFINITY);
    for step in 0..motion.trembles + approaches {
        let before = height;
        height = if step < motion.trembles {
            motion.by * (step % 2) as f32
        } else {
            motion.approach * (motion.trembles as f32 - step as f32)
        };
        for v in 0..9 {
            let down = Vector3::new(0.0, motion.scale, 0.0);
            if motion.pinned {
                sim.move_pin(cloth_id(1), v, start[9 + v as usize] + down * height).unwrap();
            } else {
                sim.set_velocity(cloth_id(1), v, down * ((height - before) / DT)).unwrap();
                sim.set_velocity(cloth_id(0), v, Vector3::zeros()).unwrap();
            }
        }
        sim.step(DT).unwrap();
        let upper = sim.positions()[9..].iter().fold(f32::INFINITY, |least, p| least.min(p.y));
        let lower = sim.positions()[..9].iter().fold(f32::NEG_INFINITY, |most, p| most.max(p.y));
        least = least.min((upper - lower) / motion.scale);
    }
    least
}

#[test]
fn a_sheet_trembling_for_30_000_steps_does_not_creep_through_another() {
    let least = least_height(&LONGEST);
    assert!(least > 0.0, "{least}");
}

#[test]
fn neither_does_one_after_fewer_steps_that_creeps_more_slowly() {
    let motion = LongMotion { trembles: 12_000, approach: 4.0e-8, gap: 2.0e-4, ..LONGEST };
    let least = least_height(&motion);
    assert!(least > 0.0, "{least}");
}

#[test]
fn neither_does_one_that_is_thrown() {
    let motion = LongMotion { pinned: false, ..LONGEST };
    let least = least_height(&motion);
    assert!(least > 0.0, "{least}");
}

#[test]
fn neither_does_one_in_a_world_of_millimetres_or_kilometres() {
    for scale in [1.0e-2, 1.0e4] {
        let motion = LongMotion { scale, trembles: 3_000, approach: 1.0e-7, gap: 2.0e-4, ..LONGEST };
        let least = least_height(&motion);
        assert!(least > 0.0, "{motion:?}: {least}");
    }
}
