//! Pairs with known answers, among which the candidates that are hit are looked up.

use super::rebuilt;
use crate::args::CcdArgs;
use crate::commands::motion::{Frames, Pair, read_pairs};
use crate::failure::Failure;

/// Pairs in ascending order, each with its label.
#[derive(Debug, Default)]
pub(super) struct KnownPairs {
    pairs: Vec<(Pair, bool)>,
}

impl KnownPairs {
    /// Reads the lists of pairs and labels of the command line, if there are any.
    pub(super) fn read(frames: &Frames, args: &CcdArgs) -> Result<Self, Failure> {
        let mut pairs = Vec::new();
        for (path, batch) in args.boxes.iter().zip(rebuilt::read(frames, &args.boxes, &args.labels)?) {
            let labels = batch.labels.ok_or_else(|| {
                Failure::new(format!(
                    "{}: has no labels, and there is no label file in the place of the public sets; pass --labels",
                    path.display()
                ))
            })?;
            pairs.extend(read_pairs(path, frames.counts())?.into_iter().zip(labels.collides));
        }
        Self::new(pairs)
    }

    fn new(pairs: Vec<(Pair, bool)>) -> Result<Self, Failure> {
        let mut pairs: Vec<_> = pairs.into_iter().map(|(pair, label)| (ascending(pair), label)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        match pairs.windows(2).find(|two| two[0].0 == two[1].0) {
            Some(two) => {
                let text = format!(
                    "--boxes: {} are labelled both ways; correct the lists or their labels",
                    two[0].0
                );
                Err(Failure::new(text))
            }
            None => Ok(Self { pairs }),
        }
    }

    /// The place of a pair, and whether it collides.
    pub(super) fn find(&self, pair: Pair) -> Option<(usize, bool)> {
        let place = self.pairs.binary_search_by_key(&pair, |&(known, _)| known).ok()?;
        Some((place, self.pairs[place].1))
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// How many of them collide.
    pub(super) fn hits(&self) -> usize {
        self.pairs.iter().filter(|(_, collides)| *collides).count()
    }
}

/// Two edges with the lesser first, as candidates come.
fn ascending(pair: Pair) -> Pair {
    match pair {
        Pair::EdgeEdge([a, b]) => Pair::EdgeEdge([a.min(b), a.max(b)]),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_pairs_whatever_their_order_in_the_list() {
        let list = [
            (Pair::EdgeEdge([7, 2]), true),
            (Pair::FaceVertex([3, 1]), false),
            (Pair::EdgeEdge([2, 7]), true),
        ];
        let known = KnownPairs::new(list.to_vec()).unwrap();
        assert_eq!((known.len(), known.hits()), (2, 1));
        assert_eq!(known.find(Pair::EdgeEdge([2, 7])).map(|(_, label)| label), Some(true));
        assert_eq!(known.find(Pair::FaceVertex([3, 1])).map(|(_, label)| label), Some(false));
        assert_eq!(known.find(Pair::FaceVertex([1, 3])), None);
    }

    #[test]
    fn refuses_a_pair_that_is_labelled_both_ways() {
        let list = [(Pair::EdgeEdge([1, 2]), true), (Pair::EdgeEdge([1, 2]), false)];
        let refusal = KnownPairs::new(list.to_vec()).unwrap_err().to_string();
        assert!(refusal.starts_with("--boxes: edges 1 and 2 are labelled both ways"), "{refusal}");
    }
}
