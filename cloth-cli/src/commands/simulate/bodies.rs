//! The bodies of a scene: colliders and meshes, moved by their keyframes, and how they are drawn.

use cloth_contacts::collider::ColliderError;
use cloth_geom::{Aabb, TriMesh};
use cloth_io::{FileError, read_mesh};
use cloth_scene::{Keyframe, pose_at};
use cloth_solver::{
    Collider, ColliderId, FrictionPart, MeshBodyDesc, MeshBodyId, RigidBodyDesc, Shape, Simulation,
    SimulationBuilder, StepError, Thickness, Waypoints,
};
use cloth_verify::{CapsuleFigure, turn_from_y};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::animation::{AnimatedBody, BodyAnimation};
use super::body_collider::BodyCollider;
use super::character::AnimatedCharacter;
use super::garment::{repair_mesh, upright};
use super::source::Source;
use crate::failure::Failure;

/// Friction coefficient of a body where the scene gives none: dry cloth on skin or wood.
pub(super) const DEFAULT_FRICTION: f64 = 0.4;

/// What pins that follow the character name.
const CHARACTER: &str = "character";

/// Where a pose of the character goes.
pub(super) enum CharacterTarget<'a> {
    /// To the end of the step.
    Step(&'a mut Simulation),
    /// To this waypoint within it.
    Waypoint(&'a mut Waypoints, usize),
}

/// All bodies of a scene.
#[derive(Default)]
pub(super) struct Bodies {
    colliders: Vec<BodyCollider>,
    meshes: Vec<Mesh>,
    /// Its skin comes after the meshes, its proxies after the colliders.
    character: Option<AnimatedCharacter>,
    /// Friction coefficient of what has none of its own.
    friction: f32,
}

/// A mesh, and how it moves.
struct Mesh {
    /// What the scene calls it.
    name: Option<String>,
    /// At time 0 if it is animated, and otherwise before the keyframes move it.
    mesh: TriMesh,
    /// Its friction coefficient, if it has one of its own.
    friction: Option<f32>,
    motion: Vec<Keyframe>,
    animation: Option<BodyAnimation>,
    /// Where it is at the end of the present step (m).
    goal: Vec<Point3<f32>>,
}

impl Bodies {
    /// Reads the bodies of a scene, at time 0.
    pub(super) fn new(scene: &cloth_scene::Scene, source: &Source) -> Result<Self, Failure> {
        let friction = scene.friction.unwrap_or(DEFAULT_FRICTION) as f32;
        let mut bodies = Self { friction, ..Self::default() };
        if let Some(wanted) = &scene.character {
            bodies.character = Some(AnimatedCharacter::load(wanted, source)?);
        }
        for body in &scene.bodies {
            let friction = body.friction.or(scene.friction).unwrap_or(DEFAULT_FRICTION) as f32;
            if let cloth_scene::Shape::Mesh { path, scale, up } = &body.shape {
                let path = &source.resolve(path);
                let mut mesh = read_body(path, *scale, *up)?;
                let mut animation = None;
                if let Some(file) = &body.animation {
                    let animated = AnimatedBody { path, scale: *scale, up: *up, mesh: &mesh };
                    let mut opened = BodyAnimation::open(file, &animated, scene.duration, source)?;
                    mesh.positions = opened.positions(0.0)?;
                    animation = Some(opened);
                }
                let (name, motion) = (body.name.clone(), body.motion.clone());
                let friction = body.friction.map(|f| f as f32);
                let mut mesh = Mesh { name, mesh, friction, motion, animation, goal: Vec::new() };
                mesh.goal = mesh.positions(0.0);
                bodies.meshes.push(mesh);
                continue;
            }
            let colliders =
                colliders(&body.shape, friction).map_err(|e| source.fail("body", e.to_string()))?;
            for collider in colliders {
                let collider = BodyCollider::new(body, collider);
                bodies.colliders.push(collider.map_err(|e| source.fail("body", e.to_string()))?);
            }
        }
        Ok(bodies)
    }

    /// Adds them to a scene for the solver; mesh bodies get the thickness of the cloth.
    pub(super) fn add_to(&self, builder: &mut SimulationBuilder, thickness: Thickness) -> Result<(), String> {
        for collider in &self.colliders {
            collider.add_to(builder);
        }
        for body in &self.meshes {
            let positions = body.positions(0.0).iter().map(|p| p.cast()).collect();
            let mesh = TriMesh::new(positions, body.mesh.faces.clone());
            let id = builder.add_mesh_body(MeshBodyDesc { mesh, thickness });
            if let Some(friction) = body.friction {
                builder.set_friction(id, friction).map_err(|e| e.to_string())?;
            }
        }
        let Some(character) = &self.character else { return Ok(()) };
        if character.body.has_skin() {
            let mesh = TriMesh::new(
                character.positions().iter().map(|p| p.cast()).collect(),
                character.faces().to_vec(),
            );
            let id = builder.add_mesh_body(MeshBodyDesc { mesh, thickness });
            if let Some(friction) = character.friction {
                builder.set_friction(id, friction).map_err(|e| e.to_string())?;
            }
        }
        for collider in character.colliders(self.friction)? {
            builder.add_collider(collider);
        }
        Ok(())
    }

    /// The colliders or the mesh body of this name, as [`Bodies::add_to`] numbers them; empty if there are
    /// none.
    pub(super) fn named(&self, name: &str) -> Vec<FrictionPart> {
        let is_named = |other: &Option<String>| other.as_deref() == Some(name);
        let colliders = self.colliders.iter().enumerate().filter(|(_, collider)| is_named(&collider.name));
        let meshes = self.meshes.iter().enumerate().filter(|(_, body)| is_named(&body.name));
        let colliders = colliders.map(|(i, _)| FrictionPart::Collider(ColliderId(i)));
        colliders.chain(meshes.map(|(i, _)| FrictionPart::Body(MeshBodyId(i)))).collect()
    }

    /// The rigid bodies: their colliders as [`Bodies::add_to`] numbers them, names, and descriptions.
    pub(super) fn rigid_bodies(&self) -> impl Iterator<Item = (ColliderId, Option<&str>, RigidBodyDesc)> {
        let all = self.colliders.iter().enumerate();
        all.filter_map(|(i, c)| c.rigid_body().map(|body| (ColliderId(i), c.name.as_deref(), body)))
    }

    /// Sends what keyframes or an animation moves to where it is at `time` (s).
    ///
    /// # Errors
    /// If a frame of an animation cannot be read, or the solver refuses a position.
    pub(super) fn move_to(&mut self, simulation: &mut Simulation, time: f64) -> Result<(), String> {
        let refused = |e: StepError| e.to_string();
        for (i, collider) in self.colliders.iter().enumerate().filter(|(_, c)| c.is_keyframed()) {
            simulation.move_collider(ColliderId(i), collider.pose(time)).map_err(refused)?;
        }
        for (i, body) in self.meshes.iter_mut().enumerate().filter(|(_, b)| b.is_moving()) {
            body.move_to(time).map_err(|e| e.to_string())?;
            simulation.move_mesh_body(MeshBodyId(i), &body.goal).map_err(refused)?;
        }
        Ok(())
    }

    /// Moves the character to where it is at `time` (s), and passes the skin and the proxies on: to the
    /// targets of the step, or as a waypoint.
    pub(super) fn pose_character(&mut self, time: f64, to: &mut CharacterTarget<'_>) -> Result<(), String> {
        let Some(character) = &mut self.character else { return Ok(()) };
        character.pose(time);
        let refused = |e: StepError| e.to_string();
        if character.body.has_skin() {
            let (id, positions) = (MeshBodyId(self.meshes.len()), character.positions());
            match to {
                CharacterTarget::Step(sim) => sim.move_mesh_body(id, positions),
                CharacterTarget::Waypoint(waypoints, k) => waypoints.set_mesh_body(id, *k, positions),
            }
            .map_err(refused)?;
        }
        for (i, pose) in character.proxy_poses().enumerate() {
            let id = ColliderId(self.colliders.len() + i);
            match to {
                CharacterTarget::Step(sim) => sim.move_collider(id, pose),
                CharacterTarget::Waypoint(waypoints, k) => waypoints.set_collider(id, *k, pose),
            }
            .map_err(refused)?;
        }
        Ok(())
    }

    /// The character of the scene.
    pub(super) fn character(&self) -> Option<&AnimatedCharacter> {
        self.character.as_ref()
    }

    /// The box (m) of all bodies that have an end, at time 0; none if there is none.
    pub(super) fn bounds(&self) -> Option<Aabb> {
        let corners = self.colliders.iter().filter_map(|body| {
            let [low, high] = body.collider.shape.bounds()?;
            let corner = move |i: usize| {
                Point3::from(std::array::from_fn(|k| if i >> k & 1 == 0 { low[k] } else { high[k] }))
            };
            let pose = body.collider.pose_t0;
            Some((0..8).map(move |i| (pose * corner(i)).map(f64::from)))
        });
        let skin = self.character.iter().flat_map(|c| c.positions().iter().copied());
        let points =
            self.meshes.iter().flat_map(|body| body.positions(0.0)).chain(skin).map(|p| p.map(f64::from));
        let bounds = Aabb::of_points(corners.flatten().chain(points));
        (bounds.min.x <= bounds.max.x).then_some(bounds)
    }

    /// The mesh bodies: name, positions (m) at the end of the present step, and faces.
    pub(super) fn meshes(&self) -> impl Iterator<Item = (Option<&str>, &[Point3<f32>], &[[u32; 3]])> {
        let skin = self.character.iter().map(|c| (Some(CHARACTER), c.positions(), c.faces()));
        self.meshes
            .iter()
            .map(|body| (body.name.as_deref(), &body.goal[..], &body.mesh.faces[..]))
            .chain(skin)
    }

    /// What was decided about them, a sentence each.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        let character = self.character.iter().flat_map(|c| c.notes.clone());
        let meshes = self.meshes.iter().filter_map(|body| body.animation.as_ref());
        meshes.flat_map(|a| a.notes.clone()).chain(character)
    }

    /// Whether any body is a mesh.
    pub(super) fn has_meshes(&self) -> bool {
        !self.meshes.is_empty() || self.character.as_ref().is_some_and(|c| c.body.has_skin())
    }
}

