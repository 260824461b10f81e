//! The constraints that the solver projects: one file each, with its derivation, compliance and projection.
//!
//! All follow XPBD (Macklin, Müller, Chentanez 2016): with `a = compliance / h^2`,
//! `dl = (-C - a l) / (sum w |grad C|^2 + a)` and `dx = w grad C dl`. Multipliers start at zero each substep.
//!
//! Bending and shear are under-relaxed: with a relaxation `r` the denominator is `sum w |grad C|^2 / r + a`. Where they are soft
//! against inertia (`a` is large) this changes nothing; where they are stiff, they correct the share `r` of a violation in a substep, and
//! do not undo what stretch has solved (`docs/design/stretch.md`).

pub(crate) mod attachment;
pub(crate) mod bending;
pub(crate) mod bodies;
pub(crate) mod coarse;
pub(crate) mod contact;
pub(crate) mod drive;
pub(crate) mod lanes;
pub(crate) mod particle;
#[cfg(test)]
mod reference;
pub(crate) mod shear;
pub(crate) mod stitch;
pub(crate) mod stretch;
pub(crate) mod tether;
pub(crate) mod truncate;

pub(crate) use bodies::Bodies;

/// The elastic constraints, each kind in solving order.
#[derive(Clone, Debug, Default)]
pub(crate) struct ElasticConstraints {
    /// Coarse levels of stretch, coarsest first.
    pub(crate) levels: Vec<coarse::CoarseLevel>,
    pub(crate) stretch: Vec<stretch::SpringBlock>,
    pub(crate) shear: Vec<shear::ShearBlock>,
    pub(crate) bending: Vec<bending::BendingBlock>,
    pub(crate) stitches: Vec<stitch::StitchConstraint>,
    pub(crate) attachments: Vec<attachment::AttachmentConstraint>,
    /// One per cloth with tethers.
    pub(crate) tethers: Vec<tether::ClothTethers>,
    pub(crate) drives: Vec<drive::ClothDrive>,
}

impl ElasticConstraints {
    /// Updates the inverse masses that constraints cache.
    pub(crate) fn update_masses(&mut self, inv_mass: &[f32]) {
        self.stretch.iter_mut().for_each(|c| c.update_masses(inv_mass));
        self.shear.iter_mut().for_each(|c| c.update_masses(inv_mass));
        self.bending.iter_mut().for_each(|c| c.update_masses(inv_mass));
        self.levels.iter_mut().for_each(|level| level.update_masses(inv_mass));
        self.tethers.iter_mut().for_each(|t| t.update_masses(inv_mass));
        self.drives.iter_mut().for_each(|d| d.update_masses(inv_mass));
    }

    /// Rebuilds the tethers whose anchors have changed.
    pub(crate) fn rebuild_tethers(&mut self, inv_mass: &[f32]) {
        self.tethers.iter_mut().for_each(|t| t.rebuild_if_stale(inv_mass));
    }

    /// One Gauss-Seidel pass over all elastic constraints. `project_colliders` runs between the levels, so
    /// that a load on a collider is carried by it and not by the neighbours.
    pub(crate) fn project(
        &mut self,
        bodies: &mut Bodies<'_>,
        pass: Pass,
        mut project_colliders: impl FnMut(&mut Bodies<'_>),
    ) {
        bending::project(&mut self.bending, bodies, pass);
        shear::project(&mut self.shear, bodies, pass);
        // Before the levels, so that springs smooth the corrections of single vertices. After them, the 99th
        // percentile of a hung sheet's stretch is three times as large.
        for tethers in &mut self.tethers {
            tethers.project(bodies, pass.first);
        }
        for cycle in 0..pass.cycles {
            for level in &mut self.levels {
                level.project(bodies);
                project_colliders(bodies);
            }
            stretch::project(&mut self.stretch, bodies, pass.first && cycle == 0);
            project_colliders(bodies);
        }
        stitch::project(&self.stitches, bodies);
        attachment::project(&mut self.attachments, bodies, pass.first);
        for drive in &mut self.drives {
            drive.project(bodies, pass.first);
        }
    }
}

/// Parameters of a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass {
    /// Whether it is the first of the substep: multipliers start at zero.
    pub(crate) first: bool,
    /// Under-relaxation of bending and shear, in (0, 1].
    pub(crate) relaxation: f32,
    /// Multilevel cycles of stretch.
    pub(crate) cycles: u32,
}

/// Scale factors of compliance, damping and weights of bending and shear in a substep.
#[derive(Clone, Copy, Debug)]
struct Rates {
    /// 1 / h (1/s).
    inv_h: f32,
    /// 1 / h^2 (1/s2).
    inv_h_sq: f32,
    inv_relaxation: f32,
}

impl Rates {
    fn new(h: f32, pass: Pass) -> Self {
        Self { inv_h: 1.0 / h, inv_h_sq: 1.0 / (h * h), inv_relaxation: 1.0 / pass.relaxation }
    }
}
