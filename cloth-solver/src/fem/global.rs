//! Forces by the global stiffness: `K_g1 x - K_g2 x0` of Zhang et al. 2014, equation (2).
//!
//! With the frame `R` of a face and its linear stiffness `K`, `K_g1` is the sum of `R K R^T` over the faces
//! and `K_g2` that of `R K` (Etzmuß et al. 2003, reference [7] of the paper). `K_g1` is sparse, with a
//! structure that is built once. The rest coordinates `x0` of a pattern belong to corners and not to
//! vertices, so the product `K_g2 x0` is summed over the faces, and `K_g2` is never formed.
//!
//! | measure | `K_g1` | `K_g2 x0` |
//! |---|---|---|
//! | Cauchy | of the frames of the start: constant | constant |
//! | co-rotated | of the present frames | with the stress in excess of the linear law |
//! | Green | the stress stiffness: forces are `-(A s_kl I) x` | zero |
//!
//! For a law that does not commute with the stretch, `K_g2 x0` of the co-rotated measure has the rotation of
//! its stress as well.
//!
//! So the forces of both assemblies agree up to rounding, for every measure and law.

use super::element::Element;
use super::law::times;
use super::membrane::{Membrane, add, corners};
use super::sparse::{BlockMatrix, PackedF64};
use super::strain::{Gradient, StrainMeasure, Stretch};

/// The two terms.
#[derive(Clone, Debug, Default)]
pub(crate) struct GlobalStiffness {
    matrix: BlockMatrix,
    constant: Vec<PackedF64>,
    product: Vec<PackedF64>,
}

impl GlobalStiffness {
    pub(crate) fn new(membrane: &Membrane) -> Self {
        let count = membrane.vertex_count();
        Self {
            matrix: membrane.matrix(),
            constant: vec![PackedF64::zeros(); count],
            product: vec![PackedF64::zeros(); count],
        }
    }

    /// Assembles both terms at the positions (m).
    pub(crate) fn assemble(&mut self, membrane: &Membrane, x: &[PackedF64]) {
        self.matrix.set_diagonal(self.constant.iter().map(|_| 0.0));
        self.constant.fill(PackedF64::zeros());
        for (i, element) in membrane.acting() {
            let law = &membrane.material(element).law;
            let frame = match membrane.measure() {
                StrainMeasure::Green => {
                    let stress = membrane.state(element, x).response.stress;
                    let blocks = element.blocks(&element.start, &[[0.0; 3]; 3], &stress);
                    self.matrix.add(&element.v, membrane.places(i), &blocks);
                    continue;
                }
                StrainMeasure::Cauchy => element.start,
                StrainMeasure::Corotated => {
                    let f = element.gradient(&corners(element, x));
                    let stretch = Stretch::from_gradient(&f);
                    let stress = law.respond(&stretch.strain()).stress;
                    let (_, rotation) = stretch.multiplier(&stress);
                    let frame = stretch.frame(&f);
                    self.add_rotation(element, &frame, rotation);
                    frame
                }
            };
            self.matrix.add(&element.v, membrane.places(i), &element.blocks(&frame, law.matrix(), &[0.0; 3]));
            let strain = super::strain::cauchy(&element.gradient(&corners(element, x)), &frame);
            let (linear, stress) = (times(law.matrix(), &strain), law.respond(&strain).stress);
            let of_rest = times(law.matrix(), &[1.0, 1.0, 0.0]);
            let excess = [0, 1, 2].map(|i| of_rest[i] - (stress[i] - linear[i]));
            // Minus, as the forces of a stress are minus its divergence.
            let own = element.forces(&frame, &excess).map(|f| -f);
            add(&mut self.constant, element, &own);
        }
    }

    /// The part of the stress of a face that does not commute with its stretch: `w R [0 1; -1 0]`.
    fn add_rotation(&mut self, element: &Element, frame: &Gradient, w: f64) {
        let turned = Gradient { weft: -frame.warp, warp: frame.weft };
        add(&mut self.constant, element, &element.forces(&turned, &[w, w, 0.0]));
    }

    /// Adds `-(K_g1 x - K_g2 x0)`, which are the elastic forces (N), for the assembled positions.
    pub(crate) fn add_forces(&mut self, x: &[PackedF64], forces: &mut [PackedF64]) {
        self.matrix.multiply(x, &mut self.product);
        for ((force, product), constant) in forces.iter_mut().zip(&self.product).zip(&self.constant) {
            *force += constant - product;
        }
    }
}
