//! The constraints that the solver projects: one file each, with its derivation, compliance and projection.
//!
//! All follow XPBD (Macklin, Müller, Chentanez 2016): with `a = compliance / h^2`,
//! `dl = (-C - a l) / (sum w |grad C|^2 + a)` and `dx = w grad C dl`. Multipliers start at zero each substep.
//!
//! Bending and shear are under-relaxed: with a relaxation `r` the denominator is `sum w |grad C|^2 / r + a`.
//! Where they are soft against inertia (`a` is large) this changes nothing; where they are stiff, they
//! correct the share `r` of a violation in a substep, and do not undo what stretch has solved
//! (`docs/design/stretch.md`).
//!
//! To add an elastic constraint, implement [`Constraint`] in a file of its own and add it to the list of
//! [`ElasticConstraints`]. Constraints hold rest data and what follows from it and the masses, and never
//! state: what the caller moves is in [`State`](crate::state::State).

pub(crate) mod attachment;
pub(crate) mod bending;
pub(crate) mod coarse;
pub(crate) mod collider_contact;
pub(crate) mod contact;
mod contact_order;
pub(crate) mod custom;
pub(crate) mod drive;
pub(crate) mod lanes;
pub(crate) mod membrane;
pub(crate) mod particle;
#[cfg(test)]
mod reference;
pub(crate) mod schedule;
mod separation;
pub(crate) mod shear;
mod spring_network;
pub(crate) mod stitch;
pub(crate) mod stretch;
pub(crate) mod tether;
pub(crate) mod truncate;

use std::sync::Arc;

use attachment::AttachmentState;
use cloth_geom::Topology;
use lanes::{Instructions, Numbers};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::MaterialMap;
use crate::bodies::Bodies;
use crate::chunks::Chunks;
use crate::describe::cloth::ClothDesc;
use crate::describe::elastic_model::{ElasticModel, ErasedElasticModel};
use crate::geodesic::GeodesicGraph;
use crate::rest::RestGeometry;
use crate::state::State;

