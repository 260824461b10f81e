//! From the data of a scene to a simulation.

use cloth_geom::{TriMesh, fixtures};
use cloth_scene::{ColliderDesc, RegionInteraction, SceneDesc};
use cloth_show::choice::BroadPhaseChoice;
use cloth_solver::{
    Attachment, Backstop, BuildError, ClothAsset, ClothDesc, Collider, Drive, LocalFrame, MeshBodyDesc,
    ParticleChoice, RegionDesc, RestShape, RigidBodyDesc, Settings, Simulation, Stitch, Thickness,
    UNASSIGNED_REGION,
};
use nalgebra::{Isometry3, Point3, Vector3};

use super::scene::{
    FuzzBody, FuzzCarrier, FuzzCloth, FuzzCollider, FuzzDrive, FuzzInstance, FuzzScene, FuzzWorld, RegionRule,
};
use super::world::{Order, rotation, scaled};
use crate::scenario::SetupError;

/// How much of the thickness is static collision radius.
const SCR_SHARE: f32 = 0.2;

/// A scene with its meshes made.
pub(super) struct ScenePlan<'a> {
    pub(super) scene: &'a FuzzScene,
    /// In the order of the scene.
    pub(super) cloths: Vec<PlannedCloth>,
    pub(super) bodies: Vec<PlannedBody>,
    desc: SceneDesc,
}

pub(super) struct PlannedCloth {
    /// Its number in the scene.
    pub(super) number: usize,
    pub(super) order: Order,
    /// Where the vertices start (m), in the order of the simulation.
    pub(super) start: Vec<Point3<f32>>,
}

pub(super) struct PlannedBody {
    pub(super) order: Order,
    /// Without its place, in the order of the simulation (m, not scaled).
    shape: TriMesh,
}

impl<'a> ScenePlan<'a> {
    pub(super) fn new(scene: &'a FuzzScene) -> Result<Self, SetupError> {
        let mut cloths = Vec::with_capacity(scene.cloths.len());
        let mut descs = Vec::with_capacity(scene.cloths.len());
        let count = scene.cloths.len();
        for (k, piece) in scene.cloths.iter().enumerate() {
            let (desc, order) = cloth(piece, &scene.world)?;
            let number = if scene.world.reversed { count - 1 - k } else { k };
            let start = desc.mesh.positions_f32();
            cloths.push(PlannedCloth { number, order, start });
            descs.push(desc);
        }
        if scene.world.reversed {
            descs.reverse();
        }
        let bodies: Vec<PlannedBody> =
            scene.bodies.iter().map(|body| PlannedBody::new(body, scene)).collect::<Result<_, _>>()?;
        let desc = desc(scene, descs, &bodies)?;
        Ok(Self { scene, cloths, bodies, desc })
    }

    /// The description of a body.
    pub(super) fn body(&self, k: usize) -> &MeshBodyDesc {
        &self.desc.mesh_bodies[k]
    }

    /// The description of a collider.
    pub(super) fn collider(&self, k: usize) -> &ColliderDesc {
        &self.desc.colliders[k]
    }

    /// The simulation at its start.
    pub(super) fn build(&self, choice: BroadPhaseChoice, gate: bool) -> Result<Simulation, BuildError> {
        let mut builder = self.desc.builder(Settings { gate, ..self.desc.settings })?;
        builder.set_broad_phase(choice.broad_phase());
        for instance in &self.scene.instances {
            let planned = &self.cloths[instance.cloth as usize % self.cloths.len().max(1)];
            let asset = ClothAsset::new(self.desc.cloths[planned.number].clone())?;
            builder.add_instance(&asset, &instance.pose(planned, &self.scene.world));
        }
        let mut simulation = builder.build()?;
        for (piece, planned) in self.scene.cloths.iter().zip(&self.cloths) {
            let Ok(id) = simulation.cloth_id(planned.number) else { continue };
            let velocity = self.scene.world.vector(piece.velocity.into());
            for vertex in 0..planned.start.len() as u32 {
                // Nothing but a vertex that is not there could be refused.
                let _ = simulation.set_velocity(id, vertex, velocity);
            }
        }
        Ok(simulation)
    }
}

impl FuzzScene {
    /// Whether it can be built.
    pub(super) fn check_build(&self) -> Result<(), String> {
        let plan = ScenePlan::new(self).map_err(|e| e.to_string())?;
        plan.build(self.broad_phase, true).map(drop).map_err(|e| e.to_string())
    }
}

