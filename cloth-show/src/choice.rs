//! What a caller chooses by a word: what is recorded, and the broad phase.

/// Gives an enum its words: `ALL`, `name`, `Display` and `FromStr`, whose error names what it is a choice of.
#[macro_export]
macro_rules! choices {
    ($type:ident, $what:literal, { $($choice:ident = $word:literal),+ $(,)? }) => {
        impl $type {
            /// All choices.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$choice),+];

            /// Its word.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$choice => $word,)+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::choice::ChoiceError;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                $crate::choice::by_word($what, word, &Self::ALL, Self::name)
            }
        }
    };
}

#[cfg(feature = "broad-phases")]
mod broad_phase;

#[cfg(feature = "broad-phases")]
pub use broad_phase::{BroadPhaseChoice, WithBroadPhase};

/// Which runs of a scene are recorded, for the player of its report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PlayerChoice {
    /// None.
    #[default]
    Off,
    /// The run, and its control if it has one.
    Run,
    /// The run without the gate too.
    All,
}

/// A word that names no choice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} `{given}`; use {known}")]
pub struct ChoiceError {
    what: &'static str,
    given: String,
    known: String,
}

choices!(PlayerChoice, "choice of runs to record", { Off = "off", Run = "run", All = "all" });

/// The choice of a word, of all that there are.
///
/// # Errors
/// If it is the name of none of them.
pub fn by_word<T: Copy>(
    what: &'static str,
    word: &str,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<T, ChoiceError> {
    all.iter().copied().find(|&choice| name(choice) == word).ok_or_else(|| ChoiceError {
        what,
        given: word.into(),
        known: all.iter().map(|&choice| name(choice)).collect::<Vec<_>>().join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_reads_back_from_its_word() {
        for choice in PlayerChoice::ALL {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
    }

    #[test]
    fn an_unknown_word_is_answered_with_the_known_ones() {
        let error = "some".parse::<PlayerChoice>().expect_err("no choice");
        assert_eq!(error.to_string(), "unknown choice of runs to record `some`; use off, run, all");
        assert!("Run".parse::<PlayerChoice>().is_err() && "".parse::<PlayerChoice>().is_err());
    }
}
