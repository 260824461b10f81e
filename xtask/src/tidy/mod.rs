//! Tests on the shape of the project: what ARCHITECTURE.md says is so, and no floor has more code than its
//! limit.
//!
//! A rule is a plain function from text to complaints, tested in its own file on invented text; `tests.rs`
//! runs it on the repository, and has the rules of a few lines. `cargo xtask tidy` prints two of them.

#[cfg(test)]
mod architecture;
mod imports;
mod layers;
#[cfg(test)]
mod packages;
#[cfg(test)]
mod paths;
#[cfg(test)]
mod player;
mod sizes;
#[cfg(test)]
mod tests;
mod tree;

use std::path::Path;

use crate::commands::Outcome;
use crate::quick;
use imports::Imports;
use tree::Tree;

/// What `cargo xtask tidy` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// The order of the crates, that of the modules of `cloth-solver`, and what is against them.
    Imports,
    /// The code lines of each floor.
    Sizes,
}

impl Table {
    /// Reads the arguments of the command.
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["--imports"] => Ok(Self::Imports),
            ["--sizes"] => Ok(Self::Sizes),
            _ => Err("xtask tidy: use --imports or --sizes; the other rules are tests of xtask".into()),
        }
    }

    /// The table, and whether it passes.
    pub(crate) fn outcome(self, root: &Path) -> Result<Outcome, String> {
        let tree = Tree::read(root);
        Ok(match self {
            Self::Imports => {
                let violations = layers::violations(&quick::packages(root)?);
                let imports = Imports::read(&tree);
                let text = format!("{}{}", layers::report(&violations), imports.report());
                Outcome { text, passes: violations.is_empty() && imports.passes() }
            }
            Self::Sizes => {
                let sizes = sizes::read(&tree);
                let complaints = sizes::complaints(&sizes, &tree);
                let text = [&[sizes::table(&sizes)], &complaints[..]].concat().join("\n") + "\n";
                Outcome { text, passes: complaints.is_empty() }
            }
        })
    }
}
