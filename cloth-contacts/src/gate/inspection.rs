//! Tangles: intersections that exist already are exempt until they are resolved.
//!
//! A tangle starts from an intersection contour of a state that the gate did not certify: an initial state, a
//! teleport, a release of a pair with a body. Its two vertex sets contain the vertices within [`RINGS`] edges
//! of the contour on either side, and the part of the sheet that the contour encloses, which has to return
//! through the other side. Between cloth and a body with an inside, the sets are the cloth inside the body,
//! and the whole body, so that the cloth may leave it anywhere. The sets never grow. When none of their pairs
//! intersects, the tangle is resolved, and its pairs are guarded from then on.

use cloth_broadphase::AnyBroadPhase;
use cloth_geom::Topology;
use nalgebra::Point3;

use super::Gate;
use super::tangle_set::TangleSet;
use crate::coordinate;
use crate::intersect::{Checker, IntersectError, Intersections};
use crate::tangle::{
    BodyOrientation, InteriorTraversal, Rings, SheetParts, SheetSplitter, Tracer, body_crossings,
};
use crate::{Coordinate, Surface};

/// Width (edges) of the vertex sets of a tangle around its contour. The ends of a contour move as it opens
/// and must stay in the sets.
pub const RINGS: usize = 6;

/// Which intersections outside of all tangles become tangles; a later variant admits more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Admission {
    /// None: the state was certified.
    None,
    /// Intersections of cloth with a body: pairs with bodies were released.
    WithBodies,
    /// All: the state was not certified.
    All,
}

impl Admission {
    /// Whether an intersection `[edge, face]` outside of all tangles becomes one; ids out of range are of no
    /// body.
    #[must_use]
    pub fn admits(self, surface: &Surface, [e, f]: [u32; 2]) -> bool {
        let (edges, faces) = (surface.topology.edges(), surface.topology.faces());
        let edge_of_body = || edges.get(e as usize).is_some_and(|ends| surface.is_body(ends[0]));
        let face_of_body = || faces.get(f as usize).is_some_and(|corners| surface.is_body(corners[0]));
        match self {
            Self::All => true,
            Self::WithBodies => edge_of_body() || face_of_body(),
            Self::None => false,
        }
    }
}

/// Result of an inspection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// Number of tangles that remain.
    pub tangles: usize,
    /// Number of tangles that were resolved.
    pub resolved: usize,
    /// Number of intersections (edge and face) in tangles.
    pub tangled: usize,
    /// Number of vertices in tangles.
    pub vertices: usize,
    /// Number of intersections outside of all tangles that were not admitted. Any such intersection is a
    /// failure of the gate.
    pub not_admitted: usize,
}

/// Scratch memory of inspections.
#[derive(Clone, Debug, Default)]
pub(super) struct Inspector {
    checker: Checker,
    /// Positions (m).
    exact: Vec<Point3<f64>>,
    results: Intersections,
    /// By tangle: whether it has an intersection left.
    is_live: Vec<bool>,
    /// Intersections outside of all tangles; later those among them that are admitted.
    outside: Vec<[u32; 2]>,
    tracer: Tracer,
    rings: Rings,
    orientation: BodyOrientation,
    sheet_splitter: SheetSplitter,
    parts: SheetParts,
    traversal: InteriorTraversal<()>,
}

impl<C, T: Coordinate> Gate<C, T> {
    /// Checks a whole state (m) exactly, removes resolved tangles, and starts tangles at the intersections
    /// that `admit` allows.
    ///
    /// # Errors
    /// If the number of positions is not that of the vertices, or if one is not finite.
    pub fn inspect(
        &mut self,
        surface: &Surface,
        positions: &[Point3<T>],
        admit: Admission,
    ) -> Result<Inspection, IntersectError> {
        let Self { inspector, tangle_set, .. } = self;
        let found = inspector.inspect(surface, positions, tangle_set, admit)?;
        if found.resolved > 0 || !inspector.outside.is_empty() {
            tangle_set.keep(&inspector.is_live);
            inspector.begin(tangle_set, surface);
            tangle_set.index(surface.vertex_count());
            inspector.add_unassigned(tangle_set, surface);
        }
        let (tangles, vertices) = (tangle_set.tangles().len(), tangle_set.vertex_count());
        Ok(Inspection { tangles, vertices, ..found })
    }

    /// Whether an intersection `[edge, face]` belongs to a tangle.
    #[must_use]
    pub fn is_tangled(&self, surface: &Surface, hit: [u32; 2]) -> bool {
        self.tangle_set.tangle_of_hit(hit, &surface.topology).is_some()
    }

