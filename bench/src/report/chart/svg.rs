//! A drawing of `plotters` as the page holds it: with title and description for those who do not see it, and
//! sized by the page.

use std::fmt::Display;

use maud::{Markup, PreEscaped, html};

/// Why a chart could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw {what}: {why}; this is a fault of the report, please report it")]
pub struct ChartError {
    what: String,
    why: String,
}

impl ChartError {
    /// From what was to be drawn and what the library said.
    pub(super) fn new(what: &str, why: &impl Display) -> Self {
        Self { what: what.to_owned(), why: why.to_string() }
    }
}

/// The drawing with an accessible name and description.
pub(super) fn labelled(drawing: &str, title: &str, description: &str) -> Markup {
    let (open, rest) = opened(drawing);
    let texts = html! { title { (title) } desc { (description) } };
    html! { (PreEscaped(format!("{open} role=\"img\">"))) (texts) (PreEscaped(rest)) }
}

/// The drawing, hidden from screen readers.
pub(super) fn decorative(drawing: &str) -> String {
    let (open, rest) = opened(drawing);
    format!("{open} aria-hidden=\"true\">{rest}")
}

/// The opening tag without its size and its end, and what follows it.
fn opened(drawing: &str) -> (String, &str) {
    let (tag, rest) = drawing.split_once('>').unwrap_or((drawing, ""));
    let view_box = tag.find("viewBox").map_or("", |at| &tag[at..]);
    (format!("<svg {view_box}"), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_gets_title_and_description_and_loses_its_size() {
        let drawing = r#"<svg width="9" height="8" viewBox="0 0 9 8" xmlns="x"><circle/></svg>"#;
        let text = labelled(drawing, "a < b", "what it shows").into_string();
        assert_eq!(
            text,
            r#"<svg viewBox="0 0 9 8" xmlns="x" role="img"><title>a &lt; b</title><desc>what it shows</desc><circle/></svg>"#
        );
        assert!(decorative(drawing).starts_with(r#"<svg viewBox="0 0 9 8" xmlns="x" aria-hidden="true">"#));
    }
}
