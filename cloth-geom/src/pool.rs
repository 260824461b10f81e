//! A list that keeps removed items, so that their memory is reused.

use std::ops::{Deref, DerefMut};

/// A list of items that own memory. Removed items are kept and returned by the next [`Pool::push_with`].
///
/// For lists of lists that are refilled repeatedly: clearing a `Vec<Vec<T>>` frees its inner lists, a pool
/// does not allocate once it has held as many items of that size.
#[derive(Debug)]
pub struct Pool<T> {
    /// The items, and behind them those that were removed.
    items: Vec<T>,
    count: usize,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { items: Vec::new(), count: 0 }
    }
}

impl<T> Pool<T> {
    /// Removes all items.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Appends an item: one that was removed, with the content that it had then, or a new one if there is
    /// none.
    pub fn push_with(&mut self, make: impl FnOnce() -> T) -> &mut T {
        if self.count == self.items.len() {
            self.items.push(make());
        }
        self.count += 1;
        &mut self.items[self.count - 1]
    }

    /// Removes the items for which `keep` is false; it is called once per item, in order. The order is
    /// preserved.
    ///
    /// Later items are copied forward by `clone_from` instead of swapped: memory then depends on the previous
    /// items alone, and a repeated sequence of operations does not allocate.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool)
    where
        T: Clone,
    {
        let mut kept = 0;
        for at in 0..self.count {
            let (before, rest) = self.items.split_at_mut(at);
            if keep(&rest[0]) {
                if let Some(place) = before.get_mut(kept) {
                    place.clone_from(&rest[0]);
                }
                kept += 1;
            }
        }
        self.count = kept;
    }
}

impl<T> Deref for Pool<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items[..self.count]
    }
}

impl<T> DerefMut for Pool<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[..self.count]
    }
}

/// A clone has the items alone. Its memory is used again by `clone_from`, and that of each item if the item's
/// does so.
impl<T: Clone> Clone for Pool<T> {
    fn clone(&self) -> Self {
        Self { items: self.to_vec(), count: self.count }
    }

    fn clone_from(&mut self, source: &Self) {
        self.count = source.count;
        let (known, new) = source.split_at(source.count.min(self.items.len()));
        self.items.iter_mut().zip(known).for_each(|(item, source)| item.clone_from(source));
        self.items.extend_from_slice(new);
    }
}

/// Implements `Clone` for a type with `Default`, so that `clone_from` reuses memory as that of
/// [`Pool`](crate::Pool) does. It names every field, behind a semicolon those that a clone has of its own.
#[macro_export]
macro_rules! clone_in_place {
    ($type:ident { $($field:ident),+ $(,)? $(; $own:ident)* }) => {
        impl Clone for $type {
            fn clone(&self) -> Self {
                let mut clone = Self::default();
                clone.clone_from(self);
                clone
            }

            fn clone_from(&mut self, source: &Self) {
                // Without `..`, so that a new field does not compile until it is copied.
                let Self { $($field),+ $(, $own: _)* } = source;
                $(self.$field.clone_from($field);)+
            }
        }
    };
}

#[cfg(feature = "serde")]
impl<T: serde::Serialize> serde::Serialize for Pool<T> {
    /// The items, as a sequence.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

#[cfg(feature = "serde")]
impl<'de, T: serde::Deserialize<'de>> serde::Deserialize<'de> for Pool<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let items = Vec::deserialize(deserializer)?;
        Ok(Self { count: items.len(), items })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(items: &[&[u32]]) -> Pool<Vec<u32>> {
        let mut pool = Pool::default();
        for item in items {
            pool.push_with(Vec::new).extend_from_slice(item);
        }
        pool
    }

    #[test]
    fn removed_items_are_reused_and_kept_items_stay_in_order() {
        let mut pool = filled(&[&[1, 2], &[3], &[4], &[5]]);
        pool.retain(|item| item[0] % 2 == 1);
        assert_eq!(*pool, [vec![1, 2], vec![3], vec![5]]);
        pool.retain(|_| true);
        assert_eq!(*pool, [vec![1, 2], vec![3], vec![5]]);
        pool.push_with(|| panic!("there is one"));
        pool.clear();
        assert!(pool.is_empty());
        let first = pool.push_with(|| panic!("there are four"));
        assert_eq!(*first, [1, 2]);
    }

    #[test]
    fn a_clone_has_only_the_items_and_clone_from_reuses_memory() {
        let mut pool = filled(&[&[1, 2], &[3]]);
        pool.retain(|item| item.len() > 1);
        assert_eq!(pool.clone().items, [vec![1, 2]]);
        for items in [&[&[7_u32, 8, 9][..]][..], &[&[7], &[8], &[9]], &[]] {
            let memory: Vec<*const u32> = pool.items.iter().map(Vec::as_ptr).collect();
            let capacities: Vec<usize> = pool.items.iter().map(Vec::capacity).collect();
            let source = filled(items);
            pool.clone_from(&source);
            assert_eq!(*pool, *source);
            for (k, item) in pool.iter().enumerate().take(memory.len()) {
                assert!(item.as_ptr() == memory[k] || capacities[k] < item.len(), "item {k} of {items:?}");
            }
        }
    }
}
