//! Which features of a scene acted: read from reports, contacts and positions after each step.

use std::ops::Range;

use cloth_solver::{ContactSource, ElasticModel, Interaction, Settings, Simulation, StepReport, Wind};
use nalgebra::{Point3, Vector3};

use super::build::ScenePlan;
use super::features::{Feature, FeatureSet};
use super::mesh::FuzzMesh;
use super::player::{PlayedPart, ScenePlayer};
use super::scene::{FuzzCarrier, FuzzCloth, FuzzMotion};
use super::script::{SceneEdit, ScriptCall, SettingsChange, StepFailure};
use super::world::Order;
use crate::audit::{AuditFigures, Auditor};

/// A tether counts as taut from this share of its length on.
const TAUT: f32 = 0.99;

/// What is known of a vertex.
#[derive(Clone, Copy, Default)]
struct Vertex {
    part: u16,
    /// What acts where it has a contact.
    contact: FeatureSet,
}

/// Collects the features that acted in a run.
pub(super) struct FeatureObserver<'a> {
    plan: &'a ScenePlan<'a>,
    vertices: Vec<Vertex>,
    /// A free vertex and one that is held, and how far apart they rest (m).
    tethers: Vec<([usize; 2], f32)>,
    /// The vertices of each cloth, and an edge's length (m).
    spacings: Vec<(Range<usize>, f32)>,
    /// Features of calls since which nothing was guarded.
    pending: FeatureSet,
    tangles: usize,
    sleeping: usize,
    has_just_jumped: bool,
    last: Vec<Point3<f32>>,
    pub(super) features: FeatureSet,
}

impl<'a> FeatureObserver<'a> {
    pub(super) fn new(plan: &'a ScenePlan<'a>, player: &ScenePlayer<'_>) -> Self {
        let mut observer = Self {
            plan,
            vertices: Vec::new(),
            tethers: Vec::new(),
            spacings: Vec::new(),
            pending: FeatureSet::default(),
            tangles: 0,
            sleeping: 0,
            has_just_jumped: false,
            last: Vec::new(),
            features: FeatureSet::default(),
        };
        observer.describe(player);
        observer
    }

    /// Describes what is in the simulation.
    fn describe(&mut self, player: &ScenePlayer<'_>) {
        let (plan, simulation) = (self.plan, &player.simulation);
        let surface = simulation.surface();
        let topology = surface.topology();
        self.tethers.clear();
        self.spacings.clear();
        self.last = simulation.positions().to_vec();
        let vertex = |v: usize| {
            let part = surface.part_of_vertex(v as u32).unwrap_or(0);
            let mut contact = FeatureSet::default();
            let regions = topology.vertex_faces(v).iter().map(|&f| surface.region_of_face(f));
            contact.add(Feature::RegionBorder, regions.clone().zip(regions.skip(1)).any(|(a, b)| a != b));
            if let Some(body) = usize::from(part).checked_sub(simulation.cloth_count()) {
                // A copy stands still.
                let pulses = |played: &PlayedPart<_>| {
                    plan.scene.bodies[played.origin].pulse.0 > 0.0 && !played.is_copy
                };
                let feature = match player.bodies.get(body) {
                    Some(played) if pulses(played) => Feature::DeformingBody,
                    Some(_) => Feature::RigidBody,
                    None => Feature::GuardedCollider,
                };
                contact.add(feature, true);
            }
            Vertex { part, contact }
        };
        self.vertices = (0..self.last.len()).map(vertex).collect();
        for played in &player.cloths {
            let (piece, planned) = (&plan.scene.cloths[played.origin], &plan.cloths[played.origin]);
            let Some(range) = simulation.cloth_vertices(played.id) else { continue };
            let spacing = piece.mesh.spacing();
            self.spacings.push((range.clone(), spacing * plan.scene.world.scale));
            for Vertex { contact, .. } in &mut self.vertices[range.clone()] {
                contact.add(Feature::Thick, piece.thickness > 0.5 * spacing);
                contact.add(Feature::NonManifold, matches!(piece.mesh, FuzzMesh::Fan { .. }));
                contact.add(Feature::Instance, played.is_instance);
            }
            let Some(desc) = simulation.scene().cloth(played.id) else { continue };
            let mut mark = |v: u32, feature| {
                let v = range.start + v as usize;
                let faces = topology.vertex_faces(v).iter().map(|&f| topology.faces()[f as usize]);
                for w in faces.flatten().map(|w| w as usize).chain([v]) {
                    self.vertices[w].contact.add(feature, true);
                }
            };
            let sewn = desc.stitches.iter().flat_map(|s| [s.vertex, s.edge[0], s.edge[1]]);
            sewn.for_each(|v| mark(v, Feature::Stitch));
            desc.exclusions.iter().flatten().for_each(|&v| mark(v, Feature::Exclusion));
            if let (Some(_), Ok(rest)) = (piece.tethers, piece.mesh.rest()) {
                self.tether(piece, &rest.positions, &planned.order, range.start);
            }
        }
    }

