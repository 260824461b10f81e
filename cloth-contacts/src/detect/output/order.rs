//! Sorts contacts into canonical order: a bucket sort by first id where contacts are many, a comparison sort
//! otherwise.

/// Largest number of ids per entry for which the bucket sort is used.
const SPARSE: usize = 4;

/// Sorting scratch memory; a location is a part and an index in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    /// Sorted by key.
    keys: Vec<([u32; 2], [u32; 2])>,
    /// End of the bucket of each first id.
    ends: Vec<u32>,
    /// Second ids and locations, by first id.
    bucketed: Vec<(u32, [u32; 2])>,
}

impl Order {
    /// Writes the entries of all parts to `to` in ascending order of their keys, replacing its content. Keys
    /// must be unique, and first ids below `ids`.
    pub(crate) fn sort<P, C: Copy>(
        &mut self,
        parts: &[P],
        entries: impl Fn(&P) -> &[C],
        key: impl Fn(&C) -> [u32; 2],
        ids: usize,
        to: &mut Vec<C>,
    ) {
        let all = (0..).zip(parts).flat_map(|(number, part)| {
            entries(part).iter().zip(0..).map({
                let key = &key;
                move |(entry, place)| (key(entry), [number, place])
            })
        });
        let at = |[part, place]: [u32; 2]| entries(&parts[part as usize])[place as usize];
        let count: usize = parts.iter().map(|part| entries(part).len()).sum();
        to.clear();
        if count * SPARSE < ids {
            self.keys.clear();
            self.keys.extend(all);
            self.keys.sort_unstable();
            to.extend(self.keys.iter().map(|&(_, place)| at(place)));
        } else {
            self.fill_buckets(all, count, ids);
            to.extend(self.bucketed.iter().map(|&(_, place)| at(place)));
        }
    }

    /// Counting sort by first id; each bucket is then sorted by second id.
    fn fill_buckets(
        &mut self,
        all: impl Iterator<Item = ([u32; 2], [u32; 2])> + Clone,
        count: usize,
        ids: usize,
    ) {
        self.ends.clear();
        self.ends.resize(ids, 0);
        all.clone().for_each(|([first, _], _)| self.ends[first as usize] += 1);
        let mut start = 0;
        for end in &mut self.ends {
            start += std::mem::replace(end, start);
        }
        self.bucketed.resize(count, (0, [0; 2]));
        for ([first, second], place) in all {
            let end = &mut self.ends[first as usize];
            self.bucketed[*end as usize] = (second, place);
            *end += 1;
        }
        let mut start = 0;
        for &end in &self.ends {
            let bucket = &mut self.bucketed[start as usize..end as usize];
            if bucket.len() > 1 {
                bucket.sort_unstable();
            }
            start = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sorts_by_both_ids_and_replaces_what_was_there() {
        let mut sorted = vec![[7, 7]];
        let parts = [vec![[2, 1], [0, 9]], vec![], vec![[2, 0], [1, 5]]];
        for ids in [3, 1_000] {
            Order::default().sort(&parts, |part| part, |&pair| pair, ids, &mut sorted);
            assert_eq!(sorted, [[0, 9], [1, 5], [2, 0], [2, 1]]);
        }
    }

    proptest! {
        #[test]
        fn many_and_few_entries_are_sorted_alike(
            pairs in proptest::collection::btree_set([0_u32..12, 0_u32..40], 0..60),
            turns in any::<u64>(),
            cuts in [0_usize..60, 0..60],
        ) {
            let sorted: Vec<[u32; 2]> = pairs.into_iter().collect();
            let mut shuffled = sorted.clone();
            shuffled.sort_by_key(|[a, b]| u64::from(a * 64 + b).wrapping_mul(turns | 1));
            let [first, second] = cuts.map(|cut| cut.min(shuffled.len()));
            let (first, second) = (first.min(second), first.max(second));
            let parts = [&shuffled[..first], &shuffled[first..second], &shuffled[second..]];
            let mut order = Order::default();
            for ids in [12, 10_000, 12] {
                let mut out = Vec::new();
                order.sort(&parts, |part| part, |&pair| pair, ids, &mut out);
                prop_assert_eq!(&out, &sorted);
            }
        }
    }
}
