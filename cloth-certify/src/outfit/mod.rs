//! Garments and bodies that are judged together: what meets what, and what of cloth is inside of a body.

mod penetration;
mod roles;

use std::sync::{Mutex, MutexGuard, PoisonError};

use cloth_contacts::Coordinate;
use nalgebra::Point3;

pub use penetration::{BodySurface, Deepest, Penetration, PenetrationFinder};
pub use roles::{KindCounts, PairKind, Roles};

use crate::input::exact;
use crate::{
    CollisionMesh, InputError, MeshError, MotionReport, MotionWitness, Search, StateKind, StateReport,
    StateWitness,
};

/// Garments and the bodies that wear them.
///
/// ```
/// use cloth_certify::{Outfit, PairKind};
///
/// // A tetrahedron, and a triangle of cloth that one of its corners pierces.
/// let faces = [[0, 1, 2], [3, 5, 4], [3, 4, 6], [4, 5, 6], [5, 3, 6]];
/// let outfit = Outfit::new(7, &faces, &[0, 0, 0, 1, 1, 1, 1], &[false, true])?;
/// let cloth = [[-1., 0.9, -1.], [3., 0.9, -1.], [-1., 0.9, 3.]];
/// let body = [[0., 0., 0.], [1., 0., 0.], [0., 0., 1.], [0.2, 1., 0.2]];
/// let report = outfit.check_state(&[&cloth[..], &body].concat())?;
/// assert_eq!((report.counts.cloth_body, report.counts.total()), (3, 3));
/// assert!(report.penetration.vertices.is_empty() && report.penetration.deepest_face.is_some());
/// assert!(!report.is_clean() && report.witnesses()[0].0 == PairKind::ClothBody);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Outfit {
    mesh: CollisionMesh,
    roles: Roles,
    /// Knows which bodies are closed and turned since the first state.
    described: Mutex<PenetrationFinder>,
    /// Copies of it that no check uses at the moment.
    idle: Mutex<Vec<PenetrationFinder>>,
}

/// What was found in a state of an [`Outfit`].
#[derive(Clone, Debug, PartialEq)]
pub struct OutfitReport {
    /// Edges and faces that meet, by what they belong to.
    pub counts: KindCounts,
    /// Edges on which faces lie flat on each other, and faces that lie on others.
    pub folds: KindCounts,
    /// What of cloth is inside of bodies.
    pub penetration: Penetration,
    /// The bodies.
    pub bodies: Vec<BodySurface>,
    witnesses: Vec<(PairKind, StateWitness)>,
}

impl OutfitReport {
    /// Whether nothing meets cloth, no face of cloth lies on another, and no vertex of cloth is inside of a
    /// body. What bodies do among themselves does not count.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.counts.with_cloth() + self.folds.with_cloth() == 0 && self.penetration.vertices.is_empty()
    }

    /// All that meets, with what it belongs to, in the order of [`StateReport::witnesses`].
    #[must_use]
    pub fn witnesses(&self) -> &[(PairKind, StateWitness)] {
        &self.witnesses
    }
}

impl Outfit {
    /// Describes faces of all parts together: `part` has an entry a vertex, from 0, and `is_body` one a part.
    ///
    /// # Errors
    /// As [`crate::MeshBuilder::build`], or if a vertex is of a part that `is_body` does not have.
    pub fn new(
        vertex_count: usize,
        faces: &[[u32; 3]],
        part: &[u16],
        is_body: &[bool],
    ) -> Result<Self, MeshError> {
        let roles = Roles::new(part.to_vec(), is_body.to_vec())?;
        let mesh = CollisionMesh::new(vertex_count, faces).parts(part).build()?;
        let described = Mutex::new(PenetrationFinder::new(&roles, faces));
        Ok(Self { mesh, roles, described, idle: Mutex::default() })
    }

    /// The mesh of all parts.
    #[must_use]
    pub fn mesh(&self) -> &CollisionMesh {
        &self.mesh
    }

    /// Which parts are cloth and which are bodies.
    #[must_use]
    pub fn roles(&self) -> &Roles {
        &self.roles
    }

    /// Judges a state (m): what meets, exactly, and what of cloth is inside of a body, by winding numbers.
    /// Which bodies are closed and turned is that of the first state. Any number of threads may call it at
    /// once.
    ///
    /// # Errors
    /// If there is not one finite position a vertex.
    pub fn check_state<T: Coordinate>(&self, x: &[[T; 3]]) -> Result<OutfitReport, InputError> {
        let found = self.mesh.check_state(x)?;
        let x = exact(x);
        let faces = self.mesh.topology().faces();
        let crossing = self.crossing_faces(&found);
        let mut finder = self.take_finder(&x);
        let penetration = finder.find(&x, faces, &crossing);
        let bodies = finder.bodies().collect();
        lock(&self.idle).push(finder);
        let named = |witness: &StateWitness| (self.kind_of_state(witness), *witness);
        let witnesses: Vec<_> = found.witnesses().iter().map(named).collect();
        let is_hit = |(_, witness): &&(_, StateWitness)| witness.kind < StateKind::FlatFold;
        let (hits, others): (Vec<_>, Vec<_>) = witnesses.iter().partition(is_hit);
        let count = |found: Vec<(PairKind, StateWitness)>| found.into_iter().map(|(kind, _)| kind).collect();
        Ok(OutfitReport { counts: count(hits), folds: count(others), penetration, bodies, witnesses })
    }

    /// Finds what touches while every vertex moves linearly, as [`CollisionMesh::check_motion`], bodies among
    /// themselves included; [`Self::kind_of_motion`] says what a pair belongs to.
    ///
    /// # Errors
    /// As [`CollisionMesh::check_motion`].
    pub fn check_motion<T: Coordinate>(
        &self,
        x0: &[[T; 3]],
        x1: &[[T; 3]],
        search: Search,
    ) -> Result<MotionReport, InputError> {
        self.mesh.check_motion(x0, x1, search)
    }

    /// What a pair that touches in a motion belongs to.
    #[must_use]
    pub fn kind_of_motion(&self, witness: &MotionWitness) -> PairKind {
        let [a, _, _, b] = witness.vertices;
        self.roles.kind(a, b)
    }

    fn kind_of_state(&self, witness: &StateWitness) -> PairKind {
        let face = |f: u32| self.mesh.topology().faces()[f as usize][0];
        // An edge, and the faces of a flat fold at it, are of one part.
        let first = witness.ends[0].or_else(|| witness.other_face.map(face));
        let last = face(witness.face);
        self.roles.kind(first.unwrap_or(last), last)
    }

    /// A finder for one check. No lock is held while it works: a thread that waits for its tasks may begin
    /// with another check.
    fn take_finder(&self, x: &[Point3<f64>]) -> PenetrationFinder {
        let idle = lock(&self.idle).pop();
        idle.unwrap_or_else(|| {
            let mut described = lock(&self.described);
            described.describe(x);
            described.clone()
        })
    }

    /// The faces of cloth that meet a body, ascending.
    fn crossing_faces(&self, found: &StateReport) -> Vec<u32> {
        let topology = self.mesh.topology();
        let pairs = found.intersections().filter_map(|witness| Some([witness.edge?, witness.face]));
        self.roles.crossing_faces(pairs, topology)
    }
}

/// What a panic elsewhere left is valid.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
