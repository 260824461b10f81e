//! A part of a numbered list, such as 2/8, and the part of a task of a Slurm array.

use std::fmt;
use std::str::FromStr;

/// One of several parts of a numbered list: every `count`-th number.
///
/// It is read from `I/N`, with I from 1 to N; from `auto`, the part of this task of a Slurm array among its
/// tasks; or from `auto/N`, the part of this task among N. With `auto/N`, arrays that begin at 0 and at 1
/// both cover all parts, and tasks that are submitted again keep theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 0.
    index: u64,
    count: u64,
}

impl Shard {
    /// Part `index`, from 0, of `count`.
    ///
    /// # Errors
    /// If there is no such part.
    pub fn from_index(index: u64, count: u64) -> Result<Self, String> {
        match index < count {
            true => Ok(Self { index, count }),
            false => Err(format!("there is no shard {index} of {count}: they are counted from 0")),
        }
    }

    /// Whether a number of the list is in the part.
    #[must_use]
    pub fn has(&self, number: u64) -> bool {
        number % self.count == self.index
    }

    /// How many numbers of a list of `all` are in the part.
    #[must_use]
    pub fn count_of(&self, all: u64) -> u64 {
        all.saturating_sub(self.index).div_ceil(self.count)
    }

    /// The number of the part at a place in it; places count from 0.
    #[must_use]
    pub fn nth(&self, place: u64) -> u64 {
        place.saturating_mul(self.count).saturating_add(self.index)
    }

    /// Reads it as [`FromStr`] does, from a word and what `variable` knows of the environment.
    fn from_word(word: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        const USAGE: &str = "give it as I/N with I from 1 to N, such as 2/8, as auto, or as auto/N";
        let slurm = |name: &str| {
            let found = variable(name).and_then(|text| text.trim().parse::<u64>().ok());
            found.ok_or_else(|| format!("{name} is no number: auto is for tasks of a Slurm array; give I/N"))
        };
        if word == "auto" {
            let [task, count, least, most] =
                ["TASK_ID", "TASK_COUNT", "TASK_MIN", "TASK_MAX"].map(|n| slurm(&format!("SLURM_ARRAY_{n}")));
            let (task, count, [least, most]) = (task?, count?, [least?, most?]);
            if most.checked_sub(least).and_then(|last| last.checked_add(1)) != Some(count) {
                return Err(format!("the array has gaps: {count} tasks from {least} to {most}; give auto/N"));
            }
            return Self::from_index(task % count, count);
        }
        let (index, count) = word.split_once('/').ok_or(USAGE)?;
        let count = count.parse().ok().filter(|count| *count > 0).ok_or(USAGE)?;
        match index {
            "auto" => Self::from_index(slurm("SLURM_ARRAY_TASK_ID")? % count, count),
            _ => {
                let index = index.parse::<u64>().ok().and_then(|index| index.checked_sub(1)).ok_or(USAGE)?;
                Self::from_index(index, count).map_err(|_| USAGE.into())
            }
        }
    }
}

impl Default for Shard {
    /// All of it: 1/1.
    fn default() -> Self {
        Self { index: 0, count: 1 }
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        Self::from_word(word, |name| std::env::var(name).ok())
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a task of an array reads: its number, and count, least and most of all.
    fn read(word: &str, array: Option<[u64; 4]>) -> Result<Shard, String> {
        let names = ["TASK_ID", "TASK_COUNT", "TASK_MIN", "TASK_MAX"].map(|n| format!("SLURM_ARRAY_{n}"));
        let of = |name: &str| Some(array?[names.iter().position(|known| known == name)?].to_string());
        Shard::from_word(word, of)
    }

    #[test]
    fn shards_are_counted_from_1() {
        assert_eq!("2/8".parse(), Shard::from_index(1, 8));
        assert_eq!("1/1".parse(), Ok(Shard::default()));
        assert_eq!(Shard::from_index(1, 8).unwrap().to_string(), "2/8");
        assert!(Shard::from_index(8, 8).is_err() && Shard::from_index(0, 0).is_err());
        for wrong in ["0/8", "9/8", "8", "1/0", "-1/3", "a/b", "1/2/3", "", "auto/0", "auto/", "AUTO"] {
            assert!(read(wrong, Some([1, 1, 1, 1])).unwrap_err().starts_with("give it as I/N"), "{wrong}");
        }
    }

    #[test]
    fn the_shards_of_a_list_have_each_number_once() {
        for (all, count) in [(0, 3), (1, 3), (10, 3), (9, 3), (5, 1), (2, 5)] {
            let shards: Vec<Shard> = (0..count).map(|k| Shard::from_index(k, count).unwrap()).collect();
            let mut numbers = Vec::new();
            for shard in &shards {
                let own: Vec<u64> = (0..shard.count_of(all)).map(|k| shard.nth(k)).collect();
                assert!(own.iter().all(|number| shard.has(*number)), "{shard}: {own:?}");
                numbers.extend(own);
            }
            numbers.sort_unstable();
            assert_eq!(numbers, (0..all).collect::<Vec<_>>(), "{count} shards of {all}");
        }
    }

    #[test]
    fn a_task_of_an_array_takes_its_part() {
        for least in [0, 1, 5] {
            let parts = (least..least + 4).map(|task| read("auto", Some([task, 4, least, least + 3])));
            let mut words: Vec<String> = parts.map(|part| part.unwrap().to_string()).collect();
            words.sort();
            assert_eq!(words, ["1/4", "2/4", "3/4", "4/4"]);
        }
        // Tasks 3 and 7 alone, submitted again, have the parts that they had.
        let again = [3, 7].map(|task| read("auto/8", Some([task, 2, 3, 7])).unwrap().to_string());
        assert_eq!(again, ["4/8", "8/8"]);
        assert_eq!(read("auto/8", Some([8, 8, 1, 8])), Shard::from_index(0, 8));
    }

    #[test]
    fn an_array_with_gaps_and_no_array_at_all_are_refused() {
        for array in [[3, 2, 3, 7], [0, 8, 0, 14], [0, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, u64::MAX]] {
            assert!(read("auto", Some(array)).unwrap_err().contains("give auto/N"), "{array:?}");
        }
        for word in ["auto", "auto/8"] {
            let error = read(word, None).unwrap_err();
            assert!(error.contains("SLURM_ARRAY_TASK_ID") && error.ends_with("give I/N"), "{error}");
        }
    }
}
