//! Which pairs the gate examined in a motion, for those who check that it left none out.

/// A pair that the gate examined: the first `split` vertices are of one primitive, the others of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExaminedPair {
    /// The vertices of both.
    pub vertices: [u32; 4],
    /// One for a vertex and a face, two for two edges.
    pub split: usize,
    /// The round in which it was examined, from 1. The first round examines the motion as it was proposed, each later one
    /// the pairs of which the round before has changed a vertex.
    pub round: u32,
}

/// Records them, if it is switched on.
#[derive(Clone, Debug, Default)]
pub(super) struct Recorder {
    /// `None` while it is off.
    pairs: Option<Vec<ExaminedPair>>,
}

impl Recorder {
    /// Switches it on or off. Nothing that was recorded survives the switch.
    pub(super) fn set(&mut self, on: bool) {
        if on != self.pairs.is_some() {
            self.pairs = on.then(Vec::new);
        }
    }

    /// Begins the next motion.
    pub(super) fn clear(&mut self) {
        self.pairs.iter_mut().for_each(Vec::clear);
    }

    pub(super) fn is_on(&self) -> bool {
        self.pairs.is_some()
    }

    /// Takes what was examined, if it is switched on.
    pub(super) fn take(&mut self, examined: &[ExaminedPair]) {
        if let Some(pairs) = &mut self.pairs {
            pairs.extend_from_slice(examined);
        }
    }

    /// What was recorded in the last motion; `None` while it is off.
    pub(super) fn pairs(&self) -> Option<&[ExaminedPair]> {
        self.pairs.as_deref()
    }
}
