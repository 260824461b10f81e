//! Intersection check of a sequence of states of one mesh.
//!
//! The first state goes through a broad phase. From the second state on, patches that are certified free of
//! self-intersection are culled (`cloth_broadphase::cull`); in a clean state few pairs of faces remain. Exact
//! predicates decide the remaining pairs.
//!
//! Only faces are put in boxes. Loose edges, of which there are few, are compared with all faces at the end.
//! A pair of overlapping faces contributes its edges (see `collector`). An edge is inside the box of its
//! owner, and no certificate culls a pair of faces that meet, so the result is complete. For a wavy 64 x 64
//! sheet the whole check takes 3.4 ms; boxes for the edges and their query in the tree of the faces would
//! take 5.2 ms alone.

use std::ops::ControlFlow;

use cloth_broadphase::cull::{Certificate, CullError, Culler};
use cloth_broadphase::{AnyBroadPhase, Boxes, BoxesError, BroadPhase, PairFilter, Sweep};
use cloth_geom::{Aabb, Topology};
use nalgebra::Point3;

use super::collector::{Collector, Hit};
use super::doubled::DoubledFinder;
use super::flat_folds::find_flat_folds;
use super::known_mesh::{KnownMesh, MeshEdges};
use super::progress::ProgressCallback;
use super::{CheckProgress, Checked, IntersectError, IntersectionKind, Intersections, validate};
use crate::parallel;

/// Finds the intersections of a sequence of states; keeps data that depends on the mesh alone. By default
/// with a [`BlockTree`](cloth_broadphase::BlockTree).
///
/// The result equals that of [`find_brute_force`](super::find_brute_force) and does not depend on the broad
/// phase, the number of threads or previous states.
#[derive(Clone, Debug, Default)]
pub struct Checker {
    broad_phase: AnyBroadPhase,
    boxes: Boxes,
    mesh: KnownMesh,
    never_culls: bool,
    /// `[edge, face]` that share no vertex and whose boxes overlap.
    candidates: Vec<[u32; 2]>,
    /// The candidates that meet.
    hits: Vec<Hit>,
    /// Memory of the tasks that decide.
    tasks: Vec<Vec<Hit>>,
    /// Edges on which faces may lie flat on each other.
    creases: Vec<u32>,
    /// Faces that may lie on others.
    suspects: Vec<u32>,
    doubled: DoubledFinder,
}

impl Checker {
    /// A checker with this broad phase.
    #[must_use]
    pub fn with_broad_phase(broad_phase: impl BroadPhase) -> Self {
        Self { broad_phase: broad_phase.into_any(), ..Self::default() }
    }

    /// A checker that uses the broad phase for every state, for comparison.
    #[must_use]
    pub fn without_culling() -> Self {
        Self { never_culls: true, ..Self::default() }
    }

    /// From the next state on leaves out an edge and a face all of whose vertices are `scenery`, one entry for
    /// each vertex; and flat folds on an edge of two such faces, and doubled faces among them.
    ///
    /// For bodies around cloth: what they have among themselves is not sought, and while they stand still a
    /// check takes about as long as without them.
    pub fn leave_out_among(&mut self, scenery: impl IntoIterator<Item = bool>) {
        self.mesh.scenery.clear();
        self.mesh.scenery.extend(scenery);
    }

    /// Finds all intersections of a state. Vertices without faces are ignored.
    ///
    /// Time and memory grow with the number of pairs of overlapping face boxes and with the intersections.
    /// For untrusted input, where these may be quadratic in the number of faces, use
    /// [`Checker::check_with_progress`].
    ///
    /// # Errors
    /// If the number of positions (m) is not that of the vertices, or if one is not finite.
    ///
    /// # Threads
    /// Uses the threads of the rayon pool in which it is called; outside a pool the calling thread alone.
    pub fn check(
        &mut self,
        positions: &[Point3<f64>],
        topology: &Topology,
    ) -> Result<Intersections, IntersectError> {
        let mut found = Intersections::default();
        self.check_into(positions, topology, &mut found)?;
        Ok(found)
    }