/// What happens between two levels of a constraint that has several: the contacts with colliders are
/// projected there, so that a load on a collider is carried by it and not by the neighbours.
pub(crate) type BetweenLevels<'a> = &'a mut dyn FnMut(&mut Bodies<'_>);

/// A kind of elastic constraint, over all cloths.
pub(crate) trait Constraint {
    /// Adds the constraints of one cloth.
    fn add_cloth(&mut self, cloth: &ClothInput<'_>);

    /// Brings the constraints into solving order, once all cloths have been added.
    fn finish(&mut self, _scene: &SceneInput<'_>) {}

    /// Updates what it caches of the inverse masses.
    fn update_masses(&mut self, _inv_mass: &[f32]) {}

    /// Rebuilds what depends on the pinned vertices, before a step; must not cost anything if they are the
    /// same as before. Vertices are pinned if `awake_inv_mass`, their inverse mass while awake, is zero;
    /// `inv_mass` is that of the coming step.
    fn update_pins(&mut self, _awake_inv_mass: &[f32], _inv_mass: &[f32]) {}

    /// One Gauss-Seidel pass.
    fn project(&mut self, bodies: &mut Bodies<'_>, pass: Pass, between_levels: BetweenLevels<'_>);
}

/// Defines the constraints of [`ElasticConstraints`], and their order.
macro_rules! elastic_constraints {
    ($($field:ident: $kind:ty,)*) => {
        /// The elastic constraints, in solving order.
        #[derive(Clone, Debug, Default)]
        pub(crate) struct ElasticConstraints {
            $(pub(crate) $field: $kind,)*
        }

        impl ElasticConstraints {
            fn for_each(&mut self, mut action: impl FnMut(&mut dyn Constraint)) {
                $(action(&mut self.$field);)*
            }
        }
    };
}

elastic_constraints! {
    // First: it integrates over the substep, and the others are projections.
    membrane: membrane::MembraneConstraints,
    bending: bending::BendingConstraints,
    shear: shear::ShearConstraints,
    // Before stretch, so that springs smooth the corrections of single vertices. After it, the 99th
    // percentile of a hung sheet's stretch is three times as large.
    tethers: Vec<tether::ClothTethers>,
    stretch: stretch::StretchConstraints,
    stitches: Vec<stitch::StitchConstraint>,
    attachments: Vec<attachment::AttachmentConstraint>,
    drives: Vec<drive::ClothDrive>,
}

impl ElasticConstraints {
    /// Adds the constraints of one cloth.
    pub(crate) fn add_cloth(&mut self, cloth: &ClothInput<'_>) {
        self.for_each(|constraint| constraint.add_cloth(cloth));
    }

    /// Makes the constraints of all cloths ready to be projected.
    pub(crate) fn finish(&mut self, scene: &SceneInput<'_>) {
        self.for_each(|constraint| {
            constraint.finish(scene);
            constraint.update_masses(scene.inv_mass);
            constraint.update_pins(scene.inv_mass, scene.inv_mass);
        });
    }

    /// Updates the inverse masses that constraints cache.
    pub(crate) fn update_masses(&mut self, inv_mass: &[f32]) {
        self.for_each(|constraint| constraint.update_masses(inv_mass));
    }

    /// Switches attachments on and off before a step, and lets tethers end at those that hold.
    pub(crate) fn switch_attachments(&mut self, states: &[AttachmentState]) {
        let Self { attachments, tethers, .. } = self;
        if attachments.iter().zip(states).all(|(attachment, now)| attachment.holds == now.holds) {
            return;
        }
        attachments.iter_mut().zip(states).for_each(|(attachment, now)| attachment.holds = now.holds);
        let holding = attachments.iter().filter(|attachment| attachment.holds).map(|a| a.vertex);
        tethers.iter_mut().for_each(|tethers| tethers.set_attached(holding.clone()));
    }

    /// Adds the forces in a substep of `h` seconds to their means over the step so far. That of cloth that
    /// sleeps stays.
    pub(crate) fn measure_forces(&self, index: u32, h: f32, state: &mut State) {
        for (attachment, now) in self.attachments.iter().zip(&mut state.attachments) {
            let v = attachment.vertex as usize;
            if !attachment.holds || state.sleep.inv_mass[v] == 0.0 {
                now.force = Vector3::zeros();
            } else if state.inv_mass[v] > 0.0 {
                let mut impulse = attachment.lambda.xyz();
                self.tethers
                    .iter()
                    .for_each(|tethers| impulse += tethers.pull_to(attachment.vertex, &state.x));
                now.force += (impulse / (h * h) - now.force) / (index + 1) as f32;
            }
        }
    }

    /// Rebuilds the constraints whose anchors have changed, before a step.
    pub(crate) fn update_pins(&mut self, awake_inv_mass: &[f32], inv_mass: &[f32]) {
        self.for_each(|constraint| constraint.update_pins(awake_inv_mass, inv_mass));
    }

    /// One Gauss-Seidel pass over all elastic constraints.
    pub(crate) fn project(&mut self, bodies: &mut Bodies<'_>, pass: Pass, between_levels: BetweenLevels<'_>) {
        self.for_each(|constraint| constraint.project(bodies, pass, between_levels));
    }
}

/// The cloth that constraints are added for.
pub(crate) struct ClothInput<'a> {
    pub(crate) cloth: &'a ClothDesc,
    /// Positions (m) of its vertices at the start.
    pub(crate) start: &'a [Point3<f32>],
    /// The place of an instance relative to its description.
    pub(crate) pose: Option<&'a Isometry3<f32>>,
    pub(crate) prepared: &'a PreparedConstraints,
    pub(crate) topology: &'a Topology,
    /// Decides which constraints a cloth has.
    pub(crate) model: ElasticModel,
    /// The model of the caller, in its place.
    pub(crate) custom: Option<&'a dyn ErasedElasticModel>,
    /// Its first vertex in the common arrays.
    pub(crate) offset: u32,
}

impl ClothInput<'_> {
    /// Whether stretch and shear are constraints that XPBD projects.
    pub(crate) fn has_xpbd_membrane(&self) -> bool {
        self.custom.is_none() && self.model == ElasticModel::Xpbd
    }

    /// Whether hinges resist bending.
    pub(crate) fn has_hinges(&self) -> bool {
        match self.custom {
            Some(custom) => !custom.has_bending(),
            // Flexion springs take their place.
            None => !matches!(self.model, ElasticModel::MassSpring(_)),
        }
    }

    /// The number in the common arrays of a vertex of the cloth.
    pub(crate) fn shift(&self, vertex: u32) -> u32 {
        vertex + self.offset
    }

    /// The place (m) of a point of the description.
    pub(crate) fn place(&self, point: &Point3<f32>) -> Point3<f32> {
        self.pose.map_or(*point, |pose| pose * point)
    }
}

/// The constraints of one cloth that follow from its rest shape and materials, in its own vertex numbers.
#[derive(Debug)]
pub(crate) struct PreparedConstraints {
    pub(crate) rest: RestGeometry,
    pub(crate) materials: MaterialMap,
    pub(crate) springs: Vec<stretch::Spring>,
    /// The vertices on folds that rest flat, ascending.
    unfolding: Vec<u32>,
    hinges: Vec<bending::BendingConstraint>,
    sheared: Vec<shear::ShearConstraint>,
    /// The graph that tethers are measured in, if there are any.
    graph: Option<Arc<GeodesicGraph>>,
}

impl PreparedConstraints {
    pub(crate) fn new(
        desc: &ClothDesc,
        topology: &Topology,
        geometry: RestGeometry,
        materials: MaterialMap,
    ) -> Self {
        let rest = &geometry;
        let graph = || Arc::new(GeodesicGraph::new(topology, rest, &desc.stitches, tether::HINGES));
        Self {
            springs: stretch::springs(topology, rest, &materials).collect(),
            unfolding: rest.unfolding_vertices(desc, topology),
            hinges: bending::hinges(topology, rest, &materials),
            sheared: shear::faces(topology, rest, &materials),
            graph: desc.tethers.map(|_| graph()),
            rest: geometry,
            materials,
        }
    }
}

/// Arrays over all vertices, for constraints that depend on more than one cloth.
pub(crate) struct SceneInput<'a> {
    /// Rest positions (m).
    pub(crate) rest: &'a [Point3<f32>],
    pub(crate) faces: &'a [[u32; 3]],
    /// Inverse masses (1/kg); zero is immovable.
    pub(crate) inv_mass: &'a [f32],
    pub(crate) chunks: &'a Arc<Chunks>,
}

