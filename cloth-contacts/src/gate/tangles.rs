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
use super::quarantine::Found;
use crate::Surface;
use crate::intersect::IntersectError;
use crate::tangle::{Contour, Outside, cuts, follow, inside, rings, trace};

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
        let topology = &surface.topology;
        self.exact.clear();
        self.exact.extend(positions.iter().map(|p| p.cast::<f64>()));
        let mut hits = self.checker.check(&self.exact, topology)?.edge_faces;
        hits.retain(|&hit| surface.keeps_apart(hit));
        let mut tangles: Vec<Found> = self.quarantine.found().collect();
        let before = tangles.len();
        let mut is_live = vec![false; before];
        let mut strays = Vec::new();
        for &hit in &hits {
            match self.quarantine.tangle_of_hit(hit, topology) {
                Some(tangle) => is_live[tangle as usize] = true,
                None => strays.push(hit),
            }
        }
        let mut live = is_live.iter();
        tangles.retain(|_| live.next() == Some(&true));
        let undone = before - tangles.len();
        let admitted: Vec<[u32; 2]> =
            strays.iter().copied().filter(|&hit| admits(admit, surface, hit)).collect();
        let motions = self.motions;
        tangles
            .extend(self.begun_at(&admitted, surface, positions).into_iter().map(|sides| (motions, sides)));
        if undone > 0 || !admitted.is_empty() {
            self.quarantine.set(tangles, surface.vertex_count());
            self.adopt(&admitted, surface);
        }
        let strays = strays.len() - admitted.len();
        Ok(Inspection {
            tangles: self.quarantine.tangles().len(),
            undone,
            tangled: hits.len() - strays,
            vertices: self.quarantine.vertex_count(),
            strays,
        })
    }

    /// The two sets of each contour.
    fn begun_at(
        &self,
        hits: &[[u32; 2]],
        surface: &Surface,
        positions: &[Point3<f32>],
    ) -> Vec<[Vec<u32>; 2]> {
        let topology = &surface.topology;
        let contours = trace(hits, topology);
        if contours.is_empty() {
            return Vec::new();
        }
        let outside = Outside::new(surface, positions);
        let sets = |number: usize| {
            let contour: &Contour = &contours[number];
            let mut sides = contour.vertex_sets(topology, RINGS);
            if let Some(body) = outside.body_side(contour, topology) {
                sides[body] = rings(topology, &sides[body], usize::MAX);
                sides[1 - body].extend(self.inside_of(&contours, number, &outside, topology));
            } else {
                for (side, part) in sides.iter_mut().zip(inside(contour, topology)) {
                    side.extend(part.into_iter().flatten());
                }
            }
            for side in &mut sides {
                side.sort_unstable();
                side.dedup();
            }
            sides
        };
        (0..contours.len()).map(sets).collect()
    }

    /// The cloth that lies in a body behind one of the contours.
    fn inside_of(
        &self,
        contours: &[Contour],
        number: usize,
        outside: &Outside,
        topology: &Topology,
    ) -> Vec<u32> {
        let all = contours.iter().enumerate().flat_map(|(k, contour)| {
            let begin = (k == number).then_some(());
            cuts(contour, outside, &self.exact, topology).map(move |cut| (cut, begin))
        });
        let mut found = Vec::new();
        follow(all.collect(), topology, |vertex, ()| found.push(vertex));
        found
    }

    /// Gives each intersection that no tangle has a tangle of its own: contours whose sides cannot be told apart may leave some.
    fn adopt(&mut self, admitted: &[[u32; 2]], surface: &Surface) {
        let topology = &surface.topology;
        let left = admitted.iter().filter(|&&hit| self.quarantine.tangle_of_hit(hit, topology).is_none());
        let own: Vec<[Vec<u32>; 2]> = left
            .map(|&[e, f]| {
                [&topology.edges()[e as usize][..], &topology.faces()[f as usize][..]]
                    .map(|seeds| rings(topology, seeds, RINGS))
            })
            .collect();
        if !own.is_empty() {
            let motions = self.motions;
            let own = own.into_iter().map(|sides| (motions, sides));
            let tangles = self.quarantine.found().chain(own).collect();
            self.quarantine.set(tangles, surface.vertex_count());
        }
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
