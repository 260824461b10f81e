//! Delivery of found pairs: filter, canonical order, visitor.
//!
//! Testing and visiting are separate, so that a method can test many pairs at once: neighbours in a sheet are
//! half of all overlaps, and a branch per result would often be mispredicted.

use crate::PairFilter;

/// Takes pairs of ids.
pub(crate) trait Sink {
    /// Whether the filter lets a pair pass.
    fn allows(&self, a: u32, b: u32) -> bool;

    /// Visits a pair that passes.
    fn visit(&mut self, a: u32, b: u32);
}

/// Pairs within one set, found in either order, visited with the smaller id first.
pub(crate) struct Unordered<'a, V> {
    pub(crate) filter: &'a PairFilter<'a>,
    pub(crate) visit: V,
}

impl<V: FnMut(u32, u32)> Sink for Unordered<'_, V> {
    #[inline]
    fn allows(&self, a: u32, b: u32) -> bool {
        self.filter.allows(a.min(b), a.max(b))
    }

    #[inline]
    fn visit(&mut self, a: u32, b: u32) {
        (self.visit)(a.min(b), a.max(b));
    }
}

/// Pairs `(own, other)` with another set.
pub(crate) struct Ordered<'a, V> {
    pub(crate) filter: &'a PairFilter<'a>,
    pub(crate) visit: V,
}

impl<V: FnMut(u32, u32)> Sink for Ordered<'_, V> {
    #[inline]
    fn allows(&self, own: u32, other: u32) -> bool {
        self.filter.allows(own, other)
    }

    #[inline]
    fn visit(&mut self, own: u32, other: u32) {
        (self.visit)(own, other);
    }
}
