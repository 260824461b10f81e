//! Layout of all parts in common arrays.
//!
//! ```text
//! vertices   | cloth 0 | cloth 1 | ... | body 0 | body 1 | ... | axis 0 | axis 1 | ...
//! ```

use std::sync::Arc;

use cloth_contacts::collider::LongestEdges;
use cloth_contacts::particles::ParticleRulesDesc;
use cloth_contacts::{
    CachedContacts, ContactCache, Interactions, PartShape, ParticleRules, Rank, Regions, Surface,
    SurfaceDesc, SurfaceError,
};
use cloth_geom::{Topology, lanes};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::assets::{Assets, Part};
use crate::axes::ColliderAxis;
use crate::chunks::{self, Chunks};
use crate::clock;
use crate::constraints::attachment::AttachmentState;
use crate::constraints::custom::CustomStepper;
use crate::constraints::drive::DrivePose;
use crate::constraints::{ClothInput, ElasticConstraints, SceneInput};
use crate::damping::ClothDamping;
use crate::describe::cloth::{ClothId, MeshBodyDesc};
use crate::describe::cloth_asset::{PreparedCloth, SceneCloth, check_start};
use crate::describe::elastic_model::{ElasticCloth, ErasedElasticModel};
use crate::describe::regions::RegionMap;
use crate::describe::sleep::SleepState;
use crate::detection::Detection;
use crate::fixings::Lag;
use crate::gate_state::GateState;
use crate::local_frame::ClothFrame;
use crate::rigid::{RigidBody, RigidState};
use crate::scratch::Scratch;
use crate::simulation::{Runtime, Simulation};
use crate::state::State;
use crate::teleport::Carriage;
use crate::threads::Threads;
use crate::{
    Attachment, BuildError, Collider, ContactSource, RigidBodyDesc, Settings, SimulationBuilder, Thickness,
};

/// The arrays built so far.
#[derive(Default)]
pub(super) struct Layout {
    parts: Vec<Part>,
    axes: Vec<ColliderAxis>,
    rigid_bodies: Vec<RigidBody>,
    rigid: Vec<RigidState>,
    shapes: Vec<Arc<PartShape>>,
    x: Vec<Point3<f32>>,
    inv_mass: Vec<f32>,
    /// The inverse mass of each vertex when it is not pinned; zero for one without mass.
    free_inv_mass: Vec<f32>,
    rest: Vec<Point3<f32>>,
    radius: Vec<f32>,
    half_scr: Vec<f32>,
    part_of: Vec<u16>,
    faces: Vec<[u32; 3]>,
    exclusions: Vec<[u32; 2]>,
    pub(super) regions: RegionMap,
    /// Whether each vertex collides as a particle.
    is_particle: Vec<bool>,
    layer_of: Vec<Rank>,
    constraints: ElasticConstraints,
    /// What is prepared of the cloths, for an elastic model of the caller; else empty.
    prepared: Vec<Arc<PreparedCloth>>,
    attachments: Vec<AttachmentState>,
    drive_poses: Vec<DrivePose>,
    damping: Vec<ClothDamping>,
    local_frames: Vec<ClothFrame>,
    frame_poses: Vec<[Isometry3<f32>; 2]>,
    longest_edges: Vec<f32>,
    min_thickness: f32,
    /// Largest mean edge (m) of a cloth.
    coarsest_edge: f32,
    /// The cloth with the largest ratio of thickness to mean edge, and the ratio.
    thickest: Option<(ClothId, f32)>,
}

