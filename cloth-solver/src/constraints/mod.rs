//! The constraints that the solver projects: one file each, with its derivation, compliance and projection.
//!
//! All follow XPBD (Macklin, Müller, Chentanez 2016): with `a = compliance / h^2`,
//! `dl = (-C - a l) / (sum w |grad C|^2 + a)` and `dx = w grad C dl`. Multipliers start at zero each substep.

pub(crate) mod attachment;
pub(crate) mod bending;
pub(crate) mod coarse;
pub(crate) mod contact;
pub(crate) mod shear;
pub(crate) mod stitch;
pub(crate) mod stretch;
pub(crate) mod truncate;

use nalgebra::Point3;

/// The positions being solved, and what projection needs to know of them.
pub(crate) struct Bodies<'a> {
    /// Positions (m).
    pub(crate) x: &'a mut [Point3<f32>],
    /// Positions at the start of the substep (m).
    pub(crate) x_t0: &'a [Point3<f32>],
    /// Inverse masses (1/kg); zero is immovable.
    pub(crate) w: &'a [f32],
    /// The substep (s).
    pub(crate) h: f32,
}

/// All elastic constraints, each kind in solving order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Elastic {
    /// From the coarsest down.
    pub(crate) levels: Vec<coarse::Level>,
    pub(crate) stretch: Vec<stretch::Spring>,
    pub(crate) shear: Vec<shear::Shear>,
    pub(crate) bending: Vec<bending::Bend>,
    pub(crate) stitches: Vec<stitch::Seam>,
    pub(crate) attachments: Vec<attachment::Hold>,
}

impl Elastic {
    /// Clears the multipliers at the start of a substep.
    pub(crate) fn begin(&mut self) {
        self.stretch.iter_mut().for_each(|c| c.lambda = 0.0);
        self.shear.iter_mut().for_each(|c| c.lambda = 0.0);
        self.bending.iter_mut().for_each(|c| c.lambda.fill(0.0));
    }

    /// One Gauss-Seidel pass over everything elastic.
    pub(crate) fn project(&mut self, bodies: &mut Bodies<'_>, mut colliders: impl FnMut(&mut Bodies<'_>)) {
        bending::project(&mut self.bending, bodies);
        shear::project(&mut self.shear, bodies);
        let e = |n: &str, d: usize| std::env::var(n).map_or(d, |s| s.parse().unwrap());
        let (n, c) = (e("SP", 1), e("CY", 1));
        for _ in 0..c {
            for level in &mut self.levels {
                level.project(bodies);
                colliders(bodies);
            }
            for _ in 0..n {
                stretch::project(&mut self.stretch, bodies);
                colliders(bodies);
            }
        }
        stitch::project(&self.stitches, bodies);
        attachment::project(&self.attachments, bodies);
    }
}
