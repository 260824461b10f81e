//! Options that a build without some features does not have: they are errors before any work.

use cloth_show::program::Failure;

/// Refuses an option that draws, named as its user did, where this build draws nothing.
pub(crate) fn needs_pictures(option: &str) -> Result<(), Failure> {
    needs(cfg!(feature = "pictures"), option, "draws no pictures")
}

/// The same of `--report`, where this build has no player.
pub(crate) fn needs_player(option: &str) -> Result<(), Failure> {
    needs(cfg!(feature = "player"), option, "has no player")
}

fn needs(is_there: bool, option: &str, lacks: &str) -> Result<(), Failure> {
    if is_there {
        return Ok(());
    }
    Err(Failure::new(format!(
        "{option}: this build {lacks}; the program `cloth` does it: `cargo install --path cloth-cli`"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_names_the_program_that_has_it() {
        assert_eq!(needs(true, "--report", "has no player"), Ok(()));
        let refused = needs(false, "--report", "has no player").expect_err("left out").to_string();
        assert!(refused.starts_with("--report: this build has no player; the program `cloth`"), "{refused}");
    }
}
