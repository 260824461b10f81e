//! Every broad phase on two real motions: the numbers of pairs that others counted, and their lists of pairs
//! that meet.

use cloth_broadphase::{Boxes, BroadPhase, Members, PairFilter, Sweep};
use cloth_geom::Topology;
use cloth_io::queries::read_pair_ids;
use cloth_io::read_mesh;
use cloth_show::choice::{BroadPhaseChoice, WithBroadPhase};
use cloth_testing::corpus;

/// The boxes that a mesh sweeps.
struct Motion {
    topology: Topology,
    points: Boxes,
    edges: Boxes,
    faces: Boxes,
}

/// Pairs of a face and a vertex, and of two edges, the lesser first, that share no vertex.
type Found = [Vec<[u32; 2]>; 2];

impl WithBroadPhase for &Motion {
    type Output = Found;

    fn call<B: BroadPhase>(self) -> Found {
        let (mut faces, mut edges) = (B::default(), B::default());
        faces.update(&self.faces);
        edges.update(&self.edges);
        let (all_edges, all_faces) =
            (Members::Edges(self.topology.edges()), Members::Faces(self.topology.faces()));
        let face_vertex = PairFilter::no_shared_vertex(all_faces, Members::Points(self.points.len()));
        let edge_edge = PairFilter::no_shared_vertex(all_edges, all_edges);
        let mut found = Found::default();
        faces.visit_pairs_with(&self.points, &face_vertex, &mut |f, v| found[0].push([f, v]));
        edges.visit_self_pairs(&edge_edge, &mut |a, b| found[1].push([a, b]));
        found
    }
}

#[test]
fn finds_the_published_pairs_of_two_real_motions() {
    // The ball with the fastest alone: the slowest methods take seconds.
    let bearable: Vec<_> =
        BroadPhaseChoice::ALL.into_iter().filter(|choice| !choice.is_quadratic()).collect();
    for (choices, scene, frames, lists, counts) in [
        (&bearable[..], "cloth-funnel", ["227", "228"], "227", [7_319, 33_770]),
        (&bearable[..1], "cloth-ball", ["cloth_ball92", "cloth_ball93"], "92", [1_655_541, 5_197_332]),
    ] {
        let Some(root) = corpus(&format!("ccd/scalable/{scene}")) else { return };
        let [start, end] =
            frames.map(|name| read_mesh(&root.join(format!("frames/{name}.ply"))).unwrap().mesh);
        let topology = Topology::of_mesh(&start).unwrap();
        let sweep = Sweep::new(&start.positions, &end.positions).unwrap();
        let motion = Motion {
            points: Boxes::try_from_iter(sweep.points()).unwrap(),
            edges: Boxes::try_from_iter(sweep.edges(topology.edges())).unwrap(),
            faces: Boxes::try_from_iter(sweep.faces(topology.faces())).unwrap(),
            topology,
        };
        for choice in choices {
            let mut found = choice.with(&motion);
            assert_eq!(found.each_ref().map(Vec::len), counts, "{scene}: {choice}");
            found.iter_mut().for_each(|pairs| pairs.sort_unstable());
            // Vertices are numbered first, then edges, then faces.
            let edges = start.positions.len() as u64;
            let faces = edges + motion.topology.edges().len() as u64;
            for (letters, pairs) in ["vf", "ee"].into_iter().zip(&found) {
                for [a, b] in read_pair_ids(&root.join(format!("boxes/{lists}{letters}.json"))).unwrap() {
                    let (a, b) = (a.min(b), a.max(b));
                    let own = if letters == "vf" { [b - faces, a] } else { [a - edges, b - edges] };
                    let own = own.map(|number| u32::try_from(number).unwrap());
                    assert!(pairs.binary_search(&own).is_ok(), "{scene}: {choice} misses {letters} {a} {b}");
                }
            }
        }
    }
}
