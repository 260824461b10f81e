//! Sparse symmetric matrices of 3 x 3 blocks: the structure is built once, the blocks are refilled in each step.

use nalgebra::{Matrix3, Vector3, Vector4};

/// A vector of space with a fourth coordinate of zero, so that an instruction works on all of it.
pub type Packed = Vector4<f64>;

/// A vector, packed.
#[inline]
#[must_use]
pub fn packed(v: &Vector3<f64>) -> Packed {
    Packed::new(v.x, v.y, v.z, 0.0)
}

/// The vector that is packed.
#[inline]
#[must_use]
pub fn vector(p: &Packed) -> Vector3<f64> {
    Vector3::new(p.x, p.y, p.z)
}

/// A block by columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Block(pub(crate) [Packed; 3]);

impl Block {
    pub(crate) const ZERO: Self = Self([Packed::new(0.0, 0.0, 0.0, 0.0); 3]);

    #[inline]
    fn add(&mut self, matrix: &Matrix3<f64>) {
        for (column, k) in self.0.iter_mut().zip(0..) {
            *column += Packed::new(matrix[(0, k)], matrix[(1, k)], matrix[(2, k)], 0.0);
        }
    }

    #[inline]
    pub(crate) fn times(&self, x: &Packed) -> Packed {
        self.0[0] * x.x + self.0[1] * x.y + self.0[2] * x.z
    }

    /// The inverse; zero for a matrix that is not positive definite.
    pub(crate) fn inverse(&self) -> Self {
        let [a, b, c] = [vector(&self.0[0]), vector(&self.0[1]), vector(&self.0[2])];
        let rows = [b.cross(&c), c.cross(&a), a.cross(&b)];
        let det = a.dot(&rows[0]);
        if !(det > 0.0 && det.is_finite()) {
            return Self::ZERO;
        }
        let column = |k: usize| Packed::new(rows[0][k], rows[1][k], rows[2][k], 0.0) / det;
        Self([column(0), column(1), column(2)])
    }
}

/// A sparse matrix with a block for each pair of vertices that share an element.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockMatrix {
    /// Where the blocks of each row begin, and where the last ends.
    starts: Vec<u32>,
    /// Column of each block, ascending in a row.
    columns: Vec<u32>,
    /// The block on the diagonal of each row.
    diagonal: Vec<u32>,
    blocks: Vec<Block>,
}

/// Rows of a product that are computed as one task.
const ROWS: usize = 512;

impl BlockMatrix {
    /// A zero matrix with these elements.
    pub(crate) fn new(vertices: usize, elements: impl Iterator<Item = [u32; 3]>) -> Self {
        let mut pairs: Vec<(u32, u32)> = (0..vertices as u32).map(|v| (v, v)).collect();
        pairs.extend(elements.flat_map(|v| {
            [(0, 1), (1, 2), (2, 0)].into_iter().flat_map(move |(k, l)| [(v[k], v[l]), (v[l], v[k])])
        }));
        pairs.sort_unstable();
        pairs.dedup();
        let mut matrix = Self { starts: vec![0], ..Self::default() };
        for (row, column) in pairs {
            if row == column {
                matrix.diagonal.push(matrix.columns.len() as u32);
            }
            matrix.columns.push(column);
            if matrix.starts.len() <= row as usize + 1 {
                matrix.starts.push(0);
            }
            matrix.starts[row as usize + 1] = matrix.columns.len() as u32;
        }
        matrix.blocks = vec![Block::ZERO; matrix.columns.len()];
        matrix
    }

    /// The places of the blocks of an element, for [`BlockMatrix::add`].
    pub(crate) fn places(&self, v: [u32; 3]) -> [[u32; 3]; 3] {
        v.map(|row| {
            let (first, end) = (self.starts[row as usize] as usize, self.starts[row as usize + 1] as usize);
            v.map(|column| {
                let place = self.columns[first..end].binary_search(&column).unwrap_or_default();
                (first + place) as u32
            })
        })
    }

    /// Makes it a diagonal matrix.
    pub(crate) fn set_diagonal(&mut self, entries: impl Iterator<Item = f64>) {
        self.blocks.fill(Block::ZERO);
        for (entry, &place) in entries.zip(&self.diagonal) {
            let block = &mut self.blocks[place as usize];
            (block.0[0].x, block.0[1].y, block.0[2].z) = (entry, entry, entry);
        }
    }

    /// Adds the blocks of an element.
    #[inline]
    pub(crate) fn add(&mut self, places: &[[u32; 3]; 3], blocks: &[[Matrix3<f64>; 3]; 3]) {
        for (places, blocks) in places.iter().zip(blocks) {
            for (&place, block) in places.iter().zip(blocks) {
                self.blocks[place as usize].add(block);
            }
        }
    }

    /// The block on the diagonal of a row.
    pub(crate) fn diagonal(&self, row: usize) -> &Block {
        &self.blocks[self.diagonal[row] as usize]
    }

    /// The product with a vector; rows that are not `wanted` are zero. Each row is summed by itself, in the order of its columns.
    pub(crate) fn multiply(&self, x: &[Packed], wanted: &[bool], out: &mut [Packed]) {
        super::blocks::for_each(out, ROWS, |first, rows| {
            for (row, out) in (first..).zip(rows) {
                *out = if wanted[row] { self.row_times(row, x) } else { Packed::zeros() };
            }
        });
    }

    #[inline]
    fn row_times(&self, row: usize, x: &[Packed]) -> Packed {
        let run = self.starts[row] as usize..self.starts[row + 1] as usize;
        let (columns, blocks) = (&self.columns[run.clone()], &self.blocks[run]);
        columns
            .iter()
            .zip(blocks)
            .fold(Packed::zeros(), |sum, (&column, block)| sum + block.times(&x[column as usize]))
    }

    /// The matrix as rows of numbers.
    #[cfg(test)]
    pub(crate) fn to_dense(&self) -> nalgebra::DMatrix<f64> {
        let count = 3 * self.diagonal.len();
        let mut dense = nalgebra::DMatrix::zeros(count, count);
        for row in 0..self.diagonal.len() {
            for place in self.starts[row] as usize..self.starts[row + 1] as usize {
                for (i, j) in (0..9).map(|n| (n / 3, n % 3)) {
                    let column = 3 * self.columns[place] as usize;
                    dense[(3 * row + i, column + j)] = self.blocks[place].0[j][i];
                }
            }
        }
        dense
    }
}
