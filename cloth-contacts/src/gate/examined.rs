//! A record of the pairs that the gate examined, to verify that none was left out.

/// A pair that the gate examined. The first `split` vertices belong to one primitive, the others to the
/// other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExaminedPair {
    /// The vertices of both primitives.
    pub vertices: [u32; 4],
    /// 1 for a vertex and a face, 2 for two edges.
    pub split: usize,
    /// The round in which it was examined, from 1. The first round examines the proposed motion, each later
    /// round the pairs with a vertex that the previous round changed.
    pub round: u32,
}

/// Records examined pairs while enabled.
#[derive(Clone, Debug, Default)]
pub(super) struct Recorder {
    /// `None` while disabled.
    pairs: Option<Vec<ExaminedPair>>,
}

impl Recorder {
    /// Enables or disables recording; discards what was recorded.
    pub(super) fn set(&mut self, on: bool) {
        if on != self.pairs.is_some() {
            self.pairs = on.then(Vec::new);
        }
    }

    /// Starts the next motion.
    pub(super) fn clear(&mut self) {
        self.pairs.iter_mut().for_each(Vec::clear);
    }

    pub(super) fn is_on(&self) -> bool {
        self.pairs.is_some()
    }

    /// Appends examined pairs if enabled.
    pub(super) fn append(&mut self, examined: &[ExaminedPair]) {
        if let Some(pairs) = &mut self.pairs {
            pairs.extend_from_slice(examined);
        }
    }

    /// The pairs recorded in the last motion; `None` while disabled.
    pub(super) fn pairs(&self) -> Option<&[ExaminedPair]> {
        self.pairs.as_deref()
    }
}
