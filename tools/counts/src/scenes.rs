//! One step of a small scene, from a state in which cloth already meets cloth.

use cloth_verify::{Size, scenarios};

use crate::{Workload, measured};

/// Frames before the step that is counted. The first steps build lists and make room for what is kept.
const WARM_UP_FRAMES: usize = 40;

pub(crate) const ALL: [Workload; 5] = [
    ("step/hang", || step("hang")),
    ("step/drape-sphere", || step("drape-sphere")),
    ("step/twist", || step("twist")),
    ("step/pile", || step("pile")),
    ("step/stack", || step("stack")),
];

/// The next frame of a scenario, on one thread, with the settings it is verified with.
fn step(name: &str) {
    let scenario = scenarios::all().iter().find(|scenario| scenario.name == name).expect("a known scenario");
    let setup = (scenario.build)(Size::Small).expect("a scene that can be built");
    let mut sim = setup.scene.build(setup.scene.settings).expect("a scene that can be built");
    for _ in 0..WARM_UP_FRAMES {
        sim.step(setup.dt).expect("a step");
    }
    measured(&mut || {
        sim.step(setup.dt).expect("a step");
    });
}
