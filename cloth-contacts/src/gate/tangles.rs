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
use super::quarantine::Quarantine;
use crate::Surface;
use crate::intersect::{Checker, IntersectError, Intersections};
use crate::tangle::{Cutter, Follower, Outside, Parts, Rings, Tracer, cuts};

/// How far the sets of a tangle reach from its contour, in edges: an end of the contour walks as it opens, and has to stay in them.
pub const RINGS: usize = 6;

/// Which intersections become tangles, if they belong to none; what comes later admits more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Admit {
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
    pub undone: usize,
    /// Intersections (edge and face) in tangles.
    pub tangled: usize,
    /// Vertices in tangles.
    pub vertices: usize,
    /// Intersections that belong to no tangle and were not admitted: failures.
    pub strays: usize,
}

/// What a gate looks at a state with, and memory for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Inspector<B> {
    checker: Checker<B>,
    /// The positions (m).
    exact: Vec<Point3<f64>>,
    found: Intersections,
    /// Which tangles have an intersection left.
    is_live: Vec<bool>,
    /// Intersections that belong to no tangle; of those the ones that are admitted.
    strays: Vec<[u32; 2]>,
    tracer: Tracer,
    rings: Rings,
    outside: Outside,
    cutter: Cutter,
    parts: Parts,
    follower: Follower<()>,
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
        admit: Admit,
    ) -> Result<Inspection, IntersectError> {
        let Self { inspector, quarantine, motions, .. } = self;
        let hits = inspector.look(surface, positions, quarantine)?;
        let undone = inspector.is_live.iter().filter(|live| !**live).count();
        let mut strays = inspector.strays.len();
        inspector.strays.retain(|&hit| admits(admit, surface, hit));
        strays -= inspector.strays.len();
        if undone > 0 || !inspector.strays.is_empty() {
            quarantine.keep(&inspector.is_live);
            inspector.begin(quarantine, *motions, surface, positions);
            quarantine.index(surface.vertex_count());
            inspector.adopt(quarantine, *motions, surface);
        }
        Ok(Inspection {
            tangles: quarantine.tangles().len(),
            undone,
            tangled: hits - strays,
            vertices: quarantine.vertex_count(),
            strays,
        })
    }

    /// Whether an intersection `[edge, face]` is part of a tangle.
    #[must_use]
    pub fn is_tangled(&self, surface: &Surface, hit: [u32; 2]) -> bool {
        self.quarantine.tangle_of_hit(hit, &surface.topology).is_some()
    }

    /// The tangles, as the vertices on either side, each ascending.
    #[must_use]
    pub fn tangles(&self) -> &[[Vec<u32>; 2]] {
        self.quarantine.tangles()
    }
}

impl<B: BroadPhase> Inspector<B> {
    /// Finds which tangles are live, and what belongs to none; returns how many intersections there are in all.
    fn look(
        &mut self,
        surface: &Surface,
        positions: &[Point3<f32>],
        quarantine: &Quarantine,
    ) -> Result<usize, IntersectError> {
        let Self { checker, exact, found, is_live, strays, .. } = self;
        let topology = &surface.topology;
        exact.clear();
        exact.extend(positions.iter().map(|p| p.cast::<f64>()));
        checker.check_into(exact, topology, found)?;
        is_live.clear();
        is_live.resize(quarantine.tangles().len(), false);
        strays.clear();
        let mut count = 0;
        for &hit in found.edge_faces.iter().filter(|&&hit| surface.keeps_apart(hit)) {
            count += 1;
            match quarantine.tangle_of_hit(hit, topology) {
                Some(tangle) => is_live[tangle as usize] = true,
                None => strays.push(hit),
            }
        }
        Ok(count)
    }

    /// Begins a tangle at each contour of what is admitted.
    fn begin(
        &mut self,
        quarantine: &mut Quarantine,
        motions: u64,
        surface: &Surface,
        positions: &[Point3<f32>],
    ) {
        let Self { exact, strays, tracer, rings, outside, cutter, parts, follower, .. } = self;
        let topology = &surface.topology;
        let contours = tracer.trace(strays, topology);
        if contours.is_empty() {
            return;
        }
        outside.find(surface, positions);
        for (number, contour) in contours.iter().enumerate() {
            let sides = quarantine.add(motions);
            for (side, vertices) in sides.iter_mut().enumerate() {
                vertices.extend(rings.beside(contour, side, topology, RINGS));
            }
            if let Some(body) = outside.body_side(contour, topology) {
                let whole = rings.around(topology, sides[body].iter().copied(), usize::MAX);
                sides[body].clear();
                sides[body].extend(whole);
                // The cloth that lies in the body behind this contour.
                follower.clear();
                for (other, contour) in contours.iter().enumerate() {
                    let begin = (other == number).then_some(());
                    follower.add(cuts(contour, outside, exact, topology).map(|cut| (cut, begin)));
                }
                follower.follow(topology, |vertex, ()| sides[1 - body].push(vertex));
            } else {
                for (side, vertices) in sides.iter_mut().enumerate() {
                    cutter.cut(contour, side, topology, parts);
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
    fn adopt(&mut self, quarantine: &mut Quarantine, motions: u64, surface: &Surface) {
        let topology: &Topology = &surface.topology;
        let before = quarantine.tangles().len();
        for &hit in &self.strays {
            // By the index: what is added here is in none yet.
            if quarantine.tangle_of_hit(hit, topology).is_none() {
                let [e, f] = hit.map(|id| id as usize);
                let seeds = [&topology.edges()[e][..], &topology.faces()[f][..]];
                for (side, seeds) in quarantine.add(motions).iter_mut().zip(seeds) {
                    side.extend(self.rings.around(topology, seeds.iter().copied(), RINGS));
                }
            }
        }
        if quarantine.tangles().len() > before {
            quarantine.index(surface.vertex_count());
        }
    }
}

fn admits(admit: Admit, surface: &Surface, [e, f]: [u32; 2]) -> bool {
    let of_body = |vertices: &[u32]| surface.is_body(vertices[0]);
    match admit {
        Admit::All => true,
        Admit::WithBodies => {
            of_body(&surface.topology.edges()[e as usize]) || of_body(&surface.topology.faces()[f as usize])
        }
        Admit::None => false,
    }
}
