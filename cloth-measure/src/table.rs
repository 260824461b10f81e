//! A table: as HTML, and as text for the terminal.

use maud::{Markup, html};

/// An entry of a row, with the column that it stands in: the rows describe the table, and nothing else does.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Head of the column on the page.
    name: &'static str,
    /// Its head in the terminal; none for a column that the terminal leaves out.
    short: Option<&'static str>,
    /// Whether it is set flush right.
    numeric: bool,
    /// What it says.
    text: String,
    /// The style of the page: `bad`, `warn`, `ok`, `soft` or nothing.
    class: Option<&'static str>,
}

/// Words, with the head of their column.
#[must_use]
pub fn words(name: &'static str, text: impl Into<String>) -> Cell {
    Cell { name, short: Some(name), numeric: false, text: text.into(), class: None }
}

/// The text of a value, set flush right; a dash where it does not exist.
#[must_use]
pub fn numbers<T>(name: &'static str, value: impl Into<Option<T>>, text: impl FnOnce(T) -> String) -> Cell {
    words(name, value.into().map_or("\u{2013}".into(), text)).numeric()
}

impl Cell {
    /// The same with another head of its column in the terminal.
    #[must_use]
    pub fn short(self, head: &'static str) -> Self {
        Self { short: Some(head), ..self }
    }

    /// The same, its column left out in the terminal.
    #[must_use]
    pub fn page_only(self) -> Self {
        Self { short: None, ..self }
    }

    /// The same, set flush right.
    #[must_use]
    pub fn numeric(self) -> Self {
        Self { numeric: true, ..self }
    }

    /// The same, marked.
    #[must_use]
    pub fn marked(self, class: Option<&'static str>) -> Self {
        Self { class, ..self }
    }
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// What it shows, and how to read it.
    caption: String,
    /// All of the same columns; the first cell of a row is its head.
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Of rows that have the same columns.
    pub fn new(caption: impl Into<String>, rows: impl IntoIterator<Item = Vec<Cell>>) -> Self {
        Self { caption: caption.into(), rows: rows.into_iter().collect() }
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The first row, which has the heads of the columns; nothing in an empty table.
    fn columns(&self) -> &[Cell] {
        self.rows.first().map_or(&[], Vec::as_slice)
    }

    /// As a table of the page that scrolls sideways where it is too wide.
    #[must_use]
    pub fn html(&self) -> Markup {
        html! {
            // Focusable, so that the keyboard can scroll it.
            div.scroll tabindex="0" role="region" aria-label=(self.caption) {
                table {
                    caption { span.note { (self.caption) } }
                    thead {
                        tr {
                            @for column in self.columns() {
                                th.n[column.numeric] scope="col" { (column.name) }
                            }
                        }
                    }
                    tbody {
                        @for row in &self.rows {
                            tr { @for (k, cell) in row.iter().enumerate() { (entry(k, cell)) } }
                        }
                    }
                }
            }
        }
    }

    /// For the terminal: columns as wide as their widest cell, two spaces apart, numbers flush right.
    #[must_use]
    pub fn text(&self) -> String {
        let mut lines = vec![String::new(); self.rows.len() + 1];
        for (k, column) in self.columns().iter().enumerate() {
            let Some(head) = column.short else { continue };
            let cells = self.rows.iter().map(|row| row.get(k).map_or("", |cell| cell.text.as_str()));
            let cells: Vec<&str> = std::iter::once(head).chain(cells).collect();
            let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
            for (line, cell) in lines.iter_mut().zip(cells) {
                line.push_str(if line.is_empty() { "" } else { "  " });
                line.push_str(&if column.numeric {
                    format!("{cell:>width$}")
                } else {
                    format!("{cell:<width$}")
                });
            }
        }
        lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
    }
}

fn entry(column: usize, cell: &Cell) -> Markup {
    let class = [cell.numeric.then_some("n"), cell.class].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let class = (!class.is_empty()).then_some(class);
    html! {
        @if column == 0 { th scope="row" class=[class] { (cell.text) } }
        @else { td class=[class] { (cell.text) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let row = |who: &str, time: Option<f64>| {
            let time = numbers("time", time, |ms: f64| format!("{ms} ms")).short("ms");
            vec![words("who", who), time]
        };
        Table::new("a <caption>", [row("a, \"b\"", Some(1.25)), row("c", None)])
    }

    #[test]
    fn html_has_scopes_a_caption_and_escapes() {
        let text = table().html().into_string();
        for part in
            ["a &lt;caption&gt;", r#"<th class="n" scope="col">time"#, r#"<th scope="row">c</th>"#, "1.25 ms"]
        {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn text_is_aligned_and_leaves_out_columns_of_the_page() {
        assert_eq!(table().text(), "who          ms\na, \"b\"  1.25 ms\nc             \u{2013}\n");
        let mut narrow = table();
        narrow.rows[0][1].short = None;
        assert_eq!(narrow.text(), "who\na, \"b\"\nc\n");
    }
}
