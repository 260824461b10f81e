//! Conjugate gradients, preconditioned by the inverse blocks of the diagonal.
//!
//! Sums are taken in fixed blocks, and rows one by one, so that the bits do not depend on threads. Immovable vertices keep what the
//! first guess prescribes for them.

use super::blocks::dot;
use super::sparse::{Block, BlockMatrix, Packed};

/// What a solve has reached.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Iterations.
    pub iterations: u32,
    /// Norm of the residual over the scale that was asked for.
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

/// Memory of a solve.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConjugateGradients {
    inverse: Vec<Block>,
    residual: Vec<Packed>,
    scaled: Vec<Packed>,
    direction: Vec<Packed>,
    product: Vec<Packed>,
}

impl ConjugateGradients {
    pub(crate) fn new(count: usize) -> Self {
        let zeros = || vec![Packed::zeros(); count];
        Self {
            inverse: vec![Block::ZERO; count],
            residual: zeros(),
            scaled: zeros(),
            direction: zeros(),
            product: zeros(),
        }
    }

    /// Solves `matrix x = right` in the rows of the vertices that are `free`. `x` holds a guess for them, and the solution for the others.
    ///
    /// The guess is scaled by what minimises the error along it, which costs nothing: its product is needed anyway. Where elasticity
    /// dominates, the ballistic guess of a step is far off, and the digits of its residual would be lost.
    pub(crate) fn solve(
        &mut self,
        matrix: &BlockMatrix,
        right: &[Packed],
        free: &[bool],
        stop: Stop,
        x: &mut [Packed],
    ) -> SolveReport {
        for i in 0..x.len() {
            self.direction[i] = if free[i] { Packed::zeros() } else { x[i] };
            self.scaled[i] = if free[i] { x[i] } else { Packed::zeros() };
            self.residual[i] = if free[i] { right[i] } else { Packed::zeros() };
            self.inverse[i] = if free[i] { matrix.diagonal(i).inverse() } else { Block::ZERO };
        }
        if dot(&self.direction, &self.direction) > 0.0 {
            matrix.multiply(&self.direction, free, &mut self.product);
            self.residual.iter_mut().zip(&self.product).for_each(|(r, product)| *r -= product);
        }
        matrix.multiply(&self.scaled, free, &mut self.product);
        let curvature = dot(&self.scaled, &self.product);
        let share = if curvature > 0.0 { dot(&self.scaled, &self.residual) / curvature } else { 0.0 };
        for i in 0..x.len() {
            x[i] = self.direction[i] + self.scaled[i] * share;
            self.residual[i] -= self.product[i] * share;
        }
        self.precondition();
        self.direction.copy_from_slice(&self.scaled);
        let mut slope = dot(&self.residual, &self.scaled);
        let least = stop.tolerance * stop.scale;
        for iterations in 0..=stop.iterations {
            let norm = dot(&self.residual, &self.residual).sqrt();
            let report =
                || SolveReport { iterations, residual: if norm > 0.0 { norm / stop.scale } else { 0.0 } };
            if norm <= least || norm.is_nan() || iterations == stop.iterations {
                return report();
            }
            matrix.multiply(&self.direction, free, &mut self.product);
            let curvature = dot(&self.direction, &self.product);
            if curvature <= 0.0 || curvature.is_nan() {
                return report();
            }
            let step = slope / curvature;
            for (x, direction) in x.iter_mut().zip(&self.direction) {
                *x += direction * step;
            }
            for (residual, product) in self.residual.iter_mut().zip(&self.product) {
                *residual -= product * step;
            }
            self.precondition();
            let next = dot(&self.residual, &self.scaled);
            let share = next / slope;
            slope = next;
            for (direction, scaled) in self.direction.iter_mut().zip(&self.scaled) {
                *direction = scaled + *direction * share;
            }
        }
        SolveReport::default()
    }

    fn precondition(&mut self) {
        for ((scaled, inverse), residual) in self.scaled.iter_mut().zip(&self.inverse).zip(&self.residual) {
            *scaled = inverse.times(residual);
        }
    }
}
