//! Which features of a scene acted: read from reports, contacts and positions after each step.

use std::ops::Range;

use cloth_geom::Topology;
use cloth_solver::{ContactSource, ElasticModel, Interaction, Settings, Simulation, StepReport, Wind};
use nalgebra::{Point3, Vector3};

use super::build::ScenePlan;
use super::features::{Feature, FeatureSet};
use super::mesh::FuzzMesh;
use super::player::ScenePlayer;
use super::scene::{FuzzCloth, FuzzScene};
use super::script::{SceneEdit, ScriptCall, SettingsChange, StepFailure};

/// A tether counts as taut from this share of its length on.
const TAUT: f32 = 0.99;

/// What is known of a vertex.
#[derive(Clone, Copy, Default)]
struct Vertex {
    part: u16,
    is_rigid: bool,
    is_deforming: bool,
    at_border: bool,
    at_stitch: bool,
    at_exclusion: bool,
    is_thick: bool,
    is_folded: bool,
    is_thin: bool,
    is_axis: bool,
    is_instance: bool,
}

/// A free vertex and what holds it: the two, and how far apart they rest (m).
struct Tether {
    vertex: usize,
    holds: Vec<(usize, f32)>,
}

/// What the auditor says of a step.
#[derive(Clone, Copy)]
pub(super) struct AuditedStep {
    /// Tangles at its end.
    pub(super) tangles: usize,
    /// Whether pairs met that may.
    pub(super) authored: bool,
    /// Whether bodies went along with a cut.
    pub(super) cut_bodies: bool,
}

