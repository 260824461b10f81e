//! Tests on the shape of the project: what ARCHITECTURE.md says is so, and the house rules hold.
//!
//! Each rule is a plain function from text to complaints, in its own file and tested there on invented text,
//! so that a rule which finds nothing is known to be able to find something. `tests.rs` runs it on the
//! repository. `cargo xtask tidy --imports` prints two of them, the orders of crates and of
//! modules.

#[cfg(test)]
mod architecture;
mod code;
#[cfg(test)]
mod errors;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod files;
mod imports;
mod layers;
#[cfg(test)]
mod lines;
#[cfg(test)]
mod literals;
mod manifest;
#[cfg(test)]
mod packages;
#[cfg(test)]
mod paths;
#[cfg(test)]
mod player;
#[cfg(test)]
mod proptests;
#[cfg(test)]
mod readers;
#[cfg(test)]
mod readme;
#[cfg(test)]
mod reexports;
#[cfg(test)]
mod stages;
#[cfg(test)]
mod test_names;
#[cfg(test)]
mod tests;
mod tree;
#[cfg(test)]
mod types;

use crate::commands::Outcome;
use imports::Imports;
use tree::Tree;

/// The order of the crates, that of the modules of `cloth-solver`, and what is against them; whether that is
/// little enough.
pub(crate) fn imports(root: &std::path::Path) -> Outcome {
    let tree = Tree::read(root);
    let (crates, imports) = (layers::read(&tree), Imports::read(&tree));
    let violations = layers::violations(&crates);
    let text = format!("{}{}", layers::report(&violations), imports.report());
    Outcome { text, passes: violations.is_empty() && imports.passes() }
}
