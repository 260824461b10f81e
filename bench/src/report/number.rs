//! Numbers as the page writes them.

use cloth_show::report;

/// Three significant digits.
pub(super) fn human(value: f64) -> String {
    report::human(value.into(), 1.0)
}

/// A part of one as a percentage.
pub(super) fn percent(value: f64) -> String {
    format!("{} %", report::human(value.into(), 100.0))
}

/// With thousands apart.
pub(super) fn count(n: u64) -> String {
    report::count(n)
}

/// A count with what is counted: `1 row`, `2 rows`.
pub(super) fn counted(n: usize, what: &str) -> String {
    format!("{} {what}{}", count(n as u64), if n == 1 { "" } else { "s" })
}

/// Bytes in MiB.
pub(super) fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", human(bytes as f64 / (1024.0 * 1024.0)))
}

/// A count in millions.
pub(super) fn millions(n: f64) -> String {
    format!("{} M", human(n / 1e6))
}

/// A name as a part of an address or of a file: ASCII letters, digits and hyphens.
pub(super) fn slug(name: &str) -> String {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!((percent(0.0123), mebibytes(3 << 20)), ("1.23 %".into(), "3.00 MiB".into()));
        assert_eq!((counted(1, "row"), counted(2000, "row")), ("1 row".into(), "2,000 rows".into()));
        assert_eq!(slug("edges of a sheet (64\u{d7}64)"), "edges-of-a-sheet-64-64");
    }
}