/// Collects the features that acted in a run.
pub(super) struct FeatureObserver<'a> {
    plan: &'a ScenePlan<'a>,
    vertices: Vec<Vertex>,
    tethers: Vec<Tether>,
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
        self.vertices.clear();
        self.vertices.resize(simulation.positions().len(), Vertex::default());
        self.tethers.clear();
        self.spacings.clear();
        self.last = simulation.positions().to_vec();
        let cloths = simulation.cloth_count();
        for (v, vertex) in self.vertices.iter_mut().enumerate() {
            vertex.part = surface.part_of_vertex(v as u32).unwrap_or(0);
            let regions = topology.vertex_faces(v).iter().map(|&f| surface.region_of_face(f));
            vertex.at_border = regions.clone().zip(regions.skip(1)).any(|(a, b)| a != b);
            match usize::from(vertex.part).checked_sub(cloths).map(|body| player.bodies.get(body)) {
                Some(Some(played)) => {
                    // A copy stands still.
                    vertex.is_deforming = plan.scene.bodies[played.origin].pulse.0 > 0.0 && !played.is_copy;
                    vertex.is_rigid = !vertex.is_deforming;
                }
                Some(None) => vertex.is_axis = true,
                None => {}
            }
        }
        for played in &player.cloths {
            let (piece, planned) = (&plan.scene.cloths[played.origin], &plan.cloths[played.origin]);
            let Some(range) = simulation.cloth_vertices(played.id) else { continue };
            let spacing = piece.mesh.spacing();
            self.spacings.push((range.clone(), spacing * plan.scene.world.scale));
            for vertex in &mut self.vertices[range.clone()] {
                vertex.is_thick = piece.thickness > 0.5 * spacing;
                vertex.is_thin = piece.thickness == 0.0;
                vertex.is_folded = matches!(piece.mesh, FuzzMesh::Fan { .. });
                vertex.is_instance = played.is_instance;
            }
            let Some(desc) = simulation.scene().cloth(played.id) else { continue };
            let number = |v: u32| range.start as u32 + v;
            let sewn = desc.stitches.iter().flat_map(|s| [s.vertex, s.edge[0], s.edge[1]]);
            let sewn: Vec<u32> = sewn.map(number).collect();
            mark(&mut self.vertices, &sewn, topology, |vertex| vertex.at_stitch = true);
            let excluded: Vec<u32> = desc.exclusions.iter().flatten().map(|&v| number(v)).collect();
            mark(&mut self.vertices, &excluded, topology, |vertex| vertex.at_exclusion = true);
            if piece.tethers.is_some() {
                self.tethers.extend(tethers_of(piece, plan, &planned.order, range.start));
            }
        }
    }

    /// The scene was edited; `ended` says whether that ended the exemption of pairs that intersect.
    pub(super) fn rebuilt(&mut self, player: &ScenePlayer<'_>, ended: bool) {
        self.describe(player);
        self.features.add(Feature::ExemptionEnded, ended);
        self.on_grid(ended);
    }

    /// A start was judged: intersections, and pairs that touch.
    pub(super) fn start(&mut self, tangled: u64, touching: usize) {
        self.features.add(Feature::TangledStart, tangled > 0);
        self.on_grid(tangled > 0 || touching > 0);
    }

    fn on_grid(&mut self, is_degenerate: bool) {
        self.features.add(Feature::Touching, is_degenerate && self.plan.scene.world.grid.is_some());
    }

    /// A state from without was judged.
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

    /// A step was accepted.
    pub(super) fn step(&mut self, player: &ScenePlayer<'_>, report: &StepReport, seen: AuditedStep) {
        let AuditedStep { tangles, authored, cut_bodies } = seen;
        let (simulation, gate) = (&player.simulation, &report.gate);
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
        set.add(Feature::CutWithBody, cut_bodies);
        set.add(Feature::CutTurned, simulation.cuts().iter().any(|cut| cut.degrees > 1.0));
        set.add(Feature::Released, gate.released > 0);
        set.add(Feature::Pinch, gate.pinch.is_some());
        set.add(Feature::Collider, report.collider_contacts > 0);
        set.add(Feature::Crossed, report.warnings.crossed_contacts > 0);
        set.add(Feature::Truncated, report.warnings.truncated > 0);
        set.add(Feature::Limited, report.warnings.radius_limited > 0);
        set.add(Feature::Balls, report.particle_contacts > 0);
        set.add(Feature::Recovery, simulation.settings().recovery && report.recovery.intersections > 0);
        set.add(Feature::Resolved, tangles < self.tangles);
        set.add(Feature::OpenRegion, authored && self.plan.scene.opens_regions());
        self.tangles = tangles;
        set.add(Feature::Asleep, report.sleeping > 0);
        set.add(Feature::Woken, report.sleeping < self.sleeping);
        self.sleeping = report.sleeping;
        let has_contacts = report.contacts + report.particle_contacts > 0;
        let near = has_contacts || gate.modified_vertices > 0;
        let settings = simulation.settings();
        set.add(Feature::Cached, report.contacts > 0 && settings_cached(simulation));
        set.add(Feature::Slippery, has_contacts && settings.self_friction == 0.0);
        set.add(Feature::Rough, has_contacts && settings.self_friction >= 1.0);
        let world = &self.plan.scene.world;
        set.add(Feature::Small, near && world.scale < 0.01);
        set.add(Feature::Large, near && world.scale > 100.0);
        let far = world.origin.iter().any(|x| x.abs() > 1000.0 * world.scale);
        set.add(Feature::Far, near && far);
        set.add(Feature::Threads, near && self.plan.scene.threads > 1);
        set.add(Feature::Substeps, near && settings.substeps >= 8);
        set.add(Feature::Interval, near && settings.detect_interval > 1 && settings.substeps > 1);
        set.add(Feature::Relaxation, near && settings.relaxation != Settings::default().relaxation);
        set.add(Feature::Waypoints, near && player.has_waypoints());
        set.add(Feature::Fem, near && matches!(settings.model, ElasticModel::Fem(_)));
        set.add(Feature::MassSpring, near && matches!(settings.model, ElasticModel::MassSpring(_)));
        let mut states = player.colliders.iter().filter_map(|played| simulation.rigid_body(played.id).ok());
        set.add(Feature::RigidMass, states.any(|state| state.impulse != Vector3::zeros()));
        set.add(Feature::Thin, gate.proofs > 0 && self.vertices.iter().any(|vertex| vertex.is_thin));
        if near {
            self.features = FeatureSet::union(self.features, std::mem::take(&mut self.pending));
        }
        self.contacts(simulation);
        self.motions(simulation);
        self.controls(simulation);
        self.last.copy_from_slice(simulation.positions());
    }

    fn contacts(&mut self, simulation: &Simulation) {
        let contacts = simulation.contacts();
        let faces = contacts.point_triangles.iter().map(|c| (c.vertices(), 1));
        let edges = contacts.edge_edges.iter().map(|c| (c.vertices(), 2));
        let balls = simulation
            .particle_contacts()
            .iter()
            .map(|c| ([c.vertices[0], c.vertices[0], c.vertices[1], c.vertices[1]], 2));
        for (vertices, split) in faces.chain(edges).chain(balls) {
            let known = vertices.map(|v| self.vertices[v as usize]);
            let any = |is: fn(&Vertex) -> bool| known.iter().any(is);
            let is_body = |vertex: &Vertex| vertex.is_rigid || vertex.is_deforming || vertex.is_axis;
            let set = &mut self.features;
            let one = known[0].part == known[split].part;
            set.add(Feature::SelfContact, one);
            set.add(Feature::ClothContact, !one && !known.iter().any(is_body));
            set.add(Feature::RigidBody, any(|vertex| vertex.is_rigid));
            set.add(Feature::DeformingBody, any(|vertex| vertex.is_deforming));
            set.add(Feature::RegionBorder, any(|vertex| vertex.at_border));
            set.add(Feature::Stitch, any(|vertex| vertex.at_stitch));
            set.add(Feature::Exclusion, any(|vertex| vertex.at_exclusion));
            set.add(Feature::GuardedCollider, any(|vertex| vertex.is_axis));
            set.add(Feature::Instance, any(|vertex| vertex.is_instance));
            set.add(Feature::Thick, any(|vertex| vertex.is_thick));
            set.add(Feature::NonManifold, any(|vertex| vertex.is_folded));
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
        let x = simulation.positions();
        let taut = |tether: &Tether| {
            tether.holds.iter().any(|&(hold, rest)| (x[tether.vertex] - x[hold]).norm() >= TAUT * rest)
        };
        self.features.add(Feature::Tether, self.tethers.iter().any(taut));
        let scene = self.plan.scene;
        let moves = |motion: &super::scene::FuzzMotion| {
            motion.velocity != [0.0; 3] || motion.drift_velocity != [0.0; 3]
        };
        for piece in &scene.cloths {
            let set = &mut self.features;
            set.add(Feature::Attachment, piece.attachments.iter().any(|spring| moves(&spring.motion)));
            set.add(
                Feature::Drive,
                piece.drive.is_some_and(|driven| driven.stiffness > 0.0 && moves(&driven.motion)),
            );
            let carried = piece.carrier.filter(|c| moves(&c.motion) || c.spin != 0.0);
            set.add(Feature::Carrier, carried.is_some_and(|carried| carried.inertia_scale < 1.0));
        }
        let settings = simulation.settings();
        let Wind { velocity, drag, lift, gusts } = settings.wind;
        self.features.add(Feature::Wind, velocity != Vector3::zeros() && drag + lift > 0.0);
        let blows = gusts.is_some_and(|gusts| gusts.strength > 0.0);
        self.features.add(Feature::Gusts, blows && drag + lift > 0.0);
        let apart = settings.wind_interval > 1 && settings.substeps > 1;
        self.features.add(Feature::WindInterval, apart && drag + lift > 0.0);
    }
}

