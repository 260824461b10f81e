//! Whether a contour gets shorter: contours of one substep are known again in the next by the faces they pass.

use std::ops::Range;

use cloth_contacts::tangle::Contour;
use cloth_geom::{Pool, Topology};
use nalgebra::Point3;

/// Frames without progress after which another plan is tried.
const MAX_STALE_FRAMES: u32 = 12;
/// By how much of its length a contour has to get shorter to be on its way.
const MIN_PROGRESS: f64 = 0.02;
/// To how many times its best length a contour may grow, and for how many frames without progress, before its plan is given up: one
/// that is pulled through a fold grows at first.
const GIVE_UP: (f64, u32) = (1.5, 5);
/// From this attempt on a contour is reported as stuck: every kind of plan has had its turn.
const STUCK_FROM: u32 = 4;

#[derive(Debug, Default)]
struct TrackedContour {
    /// The faces of both sides, ascending.
    faces: Vec<u32>,
    progress: Progress,
}

/// `clone_from` uses the memory that is there.
impl Clone for TrackedContour {
    fn clone(&self) -> Self {
        Self { faces: self.faces.clone(), progress: self.progress }
    }

    fn clone_from(&mut self, source: &Self) {
        self.faces.clone_from(&source.faces);
        self.progress = source.progress;
    }
}

/// What the plans for a contour have come to.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// Shortest length (m) and fewest hits in this attempt.
    best: (f64, usize),
    stale: u32,
    attempt: u32,
}

/// The contours that were there when last looked at.
#[derive(Debug, Default)]
pub(crate) struct TrackedContours {
    all: Pool<TrackedContour>,
    /// Memory of [`TrackedContours::update`].
    next: Pool<TrackedContour>,
}

/// `clone_from` uses the memory that is there.
impl Clone for TrackedContours {
    fn clone(&self) -> Self {
        Self { all: self.all.clone(), next: Pool::default() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.all.clone_from(&source.all);
    }
}

impl TrackedContours {
    pub(super) fn clear(&mut self) {
        self.all.clear();
    }

    /// Forgets contours between these faces and others.
    pub(crate) fn forget_between(&mut self, faces: &Range<usize>) {
        self.all.retain(|track| {
            let inside = track.faces.iter().filter(|&&f| faces.contains(&(f as usize))).count();
            inside == 0 || inside == track.faces.len()
        });
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Contours of which nothing that was tried made anything better.
    pub(super) fn stuck(&self) -> usize {
        self.all.iter().filter(|t| t.progress.attempt >= STUCK_FROM).count()
    }

    /// Follows the contours to those of now; for each, which attempt it is. Progress is judged once a step, at its `first`
    /// substep.
    pub(super) fn update(
        &mut self,
        contours: &[Contour],
        at: &[Point3<f64>],
        topology: &Topology,
        first: bool,
        attempts: &mut Vec<u32>,
    ) {
        self.next.clear();
        for contour in contours {
            let track = self.next.push_with(TrackedContour::default);
            track.faces.clear();
            track.faces.extend(contour.sides.iter().flatten());
            track.faces.sort_unstable();
            track.faces.dedup();
            let now = (contour.length(at, topology), contour.hits.len());
            track.progress = resume(&self.all, &track.faces, now, first);
        }
        // Not swapped: what memory is where is to depend on the contours alone.
        self.all.clone_from(&self.next);
        attempts.clear();
        attempts.extend(self.all.iter().map(|track| track.progress.attempt));
    }
}

/// The track with the most faces in common goes on; none, and a new one begins.
fn resume(tracked_contours: &[TrackedContour], faces: &[u32], now: (f64, usize), first: bool) -> Progress {
    let before = tracked_contours.iter().map(|t| (common(&t.faces, faces), t)).filter(|&(n, _)| n > 0);
    let before = before.reduce(|a, b| if b.0 > a.0 { b } else { a });
    let Some((_, before)) = before else { return Progress { best: now, stale: 0, attempt: 0 } };
    let Progress { best, stale, attempt } = before.progress;
    if !first {
        return Progress { best, stale, attempt };
    }
    let better = now.0 < best.0 * (1.0 - MIN_PROGRESS) || (now.0 <= best.0 && now.1 < best.1);
    if better {
        return Progress { best: now, stale: 0, attempt };
    }
    let is_growing = now.0 > best.0 * GIVE_UP.0 && stale >= GIVE_UP.1;
    if stale + 1 < MAX_STALE_FRAMES && !is_growing {
        return Progress { best, stale: stale + 1, attempt };
    }
    Progress { best: now, stale: 0, attempt: attempt + 1 }
}

/// How many entries two ascending lists have in common.
fn common(a: &[u32], b: &[u32]) -> usize {
    a.iter().filter(|face| b.binary_search(face).is_ok()).count()
}
