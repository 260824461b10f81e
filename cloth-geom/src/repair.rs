//! Repairs a mesh by an explicit policy and reports the changes.
//!
//! For each kind of problem the policy says whether the faces and vertices involved are dropped or kept, or
//! whether the mesh is rejected. Problems are dropped kind by kind, because one kind is often the cause of
//! the next (a duplicate face makes edges with three faces), and the search restarts after each, until
//! nothing is left to drop. Rejection is decided last, on the remaining mesh.

mod policy;
mod weld;

pub use policy::{Action, RepairPolicy};

use crate::{Problem, ProblemKind, TriMesh, validate};
use thiserror::Error;
use weld::weld_targets;

/// A repaired mesh, and the map from the original to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// The mesh; kept vertices and faces are in their original order.
    pub mesh: TriMesh,
    /// For each original vertex its index in the mesh; welded vertices share one, dropped ones have none.
    pub vertex_map: Vec<Option<u32>>,
    /// The original faces that were dropped, ascending.
    pub dropped_faces: Vec<u32>,
    /// What was done, one line a step, in original indices; empty if nothing was.
    pub report: Vec<String>,
}

/// Why a mesh was not repaired.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum RepairError {
    /// The weld distance is negative or not finite.
    #[error("the weld distance is {distance} m; it must be finite and not negative, or omitted")]
    WeldDistance {
        /// The distance (m).
        distance: f64,
    },
    /// Problems remain that the policy rejects.
    #[error("{}; correct the mesh, or choose a policy that drops or keeps such problems", first_of(problems))]
    Rejected {
        /// All of them, in original indices and in the order of [`ProblemKind`].
        problems: Vec<Problem>,
    },
}

fn first_of(problems: &[Problem]) -> String {
    match problems {
        [] => "the policy rejects the mesh".to_owned(),
        [one] => one.to_string(),
        [first, rest @ ..] => format!("{first} (and {} more problems)", rest.len()),
    }
}

/// Welds, drops and judges a mesh by a policy.
///
/// # Errors
/// If the weld distance is negative or not finite, or if a problem remains that the policy rejects.
pub fn repair(mesh: &TriMesh, policy: &RepairPolicy) -> Result<Repaired, RepairError> {
    let mut work = Work::new(mesh);
    if let Some(distance) = policy.weld_distance {
        if !(distance.is_finite() && distance >= 0.0) {
            return Err(RepairError::WeldDistance { distance });
        }
        work.weld(distance);
    }
    loop {
        let problems = work.problems();
        if work.drop_first_kind(&problems, policy) {
            continue;
        }
        let rejected: Vec<Problem> =
            problems.into_iter().filter(|p| policy.action(p.kind()) == Action::Reject).collect();
        return if rejected.is_empty() {
            Ok(work.finish())
        } else {
            Err(RepairError::Rejected { problems: rejected })
        };
    }
}

/// A mesh during repair: vertices keep their original indices until the end, so that problems can be named by
/// them.
struct Work {
    mesh: TriMesh,
    original_face_count: usize,
    /// The original id of each remaining face.
    face_ids: Vec<u32>,
    /// The vertex that each vertex was welded to: itself, or a lesser one.
    targets: Vec<u32>,
    /// Whether a vertex was dropped.
    dropped: Vec<bool>,
    report: Vec<String>,
}

impl Work {
    fn new(mesh: &TriMesh) -> Self {
        Self {
            original_face_count: mesh.faces.len(),
            face_ids: (0..mesh.faces.len() as u32).collect(),
            targets: (0..mesh.positions.len() as u32).collect(),
            dropped: vec![false; mesh.positions.len()],
            report: Vec::new(),
            mesh: mesh.clone(),
        }
    }

    fn weld(&mut self, distance: f64) {
        self.targets = weld_targets(&self.mesh.positions, distance);
        for v in self.mesh.faces.iter_mut().flatten() {
            *v = self.targets.get(*v as usize).copied().unwrap_or(*v);
        }
        let gone = (0u32..).zip(&self.targets).filter(|&(v, &t)| v != t).count();
        if gone > 0 {
            self.report.push(format!("welded {gone} vertices to others within {distance} m"));
        }
    }

