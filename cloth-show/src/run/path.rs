//! Crossings between frames: on the path of the substeps, and on the straight chords from frame to frame.
//!
//! ```text
//! frame k *--.--.       the path: every substep moves on a straight line; a gate certifies each
//!         |      `--* frame k+1
//!         *---------*   the chord: what a viewer of the cache sees, and what `cloth check --cache` checks
//! ```
//!
//! Where cloth is teleported, path and chord begin in the place that this took it to: nothing moves there
//! from frame k.
//!
//! Nothing moves along a chord: a pair may cross on it although its substeps went around each other. So the
//! path decides the verdict, and chords are reported separately.

use crate::report::FrameChords;
use cloth_contacts::impacts::{ImpactFinder, Impacts};
use cloth_contacts::intersect::{ClosedSeams, Seams};
use cloth_geom::Topology;
use cloth_solver::{AcceptedMotion, Simulation};
use nalgebra::Point3;
use serde::Serialize;

/// How the path of the substeps was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum PathCheck {
    /// The gate certified every motion, except pairs that were tangled or exempt.
    #[default]
    Gate,
    /// Without a gate, exact detection searched every substep for crossings.
    Search,
}

/// Crossings on the path of the substeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct PathReport {
    /// How the path was checked.
    pub(crate) checked_by: PathCheck,
    /// Pairs of primitives that crossed, summed over the substeps; 0 with a gate.
    pub(crate) pairs: u64,
    /// Frames with a crossing in the motion to them.
    pub(crate) frames_with: u64,
    /// The first clean frame that follows a clean frame with a crossing in between: a pass-through.
    pub(crate) first_pass_through: Option<usize>,
    /// Frames that started or ended with a tangle, whose pairs are exempt.
    pub(crate) tangled_frames: u64,
}

/// Follows the motion of a simulation.
pub(crate) struct PathObserver {
    finder: ImpactFinder,
    topology: Topology,
    seams: Seams,
    /// Vertices below this are those of cloths.
    cloth_vertices: u32,
    /// The state of the last frame, and the seams that were closed in it; empty before the first.
    before: (Vec<Point3<f64>>, ClosedSeams),
    ends: [Vec<Point3<f64>>; 2],
    /// Pairs that crossed on the path since the last frame.
    crossings: u64,
    is_searched: bool,
    was_clean: bool,
    was_tangled: bool,
    /// What was found.
    pub(crate) chords: FrameChords,
    pub(crate) path: PathReport,
}

impl PathObserver {
    /// An observer of a simulation whose cloths have this many vertices. Without a gate it searches every
    /// substep.
    pub(crate) fn new(simulation: &Simulation, cloth_vertices: usize, seams: Seams) -> Self {
        let is_searched = !simulation.settings().gate;
        let checked_by = if is_searched { PathCheck::Search } else { PathCheck::Gate };
        Self {
            finder: ImpactFinder::default(),
            seams,
            topology: simulation.surface().topology().clone(),
            cloth_vertices: cloth_vertices as u32,
            before: Default::default(),
            ends: Default::default(),
            crossings: 0,
            is_searched,
            was_clean: false,
            was_tangled: false,
            chords: FrameChords::default(),
            path: PathReport { checked_by, ..PathReport::default() },
        }
    }

    /// Takes the motion of a substep.
    pub(crate) fn motion(&mut self, motion: &AcceptedMotion<'_>) {
        if !motion.cuts.is_empty() {
            let (before, closed) = &mut self.before;
            before.iter_mut().zip(motion.x_t0).for_each(|(before, p)| *before = p.map(f64::from));
            *closed = self.seams.closed_in(before);
            // Nobody knows whether that state is clean; what crosses after it is counted all the same.
            self.was_clean = false;
        }
        if !self.is_searched {
            return;
        }
        for (end, x) in self.ends.iter_mut().zip([motion.x_t0, motion.x_t1]) {
            end.clear();
            end.extend(x.iter().map(|p| p.map(f64::from)));
        }
        let found = self.finder.find(&self.ends[0], &self.ends[1], &self.topology);
        debug_assert!(found.is_ok(), "an accepted motion is finite");
        let [start, end] = [0, 1].map(|end| self.seams.closed_in(&self.ends[end]));
        self.crossings += found.map_or(0, |crossings| self.count(crossings, [&start, &end]));
    }

    /// Takes the state of a frame, the start included: its positions (m), the seams that are closed in it,
    /// and its intersections and those in tangles. The error is a sentence.
    pub(crate) fn frame(
        &mut self,
        frame: usize,
        positions: &[Point3<f64>],
        closed: ClosedSeams,
        [intersections, tangled]: [usize; 2],
    ) -> Result<(), String> {
        if !self.before.0.is_empty() {
            let crossings =
                self.finder.find(&self.before.0, positions, &self.topology).map_err(|e| e.to_string())?;
            let pairs = self.count(crossings, [&self.before.1, &closed]);
            self.chords.pairs += pairs;
            self.chords.frames_with += u64::from(pairs > 0);
            let crossings = std::mem::take(&mut self.crossings);
            self.path.pairs += crossings;
            self.path.frames_with += u64::from(crossings > 0);
            if crossings > 0 && self.was_clean && intersections == 0 {
                self.path.first_pass_through.get_or_insert(frame);
            }
            self.path.tangled_frames += u64::from(self.was_tangled || tangled > 0);
        }
        self.was_clean = intersections == 0;
        // What intersects at the start is taken as a tangle with the first motion.
        self.was_tangled = tangled > 0 || (frame == 0 && intersections > 0);
        self.before = (positions.to_vec(), closed);
        Ok(())
    }

    /// Counts pairs with at least one primitive of cloth, without pairs joined by a seam that is closed at
    /// either end of the motion: such pairs share a vertex there.
    fn count(&self, mut crossings: Impacts, closed: [&ClosedSeams; 2]) -> u64 {
        closed.iter().for_each(|closed| closed.remove_joined(&mut crossings, &self.topology));
        let is_cloth = |a: &[u32], b: &[u32]| a[0] < self.cloth_vertices || b[0] < self.cloth_vertices;
        let (faces, edges) = (self.topology.faces(), self.topology.edges());
        let vertex_faces = crossings.vertex_faces.iter().filter(|&&[v, f]| {
            // A vertex without faces is not part of the cloth; the check of a state ignores it too.
            !self.topology.vertex_faces(v as usize).is_empty() && is_cloth(&[v], &faces[f as usize])
        });
        let edge_edges = crossings.edge_edges.iter().filter(|pair| {
            let [a, b] = pair.map(|e| edges[e as usize]);
            is_cloth(&a, &b)
        });
        (vertex_faces.count() + edge_edges.count()) as u64
    }
}
