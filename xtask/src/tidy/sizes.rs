//! How much code each floor of the project has, and how much it may have.
//!
//! A code line is neither blank nor part of a comment. A comment is a line that begins with `//`, in Python
//! with `#`, or the lines from one that begins with `/*` to the next with `*/`; in Python those of a text in
//! three quotation marks that begins a line, which is documentation. What does not count: items marked
//! `#[cfg(test)]`; tests, examples and benches ([`is_counted`]); generated files, which say `do not edit` within
//! their first ten lines.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::tree::Tree;

/// Crates and folders of one kind.
struct Floor {
    name: &'static str,
    /// The most code lines that pass. Deletions lower it; only an allowance raises it.
    limit: usize,
    folders: &'static str,
}

const FLOORS: [Floor; 4] = [
    Floor {
        name: "engine",
        limit: 43_255,
        folders: "cloth-disjoint cloth-geom cloth-broadphase cloth-ccd cloth-contacts cloth-certify cloth-solver",
    },
    Floor {
        name: "desk",
        limit: 29_796,
        folders: "cloth-character cloth-io cloth-scene cloth-show cloth-cli",
    },
    Floor { name: "faces", limit: 13_931, folders: "python bindings/c web integrations" },
    Floor { name: "lab", limit: 19_489, folders: "cloth-verify bench cloth-measure tools xtask" },
];

/// How many code lines are to be left of the product, which is every floor but the lab, and of the lab.
const PRODUCT_AIM: usize = 68_500;
const LAB_AIM: usize = 17_500;

/// Additions that are planned, with the code lines that each may still take: who adds raises the limit of the
/// floor and lowers the allowance by the same number.
const ALLOWANCES: [(&str, usize); 2] = [("queries and events", 2_516), ("Bevy", 2_000)];

/// The languages in which code is written by hand.
const ENDINGS: [&str; 9] = ["rs", "py", "pyi", "ts", "js", "mjs", "c", "h", "cpp"];

/// The code lines of a floor and of its folders, the largest first.
pub(super) struct Size {
    floor: &'static Floor,
    lines: usize,
    folders: Vec<(&'static str, usize)>,
}

/// Counts the repository.
pub(super) fn read(tree: &Tree) -> Vec<Size> {
    let count = |folder| {
        let files = tree.below(folder).filter(|(path, text)| is_in(path, folder) && is_counted(path, text));
        files.map(|(path, text)| code_lines(path, text).len()).sum()
    };
    let size = |floor: &'static Floor| {
        let mut folders: Vec<(&str, usize)> = floor.folders().map(|f| (f, count(f))).collect();
        folders.sort_by_key(|(_, lines)| Reverse(*lines));
        Size { floor, lines: folders.iter().map(|(_, lines)| lines).sum(), folders }
    };
    FLOORS.iter().map(size).collect()
}

/// Floors above their limits, and folders with code that belong to none.
pub(super) fn complaints(sizes: &[Size], tree: &Tree) -> Vec<String> {
    let above = sizes.iter().filter(|size| size.lines > size.floor.limit).map(|size| {
        let Floor { name, limit, .. } = size.floor;
        format!(
            "{name} has {} code lines, {} above its limit: delete as many, or take them from an allowance \
             in xtask/src/tidy/sizes.rs ({})",
            size.lines,
            size.lines - limit,
            allowances()
        )
    });
    let code = tree.below("").filter(|(path, text)| is_counted(path, text));
    let outside = code.filter(|(path, _)| !FLOORS.iter().flat_map(Floor::folders).any(|f| is_in(path, f)));
    let outside: BTreeSet<&str> = outside.filter_map(|(path, _)| path.split('/').next()).collect();
    let outside = outside.iter().map(|name| format!("{name} is on no floor: give it one in sizes.rs"));
    above.chain(outside).collect()
}

/// The lines of the floors with limits, aims and their five largest folders, and the allowances.
pub(super) fn table(sizes: &[Size]) -> String {
    let mut text = format!("{:<8}{:>8}{:>8}{:>8}  largest\n", "", "lines", "limit", "aim");
    let mut row = |name: &str, [lines, limit]: [usize; 2], aim: &str, largest: &str| {
        text.push_str(&format!("{name:<8}{lines:>8}{limit:>8}{aim:>8}  {largest}\n"));
    };
    let (mut product, mut aim) = ([0, 0], String::new());
    for Size { floor, lines, folders } in sizes {
        let largest = folders.iter().take(5).map(|(folder, lines)| format!("{folder} {lines}"));
        if floor.name == "lab" {
            row("product", product, &PRODUCT_AIM.to_string(), "");
            aim = LAB_AIM.to_string();
        }
        row(floor.name, [*lines, floor.limit], &aim, &largest.collect::<Vec<_>>().join(", "));
        product = [product[0] + lines, product[1] + floor.limit];
    }
    format!("{text}allowances: {}", allowances())
}