impl Layout {
    pub(super) fn add_cloth(
        &mut self,
        cloth: &SceneCloth,
        index: usize,
        scene: &SimulationBuilder,
    ) -> Result<(), BuildError> {
        let prepared = cloth.prepared(index)?;
        let offset = self.x.len() as u32;
        if prepared.thickness_ratio > self.thickest.map_or(0.0, |(_, most)| most) {
            self.thickest = Some((ClothId(index), prepared.thickness_ratio));
        }
        self.coarsest_edge = self.coarsest_edge.max(prepared.mean_edge);
        self.longest_edges.extend(&prepared.longest_edges);
        self.free_inv_mass.extend(&prepared.free_inv_mass);
        self.inv_mass.extend(&prepared.free_inv_mass);
        for &pin in &cloth.pins {
            self.inv_mass[(offset + pin) as usize] = 0.0;
        }
        self.rest.extend(&prepared.rest);
        self.regions.add_cloth(&cloth.mesh, &cloth.regions, index)?;
        self.is_particle.extend(cloth.particles.mask(prepared.rest.len()));
        let start = cloth.start();
        check_start(&start, index)?;
        self.add_part(&start, &cloth.mesh.faces, cloth.thickness, false);
        self.shapes.push(prepared.shape.clone());
        self.layer_of.resize(self.x.len(), cloth.layer);
        self.constraints.add_cloth(&ClothInput {
            cloth,
            start: &start,
            pose: cloth.pose(),
            prepared: &prepared.constraints,
            topology: prepared.topology(),
            model: scene.settings.model,
            custom: scene.elastic_model.as_deref(),
            offset,
        });
        self.add_controls(cloth, prepared.topology(), offset);
        let pairs = cloth.stitches.iter().flat_map(|s| s.edge.map(|b| [s.vertex, b]));
        let pairs = pairs.chain(cloth.exclusions.iter().copied());
        self.exclusions.extend(pairs.map(|pair| pair.map(|v| v + offset)));
        self.prepared.extend(scene.elastic_model.is_some().then_some(prepared));
        Ok(())
    }

    pub(super) fn add_body(&mut self, body: &MeshBodyDesc) -> Result<(), BuildError> {
        let (start, faces) = (body.mesh.positions_f32(), &body.mesh.faces);
        let topology = Topology::new(start.len(), faces).map_err(SurfaceError::from)?;
        let shape = PartShape::new(topology, &start, body.thickness.radius)?;
        self.add_kinematic(shape, &start, faces, body.thickness);
        Ok(())
    }

    /// Adds the axis of a collider if it is guarded; after all cloths.
    pub(super) fn add_axis(&mut self, id: usize, collider: &Collider) -> Result<(), BuildError> {
        let Some(axis) = collider.guarded_axis() else { return Ok(()) };
        let axis = ColliderAxis::new(id, axis, self.x.len());
        let start: Vec<Point3<f32>> = axis.at(&collider.pose_t0).map(|(_, at)| at).collect();
        let radii = axis.radii(self.coarsest_edge);
        let shape = axis.shape(&start, radii.clone())?;
        self.add_kinematic(shape, &start, &[], Thickness { radius: 0.0, scr: 0.0 });
        self.radius[axis.vertices.clone()].copy_from_slice(&radii);
        // Its solid is a collider; as a ball it would be one twice.
        self.is_particle[axis.vertices.clone()].fill(false);
        self.axes.push(axis);
        Ok(())
    }

    /// Adds a rigid body; after all axes.
    pub(super) fn add_rigid_body(&mut self, id: usize, desc: &RigidBodyDesc) -> Result<(), BuildError> {
        desc.check(id)?;
        let axis = self.axes.iter().find(|axis| axis.collider == id);
        let vertices = axis.map_or(0..0, |axis| axis.vertices.clone());
        self.rigid_bodies.extend(RigidBody::new(id, desc, vertices));
        self.rigid.push(desc.into());
        Ok(())
    }

    fn add_kinematic(
        &mut self,
        shape: PartShape,
        start: &[Point3<f32>],
        faces: &[[u32; 3]],
        thickness: Thickness,
    ) {
        self.shapes.push(Arc::new(shape));
        let count = self.x.len() + start.len();
        self.inv_mass.resize(count, 0.0);
        self.free_inv_mass.resize(count, 0.0);
        self.rest.extend_from_slice(start);
        self.regions.add_unassigned(start.len(), faces.len());
        self.is_particle.resize(count, true);
        self.add_part(start, faces, thickness, true);
        self.layer_of.resize(count, None);
    }

