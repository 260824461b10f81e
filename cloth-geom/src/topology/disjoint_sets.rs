//! Disjoint sets (union-find); the representative of a set is its smallest member.
//!
//! The smallest member is the representative, not the root of the larger set, so representatives do not
//! depend on the order of the unions. Path halving keeps the cost logarithmic.

/// A partition of `0..n`.
#[derive(Clone, Debug, Default)]
pub struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// Every number alone.
    #[must_use]
    pub fn new(n: usize) -> Self {
        Self { parent: (0..n as u32).collect() }
    }

    /// Every one of `n` numbers alone again; allocates nothing if there were as many before.
    pub fn reset(&mut self, n: usize) {
        self.parent.clear();
        self.parent.extend(0..n as u32);
    }

    /// The least member of the set of `a`.
    ///
    /// # Panics
    /// If `a` is not below `n`.
    pub fn find(&mut self, mut a: u32) -> u32 {
        while self.parent[a as usize] != a {
            let grandparent = self.parent[self.parent[a as usize] as usize];
            self.parent[a as usize] = grandparent;
            a = grandparent;
        }
        a
    }

    /// Joins the sets of `a` and `b`.
    ///
    /// # Panics
    /// If one of them is not below `n`.
    pub fn join(&mut self, a: u32, b: u32) {
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
            sets.reset(3);
            assert_eq!([0, 1, 2].map(|a| sets.find(a)), [0, 1, 2], "alone again");
        }
    }
}
