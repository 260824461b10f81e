//! How much work a state is before it is judged: pairs of faces whose boxes overlap, each of which may need
//! an exact answer.
//!
//! Cloth has a few dozen a face. Where thousands of faces lie in one place, their pairs grow with the square:
//! a second for a million of them, and as many answers to keep. Such a state is announced, or refused.

use cloth_broadphase::{BlockTree, Boxes, BroadPhase, PairFilter, Sweep};
use cloth_show::check::PreparedMesh;
use cloth_show::program::console::{self, count};
use nalgebra::Point3;

/// So many pairs take about ten seconds: they are announced. Meshes that cannot have as many are not counted.
const LONG: usize = 10_000_000;

/// Up to so many faces, pairs are counted; beyond, those of a sample of faces are, and stand for all.
const COUNTED: usize = 20_000;
const SAMPLE: usize = 1000;

/// Refuses a state of more pairs than `max_pairs`, and says so of one that takes long. The error is a
/// sentence.
pub(in crate::commands) fn check_effort(
    path: &std::path::Path,
    positions: &[Point3<f64>],
    sound: &PreparedMesh,
    max_pairs: u64,
) -> Result<(), String> {
    let faces = sound.topology.faces();
    let most = faces.len() * faces.len().saturating_sub(1) / 2;
    if most <= LONG && most as u64 <= max_pairs {
        return Ok(());
    }
    // Boxes that are no boxes are for the check to refuse.
    let Ok(boxes) = Boxes::try_from_iter(Sweep::at_rest(positions).faces(faces)) else { return Ok(()) };
    let (pairs, about) = overlapping_pairs(&boxes);
    if pairs as u64 > max_pairs {
        return Err(format!(
            "has {about}{} pairs of triangles with overlapping boxes, more than {}; remove triangles that \
             lie in one place, or raise --max-pairs",
            count(pairs),
            count(max_pairs as usize)
        ));
    }
    if pairs > LONG {
        let text = "pairs of triangles have overlapping boxes: this takes about a second for each million";
        console::error(format!("{}: {about}{} {text}", path.display(), count(pairs)));
    }
    Ok(())
}

/// How many pairs of boxes overlap, and the word `about ` where that is estimated.
fn overlapping_pairs(boxes: &Boxes) -> (usize, &'static str) {
    let mut tree = BlockTree::default();
    tree.update(boxes);
    let mut pairs = 0;
    if boxes.len() <= COUNTED {
        tree.visit_self_pairs(&PairFilter::all(), &mut |_, _| pairs += 1);
        return (pairs, "");
    }
    let sampled = boxes.as_slice().iter().step_by(boxes.len() / SAMPLE).copied();
    let Ok(sample) = Boxes::try_from_iter(sampled) else { return (0, "") };
    tree.visit_pairs_with(&sample, &PairFilter::all(), &mut |_, _| pairs += 1);
    // Each meets itself; each pair has two faces that could have been drawn.
    let others = (pairs - sample.len()) as f64 / sample.len() as f64;
    ((0.5 * others * boxes.len() as f64) as usize, "about ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::Aabb;

    fn boxes(n: usize, distance: f64) -> Boxes {
        let at = |i: usize| Point3::new(i as f64 * distance, 0.0, 0.0);
        let all = (0..n).map(|i| Aabb { min: at(i), max: at(i) + nalgebra::Vector3::repeat(1.0) });
        Boxes::try_from_iter(all).unwrap()
    }

    #[test]
    fn counts_pairs_or_estimates_them() {
        assert_eq!(overlapping_pairs(&boxes(100, 0.0)), (4950, ""));
        assert_eq!(overlapping_pairs(&boxes(100, 3.0)), (0, ""));
        let (all, about) = overlapping_pairs(&boxes(30_000, 0.0));
        assert_eq!((all, about), (30_000 * 29_999 / 2, "about "));
        // Each overlaps ten on either side.
        let (few, _) = overlapping_pairs(&boxes(30_000, 0.099));
        assert!((290_000..=310_000).contains(&few), "{few}");
    }
}
