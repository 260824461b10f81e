//! The style sheet of the project's pages: light and dark from one set of names. The pages of `cargo xtask
//! verify`, `cargo xtask bench` and `cargo xtask dashboard --compare` share it, and the pages in `web` its
//! palette.

/// Colours are named by what they mean; charts and badges use the names, so that both schemes hold together.
pub const STYLE_SHEET: &str =
    concat!(include_str!("../assets/palette.css"), include_str!("../assets/style.css"));
