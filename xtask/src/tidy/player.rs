//! Whether the player of reports, a generated file, was made from the sources that are here.

use super::tree::Tree;

/// The hash of the sources that the text of the player names, and the hash that it says they have.
pub(super) fn hashes<'a>(player: &'a str, tree: &Tree) -> Option<(String, &'a str)> {
    let second = player.lines().nth(1)?.strip_prefix("// Sources, FNV-1a ")?;
    let (stated, names) = second.split_once(": ")?;
    let sources = names.split(' ').flat_map(|name| tree.text(name).bytes());
    let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    Some((format!("{:016x}", sources.fold(0xcbf2_9ce4_8422_2325, step)), stated))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_all_sources_in_their_order() {
        let tree = Tree::from_texts(&[("web/a.ts", "foob"), ("web/b.ts", "ar")]);
        let player = "// Generated\n// Sources, FNV-1a 85944171f73967e8: web/a.ts web/b.ts\n";
        // Known value of the text "foobar".
        assert_eq!(hashes(player, &tree), Some(("85944171f73967e8".into(), "85944171f73967e8")));
        assert_eq!(hashes("// Generated", &tree), None);
    }
}
