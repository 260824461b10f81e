//! Rule on small numbers: what lets a pair of primitives be skipped is derived, not chosen.
//!
//! In `cloth-contacts` every margin comes from `cloth_geom::bounds`. A literal below a thousandth, or an
//! `EPSILON`, is either one of those listed here, with where it is derived or why nothing is skipped by it,
//! or a complaint.

use super::tree::Tree;

/// Literals below this have to be listed.
const SMALL: f64 = 1.0e-3;

/// Folders and files whose numbers are filters of exact predicates, derived in the files themselves and
/// judged against integers.
const EXACT: [&str; 1] = ["cloth-contacts/src/intersect/apart.rs"];

/// A file below `cloth-contacts/src/`, a literal that it may hold, and why.
const ALLOWED: [(&str, &str, &str); 13] = [
    ("collider/face_depth/mod.rs", "1.0e-4", "the length to which a depth is reported, not a margin"),
    (
        "collider/face_depth/mod.rs",
        "1.0e-12",
        "`F64_ERROR`: thousands of roundings of `f64`, which are added to a depth",
    ),
    ("collider/hull/mod.rs", "1.0e-9", "the normal of a point on the surface; the distance is what it is"),
    ("collider/mesh/mod.rs", "1.0e-9", "the normal of a point on the surface; the distance is what it is"),
    ("collider/mesh/sides.rs", "1.0e-9", "faces whose normals cancel each other: the face's own is taken"),
    (
        "collider/mesh/walls.rs",
        "1.0e-6",
        "`ON_PLANE`: whether an entry is a second wall or one that is known",
    ),
    ("collider/mod.rs", "1.0e-18", "`TINY`: the normal of a point at a centre; squares of less leave `f32`"),
    ("collider/parry.rs", "1e-6", "the message that names `SIZES`"),
    ("collider/parry.rs", "1.0e-6", "`SIZES`: which shapes are refused"),
    ("collider/parry.rs", "1.0e-5", "`CLOSE`: from where on a normal is measured otherwise"),
    ("collider/parry.rs", "1.0e-9", "a turn from y to the direction opposite to it: any axis will do"),
    ("collider/reference.rs", "1.0e-12", "which of two nearest points, both right, the reference takes"),
    ("tangle/body_orientation.rs", "1e-9", "faces that do not agree on a way out of a body: there is none"),
];

/// Complaints about small literals that are not listed, and about entries of the list that nothing needs.
pub(super) fn small(tree: &Tree) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut needed = [false; ALLOWED.len()];
    for (path, text) in tree.below("cloth-contacts/src/").filter(|(path, _)| is_judged(path)) {
        for (number, line) in code_lines(text) {
            for word in small_words(line) {
                let allowed = ALLOWED.iter().position(|(file, literal, _)| {
                    path.strip_prefix("cloth-contacts/src/") == Some(file) && *literal == word
                });
                match allowed {
                    Some(entry) => needed[entry] = true,
                    None => complaints.push(format!(
                        "{path}:{number} has `{word}`: derive it by cloth_geom::bounds, or list it in \
                         literals.rs with its derivation"
                    )),
                }
            }
        }
    }
    let unneeded = ALLOWED.iter().zip(needed).filter(|(_, needed)| !needed);
    complaints.extend(
        unneeded
            .map(|((file, literal, _), _)| format!("literals.rs lists {literal} of {file}, which is gone")),
    );
    complaints
}

fn is_judged(path: &str) -> bool {
    let is_test = path.ends_with("tests.rs") || path.contains("/tests/") || path.contains("fixtures");
    path.ends_with(".rs") && !is_test && !EXACT.iter().any(|exact| path.starts_with(exact))
}

/// The lines before the tests of a file, without comments, numbered from 1.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    lines.map(|(i, line)| (i + 1, line.split("//").next().unwrap_or_default()))
}

/// The words of a line that are numbers between 0 and [`SMALL`], and every `EPSILON`.
fn small_words(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        rest = &rest[start..];
        let is_number = rest.starts_with(|c: char| c.is_ascii_digit());
        let length = if is_number { number_length(rest) } else { word_length(rest) };
        let (word, after) = rest.split_at(length);
        if word == "EPSILON" || is_number && is_small(word) {
            found.push(word);
        }
        rest = after;
    }
    found
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len())
}

/// Digits, a point that digits follow, and an exponent with its sign.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    let mut at = 0;
    while at < bytes.len() {
        let goes_on = match bytes[at] {
            b'.' => digit(at + 1),
            b'-' | b'+' => at > 0 && matches!(bytes[at - 1], b'e' | b'E') && digit(at + 1),
            c => c.is_ascii_alphanumeric() || c == b'_',
        };
        if !goes_on {
            break;
        }
        at += 1;
    }
    at
}

fn is_small(word: &str) -> bool {
    let plain: String = word.chars().filter(|c| *c != '_').collect();
    let plain = plain.trim_end_matches("f32").trim_end_matches("f64");
    plain.parse::<f64>().is_ok_and(|x| x > 0.0 && x < SMALL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_small_numbers_in_every_spelling_and_leaves_others() {
        let line =
            "a[0] + 1e-4 * 1.0e-6_f64 - 0.000_5 + f32::EPSILON + x1e_5 + 1.0 / 0x1f + 1.0e-3 + 0.0 + 7..9";
        assert_eq!(small_words(line), ["1e-4", "1.0e-6_f64", "0.000_5", "EPSILON"]);
    }

    #[test]
    fn judges_code_and_neither_comments_nor_tests_nor_exact_filters() {
        let text = "let a = 1e-4; // 1e-5\n/// 1e-6\n#[cfg(test)]\nmod tests { const X: f64 = 1e-7; }\n";
        let of = |path: &str| {
            small(&Tree::from_texts(&[(path, text)])).into_iter().filter(|c| c.contains("derive")).count()
        };
        assert_eq!(of("cloth-contacts/src/lists/list.rs"), 1);
        assert_eq!(
            of("cloth-contacts/src/intersect/apart.rs")
                + of("cloth-geom/src/x.rs")
                + of("cloth-contacts/src/a/tests.rs"),
            0
        );
    }
}
