//! The player of reports is a generated file: whether it was made from the sources that are here.

use super::tree::Tree;

/// The player, compressed by gzip.
pub(super) const PLAYER: &str = "cloth-show/assets/player.js.gz";

/// The most bytes that it may have, since every program that writes reports carries it.
pub(super) const MAX_BYTES: usize = 250_000;

/// A complaint if the text of the player was made from other sources.
pub(super) fn stale_player(player: &str, tree: &Tree) -> Option<String> {
    let stated =
        player.lines().nth(1).and_then(|line| line.strip_prefix("// Sources, FNV-1a ")?.split_once(": "));
    let Some((stated, names)) = stated else {
        return Some(format!("{PLAYER} does not say in its second line what it was made from"));
    };
    let sources = names.split(' ').map(|name| tree.text(name).unwrap_or_default());
    let hash = format!("{:016x}", fnv_1a(sources.flat_map(String::into_bytes)));
    (hash != stated)
        .then(|| format!("{PLAYER} is stale: `npm ci --prefix web && node web/build.mjs --player`"))
}

fn fnv_1a(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_of_other_sources_is_stale() {
        let player = |hash: &str| format!("// Generated\n// Sources, FNV-1a {hash}: web/a.ts web/b.ts\n");
        let complaint = |player: &str, a: &str| {
            stale_player(player, &Tree::from_texts(&[("web/a.ts", a), ("web/b.ts", "ar")]))
        };
        // Known value of the text "foobar".
        let current = player("85944171f73967e8");
        assert_eq!(complaint(&current, "foob"), None);
        assert!(complaint(&current, "foo").is_some_and(|text| text.contains("is stale")));
        assert!(complaint("// Generated", "foob").is_some_and(|text| text.contains("does not say")));
    }
}
