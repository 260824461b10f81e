//! Where the pairs come from that could meet: lists that know what cannot, or simply all.

use std::cell::RefCell;

use cloth_broadphase::BroadPhase;

use super::pair::Pair;
use crate::candidates::Candidates;
use crate::list::{Look, Watch, Woken};
use crate::{DetectError, Motion, Surface};

/// Relative motion that the gate's own lists are made to outlast, beside that of detection's: they are shorter.
const SLACK: f32 = 2.0;

/// Proposes pairs to be judged.
pub(super) trait Source {
    /// Proposes every pair that may come within its reach in the motion, and any others, in no order.
    ///
    /// If `touched` is given, the start is that of the last visit, and only pairs are wanted of which it names a vertex: all
    /// others move as they did then.
    fn visit(
        &mut self,
        surface: &Surface,
        motion: &Motion<'_>,
        slack: f32,
        touched: Option<&dyn Fn(u32) -> bool>,
        visitor: &mut impl Visitor,
    ) -> Result<(), DetectError>;
}

/// Judges the pairs that are proposed, and says how far (m) each is beyond its reach at the start, or nothing if it did not look.
pub(super) trait Visitor {
    /// Judges a pair.
    fn pair(&mut self, pair: Pair) -> Option<f64>;

    /// Judges candidates of one kind; `open` is empty before.
    fn list(&mut self, kind: Kind, woken: &[Woken], open: &mut Vec<Option<f64>>);
}

/// The kind of all pairs of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    PointTriangle,
    EdgeEdge,
}

impl Kind {
    #[inline]
    pub(super) fn pair(self, ids: [u32; 2]) -> Pair {
        match self {
            Self::PointTriangle => Pair::PointTriangle(ids),
            Self::EdgeEdge => Pair::EdgeEdge(ids),
        }
    }
}

/// Passes the lists of one kind on.
struct Lists<'a, A> {
    kind: Kind,
    visitor: &'a RefCell<&'a mut A>,
}

impl<A: Visitor> Look for Lists<'_, A> {
    fn measure(&mut self, woken: &[Woken], open: &mut Vec<Option<f64>>) {
        self.visitor.borrow_mut().list(self.kind, woken, open);
    }

    fn take(&mut self, _: usize, _: [u32; 2]) {}
}

/// Lists of the gate's own, within its clearance.
impl<B: BroadPhase> Source for Candidates<B> {
    fn visit(
        &mut self,
        surface: &Surface,
        motion: &Motion<'_>,
        slack: f32,
        touched: Option<&dyn Fn(u32) -> bool>,
        visitor: &mut impl Visitor,
    ) -> Result<(), DetectError> {
        // Its clearance is the reach of the surface that they are of.
        visit(self, Watch::Contact, surface, (motion, SLACK * slack), touched, visitor)
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
        visitor: &mut impl Visitor,
    ) -> Result<(), DetectError> {
        visit(self.candidates, Watch::Clearance, self.surface, (motion, slack), touched, visitor)
    }
}

fn visit<B: BroadPhase>(
    candidates: &mut Candidates<B>,
    watch: Watch,
    surface: &Surface,
    (motion, slack): (&Motion<'_>, f32),
    touched: Option<&dyn Fn(u32) -> bool>,
    visitor: &mut impl Visitor,
) -> Result<(), DetectError> {
    let visitor = &RefCell::new(visitor);
    let mut of_points = Lists { kind: Kind::PointTriangle, visitor };
    let mut of_edges = Lists { kind: Kind::EdgeEdge, visitor };
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
        visitor: &mut impl Visitor,
    ) -> Result<(), DetectError> {
        let (faces, edges) = (surface.topology.faces(), surface.topology.edges());
        let mut guard = |pair| {
            if surface.authored_exemption(pair).is_none() {
                visitor.pair(pair);
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
