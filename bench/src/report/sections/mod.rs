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

pub(super) use broad_phases::broad_phases;
pub(super) use ccd::ccd;
pub(super) use growth::growth;
pub(super) use head::head;
pub(super) use history::history;
pub(super) use kernels::kernels;
pub(super) use ranking::ranking;
pub(super) use stages::stages;

/// The values of a list without repetition, in the order in which they come.
fn distinct<'a, T, K: PartialEq>(items: &'a [T], key: impl Fn(&'a T) -> K) -> Vec<K> {
    let mut found = Vec::new();
    for item in items {
        let key = key(item);
        if !found.contains(&key) {
            found.push(key);
        }
    }
    found
}