    fn add_part(
        &mut self,
        start: &[Point3<f32>],
        faces: &[[u32; 3]],
        Thickness { radius, scr }: Thickness,
        kinematic: bool,
    ) {
        let first = self.x.len();
        let count = start.len();
        let first_face = self.faces.len();
        self.x.extend_from_slice(start);
        self.radius.extend(std::iter::repeat_n(radius, count));
        self.half_scr.extend(std::iter::repeat_n(0.5 * scr, count));
        self.part_of.extend(std::iter::repeat_n(self.parts.len() as u16, count));
        self.faces.extend(faces.iter().map(|f| f.map(|v| v + first as u32)));
        let thickness = 2.0 * radius + scr;
        if !kinematic && (self.min_thickness == 0.0 || thickness < self.min_thickness) {
            self.min_thickness = thickness;
        }
        self.parts.push(Part {
            vertices: first..first + count,
            faces: first_face..self.faces.len(),
            kinematic,
        });
    }

    fn add_controls(&mut self, cloth: &SceneCloth, topology: &Topology, offset: u32) {
        let target = |a: &Attachment| cloth.pose().map_or(a.target, |pose| pose * a.target);
        self.attachments.extend(cloth.attachments.iter().map(|a| AttachmentState::holding(target(a))));
        if cloth.drive.is_some() {
            self.drive_poses.push(DrivePose::new(cloth.start(), cloth.mesh.faces.clone()));
        }
        if let Some(frame) = &cloth.local_frame {
            let vertices = offset as usize..offset as usize + cloth.mesh.positions.len();
            self.local_frames.push(ClothFrame::new(vertices, frame.inertia_scale));
            self.frame_poses.push([cloth.pose().map_or(frame.pose, |pose| pose * frame.pose); 2]);
        }
        self.damping.extend(ClothDamping::new(cloth.damping, topology, offset as usize));
    }

    /// Builds the solver of the caller's model, for one cloth or more.
    fn custom_stepper(&self, model: &dyn ErasedElasticModel) -> Result<CustomStepper, BuildError> {
        let cloths: Vec<_> = (self.prepared.iter().zip(&self.parts))
            .map(|(prepared, part)| ElasticCloth {
                first_vertex: part.vertices.start as u32,
                topology: prepared.topology(),
                flat: &prepared.constraints.rest.flat,
                start: &self.x[part.vertices.clone()],
                materials: &prepared.constraints.materials,
            })
            .collect();
        let name = model.model_name();
        let failed = |fault| BuildError::ElasticModel { name: name.into(), fault };
        let count = cloths.iter().map(|cloth| cloth.start.len()).sum();
        CustomStepper::new(name, model.build_boxed(&cloths).map_err(failed)?, count)
    }

    /// The collision surface of all parts.
    fn surface(&self, settings: &Settings, interactions: &Interactions) -> Result<Surface, BuildError> {
        let kinematic: Vec<bool> = self.parts.iter().map(|p| p.kinematic).collect();
        let desc = SurfaceDesc {
            faces: &self.faces,
            radius: &self.radius,
            half_scr: &self.half_scr,
            part: &self.part_of,
            kinematic: &kinematic,
            rest: &self.rest,
            exclusions: &self.exclusions,
            regions: Regions {
                of_face: &self.regions.of_face,
                of_vertex: &self.regions.of_vertex,
                interactions: Some(interactions),
            },
        };
        let shapes: Vec<&PartShape> = self.shapes.iter().map(Arc::as_ref).collect();
        let surface = Surface::from_parts(&desc, &shapes)?;
        // Cached contacts are those between layers, even without an order.
        if settings.layer_order || settings.contacts != ContactSource::Detected {
            return Ok(surface.with_layers(&self.layer_of, settings.layer_depth)?);
        }
        Ok(surface)
    }

