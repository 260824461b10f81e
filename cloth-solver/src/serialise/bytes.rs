//! A snapshot as bytes, for other processes and languages.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 4 | [`VERSION`], little-endian as all numbers |
//! | 8 | FNV-1a of the rest |
//! | rest | scene and state in the format of postcard, which keeps every bit |
//!
//! The hash detects damage, not malice. Who forges it gets past it, and then
//! [`Simulation::restore`](crate::Simulation::restore) refuses what the simulation cannot have: it checks the
//! state exactly, unless this process wrote the bytes itself (`written`).

use std::sync::Arc;

use cloth_geom::fnv1a;
use thiserror::Error;

use super::{VERSION, other_version, written};
use crate::Snapshot;
use crate::checkpoint::{Checkpoint, SceneFingerprint};

/// The first bytes of every snapshot.
const MAGIC: [u8; 8] = *b"clothsnp";

/// Number of bytes before the content.
const HEADER: usize = 20;

/// Why bytes are no snapshot.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotBytesError {
    /// They begin otherwise.
    #[error("these {0} bytes are not a snapshot: they do not begin as `Snapshot::to_bytes` writes it")]
    NotASnapshot(usize),
    /// They were written by another version of this crate.
    #[error("{}", other_version("a snapshot", *.0, VERSION))]
    OtherVersion(u32),
    /// They are not what was written.
    #[error(
        "these {0} bytes of a snapshot differ from what was written: they were cut or changed; copy them \
         again"
    )]
    Damaged(usize),
}

