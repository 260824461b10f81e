//! The thickness of a garment whose user gave none: that of the library, with the reason in words.

use cloth_solver::Thickness;

use crate::MeasuredEdge;

/// The part of the thickness that is static collision radius, unless the user says otherwise.
pub(crate) const SCR_SHARE: f64 = 0.4;

/// The default thickness (m), and why.
pub(crate) fn default_of(edges: &[MeasuredEdge]) -> (f64, String) {
    let total = f64::from(Thickness::for_edge_lengths(edges.iter().map(|edge| edge.rest)).total());
    let shortest = edges.iter().map(|edge| edge.rest).fold(f64::INFINITY, f64::min);
    // Half the shortest edge is shorter than that edge.
    if total <= shortest {
        return (total, "half the shortest rest edge".to_owned());
    }
    let why = format!(
        "half the 1st percentile of rest edges; the shortest, {:.3} mm, is far below it, and pairs that rest \
         nearer keep their rest distance",
        1e3 * shortest
    );
    (total, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn default_of_lengths(lengths: &[f64]) -> (f64, String) {
        let edges: Vec<_> = lengths.iter().map(|&rest| MeasuredEdge { ends: [0, 1], rest }).collect();
        default_of(&edges)
    }

    #[test]
    fn names_the_edges_that_decided() {
        let (even, why) = default_of_lengths(&[0.02, 0.012, 0.03]);
        assert!((even - 0.006).abs() < 1e-9 && why.contains("shortest rest edge"), "{even}: {why}");
        let mut lengths = vec![0.02; 300];
        lengths[7] = 1e-5;
        let (with_sliver, why) = default_of_lengths(&lengths);
        assert!((with_sliver - 0.01).abs() < 1e-9 && why.contains("0.010 mm"), "{with_sliver}: {why}");
        lengths[..10].fill(1e-5);
        assert!((default_of_lengths(&lengths).0 - 0.5e-5).abs() < 1e-11);
    }
}