    /// The tangles, each as its two vertex sets in ascending order.
    #[must_use]
    pub fn tangles(&self) -> &[[Vec<u32>; 2]] {
        self.tangle_set.tangles()
    }

    /// The same, each with the number of motions that had been certified when it was found.
    pub fn tangles_since(&self) -> impl Iterator<Item = (&[Vec<u32>; 2], u64)> {
        self.tangle_set.tangles_since()
    }
}

impl Inspector {
    pub(super) fn with_broad_phase(broad_phase: AnyBroadPhase) -> Self {
        Self { checker: Checker::with_broad_phase(broad_phase), ..Self::default() }
    }

    /// Finds the tangles with intersections left, and the intersections outside of all tangles that `admit`
    /// allows.
    pub(super) fn inspect<T: Coordinate>(
        &mut self,
        surface: &Surface,
        positions: &[Point3<T>],
        tangle_set: &TangleSet,
        admit: Admission,
    ) -> Result<Inspection, IntersectError> {
        let Self { checker, exact, results, is_live, outside, .. } = self;
        let topology = &surface.topology;
        exact.clear();
        exact.extend(positions.iter().map(coordinate::exact));
        checker.leave_out_among(surface.bodies());
        checker.check_into(exact, topology, results)?;
        is_live.clear();
        is_live.resize(tangle_set.tangles().len(), false);
        outside.clear();
        let mut count = 0;
        for &hit in results.edge_faces.iter().filter(|&&hit| surface.is_guarded_hit(hit)) {
            count += 1;
            match tangle_set.tangle_of_hit(hit, topology) {
                Some(tangle) => is_live[tangle as usize] = true,
                None => outside.push(hit),
            }
        }
        let (all, found) = (tangle_set.tangles().len(), outside.len());
        outside.retain(|&hit| admit.admits(surface, hit));
        let not_admitted = found - outside.len();
        let resolved = is_live.iter().filter(|live| !**live).count();
        let (tangles, tangled, vertices) = (all - resolved, count - not_admitted, tangle_set.vertex_count());
        Ok(Inspection { tangles, resolved, tangled, vertices, not_admitted })
    }

    /// Starts a tangle at each contour of the admitted intersections.
    fn begin(&mut self, tangle_set: &mut TangleSet, surface: &Surface) {
        let Self { exact, outside, tracer, rings, orientation, sheet_splitter, parts, traversal, .. } = self;
        let topology = &surface.topology;
        let contours = tracer.trace(outside, topology);
        if contours.is_empty() {
            return;
        }
        orientation.find(surface, exact);
        for (number, contour) in contours.iter().enumerate() {
            let sides = tangle_set.add();
            for (side, vertices) in sides.iter_mut().enumerate() {
                vertices.extend(rings.k_ring_of_side(contour, side, topology, RINGS));
            }
            if let Some(body) = orientation.body_side(contour, topology) {
                let whole = rings.k_ring(topology, sides[body].iter().copied(), usize::MAX);
                sides[body].clear();
                sides[body].extend(whole);
                // The cloth inside the body behind this contour.
                traversal.clear();
                for (other, contour) in contours.iter().enumerate() {
                    let begin = (other == number).then_some(());
                    traversal
                        .add(body_crossings(contour, orientation, exact, topology).map(|cut| (cut, begin)));
                }
                traversal.follow(topology, |vertex, ()| sides[1 - body].push(vertex));
            } else {
                for (side, vertices) in sides.iter_mut().enumerate() {
                    sheet_splitter.split(contour, side, topology, parts);
                    vertices.extend(&parts.smaller);
                }
            }
            for side in sides {
                side.sort_unstable();
                side.dedup();
            }
        }
    }

    /// Starts a tangle at each intersection that is in none: contours with indistinguishable sides may leave
    /// some out.
    fn add_unassigned(&mut self, tangle_set: &mut TangleSet, surface: &Surface) {
        let topology: &Topology = &surface.topology;
        let before = tangle_set.tangles().len();
        for &hit in &self.outside {
            // By the index, which does not contain the tangles added here.
            if tangle_set.tangle_of_hit(hit, topology).is_none() {
                let [e, f] = hit.map(|id| id as usize);
                let seeds = [&topology.edges()[e][..], &topology.faces()[f][..]];
                for (side, seeds) in tangle_set.add().iter_mut().zip(seeds) {
                    side.extend(self.rings.k_ring(topology, seeds.iter().copied(), RINGS));
                }
            }
        }
        if tangle_set.tangles().len() > before {
            tangle_set.index(surface.vertex_count());
        }
    }
}
