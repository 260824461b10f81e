//! From the data of a scene to a simulation, and from frame to frame what moves in it.

use cloth_broadphase::BroadPhase;
use cloth_geom::TriMesh;
use cloth_geom::fixtures::{self, TubeShape};
use cloth_solver::{
    ClothDesc, ClothId, Collider, ColliderId, Interaction, Material, MeshBodyDesc, MeshBodyId,
    ParticleChoice, RestShape, Settings, Shape, Simulation, SimulationBuilder, StepError, Thickness, Wind,
};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::scene::{Body, Form, FuzzScene, FuzzSettings, Kind, Obstacle, Piece};
use crate::scenario::SetupError;
use crate::scenarios::parts::turn;

/// How much of the thickness is static collision radius.
const SCR_SHARE: f32 = 0.2;

impl FuzzScene {
    /// The simulation at its start, with the gate on.
    pub(super) fn build<B: BroadPhase>(&self) -> Result<Simulation<B>, SetupError> {
        let mut builder = SimulationBuilder::new(self.settings.for_solver());
        if !self.settings.contacts {
            // As balls, of which there are none: the solver finds nothing, and the gate has to.
            builder.interact_all(Interaction::Particles);
        }
        for piece in &self.cloths {
            let particles =
                if self.settings.contacts { ParticleChoice::All } else { ParticleChoice::Only(Vec::new()) };
            builder.add_cloth(ClothDesc { particles, ..piece.cloth()? });
        }
        for body in &self.bodies {
            let thickness = Thickness::split(body.thickness, SCR_SHARE);
            builder.add_mesh_body(MeshBodyDesc { mesh: body.mesh()?, thickness });
        }
        for obstacle in &self.colliders {
            builder.add_collider(Collider::new(obstacle.shape(), obstacle.pose(0, self.dt), 0.3)?);
        }
        let mut simulation = builder.build_with::<B>()?;
        for (k, piece) in self.cloths.iter().enumerate() {
            let cloth = ClothId(k);
            for vertex in 0..simulation.cloth_vertices(cloth).map_or(0, |range| range.len()) as u32 {
                // Nothing but a vertex that is not there could be refused.
                let _ = simulation.set_velocity(cloth, vertex, piece.velocity.into());
            }
        }
        Ok(simulation)
    }

    /// Moves everything to where it is to be after `frame` frames; `starts` are the positions at the start (m).
    pub(super) fn move_to<B>(
        &self,
        simulation: &mut Simulation<B>,
        starts: &[Point3<f32>],
        frame: usize,
    ) -> Result<(), StepError> {
        for (k, piece) in self.cloths.iter().enumerate() {
            let range = simulation.cloth_vertices(ClothId(k)).unwrap_or_default();
            for pin in &piece.pins {
                let vertex = pin.vertex as usize % range.len().max(1);
                let target = starts[range.start + vertex] + pin.way.after(frame, self.dt);
                simulation.move_pin(ClothId(k), vertex as u32, target)?;
            }
        }
        for (k, obstacle) in self.colliders.iter().enumerate() {
            simulation.move_collider(ColliderId(k), obstacle.pose(frame, self.dt))?;
        }
        let mut first = simulation.positions().len();
        for (k, body) in self.bodies.iter().enumerate().rev() {
            let Ok(mesh) = body.mesh() else { continue };
            first -= mesh.positions.len();
            let to = body.pose(frame, self.dt) * body.pose(0, self.dt).inverse();
            let positions: Vec<Point3<f32>> =
                starts[first..first + mesh.positions.len()].iter().map(|p| to * p).collect();
            simulation.move_mesh_body(MeshBodyId(k), &positions)?;
        }
        Ok(())
    }
}

impl FuzzSettings {
    fn for_solver(&self) -> Settings {
        Settings {
            substeps: self.substeps,
            iterations: self.iterations,
            detect_interval: self.detect_interval,
            self_friction: self.self_friction,
            gravity: Vector3::new(0.0, self.gravity, 0.0),
            wind: Wind::STILL_AIR,
            gate: true,
            recovery: self.recovery,
            ..Settings::default()
        }
    }
}