    /// Adds the free vertices of a flat cloth, with each pin and attachment and the distance at rest from it:
    /// no less than along the cloth.
    fn tether(&mut self, piece: &FuzzCloth, rest: &[Point3<f64>], order: &Order, first: usize) {
        let count = rest.len() as u32;
        let pins = piece.pins.iter().map(|pin| pin.vertex);
        let held = pins.chain(piece.attachments.iter().map(|spring| spring.vertex));
        let held: Vec<u32> = held.map(|v| v % count.max(1)).collect();
        for v in (0..count).filter(|v| !held.contains(v)) {
            self.tethers.extend(held.iter().map(|&h| {
                let apart = (rest[v as usize] - rest[h as usize]).norm();
                let vertices = [v, h].map(|v| first + order.vertex(v) as usize);
                (vertices, apart as f32 * self.plan.scene.world.scale)
            }));
        }
    }

    /// The scene was edited; `ended` says whether that ended the exemption of pairs that intersect.
    pub(super) fn rebuilt(&mut self, player: &ScenePlayer<'_>, ended: bool) {
        self.describe(player);
        self.features.add(Feature::ExemptionEnded, ended);
        self.on_grid(ended);
    }

    /// A start was judged.
    pub(super) fn start(&mut self, auditor: &Auditor) {
        let tangled = auditor.figures().tangled_at_start > 0;
        self.features.add(Feature::TangledStart, tangled);
        self.on_grid(tangled || auditor.exemptions().touching() > 0);
    }

    fn on_grid(&mut self, is_degenerate: bool) {
        self.features.add(Feature::Touching, is_degenerate && self.plan.scene.world.grid.is_some());
    }

    /// A state from without was judged: it has new tangles, or new pairs that touch.
    pub(super) fn jump(&mut self, tangled: bool, touching: bool) {
        self.features.add(Feature::TeleportTangled, tangled);
        self.on_grid(tangled || touching);
    }

    /// A call was refused.
    pub(super) fn refused(&mut self) {
        self.features.add(Feature::RefusedCall, true);
    }

    /// A call was made that did something.
    pub(super) fn call(&mut self, call: &ScriptCall) {
        let feature = match call {
            ScriptCall::Pin { .. } | ScriptCall::MovePin { .. } => Feature::Pinned,
            ScriptCall::Mass { .. } => Feature::Weighed,
            ScriptCall::Velocity { .. } => Feature::Thrown,
            ScriptCall::Teleport { .. } => Feature::Teleported,
            ScriptCall::Reset => Feature::Reset,
            // A jump acts in the next step.
            ScriptCall::Jump { .. }
            | ScriptCall::Snapshot { .. }
            | ScriptCall::RestoreForeign
            | ScriptCall::Nonsense => return,
            ScriptCall::Restore { .. } => Feature::Restored,
            ScriptCall::Fail { how: StepFailure::Late } => Feature::FailedLate,
            ScriptCall::Fail { .. } => Feature::FailedEarly,
            ScriptCall::Dt { .. } => Feature::VariedDt,
            ScriptCall::TeleportBody { .. } => Feature::BodyTeleported,
            ScriptCall::TeleportCollider { .. } => Feature::ColliderTeleported,
            ScriptCall::TeleportAll { .. } => Feature::AllTeleported,
            ScriptCall::Set { setting: SettingsChange::Threads(_) } => Feature::ThreadsChanged,
            ScriptCall::Set { .. } => Feature::SettingsChanged,
            ScriptCall::Edit { edit } => match edit {
                SceneEdit::AddCloth { .. } => Feature::ClothAdded,
                SceneEdit::RemoveCloth { .. } => Feature::ClothRemoved,
                SceneEdit::AddBody { .. } => Feature::BodyAdded,
                SceneEdit::RemoveBody { .. } => Feature::BodyRemoved,
                SceneEdit::AddCollider { .. } => Feature::ColliderAdded,
                SceneEdit::RemoveCollider { .. } => Feature::ColliderRemoved,
                SceneEdit::Interaction { .. } | SceneEdit::DefaultInteraction(_) => {
                    Feature::InteractionChanged
                }
                SceneEdit::Exclude { .. } | SceneEdit::Include { .. } => Feature::ExclusionChanged,
                SceneEdit::Sew { .. } | SceneEdit::Unpick { .. } => Feature::StitchChanged,
                SceneEdit::Material { .. } => Feature::MaterialChanged,
            },
        };
        self.pending.add(feature, true);
    }

