//! The thickness of a garment whose user gave none.
//!
//! Half the shortest rest edge is the most that neighbours leave room for. But one sliver in a scanned garment would
//! make all of it a hundred times too thin, and thin cloth needs small steps. So where the shortest edge is far below
//! the shortest hundredth, that hundredth counts; the few pairs that rest nearer than the contact distance keep their
//! rest distance.

use cloth_verify::invariants::MeasuredEdge;

/// The part of the thickness that is static collision radius, unless the user says otherwise.
pub(super) const SCR_SHARE: f64 = 0.4;

/// A shortest edge below this part of the first percentile is taken for a sliver's.
const SLIVER: f64 = 0.5;

/// The default thickness (m), and why.
pub(super) fn default_of(edges: &[MeasuredEdge]) -> (f64, String) {
    let mut lengths: Vec<f64> = edges.iter().map(|e| e.rest).collect();
    lengths.sort_by(f64::total_cmp);
    // By nearest rank; a mesh has edges, or it was refused.
    let rank = lengths.len().div_ceil(100).saturating_sub(1);
    let (shortest, percentile) =
        (lengths.first().copied().unwrap_or(1.0), lengths.get(rank).copied().unwrap_or(1.0));
    if shortest >= SLIVER * percentile {
        return (0.5 * shortest, "half the shortest rest edge".to_owned());
    }
    let why = format!(
        "half the 1st percentile of rest edges; the shortest, {:.3} mm, is far below it, and pairs that rest nearer \
         keep their rest distance",
        1e3 * shortest
    );
    (0.5 * percentile, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thickness_m(lengths: &[f64]) -> f64 {
        let edges: Vec<_> = lengths.iter().map(|&rest| MeasuredEdge { ends: [0, 1], rest }).collect();
        default_of(&edges).0
    }

    #[test]
    fn is_half_the_shortest_edge_of_an_even_mesh() {
        assert_eq!(thickness_m(&[0.02, 0.012, 0.03]), 0.006);
    }

    #[test]
    fn does_not_follow_one_sliver() {
        let mut lengths = vec![0.02; 300];
        lengths[7] = 1e-5;
        assert_eq!(thickness_m(&lengths), 0.01);
        lengths[..10].fill(1e-5);
        assert_eq!(thickness_m(&lengths), 0.5e-5);
    }
}
