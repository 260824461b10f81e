//! The tests of one motion, and the exemptions that follow from it.

use cloth_solver::AcceptedMotion;

use super::completeness::{ExaminedPairs, margin};
use super::finding::{AuditFigures, Finding, FindingKind};
use super::pair::{MotionPath, Pair};
use super::plane::are_apart;
use super::scene::Authored;
use super::{Auditor, search};

impl Auditor {
    /// A motion begins where the last one ended.
    pub(super) fn check_continuity(&mut self, path: &MotionPath<'_>) {
        if let Some(v) = (0..self.x.len()).find(|&v| self.has_moved(v, path)) {
            let what = format!("vertex {v} was at {}, and its motion begins at {}", self.x[v], path.t0[v]);
            self.report(Finding::of_state(FindingKind::Jump, what));
        }
    }

    /// Whether a motion begins with a vertex elsewhere than the last one ended, in any bit.
    pub(super) fn has_moved(&self, v: usize, path: &MotionPath<'_>) -> bool {
        let [before, now] = [&self.x[v], &path.t0[v]].map(|p| [p.x, p.y, p.z].map(f32::to_bits));
        before != now
    }

    /// The released pairs of cloth and body. Cloth is never released from cloth, unless the two touched in a
    /// state from without.
    pub(super) fn check_released(&mut self, released: Vec<Pair>, path: &MotionPath<'_>) -> Vec<Pair> {
        let is_body = |pair: &Pair| pair.vertices.iter().any(|&v| self.rules.is_body[v as usize]);
        let (mut bodies, cloth): (Vec<Pair>, Vec<Pair>) = released.into_iter().partition(is_body);
        for pair in cloth.into_iter().filter(|pair| !self.exemptions.is_touching(pair)).collect::<Vec<_>>() {
            let what = format!("{} of cloth were released from each other", name(&pair));
            self.report(Finding::of_pair(FindingKind::ClothReleased, pair, path, what));
        }
        bodies.sort_unstable();
        bodies
    }

    /// Tests all pairs of a motion.
    pub(super) fn test(&mut self, path: &MotionPath<'_>, motion: &AcceptedMotion<'_>, released: &[Pair]) {
        let examined = motion.examined.map(ExaminedPairs::new);
        let radius = &self.rules.radius;
        let margin_of = |vertices: &[u32]| if examined.is_some() { margin(vertices, radius) } else { 0.0 };
        let test = |(figures, findings): &mut Tested, found: Result<Pair, Authored>| {
            let Ok(pair) = found else {
                figures.authored_pair_substeps += 1;
                return;
            };
            if self.exemptions.exempts(&pair) || released.binary_search(&pair).is_ok() {
                figures.exempt_pair_substeps += 1;
                return;
            }
            figures.pairs += 1;
            if are_apart(&pair.differences(path)) {
                figures.planes += 1;
            } else {
                figures.exact += 1;
                if pair.meets(path) {
                    figures.crossings += 1;
                    let what = format!("{} met, a certified pair", name(&pair));
                    findings.push(Finding::of_pair(FindingKind::Crossing, pair, path, what));
                }
            }
            if let Some(near) = examined.as_ref().and_then(|all| all.missed_distance(&pair, path, radius)) {
                figures.completeness_violations += 1;
                let what = format!("{} came as near as {near:e} m and were not examined", name(&pair));
                findings.push(Finding::of_pair(FindingKind::Incomplete, pair, path, what));
            }
        };
        let tested = search::pairs(&self.rules, path, margin_of, Tested::default, test);
        self.figures.tested_motions += 1;
        self.figures.completeness_motions += u64::from(examined.is_some());
        for (figures, findings) in tested {
            self.figures.add_pairs(&figures);
            findings.into_iter().for_each(|finding| self.report(finding));
        }
    }