impl Mesh {
    fn is_moving(&self) -> bool {
        !self.motion.is_empty() || self.animation.is_some()
    }

    fn move_to(&mut self, time: f64) -> Result<(), FileError> {
        match &mut self.animation {
            Some(animation) => {
                self.goal.clear();
                self.goal.extend(animation.positions(time)?.iter().map(|p| p.map(|c| c as f32)));
            }
            None => self.goal = self.positions(time),
        }
        Ok(())
    }

    /// Where the keyframes have it.
    fn positions(&self, time: f64) -> Vec<Point3<f32>> {
        let pose = pose_at(&self.motion, time);
        let moved = |p: &Point3<f64>| pose.rotation * p + pose.translation;
        self.mesh.positions.iter().map(|p| moved(p).map(|c| c as f32)).collect()
    }
}

/// A body's mesh in metres, y up, without what is no surface.
pub(super) fn read_body(path: &std::path::Path, scale: f64, up: cloth_scene::Up) -> Result<TriMesh, Failure> {
    let mesh = read_mesh(path)?.mesh.mapped(|p| upright(up, &p) * scale);
    let repaired =
        repair_mesh(&mesh, 0.0).map_err(|text| Failure::new(format!("{}: {text}", path.display())))?;
    Ok(repaired.mesh)
}

