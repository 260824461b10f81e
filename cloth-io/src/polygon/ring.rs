//! Ear clipping: cuts one corner off after another, until a triangle is left.
//!
//! Corners keep in a ring what they are, and only the neighbours of a clipped ear are tested again (Eberly,
//! "Triangulation by ear clipping"). Which corners lie in the triangle of an ear, a tree of boxes over the
//! corners answers; the plain scan of all corners, which gives the same triangles, is its reference in the
//! tests.

use std::collections::BTreeSet;

use robust::{Coord, orient2d};

use super::corner_tree::CornerTree;
use super::{Cut, cut_by_number};

/// The most boxes and corners that are tested for one polygon: about two seconds. A polygon of up to 4,096
/// corners, however it winds, takes less than a third of it.
const MAX_WORK: u64 = 1 << 28;

/// The corners that are left, in a ring.
pub(super) struct Ring<'a> {
    flat: &'a [Coord<f64>],
    tree: CornerTree,
    previous: Vec<usize>,
    next: Vec<usize>,
    ears: BTreeSet<usize>,
    work: u64,
}

impl<'a> Ring<'a> {
    /// The ring of a polygon, counter-clockwise; none if that takes too much work.
    pub(super) fn new(flat: &'a [Coord<f64>]) -> Option<Self> {
        let n = flat.len();
        let previous = (0..n).map(|i| (i + n - 1) % n).collect();
        let next = (0..n).map(|i| (i + 1) % n).collect();
        let (tree, ears) = (CornerTree::new(flat), BTreeSet::new());
        let mut ring = Self { flat, tree, previous, next, ears, work: 0 };
        (0..n).all(|i| ring.test(i)).then_some(ring)
    }

    /// Cuts ear after ear, around the polygon; with `skip` the neighbour of a clipped ear is left for the
    /// next round.
    pub(super) fn clip(mut self, skip: bool, out: &mut Vec<[usize; 3]>) -> Cut {
        let (first, mut i, mut left) = (out.len(), 0, self.flat.len());
        while left > 3 {
            // The next ear around, from corner `i` on.
            let ear = self.ears.range(i..).next().or_else(|| self.ears.first());
            let Some(&ear) = ear else {
                i = self.next[i];
                break;
            };
            let (a, c) = (self.previous[ear], self.next[ear]);
            out.push([a, ear, c]);
            self.next[a] = c;
            self.previous[c] = a;
            self.ears.remove(&ear);
            self.tree.remove(ear);
            left -= 1;
            if !(self.test(a) && self.test(c)) {
                out.truncate(first);
                return Cut::TooLarge;
            }
            i = if skip { self.next[c] } else { c };
        }
        let clean = left == 3 && self.ears.contains(&i);
        let rest: Vec<usize> = std::iter::successors(Some(i), |&k| Some(self.next[k])).take(left).collect();
        cut_by_number(&rest, out);
        if clean { Cut::Clean } else { Cut::Degenerate }
    }

    /// Finds out whether a corner is an ear; false if there has been too much work.
    fn test(&mut self, i: usize) -> bool {
        if self.is_ear(i) {
            self.ears.insert(i);
        } else {
            self.ears.remove(&i);
        }
        self.work <= MAX_WORK
    }

    /// Whether cutting corner `i` off leaves a polygon: it turns left, and no other corner lies in its
    /// triangle.
    fn is_ear(&mut self, i: usize) -> bool {
        let corners = [self.previous[i], i, self.next[i]].map(|k| self.flat[k]);
        let [a, b, c] = corners;
        if orient2d(a, b, c) <= 0.0 {
            return false;
        }
        !self.tree.any_near(corners, &mut self.work, |k| blocks(self.flat[k], corners))
    }
}

/// Whether a corner lies in a triangle. One that lies on one of the three (where a hole is bridged) does not
/// block.
fn blocks(p: Coord<f64>, [a, b, c]: [Coord<f64>; 3]) -> bool {
    let inside = orient2d(a, b, p) >= 0.0 && orient2d(b, c, p) >= 0.0 && orient2d(c, a, p) >= 0.0;
    inside && p != a && p != b && p != c
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same by a scan of all corners that are left, around the ring.
    fn clip_plainly(flat: &[Coord<f64>], skip: bool) -> (Cut, Vec<[usize; 3]>) {
        let mut ring: Vec<usize> = (0..flat.len()).collect();
        let is_ear = |ring: &[usize], at: usize| {
            let n = ring.len();
            let corners = [ring[(at + n - 1) % n], ring[at], ring[(at + 1) % n]].map(|k| flat[k]);
            let turns_left = orient2d(corners[0], corners[1], corners[2]) > 0.0;
            turns_left && !ring.iter().any(|&k| blocks(flat[k], corners))
        };
        let mut ears: Vec<bool> = (0..ring.len()).map(|at| is_ear(&ring, at)).collect();
        let (mut out, mut at, mut missed) = (Vec::new(), 0, 0);
        while ring.len() > 3 && missed <= ring.len() {
            let n = ring.len();
            if !ears[ring[at]] {
                (at, missed) = ((at + 1) % n, missed + 1);
                continue;
            }
            out.push([ring[(at + n - 1) % n], ring[at], ring[(at + 1) % n]]);
            ring.remove(at);
            // The next corner has moved into this place.
            let n = ring.len();
            for neighbour in [(at + n - 1) % n, at % n] {
                ears[ring[neighbour]] = is_ear(&ring, neighbour);
            }
            (at, missed) = ((at + usize::from(skip)) % n, 0);
        }
        let clean = ring.len() == 3 && ears[ring[at]];
        ring.rotate_left(at);
        cut_by_number(&ring, &mut out);
        (if clean { Cut::Clean } else { Cut::Degenerate }, out)
    }

    fn agree(points: &[[f64; 2]]) {
        let flat: Vec<Coord<f64>> = points.iter().map(|&[x, y]| Coord { x, y }).collect();
        for skip in [false, true] {
            let mut out = Vec::new();
            let how = Ring::new(&flat).expect("little work").clip(skip, &mut out);
            assert_eq!((how, out), clip_plainly(&flat, skip), "{points:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Small whole numbers: corners that coincide, lie on edges, and cross themselves.
        #[test]
        fn gives_the_triangles_of_the_plain_scan(points in prop::collection::vec([0i32..7, 0i32..7], 4..30)) {
            agree(&points.iter().map(|p| p.map(f64::from)).collect::<Vec<_>>());
        }

        #[test]
        fn gives_the_triangles_of_the_plain_scan_around_a_star(
            radii in prop::collection::vec(1u32..100, 4..120)
        ) {
            let n = radii.len() as f64;
            let at = |(i, &r): (usize, &u32)| {
                let angle = i as f64 / n * std::f64::consts::TAU;
                [f64::from(r) * angle.cos(), f64::from(r) * angle.sin()]
            };
            agree(&radii.iter().enumerate().map(at).collect::<Vec<_>>());
        }
    }
}
