//! Bisection of a connected set of faces into two connected halves of about equal size with a short common
//! border.
//!
//! Two distant faces are found by breadth-first search; every other face joins the nearer one, up to the
//! median of the difference of distances. A simple graph partition without weights or refinement, and
//! deterministic on every platform.

/// No face on the other side of an edge, or not exactly one.
pub(super) const NONE: u32 = u32::MAX;

/// Smallest share of the smaller half, as a divisor: 1/8. What is more lopsided is cut at the median,
/// connected or not.
const MIN_SHARE: usize = 8;

/// Working memory of the splits of one mesh.
pub(super) struct Bisection<'a> {
    /// For each face the one face across each of its edges, or [`NONE`].
    across: &'a [[u32; 3]],
    /// Which set a face belongs to at the moment.
    set_of: Vec<u32>,
    sets: u32,
    /// Steps from the two ends.
    steps: [Vec<u32>; 2],
    /// In the order of the walk.
    walked: Vec<u32>,
}

impl<'a> Bisection<'a> {
    pub(super) fn new(across: &'a [[u32; 3]]) -> Self {
        let zeros = vec![0; across.len()];
        Self {
            across,
            set_of: zeros.clone(),
            sets: 0,
            steps: [zeros.clone(), zeros],
            walked: Vec::with_capacity(across.len()),
        }
    }

    /// Reorders the faces, at least two, so that the two halves follow each other; returns the length of the
    /// first.
    ///
    /// A set that is not connected is split between its pieces.
    pub(super) fn split(&mut self, faces: &mut [u32]) -> usize {
        debug_assert!(faces.len() > 1);
        // From the least face, so that the halves depend on the set alone and not on its order.
        let least = faces.iter().copied().min().unwrap_or(0);
        let set = self.mark(faces);
        self.walk(least, set, 0);
        if self.walked.len() < faces.len() {
            return self.split_between_pieces(faces);
        }
        let set = self.mark(faces);
        let start = self.last_walked(least);
        self.walk(start, set, 0);
        let set = self.mark(faces);
        let end = self.last_walked(start);
        self.walk(end, set, 1);
        let [from_start, from_end] = &self.steps;
        let key = |f: u32| {
            let (s, e) = (i64::from(from_start[f as usize]), i64::from(from_end[f as usize]));
            (s - e, s, f)
        };
        let middle = faces.len() / 2;
        faces.select_nth_unstable_by_key(middle, |&f| key(f));
        self.connect(faces, middle, [start, end])
    }

    fn last_walked(&self, otherwise: u32) -> u32 {
        self.walked.last().copied().unwrap_or(otherwise)
    }

    /// Gives the faces a new set of their own.
    fn mark(&mut self, faces: &[u32]) -> u32 {
        self.sets += 2;
        for &f in faces {
            self.set_of[f as usize] = self.sets;
        }
        self.sets
    }

    /// Breadth-first search through a set; removes the faces it reaches.
    fn walk(&mut self, from: u32, set: u32, end: usize) {
        self.walked.clear();
        self.walked.push(from);
        self.set_of[from as usize] = set + 1;
        self.steps[end][from as usize] = 0;
        let mut next = 0;
        while let Some(&f) = self.walked.get(next) {
            next += 1;
            for g in self.across[f as usize] {
                if g != NONE && self.set_of[g as usize] == set {
                    self.set_of[g as usize] = set + 1;
                    self.steps[end][g as usize] = self.steps[end][f as usize] + 1;
                    self.walked.push(g);
                }
            }
        }
    }

    /// Moves disconnected parts of either half to the other, unless that makes a half too small.
    fn connect(&mut self, faces: &mut [u32], middle: usize, [start, end]: [u32; 2]) -> usize {
        let (first, second) = faces.split_at(middle);
        let set = self.mark(first);
        self.walk(start, set, 0);
        let whole = self.walked.len() == first.len();
        let loose: Vec<u32> = first.iter().copied().filter(|&f| self.set_of[f as usize] == set).collect();
        let mut kept = if whole { Vec::new() } else { self.walked.clone() };
        let rest: Vec<u32> = loose.iter().chain(second).copied().collect();
        let set = self.mark(&rest);
        self.walk(end, set, 0);
        if whole && self.walked.len() == second.len() {
            return middle;
        }
        if whole {
            kept.extend_from_slice(first);
        }
        kept.extend(rest.iter().filter(|&&f| self.set_of[f as usize] == set));
        let least = faces.len() / MIN_SHARE;
        if kept.len() <= least || self.walked.len() <= least {
            return middle;
        }
        let length = kept.len();
        faces[..length].copy_from_slice(&kept);
        faces[length..].copy_from_slice(&self.walked);
        length
    }

    /// Puts whole pieces, in the order of their first faces, into the first half until it holds half of the
    /// faces.
    fn split_between_pieces(&mut self, faces: &mut [u32]) -> usize {
        faces.sort_unstable();
        let set = self.mark(faces);
        let mut ordered = Vec::with_capacity(faces.len());
        let mut cut = 0;
        for &seed in faces.iter() {
            if self.set_of[seed as usize] != set {
                continue;
            }
            self.walk(seed, set, 0);
            let nearer = |a: usize, b: usize| a.abs_diff(faces.len() / 2) < b.abs_diff(faces.len() / 2);
            let begin = ordered.len();
            if begin > 0 && (cut == 0 || nearer(begin, cut)) {
                cut = begin;
            }
            ordered.extend_from_slice(&self.walked);
        }
        faces.copy_from_slice(&ordered);
        cut
    }
}
