//! The bodies of a scene: colliders and meshes, moved by their keyframes, and how they are drawn.

use std::path::Path;

use cloth_contacts::collider::ColliderError;
use cloth_geom::{Aabb, TriMesh};
use cloth_io::{ArrayNames, FileError, read_mesh_arrays};
use cloth_solver::{Collider, MeshBodyDesc, Shape, Simulation, StepError, Thickness, Waypoints};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::MotionError;
use super::animation::{AnimatedBody, BodyAnimation};
use super::body_collider::BodyCollider;
use super::character::AnimatedCharacter;
use super::cuts::{self, CutFinder, CutRule, held_keyframes};
use super::garment::{repair_mesh, upright};
use crate::{CapsuleFigure, Keyframe, Scene, SceneDesc, ScenePart, SceneSource, Up, pose_at, turn_from_y};

/// Friction coefficient of a body where the scene gives none: dry cloth on skin or wood.
pub(crate) const DEFAULT_FRICTION: f64 = 0.4;

/// What pins that follow the character name.
const CHARACTER: &str = "character";

/// Where a pose of the character goes.
pub(crate) enum MotionTarget<'a> {
    /// To the end of the step.
    Step(&'a mut Simulation),
    /// To this waypoint within it.
    Waypoint(&'a Simulation, &'a mut Waypoints, usize),
}

impl MotionTarget<'_> {
    /// The simulation that is moved.
    pub(crate) fn simulation(&self) -> &Simulation {
        match self {
            Self::Step(simulation) => simulation,
            Self::Waypoint(simulation, ..) => simulation,
        }
    }
}

/// All bodies of a scene.
#[derive(Default)]
pub struct Bodies {
    colliders: Vec<BodyCollider>,
    meshes: Vec<Mesh>,
    /// Its skin comes after the meshes, its proxies after the colliders.
    character: Option<AnimatedCharacter>,
    /// Friction coefficient of what has none of its own.
    friction: f32,
    /// The cuts of keyframes, a sentence each.
    cut_notes: Vec<String>,
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
    pub(crate) fn new(scene: &Scene, source: &SceneSource) -> Result<Self, FileError> {
        let friction = scene.friction.unwrap_or(DEFAULT_FRICTION) as f32;
        let mut bodies = Self { friction, ..Self::default() };
        let rule = CutRule::new(scene.settings.teleport);
        if let Some(wanted) = &scene.character {
            let mut character = AnimatedCharacter::load(wanted, source)?;
            character.end_clips(wanted, [scene.duration, scene.dt], source)?;
            character.hold_cuts(rule, scene.dt, scene.duration, source);
            bodies.character = Some(character);
        }
        for body in &scene.bodies {
            let friction = body.friction.or(scene.friction).unwrap_or(DEFAULT_FRICTION) as f32;
            if let crate::Shape::Mesh { path, arrays, scale, up } = &body.shape {
                let (path, arrays) = (&source.resolve(path), &arrays.clone().unwrap_or_default());
                let mut mesh = read_body(path, arrays, *scale, *up)?;
                let mut animation = None;
                if let Some(file) = &body.animation {
                    let animated = AnimatedBody { path, arrays, scale: *scale, up: *up, mesh: &mesh };
                    let mut opened = BodyAnimation::open(
                        file,
                        &animated,
                        scene.duration,
                        scene.settings.teleport,
                        source,
                    )?;
                    mesh.positions = opened.positions(0.0)?;
                    animation = Some(opened);
                }
                let motion = bodies.hold_cuts(body, &mesh.positions, rule, source);
                let name = body.name.clone();
                let friction = body.friction.map(|f| f as f32);
                let mut mesh = Mesh { name, mesh, friction, motion, animation, goal: Vec::new() };
                mesh.goal = mesh.positions(0.0);
                bodies.meshes.push(mesh);
                continue;
            }
            let colliders =
                colliders(&body.shape, friction).map_err(|e| source.fail("body", e.to_string()))?;
            let points: Vec<Point3<f64>> = colliders.iter().flat_map(points_of).collect();
            let motion = bodies.hold_cuts(body, &points, rule, source);
            for collider in colliders {
                let collider = BodyCollider::new(body, &motion, collider);
                bodies.colliders.push(collider.map_err(|e| source.fail("body", e.to_string()))?);
            }
        }
        Ok(bodies)
    }

