//! Filters of overlapping pairs: pairs with shared vertices, and groups that ignore each other.
//!
//! Adjacent primitives always overlap, and there are about as many of them as true candidates. A filter
//! rejects them during the traversal, before a pair is stored. Items for which the filter has no data are
//! reported: a missed pair is worse than an unnecessary one.

/// The vertices of the items behind the boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members<'a> {
    /// Item `i` is vertex `i`, of this many vertices.
    Points(usize),
    /// Two vertices an item.
    Edges(&'a [[u32; 2]]),
    /// Three vertices an item.
    Faces(&'a [[u32; 3]]),
}

impl Members<'_> {
    /// The vertices of an item, repeated to three; `None` for an item beyond the end.
    #[inline]
    fn vertices(&self, item: u32) -> Option<[u32; 3]> {
        match self {
            Members::Points(count) => ((item as usize) < *count).then_some([item; 3]),
            Members::Edges(edges) => edges.get(item as usize).map(|&[a, b]| [a, b, b]),
            Members::Faces(faces) => faces.get(item as usize).copied(),
        }
    }
}

/// Which groups of items interact: a symmetric table (Lewin 2018, "regions").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupTable {
    group_count: u16,
    interacts: Vec<bool>,
}

impl GroupTable {
    /// A table in which all groups, `0..group_count`, interact with each other and with themselves.
    #[must_use]
    pub fn all_interact(group_count: u16) -> Self {
        Self { group_count, interacts: vec![true; usize::from(group_count).pow(2)] }
    }

    /// The same table, except that groups `a` and `b` ignore each other. A group beyond the table is skipped.
    #[must_use]
    pub fn ignoring(mut self, a: u16, b: u16) -> Self {
        self.ignore(a, b);
        self
    }

    /// From now on groups `a` and `b` ignore each other. A group beyond the table is skipped.
    pub fn ignore(&mut self, a: u16, b: u16) {
        for (a, b) in [(a, b), (b, a)] {
            if let Some(place) = self.place(a, b) {
                self.interacts[place] = false;
            }
        }
    }

    /// Whether two groups interact; a group beyond the table interacts with all.
    #[must_use]
    pub fn interact(&self, a: u16, b: u16) -> bool {
        self.place(a, b).is_none_or(|place| self.interacts[place])
    }

    fn place(&self, a: u16, b: u16) -> Option<usize> {
        let n = self.group_count;
        (a < n && b < n).then(|| usize::from(a) * usize::from(n) + usize::from(b))
    }
}

#[derive(Clone, Copy, Debug)]
struct Groups<'a> {
    a: &'a [u16],
    b: &'a [u16],
    table: &'a GroupTable,
}

/// Decides about a pair by the ids of its items alone.
///
/// For pairs within one set, both sides describe that set.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairFilter<'a> {
    members: Option<(Members<'a>, Members<'a>)>,
    groups: Option<Groups<'a>>,
}

impl<'a> PairFilter<'a> {
    /// Every overlapping pair is reported.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Pairs whose items share a vertex are left out; both sides number the same vertices.
    #[must_use]
    pub fn no_shared_vertex(a: Members<'a>, b: Members<'a>) -> Self {
        Self { members: Some((a, b)), groups: None }
    }

    /// Also leaves out pairs whose groups ignore each other; `a[i]` is the group of own item `i`.
    #[must_use]
    pub fn with_groups(self, a: &'a [u16], b: &'a [u16], table: &'a GroupTable) -> Self {
        Self { groups: Some(Groups { a, b, table }), ..self }
    }

    /// Whether the pair is reported if its boxes overlap.
    #[inline]
    #[must_use]
    pub fn allows(&self, a: u32, b: u32) -> bool {
        let apart = !self.share_a_vertex(a, b);
        // No branch on the answer where there are no groups to ask: neighbours are half of all overlaps.
        if self.groups.is_none() { apart } else { apart && self.groups_interact(a, b) }
    }

