//! Sources of pairs that may collide: candidate lists, or all pairs.

use super::pair::Pair;
use crate::detect::lists::candidates::{Candidates, SectionCandidates, Selection};
use crate::detect::lists::list::{ActiveCandidate, CandidateKind, NarrowPhase, Threshold};
use crate::{DetectError, Motion, Surface};

/// Factor on the slack for lists of the gate alone, which are shorter than those of detection.
const SLACK: f32 = 2.0;

/// The motion whose pairs are asked for.
pub(super) struct PairQuery<'a> {
    /// The surface of the gate.
    pub(super) surface: &'a Surface,
    pub(super) motion: &'a Motion<'a>,
    /// Smallest relative motion (m) for which candidate lists are built.
    pub(super) slack: f32,
    /// Whether a vertex has changed since the last visit: if given, the start is that of the last visit, and
    /// only pairs with a changed vertex have to be proposed.
    pub(super) changed: Option<&'a dyn Fn(u32) -> bool>,
}

/// Proposes pairs for certification.
pub(super) trait PairSource {
    /// Proposes every pair that may come within the clearance during the motion, possibly others, unordered.
    /// `results` has any number of parts, all of which are overwritten.
    fn visit<J: PairCertifier>(
        &mut self,
        query: &PairQuery<'_>,
        certifier: &J,
        results: &mut Vec<J::RoundResults>,
    ) -> Result<(), DetectError>;
}

/// Certifies proposed pairs.
pub(super) trait PairCertifier: Sync {
    /// Results and scratch memory of a task.
    type RoundResults: Default + Send;

    /// Clears the results.
    fn begin(&self, results: &mut Self::RoundResults);

    /// Tests one pair.
    fn pair(&self, pair: Pair, results: &mut Self::RoundResults);

    /// Tests candidates of one type and appends the separation beyond the clearance (m) at the start of each
    /// to `separations`, which is empty; `None` for a candidate that was not tested.
    fn list(
        &self,
        kind: CandidateKind,
        active: &[ActiveCandidate],
        separations: &mut Vec<Option<f64>>,
        results: &mut Self::RoundResults,
    );
}

impl CandidateKind {
    #[inline]
    pub(super) fn pair(self, ids: [u32; 2]) -> Pair {
        match self {
            Self::PointTriangle => Pair::PointTriangle(ids),
            Self::EdgeEdge => Pair::EdgeEdge(ids),
        }
    }
}

/// Adapts a certifier to candidate lists.
struct CertifyCandidates<'a, J: PairCertifier> {
    certifier: &'a J,
    results: &'a mut J::RoundResults,
}

impl<J: PairCertifier> NarrowPhase for CertifyCandidates<'_, J> {
    fn measure(
        &mut self,
        kind: CandidateKind,
        active: &[ActiveCandidate],
        separations: &mut Vec<Option<f64>>,
    ) {
        self.certifier.list(kind, active, separations, self.results);
    }

    fn accept(&mut self, _: CandidateKind, _: usize, _: [u32; 2]) {}
}

/// Candidate lists of the gate, built for its clearance.
impl PairSource for Candidates {
    fn visit<J: PairCertifier>(
        &mut self,
        query: &PairQuery<'_>,
        certifier: &J,
        results: &mut Vec<J::RoundResults>,
    ) -> Result<(), DetectError> {
        // The reach of the gate's surface is its clearance.
        let query = PairQuery { slack: SLACK * query.slack, ..*query };
        visit(self, Threshold::Contact, &query, certifier, results)
    }
}

/// Candidate lists of a detector, and its surface.
pub(super) struct SharedCandidates<'a> {
    pub(super) candidates: &'a mut Candidates,
    pub(super) surface: &'a Surface,
}

impl PairSource for SharedCandidates<'_> {
    fn visit<J: PairCertifier>(
        &mut self,
        query: &PairQuery<'_>,
        certifier: &J,
        results: &mut Vec<J::RoundResults>,
    ) -> Result<(), DetectError> {
        let query = PairQuery { surface: self.surface, ..*query };
        visit(self.candidates, Threshold::Clearance, &query, certifier, results)
    }
}

fn visit<J: PairCertifier>(
    candidates: &mut Candidates,
    threshold: Threshold,
    query: &PairQuery<'_>,
    certifier: &J,
    results: &mut Vec<J::RoundResults>,
) -> Result<(), DetectError> {
    let PairQuery { surface, motion, slack, changed } = *query;
    let test = |results: &mut J::RoundResults, lists: SectionCandidates<'_>| {
        certifier.begin(results);
        lists.test(&mut CertifyCandidates { certifier, results });
    };
    let selection = if changed.is_some() { Selection::Changed } else { Selection::All };
    match changed {
        None => candidates.update(surface, motion, slack),
        Some(changed) => candidates.update_displacements(surface, motion, slack, changed),
    }
    .map_err(DetectError::Boxes)?;
    candidates.test(threshold, selection, results, test);
    Ok(())
}

/// All vertices and faces, and all pairs of edges, that the gate guards: the reference.
pub(super) struct AllPairs;

impl PairSource for AllPairs {
    fn visit<J: PairCertifier>(
        &mut self,
        query: &PairQuery<'_>,
        certifier: &J,
        results: &mut Vec<J::RoundResults>,
    ) -> Result<(), DetectError> {
        let surface = query.surface;
        let (faces, edges) = (surface.topology.faces(), surface.topology.edges());
        results.resize_with(1, J::RoundResults::default);
        let results = &mut results[0];
        certifier.begin(results);
        let mut guard = |pair| {
            if surface.permanent_exemption(pair).is_none() {
                certifier.pair(pair, results);
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
