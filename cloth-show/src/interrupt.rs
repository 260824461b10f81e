//! A request to stop, which long runs poll between two pieces of work.
//!
//! The one who asks sets a flag (the command does so on SIGINT and SIGTERM, a program when its window
//! closes); the run ends at the next place where its figures are whole, and reports what it has. Nothing is
//! aborted in the middle.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a run is asked to stop; a copy asks the same flag. The default is never asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interrupt(Option<&'static AtomicBool>);

impl Interrupt {
    /// Never requested.
    pub const NEVER: Self = Self(None);

    /// Requested once `flag` is true.
    #[must_use]
    pub const fn from_flag(flag: &'static AtomicBool) -> Self {
        Self(Some(flag))
    }

    /// Whether to stop now. Cheap enough for every frame or every thousand pairs.
    #[must_use]
    pub fn is_requested(self) -> bool {
        self.0.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

/// Two are equal if they ask the same flag.
impl PartialEq for Interrupt {
    fn eq(&self, other: &Self) -> bool {
        self.0.map(std::ptr::from_ref) == other.0.map(std::ptr::from_ref)
    }
}

impl Eq for Interrupt {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_ask_the_same_flag() {
        static FLAG: AtomicBool = AtomicBool::new(false);
        static OTHER: AtomicBool = AtomicBool::new(false);
        let (interrupt, other) = (Interrupt::from_flag(&FLAG), Interrupt::from_flag(&OTHER));
        assert_eq!(interrupt, Interrupt::from_flag(&FLAG));
        assert!(interrupt != other && interrupt != Interrupt::NEVER);
        FLAG.store(true, Ordering::Relaxed);
        assert!(interrupt.is_requested() && !other.is_requested() && !Interrupt::default().is_requested());
    }
}