    #[inline]
    fn share_a_vertex(&self, a: u32, b: u32) -> bool {
        let [i, j] = [a as usize, b as usize];
        // The two kinds of self pairs of a mesh come first, each with no more comparisons than it needs.
        match &self.members {
            None => false,
            Some((Members::Edges(a), Members::Edges(b))) => match (a.get(i), b.get(j)) {
                (Some(a), Some(b)) => any_equal(a, b),
                _ => false,
            },
            Some((Members::Faces(a), Members::Faces(b))) => match (a.get(i), b.get(j)) {
                (Some(a), Some(b)) => any_equal(a, b),
                _ => false,
            },
            Some((members_a, members_b)) => match (members_a.vertices(a), members_b.vertices(b)) {
                (Some(a), Some(b)) => any_equal(&a, &b),
                _ => false,
            },
        }
    }

    #[inline]
    fn groups_interact(&self, a: u32, b: u32) -> bool {
        let Some(groups) = &self.groups else { return true };
        match (groups.a.get(a as usize), groups.b.get(b as usize)) {
            (Some(&a), Some(&b)) => groups.table.interact(a, b),
            _ => true,
        }
    }
}

/// Without a branch: nine comparisons cost less than the mispredictions of leaving early.
#[inline]
fn any_equal<const N: usize>(a: &[u32; N], b: &[u32; N]) -> bool {
    a.iter().fold(false, |hit, a| b.iter().fold(hit, |hit, b| hit | (a == b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACES: [[u32; 3]; 3] = [[0, 1, 2], [2, 1, 3], [4, 5, 6]];
    const EDGES: [[u32; 2]; 3] = [[0, 1], [3, 4], [5, 7]];

    #[test]
    fn drops_pairs_that_share_any_corner() {
        let edges = PairFilter::no_shared_vertex(Members::Edges(&EDGES), Members::Edges(&EDGES));
        assert!(edges.allows(0, 1) && edges.allows(1, 2) && !edges.allows(1, 1));
        for [a, b] in [[[7, 1], [1, 9]], [[1, 7], [1, 9]], [[7, 1], [9, 1]], [[1, 7], [9, 1]]] {
            let edges = [a, b];
            assert!(
                !PairFilter::no_shared_vertex(Members::Edges(&edges), Members::Edges(&edges)).allows(0, 1)
            );
        }
        let faces = PairFilter::no_shared_vertex(Members::Faces(&FACES), Members::Faces(&FACES));
        assert!(!faces.allows(0, 1));
        assert!(faces.allows(0, 2) && faces.allows(1, 2));
        let points = PairFilter::no_shared_vertex(Members::Points(8), Members::Faces(&FACES));
        for (f, face) in FACES.iter().enumerate() {
            for v in 0..8 {
                assert_eq!(points.allows(v, f as u32), !face.contains(&v), "{v} {f}");
            }
        }
        let edges = PairFilter::no_shared_vertex(Members::Edges(&EDGES), Members::Faces(&FACES));
        for (e, edge) in EDGES.iter().enumerate() {
            for (f, face) in FACES.iter().enumerate() {
                let shares = edge.iter().any(|v| face.contains(v));
                assert_eq!(edges.allows(e as u32, f as u32), !shares, "{e} {f}");
            }
        }
    }

    #[test]
    fn drops_pairs_of_groups_that_ignore_each_other_in_either_order() {
        let table = GroupTable::all_interact(3).ignoring(0, 1).ignoring(2, 2);
        let groups = [0, 1, 2, 7];
        let filter = PairFilter::all().with_groups(&groups, &groups, &table);
        assert!(!filter.allows(0, 1) && !filter.allows(1, 0) && !filter.allows(2, 2));
        assert!(filter.allows(0, 0) && filter.allows(0, 2) && filter.allows(1, 2));
    }

    #[test]
    fn reports_what_it_knows_nothing_about() {
        let table = GroupTable::all_interact(1).ignoring(0, 0).ignoring(0, 9);
        let filter = PairFilter::no_shared_vertex(Members::Points(2), Members::Edges(&EDGES)).with_groups(
            &[0, 5],
            &[0],
            &table,
        );
        assert!(!filter.allows(0, 0) && !filter.allows(1, 0));
        assert!(filter.allows(1, 9) && filter.allows(9, 0) && filter.allows(0, 2));
    }
}
