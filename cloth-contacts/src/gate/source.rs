//! Where the pairs come from that could meet: lists that know what cannot, or simply all.

use cloth_broadphase::BroadPhase;

use super::pair::Pair;
use crate::detect::lists::candidates::{Candidates, Lists};
use crate::detect::lists::list::{Kind, Look, Watch, Woken};
use crate::{DetectError, Motion, Surface};

/// Relative motion that the gate's own lists are made to outlast, beside that of detection's: they are shorter.
const SLACK: f32 = 2.0;

/// Proposes pairs to be judged.
pub(super) trait Source {
    /// Proposes every pair that may come within its reach in the motion, and any others, in no order. What is found lies in any number of
    /// parts, none of which is older than this visit.
    ///
    /// If `touched` is given, the start is that of the last visit, and only pairs are wanted of which it names a vertex: all
    /// others move as they did then.
    fn visit<J: Judge>(
        &mut self,
        surface: &Surface,
        motion: &Motion<'_>,
        slack: f32,
        touched: Option<&dyn Fn(u32) -> bool>,
        judge: &J,
        found: &mut Vec<J::Found>,
    ) -> Result<(), DetectError>;
}

/// Judges the pairs that are proposed.
pub(super) trait Judge: Sync {
    /// What it finds, and memory for it.
    type Found: Default + Send;

    /// Forgets what was found.
    fn begin(&self, found: &mut Self::Found);

    /// Judges a pair.
    fn pair(&self, pair: Pair, found: &mut Self::Found);

    /// Judges candidates of one kind, and says how far (m) each is beyond its reach at the start, or nothing if it did not look; `open` is
    /// empty before.
    fn list(&self, kind: Kind, woken: &[Woken], open: &mut Vec<Option<f64>>, found: &mut Self::Found);
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

/// Passes lists on.
struct Passing<'a, J: Judge> {
    judge: &'a J,
    found: &'a mut J::Found,
}

impl<J: Judge> Look for Passing<'_, J> {
    fn measure(&mut self, kind: Kind, woken: &[Woken], open: &mut Vec<Option<f64>>) {
        self.judge.list(kind, woken, open, self.found);
    }

    fn take(&mut self, _: Kind, _: usize, _: [u32; 2]) {}
}

/// Lists of the gate's own, within its clearance.
impl<B: BroadPhase> Source for Candidates<B> {
    fn visit<J: Judge>(
        &mut self,
        surface: &Surface,
        motion: &Motion<'_>,
        slack: f32,
        touched: Option<&dyn Fn(u32) -> bool>,
        judge: &J,
        found: &mut Vec<J::Found>,
    ) -> Result<(), DetectError> {
        // Its clearance is the reach of the surface that they are of.
        visit(self, Watch::Contact, surface, (motion, SLACK * slack), touched, (judge, found))
    }
}

/// The lists of detection, and the surface that they are of.
pub(super) struct Shared<'a, B> {
    pub(super) candidates: &'a mut Candidates<B>,
    pub(super) surface: &'a Surface,
}

impl<B: BroadPhase> Source for Shared<'_, B> {
    fn visit<J: Judge>(
        &mut self,
        _surface: &Surface,
        motion: &Motion<'_>,
        slack: f32,
        touched: Option<&dyn Fn(u32) -> bool>,
        judge: &J,
        found: &mut Vec<J::Found>,
    ) -> Result<(), DetectError> {
        visit(self.candidates, Watch::Clearance, self.surface, (motion, slack), touched, (judge, found))
    }
}

fn visit<B: BroadPhase, J: Judge>(
    candidates: &mut Candidates<B>,
    watch: Watch,
    surface: &Surface,
    (motion, slack): (&Motion<'_>, f32),
    touched: Option<&dyn Fn(u32) -> bool>,
    (judge, found): (&J, &mut Vec<J::Found>),
) -> Result<(), DetectError> {
    let look = |found: &mut J::Found, lists: Lists<'_>| {
        judge.begin(found);
        lists.look(&mut Passing { judge, found });
    };
    match touched {
        None => candidates.update(surface, motion, slack),
        Some(touched) => candidates.update_again(surface, motion, slack, touched),
    }
    .map_err(DetectError::Boxes)?;
    candidates.look(watch, touched.is_some(), found, look);
    Ok(())
}

/// Every vertex and face, and every two edges, that the gate keeps apart: the reference.
pub(super) struct AllPairs;

impl Source for AllPairs {
    fn visit<J: Judge>(
        &mut self,
        surface: &Surface,
        _motion: &Motion<'_>,
        _slack: f32,
        _touched: Option<&dyn Fn(u32) -> bool>,
        judge: &J,
        found: &mut Vec<J::Found>,
    ) -> Result<(), DetectError> {
        let (faces, edges) = (surface.topology.faces(), surface.topology.edges());
        found.resize_with(1, J::Found::default);
        let found = &mut found[0];
        judge.begin(found);
        let mut guard = |pair| {
            if surface.authored_exemption(pair).is_none() {
                judge.pair(pair, found);
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
