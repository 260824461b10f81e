//! From the data of a scene to a simulation.

use cloth_geom::{TriMesh, fixtures};
use cloth_solver::{
    Attachment, BuildError, ClothDesc, ClothId, Collider, Interaction, Material, MeshBodyDesc, Simulation,
    SimulationBuilder, Thickness, UNASSIGNED_REGION,
};
use nalgebra::{Point3, Vector3};

use super::descs::cloth;
use super::scene::{FuzzBody, FuzzScene, RegionInteraction, Repeat};
use super::script::{StepFailure, fails_late};
use super::settings::FuzzContactSource;
use super::world::Order;
use crate::BroadPhaseChoice;
use crate::scenario::SetupError;

/// How much of the thickness is static collision radius.
pub(super) const SCR_SHARE: f32 = 0.2;
/// Share of the distance to its target that the vertex apart from all covers in a substep of the nominal
/// duration.
pub(super) const FUSE_SHARE: f64 = 0.1;

/// A scene with its meshes made.
pub(super) struct ScenePlan<'a> {
    pub(super) scene: &'a FuzzScene,
    /// In the order of the scene.
    pub(super) cloths: Vec<PlannedCloth>,
    pub(super) bodies: Vec<PlannedBody>,
    /// The number of the attachment of the vertex that makes steps fail late, and where it is.
    pub(super) fuse: Option<(usize, Point3<f32>)>,
    builder: SimulationBuilder,
    ungated: SimulationBuilder,
}

pub(super) struct PlannedCloth {
    pub(super) id: ClothId,
    pub(super) order: Order,
    /// Where the vertices start (m), in the order of the simulation.
    pub(super) start: Vec<Point3<f32>>,
    /// The number of its first attachment.
    pub(super) first_attachment: usize,
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
            let id = ClothId(if scene.world.reversed { count - 1 - k } else { k });
            let start = desc.mesh.positions_f32();
            cloths.push(PlannedCloth { id, order, start, first_attachment: 0 });
            descs.push(desc);
        }
        if scene.world.reversed {
            descs.reverse();
        }
        let firsts: Vec<usize> = descs
            .iter()
            .scan(0, |sum, desc| Some(std::mem::replace(sum, *sum + desc.attachments.len())))
            .collect();
        cloths.iter_mut().for_each(|cloth| cloth.first_attachment = firsts[cloth.id.0]);
        let attachments = descs.iter().map(|desc| desc.attachments.len()).sum();
        let mut fuse = None;
        if scene.fails_late() {
            let at = scene.world.point(Vector3::new(0.0, 50.0, 0.0));
            fuse = Some((attachments, at));
            descs.push(fuse_cloth(scene, at));
        }
        let bodies: Vec<PlannedBody> =
            scene.bodies.iter().map(|body| PlannedBody::new(body, scene)).collect::<Result<_, _>>()?;
        let builder = |gate: bool| builder(scene, &descs, &bodies, gate);
        let (gated, ungated) = (builder(true)?, builder(false)?);
        Ok(Self { scene, cloths, bodies, fuse, builder: gated, ungated })
    }

    /// The simulation at its start.
    pub(super) fn build(&self, choice: BroadPhaseChoice, gate: bool) -> Result<Simulation, BuildError> {
        let mut builder = if gate { &self.builder } else { &self.ungated }.clone();
        builder.set_broad_phase(choice.broad_phase());
        let mut simulation = builder.build()?;
        for (piece, planned) in self.scene.cloths.iter().zip(&self.cloths) {
            let velocity = self.scene.world.vector(piece.velocity.into());
            for vertex in 0..planned.start.len() as u32 {
                // Nothing but a vertex that is not there could be refused.
                let _ = simulation.set_velocity(planned.id, vertex, velocity);
            }
        }
        Ok(simulation)
    }
}

impl FuzzScene {
    /// Whether it can be built.
    pub(super) fn check_build(&self) -> Result<(), String> {
        let plan = ScenePlan::new(self).map_err(|e| e.to_string())?;
        plan.build(self.settings.broad_phase(), true).map(drop).map_err(|e| e.to_string())
    }