fn desc(scene: &FuzzScene, cloths: Vec<ClothDesc>, bodies: &[PlannedBody]) -> Result<SceneDesc, SetupError> {
    let mut desc = SceneDesc::new(scene.world.settings(&scene.settings));
    desc.default_interaction = scene.default_interaction;
    let has = |region: u8| {
        region == 0 || cloths.iter().any(|desc| desc.regions.iter().any(|r| r.name == region_name(region)))
    };
    let rules = scene.rules.iter().filter(|rule| rule.regions.iter().all(|&region| has(region)));
    let rule = |rule: &RegionRule| RegionInteraction {
        between: rule.regions.map(region_name),
        kind: rule.interaction,
    };
    desc.interactions = rules.map(rule).collect();
    desc.cloths = cloths;
    for (body, planned) in scene.bodies.iter().zip(bodies) {
        let thickness = Thickness::from_total(body.thickness * scene.world.scale, SCR_SHARE);
        let at = |p: &Point3<f64>| scene.world.start(&Point3::from(p.coords + Vector3::from(body.at).cast()));
        let positions = planned.shape.positions.iter().map(|p| at(p).cast()).collect();
        let mesh = TriMesh::new(positions, planned.shape.faces.clone());
        desc.mesh_bodies.push(MeshBodyDesc { mesh, thickness });
    }
    for collider in &scene.colliders {
        desc.add_colliders([collider.desc(scene)?]);
    }
    Ok(desc)
}

/// The name of a region.
pub(super) fn region_name(region: u8) -> String {
    if region == 0 { UNASSIGNED_REGION.into() } else { format!("r{region}") }
}

/// The description of a cloth, and the order in which its vertices and faces come.
fn cloth(piece: &FuzzCloth, world: &FuzzWorld) -> Result<(ClothDesc, Order), SetupError> {
    let rest = piece.mesh.rest()?;
    let (jitter, seed) = piece.jitter;
    let shape = fixtures::jitter(&piece.mesh.start(&rest), jitter.into(), seed)?;
    let (rotation, at) =
        (rotation(piece.rotation.into()).cast::<f64>(), Vector3::from(piece.at).cast::<f64>());
    let start = |p: &Point3<f64>| world.start(&(rotation * p + at)).cast();
    let mut mesh = TriMesh::new(shape.positions.iter().map(start).collect(), world.faces(&rest.faces));
    let order = Order::apply(world.permutation_seed, &mut mesh);
    let scale = f64::from(world.scale);
    let rest: Vec<_> = rest.positions.iter().map(|p| Point3::from(p.coords * scale)).collect();
    let thickness = Thickness::from_total(piece.thickness * world.scale, SCR_SHARE);
    let mut desc = ClothDesc::new(mesh, piece.material, thickness).allow_coincident_borders();
    desc.rest = RestShape::Positions(order.placed(&rest));
    desc.layer = piece.layer;
    desc.pins = piece.pins.iter().map(|pin| order.vertex(pin.vertex)).collect();
    desc.pins.sort_unstable();
    desc.pins.dedup();
    let positions = desc.mesh.positions_f32();
    desc.attachments = piece
        .attachments
        .iter()
        .map(|spring| (order.vertex(spring.vertex), spring))
        .map(|(vertex, spring)| Attachment {
            vertex,
            target: positions[vertex as usize],
            compliance: spring.compliance,
        })
        .collect();
    desc.stitches = piece
        .stitches
        .iter()
        .map(|stitch| Stitch {
            vertex: order.vertex(stitch.vertex),
            edge: stitch.edge.map(|v| order.vertex(v)),
            ..*stitch
        })
        .filter(|stitch| !stitch.edge.contains(&stitch.vertex))
        .collect();
    desc.exclusions =
        piece.exclusions.iter().map(|pair| pair.map(|v| order.vertex(v))).filter(|[a, b]| a != b).collect();
    desc.regions = regions(piece, &order);
    desc.particles = balls(piece.particle_interval, &order);
    desc.tethers = piece.tethers;
    desc.drive = piece.drive.as_ref().map(|driven| drive(driven, desc.mesh.positions.len(), world));
    desc.local_frame = piece.carrier.as_ref().map(|carried| LocalFrame {
        inertia_scale: carried.inertia_scale,
        pose: carried.pose(piece, 0, 0.0, world),
    });
    desc.damping = piece.damping;
    Ok((desc, order))
}

