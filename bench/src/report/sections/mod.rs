//! The parts of the page, one file each: what is shown of a list of the report, and in which order.

mod broad_phases;
mod ccd;
mod growth;
mod head;
mod history;
mod kernels;
mod ranking;
mod scene_table;
mod stages;

use cloth_measure::table::Table;
use maud::{Markup, html};

use crate::schema::BenchReport;

pub(super) use broad_phases::broad_phases;
pub(super) use ccd::ccd;
pub(super) use growth::growth;
pub(super) use head::head;
pub(super) use history::history;
pub(super) use kernels::kernels;
pub(super) use ranking::ranking;
pub(super) use scene_table::scene_table;
pub(super) use stages::stages;

/// A table, and a chart of it.
pub(super) struct Block {
    pub(super) title: String,
    pub(super) table: Table,
    pub(super) chart: Markup,
}

impl Block {
    /// Blocks below each other, in each the chart beside its table.
    pub(super) fn html(blocks: &[Self]) -> Markup {
        html! { @for block in blocks { div.beside { (block.table.html()) (block.chart) } } }
    }
}

/// Which contender has which marker: the same in all charts, this project's contenders first.
pub(super) struct Markers(Vec<String>);

impl Markers {
    /// For all contenders of the scenes of a report.
    pub(super) fn new(report: &BenchReport) -> Self {
        let own_first = [true, false].map(|own| report.scenes.iter().filter(move |r| r.contender.own == own));
        let ids: Vec<String> = own_first.into_iter().flatten().map(|r| r.contender.id.clone()).collect();
        Self(distinct(&ids, Clone::clone))
    }

    /// The number of the marker of a contender; a contender that is in no scene gets the last.
    fn marker(&self, id: &str) -> usize {
        self.0.iter().position(|known| known == id).unwrap_or(self.0.len())
    }
}

/// The values of a list without repetition, in the order in which they come.
pub(super) fn distinct<'a, T, K: PartialEq>(items: &'a [T], key: impl Fn(&'a T) -> K) -> Vec<K> {
    let mut found = Vec::new();
    for item in items {
        let key = key(item);
        if !found.contains(&key) {
            found.push(key);
        }
    }
    found
}