    /// The keyframes of a body at these points (m), with their cuts held if cloth is teleported, and named in
    /// any case. A rigid body is where they have it at the start alone.
    fn hold_cuts(
        &mut self,
        body: &crate::Body,
        points: &[Point3<f64>],
        rule: CutRule,
        source: &SceneSource,
    ) -> Vec<Keyframe> {
        if body.motion.len() < 2 || body.dynamics.is_some() {
            return body.motion.clone();
        }
        let mut finder = CutFinder::new(rule);
        for keyframe in &body.motion {
            let pose = pose_at(&body.motion, keyframe.time);
            let moved: Vec<_> = points.iter().map(|p| pose.rotation * p + pose.translation).collect();
            finder.show(keyframe.time, &moved);
        }
        let found = finder.finish();
        let name = body.name.as_ref().map_or_else(|| "a body".to_owned(), |name| format!("the body {name}"));
        self.cut_notes.extend(cuts::in_words(&name, &found, |_| None, &rule, source));
        if rule.is_on { held_keyframes(&body.motion, &found) } else { body.motion.clone() }
    }

    /// Adds them to what a simulation is built of; mesh bodies get the thickness of the cloth.
    pub(crate) fn add_to(&self, desc: &mut SceneDesc, thickness: Thickness) -> Result<(), ColliderError> {
        desc.add_colliders(self.colliders.iter().map(BodyCollider::desc));
        let mut add_mesh = |positions: &[Point3<f32>], faces: &[[u32; 3]], friction: Option<f32>| {
            let id = desc.mesh_bodies.len();
            let mesh = TriMesh::new(positions.iter().map(|p| p.cast()).collect(), faces.to_vec());
            desc.mesh_bodies.push(MeshBodyDesc { mesh, thickness });
            desc.friction.extend(friction.map(|friction| (ScenePart::Body(id), friction)));
        };
        for body in &self.meshes {
            add_mesh(&body.positions(0.0), &body.mesh.faces, body.friction);
        }
        let Some(character) = &self.character else { return Ok(()) };
        if character.body.has_skin() {
            add_mesh(character.positions(), character.faces(), character.friction);
        }
        desc.add_colliders(character.colliders(self.friction)?);
        Ok(())
    }

    /// The colliders or the mesh body of this name, as [`Bodies::add_to`] numbers them; empty if there are
    /// none.
    pub(crate) fn named(&self, name: &str) -> Vec<ScenePart> {
        let is_named = |other: &Option<String>| other.as_deref() == Some(name);
        let colliders = self.colliders.iter().enumerate().filter(|(_, collider)| is_named(&collider.name));
        let meshes = self.meshes.iter().enumerate().filter(|(_, body)| is_named(&body.name));
        let colliders = colliders.map(|(i, _)| ScenePart::Collider(i));
        colliders.chain(meshes.map(|(i, _)| ScenePart::Body(i))).collect()
    }

    /// What the scene calls the body of the collider of this number.
    #[must_use]
    pub fn name(&self, collider: usize) -> Option<&str> {
        self.colliders.get(collider)?.name.as_deref()
    }

    /// What the scene calls the mesh body of this number, the skin of the character last.
    #[must_use]
    pub fn mesh_name(&self, body: usize) -> Option<&str> {
        if body < self.meshes.len() { self.meshes[body].name.as_deref() } else { Some(CHARACTER) }
    }

