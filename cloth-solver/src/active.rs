//! Which constraints can move something: those of pinned and of sleeping cloth cannot.

use std::ops::Range;

/// The runs of items, in solving order, that can move something. Leaving the others out changes no bit.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActiveRuns(Vec<Range<usize>>);

impl ActiveRuns {
    /// Replaces the runs, given for each item whether it can move something.
    pub(crate) fn update(&mut self, can_move: impl Iterator<Item = bool>) {
        self.0.clear();
        for (item, _) in can_move.enumerate().filter(|&(_, can_move)| can_move) {
            match self.0.last_mut() {
                Some(run) if run.end == item => run.end += 1,
                _ => self.0.push(item..item + 1),
            }
        }
    }

    /// The runs, ascending.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Range<usize>> {
        self.0.iter().cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_hold_the_items_that_move_and_no_others() {
        let mut active = ActiveRuns::default();
        for pattern in ["", "0", "1", "0110", "1001", "1110100"] {
            active.update(pattern.bytes().map(|b| b == b'1'));
            let mut found = vec![b'0'; pattern.len()];
            active.runs().for_each(|run| found[run].fill(b'1'));
            assert_eq!(found, pattern.as_bytes());
            assert!(active.0.windows(2).all(|pair| pair[0].end < pair[1].start), "{:?}", active.0);
        }
    }
}
