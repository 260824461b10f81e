//! Pages that load nothing and run no script, in the style of the pages of `cargo xtask verify`.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::chart;

/// The style sheet of the project's pages.
const STYLE_SHEET: &str = concat!(
    include_str!("../../cloth-show/assets/palette.css"),
    include_str!("../../cloth-show/assets/style.css")
);

/// What these pages add to it.
const STYLE: &str = include_str!("page.css");

/// A page, of which `body` is everything between head and end.
#[must_use]
pub fn page(title: &str, body: &Markup) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE_SHEET)) (PreEscaped(STYLE)) (PreEscaped(chart::color_rules())) }
            }
            body { (body) }
        }
    };
    markup.into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_whole_and_follows_the_scheme_of_its_reader() {
        let text = page("a < b", &html! { main { "text" } });
        assert!(text.starts_with("<!DOCTYPE html>") && text.contains("<title>a &lt; b</title>"));
        assert!(text.contains("<main>text</main>") && text.contains("prefers-color-scheme"));
        assert!(!text.contains("http") && !text.contains("<script"));
    }
}