    fn is_present(&self, vertex: u32) -> bool {
        self.targets[vertex as usize] == vertex && !self.dropped[vertex as usize]
    }

    /// The problems of what remains, in original indices.
    fn problems(&self) -> Vec<Problem> {
        let mut problems = validate(&self.mesh);
        problems.retain(|p| match *p {
            Problem::NonFinitePosition { vertex } | Problem::UnreferencedVertex { vertex } => {
                self.is_present(vertex)
            }
            _ => true,
        });
        for problem in &mut problems {
            problem.for_each_face(|face| *face = self.face_ids[*face as usize]);
        }
        problems
    }

    /// Drops what is behind the first kind of problem that the policy drops; whether that took anything away.
    fn drop_first_kind(&mut self, problems: &[Problem], policy: &RepairPolicy) -> bool {
        let Some(first) = problems.iter().position(|p| policy.action(p.kind()) == Action::Drop) else {
            return false;
        };
        let kind = problems[first].kind();
        let same: Vec<&Problem> = problems[first..].iter().take_while(|p| p.kind() == kind).collect();
        let vertices: Vec<u32> = same.iter().filter_map(|p| policy::vertex_to_drop(p)).collect();
        let mut faces: Vec<u32> = same.iter().flat_map(|p| policy::faces_to_drop(p)).collect();
        self.report.extend(same.iter().map(|p| format!("dropped: {p}")));
        let mut progress = false;
        for &v in &vertices {
            progress |= !std::mem::replace(&mut self.dropped[v as usize], true);
        }
        if kind == ProblemKind::NonFinitePosition {
            let uses_dropped = |f: &[u32; 3]| f.iter().any(|&v| self.dropped.get(v as usize) == Some(&true));
            let ids = self.face_ids.iter().zip(&self.mesh.faces).filter(|(_, f)| uses_dropped(f));
            faces.extend(ids.map(|(&id, _)| id));
        }
        faces.sort_unstable();
        progress |= self.drop_faces(&faces);
        debug_assert!(progress, "each problem names what to drop: {kind:?}");
        progress
    }

    /// Drops faces by their original ids, ascending; whether any was there.
    fn drop_faces(&mut self, ids: &[u32]) -> bool {
        let keep: Vec<bool> = self.face_ids.iter().map(|id| ids.binary_search(id).is_err()).collect();
        let mut kept = keep.iter();
        self.mesh.faces.retain(|_| kept.next() == Some(&true));
        let mut kept = keep.iter();
        self.face_ids.retain(|_| kept.next() == Some(&true));
        keep.contains(&false)
    }

    fn finish(self) -> Repaired {
        let mut positions = Vec::new();
        let mut vertex_map: Vec<Option<u32>> = Vec::with_capacity(self.targets.len());
        for v in 0..self.targets.len() as u32 {
            let target = self.targets[v as usize];
            vertex_map.push(if target != v {
                vertex_map[target as usize] // lesser, so it is settled already
            } else if self.dropped[v as usize] {
                None
            } else {
                positions.push(self.mesh.positions[v as usize]);
                Some(positions.len() as u32 - 1)
            });
        }
        // An index out of range is only here if the policy keeps such faces: it must stay out of range.
        let renumber = |v: u32| vertex_map.get(v as usize).copied().flatten().unwrap_or(u32::MAX);
        let faces = self.mesh.faces.iter().map(|f| f.map(renumber)).collect();
        let all = 0..self.original_face_count as u32;
        Repaired {
            mesh: TriMesh::new(positions, faces),
            dropped_faces: all.filter(|f| self.face_ids.binary_search(f).is_err()).collect(),
            vertex_map,
            report: self.report,
        }
    }
}

#[cfg(test)]
mod tests;