impl Snapshot {
    /// The snapshot as bytes, which [`Snapshot::from_bytes`] reads in this or another process. Equal
    /// snapshots have equal bytes. Needs the feature `serde`.
    ///
    /// About 60 bytes a vertex and 40 a contact.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let content = postcard::to_allocvec(&(&*self.fingerprint, &self.checkpoint));
        // Fails for a sequence of unknown length alone, and every one of them is a `Vec`.
        let content = content.expect("a checkpoint consists of numbers and of lists that know their length");
        let mut bytes = Vec::with_capacity(HEADER + content.len());
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(fnv1a(content.iter().copied()).to_le_bytes());
        bytes.extend(content);
        if !self.is_foreign {
            written::note(&bytes);
        }
        bytes
    }

    /// Reads what [`Snapshot::to_bytes`] wrote. Needs the feature `serde`.
    ///
    /// Allocates at most in proportion to the length of the bytes, whatever they are.
    ///
    /// # Errors
    /// If the bytes are no snapshot, of another version, cut or changed.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotBytesError> {
        let count = bytes.len();
        let rest = bytes.strip_prefix(&MAGIC).ok_or(SnapshotBytesError::NotASnapshot(count))?;
        let damaged = SnapshotBytesError::Damaged(count);
        let Some((version, rest)) = rest.split_first_chunk() else { return Err(damaged) };
        let version = u32::from_le_bytes(*version);
        if version != VERSION {
            return Err(SnapshotBytesError::OtherVersion(version));
        }
        let Some((hash, content)) = rest.split_first_chunk() else { return Err(damaged) };
        let is_foreign = !written::is_noted(bytes);
        if is_foreign && fnv1a(content.iter().copied()) != u64::from_le_bytes(*hash) {
            return Err(damaged);
        }
        match postcard::take_from_bytes::<(SceneFingerprint, Checkpoint)>(content) {
            Ok(((fingerprint, checkpoint), [])) => {
                Ok(Self { checkpoint, fingerprint: Arc::new(fingerprint), is_foreign })
            }
            _ => Err(damaged),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::super::tests::{DT, hashes, stepped};
    use super::*;
    use crate::IntersectionFilter;

    /// Of a tangled scene in contact.
    static WRITTEN: LazyLock<Vec<u8>> = LazyLock::new(|| stepped(3).snapshot().to_bytes());

    /// Computes the hash again, as who forges a snapshot does.
    fn forge(bytes: &mut [u8]) {
        let hash = fnv1a(bytes[HEADER..].iter().copied());
        bytes[MAGIC.len() + 4..HEADER].copy_from_slice(&hash.to_le_bytes());
    }

    fn refused(bytes: &[u8]) -> SnapshotBytesError {
        Snapshot::from_bytes(bytes).expect_err("no snapshot")
    }

    #[test]
    fn a_tangled_run_in_contact_continues_bit_for_bit_from_bytes() {
        for frames in [0, 3, 20] {
            let mut sim = stepped(frames);
            let bytes = sim.snapshot().to_bytes();
            let snapshot = Snapshot::from_bytes(&bytes).expect("a snapshot");
            assert_eq!(snapshot.difference(&sim.snapshot()), None);
            assert_eq!(snapshot.to_bytes(), bytes);
            let expected = hashes(&mut sim, 15);
            // As own bytes, and as those of another process.
            for is_foreign in [false, true] {
                let mut other = stepped(2);
                other.restore(&Snapshot { is_foreign, ..snapshot.clone() }).expect("it fits");
                assert_eq!(hashes(&mut other, 15), expected, "after {frames} frames");
            }
        }
        let numbers = stepped(0).snapshot().to_bytes().len();
        assert!(numbers < 80 * (81 + 42), "{numbers} bytes for 123 vertices");
    }

    #[test]
    fn each_kind_of_wrong_bytes_has_its_error() {
        for text in [&b""[..], b"clothsn", b"PNG of a sheet", b"{\"version\": 4}"] {
            assert_eq!(refused(text), SnapshotBytesError::NotASnapshot(text.len()));
        }
        let mut other = WRITTEN.clone();
        other[MAGIC.len()] += 1;
        let error = refused(&other);
        assert_eq!(error, SnapshotBytesError::OtherVersion(VERSION + 1));
        assert!(error.to_string().contains("version 7; this program reads version 6"), "{error}");
        let longer = [WRITTEN.as_slice(), &[0]].concat();
        assert_eq!(refused(&longer), SnapshotBytesError::Damaged(longer.len()));
        let mut forged = longer;
        forge(&mut forged);
        assert_eq!(refused(&forged), SnapshotBytesError::Damaged(forged.len()));
    }

    #[test]
    fn bytes_of_its_own_state_alone_are_known_to_a_process() {
        let own = Snapshot::from_bytes(&WRITTEN).expect("a snapshot");
        assert!(!own.is_foreign);
        let mut read = Snapshot { is_foreign: true, ..own };
        read.checkpoint.state.time += 1.0;
        let bytes = read.to_bytes();
        assert!(Snapshot::from_bytes(&bytes).expect("a snapshot").is_foreign, "written, but not made here");
        assert_eq!(Snapshot { is_foreign: false, ..read }.to_bytes(), bytes);
        assert!(!Snapshot::from_bytes(&bytes).expect("a snapshot").is_foreign);
    }

    #[test]
    fn a_count_of_more_than_there_is_allocates_nothing_for_it() {
        // The number of entries of the scene, in the place of the content: the largest that 10 bytes hold.
        let mut bytes = WRITTEN[..HEADER].to_vec();
        bytes.extend([[0xff; 9].as_slice(), &[1]].concat());
        forge(&mut bytes);
        let allocated = allocation_counter::measure(|| {
            assert_eq!(refused(&bytes), SnapshotBytesError::Damaged(bytes.len()));
        });
        assert!(allocated.bytes_max <= 1 << 20, "{} bytes", allocated.bytes_max);
    }

    proptest! {
        #[test]
        fn bytes_that_were_cut_or_changed_are_an_error(
            at in any::<prop::sample::Index>(),
            flipped in 1_u8..,
            cut in any::<prop::sample::Index>(),
        ) {
            let mut bytes = WRITTEN.clone();
            *at.get_mut(&mut bytes) ^= flipped;
            prop_assert!(Snapshot::from_bytes(&bytes).is_err());
            prop_assert!(Snapshot::from_bytes(&WRITTEN[..cut.index(WRITTEN.len())]).is_err());
        }

        /// Neither reading it, nor restoring it, nor stepping from there panics or leaves an intersection
        /// that is not exempt.
        #[test]
        fn a_forged_snapshot_is_refused_or_can_be_stepped(
            edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ) {
            let mut bytes = WRITTEN.clone();
            for (at, value) in edits {
                bytes[HEADER + at.index(WRITTEN.len() - HEADER)] = value;
            }
            forge(&mut bytes);
            if let Ok(snapshot) = Snapshot::from_bytes(&bytes) {
                let mut sim = stepped(0);
                if sim.restore(&snapshot).is_ok() {
                    let _ = sim.step(DT);
                    let found = sim.intersections(IntersectionFilter::ALL).expect("finite");
                    prop_assert!(found.edge_faces.iter().all(|&hit| !sim.is_certified(hit)));
                }
            }
        }
    }
}