fn allowances() -> String {
    ALLOWANCES.map(|(name, lines)| format!("{name} {lines}")).join(", ")
}

impl Floor {
    fn folders(&self) -> impl Iterator<Item = &'static str> {
        self.folders.split(' ')
    }
}

fn is_in(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether a file has code that counts: none of a test, an example or a bench, and nothing generated.
pub(super) fn is_counted(path: &str, text: &str) -> bool {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let (name, ending) = file.rsplit_once('.').unwrap_or((file, ""));
    let is_apart = |folder| ["tests", "test", "examples", "benches"].contains(&folder);
    let is_test = folders.split('/').any(is_apart) || name == "tests" || name.ends_with("_tests");
    let is_generated = text.lines().take(10).any(|line| line.contains("do not edit"));
    ENDINGS.contains(&ending) && !is_test && !is_generated
}

/// The code lines of a file.
pub(super) fn code_lines<'a>(path: &str, text: &'a str) -> Vec<&'a str> {
    let is_python = path.ends_with(".py") || path.ends_with(".pyi");
    let [mark, begin, end] = if is_python { ["#", "\"\"\"", "\"\"\""] } else { ["//", "/*", "*/"] };
    let (mut found, mut lines) = (Vec::new(), text.lines());
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        if code.is_empty() || code.starts_with(mark) {
            continue;
        } else if let Some(comment) = code.strip_prefix(begin) {
            let _ = comment.contains(end) || lines.any(|line| line.contains(end));
        } else if code.starts_with("#[cfg(test)]") || code.starts_with("#[cfg(all(test") {
            let indent = line.len() - code.len();
            let _ = lines.any(|line| ends_item(line, indent));
        } else {
            found.push(line);
        }
    }
    found
}

/// Whether a formatted line ends an item that begins in this column.
fn ends_item(line: &str, indent: usize) -> bool {
    line.len() - line.trim_start().len() == indent && line.ends_with([';', '}', ','])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_neither_comments_nor_what_is_for_tests() {
        let text = "//! Of a crate.\n\n#[cfg(test)]\nmod reference;\nuse a; // use b;\n\
                    #[cfg(test)]\nmod tests {\n    fn f() {}\n}\n/* a\n b */\nfn g() {\n    h();\n}\n";
        assert_eq!(code_lines("a/src/lib.rs", text), ["use a; // use b;", "fn g() {", "    h();", "}"]);
        let text = "#!/usr/bin/env python3\n\"\"\"One line.\"\"\"\n\ndef f():\n    \"\"\"Says\n\n    \
                    what.\n    \"\"\"\n    return 1  # why\n";
        assert_eq!(code_lines("a.py", text), ["def f():", "    return 1  # why"]);
    }

    #[test]
    fn tests_examples_benches_and_generated_files_do_not_count() {
        let product = ["a/src/x.rs", "python/package/cloth/_cloth.pyi", "web/build.mjs", "bindings/c/a.h"];
        assert!(product.iter().all(|path| is_counted(path, "")));
        let others = ["a/tests/x/y.rs", "a/src/x/tests.rs", "a/src/gate/chord_tests.rs", "a/examples/x.rs"];
        let others = others.iter().chain(&["a/benches/x.rs", "web/test/page.test.mjs", "a/README.md"]);
        assert!({ others }.all(|path| !is_counted(path, "")));
        assert!(!is_counted("bindings/c/include/cloth.h", "/* cloth\n * Made by a program: do not edit.\n"));
    }

    #[test]
    fn a_complaint_says_which_floor_by_how_much_and_what_to_do() {
        let floor = &FLOORS[0];
        let size = |lines| vec![Size { floor, lines, folders: vec![("cloth-geom", lines)] }];
        let none = Tree::from_texts(&[]);
        assert_eq!(complaints(&size(floor.limit), &none), [""; 0]);
        let found = complaints(&size(floor.limit + 7), &none).concat();
        assert!(
            found.starts_with("engine has ") && found.contains("lines, 7 above its limit: delete"),
            "{found}"
        );
        assert!(found.contains("allowance in xtask/src/tidy/sizes.rs (queries and events"), "{found}");
        let new = Tree::from_texts(&[("cloth-new/src/lib.rs", ""), ("cloth-geom/src/lib.rs", "")]);
        assert_eq!(complaints(&[], &new), ["cloth-new is on no floor: give it one in sizes.rs"]);
    }

    #[test]
    fn the_table_sums_up_the_product_and_names_the_largest_folders() {
        let tree = Tree::from_texts(&[("cloth-geom/src/lib.rs", "a\nb\n"), ("web/a.ts", "c\n")]);
        let text = table(&read(&tree));
        let product = text.lines().find(|line| line.starts_with("product")).expect("a row");
        let words: Vec<&str> = product.split_whitespace().collect();
        assert_eq!((words[1], words[3]), ("3", "68500"));
        assert!(text.contains("  cloth-geom 2, cloth-disjoint 0,"), "{text}");
    }
}
