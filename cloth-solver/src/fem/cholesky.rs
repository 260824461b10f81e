//! Sparse Cholesky decomposition by faer, the alternative to conjugate gradients.
//!
//! Sequential, in the order of approximate minimum degree; the order and the structure of the factor are
//! computed once. faer chooses its kernels by the processor at run time, and they may fuse multiplications
//! and additions: **solutions are outside the bitwise promise across machines.** Allocates working memory in
//! each solve.

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::cholesky::{SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

use super::conjugate_gradients::{SolveReport, Stop};
use super::sparse::{Block, BlockMatrix, PackedF64, dot};

/// Memory of a solve.
#[derive(Clone, Debug)]
pub(crate) struct Cholesky {
    symbolic: Arc<SymbolicCholesky<usize>>,
    /// The lower triangle by columns.
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
    factor: Vec<f64>,
    solution: Vec<f64>,
    product: Vec<PackedF64>,
}

impl Cholesky {
    /// Memory for matrices of this structure; none if it is too large.
    pub(crate) fn new(matrix: &BlockMatrix, vertices: usize) -> Option<Self> {
        let (mut starts, mut rows) = (vec![0], Vec::new());
        for row in 0..vertices {
            for k in 0..3 {
                rows.extend((k..3).map(|i| 3 * row + i));
                rows.extend(matrix.beyond(row).flat_map(|(column, _)| [0, 1, 2].map(|i| 3 * column + i)));
                starts.push(rows.len());
            }
        }
        let count = 3 * vertices;
        let structure = SymbolicSparseColMatRef::new_checked(count, count, &starts, None, &rows);
        let order = SymmetricOrdering::Amd;
        let symbolic = factorize_symbolic_cholesky(structure, Side::Lower, order, Default::default()).ok()?;
        let symbolic = Arc::new(symbolic);
        let (values, factor) = (vec![0.0; rows.len()], vec![0.0; symbolic.len_val()]);
        let (solution, product) = (vec![0.0; count], vec![PackedF64::zeros(); vertices]);
        Some(Self { symbolic, starts, rows, values, factor, solution, product })
    }

    /// Solves `matrix x = right` in the rows of the vertices that are `free`; `x` holds the solution for the
    /// others. None, and `x` is as it was, if the matrix is not positive definite or there is no memory.
    pub(crate) fn solve(
        &mut self,
        matrix: &BlockMatrix,
        right: &[PackedF64],
        free: &[bool],
        stop: Stop,
        x: &mut [PackedF64],
    ) -> Option<SolveReport> {
        self.fill(matrix, free);
        let immovable: Vec<PackedF64> =
            x.iter().zip(free).map(|(x, &free)| if free { PackedF64::zeros() } else { *x }).collect();
        matrix.multiply(&immovable, &mut self.product);
        for (i, own) in self.solution.chunks_exact_mut(3).enumerate() {
            let left = if free[i] { right[i] - self.product[i] } else { PackedF64::zeros() };
            own.copy_from_slice(&left.as_slice()[..3]);
        }
        self.decompose_and_substitute()?;
        for (i, own) in self.solution.chunks_exact(3).enumerate().filter(|&(i, _)| free[i]) {
            x[i] = PackedF64::new(own[0], own[1], own[2], 0.0);
        }
        matrix.multiply(x, &mut self.product);
        for (i, product) in self.product.iter_mut().enumerate() {
            *product = if free[i] { right[i] - *product } else { PackedF64::zeros() };
        }
        let norm = dot(&self.product, &self.product).sqrt();
        Some(SolveReport { iterations: 0, residual: if norm > 0.0 { norm / stop.scale } else { 0.0 } })
    }

    /// Copies the lower triangle; rows and columns of immovable vertices become those of the unit matrix.
    fn fill(&mut self, matrix: &BlockMatrix, free: &[bool]) {
        self.values.clear();
        for (row, &is_free) in free.iter().enumerate() {
            for k in 0..3 {
                let column = if is_free { matrix.diagonal(row).0[k] } else { Block::IDENTITY.0[k] };
                self.values.extend_from_slice(&column.as_slice()[k..3]);
                // Below the diagonal are the transposes of the blocks.
                self.values.extend(matrix.beyond(row).flat_map(|(column, block)| {
                    let coupled = is_free && free[column];
                    [0, 1, 2].map(|i| if coupled { block.0[i][k] } else { 0.0 })
                }));
            }
        }
    }

    fn decompose_and_substitute(&mut self) -> Option<()> {
        let count = self.solution.len();
        let structure = SymbolicSparseColMatRef::new_checked(count, count, &self.starts, None, &self.rows);
        let lower = SparseColMatRef::new(structure, &self.values);
        let (symbolic, par) = (&self.symbolic, Par::Seq);
        let scratch = symbolic.factorize_numeric_llt_scratch::<f64>(par, Default::default());
        let scratch = scratch.or(symbolic.solve_in_place_scratch::<f64>(1, par));
        let mut memory = MemBuffer::try_new(scratch).ok()?;
        let stack = MemStack::new(&mut memory);
        let (regularization, params) = (Default::default(), Default::default());
        let factor = symbolic
            .factorize_numeric_llt(&mut self.factor, lower, Side::Lower, regularization, par, stack, params)
            .ok()?;
        let right = MatMut::from_column_major_slice_mut(&mut self.solution, count, 1);
        factor.solve_in_place_with_conj(Conj::No, right, par, stack);
        Some(())
    }
}