fn regions(piece: &FuzzCloth, order: &Order) -> Vec<RegionDesc> {
    let count = order.faces.len();
    let mut taken = vec![false; count];
    let mut faces_of: Vec<(u8, Vec<u32>)> = Vec::new();
    for patch in &piece.regions {
        let [from, to] = patch.faces.map(|share| ((share * count as f32).max(0.0) as usize).min(count));
        for face in (from..to.max(from)).filter(|_| patch.region > 0) {
            if !std::mem::replace(&mut taken[face], true) {
                match faces_of.iter_mut().find(|(region, _)| *region == patch.region) {
                    Some((_, faces)) => faces.push(order.faces[face]),
                    None => faces_of.push((patch.region, vec![order.faces[face]])),
                }
            }
        }
    }
    faces_of.into_iter().map(|(region, faces)| RegionDesc::from_faces(region_name(region), faces)).collect()
}

fn balls(every: u32, order: &Order) -> ParticleChoice {
    match every {
        0 => ParticleChoice::Only(Vec::new()),
        1 => ParticleChoice::All,
        _ => ParticleChoice::Only(order.vertices.iter().step_by(every as usize).copied().collect()),
    }
}

fn drive(driven: &FuzzDrive, count: usize, world: &FuzzWorld) -> Drive {
    let most = driven.max_distance.map(|most| most * world.scale);
    let backstop = driven.backstop.map(|backstop| Backstop {
        distance: backstop.distance * world.scale,
        radius: backstop.radius * world.scale,
    });
    Drive {
        vertices: None,
        stiffness: driven.stiffness,
        damping: driven.damping,
        max_distance: most.map(|most| vec![most; count]),
        backstop: backstop.map(|backstop| vec![Some(backstop); count]),
    }
}

impl FuzzCarrier {
    /// The frame after some steps of `dt` (s).
    pub(super) fn pose(&self, piece: &FuzzCloth, step: u32, dt: f32, world: &FuzzWorld) -> Isometry3<f32> {
        let at = Vector3::from(piece.at) + self.motion.after(step, dt);
        world.pose(at, Vector3::new(0.0, self.spin * dt * step as f32, 0.0))
    }
}

impl FuzzInstance {
    /// Its motion away from the cloth.
    fn pose(&self, cloth: &PlannedCloth, world: &FuzzWorld) -> Isometry3<f32> {
        let about = cloth.start[cloth.order.vertex(0) as usize];
        world.motion(&about, self.rotation, self.by)
    }
}

impl FuzzCollider {
    fn desc(&self, scene: &FuzzScene) -> Result<ColliderDesc, SetupError> {
        let world = &scene.world;
        let shape = scaled(&self.shape, world.scale);
        let collider = Collider::new(shape, self.pose(0, 0.0, scene), self.friction)?;
        let collider = if self.guarded { collider.guarded()? } else { collider };
        let Some(rigid) = self.rigid else { return Ok(collider.into()) };
        Ok(ColliderDesc::Rigid(RigidBodyDesc {
            velocity: world.vector(rigid.velocity.into()),
            angular_velocity: world.turning(rigid.angular_velocity.into()),
            ..RigidBodyDesc::new(collider, rigid.mass * world.scale * world.scale)
        }))
    }

    pub(super) fn pose(&self, step: u32, share: f32, scene: &FuzzScene) -> Isometry3<f32> {
        let at = Vector3::from(self.at) + self.motion.within(step, share, scene.dt);
        scene.world.pose(at, self.rotation.into())
    }
}

impl PlannedBody {
    fn new(body: &FuzzBody, scene: &FuzzScene) -> Result<Self, SetupError> {
        let radius = f64::from(body.radius);
        let mut shape = if body.ball { fixtures::icosphere(1, radius)? } else { fixtures::disc(radius, 3)? };
        shape.faces = scene.world.faces(&shape.faces);
        let order = Order::apply(scene.world.permutation_seed, &mut shape);
        Ok(Self { order, shape })
    }

    /// Where the vertices are to be (m), a share of a step after some steps.
    pub(super) fn positions(
        &self,
        body: &FuzzBody,
        step: u32,
        share: f32,
        scene: &FuzzScene,
    ) -> Vec<Point3<f32>> {
        let (most, period) = body.pulse;
        let phase = (step % period.max(1)) as f32 / period.max(1) as f32;
        let stretch = 1.0 + most * (1.0 - (2.0 * phase - 1.0).abs());
        let angle = body.spin * scene.dt * (step as f32 + share);
        let rotation = rotation(Vector3::new(0.0, angle, 0.0));
        let at = Vector3::from(body.at) + body.motion.within(step, share, scene.dt);
        let place = |p: &Point3<f64>| {
            let p = p.cast::<f32>();
            scene.world.point(rotation * Vector3::new(p.x, p.y * stretch, p.z) + at)
        };
        self.shape.positions.iter().map(place).collect()
    }
}