    /// A step was accepted, before which the auditor had some figures.
    pub(super) fn step(
        &mut self,
        player: &ScenePlayer<'_>,
        report: &StepReport,
        auditor: &Auditor,
        before: &AuditFigures,
    ) {
        let (simulation, gate, scene) = (&player.simulation, &report.gate, self.plan.scene);
        let (settings, figures) = (simulation.settings(), auditor.figures());
        let set = &mut self.features;
        set.add(Feature::GateChanged, gate.modified_vertices > 0);
        set.add(Feature::GateHeld, gate.frozen_vertices > 0);
        set.add(Feature::GateRigid, gate.rounds > 7);
        set.add(Feature::GateExact, gate.exact_ccd > 0);
        set.add(Feature::PinLag, gate.pin_lag_m > 0.0);
        set.add(Feature::Lag, gate.pin_lag_m > 0.0 && gate.modified_vertices == 0);
        let jumps = player.jumps;
        set.add(Feature::JumpOfPins, jumps.pins);
        set.add(Feature::JumpOfBody, jumps.body);
        set.add(Feature::JumpOfWaypoints, jumps.waypoints);
        set.add(Feature::Turn, jumps.turns && jumps.any());
        set.add(Feature::JumpAgain, jumps.any() && self.has_just_jumped);
        self.has_just_jumped = jumps.any();
        set.add(Feature::Cut, report.cuts > 0);
        set.add(Feature::CutWithBody, figures.cut_bodies > before.cut_bodies);
        set.add(Feature::CutTurned, simulation.cuts().iter().any(|cut| cut.degrees > 1.0));
        set.add(Feature::Released, gate.released > 0);
        set.add(Feature::Pinch, gate.pinch.is_some());
        set.add(Feature::Collider, report.collider_contacts > 0);
        set.add(Feature::Crossed, report.warnings.crossed_contacts > 0);
        set.add(Feature::Truncated, report.warnings.truncated > 0);
        set.add(Feature::Limited, report.warnings.radius_limited > 0);
        set.add(Feature::Balls, report.particle_contacts > 0);
        set.add(Feature::Recovery, settings.recovery && report.recovery.intersections > 0);
        let tangles = auditor.exemptions().tangles();
        set.add(Feature::Resolved, tangles < self.tangles);
        self.tangles = tangles;
        let authored = figures.authored_pair_substeps > before.authored_pair_substeps;
        let opens = scene.rules.iter().any(|rule| rule.interaction == Interaction::None);
        set.add(Feature::OpenRegion, authored && opens);
        set.add(Feature::Asleep, report.sleeping > 0);
        set.add(Feature::Woken, report.sleeping < self.sleeping);
        self.sleeping = report.sleeping;
        let has_contacts = report.contacts + report.particle_contacts > 0;
        let near = has_contacts || gate.modified_vertices > 0;
        let is_cached = settings.contacts != ContactSource::Detected;
        set.add(Feature::Cached, report.contacts > 0 && is_cached);
        set.add(Feature::Slippery, has_contacts && settings.self_friction == 0.0);
        set.add(Feature::Rough, has_contacts && settings.self_friction >= 1.0);
        let world = &scene.world;
        set.add(Feature::Small, near && world.scale < 0.01);
        set.add(Feature::Large, near && world.scale > 100.0);
        let far = world.origin.iter().any(|x| x.abs() > 1000.0 * world.scale);
        set.add(Feature::Far, near && far);
        set.add(Feature::Threads, near && scene.threads > 1);
        set.add(Feature::Substeps, near && settings.substeps >= 8);
        set.add(Feature::Interval, near && settings.detect_interval > 1 && settings.substeps > 1);
        set.add(Feature::Relaxation, near && settings.relaxation != Settings::default().relaxation);
        set.add(Feature::Waypoints, near && player.has_waypoints());
        set.add(Feature::Fem, near && matches!(settings.model, ElasticModel::Fem(_)));
        set.add(Feature::MassSpring, near && matches!(settings.model, ElasticModel::MassSpring(_)));
        let mut states = player.colliders.iter().filter_map(|played| simulation.rigid_body(played.id).ok());
        set.add(Feature::RigidMass, states.any(|state| state.impulse != Vector3::zeros()));
        let is_thin = |played: &PlayedPart<_>| scene.cloths[played.origin].thickness == 0.0;
        set.add(Feature::Thin, gate.proofs > 0 && player.cloths.iter().any(is_thin));
        if near {
            set.join(std::mem::take(&mut self.pending));
        }
        self.contacts(simulation);
        self.motions(simulation);
        self.controls(simulation);
        self.last.copy_from_slice(simulation.positions());
    }

