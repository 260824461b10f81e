//! The scenes: scenarios of cloth-verify at the sides that are compared, with what contenders and the judge
//! need of them.

use cloth_geom::Topology;
use cloth_solver::{Collider, RestShape, Shape};
use cloth_verify::scenario::Setup;
use cloth_verify::scenarios::{self, Resized};
use nalgebra::Point3;

use crate::contenders::{PinRecorder, PinTarget};

/// The names of the scenes, in the order of the page.
pub const SCENES: [&str; 5] = ["hang", "drape-sphere", "pile", "twist", "stack"];

/// Vertices along the longer side of a scene.
pub const SIDES: [usize; 3] = [32, 64, 128];

/// Rate (1/s) at which the motion of every contender decays: that of this project's settings, handed to the
/// peers.
pub const AIR_DAMPING: f32 = 0.1;

/// A scene at one side.
pub struct Scene {
    /// The scenario. Its settings hold gravity and friction; contenders replace the others.
    pub setup: Setup,
    /// Vertices of each cloth along its two axes; vertex (i, j) is `j * grid[0] + i`.
    pub grid: [usize; 2],
    /// The mesh of all cloths, one after the other.
    pub topology: Topology,
}

impl Scene {
    /// Builds a scene with some vertices along its longer side; see [`scenarios::with_side`].
    ///
    /// # Errors
    /// If the name is unknown, or the scenario cannot be built at this side.
    pub fn new(name: &str, side: usize) -> Result<Self, String> {
        let resized = scenarios::with_side(name, side)
            .ok_or_else(|| format!("there is no scene `{name}`; use one of {}", SCENES.join(", ")))?;
        let Resized { setup, grid } =
            resized.map_err(|e| format!("{name} with {side} vertices a side: {e}"))?;
        let topology = Topology::new(setup.scene.vertex_count(), &setup.scene.faces_by_cloth().concat())
            .map_err(|e| e.to_string())?;
        Ok(Self { setup, grid, topology })
    }

    /// Particles over all cloths.
    #[must_use]
    pub fn particles(&self) -> usize {
        self.setup.scene.vertex_count()
    }

    /// Start positions (m) of all cloths.
    #[must_use]
    pub fn start(&self) -> Vec<Point3<f64>> {
        self.setup.scene.cloths.iter().flat_map(|c| c.mesh.positions.iter().copied()).collect()
    }

    /// Rest positions (m) of a cloth: the start without its jitter.
    #[must_use]
    pub fn rest(&self, cloth: usize) -> &[Point3<f64>] {
        let cloth = &self.setup.scene.cloths[cloth];
        match &cloth.rest {
            RestShape::Positions(rest) => rest,
            RestShape::Start | RestShape::Pattern(_) => &cloth.mesh.positions,
        }
    }

    /// Mass (kg) of each vertex of a cloth, pinned ones included: a third of the rest area of its faces times
    /// the density.
    #[must_use]
    pub fn masses(&self, cloth: usize) -> Vec<f64> {
        let (rest, desc) = (self.rest(cloth), &self.setup.scene.cloths[cloth]);
        let (mut masses, materials) = (vec![0.0; rest.len()], desc.material_map());
        for (number, face) in (0..).zip(&desc.mesh.faces) {
            let [a, b, c] = face.map(|v| rest[v as usize]);
            let density = f64::from(materials.material(number).density);
            let share = (b - a).cross(&(c - a)).norm() / 6.0 * density;
            face.iter().for_each(|&v| masses[v as usize] += share);
        }
        masses
    }

    /// Height (m) of the lowest collider that is a plane; none without.
    #[must_use]
    pub fn floor(&self) -> Option<f64> {
        let height = |c: &Collider| {
            matches!(c.shape, Shape::Plane).then_some(f64::from(c.pose_t1.translation.vector.y))
        };
        self.colliders().iter().filter_map(height).reduce(f64::min)
    }

    /// Its colliders; none of its scenes has a rigid body.
    #[must_use]
    pub fn colliders(&self) -> Vec<Collider> {
        self.setup.scene.colliders.iter().map(|c| c.collider().clone()).collect()
    }

    /// Where the driver of the scene moves pins in the course of a frame, counted from 0.
    ///
    /// # Errors
    /// If the driver moves something that contenders cannot represent.
    pub fn pin_targets(&mut self, frame: usize) -> Result<Vec<PinTarget>, String> {
        let mut recorder = PinRecorder::default();
        self.setup.drive(&mut recorder, frame).map_err(|e| format!("the driver of the scene: {e}"))?;
        recorder.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_has_the_mass_of_its_area() {
        for name in SCENES {
            let scene = Scene::new(name, 32).expect("a scene");
            let mass: f64 = (0..scene.setup.scene.cloths.len()).flat_map(|c| scene.masses(c)).sum();
            let area = match name {
                "twist" => 0.4,
                "stack" => 5.0 * 0.25,
                _ => 1.0,
            };
            assert!((mass - 0.15 * area).abs() < 1e-6, "{name}: {mass} kg");
            assert_eq!(scene.particles(), scene.start().len());
        }
        let refused = |name, side| Scene::new(name, side).err().expect("refused");
        assert!(refused("knot", 32).contains("no scene `knot`; use one of hang, "));
        assert!(refused("pile", 0).starts_with("pile with 0 vertices a side: "));
    }

    #[test]
    fn the_ends_of_a_twisted_sheet_are_moved_in_every_frame() {
        let mut scene = Scene::new("twist", 32).expect("a scene");
        let targets = scene.pin_targets(0).expect("pins alone");
        assert_eq!(targets.len(), scene.setup.scene.cloths[0].pins.len());
        assert!(Scene::new("hang", 32).expect("a scene").pin_targets(0).expect("no driver").is_empty());
    }
}
