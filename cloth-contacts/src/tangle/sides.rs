//! Which of the two faces of a pair is on the first side of the contour: one sheet is followed across its
//! edges.
//!
//! A hit (e, f) lies in the pairs {g, f} and {g', f} of the two faces on its edge. The contour crosses e from
//! g to g', which are one sheet, and stays on f: so f is on the same side in both pairs.

use super::links::Links;

/// The pairs of one contour, and for each whether its greater face is on the first side.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    /// Ascending.
    pub(super) links: Vec<u32>,
    /// By pair; `None` as long as it was not reached.
    flipped: Vec<Option<bool>>,
    todo: Vec<usize>,
    /// Whether a pair was reached with both answers.
    pub(super) contradicted: bool,
}

impl Labels {
    /// Follows the sheets from the least pair on; `hits` are all hits of one contour.
    pub(super) fn spread(&mut self, links: &Links, hits: &[[u32; 2]], of_contour: &[u32]) {
        let Self { links: members, flipped, todo, contradicted } = self;
        members.clear();
        members.extend(of_contour.iter().flat_map(|&hit| links.of_hit(hit)));
        members.sort_unstable();
        members.dedup();
        flipped.clear();
        flipped.resize(members.len(), None);
        let place = |link: u32| members.partition_point(|&l| l < link);
        *contradicted = false;
        // A contour is connected, so the first pair reaches all.
        for start in 0..members.len() {
            if flipped[start].is_none() {
                flipped[start] = Some(false);
                todo.push(start);
            }
            while let Some(at) = todo.pop() {
                let link = links.link(members[at]);
                for &hit in link.hits {
                    let face = hits[hit as usize][1];
                    // The side of the face that is hit.
                    let side = (link.faces[1] == face) != (flipped[at] == Some(true));
                    for &next in links.of_hit(hit) {
                        let wanted = (links.link(next).faces[1] == face) != side;
                        let next = place(next);
                        match flipped[next] {
                            None => {
                                flipped[next] = Some(wanted);
                                todo.push(next);
                            }
                            Some(known) => *contradicted |= known != wanted,
                        }
                    }
                }
            }
        }
    }

    /// The face on the first side and that on the second, for the pair in this place.
    pub(super) fn faces(&self, links: &Links, place: usize) -> [u32; 2] {
        let [a, b] = links.link(self.links[place]).faces;
        if self.flipped[place] == Some(true) { [b, a] } else { [a, b] }
    }
}
