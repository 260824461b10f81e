//! Puts contacts in canonical order: keys are sorted, and each contact is moved once.

/// The keys, and where each entry lies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    keys: Vec<([u32; 2], u32)>,
}

impl Order {
    /// Writes the entries to `to`, whose old content is replaced, by ascending key. Keys must differ.
    pub(crate) fn sort<C: Copy>(&mut self, from: &[C], key: impl Fn(&C) -> [u32; 2], to: &mut Vec<C>) {
        self.keys.clear();
        self.keys.extend(from.iter().zip(0..).map(|(entry, place)| (key(entry), place)));
        self.keys.sort_unstable();
        to.clear();
        to.extend(self.keys.iter().map(|&(_, place)| from[place as usize]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_by_both_ids_and_replaces_what_was_there() {
        let mut sorted = vec![[7, 7]];
        Order::default().sort(&[[2, 1], [0, 9], [2, 0], [1, 5]], |&pair| pair, &mut sorted);
        assert_eq!(sorted, [[0, 9], [1, 5], [2, 0], [2, 1]]);
    }
}
