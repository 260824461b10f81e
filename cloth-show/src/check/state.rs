//! The judgement of one state, and of the motion between two.

use cloth_certify::{BodySurface, KindCounts, Penetration, PenetrationFinder, Roles};
use cloth_contacts::impacts::{ImpactFinder, Impacts};
use cloth_contacts::intersect::{Checker, ClosedSeams, Intersections, Seams};
use cloth_scene::words::count;
use nalgebra::Point3;

use super::monitor::CheckMonitor;
use super::seams::SeamCounts;
use super::{CheckEvent, CheckOptions, PreparedMesh, StateCounts};

/// What is judged, in all of its states.
pub(super) struct Judged<'a> {
    pub(super) options: &'a CheckOptions,
    pub(super) mesh: &'a PreparedMesh,
    pub(super) roles: Option<&'a Roles>,
    pub(super) seams: Option<&'a Seams>,
}

/// Judges states, one after another; what it keeps saves time alone.
#[derive(Default)]
pub(super) struct StateJudge {
    checker: Checker,
    impacts: ImpactFinder,
    /// Of garments and bodies.
    pub(super) inside: Option<PenetrationFinder>,
}

/// What was found in a state.
pub(super) struct JudgedState {
    positions: Vec<Point3<f64>>,
    /// Without those that seams join.
    pub(super) found: Intersections,
    /// The faces that lie on others of their part, `[face, first]`.
    pub(super) doubled: Vec<[u32; 2]>,
    /// The mesh without them; none if there were none.
    pub(super) single: Option<PreparedMesh>,
    pub(super) counts: StateCounts,
    /// None for a mesh alone.
    pub(super) outfit: Option<OutfitFigures>,
    pub(super) seams: Option<SeamCounts>,
    closed: ClosedSeams,
    /// Pairs of triangles after which the check was stopped, if it was.
    pub(super) stopped_after: Option<u64>,
}

/// Figures of garments and bodies.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OutfitFigures {
    pub(super) intersections: KindCounts,
    /// Flat folds, and faces on others.
    pub(super) folds: KindCounts,
    pub(super) penetration: Penetration,
}

/// What crosses in the motion to a state.
pub(super) struct JudgedMotion {
    pub(super) impacts: Impacts,
    /// None for a mesh alone.
    pub(super) kinds: Option<KindCounts>,
    /// Whether it was judged without the faces that lie on others.
    is_single: bool,
}

impl JudgedMotion {
    /// The mesh whose numbers the impacts have, where `after` is the state that the motion leads to.
    pub(super) fn mesh<'a>(&self, judged: &Judged<'a>, after: &'a JudgedState) -> &'a PreparedMesh {
        if self.is_single { after.mesh(judged) } else { judged.mesh }
    }
}

impl JudgedState {
    pub(super) fn mesh<'a>(&'a self, judged: &Judged<'a>) -> &'a PreparedMesh {
        self.single.as_ref().unwrap_or(judged.mesh)
    }

    pub(super) fn positions(&self) -> &[Point3<f64>] {
        &self.positions
    }
}

impl StateJudge {
    /// Judges a state (m); none if an interrupt keeps it from that. The error is a sentence.
    pub(super) fn judge(
        &mut self,
        judged: &Judged<'_>,
        positions: Vec<Point3<f64>>,
        on_event: &mut dyn FnMut(CheckEvent),
    ) -> Result<Option<JudgedState>, String> {
        let Judged { options, mesh: sound, roles, seams } = *judged;
        let mut monitor = CheckMonitor::new(options.max_pairs, options.interrupt);
        let see = |progress| monitor.see(progress, on_event);
        let (doubled, single) = sound.without_doubled(&positions, roles)?;
        let mesh = single.as_ref().unwrap_or(sound);
        let checked = self.checker.check_with_progress(&positions, &mesh.topology, see);
        let checked = checked.map_err(|e| e.to_string())?;
        let is_complete = checked.is_complete();
        if !is_complete && options.interrupt.is_requested() {
            return Ok(None);
        }
        let found = checked.into_intersections();
        if !is_complete && found.is_clean() {
            let pairs = count(monitor.pairs as usize);
            return Err(format!(
                "has more than {pairs} pairs of triangles with overlapping boxes, and none so far \
                 intersects; raise --max-pairs for a verdict"
            ));
        }
        let raw_intersections = found.count();
        let mut closed = seams.map(|s| s.closed_in(&positions)).unwrap_or_default();
        let closed_count = closed.count();
        closed.join_doubled(&doubled, &positions, &sound.topology);
        let found = closed.leave_out(found, &mesh.topology);
        let counts = StateCounts { doubled_faces: doubled.len(), ..StateCounts::new(&found, &mesh.topology) };
        let seams = seams.map(|seams| SeamCounts {
            declared: seams.count(),
            closed: closed_count,
            distance: seams.distance(),
            raw_intersections,
        });
        let outfit =
            roles.map(|roles| self.outfit_figures(&found, &doubled, &positions, [mesh, sound], roles));
        let stopped_after = (!is_complete).then_some(monitor.pairs);
        Ok(Some(JudgedState {
            positions,
            found,
            doubled,
            single,
            counts,
            outfit,
            seams,
            closed,
            stopped_after,
        }))
    }

