//! What intersects already: taken into quarantine when it is found, and out of it when it is undone.
//!
//! A tangle begins as the contour of a state that came from without: a start, a teleport, a body that could not be held back. Its two sets are
//! the vertices within [`RINGS`] edges of the contour on either side, and what the contour cuts off, which has to come back through
//! the other side. Of cloth and a body that has an inside, it is the cloth that lies in it, and all of the body: the body moves on, and
//! the cloth comes out where it can. The sets never grow. When no intersection is left in them, the tangle is over, and all its pairs
//! are kept apart from then on.

use cloth_broadphase::BroadPhase;
use cloth_geom::Topology;
use nalgebra::Point3;

use super::Gate;
use super::tangle_set::TangleSet;
use crate::Surface;
use crate::intersect::{Checker, IntersectError, Intersections};
use crate::tangle::{
    BodyOrientation, InteriorTraversal, Rings, SheetParts, SheetSplitter, Tracer, body_crossings,
};

/// How far the sets of a tangle reach from its contour, in edges: an end of the contour walks as it opens, and has to stay in them.
pub const RINGS: usize = 6;

/// Which intersections become tangles, if they belong to none; what comes later admits more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Admission {
    /// None: the state was certified.
    None,
    /// Those of cloth with a body: some were let go.
    WithBodies,
    /// All: the state comes from without.
    All,
}

/// What a look at a state found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// Tangles that are left.
    pub tangles: usize,
    /// Tangles that are over.
    pub resolved: usize,
    /// Intersections (edge and face) in tangles.
    pub tangled: usize,
    /// Vertices in tangles.
    pub vertices: usize,
    /// Intersections that belong to no tangle and were not admitted: failures.
    pub certified: usize,
}

/// What a gate looks at a state with, and memory for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Inspector<B> {
    checker: Checker<B>,
    /// The positions (m).
    exact: Vec<Point3<f64>>,
    results: Intersections,
    /// Which tangles have an intersection left.
    is_live: Vec<bool>,
    /// Intersections that belong to no tangle; of those the ones that are admitted.
    certified: Vec<[u32; 2]>,
    tracer: Tracer,
    rings: Rings,
    orientation: BodyOrientation,
    sheet_splitter: SheetSplitter,
    parts: SheetParts,
    traversal: InteriorTraversal<()>,
}

impl<B: BroadPhase> Gate<B> {
    /// Looks at a state (m) as a whole, exactly: ends the tangles that are undone, and begins those that are admitted.
    ///
    /// # Errors
    /// If there is not one position for each vertex, or if one is not finite.
    pub fn inspect(
        &mut self,
        surface: &Surface,
        positions: &[Point3<f32>],
        admit: Admission,
    ) -> Result<Inspection, IntersectError> {
        let Self { inspector, tangle_set, motions, .. } = self;
        let hits = inspector.inspect(surface, positions, tangle_set)?;
        let resolved = inspector.is_live.iter().filter(|live| !**live).count();
        let mut certified = inspector.certified.len();
        inspector.certified.retain(|&hit| is_admitted(admit, surface, hit));
        certified -= inspector.certified.len();
        if resolved > 0 || !inspector.certified.is_empty() {
            tangle_set.keep(&inspector.is_live);
            inspector.begin(tangle_set, *motions, surface, positions);
            tangle_set.index(surface.vertex_count());
            inspector.add_unassigned(tangle_set, *motions, surface);
        }
        Ok(Inspection {
            tangles: tangle_set.tangles().len(),
            resolved,
            tangled: hits - certified,
            vertices: tangle_set.vertex_count(),
            certified,
        })
    }

    /// Whether an intersection `[edge, face]` is part of a tangle.
    #[must_use]
    pub fn is_tangled(&self, surface: &Surface, hit: [u32; 2]) -> bool {
        self.tangle_set.tangle_of_hit(hit, &surface.topology).is_some()
    }

    /// The tangles, as the vertices on either side, each ascending.
    #[must_use]
    pub fn tangles(&self) -> &[[Vec<u32>; 2]] {
        self.tangle_set.tangles()
    }
}

impl<B: BroadPhase> Inspector<B> {
    /// Finds which tangles are live, and what belongs to none; returns how many intersections there are in all.
    fn inspect(
        &mut self,
        surface: &Surface,
        positions: &[Point3<f32>],
        tangle_set: &TangleSet,
    ) -> Result<usize, IntersectError> {
        let Self { checker, exact, results, is_live, certified, .. } = self;
        let topology = &surface.topology;
        exact.clear();
        exact.extend(positions.iter().map(|p| p.cast::<f64>()));
        checker.check_into(exact, topology, results)?;
        is_live.clear();
        is_live.resize(tangle_set.tangles().len(), false);
        certified.clear();
        let mut count = 0;
        for &hit in results.edge_faces.iter().filter(|&&hit| surface.is_guarded_hit(hit)) {
            count += 1;
            match tangle_set.tangle_of_hit(hit, topology) {
                Some(tangle) => is_live[tangle as usize] = true,
                None => certified.push(hit),
            }
        }
        Ok(count)
    }

    /// Begins a tangle at each contour of what is admitted.
    fn begin(
        &mut self,
        tangle_set: &mut TangleSet,
        motions: u64,
        surface: &Surface,
        positions: &[Point3<f32>],
    ) {
        let Self { exact, certified, tracer, rings, orientation, sheet_splitter, parts, traversal, .. } =
            self;
        let topology = &surface.topology;
        let contours = tracer.trace(certified, topology);
        if contours.is_empty() {
            return;
        }
        orientation.find(surface, positions);
        for (number, contour) in contours.iter().enumerate() {
            let sides = tangle_set.add(motions);
            for (side, vertices) in sides.iter_mut().enumerate() {
                vertices.extend(rings.k_ring_of_side(contour, side, topology, RINGS));
            }
            if let Some(body) = orientation.body_side(contour, topology) {
                let whole = rings.k_ring(topology, sides[body].iter().copied(), usize::MAX);
                sides[body].clear();
                sides[body].extend(whole);
                // The cloth that lies in the body behind this contour.
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

    /// Gives each intersection that no tangle has a tangle of its own: contours whose sides cannot be told apart may leave some.
    fn add_unassigned(&mut self, tangle_set: &mut TangleSet, motions: u64, surface: &Surface) {
        let topology: &Topology = &surface.topology;
        let before = tangle_set.tangles().len();
        for &hit in &self.certified {
            // By the index: what is added here is in none yet.
            if tangle_set.tangle_of_hit(hit, topology).is_none() {
                let [e, f] = hit.map(|id| id as usize);
                let seeds = [&topology.edges()[e][..], &topology.faces()[f][..]];
                for (side, seeds) in tangle_set.add(motions).iter_mut().zip(seeds) {
                    side.extend(self.rings.k_ring(topology, seeds.iter().copied(), RINGS));
                }
            }
        }
        if tangle_set.tangles().len() > before {
            tangle_set.index(surface.vertex_count());
        }
    }
}

fn is_admitted(admit: Admission, surface: &Surface, [e, f]: [u32; 2]) -> bool {
    let of_body = |vertices: &[u32]| surface.is_body(vertices[0]);
    match admit {
        Admission::All => true,
        Admission::WithBodies => {
            of_body(&surface.topology.edges()[e as usize]) || of_body(&surface.topology.faces()[f as usize])
        }
        Admission::None => false,
    }
}