    fn contacts(&mut self, simulation: &Simulation) {
        let (contacts, set) = (simulation.contacts(), &mut self.features);
        let faces = contacts.point_triangles.iter().map(|c| (c.vertices(), 1));
        let edges = contacts.edge_edges.iter().map(|c| (c.vertices(), 2));
        let balls = simulation
            .particle_contacts()
            .iter()
            .map(|c| ([c.vertices[0], c.vertices[0], c.vertices[1], c.vertices[1]], 2));
        for (vertices, split) in faces.chain(edges).chain(balls) {
            let known = vertices.map(|v| self.vertices[v as usize]);
            known.iter().for_each(|vertex| set.join(vertex.contact));
            let one = known[0].part == known[split].part;
            let is_cloth = known.iter().all(|vertex| usize::from(vertex.part) < simulation.cloth_count());
            set.add(Feature::SelfContact, one);
            set.add(Feature::ClothContact, !one && is_cloth);
            let ordered = simulation.surface().are_ordered(vertices[0], vertices[split]);
            set.add(Feature::Layers, ordered && simulation.settings().layer_order);
        }
    }

    fn motions(&mut self, simulation: &Simulation) {
        let substeps = simulation.settings().substeps as f32;
        for (range, spacing) in &self.spacings {
            let now = simulation.positions()[range.clone()].iter();
            let mut pairs = now.zip(&self.last[range.clone()]);
            let fast = *spacing > 0.0 && pairs.any(|(a, b)| (a - b).norm() > spacing * substeps);
            self.features.add(Feature::Fast, fast);
        }
    }

    fn controls(&mut self, simulation: &Simulation) {
        let (x, set) = (simulation.positions(), &mut self.features);
        let taut = |&([v, hold], rest): &([usize; 2], f32)| (x[v] - x[hold]).norm() >= TAUT * rest;
        set.add(Feature::Tether, self.tethers.iter().any(taut));
        let moves = |motion: &FuzzMotion| motion.velocity != [0.0; 3] || motion.drift_velocity != [0.0; 3];
        for piece in &self.plan.scene.cloths {
            let drives = piece.drive.is_some_and(|drive| drive.stiffness > 0.0 && moves(&drive.motion));
            let carries = |c: FuzzCarrier| (moves(&c.motion) || c.spin != 0.0) && c.inertia_scale < 1.0;
            set.add(Feature::Attachment, piece.attachments.iter().any(|spring| moves(&spring.motion)));
            set.add(Feature::Drive, drives);
            set.add(Feature::Carrier, piece.carrier.is_some_and(carries));
        }
        let settings = simulation.settings();
        let Wind { velocity, drag, lift, gusts } = settings.wind;
        let has_air = drag + lift > 0.0;
        set.add(Feature::Wind, has_air && velocity != Vector3::zeros());
        set.add(Feature::Gusts, has_air && gusts.is_some_and(|gusts| gusts.strength > 0.0));
        set.add(Feature::WindInterval, has_air && settings.wind_interval > 1 && settings.substeps > 1);
    }
}
