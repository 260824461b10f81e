//! The border of two neighbouring discs together, where they meet in one seam.
//!
//! Two discs that are glued along one connected piece of their borders are a disc:
//!
//! ```text
//!      a       s0 ---- s1 ---- s2      b          border of both: the rest of a, then the rest of b
//! ```
//!
//! The seam must be all that they share: two seams would make an annulus, a whole border a sphere or a plug.

/// The common border of two patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seam {
    /// Two discs without a common border vertex: no parts of theirs have one either.
    None,
    /// Two discs that are one disc together.
    One,
    /// Anything else.
    Other,
}

/// Working memory: where the vertices of one border are.
#[derive(Clone, Debug, Default)]
pub(super) struct Seams {
    /// For each vertex the border that saw it last, and its place there.
    place: Vec<[u32; 2]>,
    borders: u32,
}

impl Seams {
    pub(super) fn new(vertex_count: usize) -> Self {
        Self { place: vec![[0; 2]; vertex_count], borders: 0 }
    }

    /// Fills `joint` with the border of two discs together, in the sense of theirs, if they are one disc.
    ///
    /// An empty border is that of a patch that is no disc.
    pub(super) fn join(&mut self, a: &[u32], b: &[u32], joint: &mut Vec<u32>) -> Seam {
        joint.clear();
        if a.is_empty() || b.is_empty() {
            return Seam::Other;
        }
        self.mark(a);
        let (na, nb) = (a.len(), b.len());
        // Side j of b runs back along a side of a.
        let sewn = |j: usize| {
            let (from, to) = (self.place_of(b[j]), self.place_of(b[(j + 1) % nb]));
            matches!((from, to), (Some(from), Some(to)) if (to + 1) % na == from)
        };
        let shared = b.iter().filter(|&&v| self.place_of(v).is_some()).count();
        if shared == 0 {
            return Seam::None;
        }
        let Some(first) = (0..nb).find(|&j| sewn(j) && !sewn((j + nb - 1) % nb)) else { return Seam::Other };
        let seam = (0..nb).take_while(|k| sewn((first + k) % nb)).count();
        // One vertex more than sides, and none elsewhere.
        if shared != seam + 1 || seam >= na || seam >= nb {
            return Seam::Other;
        }
        let Some(start) = self.place_of(b[first]) else { return Seam::Other };
        // The seam of a ends where that of b begins.
        joint.extend((0..na - seam).map(|k| a[(start + k) % na]));
        joint.extend((0..nb - seam).map(|k| b[(first + seam + k) % nb]));
        Seam::One
    }

    fn mark(&mut self, border: &[u32]) {
        if self.borders == u32::MAX {
            self.place.fill([0; 2]);
            self.borders = 0;
        }
        self.borders += 1;
        for (i, &v) in border.iter().enumerate() {
            self.place[v as usize] = [self.borders, i as u32];
        }
    }

    fn place_of(&self, vertex: u32) -> Option<usize> {
        let [border, place] = self.place[vertex as usize];
        (border == self.borders).then_some(place as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(a: &[u32], b: &[u32]) -> Option<Vec<u32>> {
        let mut seams = Seams::new(12);
        let mut joint = vec![7];
        let joined = seams.join(a, b, &mut joint) == Seam::One;
        let least = (0..joint.len()).min_by_key(|&i| joint[i]).unwrap_or(0);
        joint.rotate_left(least);
        joined.then_some(joint)
    }

    #[test]
    fn leaves_the_inside_of_a_seam_out() {
        assert_eq!(join(&[0, 1, 2, 3], &[2, 1, 4, 5]), Some(vec![0, 1, 4, 5, 2, 3]));
        assert_eq!(join(&[0, 1, 2, 3], &[3, 2, 1, 4]), Some(vec![0, 1, 4, 3]));
        assert_eq!(join(&[3, 2, 1, 4], &[0, 1, 2, 3]), Some(vec![0, 1, 4, 3]));
        // An ear that shares two of its three sides.
        assert_eq!(join(&[0, 1, 2, 3], &[2, 1, 0]), Some(vec![0, 2, 3]));
    }

    #[test]
    fn refuses_what_is_no_disc_together() {
        // Apart, joined in a vertex, along a seam and in a vertex, along two seams, and all around.
        assert_eq!(join(&[0, 1, 2], &[3, 4, 5]), None);
        assert_eq!(join(&[0, 1, 2], &[2, 4, 5]), None);
        assert_eq!(join(&[0, 1, 2, 3, 4, 5], &[1, 0, 7, 3, 8]), None);
        assert_eq!(join(&[0, 1, 2, 3, 4, 5], &[1, 0, 7, 4, 3, 8]), None);
        assert_eq!(join(&[0, 1, 2, 3], &[3, 2, 1, 0]), None);
        // Sides that run the same way: the faces are wound against each other.
        assert_eq!(join(&[0, 1, 2], &[0, 1, 3]), None);
        assert_eq!(join(&[], &[0, 1, 2]), None);
        let seam = |b: &[u32]| Seams::new(12).join(&[0, 1, 2], b, &mut Vec::new());
        assert_eq!((seam(&[3, 4, 5]), seam(&[2, 4, 5])), (Seam::None, Seam::Other));
        assert_eq!(seam(&[]), Seam::Other, "nothing is known of a patch that is no disc");
    }

    #[test]
    fn forgets_the_borders_it_saw_before() {
        let mut seams = Seams::new(6);
        let mut joint = Vec::new();
        assert_eq!(seams.join(&[0, 1, 2], &[2, 1, 3], &mut joint), Seam::One);
        assert_ne!(seams.join(&[0, 4, 5], &[2, 1, 3], &mut joint), Seam::One);
        seams.borders = u32::MAX;
        assert_ne!(seams.join(&[0, 4, 5], &[2, 1, 3], &mut joint), Seam::One);
        assert_eq!(seams.join(&[0, 1, 2], &[2, 1, 3], &mut joint), Seam::One);
    }
}