    /// Admits the intersections of the present state with bodies that were released, and ends the tangles
    /// that are over in it.
    pub(super) fn exempt_body_intersections(&mut self, released: &[Pair]) {
        let all = search::intersections(&self.rules, &self.x);
        self.end_tangles(&all);
        let rules = &self.rules;
        let body = |v: &u32| rules.is_body[*v as usize].then(|| rules.part[*v as usize]);
        let bodies: Vec<u16> =
            released.iter().flat_map(|pair| pair.vertices.iter().filter_map(body)).collect();
        let of_one = |&[e, f]: &[u32; 2]| {
            let vertices = [rules.topology.edges()[e as usize][0], rules.topology.faces()[f as usize][0]];
            vertices.iter().filter_map(body).any(|part| bodies.contains(&part))
        };
        let hits: Vec<[u32; 2]> = all.into_iter().filter(of_one).collect();
        self.exemptions.add_tangles(&hits, false, rules, &self.x);
        let still = MotionPath { t0: &self.x, t1: &self.x };
        let touching = released.iter().filter(|pair| pair.meets(&still)).copied();
        self.exemptions.add_touching(touching);
    }

    /// Admits all intersections of a state from without, and ends what is over in it; returns their number.
    pub(super) fn exempt_all_intersections(&mut self) -> u64 {
        let hits = search::brute_force_intersections(&self.rules, &self.x);
        self.end(&hits);
        self.exemptions.add_tangles(&hits, true, &self.rules, &self.x);
        self.exempt_touching_pairs(|_| true);
        hits.len() as u64
    }

    /// Ends what is over at the end of a step; what intersects then and was not admitted is a failure.
    pub(super) fn remove_resolved(&mut self) {
        if self.exemptions.is_empty() {
            return;
        }
        let hits = search::intersections(&self.rules, &self.x);
        let topology = &self.rules.topology;
        let unowned: Vec<[u32; 2]> =
            hits.iter().copied().filter(|&hit| !self.exemptions.owns(hit, topology)).collect();
        if let Some([e, f]) = unowned.first() {
            let what = format!(
                "{} intersections belong to no tangle, the first of edge {e} and face {f}",
                unowned.len()
            );
            self.report(Finding::of_state(FindingKind::Intersection, what));
        }
        self.end_tangles(&hits);
    }

    /// Ends what is over in a state of a motion.
    fn end_tangles(&mut self, hits: &[[u32; 2]]) {
        let before = self.exemptions.clone();
        if self.end(hits) {
            // Pairs that touch without an intersection outlast their tangle.
            self.exempt_touching_pairs(|pair| before.exempts(pair));
        }
    }

    /// Ends the tangles without intersections, and the pairs that are apart; whether a tangle has ended.
    fn end(&mut self, hits: &[[u32; 2]]) -> bool {
        let still = MotionPath { t0: &self.x, t1: &self.x };
        self.exemptions.remove_resolved(hits, &self.rules.topology, |pair| pair.meets(&still))
    }

    /// Admits pairs that touch in the present state and are not exempt for another reason.
    fn exempt_touching_pairs(&mut self, among: impl Fn(&Pair) -> bool + Sync) {
        let still = MotionPath { t0: &self.x, t1: &self.x };
        let touches = |pair: &Pair| {
            let certified = !self.exemptions.exempts(pair) && among(pair);
            certified && !are_apart(&pair.differences(&still)) && pair.meets(&still)
        };
        let note =
            |into: &mut Vec<Pair>, found: Result<Pair, Authored>| into.extend(found.ok().filter(touches));
        let touching = search::pairs(&self.rules, &still, |_| 0.0, Vec::new, note);
        self.exemptions.add_touching(touching.into_iter().flatten());
    }
}

/// What the tests of some pairs counted and found.
type Tested = (AuditFigures, Vec<Finding>);

/// A pair in words.
fn name(pair: &Pair) -> String {
    match pair.vertices {
        [v, a, b, c] if pair.split == 1 => format!("vertex {v} and face ({a}, {b}, {c})"),
        [a, b, c, d] => format!("edges ({a}, {b}) and ({c}, {d})"),
    }
}
