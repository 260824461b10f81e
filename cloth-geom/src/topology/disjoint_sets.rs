//! Sets of numbers that are joined and never parted; a set is named by its least member.
//!
//! The least member wins, not the larger set, so that the names do not depend on the order of the joins. Paths
//! are halved while searching, which keeps the cost logarithmic.

/// A partition of `0..n`.
#[derive(Clone, Debug)]
pub(crate) struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// Every number alone.
    pub(crate) fn new(n: usize) -> Self {
        Self { parent: (0..n as u32).collect() }
    }

    /// The least member of the set of `a`.
    pub(crate) fn find(&mut self, mut a: u32) -> u32 {
        while self.parent[a as usize] != a {
            let grandparent = self.parent[self.parent[a as usize] as usize];
            self.parent[a as usize] = grandparent;
            a = grandparent;
        }
        a
    }

    /// Joins the sets of `a` and `b`.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_a_set_by_its_least_member_whatever_the_order_of_joins() {
        for joins in [[(4, 2), (2, 5), (1, 3)], [(3, 1), (5, 4), (2, 4)]] {
            let mut sets = DisjointSets::new(6);
            for (a, b) in joins {
                sets.join(a, b);
            }
            assert_eq!([0, 1, 2, 3, 4, 5].map(|a| sets.find(a)), [0, 1, 2, 1, 2, 2]);
        }
    }
}
