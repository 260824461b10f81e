//! Sparse symmetric matrices of 3 x 3 blocks: the structure is built once, the blocks are refilled in each
//! step.

use cloth_geom::sorted_unique;
use nalgebra::{Matrix3, Vector3, Vector4};

/// A vector of space with a fourth coordinate of zero, so that an instruction works on all of it.
pub type PackedF64 = Vector4<f64>;

/// A vector, packed.
#[inline]
#[must_use]
pub fn packed(v: &Vector3<f64>) -> PackedF64 {
    PackedF64::new(v.x, v.y, v.z, 0.0)
}

/// The vector that is packed.
#[inline]
#[must_use]
pub fn vector(p: &PackedF64) -> Vector3<f64> {
    Vector3::new(p.x, p.y, p.z)
}

/// The sum of the coordinates, in a fixed order.
#[inline]
pub(crate) fn sum(p: &PackedF64) -> f64 {
    (p.x + p.y) + (p.z + p.w)
}

/// The scalar product. Summed in a fixed order: the same bits on any number of threads.
pub(crate) fn dot(a: &[PackedF64], b: &[PackedF64]) -> f64 {
    sum(&a.iter().zip(b).fold(PackedF64::zeros(), |sum, (a, b)| sum + a.component_mul(b)))
}

/// A block by columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Block(pub(crate) [PackedF64; 3]);

impl Block {
    pub(crate) const ZERO: Self = Self([PackedF64::new(0.0, 0.0, 0.0, 0.0); 3]);

    #[inline]
    fn add(&mut self, matrix: &Matrix3<f64>) {
        for (column, k) in self.0.iter_mut().zip(0..) {
            *column += PackedF64::new(matrix[(0, k)], matrix[(1, k)], matrix[(2, k)], 0.0);
        }
    }

    #[inline]
    pub(crate) fn times(&self, x: &PackedF64) -> PackedF64 {
        self.0[0] * x.x + self.0[1] * x.y + self.0[2] * x.z
    }

    /// The product of its transpose.
    #[inline]
    pub(crate) fn transposed_times(&self, x: &PackedF64) -> PackedF64 {
        let dot = |c: &PackedF64| (c.x * x.x + c.y * x.y) + c.z * x.z;
        PackedF64::new(dot(&self.0[0]), dot(&self.0[1]), dot(&self.0[2]), 0.0)
    }

    /// Subtracts `B^T S B` for a symmetric `S`.
    pub(crate) fn subtract_congruent(&mut self, s: &Self, b: &Self) {
        for (column, b_column) in self.0.iter_mut().zip(&b.0) {
            *column -= b.transposed_times(&s.times(b_column));
        }
    }

    /// Whether a symmetric block exceeds a share of another, in the order of positive definite matrices.
    pub(crate) fn exceeds(&self, other: &Self, share: f64) -> bool {
        Self([0, 1, 2].map(|k| self.0[k] - other.0[k] * share)).inverse().is_some()
    }

    /// The inverse of a symmetric block; none if it is not positive definite.
    pub(crate) fn inverse(&self) -> Option<Self> {
        let [a, b, c] = [vector(&self.0[0]), vector(&self.0[1]), vector(&self.0[2])];
        let rows = [b.cross(&c), c.cross(&a), a.cross(&b)];
        let det = a.dot(&rows[0]);
        // The leading minors (Sylvester's criterion).
        if !(a.x > 0.0 && rows[2].z > 0.0 && det > 0.0 && det.is_finite()) {
            return None;
        }
        let column = |k: usize| PackedF64::new(rows[0][k], rows[1][k], rows[2][k], 0.0) / det;
        Some(Self([column(0), column(1), column(2)]))
    }
}

/// A sparse symmetric matrix with a block for each pair of vertices that share an element: those on the
/// diagonal, and those to the right of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockMatrix {
    /// Where the blocks of each row begin, and where the last ends.
    starts: Vec<u32>,
    /// Column of each block, ascending in a row, beyond the diagonal.
    columns: Vec<u32>,
    diagonal: Vec<Block>,
    upper: Vec<Block>,
}

