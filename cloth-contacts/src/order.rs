//! Puts contacts in canonical order: keys are sorted, and each contact is moved once.

/// The keys, and where each entry lies: in which part, and where in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    keys: Vec<([u32; 2], [u32; 2])>,
}

impl Order {
    /// Writes the entries of all parts to `to`, whose old content is replaced, by ascending key. Keys must differ.
    pub(crate) fn sort<P, C: Copy>(
        &mut self,
        parts: &[P],
        entries: impl Fn(&P) -> &[C],
        key: impl Fn(&C) -> [u32; 2],
        to: &mut Vec<C>,
    ) {
        self.keys.clear();
        for (number, part) in (0..).zip(parts) {
            self.keys
                .extend(entries(part).iter().zip(0..).map(|(entry, place)| (key(entry), [number, place])));
        }
        self.keys.sort_unstable();
        to.clear();
        to.extend(self.keys.iter().map(|&(_, [part, place])| entries(&parts[part as usize])[place as usize]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_by_both_ids_and_replaces_what_was_there() {
        let mut sorted = vec![[7, 7]];
        let parts = [vec![[2, 1], [0, 9]], vec![], vec![[2, 0], [1, 5]]];
        Order::default().sort(&parts, |part| part, |&pair| pair, &mut sorted);
        assert_eq!(sorted, [[0, 9], [1, 5], [2, 0], [2, 1]]);
    }
}
