//! Progress of contours over time: contours of consecutive substeps are matched by the faces they pass.

use std::ops::Range;

use cloth_contacts::tangle::Contour;
use cloth_geom::{Pool, Topology, clone_in_place};
use nalgebra::Point3;

/// Frames without progress after which the next strategy is tried.
const MAX_STALE_FRAMES: u32 = 12;
/// Relative shortening that counts as progress.
const MIN_PROGRESS: f64 = 0.02;
/// A strategy is also given up if the contour has grown to this many times its best length after this many
/// frames without progress: a contour that is pulled through a fold grows at first.
const GIVE_UP: (f64, u32) = (1.5, 5);
/// From this attempt on a contour is reported as stuck: every kind of strategy has been tried.
const STUCK_FROM: u32 = 4;

#[derive(Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct TrackedContour {
    /// The faces of both sides, ascending.
    faces: Vec<u32>,
    progress: Progress,
}

clone_in_place!(TrackedContour { faces, progress });

/// Progress of the strategies for a contour.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Progress {
    /// Shortest length (m) and fewest hits in this attempt.
    best: (f64, usize),
    stale: u32,
    attempt: u32,
}

/// The contours that were found last.
#[derive(Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct TrackedContours {
    all: Pool<TrackedContour>,
    /// Memory of [`TrackedContours::update`].
    #[cfg_attr(feature = "serde", serde(skip))]
    next: Pool<TrackedContour>,
}

clone_in_place!(TrackedContours { all; next });

impl TrackedContours {
    pub(super) fn clear(&mut self) {
        self.all.clear();
    }

    /// The faces of all contours.
    pub(crate) fn faces(&self) -> impl Iterator<Item = u32> {
        self.all.iter().flat_map(|contour| contour.faces.iter().copied())
    }

    /// Removes contours between these faces and others.
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

    /// The number of contours that no strategy has improved.
    pub(super) fn stuck(&self) -> usize {
        self.all.iter().filter(|t| t.progress.attempt >= STUCK_FROM).count()
    }

    /// Matches the current contours with the previous ones and writes the attempt of each. Progress is
    /// evaluated once a step, at its `first` substep.
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
            let (length, hits) = (contour.length(at, topology), contour.hits.len());
            track.progress = resume(&self.all, &track.faces, length, hits, first);
        }
        // Not swapped, so that memory use depends on the contours alone.
        self.all.clone_from(&self.next);
        attempts.clear();
        attempts.extend(self.all.iter().map(|track| track.progress.attempt));
    }
}

/// The progress of the previous contour with the most common faces, given the length (m) and the hits of this
/// one; one without a match starts at zero.
fn resume(
    tracked_contours: &[TrackedContour],
    faces: &[u32],
    length: f64,
    hits: usize,
    first: bool,
) -> Progress {
    let now = (length, hits);
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
    // Numbers that were read from a file may be the largest.
    let stale = stale.saturating_add(1);
    if stale < MAX_STALE_FRAMES && !is_growing {
        return Progress { best, stale, attempt };
    }
    Progress { best: now, stale: 0, attempt: attempt.saturating_add(1) }
}

/// Number of common entries of two ascending lists.
fn common(a: &[u32], b: &[u32]) -> usize {
    a.iter().filter(|face| b.binary_search(face).is_ok()).count()
}