impl Piece {
    fn cloth(&self) -> Result<ClothDesc, SetupError> {
        let rest = self.form.rest()?;
        let (crumple, seed) = self.crumple;
        let shape = fixtures::jitter(&self.form.start(&rest), crumple.into(), seed)?;
        let pose = pose(self.at.into(), self.turned.into());
        let positions = shape.positions.iter().map(|p| (pose * p.cast::<f32>()).cast()).collect();
        let mesh = TriMesh::new(positions, rest.faces.clone());
        let material = Material::preset(&self.material).unwrap_or_default();
        let mut cloth = ClothDesc::new(mesh, material, Thickness::split(self.thickness, SCR_SHARE));
        let count = rest.positions.len() as u32;
        cloth.rest = RestShape::Positions(rest.positions);
        cloth.pins = self.pins.iter().map(|pin| pin.vertex % count).collect();
        cloth.pins.sort_unstable();
        cloth.pins.dedup();
        Ok(cloth)
    }
}

impl Form {
    /// The mesh without tension.
    fn rest(&self) -> Result<TriMesh, SetupError> {
        Ok(match *self {
            Self::Sheet { vertices: [nx, ny], spacing } | Self::Fold { vertices: [nx, ny], spacing, .. } => {
                let side = |n: usize| f64::from(spacing) * n.saturating_sub(1) as f64;
                fixtures::sheet(nx, ny, [side(nx), side(ny)])?.mesh
            }
            Self::Disc { rings, spacing } => fixtures::disc(f64::from(spacing) * rings as f64, rings)?,
            Self::Tube { vertices: [around, along], spacing } => fixtures::tube(TubeShape {
                radius: f64::from(spacing) * around as f64 / std::f64::consts::TAU,
                length: f64::from(spacing) * along.saturating_sub(1) as f64,
                around,
                along,
            })?,
        })
    }

    /// The mesh as it starts.
    fn start(&self, rest: &TriMesh) -> TriMesh {
        let Self::Fold { vertices, spacing, gap } = *self else { return rest.clone() };
        let half = 0.5 * f64::from(spacing) * vertices[0].saturating_sub(1) as f64;
        let [near, far] = gap.map(f64::from);
        let folded = |p: &Point3<f64>| match p.x > 0.0 {
            true => Point3::new(-p.x, near + (far - near) * (p.x / half), p.z),
            false => *p,
        };
        TriMesh::new(rest.positions.iter().map(folded).collect(), rest.faces.clone())
    }
}

impl Obstacle {
    fn shape(&self) -> Shape {
        match self.kind {
            Kind::Sphere => Shape::Sphere { radius: self.size },
            Kind::Capsule => Shape::Capsule { half_length: self.size, radius: 0.5 * self.size },
            Kind::Box => Shape::Cuboid { half_extents: Vector3::repeat(self.size) },
            Kind::Plane => Shape::Plane,
        }
    }

    fn pose(&self, frame: usize, dt: f32) -> Isometry3<f32> {
        pose(Vector3::from(self.at) + self.way.after(frame, dt), self.turned.into())
    }
}

impl Body {
    fn mesh(&self) -> Result<TriMesh, SetupError> {
        let radius = f64::from(self.radius);
        let mesh = if self.ball { fixtures::icosphere(1, radius)? } else { fixtures::disc(radius, 3)? };
        Ok(mesh.translated(Vector3::from(self.at).cast()))
    }

    fn pose(&self, frame: usize, dt: f32) -> Isometry3<f32> {
        let at = Vector3::from(self.at) + self.way.after(frame, dt);
        pose(at, Vector3::new(0.0, self.spin * dt * frame as f32, 0.0))
    }
}

fn pose(at: Vector3<f32>, turned: Vector3<f32>) -> Isometry3<f32> {
    let angle = turned.norm();
    let rotation = if angle > 0.0 { turn(&(turned / angle), angle) } else { UnitQuaternion::identity() };
    Isometry3::from_parts(Translation3::from(at), rotation)
}