    /// Sends what keyframes or an animation moves to where it is at `time` (s).
    pub(crate) fn move_to(&mut self, simulation: &mut Simulation, time: f64) -> Result<(), MotionError> {
        for (i, collider) in self.colliders.iter().enumerate().filter(|(_, c)| c.is_keyframed()) {
            simulation.move_collider(simulation.collider_id(i)?, collider.pose(time))?;
        }
        for (i, body) in self.meshes.iter_mut().enumerate().filter(|(_, b)| b.is_moving()) {
            body.move_to(time)?;
            simulation.move_mesh_body(simulation.mesh_body_id(i)?, &body.goal)?;
        }
        Ok(())
    }

    /// Moves the character to where it is at `time` (s), and passes the skin and the proxies on: to the
    /// targets of the step, or as a waypoint.
    pub(crate) fn pose_character(&mut self, time: f64, to: &mut MotionTarget<'_>) -> Result<(), StepError> {
        let Some(character) = &mut self.character else { return Ok(()) };
        character.pose(time);
        if character.body.has_skin() {
            let (number, positions) = (self.meshes.len(), character.positions());
            match to {
                MotionTarget::Step(sim) => sim.move_mesh_body(sim.mesh_body_id(number)?, positions),
                MotionTarget::Waypoint(sim, waypoints, k) => {
                    waypoints.set_mesh_body(sim.mesh_body_id(number)?, *k, positions)
                }
            }?;
        }
        for (i, pose) in character.proxy_poses().enumerate() {
            let number = self.colliders.len() + i;
            match to {
                MotionTarget::Step(sim) => sim.move_collider(sim.collider_id(number)?, pose),
                MotionTarget::Waypoint(sim, waypoints, k) => {
                    waypoints.set_collider(sim.collider_id(number)?, *k, pose)
                }
            }?;
        }
        Ok(())
    }

    /// The character of the scene.
    #[must_use]
    pub fn character(&self) -> Option<&AnimatedCharacter> {
        self.character.as_ref()
    }

    /// The mesh bodies at time 0, and the skin of the character last, as the simulation has them (m); if what
    /// their files say were changed before the keyframes move it: `change` gets the number of a body.
    pub(crate) fn surfaces(&self, change: impl Fn(usize, Point3<f64>) -> Point3<f64>) -> Vec<TriMesh> {
        let surface = |positions: Vec<Point3<f32>>, faces: &[[u32; 3]]| {
            TriMesh::new(positions.iter().map(|p| p.cast()).collect(), faces.to_vec())
        };
        let meshes = self.meshes.iter().enumerate();
        let meshes = meshes.map(|(k, body)| surface(body.posed(0.0, |p| change(k, p)), &body.mesh.faces));
        let skin = self.character.iter().map(|character| {
            let changed = character.positions().iter().map(|p| change(self.meshes.len(), p.cast()).cast());
            surface(changed.collect(), character.faces())
        });
        meshes.chain(skin).collect()
    }

    /// The colliders of bodies that have an end, at time 0.
    pub(crate) fn bounded_colliders(&self) -> impl Iterator<Item = &Collider> {
        self.colliders.iter().map(|body| &body.collider).filter(|body| body.shape.bounds().is_some())
    }

    /// The box (m) of these surfaces and of all other bodies that have an end, at time 0; none if there is
    /// none.
    pub(crate) fn bounds_with(&self, surfaces: &[TriMesh]) -> Option<Aabb> {
        let corners = self.bounded_colliders().filter_map(|body| {
            let [low, high] = body.shape.bounds()?;
            let corner = move |i: usize| {
                Point3::from(std::array::from_fn(|k| if i >> k & 1 == 0 { low[k] } else { high[k] }))
            };
            Some((0..8).map(move |i| (body.pose_t0 * corner(i)).map(f64::from)))
        });
        let boxes = surfaces.iter().map(TriMesh::face_bounds);
        let bounds = boxes.fold(Aabb::of_points(corners.flatten()), Aabb::union);
        (bounds.min.x <= bounds.max.x).then_some(bounds)
    }

