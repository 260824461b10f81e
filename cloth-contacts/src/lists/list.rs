//! The listed pairs of one kind, found by either primitive.

use crate::lists::primitives::APPROACH_ROUNDING;
use crate::lists::search::SearchTask;
use crate::parallel;

/// A listed pair.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    /// Places of the primitives.
    pub(crate) places: [u32; 2],
    /// Lower bound of its distance at the search less its reach (m), and less all errors of the narrow phase.
    pub(crate) separation: f32,
    /// Upper bound of how fast its frames approach along the line of its closest points (m per motion);
    /// negative if they recede.
    pub(crate) drift: f32,
    /// Upper bound of how fast they move relative to each other, in any direction.
    pub(crate) speed: f32,
    /// By threshold: displacement (m) of either primitive below which it is not due at any time.
    pub(crate) budgets: [f32; 2],
}

impl Entry {
    /// Upper bound (m) of what the frames approach between two times.
    #[inline(always)]
    pub(crate) fn approach(&self, times: [f32; 2]) -> f32 {
        let [first, last] = [self.drift * times[0], self.drift * times[1]];
        if first > last { first } else { last }
    }
}

/// The distance at which a pair becomes due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threshold {
    /// Detection: the reach of the surface for which pairs are listed.
    Contact,
    /// The gate: its clearance, which is smaller.
    Clearance,
}

/// Pairs in rows by either primitive.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// By the place of the first primitive.
    pub(super) entries: Vec<Entry>,
    pub(super) first: Vec<u32>,
    /// Indices of the entries by the place of the second primitive.
    pub(super) by_second: Vec<u32>,
    pub(super) second: Vec<u32>,
}

/// The listed pairs of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct List {
    /// Those of the search, and those that were added since.
    rows: [Rows; 2],
    /// The added ones in the order in which they were.
    added: Vec<Entry>,
    /// Scratch memory: what a growth listed, and the first primitive with which each second one is known.
    grown: Rows,
    marks: Vec<u32>,
}

/// Starts of the rows of `keys`, of which there are `count`, and one more.
fn starts(keys: impl Iterator<Item = u32>, count: usize, starts: &mut Vec<u32>) {
    starts.clear();
    starts.resize(count + 1, 0);
    keys.for_each(|key| starts[key as usize] += 1);
    let mut sum = 0;
    for start in starts {
        sum += std::mem::replace(start, sum);
    }
}

impl Rows {
    /// Replaces the pairs by those of all parts; `places` are the numbers of places of both kinds of
    /// primitive. Calls `visit` with the new ones.
    fn replace<'a>(
        &mut self,
        parts: impl Iterator<Item = &'a [Entry]> + Clone,
        places: [usize; 2],
        visit: impl FnOnce(&[Entry]) + Send,
    ) {
        let all = || parts.clone().flatten();
        starts(all().map(|entry| entry.places[0]), places[0], &mut self.first);
        self.entries.resize(self.first[places[0]] as usize, Entry::default());
        // Each start moves past its row, which is the start of the next one.
        for entry in all() {
            let next = &mut self.first[entry.places[0] as usize];
            self.entries[*next as usize] = *entry;
            *next += 1;
        }
        self.first.rotate_right(1);
        self.first[0] = 0;
        let Self { entries, by_second, second, .. } = self;
        let index_second = || {
            starts(entries.iter().map(|entry| entry.places[1]), places[1], second);
            by_second.resize(entries.len(), 0);
            for (index, entry) in (0..).zip(&*entries) {
                let next = &mut second[entry.places[1] as usize];
                by_second[*next as usize] = index;
                *next += 1;
            }
            second.rotate_right(1);
            second[0] = 0;
        };
        parallel::join(index_second, || visit(entries));
    }

    pub(crate) fn all(&self) -> &[Entry] {
        &self.entries
    }

    /// The pairs of a first primitive.
    #[inline(always)]
    pub(crate) fn of_first(&self, place: u32) -> &[Entry] {
        &self.entries[self.first[place as usize] as usize..self.first[place as usize + 1] as usize]
    }

    /// The pairs of a second primitive.
    #[inline(always)]
    pub(crate) fn of_second(&self, place: u32) -> impl Iterator<Item = &Entry> {
        let row =
            &self.by_second[self.second[place as usize] as usize..self.second[place as usize + 1] as usize];
        row.iter().map(|&index| &self.entries[index as usize])
    }
}

impl List {
    pub(crate) fn len(&self) -> usize {
        self.rows[0].entries.len() + self.added.len()
    }

    /// The pairs that were added since the search.
    pub(crate) fn added(&self) -> &[Entry] {
        &self.added
    }