/// The colliders of a shape where it says that it is.
pub(super) fn colliders(shape: &cloth_scene::Shape, friction: f32) -> Result<Vec<Collider>, ColliderError> {
    let one = |shape, pose: Isometry3<f64>| Ok(vec![Collider::new(shape, pose.cast(), friction)?]);
    match shape {
        cloth_scene::Shape::Plane { point, normal } => {
            one(Shape::Plane, at(Point3::from(*point), turn_from_y(&Vector3::from(*normal))))
        }
        cloth_scene::Shape::Sphere { center, radius } => one(
            Shape::Sphere { radius: *radius as f32 },
            at(Point3::from(*center), UnitQuaternion::identity()),
        ),
        cloth_scene::Shape::Capsule { start, end, radius } => {
            let (start, end) = (Point3::from(*start), Point3::from(*end));
            let axis = end - start;
            let shape = Shape::Capsule { half_length: (0.5 * axis.norm()) as f32, radius: *radius as f32 };
            one(shape, at(nalgebra::center(&start, &end), turn_from_y(&axis)))
        }
        cloth_scene::Shape::Box { center, half_extents } => {
            let half_extents = Vector3::from(*half_extents).cast();
            one(Shape::Cuboid { half_extents }, at(Point3::from(*center), UnitQuaternion::identity()))
        }
        cloth_scene::Shape::Figure { arms } => {
            let arms = arms.map_or(CapsuleFigure::MANNEQUIN_ARMS_DEG, |angle| angle as f32);
            CapsuleFigure::mannequin(arms).colliders(friction, &Isometry3::identity())
        }
        // Read from its file, see `read_body`: no collider.
        cloth_scene::Shape::Mesh { .. } => Ok(Vec::new()),
    }
}

