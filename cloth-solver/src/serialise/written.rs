//! Which bytes this process wrote: their state is one that a simulation left, and needs no check.
//!
//! A table of keyed hashes. Without the key, which is random in each process, nobody can make bytes of a hash
//! in it. Bytes that were pushed out of the table count as those of others, so it decides what
//! restoring costs, and no result.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of entries, 512 KiB: of a thousand snapshots that are kept, one in 65 pushes another out.
const ENTRIES: usize = 1 << 16;

/// The hash that was noted last for each remainder; 0 for none. Without a lock, which a fork could leave
/// locked.
static NOTED: [AtomicU64; ENTRIES] = [const { AtomicU64::new(0) }; ENTRIES];

static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// Notes that these bytes were written here.
pub(super) fn note(bytes: &[u8]) {
    let (entry, hash) = entry(bytes);
    entry.store(hash, Ordering::Relaxed);
}

/// Whether these bytes were written here; false if that is not known any more, and on the web, where keys are
/// not random.
pub(super) fn is_noted(bytes: &[u8]) -> bool {
    let (entry, hash) = entry(bytes);
    !cfg!(target_family = "wasm") && entry.load(Ordering::Relaxed) == hash
}

fn entry(bytes: &[u8]) -> (&'static AtomicU64, u64) {
    let mut hasher = KEY.build_hasher();
    hasher.write(bytes);
    let hash = hasher.finish().max(1);
    (&NOTED[(hash % ENTRIES as u64) as usize], hash)
}
