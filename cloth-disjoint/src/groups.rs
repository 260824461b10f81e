//! Groups of indices with their data, in tasks: what is proved about them when they are stored.

use std::ops::Range;

/// Most parts of a whole: a bit each in the set of a task.
pub const MOST_PARTS: usize = 32;

/// The part of each item.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    of: Vec<u8>,
}

impl Parts {
    /// # Errors
    /// If the number of a part is not below [`MOST_PARTS`].
    pub fn new(of: Vec<u8>) -> Result<Self, IndexError> {
        let mut parts = Self::default();
        parts.update(|old| *old = of).map(|()| parts)
    }

    /// Changes the parts of all items, or the number of items.
    ///
    /// # Errors
    /// As [`Parts::new`]; then there are no items.
    pub fn update(&mut self, change: impl FnOnce(&mut Vec<u8>)) -> Result<(), IndexError> {
        // Without items until all are known to be right, also if `change` panics.
        let mut of = std::mem::take(&mut self.of);
        change(&mut of);
        if let Some(&part) = of.iter().find(|part| usize::from(**part) >= MOST_PARTS) {
            return Err(IndexError::Part(part));
        }
        self.of = of;
        Ok(())
    }

    /// The part of each item.
    #[must_use]
    pub fn of_items(&self) -> &[u8] {
        &self.of
    }

    /// The set of parts of the items of a group, if they are all there, and none twice: lanes that are copies
    /// of the one before them count once.
    #[inline(always)]
    fn of_group<const N: usize, const L: usize>(&self, ids: &[[u32; L]; N]) -> Result<u32, IndexError> {
        let mut set = 0;
        for lane in (0..L).filter(|&lane| lane == 0 || ids.iter().any(|of| of[lane] != of[lane - 1])) {
            for k in 0..N {
                let item = ids[k][lane];
                set |= 1 << self.of.get(item as usize).ok_or(IndexError::Beyond(item, self.of.len()))?;
                let is_in_lanes_before = ids.iter().any(|of| of[..lane].contains(&item));
                if is_in_lanes_before || ids[..k].iter().any(|of| of[lane] == item) {
                    return Err(IndexError::Twice(item));
                }
            }
        }
        Ok(set)
    }
}

/// Why groups or parts are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    /// A number of no item, and how many items there are.
    #[error("a group has item {0} of {1}: give each group items that are there")]
    Beyond(u32, usize),
    /// An item in two places of a group that are not copies of each other.
    #[error("a group has item {0} twice: share no item among the lanes of a group, or in one of them")]
    Twice(u32),
    /// A part that does not exist.
    #[error("an item lies in part {0}: number at most {MOST_PARTS} parts, from 0")]
    Part(u8),
}

/// The numbers of `N` items of each of `L` lanes, and data.
#[derive(Clone, Debug)]
pub(crate) struct Group<B, const N: usize, const L: usize> {
    pub(crate) ids: [[u32; L]; N],
    pub(crate) data: B,
}

/// Groups in a row, which one thread works on without a break.
#[derive(Clone, Debug)]
pub(crate) struct Tasked {
    pub(crate) groups: Range<usize>,
    /// Its parts, in [`Plan::turns`]; at least one.
    pub(crate) turns: Range<usize>,
    pub(crate) is_active: bool,
}

/// The tasks in their order. Two tasks with an item in common have a part in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) tasks: Vec<Tasked>,
    /// Parts of tasks, each with the number of tasks before in it.
    pub(crate) turns: Vec<(u8, usize)>,
    /// How many tasks each part has.
    pub(crate) totals: [usize; MOST_PARTS],
}

/// Groups of items with data, in tasks: with `N` items of each of `L` lanes, whose numbers are below that of
/// all items. No item is in a group twice; but a lane may be a copy of the lane before it, to fill up a group.
#[derive(Clone, Debug)]
pub struct Groups<B, const N: usize, const L: usize> {
    /// The number of items: every index in a group of a task is below it.
    pub(crate) items: usize,
    pub(crate) groups: Vec<Group<B, N, L>>,
    pub(crate) plan: Plan,
}

