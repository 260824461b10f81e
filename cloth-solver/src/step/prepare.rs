//! What all substeps of a step share: masses, friction coefficients, and the report that they add to.

use crate::SimulationBuilder;
use crate::ask::report::{RECOMMENDED_MAX_SUBSTEP, StepReport, Warnings};
use crate::simulation::Simulation;

impl Simulation {
    /// Prepares the substeps of a step of `dt` seconds.
    pub(super) fn prepare_substeps(&mut self, dt: f32) {
        if let Some(gate) = &mut self.gate {
            gate.begin_step(self.runtime.records_examined);
        }
        self.constraints.switch_attachments(&self.state.attachments);
        self.constraints.update_pins(&self.state.sleep.inv_mass, &self.state.inv_mass);
        self.update_friction();
        self.start_report(dt);
        self.scratch.rigid.begin_step(self.assets.rigid_bodies.len());
    }

    /// Computes the friction coefficients of the step.
    fn update_friction(&mut self) {
        let SimulationBuilder { friction, colliders, settings, .. } = &*self.scene;
        let ends = self.assets.parts.iter().map(|part| part.vertices.end as u32);
        let parts = self.scene.friction_parts().zip(ends);
        self.scratch.solver.friction_table.update(settings.self_friction, friction, colliders, parts);
    }

    /// Starts the report, with what is known before the first substep.
    fn start_report(&mut self, dt: f32) {
        let h = dt / self.settings.substeps as f32;
        let warnings = Warnings {
            long_substep: (h > RECOMMENDED_MAX_SUBSTEP).then_some(h),
            excessive_thickness: self.assets.excessive_thickness,
            wind_without_drag: self.settings.wind.lacks_drag(),
            ..Warnings::default()
        };
        let (substeps, cuts) = (self.settings.substeps, self.cuts().len());
        self.report = StepReport { substeps, cuts, warnings, ..StepReport::default() };
        self.constraints.membrane.start_report();
    }
}
