//! Conjugate gradients, preconditioned by an incomplete decomposition.
//!
//! ```text
//!   A = D + L + L^T    M = E P^-1 E^T,  E = P + L
//!   P_i = D_i - sum_j L_ij P_j^-1 L_ij^T  over the vertices j before i
//! ```
//!
//! `P` makes the diagonal of `M` that of `A`: an incomplete decomposition by blocks whose parts beyond the
//! diagonal are those of `A` (Meijerink and van der Vorst 1977; Pommerell 1992 calls it D-ILU). Along a
//! thread that is coupled to no other it is the complete one, and the motions along the threads are those
//! that cost iterations.
//!
//! On unstructured meshes, whose edges do not follow the threads, pivots can become nearly singular or
//! indefinite, and the preconditioner then costs more iterations than it saves. If that happens at more than
//! a few vertices, the subtracted terms are damped.
//!
//! The off-diagonal part of `M` is that of `A`, so a sweep back and a sweep forth apply `E^-1 A E^-T` at the
//! price of a product with `A` (Eisenstat 1981): with `t = E^-T p`, it is `t + E^-1 (p - (2 P - D) t)`.
//!
//! The sweeps are sequential, and sums follow the order of the vertices: bits do not depend on threads.
//! Immovable vertices keep what the first guess prescribes for them.

use super::sparse::{Block, BlockMatrix, PackedF64, dot, sum};

/// What a solve has reached.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Iterations.
    pub iterations: u32,
    /// Norm of the residual over the scale that was asked for, evaluated at the end and not carried along.
    pub residual: f64,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    /// Norm of the residual that suffices, in units of `scale`.
    pub(crate) tolerance: f64,
    pub(crate) scale: f64,
    pub(crate) iterations: u32,
}

/// What an iteration reads.
struct System<'a> {
    matrix: &'a BlockMatrix,
    free: &'a [bool],
    /// Norm of the residual that suffices.
    least: f64,
}

/// Memory of a solve.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConjugateGradients {
    /// Its blocks are those of `P`, their inverses, and those of `2 P - D`; zero for immovable vertices.
    pivots: Vec<Block>,
    inverses: Vec<Block>,
    corrections: Vec<Block>,
    /// Of the system.
    residual: Vec<PackedF64>,
    /// `E^-1` times the residual, and `P` times that.
    reduced: Vec<PackedF64>,
    scaled: Vec<PackedF64>,
    direction: Vec<PackedF64>,
    /// `E^-T` times the direction.
    motion: Vec<PackedF64>,
    product: Vec<PackedF64>,
    /// Of a sweep forth.
    carried: Vec<PackedF64>,
}

/// How often the iteration starts again from the residual that it has reached, where rounding has parted it
/// from the one that is carried along.
const ROUNDS: u32 = 4;
/// The residual is evaluated when its estimate is below this multiple of what suffices. It costs half a
/// product.
const NEAR: f64 = 2.0;

/// A pivot below this share of its diagonal block counts as broken down. The pivot at the free end of a stiff
/// thread is legitimately small.
const LEAST_PIVOT: f64 = 1e-3;
/// Breakdowns that are accepted: one in this many vertices.
const VERTICES_PER_BREAKDOWN: usize = 200;
/// Factor of the subtracted terms if there are more breakdowns; 0 is symmetric successive over-relaxation.
/// The shirt of the scenario `garment` takes 26 iterations at 0.5, 28 at 0.7, 29 at 0 and 139 at 1; regular
/// sheets take the fewest at 1.
const DAMPED: f64 = 0.5;

impl ConjugateGradients {
    pub(crate) fn new(count: usize) -> Self {
        let (zeros, blocks) = (|| vec![PackedF64::zeros(); count], || vec![Block::ZERO; count]);
        Self {
            pivots: blocks(),
            inverses: blocks(),
            corrections: blocks(),
            residual: zeros(),
            reduced: zeros(),
            scaled: zeros(),
            direction: zeros(),
            motion: zeros(),
            product: zeros(),
            carried: zeros(),
        }
    }

