//! What is wrong with a skeleton, a clip or a skin, and where.

use thiserror::Error;

/// Why a part of a character was rejected; prints as one line.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CharacterError {
    /// The parent of a joint is not a joint.
    #[error(
        "joint {joint} has the parent {parent}, but there are {count} joints: give each joint a parent below \
         {count}, or none"
    )]
    MissingParent {
        /// The joint.
        joint: usize,
        /// Its parent as given.
        parent: usize,
        /// The number of joints.
        count: usize,
    },
    /// A joint is its own ancestor.
    #[error("joint {joint} is its own ancestor: the parents of a skeleton form a forest")]
    Cycle {
        /// A joint on the cycle.
        joint: usize,
    },
    /// An array has the wrong length.
    #[error("{what} has {found} entries and needs {needed}")]
    Length {
        /// The array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length that is needed.
        needed: usize,
    },
    /// A number is NaN or infinite.
    #[error("{what} {index} is not finite")]
    NotFinite {
        /// What kind of item holds the number.
        what: &'static str,
        /// The item.
        index: usize,
    },
    /// An index is out of range.
    #[error("{what} {index} refers to entry {target}, but there are {count}")]
    OutOfRange {
        /// What kind of item holds the index.
        what: &'static str,
        /// The item.
        index: usize,
        /// The index it holds.
        target: usize,
        /// The number of valid indices.
        count: usize,
    },
    /// The weights of a vertex are negative or add up to nothing.
    #[error(
        "vertex {vertex} has no joint with a positive weight, or a negative weight: weigh each vertex to at \
         least one joint"
    )]
    NoWeight {
        /// The vertex.
        vertex: usize,
    },
    /// The times of a channel do not increase.
    #[error(
        "key {key} of channel {channel} is not later than the key before it, or before time 0: times (s) \
         increase from 0"
    )]
    TimesNotIncreasing {
        /// The channel.
        channel: usize,
        /// The key.
        key: usize,
    },
    /// A channel has no key.
    #[error("channel {channel} has no key")]
    NoKey {
        /// The channel.
        channel: usize,
    },
    /// A parameter is outside its range.
    #[error("{what} is {value}; it must be {needed}")]
    Parameter {
        /// The parameter.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The range.
        needed: &'static str,
    },
    /// No clip has this name.
    #[error("no clip is named {name:?}; {}", known_clips(known))]
    UnknownClip {
        /// The name as given.
        name: String,
        /// The names of the clips; empty if there are none.
        known: String,
    },
}

fn known_clips(known: &str) -> String {
    match known {
        "" => {
            "the file has no clips: leave the clip out to simulate the bind pose, or give a file with clips"
                .into()
        }
        known => format!("the clips are: {known}"),
    }
}

/// Rejects a duration that is negative or not finite.
pub(crate) fn check_duration(what: &'static str, value: f64) -> Result<(), CharacterError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(CharacterError::Parameter { what, value, needed: "finite and not negative" })
}

/// Rejects an array of the wrong length.
pub(crate) fn expect_length(what: &'static str, found: usize, needed: usize) -> Result<(), CharacterError> {
    if found == needed { Ok(()) } else { Err(CharacterError::Length { what, found, needed }) }
}
