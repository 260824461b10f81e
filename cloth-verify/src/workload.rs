//! How much work a verify run is, before anything is simulated.

use crate::run::RunOptions;
use crate::scenario::{ControlKind, NoControl, Setup};
use crate::verify::{VerifyError, VerifyOptions, choose};

/// Seconds of one core for a triangle and a substep, measured over the small set (246 s of CPU time) on a 2.8
/// GHz Xeon with the `verify` profile. Scenes differ from it by up to a factor of three, whole sets by less
/// than two.
const SECONDS_PER_UNIT: f64 = 7.5e-7;

/// Cost of an audit in runs of the audited scene.
const AUDIT: f64 = 1.0;

/// The work of a verify run.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Triangles times substeps of each scenario, in the order of the run, its further runs included; 0 for a
    /// scene that cannot be built, which the run then reports.
    pub units: Vec<f64>,
}

impl Workload {
    /// The work of these options. Builds the scenes, and simulates nothing.
    ///
    /// # Errors
    /// If a scenario is unknown or named twice.
    pub fn new(options: &VerifyOptions) -> Result<Self, VerifyError> {
        let units = choose(&options.scenarios)?.into_iter().map(|scenario| {
            (scenario.build)(options.size).map_or(0.0, |mut setup| {
                options.run.model.into_iter().for_each(|model| setup.set_model(model));
                runs(&setup, &options.run) * units_of_a_run(&setup)
            })
        });
        Ok(Self { units: units.collect() })
    }

    /// An estimate (s) of the whole run on one core of a 2.8 GHz Xeon.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        SECONDS_PER_UNIT * self.units.iter().sum::<f64>()
    }

    /// An estimate (s) of the time left when the first `done` scenarios have taken `elapsed` seconds; none
    /// before the first.
    #[must_use]
    pub fn seconds_left(&self, done: usize, elapsed: f64) -> Option<f64> {
        let (finished, rest) = self.units.split_at(done.min(self.units.len()));
        let finished: f64 = finished.iter().sum();
        (finished > 0.0).then(|| elapsed * rest.iter().sum::<f64>() / finished)
    }
}

fn units_of_a_run(setup: &Setup) -> f64 {
    let triangles: usize = setup.scene.cloths.iter().map(|cloth| cloth.mesh.faces.len()).sum();
    triangles as f64 * setup.frames as f64 * f64::from(setup.scene.settings.substeps)
}

/// How often the scene is simulated: itself, its audit, its control, and without the gate.
fn runs(setup: &Setup, options: &RunOptions) -> f64 {
    // A control of few substeps is as much cheaper.
    let control = match setup.control_kind() {
        Err(NoControl(_)) => 0.0,
        Ok(ControlKind::Substeps(n)) => f64::from(n) / f64::from(setup.scene.settings.substeps),
        Ok(
            ControlKind::NoSelfCollision
            | ControlKind::DiscreteColliders
            | ControlKind::UnguardedColliders
            | ControlKind::NoColliders
            | ControlKind::UncorrectedStrain
            | ControlKind::SoftFabric(_),
        ) => 1.0,
    };
    let extra = [(options.audit, AUDIT), (options.controls, control), (options.ungated && options.gate, 1.0)];
    1.0 + extra.iter().filter(|(is_run, _)| *is_run).map(|(_, share)| share).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Size;

    fn workload(options: &VerifyOptions) -> Workload {
        Workload::new(options).expect("known scenarios")
    }

    #[test]
    fn larger_sizes_and_further_runs_are_more_work() {
        let scenarios = vec!["hang".to_owned(), "pile".to_owned()];
        let run = RunOptions { controls: false, ..RunOptions::default() };
        let plain = VerifyOptions { scenarios, size: Size::Small, run: run.clone() };
        let small = workload(&plain);
        let medium = workload(&VerifyOptions { size: Size::Medium, ..plain.clone() });
        let audited = workload(&VerifyOptions { run: RunOptions { audit: true, ..run }, ..plain });
        assert_eq!(small.units.len(), 2);
        assert!(medium.seconds() > small.seconds() && audited.seconds() > small.seconds());
    }

    #[test]
    fn what_is_left_follows_from_what_is_done() {
        let work = Workload { units: vec![1.0, 3.0] };
        assert_eq!(work.seconds_left(0, 0.0), None);
        assert_eq!(work.seconds_left(1, 10.0), Some(30.0));
        assert_eq!(work.seconds_left(2, 40.0), Some(0.0));
    }
}
