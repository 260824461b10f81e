//! Runs the skirt with one thing changed, and sums up what it cost and what became of it.

use std::time::Duration;

use cloth_contacts::intersect::Checker;
use cloth_solver::{Simulation, StepReport};
use cloth_verify::scenario::Setup;

/// What a run came to.
pub(crate) struct Run {
    /// Contacts of a substep, and of balls, in the mean of the frames.
    contacts: [f64; 2],
    /// Medians (ms) of a frame, and of its detection.
    ms: [f64; 2],
    frames_with: usize,
    last: usize,
    /// The state (m) in the middle of the run.
    pub(crate) middle: Simulation,
}

/// Runs a scene to its end.
pub(crate) fn run(mut setup: Setup) -> Run {
    let mut sim = setup.scene.build(setup.scene.settings).expect("the scene of the scenario");
    let mut checker = Checker::default();
    let (mut reports, mut counts, mut middle) = (Vec::new(), Vec::new(), None);
    for frame in 0..setup.frames {
        setup.drive(&mut sim, frame).expect("its own colliders");
        reports.push(*sim.step(setup.dt_of(frame)).expect("a step"));
        let positions: Vec<_> = sim.positions().iter().map(|p| p.cast::<f64>()).collect();
        counts.push(checker.check(&positions, sim.surface().topology()).expect("finite").count());
        if frame == setup.frames / 2 {
            middle = Some(sim.clone());
        }
    }
    let mean = |of: fn(&StepReport) -> usize| {
        reports.iter().map(|r| of(r) as f64).sum::<f64>() / reports.len() as f64
    };
    Run {
        contacts: [mean(|r| r.contacts), mean(|r| r.particle_contacts)],
        ms: [median(&reports, |r| r.times.total()), median(&reports, |r| r.times.detect)],
        frames_with: counts.iter().filter(|&&n| n > 0).count(),
        last: counts.last().copied().unwrap_or(0),
        middle: middle.unwrap_or(sim),
    }
}

fn median(reports: &[StepReport], of: fn(&StepReport) -> Duration) -> f64 {
    let mut times: Vec<Duration> = reports.iter().map(of).collect();
    times.sort_unstable();
    1e3 * times[times.len() / 2].as_secs_f64()
}

impl Run {
    /// The heading of rows, after a first column of the caller's.
    pub(crate) const HEADING: &str = " contacts | as balls | ms a frame | of it detection | frames with \
                                      intersections | at the end |\n|---|---|---|---|---|---|---|";

    /// A row of a table.
    pub(crate) fn row(&self, name: &str) -> String {
        let ([contacts, balls], [all, detection]) = (self.contacts, self.ms);
        format!(
            "| {name} | {contacts:.0} | {balls:.0} | {all:.3} | {detection:.3} | {} | {} |",
            self.frames_with, self.last
        )
    }
}