    /// As [`Checker::check`], writing to `found`. Does not allocate once buffers have grown to the required
    /// size.
    ///
    /// # Errors
    /// As [`Checker::check`]; `found` is empty then.
    pub fn check_into(
        &mut self,
        positions: &[Point3<f64>],
        topology: &Topology,
        found: &mut Intersections,
    ) -> Result<(), IntersectError> {
        self.find(positions, topology, |_| ControlFlow::Continue(()), found).map(|_| ())
    }

    /// As [`Checker::check`], calling `on_progress` every 65,536 pairs of faces; stops when it returns
    /// `Break`.
    ///
    /// Calls are some milliseconds apart. A state with fewer pairs is checked without a call. A partial
    /// result depends on the number of calls alone, not on the number of threads. A broad phase cannot be
    /// interrupted: after a stop in the first state of a mesh, its remaining pairs are enumerated, some
    /// nanoseconds each, but not tested.
    ///
    /// ```
    /// use cloth_contacts::intersect::{Checked, Checker};
    /// use cloth_geom::{Topology, fixtures::sheet};
    /// use std::ops::ControlFlow;
    ///
    /// let mesh = sheet(9, 9, [1.0, 1.0])?.mesh;
    /// let topology = Topology::of_mesh(&mesh)?;
    /// let checked = Checker::default().check_with_progress(&mesh.positions, &topology, |progress| {
    ///     match progress.intersections {
    ///         ..1_000_000 => ControlFlow::Continue(()),
    ///         _ => ControlFlow::Break(()),
    ///     }
    /// })?;
    /// match checked {
    ///     Checked::Complete(found) => assert!(found.is_clean()),
    ///     Checked::Stopped(found) => println!("{} intersections, and more", found.count()),
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Checker::check`].
    pub fn check_with_progress(
        &mut self,
        positions: &[Point3<f64>],
        topology: &Topology,
        on_progress: impl FnMut(CheckProgress) -> ControlFlow<()>,
    ) -> Result<Checked, IntersectError> {
        let mut found = Intersections::default();
        let flow = self.find(positions, topology, on_progress, &mut found)?;
        Ok(if flow.is_break() { Checked::Stopped(found) } else { Checked::Complete(found) })
    }

    fn find(
        &mut self,
        positions: &[Point3<f64>],
        topology: &Topology,
        on_progress: impl ProgressCallback,
        found: &mut Intersections,
    ) -> Result<ControlFlow<()>, IntersectError> {
        let Intersections { edge_faces, kinds, flat_folds, doubled_faces } = found;
        edge_faces.clear();
        kinds.clear();
        flat_folds.clear();
        doubled_faces.clear();
        validate(positions, topology)?;
        self.mesh.become_mesh(topology, !self.never_culls);
        let flow = self.decide_pairs(positions, topology, on_progress)?;
        parallel::sort_by_key(&mut self.hits, |&(pair, _)| pair);
        edge_faces.extend(self.hits.iter().map(|&(pair, _)| pair));
        kinds.extend(self.hits.iter().map(|&(_, kind)| kind));
        self.suspects.clear();
        if flow.is_continue() {
            find_flat_folds(&self.creases, positions, topology, flat_folds, &mut self.suspects);
        }
        self.find_doubled_faces(positions, topology, doubled_faces);
        Ok(flow)
    }

    /// Finds the faces that lie on others, all of which are behind a hit or on a crease.
    fn find_doubled_faces(
        &mut self,
        positions: &[Point3<f64>],
        topology: &Topology,
        found: &mut Vec<[u32; 2]>,
    ) {
        let Self { hits, suspects, doubled, .. } = self;
        for &([edge, face], kind) in hits.iter() {
            let at = |v: u32| positions[v as usize];
            let corners = topology.faces()[face as usize].map(at);
            let is_side = |[p, q]: [Point3<f64>; 2]| corners.contains(&p) && corners.contains(&q);
            if kind != IntersectionKind::Proper && is_side(topology.edges()[edge as usize].map(at)) {
                suspects.push(face);
                suspects.extend_from_slice(topology.edge_faces(edge as usize));
            }
        }
        suspects.sort_unstable();
        suspects.dedup();
        doubled.find_into(suspects.iter().copied(), positions, topology, found);
    }

    /// Decides all pairs of faces that may meet, and fills the hits, and the creases in ascending order.
    fn decide_pairs(
        &mut self,
        positions: &[Point3<f64>],
        topology: &Topology,
        on_progress: impl ProgressCallback,
    ) -> Result<ControlFlow<()>, IntersectError> {
        let Self { broad_phase, boxes, mesh, candidates, hits, tasks, creases, .. } = self;
        let (edges, culler) = mesh.parts();
        candidates.clear();
        hits.clear();
        creases.clear();
        let mut collector = Collector {
            positions,
            topology,
            owned: edges.owned,
            candidates,
            hits,
            tasks,
            pairs: 0,
            on_progress,
        };
        let flow = if let Some(culler) = culler {
            cull(&mut collector, &edges, creases, culler)?
        } else {
            creases.extend(0..topology.edges().len() as u32);
            overlap(&mut collector, &edges, broad_phase, boxes)?
        };
        if edges.have_scenery() {
            creases.retain(|&e| {
                let faces = topology.edge_faces(e as usize).iter();
                faces.filter(|&&f| edges.are_scenery(&topology.faces()[f as usize])).count() < 2
            });
        }
        if flow.is_continue() {
            collector.add_loose(edges.loose);
            collector.decide();
        }
        if edges.have_scenery() {
            hits.retain(|&([e, f], _)| {
                !edges.are_scenery(&topology.edges()[e as usize])
                    || !edges.are_scenery(&topology.faces()[f as usize])
            });
        }
        Ok(flow)
    }
}

/// Decides the pairs of the patches that are not certified, and collects the common edges of their faces in
/// ascending order.
fn cull<C: Certificate>(
    collector: &mut Collector<'_, impl ProgressCallback>,
    edges: &MeshEdges<'_>,
    creases: &mut Vec<u32>,
    culler: &mut Culler<C>,
) -> Result<ControlFlow<()>, IntersectError> {
    let (positions, topology) = (collector.positions, collector.topology);
    let face_box = |f: u32| Aabb::of_points(topology.faces()[f as usize].map(|v| positions[v as usize]));
    let visited = culler.try_visit_candidates(positions, &mut |f, g| {
        if edges.have_scenery() && [f, g].iter().all(|&f| edges.are_scenery(&topology.faces()[f as usize])) {
            return ControlFlow::Continue(());
        }
        collector.add_pair(f, g, &face_box, || {
            let [f, g] = [f, g].map(|f| topology.face_edges()[f as usize]);
            creases.extend(f.into_iter().filter(|e| g.contains(e)));
        })
    });
    creases.sort_unstable();
    creases.dedup();
    visited.map_err(|fault| match fault {
        CullError::PositionCount { positions, vertices } => {
            IntersectError::PositionCount { positions, vertices }
        }
        CullError::NotFinite { vertex, position } => IntersectError::NotFinite { vertex, position },
        other => IntersectError::Cull(other),
    })
}

/// Decides the pairs of all faces whose boxes overlap.
fn overlap(
    collector: &mut Collector<'_, impl ProgressCallback>,
    edges: &MeshEdges<'_>,
    broad_phase: &mut impl BroadPhase,
    boxes: &mut Boxes,
) -> Result<ControlFlow<()>, IntersectError> {
    let faces = collector.topology.faces();
    boxes.refill(Sweep::at_rest(collector.positions).faces(faces)).map_err(|fault| {
        debug_assert!(matches!(fault, BoxesError::TooMany { .. }), "validated positions make valid boxes");
        IntersectError::TooManyFaces { faces: faces.len() }
    })?;
    broad_phase.update(boxes);
    let face_box = |f: u32| boxes.as_slice()[f as usize];
    let mut flow = ControlFlow::Continue(());
    broad_phase.visit_self_pairs(&PairFilter::all(), &mut |f, g| {
        if flow.is_continue() && ![f, g].iter().all(|&f| edges.are_scenery(&faces[f as usize])) {
            flow = collector.add_pair(f, g, &face_box, || {});
        }
    });
    Ok(flow)
}
