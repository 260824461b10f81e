//! A part of a campaign, `I/N`.

use std::str::FromStr;

/// The shard, from 0, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard(pub(crate) [u64; 2]);

impl FromStr for Shard {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let numbers: Option<(u64, u64)> =
            word.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((i, n)) if 1 <= i && i <= n => Ok(Self([i - 1, n])),
            _ => Err("give it as I/N with I from 1 to N, such as 2/8".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_counted_from_1() {
        assert_eq!("2/8".parse(), Ok(Shard([1, 8])));
        assert_eq!("1/1".parse(), Ok(Shard([0, 1])));
        for wrong in ["0/8", "9/8", "8", "1/0", "-1/3", "a/b", "1/2/3", ""] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
