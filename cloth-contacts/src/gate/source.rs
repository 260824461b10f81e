//! Where the pairs come from that could meet: lists that know what cannot, or simply all.

use std::cell::RefCell;

use cloth_broadphase::BroadPhase;

use super::pair::Pair;
use crate::candidates::Candidates;
use crate::list::{Each, Watch};
use crate::{DetectError, Motion, Surface};

/// Relative motion that the gate's own lists are made to outlast, beside that of detection's: they are shorter.
const SLACK: f32 = 2.0;

/// Proposes pairs to be judged.
pub(super) trait Source {
    /// Visits every pair that may come within its reach in the motion, and any others, in no order. `look` says how far (m) a pair
    /// is beyond its reach at the start, or nothing if it did not look.
    ///
    /// If `touched` is given, the start is that of the last visit, and only pairs are wanted of which it names a vertex: all
    /// others move as they did then.
    fn visit(
        &mut self,
        surface: &Surface,
        motion: &Motion<'_>,
        slack: f32,
        touched: Option<&dyn Fn(u32) -> bool>,
        look: impl FnMut(Pair) -> Option<f64>,
    ) -> Result<(), DetectError>;
}

/// Lists of the gate's own, within its clearance.
impl<B: BroadPhase> Source for Candidates<B> {
    fn visit(
        &mut self,
        surface: &Surface,
        motion: &Motion<'_>,
        slack: f32,
        touched: Option<&dyn Fn(u32) -> bool>,
        look: impl FnMut(Pair) -> Option<f64>,
    ) -> Result<(), DetectError> {
        // Its clearance is the reach of the surface that they are of.
        visit(self, Watch::Contact, surface, (motion, SLACK * slack), touched, look)
    }
}

/// The lists of detection, and the surface that they are of.
pub(super) struct Shared<'a, B> {
    pub(super) candidates: &'a mut Candidates<B>,
    pub(super) surface: &'a Surface,
}

impl<B: BroadPhase> Source for Shared<'_, B> {
    fn visit(
        &mut self,
        _surface: &Surface,
        motion: &Motion<'_>,
        slack: f32,
        touched: Option<&dyn Fn(u32) -> bool>,
        look: impl FnMut(Pair) -> Option<f64>,
    ) -> Result<(), DetectError> {
        visit(self.candidates, Watch::Clearance, self.surface, (motion, slack), touched, look)
    }
}

fn visit<B: BroadPhase>(
    candidates: &mut Candidates<B>,
    watch: Watch,
    surface: &Surface,
    (motion, slack): (&Motion<'_>, f32),
    touched: Option<&dyn Fn(u32) -> bool>,
    look: impl FnMut(Pair) -> Option<f64>,
) -> Result<(), DetectError> {
    let look = RefCell::new(look);
    let mut of_points = Each(|pair| look.borrow_mut()(Pair::PointTriangle(pair)));
    let mut of_edges = Each(|pair| look.borrow_mut()(Pair::EdgeEdge(pair)));
    match touched {
        None => {
            candidates.update(surface, motion, slack).map_err(DetectError::Boxes)?;
            candidates.look(watch, &mut of_points, &mut of_edges);
        }
        Some(touched) => {
            candidates.update_again(surface, motion, slack, touched).map_err(DetectError::Boxes)?;
            candidates.look_again(watch, &mut of_points, &mut of_edges);
        }
    }
    Ok(())
}

/// Every vertex and face, and every two edges, that the gate keeps apart: the reference.
pub(super) struct AllPairs;

impl Source for AllPairs {
    fn visit(
        &mut self,
        surface: &Surface,
        _motion: &Motion<'_>,
        _slack: f32,
        _touched: Option<&dyn Fn(u32) -> bool>,
        mut look: impl FnMut(Pair) -> Option<f64>,
    ) -> Result<(), DetectError> {
        let (faces, edges) = (surface.topology.faces(), surface.topology.edges());
        let mut guard = |pair| {
            if surface.authored_exemption(pair).is_none() {
                look(pair);
            }
        };
        for (f, face) in faces.iter().enumerate() {
            let others = (0..surface.vertex_count() as u32).filter(|v| !face.contains(v));
            others.for_each(|v| guard(Pair::PointTriangle([v, f as u32])));
        }
        for (b, edge) in edges.iter().enumerate() {
            let others = edges[..b].iter().enumerate();
            let others = others.filter(|(_, other)| !edge.iter().any(|v| other.contains(v)));
            others.for_each(|(a, _)| guard(Pair::EdgeEdge([a as u32, b as u32])));
        }
        Ok(())
    }
}