/// Parameters of a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass {
    /// Whether it is the first of the substep: multipliers start at zero.
    pub(crate) first: bool,
    /// Whether it is the last of the substep: multipliers are needed no more.
    pub(crate) last: bool,
    /// Under-relaxation of bending and shear, in (0, 1].
    pub(crate) relaxation: f32,
    /// Multilevel cycles of stretch.
    pub(crate) cycles: u32,
}

impl Pass {
    /// The multipliers of constraints that are projected once in a pass.
    fn multipliers(self) -> Multipliers {
        Multipliers { start: self.first, end: self.last }
    }
}

/// What happens to the multipliers of constraints in one projection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Multipliers {
    /// They are zero before it.
    start: bool,
    /// They are not needed after it.
    end: bool,
}

impl Multipliers {
    /// The multipliers of a part before the projection.
    #[inline(always)]
    fn load<S: Instructions>(self, simd: S, kept: &Numbers, part: usize) -> S::Lanes {
        if self.start { simd.splat(0.0) } else { simd.load(kept, part) }
    }

    /// Keeps the multipliers of a part after the projection.
    #[inline(always)]
    fn store<S: Instructions>(self, simd: S, multipliers: S::Lanes, kept: &mut Numbers, part: usize) {
        if !self.end {
            simd.store(multipliers, kept, part);
        }
    }
}

/// Scale factors of compliance, damping and weights of bending and shear in a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    /// 1 / h (1/s).
    inv_h: f32,
    /// 1 / h^2 (1/s2).
    inv_h_sq: f32,
    inv_relaxation: f32,
}

/// What is the same for all constraints of bending or shear in a projection.
#[derive(Clone, Copy)]
pub(crate) struct DampedPass {
    rates: Rates,
    multipliers: Multipliers,
}

impl DampedPass {
    /// In a substep of `h` seconds.
    fn new(h: f32, pass: Pass) -> Self {
        Self { rates: Rates::new(h, pass), multipliers: pass.multipliers() }
    }
}

impl Rates {
    fn new(h: f32, pass: Pass) -> Self {
        Self { inv_h: 1.0 / h, inv_h_sq: 1.0 / (h * h), inv_relaxation: 1.0 / pass.relaxation }
    }
}