    /// The mesh bodies: name, positions (m) at the end of the present step, and faces.
    pub(crate) fn meshes(&self) -> impl Iterator<Item = (Option<&str>, &[Point3<f32>], &[[u32; 3]])> {
        let skin = self.character.iter().map(|c| (Some(CHARACTER), c.positions(), c.faces()));
        self.meshes
            .iter()
            .map(|body| (body.name.as_deref(), &body.goal[..], &body.mesh.faces[..]))
            .chain(skin)
    }

    /// What was decided about them, a sentence each.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        let has_rigid = self.colliders.iter().any(|collider| collider.rigid_body().is_some());
        let known = [
            (self.has_meshes(), "a mesh body collides as cloth does"),
            (self.has_meshes() && has_rigid, "rigid bodies do not collide with mesh bodies"),
        ];
        let known = known.into_iter().filter(|note| note.0).map(|note| note.1.to_owned());
        let character = self.character.iter().flat_map(|c| c.notes.clone());
        let meshes = self.meshes.iter().filter_map(|body| body.animation.as_ref());
        let cuts = self.cut_notes.iter().cloned();
        known.chain(meshes.flat_map(|a| a.notes.clone())).chain(character).chain(cuts)
    }

    /// Whether any body is a mesh.
    fn has_meshes(&self) -> bool {
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
        self.posed(time, |p| p)
    }

    /// The same of a mesh that was changed before.
    fn posed(&self, time: f64, change: impl Fn(Point3<f64>) -> Point3<f64>) -> Vec<Point3<f32>> {
        let pose = pose_at(&self.motion, time);
        let moved = |p: &Point3<f64>| pose.rotation * change(*p) + pose.translation;
        self.mesh.positions.iter().map(|p| moved(p).map(|c| c as f32)).collect()
    }
}

/// A body's mesh in metres, y up, without what is no surface; `scale` metres to a unit of its file. `arrays`
/// are those of an NPZ file.
///
/// # Errors
/// If the file cannot be read, or holds no surface.
pub fn read_body(path: &Path, arrays: &ArrayNames, scale: f64, up: Up) -> Result<TriMesh, FileError> {
    let mesh = read_mesh_arrays(path, arrays)?.mesh.mapped(|p| upright(up, &p) * scale);
    let repaired = repair_mesh(&mesh, None).map_err(|text| FileError::new(path, text))?;
    Ok(repaired.mesh)
}

/// The colliders of a shape where it says that it is.
pub(crate) fn colliders(shape: &crate::Shape, friction: f32) -> Result<Vec<Collider>, ColliderError> {
    let one = |shape, pose: Isometry3<f64>| Ok(vec![Collider::new(shape, pose.cast(), friction)?]);
    match shape {
        crate::Shape::Plane { point, normal } => {
            one(Shape::Plane, at(Point3::from(*point), turn_from_y(&Vector3::from(*normal))))
        }
        crate::Shape::Sphere { center, radius } => one(
            Shape::Sphere { radius: *radius as f32 },
            at(Point3::from(*center), UnitQuaternion::identity()),
        ),
        crate::Shape::Capsule { start, end, radius } => {
            let (start, end) = (Point3::from(*start), Point3::from(*end));
            let axis = end - start;
            let shape = Shape::Capsule { half_length: (0.5 * axis.norm()) as f32, radius: *radius as f32 };
            one(shape, at(nalgebra::center(&start, &end), turn_from_y(&axis)))
        }
        crate::Shape::Box { center, half_extents } => {
            let half_extents = Vector3::from(*half_extents).cast();
            one(Shape::Cuboid { half_extents }, at(Point3::from(*center), UnitQuaternion::identity()))
        }
        crate::Shape::Figure { arms } => {
            let arms = arms.map_or(CapsuleFigure::MANNEQUIN_ARMS_DEG, |angle| angle as f32);
            CapsuleFigure::mannequin(arms).colliders(friction, &Isometry3::identity())
        }
        // Read from its file, see `read_body`: no collider.
        crate::Shape::Mesh { .. } => Ok(Vec::new()),
    }
}