    /// Solves `matrix x = right` in the rows of the vertices that are `free`. `x` holds a guess for them, and
    /// the solution for the others.
    ///
    /// The guess is scaled by what minimises the error along it, which costs nothing: its product is needed
    /// anyway. Where elasticity dominates, the ballistic guess of a step is far off, and the digits of its
    /// residual would be lost.
    pub(crate) fn solve(
        &mut self,
        matrix: &BlockMatrix,
        right: &[PackedF64],
        free: &[bool],
        stop: Stop,
        x: &mut [PackedF64],
    ) -> SolveReport {
        let system = System { matrix, free, least: stop.tolerance * stop.scale };
        self.decompose(matrix, free);
        self.scale_guess(matrix, right, free, x);
        let mut report = SolveReport::default();
        let mut before = f64::INFINITY;
        for _ in 0..ROUNDS {
            let norm = dot(&self.residual, &self.residual).sqrt();
            report.residual = if norm > 0.0 { norm / stop.scale } else { 0.0 };
            // No if the norm is not a number.
            let goes_on = norm > system.least && norm < before;
            if !goes_on || report.iterations >= stop.iterations {
                break;
            }
            before = norm;
            report.iterations += self.iterate(&system, stop.iterations - report.iterations, norm, x);
            matrix.multiply(x, &mut self.product);
            for i in (0..x.len()).filter(|&i| free[i]) {
                self.residual[i] = right[i] - self.product[i];
            }
        }
        report
    }

    /// Computes `P`.
    fn decompose(&mut self, matrix: &BlockMatrix, free: &[bool]) {
        let breakdowns = self.decompose_damped(matrix, free, 1.0);
        if breakdowns * VERTICES_PER_BREAKDOWN > free.len() {
            self.decompose_damped(matrix, free, DAMPED);
        }
    }

    /// Computes `P` with damped subtracted terms. Returns the number of breakdowns: such a pivot is replaced
    /// by its diagonal block, which keeps `P` and thus `M` positive definite.
    fn decompose_damped(&mut self, matrix: &BlockMatrix, free: &[bool], damping: f64) -> usize {
        for (row, pivot) in self.pivots.iter_mut().enumerate() {
            *pivot = *matrix.diagonal(row);
        }
        let mut breakdowns = 0;
        for (row, &is_free) in free.iter().enumerate() {
            let own = matrix.diagonal(row);
            if is_free && !self.pivots[row].exceeds(own, LEAST_PIVOT) {
                self.pivots[row] = *own;
                breakdowns += 1;
            }
            let Some(inverse) = self.pivots[row].inverse().filter(|_| is_free) else {
                (self.pivots[row], self.inverses[row], self.corrections[row]) =
                    (Block::ZERO, Block::ZERO, Block::ZERO);
                continue;
            };
            self.inverses[row] = inverse;
            let pivot = &self.pivots[row].0;
            self.corrections[row] = Block([0, 1, 2].map(|k| pivot[k] * 2.0 - own.0[k]));
            let subtracted = Block(inverse.0.map(|column| column * damping));
            for (column, block) in matrix.beyond(row) {
                self.pivots[column].subtract_congruent(&subtracted, block);
            }
        }
        breakdowns
    }

    /// Scales the guess, and writes the residual.
    fn scale_guess(&mut self, matrix: &BlockMatrix, right: &[PackedF64], free: &[bool], x: &mut [PackedF64]) {
        for i in 0..x.len() {
            self.direction[i] = if free[i] { PackedF64::zeros() } else { x[i] };
            self.motion[i] = if free[i] { x[i] } else { PackedF64::zeros() };
            self.residual[i] = right[i];
        }
        let (given, guess, residual) = (&self.direction, &self.motion, &mut self.residual);
        if dot(given, given) > 0.0 {
            matrix.multiply(given, &mut self.product);
            residual.iter_mut().zip(&self.product).for_each(|(r, product)| *r -= product);
        }
        matrix.multiply(guess, &mut self.product);
        let curvature = dot(guess, &self.product);
        let share = if curvature > 0.0 { dot(guess, residual) / curvature } else { 0.0 };
        for i in 0..x.len() {
            x[i] = given[i] + guess[i] * share;
            residual[i] = if free[i] { residual[i] - self.product[i] * share } else { PackedF64::zeros() };
        }
    }

