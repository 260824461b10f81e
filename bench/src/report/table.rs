//! A table with its words for people and its values for programs: as HTML, and as CSV that the page carries.

use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// A column.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// Its head on the page.
    pub(super) name: &'static str,
    /// Its head in CSV, with the unit.
    pub(super) field: &'static str,
    /// Whether it is set flush right.
    pub(super) numeric: bool,
}

/// A column of words.
pub(super) const fn words(name: &'static str, field: &'static str) -> Column {
    Column { name, field, numeric: false }
}

/// A column of numbers.
pub(super) const fn numbers(name: &'static str, field: &'static str) -> Column {
    Column { name, field, numeric: true }
}

/// An entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cell {
    /// For people.
    pub(super) text: String,
    /// For programs; empty for what does not exist.
    pub(super) value: String,
    /// `bad`, `ok` or nothing.
    pub(super) class: Option<&'static str>,
}

impl Cell {
    /// Words, the same for people and programs.
    pub(super) fn words(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { value: text.clone(), text, class: None }
    }

    /// A value with its text; a dash where it does not exist.
    pub(super) fn value<T: ToString>(value: Option<T>, text: impl FnOnce(&T) -> String) -> Self {
        match value {
            Some(value) => Self { text: text(&value), value: value.to_string(), class: None },
            None => Self { text: "\u{2013}".into(), ..Self::default() },
        }
    }

    /// The same, marked.
    pub(super) fn marked(self, class: Option<&'static str>) -> Self {
        Self { class, ..self }
    }
}

/// A table.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// What it shows, and how to read it.
    pub(super) caption: String,
    pub(super) columns: Vec<Column>,
    /// The first cell of a row is its head.
    pub(super) rows: Vec<Vec<Cell>>,
}

impl Table {
    /// As a table of the page that scrolls sideways where it is too wide.
    pub(super) fn html(&self) -> Markup {
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

    /// As CSV (RFC 4180), with a head.
    pub(super) fn csv(&self) -> Result<String, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(self.columns.iter().map(|column| column.field))?;
        for row in &self.rows {
            writer.write_record(row.iter().map(|cell| cell.value.as_str()))?;
        }
        let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A link that saves the CSV from the page itself.
    pub(super) fn download(&self, file: &str) -> Result<Markup, csv::Error> {
        let csv = self.csv()?;
        let data = utf8_percent_encode(&csv, NON_ALPHANUMERIC);
        let address = format!("data:text/csv;charset=utf-8,{data}");
        Ok(html! { a.download href=(address) download=(file) { "Download " (file) } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table {
            caption: "a <caption>".into(),
            columns: vec![words("who", "who"), numbers("ms", "time_ms")],
            rows: vec![
                vec![Cell::words("a, \"b\""), Cell::value(Some(1.25), |v| format!("{v} ms"))],
                vec![Cell::words("c"), Cell::value(None::<f64>, |_| unreachable!())],
            ],
        }
    }

    #[test]
    fn csv_quotes_what_has_commas_and_leaves_missing_values_empty() {
        assert_eq!(table().csv().expect("CSV"), "who,time_ms\n\"a, \"\"b\"\"\",1.25\nc,\n");
    }

    #[test]
    fn html_has_scopes_a_caption_and_escapes() {
        let text = table().html().into_string();
        for part in
            ["a &lt;caption&gt;", r#"<th class="n" scope="col">ms"#, r#"<th scope="row">c</th>"#, "1.25 ms"]
        {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn a_download_is_part_of_the_page() {
        let text = table().download("x.csv").expect("a link").into_string();
        assert!(text.contains("href=\"data:text/csv;charset=utf-8,who%2Ctime%5Fms%0A"), "{text}");
    }
}
