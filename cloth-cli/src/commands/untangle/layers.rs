//! `--layers`: which garments are named, and which order would leave less.

use std::path::Path;

use cloth_io::FileError;
use cloth_solver::Untangled;

use super::Outfit;
use cloth_show::program::interrupt::INTERRUPT;

/// Simulated time (s) in which an order is tried: the steps of an attempt.
const TRIAL: f32 = 0.5;

/// The layer of each garment, by its place in `--layers`.
pub(super) fn by_garment(names: &[String], garments: &[[&Path; 2]]) -> Result<Vec<Option<u16>>, FileError> {
    let mut layers = vec![None; garments.len()];
    for (layer, name) in (0..).zip(names) {
        let refuse = |text: String| Err(FileError::new(garments[0][0], format!("--layers: {text}")));
        let called = |input: &Path| {
            let is_it = |part: Option<&std::ffi::OsStr>| part.is_some_and(|part| part == name.as_str());
            input == Path::new(name) || is_it(input.file_name()) || is_it(input.file_stem())
        };
        let found: Vec<usize> = (0..garments.len()).filter(|&g| called(garments[g][0])).collect();
        match found[..] {
            [garment] if layers[garment].is_some() => return refuse(format!("`{name}` is named twice")),
            [garment] => layers[garment] = Some(layer),
            [] => {
                let known: Vec<_> = garments.iter().map(|[input, _]| input.display().to_string()).collect();
                return refuse(format!("`{name}` is none of {}", known.join(", ")));
            }
            _ => return refuse(format!("`{name}` is {} garments; name their files", found.len())),
        }
    }
    if names.len() == 1 {
        return Err(FileError::new(garments[0][0], "--layers: an order needs two garments or more"));
    }
    Ok(layers)
}

/// An order that has been tried.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub(super) struct TriedOrder {
    /// The garments from inside to outside, as `--layers` has them.
    layers: Vec<String>,
    /// Intersections after half a second with it.
    after: usize,
}

impl TriedOrder {
    pub(super) fn in_words(&self) -> String {
        format!(
            "--layers {} leaves {}",
            self.layers.join(","),
            cloth_show::program::console::counted(self.after, "intersection")
        )
    }
}

impl Outfit {
    /// The order of the garments that leaves the fewest intersections, with the least strain, if it leaves
    /// fewer than were found without one. Where they lie on each other's sides proposes it; it is judged by the untangling itself.
    pub(super) fn better_order(&self, found: &Untangled) -> Option<TriedOrder> {
        let count = self.garments.len();
        if !self.args.layers.is_empty()
            || found.after_by_parts.cloth_with_cloth == 0
            || INTERRUPT.is_requested()
        {
            return None;
        }
        let numbered = |order: &[usize]| {
            let mut layers = vec![None; count];
            (0..).zip(order).for_each(|(layer, &garment)| layers[garment] = Some(layer));
            layers
        };
        let first: Vec<usize> = (0..count).collect();
        // How often each garment is outside of others, less how often inside.
        let mut outside = vec![0isize; count];
        for sides in self.run(&numbered(&first), 0.0, |_| {}).ok()?.layer_sides {
            let sign = if sides.wrong > sides.right { -1 } else { 1 };
            outside[sides.inner] -= sign;
            outside[sides.outer] += sign;
        }
        let mut order = first;
        order.sort_by_key(|&garment| outside[garment]);
        let reversed = order.iter().rev().copied().collect();
        let tried = [order, reversed].into_iter().filter_map(|order: Vec<usize>| {
            let tried = self.run(&numbered(&order), TRIAL, |_| {}).ok()?;
            Some((tried.after, tried.after_strain.p99, order))
        });
        let fewer = tried.min_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let (after, _, order) = fewer.filter(|&(after, ..)| after < found.after)?;
        let names = order.iter().map(|&garment| self.garments[garment].input.display().to_string());
        Some(TriedOrder { layers: names.collect(), after }).filter(|_| !INTERRUPT.is_requested())
    }
}