    /// Iterates from the residual, whose norm is given, and changes `x` by the solution; returns the number
    /// of iterations.
    fn iterate(&mut self, system: &System<'_>, iterations: u32, norm: f64, x: &mut [PackedF64]) -> u32 {
        let System { matrix, least, .. } = *system;
        self.reduced.copy_from_slice(&self.residual);
        self.sweep_forth(matrix);
        let mut slope = self.scale();
        // |r|^2 over r.M^-1 r.
        let mut ratio = norm * norm / slope;
        let mut share = 0.0;
        self.direction.fill(PackedF64::zeros());
        for iteration in 0..iterations {
            self.sweep_back(matrix, share);
            let curvature = self.apply(matrix);
            if !(curvature > 0.0 && curvature.is_finite()) {
                return iteration;
            }
            let next = self.advance(slope / curvature, x);
            // Zero at the solution; NaN if the matrix has one.
            if next == 0.0 || next.is_nan() {
                return iteration + 1;
            }
            if (next * ratio).sqrt() <= NEAR * least {
                let norm = self.norm(system);
                if norm <= least {
                    return iteration + 1;
                }
                ratio = norm * norm / next;
            }
            share = next / slope;
            slope = next;
        }
        iterations
    }

    /// `reduced = E^-1 reduced`.
    fn sweep_forth(&mut self, matrix: &BlockMatrix) {
        for row in 0..self.reduced.len() {
            let own = self.inverses[row].times(&self.reduced[row]);
            self.reduced[row] = own;
            for (column, block) in matrix.beyond(row) {
                self.reduced[column] -= block.transposed_times(&own);
            }
        }
    }

    /// `scaled = P reduced`; returns their scalar product.
    fn scale(&mut self) -> f64 {
        let mut all = PackedF64::zeros();
        for ((scaled, pivot), reduced) in self.scaled.iter_mut().zip(&self.pivots).zip(&self.reduced) {
            *scaled = pivot.times(reduced);
            all += scaled.component_mul(reduced);
        }
        sum(&all)
    }

    /// `direction = scaled + share direction` and `motion = E^-T direction`.
    fn sweep_back(&mut self, matrix: &BlockMatrix, share: f64) {
        for row in (0..self.motion.len()).rev() {
            let direction = self.scaled[row] + self.direction[row] * share;
            self.direction[row] = direction;
            let left = matrix
                .beyond(row)
                .fold(direction, |left, (column, block)| left - block.times(&self.motion[column]));
            self.motion[row] = self.inverses[row].times(&left);
        }
    }

    /// `product = E^-1 A E^-T direction`; returns its scalar product with the direction.
    fn apply(&mut self, matrix: &BlockMatrix) -> f64 {
        self.carried.fill(PackedF64::zeros());
        let mut all = PackedF64::zeros();
        for row in 0..self.motion.len() {
            let (motion, direction) = (self.motion[row], self.direction[row]);
            let right = direction - self.corrections[row].times(&motion) - self.carried[row];
            let own = self.inverses[row].times(&right);
            for (column, block) in matrix.beyond(row) {
                self.carried[column] += block.transposed_times(&own);
            }
            self.product[row] = motion + own;
            all += direction.component_mul(&self.product[row]);
        }
        sum(&all)
    }

    /// Goes a step along the motion; returns the scalar product of the reduced residual with `P` times
    /// itself.
    fn advance(&mut self, step: f64, x: &mut [PackedF64]) -> f64 {
        let mut all = PackedF64::zeros();
        for i in 0..x.len() {
            x[i] += self.motion[i] * step;
            let reduced = self.reduced[i] - self.product[i] * step;
            let scaled = self.pivots[i].times(&reduced);
            (self.reduced[i], self.scaled[i]) = (reduced, scaled);
            all += scaled.component_mul(&reduced);
        }
        sum(&all)
    }

    /// The norm of the residual that is carried along: `E reduced`.
    fn norm(&mut self, system: &System<'_>) -> f64 {
        self.carried.copy_from_slice(&self.scaled);
        let mut all = PackedF64::zeros();
        for row in (0..self.reduced.len()).filter(|&row| system.free[row]) {
            for (column, block) in system.matrix.beyond(row) {
                self.carried[column] += block.transposed_times(&self.reduced[row]);
            }
            all += self.carried[row].component_mul(&self.carried[row]);
        }
        sum(&all).sqrt()
    }
}