fn settings_cached(simulation: &Simulation) -> bool {
    simulation.settings().contacts != ContactSource::Detected
}

impl FuzzScene {
    fn opens_regions(&self) -> bool {
        self.rules.iter().any(|rule| rule.interaction == Interaction::None)
    }
}

/// Marks some vertices and their neighbours.
fn mark(vertices: &mut [Vertex], seeds: &[u32], topology: &Topology, mark: impl Fn(&mut Vertex)) {
    for &v in seeds {
        mark(&mut vertices[v as usize]);
        for &f in topology.vertex_faces(v as usize) {
            topology.faces()[f as usize].iter().for_each(|&w| mark(&mut vertices[w as usize]));
        }
    }
}

/// The pins and attachments of a flat cloth, and how far each vertex rests from them: no less than along the
/// cloth.
fn tethers_of(
    piece: &FuzzCloth,
    plan: &ScenePlan<'_>,
    order: &super::world::Order,
    first: usize,
) -> Vec<Tether> {
    let Ok(rest) = piece.mesh.rest() else { return Vec::new() };
    let count = rest.positions.len() as u32;
    let held: Vec<u32> = piece
        .pins
        .iter()
        .map(|pin| pin.vertex)
        .chain(piece.attachments.iter().map(|spring| spring.vertex))
        .map(|v| v % count.max(1))
        .collect();
    let number = |v: u32| first + order.vertex(v) as usize;
    let tether = |v: u32| Tether {
        vertex: number(v),
        holds: held
            .iter()
            .map(|&h| {
                let rest = (rest.positions[v as usize] - rest.positions[h as usize]).norm();
                (number(h), rest as f32 * plan.scene.world.scale)
            })
            .collect(),
    };
    (0..count).filter(|v| !held.contains(v)).map(tether).collect()
}
