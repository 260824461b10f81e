//! One broad phase over the motion: what it finds, what it misses, and its times.

use std::time::Instant;

use cloth_broadphase::BroadPhase;
use cloth_verify::{BroadPhaseChoice, WithBroadPhase};

use super::expected::Expected;
use super::motion::MotionBoxes;
use super::report::{MethodReport, Milliseconds};

/// What to do with a broad phase.
pub(super) struct Measure<'a> {
    pub(super) method: BroadPhaseChoice,
    pub(super) motion: &'a MotionBoxes,
    pub(super) expected: &'a Expected,
    pub(super) repeat: u32,
}

impl WithBroadPhase for Measure<'_> {
    type Output = MethodReport;

    fn call<B: BroadPhase>(self) -> MethodReport {
        let Self { motion, repeat, .. } = self;
        let (mut edges, mut faces) = (B::default(), B::default());
        let build = best(repeat, || {
            (edges, faces) = (B::default(), B::default());
            edges.update(&motion.edges_at_start);
            faces.update(&motion.faces_at_start);
        });
        let refit = best(repeat, || {
            edges.update(&motion.swept_edges);
            faces.update(&motion.swept_faces);
        });
        let (mut edge_edge, mut vertex_face) = (0, 0);
        let query_edge_edge = best(repeat, || {
            edge_edge = 0;
            edges.visit_self_pairs(&motion.edge_edge(), &mut |_, _| edge_edge += 1);
        });
        let query_vertex_face = best(repeat, || {
            vertex_face = 0;
            faces.visit_pairs_with(&motion.swept_points, &motion.face_vertex(), &mut |_, _| vertex_face += 1);
        });
        let query = query_edge_edge + query_vertex_face;
        MethodReport {
            method: self.method.name(),
            vertex_face,
            edge_edge,
            missing: (self.expected.len() > 0).then(|| self.missing(&edges, &faces)),
            ms: Milliseconds { build, refit, query, query_vertex_face, query_edge_edge },
        }
    }
}

impl Measure<'_> {
    fn missing<B: BroadPhase>(&self, edges: &B, faces: &B) -> usize {
        let motion = self.motion;
        let mut account = self.expected.account();
        edges.visit_self_pairs(&motion.edge_edge(), &mut |a, b| account.edge_edge(a, b));
        let visit = &mut |face, vertex| account.face_vertex(face, vertex);
        faces.visit_pairs_with(&motion.swept_points, &motion.face_vertex(), visit);
        account.missing()
    }
}

/// The shortest time (ms) of some runs: what disturbs a run only ever makes it longer.
fn best(repeat: u32, mut run: impl FnMut()) -> f64 {
    let mut shortest = f64::INFINITY;
    for _ in 0..repeat {
        let start = Instant::now();
        run();
        shortest = shortest.min(start.elapsed().as_secs_f64() * 1e3);
    }
    shortest
}
