//! A table with its words for people and its values for programs: as HTML, as text for the terminal, and as
//! CSV that a page carries.

use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its head on the page.
    pub name: &'static str,
    /// Its head in CSV, with the unit.
    pub field: &'static str,
    /// Whether it is set flush right.
    pub numeric: bool,
    /// Its head in the terminal; none for a column that the terminal leaves out.
    pub short: Option<&'static str>,
}

/// A column of words.
#[must_use]
pub const fn words(name: &'static str, field: &'static str) -> Column {
    Column { name, field, numeric: false, short: Some(name) }
}

/// A column of numbers.
#[must_use]
pub const fn numbers(name: &'static str, field: &'static str) -> Column {
    Column { name, field, numeric: true, short: Some(name) }
}

impl Column {
    /// The same with another head in the terminal.
    #[must_use]
    pub const fn short(self, head: &'static str) -> Self {
        Self { short: Some(head), ..self }
    }

    /// The same, left out in the terminal.
    #[must_use]
    pub const fn page_only(self) -> Self {
        Self { short: None, ..self }
    }
}

/// An entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// For people.
    pub text: String,
    /// For programs; empty for what does not exist.
    pub value: String,
    /// The style of the page: `bad`, `warn`, `ok`, `soft` or nothing.
    pub class: Option<&'static str>,
}

impl Cell {
    /// Words, the same for people and programs.
    pub fn words(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { value: text.clone(), text, class: None }
    }

    /// A value with its text; a dash where it does not exist.
    pub fn value<T: ToString>(value: Option<T>, text: impl FnOnce(&T) -> String) -> Self {
        match value {
            Some(value) => Self { text: text(&value), value: value.to_string(), class: None },
            None => Self { text: "\u{2013}".into(), ..Self::default() },
        }
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
    pub caption: String,
    /// As many as a row has cells.
    pub columns: Vec<Column>,
    /// The first cell of a row is its head.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// As a table of the page that scrolls sideways where it is too wide.
    #[must_use]
    pub fn html(&self) -> Markup {
        html! {
            // Focusable, so that the keyboard can scroll it.
            div.scroll tabindex="0" role="region" aria-label=(self.caption) {
                table {
                    caption { span.note { (self.caption) } }
                    thead { tr { @for column in &self.columns { th.n[column.numeric] scope="col" { (column.name) } } } }
                    tbody { @for row in &self.rows { tr { @for (k, cell) in row.iter().enumerate() { (self.entry(k, cell)) } } } }
                }
            }
        }
    }

    fn entry(&self, column: usize, cell: &Cell) -> Markup {
        let numeric = self.columns.get(column).is_some_and(|column| column.numeric);
        let class = [numeric.then_some("n"), cell.class].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let class = (!class.is_empty()).then_some(class);
        html! {
            @if column == 0 { th scope="row" class=[class] { (cell.text) } } @else { td class=[class] { (cell.text) } }
        }
    }

    /// For the terminal: columns as wide as their widest cell, two spaces apart, numbers flush right.
    #[must_use]
    pub fn text(&self) -> String {
        let shown = self.columns.iter().enumerate().filter_map(|(k, c)| Some((k, c.numeric, c.short?)));
        let mut lines = vec![String::new(); self.rows.len() + 1];
        for (k, numeric, head) in shown {
            let cells = self.rows.iter().map(|row| row.get(k).map_or("", |cell| cell.text.as_str()));
            let cells: Vec<&str> = std::iter::once(head).chain(cells).collect();
            let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
            for (line, cell) in lines.iter_mut().zip(cells) {
                line.push_str(if line.is_empty() { "" } else { "  " });
                line.push_str(&if numeric { format!("{cell:>width$}") } else { format!("{cell:<width$}") });
            }
        }
        lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    /// As CSV (RFC 4180), with a head.
    #[must_use]
    pub fn csv(&self) -> String {
        let quoted = |value: &str| match value.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", value.replace('"', "\"\"")),
            false => value.to_owned(),
        };
        let line = |values: Vec<String>| values.join(",") + "\n";
        let head = line(self.columns.iter().map(|column| quoted(column.field)).collect());
        let rows = self.rows.iter().map(|row| line(row.iter().map(|cell| quoted(&cell.value)).collect()));
        std::iter::once(head).chain(rows).collect()
    }

    /// A link that saves the CSV from the page itself.
    #[must_use]
    pub fn download(&self, file: &str) -> Markup {
        let csv = self.csv();
        let data = utf8_percent_encode(&csv, NON_ALPHANUMERIC);
        let address = format!("data:text/csv;charset=utf-8,{data}");
        html! { a.download href=(address) download=(file) { "Download " (file) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table {
            caption: "a <caption>".into(),
            columns: vec![words("who", "who"), numbers("time", "time_ms").short("ms")],
            rows: vec![
                vec![Cell::words("a, \"b\""), Cell::value(Some(1.25), |v| format!("{v} ms"))],
                vec![Cell::words("c"), Cell::value(None::<f64>, |_| unreachable!())],
            ],
        }
    }

    #[test]
    fn csv_quotes_what_has_commas_and_leaves_missing_values_empty() {
        assert_eq!(table().csv(), "who,time_ms\n\"a, \"\"b\"\"\",1.25\nc,\n");
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
        narrow.columns[1] = numbers("time", "time_ms").page_only();
        assert_eq!(narrow.text(), "who\na, \"b\"\nc\n");
    }

    #[test]
    fn a_download_is_part_of_the_page() {
        let text = table().download("x.csv").into_string();
        assert!(text.contains("href=\"data:text/csv;charset=utf-8,who%2Ctime%5Fms%0A"), "{text}");
    }
}