impl<B, const N: usize, const L: usize> Default for Groups<B, N, L> {
    fn default() -> Self {
        Self { items: 0, groups: Vec::new(), plan: Plan::default() }
    }
}

impl<B, const N: usize, const L: usize> Groups<B, N, L> {
    /// Removes all groups, and lets others be added for items with such parts. Memory is kept.
    pub fn refill<'a>(&'a mut self, parts: &'a Parts) -> Fill<'a, B, N, L> {
        self.clear();
        self.items = parts.of.len();
        Fill { groups: self, parts }
    }

    fn clear(&mut self) {
        // Tasks before what they name: data may panic when they are dropped.
        self.plan.tasks.clear();
        self.plan.turns.clear();
        self.plan.totals = [0; MOST_PARTS];
        self.groups.clear();
    }

    /// The number of items that the groups are stored for.
    #[must_use]
    pub fn items(&self) -> usize {
        self.items
    }

    /// The number of groups.
    #[must_use]
    pub fn count(&self) -> usize {
        self.plan.tasks.iter().map(|task| task.groups.len()).sum()
    }

    /// Leaves the tasks out of which no group is wanted, until this is called again.
    pub fn choose_tasks(&mut self, is_wanted: impl Fn(&[[u32; L]; N]) -> bool) {
        for task in &mut self.plan.tasks {
            task.is_active = self.groups[task.groups.clone()].iter().any(|group| is_wanted(&group.ids));
        }
    }

    /// The items of the groups of tasks that are not left out, in order.
    pub fn chosen(&self) -> impl Iterator<Item = &[[u32; L]; N]> {
        let tasks = self.plan.tasks.iter().filter(|task| task.is_active);
        tasks.flat_map(|task| self.groups[task.groups.clone()].iter().map(|group| &group.ids))
    }

    /// The data of a group, by the number of groups that were added before it; not of groups that were selected.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&B> {
        self.groups.get(index).map(|group| &group.data)
    }

    /// All groups in order, for work that is not divided.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&[[u32; L]; N], &mut B)> {
        let (mut rest, mut first) = (&mut *self.groups, 0);
        self.plan.tasks.iter().flat_map(move |task| {
            let own = std::mem::take(&mut rest).split_at_mut(task.groups.start - first).1;
            let (own, after) = own.split_at_mut(task.groups.len());
            (rest, first) = (after, task.groups.end);
            own.iter_mut().map(|Group { ids, data }| (&*ids, data))
        })
    }
}

/// Adds tasks to groups, in the order in which they are done.
pub struct Fill<'a, B, const N: usize, const L: usize> {
    groups: &'a mut Groups<B, N, L>,
    parts: &'a Parts,
}

impl<B, const N: usize, const L: usize> Fill<'_, B, N, L> {
    /// Adds a task: groups that one thread works on without a break, in order.
    ///
    /// # Errors
    /// If an index is of no item, or an item is in a group twice. Then all groups are removed.
    pub fn task(&mut self, added: impl IntoIterator<Item = ([[u32; L]; N], B)>) -> Result<(), IndexError> {
        let (start, mut set) = (self.groups.groups.len(), 0);
        for (ids, data) in added {
            set |= self.parts.of_group(&ids).inspect_err(|_| self.groups.clear())?;
            self.groups.groups.push(Group { ids, data });
        }
        let (groups, plan) = (start..self.groups.groups.len(), &mut self.groups.plan);
        let first = plan.turns.len();
        for part in (0..MOST_PARTS).filter(|part| set & (1 << part) != 0) {
            plan.turns.push((part as u8, plan.totals[part]));
            plan.totals[part] += 1;
        }
        // A task without items would have no turn.
        if set != 0 {
            plan.tasks.push(Tasked { groups, turns: first..plan.turns.len(), is_active: true });
        }
        Ok(())
    }
}