/// Points that say where a collider is: its middle, and one along each of its axes (m).
fn points_of(collider: &Collider) -> [Point3<f64>; 4] {
    let pose = collider.pose_t0.cast::<f64>();
    [Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()].map(|p| pose * Point3::from(p))
}

fn at(point: Point3<f64>, turn: UnitQuaternion<f64>) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::from(point), turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(shape: &crate::Shape, p: [f32; 3]) -> f32 {
        let collider = &colliders(shape, 0.1).unwrap()[0];
        collider.shape.nearest(&collider.pose_t0.inverse_transform_point(&Point3::from(p))).distance
    }

    #[test]
    fn every_shape_stands_where_its_keys_say() {
        let plane = crate::Shape::Plane { point: [0.0, 2.0, 0.0], normal: [0.0, -3.0, 0.0] };
        let tilted = crate::Shape::Plane { point: [1.0, 0.0, 0.0], normal: [1.0, 0.0, 0.0] };
        let ball = crate::Shape::Sphere { center: [1.0, 2.0, 3.0], radius: 0.5 };
        let capsule = crate::Shape::Capsule { start: [0.0; 3], end: [3.0, 0.0, 0.0], radius: 0.5 };
        let cuboid = crate::Shape::Box { center: [0.0, 1.0, 0.0], half_extents: [1.0, 2.0, 3.0] };
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
        let figure = |arms| colliders(&crate::Shape::Figure { arms }, 0.1).unwrap();
        assert!(figure(None).len() > 10);
        assert_eq!(figure(None), figure(Some(45.0)));
        assert_ne!(figure(None), figure(Some(90.0)));
    }

    #[test]
    fn a_keyframe_moves_a_body_from_where_it_stands() {
        let text = "[[garment]]\nmesh = \"a\"\n[[body]]\nkind = \"sphere\"\ncenter = [1, 0, 0]\nradius = 1\n\
            motion = [{ time = 0 }, { time = 2, translate = [0, 1, 0], \
            rotate = { axis = [0, 1, 0], degrees = 90 } }]";
        let scene = Scene::parse(Path::new("s"), text).unwrap();
        let bodies = Bodies::new(&scene, &SceneSource::File("s".into())).unwrap();
        let place = |time| bodies.colliders[0].pose(time).translation.vector;
        assert_eq!(place(0.0), Vector3::new(1.0, 0.0, 0.0));
        assert!((place(2.0) - Vector3::new(0.0, 1.0, -1.0)).norm() < 1e-6, "{}", place(2.0));
    }

    #[test]
    fn keyframes_of_a_cut_are_held_unless_cloth_is_not_teleported() {
        let text = |setting: &str| {
            format!(
                "[settings]\n{setting}\n[[garment]]\nmesh = \"a\"\n[[body]]\nname = \"ball\"\n\
                 kind = \"sphere\"\n\
                 center = [0, 0, 0]\nradius = 1\n\
                 motion = [{{ time = 1 }}, {{ time = 1.05, translate = [0, 20, 0] }}]"
            )
        };
        let found = |setting| {
            let scene = Scene::parse(Path::new("s"), &text(setting)).unwrap();
            let bodies = Bodies::new(&scene, &SceneSource::File("s".into())).unwrap();
            let [between, after] =
                [1.025, 1.05].map(|time| bodies.colliders[0].pose(time).translation.vector.y);
            ([between, after], bodies.notes().next().unwrap())
        };
        let (places, note) = found("");
        assert_eq!(places, [0.0, 20.0]);
        let said = "the body ball moves 20.0 m from 1.000 s to 1.050 s (400 m/s): a cut? cloth that";
        assert!(note.starts_with(said), "{note}");
        let (places, note) = found("teleport = false");
        assert_eq!(places, [10.0, 20.0]);
        assert!(note.contains("a cut? teleport = true in [settings] teleports"), "{note}");
    }
}
