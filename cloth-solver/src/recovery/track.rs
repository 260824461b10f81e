//! Whether a contour gets shorter: contours of one substep are known again in the next by the faces they pass.

use std::ops::Range;
use std::sync::Arc;

use cloth_contacts::tangle::Contour;
use cloth_geom::Topology;
use nalgebra::Point3;

/// Frames without progress after which another plan is tried.
const PATIENCE: u32 = 12;
/// By how much of its length a contour has to get shorter to be on its way.
const PROGRESS: f64 = 0.02;
/// To how many times its best length a contour may grow, and for how many frames without progress, before its plan is given up: one
/// that is pulled through a fold grows at first.
const WORSE: (f64, u32) = (1.5, 5);
/// From this attempt on a contour is reported as stuck: every kind of plan has had its turn.
const STUCK_FROM: u32 = 4;

#[derive(Clone, Debug)]
struct Track {
    /// The faces of both sides, ascending.
    faces: Vec<u32>,
    /// Shortest length (m) and fewest hits in this attempt.
    best: (f64, usize),
    stale: u32,
    attempt: u32,
}

/// The contours that were there when last looked at. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tracks(Option<Arc<[Track]>>);

impl Tracks {
    pub(super) fn clear(&mut self) {
        self.0 = None;
    }

    /// Forgets contours between these faces and others.
    pub(crate) fn forget_between(&mut self, faces: &Range<usize>) {
        let one_sided = |track: &&Track| {
            let inside = track.faces.iter().filter(|&&f| faces.contains(&(f as usize))).count();
            inside == 0 || inside == track.faces.len()
        };
        let kept: Vec<Track> = self.all().iter().filter(one_sided).cloned().collect();
        self.0 = Some(kept.into());
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.all().is_empty()
    }

    fn all(&self) -> &[Track] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Contours of which nothing that was tried made anything better.
    pub(super) fn stuck(&self) -> usize {
        self.all().iter().filter(|t| t.attempt >= STUCK_FROM).count()
    }

    /// Follows the contours to those of now; for each, which attempt it is. Progress is judged once a step, at its `first`
    /// substep.
    pub(super) fn follow(
        &mut self,
        contours: &[Contour],
        at: &[Point3<f64>],
        topology: &Topology,
        first: bool,
    ) -> Vec<u32> {
        let tracks: Vec<Track> = contours
            .iter()
            .map(|contour| {
                let mut faces = contour.sides.concat();
                faces.sort_unstable();
                faces.dedup();
                let now = (contour.length(at, topology), contour.hits.len());
                self.resume(faces, now, first)
            })
            .collect();
        let attempts = tracks.iter().map(|t| t.attempt).collect();
        self.0 = Some(tracks.into());
        attempts
    }

    /// The track with the most faces in common goes on; none, and a new one begins.
    fn resume(&self, faces: Vec<u32>, now: (f64, usize), first: bool) -> Track {
        let before = self.all().iter().map(|t| (common(&t.faces, &faces), t)).filter(|&(n, _)| n > 0);
        let before = before.reduce(|a, b| if b.0 > a.0 { b } else { a });
        let Some((_, before)) = before else { return Track { faces, best: now, stale: 0, attempt: 0 } };
        let Track { best, stale, attempt, .. } = *before;
        if !first {
            return Track { faces, best, stale, attempt };
        }
        let better = now.0 < best.0 * (1.0 - PROGRESS) || (now.0 <= best.0 && now.1 < best.1);
        if better {
            return Track { faces, best: now, stale: 0, attempt };
        }
        let hopeless = now.0 > best.0 * WORSE.0 && stale >= WORSE.1;
        if stale + 1 < PATIENCE && !hopeless {
            return Track { faces, best, stale: stale + 1, attempt };
        }
        Track { faces, best: now, stale: 0, attempt: attempt + 1 }
    }
}

/// How many entries two ascending lists have in common.
fn common(a: &[u32], b: &[u32]) -> usize {
    a.iter().filter(|face| b.binary_search(face).is_ok()).count()
}
