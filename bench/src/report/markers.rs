//! Which contender has which marker: the same in all charts, this project's contenders first.

use crate::schema::BenchReport;

/// Markers by contender.
pub(super) struct Markers(Vec<String>);

impl Markers {
    /// For all contenders of the scenes of a report.
    pub(super) fn new(report: &BenchReport) -> Self {
        let mut ids = Vec::new();
        for own in [true, false] {
            for result in report.scenes.iter().filter(|r| r.contender.own == own) {
                if !ids.contains(&result.contender.id) {
                    ids.push(result.contender.id.clone());
                }
            }
        }
        Self(ids)
    }

    /// The number of the marker of a contender; a contender that is in no scene gets the last.
    pub(super) fn of(&self, id: &str) -> usize {
        self.0.iter().position(|known| known == id).unwrap_or(self.0.len())
    }
}