    pub(super) fn finish(
        mut self,
        scene: &SimulationBuilder,
        threads: Threads,
        interactions: &Interactions,
        cache: Option<ContactCache>,
    ) -> Result<Simulation, BuildError> {
        let settings = scene.settings;
        let surface = self.surface(&settings, interactions)?;
        let cached = cached(&settings, &surface, &self.x, cache)?;
        let (rest, rule) = (&self.rest, settings.particles.rest);
        let rules =
            ParticleRules::new(&surface, &ParticleRulesDesc { rest, rule, collides: &self.is_particle })?;
        let parts = self.parts.iter().map(|part| part.vertices.clone());
        let edges = self.faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let workers = chunks::workers(self.rest.len(), settings.threads as usize);
        let chunks = Arc::new(Chunks::new(&self.rest, parts, edges, workers));
        let (rest, faces, inv_mass) = (&self.rest, &self.faces, &self.inv_mass);
        let scene_input = SceneInput { rest, faces, inv_mass, chunks: &chunks };
        if let Some(model) = scene.elastic_model.as_deref().filter(|_| !self.prepared.is_empty()) {
            self.constraints.membrane.set_custom(self.custom_stepper(model)?);
        }
        self.constraints.finish(&scene_input);
        let gate =
            (settings.gate && settings.self_collision).then(|| GateState::new(&surface, &scene.broad_phase));
        let mut scratch = Scratch::default();
        scratch.resize(self.x.len());
        let constraints = std::mem::take(&mut self.constraints);
        let (state, assets) = self.into_state_and_assets(scene.cloths.len(), surface, rules, chunks);
        Ok(Simulation {
            settings,
            scene: Arc::new(scene.clone()),
            fingerprint: Default::default(),
            assets: Arc::new(assets),
            state,
            colliders: scene.colliders.items().to_vec(),
            detection: Detection::new(&scene.broad_phase, settings.particles.search, cached),
            gate,
            constraints,
            recovery: Default::default(),
            scratch,
            lag: Lag::default(),
            report: Default::default(),
            runtime: Runtime {
                threads,
                clock: clock::SYSTEM,
                stage: clock::StageSign::default(),
                records_examined: false,
            },
        })
    }

    /// What a checkpoint saves, at the start, and what never changes.
    fn into_state_and_assets(
        self,
        cloths: usize,
        surface: Surface,
        particle_rules: ParticleRules,
        chunks: Arc<Chunks>,
    ) -> (State, Assets) {
        let count = self.x.len();
        let frame_count = if self.local_frames.is_empty() { 0 } else { count };
        let state = State {
            time: 0.0,
            x: self.x.clone(),
            v: vec![Vector3::zeros(); count],
            frame_velocities: vec![Vector3::zeros(); frame_count],
            sleep: SleepState::awake(cloths, &self.inv_mass),
            inv_mass: self.inv_mass,
            kinematic_t0: self.x.clone(),
            kinematic_t1: self.x.clone(),
            attachments: self.attachments,
            drive_poses: self.drive_poses,
            frame_poses: self.frame_poses,
            rigid: self.rigid,
            was_cut: vec![false; cloths],
            carried_before: vec![Carriage::No; cloths],
            collider_goals: Vec::new(),
            tracked_contours: Default::default(),
            user_data: Vec::new(),
        };
        let assets = Assets {
            chunks,
            level: lanes::level(),
            parts: self.parts,
            axes: self.axes,
            rigid_bodies: self.rigid_bodies,
            start: self.x,
            free_inv_mass: self.free_inv_mass,
            surface,
            particle_rules,
            damping: self.damping,
            local_frames: self.local_frames,
            longest_edges: LongestEdges::new(self.longest_edges),
            min_thickness: self.min_thickness,
            excessive_thickness: self.thickest.filter(|&(_, ratio)| ratio > 1.0),
        };
        (state, assets)
    }
}

/// The cached contacts: those passed to the builder, or those of the start pose.
fn cached(
    settings: &Settings,
    surface: &Surface,
    start: &[Point3<f32>],
    given: Option<ContactCache>,
) -> Result<Option<CachedContacts>, BuildError> {
    let ContactSource::Cached { reach, follow } = settings.contacts else { return Ok(None) };
    let cache = match given {
        // The pairs were validated against another surface.
        Some(given) => ContactCache::from_pairs(surface, given.fingerprint(), given.pairs().to_vec())?,
        None => ContactCache::compute(surface, start, reach)?,
    };
    let cached = CachedContacts::new(surface, cache, follow);
    Ok(Some(if settings.layer_order { cached } else { cached.with_geometric_sides() }))
}
