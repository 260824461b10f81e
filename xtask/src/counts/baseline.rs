//! The committed counts, by toolchain and instruction set.

use std::collections::BTreeMap;
use std::path::Path;

use super::Counts;

/// From the root of the repository.
pub(super) const PATH: &str = "tools/counts/baseline.json";

/// Largest growth that is not reported, as a share of the old count. A rerun differs by far less; another
/// folder or another order of code generation can move a little.
const TOLERANCE: f64 = 0.02;

/// Counts by toolchain and instruction set.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Baseline(BTreeMap<String, Counts>);

/// A workload now, and before if it is known.
#[derive(Debug, PartialEq)]
pub(super) struct Change {
    pub(super) name: String,
    pub(super) old: Option<u64>,
    pub(super) new: u64,
}

impl Change {
    fn ratio(&self) -> Option<f64> {
        Some(self.new as f64 / self.old? as f64)
    }

    /// Whether it takes more than the tolerance allows.
    pub(super) fn has_grown(&self) -> bool {
        self.ratio().is_some_and(|ratio| ratio > 1.0 + TOLERANCE)
    }

    pub(super) fn has_shrunk(&self) -> bool {
        self.ratio().is_some_and(|ratio| ratio < 1.0 - TOLERANCE)
    }

    /// Name, counts and ratio.
    pub(super) fn line(&self) -> String {
        let old = self.old.map_or("-".to_owned(), |count| count.to_string());
        let ratio = self.ratio().map_or("-".to_owned(), |ratio| format!("{ratio:.4}"));
        format!("{:40} {:>14} {:>14} {ratio:>8}\n", self.name, old, self.new)
    }
}

impl Baseline {
    /// Reads the file; empty if there is none.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let json: BTreeMap<String, Counts> = serde_json::from_str(&text)
            .map_err(|e| format!("{}: {e}; it holds counts by toolchain and workload", path.display()))?;
        Ok(Self(json))
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), String> {
        let text = serde_json::to_string_pretty(&self.0).map_err(|e| e.to_string())?;
        std::fs::write(path, text + "\n").map_err(|e| format!("{}: {e}", path.display()))
    }

    /// Replaces the counts of a toolchain; if they are of some workloads only, the others stay.
    pub(super) fn update(&mut self, key: &str, counts: Counts, is_selective: bool) {
        let entry = self.0.entry(key.to_owned()).or_default();
        if !is_selective {
            entry.clear();
        }
        entry.extend(counts);
    }

    /// Each workload that was counted now; `None` without counts of this toolchain.
    pub(super) fn changes(&self, key: &str, new: &Counts) -> Option<Vec<Change>> {
        let old = self.0.get(key)?;
        let change =
            |(name, &new): (&String, &u64)| Change { name: name.clone(), old: old.get(name).copied(), new };
        Some(new.iter().map(change).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(all: &[(&str, u64)]) -> Counts {
        all.iter().map(|&(name, count)| (name.to_owned(), count)).collect()
    }

    #[test]
    fn other_toolchains_stay_when_one_is_updated() {
        let mut baseline = Baseline::default();
        baseline.update("a", counts(&[("x", 1), ("y", 2)]), false);
        baseline.update("b", counts(&[("x", 3)]), false);
        baseline.update("b", counts(&[("z", 4)]), true);
        assert_eq!(baseline.0["b"], counts(&[("x", 3), ("z", 4)]));
        baseline.update("b", counts(&[("x", 5)]), false);
        assert_eq!(
            (&baseline.0["a"], &baseline.0["b"]),
            (&counts(&[("x", 1), ("y", 2)]), &counts(&[("x", 5)]))
        );
    }

    #[test]
    fn a_file_is_read_as_it_was_written_and_nonsense_is_named() {
        let path = std::env::temp_dir().join(format!("cloth-counts-{}.json", std::process::id()));
        let mut baseline = Baseline::default();
        baseline.update("rustc 1, sse2", counts(&[("x", 1)]), false);
        baseline.write(&path).unwrap();
        assert_eq!(Baseline::read(&path).unwrap(), baseline);
        std::fs::write(&path, "[]").unwrap();
        assert!(Baseline::read(&path).unwrap_err().contains("counts by toolchain"));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(Baseline::read(&path).unwrap(), Baseline::default());
    }

    #[test]
    fn no_toolchain_no_comparison() {
        let mut baseline = Baseline::default();
        baseline.update("a", counts(&[("x", 100)]), false);
        assert_eq!(baseline.changes("b", &counts(&[("x", 1)])), None);
        let changes = baseline.changes("a", &counts(&[("x", 103), ("y", 1)])).unwrap();
        assert!(changes[0].has_grown() && !changes[1].has_grown());
        assert!(changes[0].line().contains("1.0300"));
    }
}