    fn fails_late(&self) -> bool {
        let second = matches!(self.repeat, Some(Repeat::Failing { how: StepFailure::Late, .. }));
        second || fails_late(&self.script)
    }
}

fn builder(
    scene: &FuzzScene,
    descs: &[ClothDesc],
    bodies: &[PlannedBody],
    gate: bool,
) -> Result<SimulationBuilder, SetupError> {
    let mut builder = SimulationBuilder::new(scene.settings.for_solver(&scene.world, gate));
    match scene.settings.contacts {
        // As balls, of which there are none: the solver finds nothing, and the gate has to.
        FuzzContactSource::None | FuzzContactSource::Particles => {
            builder.set_default_interaction(Interaction::Particles);
        }
        FuzzContactSource::Full | FuzzContactSource::Cached(..) => {}
    }
    let has = |region: u8| {
        region == 0 || descs.iter().any(|desc| desc.regions.iter().any(|r| r.name == region_name(region)))
    };
    for rule in scene.rules.iter().filter(|rule| rule.regions.iter().all(|&region| has(region))) {
        let interaction = match rule.interaction {
            RegionInteraction::None => Interaction::None,
            RegionInteraction::Particles => Interaction::Particles,
            RegionInteraction::Full => Interaction::FullMesh,
        };
        builder.set_interaction(region_name(rule.regions[0]), region_name(rule.regions[1]), interaction);
    }
    for desc in descs {
        builder.add_cloth(desc.clone());
    }
    for (body, planned) in scene.bodies.iter().zip(bodies) {
        let thickness = Thickness::from_total(body.thickness * scene.world.scale, SCR_SHARE);
        let at = |p: &Point3<f64>| scene.world.start(&Point3::from(p.coords + Vector3::from(body.at).cast()));
        let positions = planned.shape.positions.iter().map(|p| at(p).cast()).collect();
        let mesh = TriMesh::new(positions, planned.shape.faces.clone());
        builder.add_mesh_body(MeshBodyDesc { mesh, thickness });
    }
    for collider in &scene.colliders {
        let shape = collider.shape(scene.world.scale);
        builder.add_collider(Collider::new(shape, collider.pose(0, scene), collider.friction)?);
    }
    Ok(builder)
}

/// The name of a region.
pub(super) fn region_name(region: u8) -> String {
    if region == 0 { UNASSIGNED_REGION.into() } else { format!("r{region}") }
}

/// A vertex apart from all, on a spring whose target can be moved so far that the velocity overflows in a
/// substep of choice.
fn fuse_cloth(scene: &FuzzScene, at: Point3<f32>) -> ClothDesc {
    let mesh = TriMesh::new(vec![at.cast()], Vec::new());
    let thickness = scene.cloths.first().map_or(0.0, |piece| piece.thickness * scene.world.scale);
    let h = f64::from(scene.dt) / f64::from(scene.settings.substeps.max(1));
    let compliance = (h * h * (1.0 / FUSE_SHARE - 1.0)) as f32;
    ClothDesc {
        masses: Some(vec![1.0]),
        attachments: vec![Attachment { vertex: 0, target: at, compliance }],
        ..ClothDesc::new(mesh, Material::COTTON, Thickness::from_total(thickness, SCR_SHARE))
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

    /// Where the vertices are to be after some steps (m).
    pub(super) fn positions(&self, body: &FuzzBody, step: u32, scene: &FuzzScene) -> Vec<Point3<f32>> {
        let (share, period) = body.pulse;
        let phase = (step % period.max(1)) as f32 / period.max(1) as f32;
        let stretch = 1.0 + share * (1.0 - (2.0 * phase - 1.0).abs());
        let rotation = super::world::rotation(Vector3::new(0.0, body.spin * scene.dt * step as f32, 0.0));
        let at = Vector3::from(body.at) + body.motion.after(step, scene.dt);
        let place = |p: &Point3<f64>| {
            let p = p.cast::<f32>();
            scene.world.point(rotation * Vector3::new(p.x, p.y * stretch, p.z) + at)
        };
        self.shape.positions.iter().map(place).collect()
    }
}