fn at(point: Point3<f64>, turn: UnitQuaternion<f64>) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::from(point), turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(shape: &cloth_scene::Shape, p: [f32; 3]) -> f32 {
        let collider = &colliders(shape, 0.1).unwrap()[0];
        collider.shape.nearest(&collider.pose_t0.inverse_transform_point(&Point3::from(p))).distance
    }

    #[test]
    fn every_shape_stands_where_its_keys_say() {
        let plane = cloth_scene::Shape::Plane { point: [0.0, 2.0, 0.0], normal: [0.0, -3.0, 0.0] };
        let tilted = cloth_scene::Shape::Plane { point: [1.0, 0.0, 0.0], normal: [1.0, 0.0, 0.0] };
        let ball = cloth_scene::Shape::Sphere { center: [1.0, 2.0, 3.0], radius: 0.5 };
        let capsule = cloth_scene::Shape::Capsule { start: [0.0; 3], end: [3.0, 0.0, 0.0], radius: 0.5 };
        let cuboid = cloth_scene::Shape::Box { center: [0.0, 1.0, 0.0], half_extents: [1.0, 2.0, 3.0] };
        let cases = [
            (&plane, [5.0, 1.5, 0.0], 0.5),
            (&tilted, [3.0, 7.0, 0.0], 2.0),
            (&ball, [1.0, 2.0, 4.0], 0.5),
            (&capsule, [2.0, 0.0, 1.5], 1.0),
            (&capsule, [4.0, 0.0, 0.0], 0.5),
            (&cuboid, [0.0, 1.0, 5.0], 2.0),
        ];
        for (shape, p, expected) in cases {
            // A few roundings of metres.
            assert!((distance(shape, p) - expected).abs() < 2e-6, "{shape:?} {p:?} {}", distance(shape, p));
        }
        let figure = |arms| colliders(&cloth_scene::Shape::Figure { arms }, 0.1).unwrap();
        assert!(figure(None).len() > 10);
        assert_eq!(figure(None), figure(Some(45.0)));
        assert_ne!(figure(None), figure(Some(90.0)));
    }

    #[test]
    fn a_keyframe_moves_a_body_from_where_it_stands() {
        let text = "[[garment]]\nmesh = \"a\"\n[[body]]\nkind = \"sphere\"\ncenter = [1, 0, 0]\nradius = 1\n\
            motion = [{ time = 0 }, { time = 2, translate = [0, 1, 0], rotate = { axis = [0, 1, 0], degrees = 90 } }]";
        let scene = cloth_scene::Scene::parse(std::path::Path::new("s"), text).unwrap();
        let bodies = Bodies::new(&scene, &Source::Scene("s".into())).unwrap();
        let place = |time| bodies.colliders[0].pose(time).translation.vector;
        assert_eq!(place(0.0), Vector3::new(1.0, 0.0, 0.0));
        assert!((place(2.0) - Vector3::new(0.0, 1.0, -1.0)).norm() < 1e-6, "{}", place(2.0));
    }
}