    /// Replaces the pairs by those of a search; `places` are the numbers of places of both kinds of
    /// primitive. Calls `visit` with the new ones.
    pub(crate) fn replace(
        &mut self,
        tasks: &[SearchTask],
        places: [usize; 2],
        visit: impl FnOnce(&[Entry]) + Send,
    ) {
        self.added.clear();
        self.rows[0].replace(tasks.iter().map(|task| &task.entries[..]), places, visit);
    }

    /// Adds the pairs of a search that are not listed; returns them.
    pub(crate) fn add(&mut self, tasks: &[SearchTask]) -> &[Entry] {
        let before = self.added.len();
        if tasks.iter().all(|task| task.entries.is_empty()) {
            return &[];
        }
        let [rows, added] = &mut self.rows;
        let places = [&rows.first, &rows.second].map(|starts| starts.len() - 1);
        let known = [Some(&*rows), (before > 0).then_some(&*added)];
        self.marks.clear();
        self.marks.resize(places[1], u32::MAX);
        self.grown.replace(tasks.iter().map(|task| &task.entries[..]), places, |_| ());
        for first in 0..places[0] as u32 {
            let grown = self.grown.of_first(first);
            if grown.is_empty() {
                continue;
            }
            for entry in known.iter().flatten().flat_map(|rows| rows.of_first(first)) {
                self.marks[entry.places[1] as usize] = first;
            }
            let is_new = |entry: &&Entry| self.marks[entry.places[1] as usize] != first;
            self.added.extend(grown.iter().filter(is_new));
        }
        if self.added.len() > before {
            added.replace(std::iter::once(&self.added[..]), places, |_| ());
        }
        &self.added[before..]
    }

    /// The rows that are in use.
    #[inline(always)]
    pub(crate) fn rows(&self) -> &[Rows] {
        &self.rows[..1 + usize::from(!self.added.is_empty())]
    }
}

/// Whether a pair at this separation (m) may be due after an approach (m); true for NaN. Errors are a share
/// of what its primitives move in any direction (m), which is more than they approach, above all if they
/// recede.
#[inline(always)]
pub(crate) fn may_be_within(separation: f32, approach: f32, moved: f32) -> bool {
    !(separation > approach + moved * (APPROACH_ROUNDING - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tasks with entries of these places, which differ in their separations.
    fn found(places: &[[u32; 2]]) -> Vec<SearchTask> {
        let entry =
            |(i, &places): (u8, &[u32; 2])| Entry { places, separation: i.into(), ..Entry::default() };
        let entries: Vec<Entry> = (0..).zip(places).map(entry).collect();
        let task = |entries: &[Entry]| SearchTask { entries: entries.to_vec(), ..SearchTask::default() };
        entries.chunks(2).map(task).collect()
    }

    /// The listed pairs, by the rows of either primitive; sorted.
    fn listed(list: &List) -> [Vec<[u32; 2]>; 2] {
        let rows = || list.rows().iter();
        let of_first = |place| rows().flat_map(move |rows| rows.of_first(place));
        let of_second = |place| rows().flat_map(move |rows| rows.of_second(place));
        let by_first = (0..4).flat_map(of_first).map(|entry| entry.places).collect::<Vec<_>>();
        let by_second = (0..5).flat_map(of_second).map(|entry| entry.places).collect::<Vec<_>>();
        [by_first, by_second].map(|mut pairs| {
            pairs.sort_unstable();
            pairs
        })
    }

    #[test]
    fn each_pair_is_added_once() {
        let mut list = List::default();
        list.replace(&found(&[[0, 1], [2, 4], [3, 0]]), [4, 5], |_| ());
        let places = |entries: &[Entry]| entries.iter().map(|entry| entry.places).collect::<Vec<_>>();
        assert!(list.add(&[]).is_empty());
        assert_eq!(places(list.add(&found(&[[2, 4], [2, 3], [0, 2], [0, 1]]))), [[0, 2], [2, 3]]);
        assert!(list.add(&found(&[[3, 0], [0, 2]])).is_empty());
        // A second primitive that is known with the next first one, or was with the last.
        assert_eq!(places(list.add(&found(&[[1, 4], [3, 3], [2, 4]]))), [[1, 4], [3, 3]]);
        let all = vec![[0, 1], [0, 2], [1, 4], [2, 3], [2, 4], [3, 0], [3, 3]];
        assert_eq!(listed(&list), [all.clone(), all]);
        assert_eq!((list.len(), list.added().len()), (7, 4));
        list.replace(&[], [4, 5], |_| ());
        assert_eq!(places(list.add(&found(&[[0, 2]]))), [[0, 2]]);
    }
}