/// The pairs of corners whose blocks an element has beyond the diagonal.
pub(crate) const PAIRS: [[usize; 2]; 3] = [[0, 1], [0, 2], [1, 2]];

impl BlockMatrix {
    /// A zero matrix with these elements, each with ascending vertices.
    pub(crate) fn new(vertices: usize, elements: impl Iterator<Item = [u32; 3]>) -> Self {
        let pairs =
            sorted_unique(elements.flat_map(|v| PAIRS.map(|[k, l]| (v[k].min(v[l]), v[k].max(v[l])))));
        let mut starts = vec![0; vertices + 1];
        pairs.iter().for_each(|&(row, _)| starts[row as usize + 1] += 1);
        (0..vertices).for_each(|row| starts[row + 1] += starts[row]);
        Self {
            starts,
            diagonal: vec![Block::ZERO; vertices],
            upper: vec![Block::ZERO; pairs.len()],
            columns: pairs.into_iter().map(|(_, column)| column).collect(),
        }
    }

    /// The places of the blocks of the [`PAIRS`] of an element with ascending vertices, for
    /// [`BlockMatrix::add`].
    pub(crate) fn places(&self, v: [u32; 3]) -> [u32; 3] {
        PAIRS.map(|[k, l]| {
            let (first, end) = (self.starts[v[k] as usize] as usize, self.starts[v[k] as usize + 1] as usize);
            let place = self.columns[first..end].binary_search(&v[l]).unwrap_or_default();
            (first + place) as u32
        })
    }

    /// Makes it a diagonal matrix.
    pub(crate) fn set_diagonal(&mut self, entries: impl Iterator<Item = f64>) {
        self.upper.fill(Block::ZERO);
        for (entry, block) in entries.zip(&mut self.diagonal) {
            *block = Block::ZERO;
            (block.0[0].x, block.0[1].y, block.0[2].z) = (entry, entry, entry);
        }
    }

    /// Adds the blocks of an element with ascending vertices.
    #[inline]
    pub(crate) fn add(&mut self, v: &[u32; 3], places: &[u32; 3], blocks: &[[Matrix3<f64>; 3]; 3]) {
        (0..3).for_each(|k| self.diagonal[v[k] as usize].add(&blocks[k][k]));
        for (&place, [k, l]) in places.iter().zip(PAIRS) {
            self.upper[place as usize].add(&blocks[k][l]);
        }
    }

    /// The block on the diagonal of a row.
    #[inline]
    pub(crate) fn diagonal(&self, row: usize) -> &Block {
        &self.diagonal[row]
    }

    /// The blocks of a row beyond the diagonal, with their columns.
    #[inline]
    pub(crate) fn beyond(&self, row: usize) -> impl Iterator<Item = (usize, &Block)> {
        let run = self.starts[row] as usize..self.starts[row + 1] as usize;
        self.columns[run.clone()].iter().map(|&column| column as usize).zip(&self.upper[run])
    }

    /// The product with a vector.
    pub(crate) fn multiply(&self, x: &[PackedF64], out: &mut [PackedF64]) {
        out.fill(PackedF64::zeros());
        for (row, own) in x.iter().enumerate() {
            let mut sum = out[row] + self.diagonal[row].times(own);
            for (column, block) in self.beyond(row) {
                sum += block.times(&x[column]);
                out[column] += block.transposed_times(own);
            }
            out[row] = sum;
        }
    }

    /// The matrix as rows of numbers.
    #[cfg(test)]
    pub(crate) fn to_dense(&self) -> nalgebra::DMatrix<f64> {
        let count = 3 * self.diagonal.len();
        let mut dense = nalgebra::DMatrix::zeros(count, count);
        for row in 0..self.diagonal.len() {
            for (i, j) in (0..9).map(|n| (n / 3, n % 3)) {
                dense[(3 * row + i, 3 * row + j)] = self.diagonal[row].0[j][i];
                for (column, block) in self.beyond(row) {
                    dense[(3 * row + i, 3 * column + j)] = block.0[j][i];
                    dense[(3 * column + j, 3 * row + i)] = block.0[j][i];
                }
            }
        }
        dense
    }
}
