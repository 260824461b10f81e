//! Access to the items of a group, unchecked: the unsafe code of a task.

#![allow(unsafe_code, reason = "indices that were checked when they were stored are not checked again")]

use std::marker::PhantomData;

use crate::groups::Group;

/// The items of a group, by corner and lane, while one thread has them.
pub struct Access<'a, T, const N: usize, const L: usize> {
    ids: &'a [[u32; L]; N],
    items: *mut T,
    starts: *const T,
    lent: PhantomData<&'a mut T>,
}

impl<'a, T: Copy, const N: usize, const L: usize> Access<'a, T, N, L> {
    /// # Safety
    /// While it lives, `items` and `starts` point to valid items with all numbers in `ids`. Nothing else
    /// writes to them, and nothing else reads what `set` may write.
    #[inline(always)]
    pub(crate) unsafe fn new(ids: &'a [[u32; L]; N], items: *mut T, starts: *const T) -> Self {
        Self { ids, items, starts, lent: PhantomData }
    }

    /// The numbers of the items.
    #[inline(always)]
    #[must_use]
    pub fn ids(&self) -> &[[u32; L]; N] {
        self.ids
    }

    /// An item.
    ///
    /// # Panics
    /// If there is no such corner or lane.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, corner: usize, lane: usize) -> &T {
        let id = self.ids[corner][lane] as usize;
        // SAFETY: the number is one of `ids`, and nothing else writes to the item while `self` is lent.
        unsafe { &*self.items.add(id) }
    }

    /// The item of the same number among those that do not change.
    ///
    /// # Panics
    /// If there is no such corner or lane.
    #[inline(always)]
    #[must_use]
    pub fn start(&self, corner: usize, lane: usize) -> &T {
        let id = self.ids[corner][lane] as usize;
        // SAFETY: the number is one of `ids`, and nothing writes to these items.
        unsafe { &*self.starts.add(id) }
    }

    /// Replaces an item.
    ///
    /// # Panics
    /// If there is no such corner or lane.
    #[inline(always)]
    pub fn set(&mut self, corner: usize, lane: usize, item: T) {
        let id = self.ids[corner][lane] as usize;
        // SAFETY: the number is one of `ids`, and no reference to the item lives: `get` lends from `self`.
        unsafe { *self.items.add(id) = item }
    }
}

/// Groups in a row, and the items that one thread has for itself meanwhile.
pub struct Task<'a, B, T, const N: usize, const L: usize> {
    /// With what follows as [`Access::new`] wants it, for all groups.
    pub(crate) groups: &'a mut [Group<B, N, L>],
    pub(crate) items: *mut T,
    pub(crate) starts: *const T,
}

impl<B, T: Copy, const N: usize, const L: usize> Task<'_, B, T, N, L> {
    /// Calls `work` with the data and the items of each group, in order.
    #[inline(always)]
    pub fn for_each(self, mut work: impl FnMut(&mut B, &mut Access<'_, T, N, L>)) {
        for Group { ids, data } in self.groups {
            // SAFETY: what the fields promise; of two groups only one has access at a time.
            work(data, &mut unsafe { Access::new(ids, self.items, self.starts) });
        }
    }
}