    /// What is known of the surfaces of bodies.
    pub(super) fn bodies(&self) -> Vec<BodySurface> {
        self.inside.iter().flat_map(PenetrationFinder::bodies).collect()
    }

    /// Counts by kind what was found in `mesh`, and finds what is inside of the bodies of `sound`, which has
    /// its faces and those that lie on others.
    fn outfit_figures(
        &mut self,
        found: &Intersections,
        doubled: &[[u32; 2]],
        positions: &[Point3<f64>],
        [mesh, sound]: [&PreparedMesh; 2],
        roles: &Roles,
    ) -> OutfitFigures {
        let (topology, all) = (&mesh.topology, sound.topology.faces());
        let face = |f: u32| topology.faces()[f as usize][0];
        let end = |e: u32| topology.edges()[e as usize][0];
        let intersections = found.edge_faces.iter().map(|&[e, f]| roles.kind(end(e), face(f))).collect();
        let folds = found.flat_folds.iter().map(|&e| roles.kind(end(e), end(e)));
        let on_parts = found.doubled_faces.iter().map(|pair| pair.map(face));
        let on_own = doubled.iter().map(|pair| pair.map(|f| all[f as usize][0]));
        let folds = folds.chain(on_parts.chain(on_own).map(|[a, b]| roles.kind(a, b))).collect();
        let crossing = sound.crossing_faces(mesh, found, roles);
        let inside = self.inside.get_or_insert_with(|| PenetrationFinder::new(roles, all));
        OutfitFigures { intersections, folds, penetration: inside.find(positions, all, &crossing) }
    }

    /// Judges the motion from one state to the next, without pairs that a seam joins that is closed in either
    /// of them. The error is a sentence.
    pub(super) fn judge_motion(
        &mut self,
        judged: &Judged<'_>,
        [before, after]: [&JudgedState; 2],
    ) -> Result<JudgedMotion, String> {
        // Where other faces lie on others than before, each is itself, and vertices that are joined meet.
        let faces = |state: &JudgedState| state.single.as_ref().map(|mesh| mesh.topology.faces().to_vec());
        let is_single = faces(before) == faces(after);
        let mesh = if is_single { after.mesh(judged) } else { judged.mesh };
        let topology = &mesh.topology;
        let found = self.impacts.find(&before.positions, &after.positions, topology);
        let mut impacts = found.map_err(|e| e.to_string())?;
        // A vertex without faces is not part of the cloth; the check of a state ignores it too.
        impacts.vertex_faces.retain(|&[v, _]| !topology.vertex_faces(v as usize).is_empty());
        before.closed.remove_joined(&mut impacts, topology);
        after.closed.remove_joined(&mut impacts, topology);
        let kinds = judged.roles.map(|roles| {
            let end = |e: u32| topology.edges()[e as usize][0];
            let of_faces = impacts.vertex_faces.iter().map(|&[v, f]| [v, topology.faces()[f as usize][0]]);
            let of_edges = impacts.edge_edges.iter().map(|pair| pair.map(end));
            of_faces.chain(of_edges).map(|[a, b]| roles.kind(a, b)).collect()
        });
        Ok(JudgedMotion { impacts, kinds, is_single })
    }
}
