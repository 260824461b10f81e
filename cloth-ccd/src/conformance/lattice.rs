//! Vectors of whole numbers, in which a contact is exact by construction.

/// A point or a vector of a lattice; below 2^53 it is exactly one of `f64`.
pub(super) type Lattice = [i64; 3];

/// The combination of vectors with whole weights.
pub(super) fn combine<const N: usize>(terms: [(i64, Lattice); N]) -> Lattice {
    [0, 1, 2].map(|k| terms.iter().map(|(weight, v)| weight * v[k]).sum())
}

pub(super) fn minus(a: Lattice, b: Lattice) -> Lattice {
    combine([(1, a), (-1, b)])
}

pub(super) fn cross(a: Lattice, b: Lattice) -> Lattice {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn dot(a: Lattice, b: Lattice) -> i64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

/// The shortest whole vector of the same direction; the zero vector for itself.
pub(super) fn reduced(v: Lattice) -> Lattice {
    let divisor = v.iter().fold(0, |a, &b| gcd(a, b.abs()));
    if divisor == 0 { v } else { v.map(|c| c / divisor) }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cross_product_is_upright_and_can_be_reduced() {
        let (a, b) = ([2, -4, 6], [3, 3, 0]);
        assert_eq!((dot(cross(a, b), a), dot(cross(a, b), b)), (0, 0));
        assert_eq!(reduced(cross(a, b)), [-1, 1, 1]);
        assert_eq!(reduced([0; 3]), [0; 3]);
    }
}
