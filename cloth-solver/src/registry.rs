//! Items with ids that stay valid while other items are added and removed.

/// The id of a collider, from [`SimulationBuilder::add_collider`](crate::SimulationBuilder::add_collider) or
/// [`SimulationBuilder::collider_id`](crate::SimulationBuilder::collider_id). Ids of a new scene count from
/// 0; no id is used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ColliderId(pub(crate) usize);

impl ColliderId {
    /// The number of the id, under which errors and reports name the collider.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

/// Items in the order in which they were added, each with an id that is never used again.
#[derive(Clone, Debug)]
pub(crate) struct Registry<T> {
    /// The id of each item, ascending.
    ids: Vec<usize>,
    items: Vec<T>,
    next: usize,
}

// A derived `Default` would ask for one of `T`.
impl<T> Default for Registry<T> {
    fn default() -> Self {
        Self { ids: Vec::new(), items: Vec::new(), next: 0 }
    }
}

impl<T> Registry<T> {
    /// Adds an item and returns its id.
    pub(crate) fn add(&mut self, item: T) -> usize {
        let id = self.next;
        self.next += 1;
        self.ids.push(id);
        self.items.push(item);
        id
    }

    /// The id that the next item will have.
    pub(crate) fn next_id(&self) -> usize {
        self.next
    }

    /// Removes an item; none if there is no such item any more.
    pub(crate) fn remove(&mut self, id: usize) -> Option<T> {
        let index = self.index(id)?;
        self.ids.remove(index);
        Some(self.items.remove(index))
    }

    /// Where an item is among those that there are.
    pub(crate) fn index(&self, id: usize) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    /// The id of the item at an index.
    pub(crate) fn id(&self, index: usize) -> Option<usize> {
        self.ids.get(index).copied()
    }

    pub(crate) fn get(&self, id: usize) -> Option<&T> {
        self.index(id).map(|index| &self.items[index])
    }

    pub(crate) fn get_mut(&mut self, id: usize) -> Option<&mut T> {
        self.index(id).map(|index| &mut self.items[index])
    }

    /// The items, in the order in which they were added.
    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }

    /// The items with their ids.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &T)> + Clone {
        self.ids.iter().copied().zip(&self.items)
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_never_used_again() {
        let mut letters = Registry::default();
        let [a, b, c] = ['a', 'b', 'c'].map(|letter| letters.add(letter));
        assert_eq!(letters.remove(b), Some('b'));
        assert_eq!((letters.remove(b), letters.get(b)), (None, None));
        assert_eq!((letters.get(a), letters.get(c), letters.index(c)), (Some(&'a'), Some(&'c'), Some(1)));
        let d = letters.add('d');
        assert!(![a, b, c].contains(&d));
        assert_eq!(letters.iter().map(|(id, _)| id).collect::<Vec<_>>(), [a, c, d]);
        assert_eq!((letters.id(1), letters.id(3), letters.len()), (Some(c), None, 3));
    }
}
