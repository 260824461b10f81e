//! Elastic models of the caller: one of them and the built-in models pass the same checks, and what a model
//! of the caller does wrong is an error that leaves the state as it was.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cloth_geom::fixtures::jitter;
use cloth_solver::{
    BuildError, ClothAsset, CustomElasticModel, ElasticCloth, ElasticModel, ElasticReport, ElasticSolver,
    ElasticStep, IntersectionFilter, RestShape, Settings, Simulation, SimulationBuilder, StepError,
};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::own_elastic_model::EdgeSprings;
use crate::scenes::{
    airless, cotton, drape_builder, furthest, last_corners, masses, momentum, run, sheet, upright, weightless,
};

/// As stiff as the threads of cotton.
const SPRINGS: EdgeSprings = EdgeSprings { stiffness: 6_000.0, sweeps: 20 };

/// A model under test.
#[derive(Clone, Copy, Debug)]
enum Tested {
    BuiltIn(ElasticModel),
    Own(EdgeSprings),
}

impl Tested {
    fn all() -> [Self; 4] {
        let [a, b, c] = ElasticModel::named().map(|(_, model)| Self::BuiltIn(model));
        [a, b, c, Self::Own(SPRINGS)]
    }

    /// A scene with this model instead of its own.
    fn act_in(self, mut scene: SimulationBuilder) -> SimulationBuilder {
        match self {
            Self::BuiltIn(model) => scene.settings_mut().model = model,
            Self::Own(springs) => scene.set_elastic_model(springs),
        }
        scene
    }
}

/// A scene of one cloth.
fn scene_with(cloth: cloth_solver::ClothDesc, settings: Settings) -> SimulationBuilder {
    let mut scene = SimulationBuilder::new(settings);
    scene.add_cloth(cloth);
    scene
}

/// A flat sheet of 0.4 m, pinned at two corners.
fn hung() -> SimulationBuilder {
    let mut cloth = cotton(sheet(8, 0.4));
    cloth.pins = last_corners(8);
    scene_with(cloth, airless())
}

#[test]
fn a_sheet_at_rest_stays_at_rest_in_each_model() {
    for model in Tested::all() {
        let mut sim = model.act_in(scene_with(cotton(sheet(10, 0.4)), weightless())).build().unwrap();
        let start = sim.positions().to_vec();
        run(&mut sim, 10);
        // Roundings of coordinates of 0.2 m (1.5e-8), as velocities, over 100 substeps.
        let moved = furthest(sim.positions(), &start);
        assert!(moved < 3e-6, "{model:?}: {moved}");
    }
}

#[test]
fn immovable_vertices_stay_and_the_others_fall_in_each_model() {
    for model in Tested::all() {
        let mut sim = model.act_in(hung()).build().unwrap();
        let start = sim.positions().to_vec();
        run(&mut sim, 30);
        for v in last_corners(8) {
            assert_eq!(sim.positions()[v as usize], start[v as usize], "{model:?}");
        }
        assert!(furthest(sim.positions(), &start) > 0.1, "{model:?}");
    }
}

#[test]
fn a_free_sheet_keeps_its_momentum_in_each_model() {
    let flat = sheet(10, 0.4);
    let masses = masses(&flat, f64::from(cotton(flat.clone()).material.density));
    let squeezed = flat.clone().mapped(|p| Point3::new(0.9 * p.x + 0.2 * p.z, 0.3 * p.x * p.x, 1.05 * p.z));
    for model in Tested::all() {
        let mut cloth = cotton(jitter(&squeezed, 1e-3, 7).unwrap());
        cloth.rest = RestShape::Positions(flat.positions.clone());
        let settings = Settings { self_collision: false, ..weightless() };
        let mut sim = model.act_in(scene_with(cloth, settings)).build().unwrap();
        let mut peak = 0.0f64;
        for _ in 0..20 {
            run(&mut sim, 1);
            let (sum, amount) = momentum(&sim, &masses);
            peak = peak.max(amount);
            // As in `conservation`: thousands of roundings of 1e-7, some of them over `h`.
            assert!(sum.norm() <= 1e-3 * peak, "{model:?}: {sum} of {peak}");
        }
        assert!(peak > 2e-3, "{model:?}: it hardly moved: {peak}");
    }
}

#[test]
fn each_model_repeats_its_bits_on_threads_and_after_a_restore() {
    for model in Tested::all() {
        let drape = |threads| {
            let scene = drape_builder(12, Settings { threads, ..Settings::default() });
            model.act_in(scene).build().unwrap()
        };
        // The last is built anew and begins at the snapshot: it has what the model remembers only if that is
        // no state.
        let (mut one, mut four, mut anew) = (drape(1), drape(4), drape(1));
        let mut snapshot = None;
        for frame in 0..40 {
            run(&mut one, 1);
            run(&mut four, 1);
            assert_eq!(one.state_hash(), four.state_hash(), "{model:?}, frame {frame}");
            let found = one.intersections(IntersectionFilter::CLOTH).unwrap().count();
            assert_eq!(found, 0, "{model:?}, frame {frame}");
            if frame == 25 {
                snapshot = Some(one.snapshot());
            }
        }
        assert!(one.report().collider_contacts > 10, "{model:?}");
        anew.restore(&snapshot.unwrap()).unwrap();
        run(&mut anew, 14);
        assert_eq!(anew.snapshot().difference(&one.snapshot()), None, "{model:?}");
    }
}

#[test]
fn a_sheet_elsewhere_and_turned_moves_alike_in_each_model() {
    let flat = sheet(8, 0.3);
    let mut cloth =
        cotton(flat.clone().mapped(|p| Point3::new(0.93 * p.x + 0.1 * p.z, 0.3 * p.x * p.x, p.z)));
    cloth.rest = RestShape::Positions(flat.positions);
    let asset = ClothAsset::new(cloth).unwrap();
    let pose = Isometry3::new(Vector3::new(0.2, -0.1, 0.3), Vector3::new(0.7, -1.1, 0.4));
    for model in Tested::all() {
        let settings = Settings { self_collision: false, ..weightless() };
        let [mut here, mut there] = [Isometry3::identity(), pose].map(|pose| {
            let mut scene = SimulationBuilder::new(settings);
            scene.add_instance(&asset, &pose);
            model.act_in(scene).build().unwrap()
        });
        let start = here.positions().to_vec();
        run(&mut here, 3);
        run(&mut there, 3);
        let back: Vec<_> = there.positions().iter().map(|p| pose.inverse() * p).collect();
        let apart = furthest(here.positions(), &back);
        let moved = furthest(here.positions(), &start);
        // Positions of 0.5 m are rounded to 3e-8 m, and a rounding is a velocity for all substeps after it:
        // 30 squared of them at most, and a stiff spring throws each back.
        assert!(moved > 5e-3 && apart < 5e-5, "{model:?}: {apart} apart, {moved} moved");
    }
}

#[test]
fn two_sheets_far_apart_move_as_each_alone() {
    let cloths = [0.0, 5.0].map(|x| {
        let mut cloth = cotton(upright(6, 0.3).translated(Vector3::new(x, 0.0, 0.0)));
        cloth.pins = last_corners(6);
        cloth
    });
    let alone = cloths.clone().map(|cloth| {
        let mut sim = Tested::Own(SPRINGS).act_in(scene_with(cloth, airless())).build().unwrap();
        run(&mut sim, 20);
        sim.positions().to_vec()
    });
    let mut scene = SimulationBuilder::new(airless());
    for cloth in cloths {
        scene.add_cloth(cloth);
    }
    let mut both = Tested::Own(SPRINGS).act_in(scene).build().unwrap();
    run(&mut both, 20);
    assert_eq!(both.positions(), alone.concat());
}

/// What a [`Probe`] does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    Nothing,
    Fail,
    Panic,
    PositionNan,
    /// Beyond the range of `f32`.
    PositionHuge,
    VelocityNan,
    VelocitiesGone,
    /// From the start.
    VelocityMissing,
    /// Velocities of the end that are not the displacement over the substep.
    Velocity,
    ReplaceBending,
}

/// A model without elasticity that does something wrong once vertex 0 is below -1 cm, and that fails if
/// masses are not those that it was given.
#[derive(Clone, Debug)]
struct Probe(Act);

#[derive(Clone, Debug)]
struct ProbeSolver {
    act: Act,
    inv_mass: Vec<f32>,
    v: Option<Vec<Vector3<f64>>>,
}

impl CustomElasticModel for Probe {
    type Solver = ProbeSolver;

    fn name(&self) -> &str {
        "probe"
    }

    fn replaces_bending(&self) -> bool {
        self.0 == Act::ReplaceBending
    }

    fn build(&self, cloths: &[ElasticCloth<'_>]) -> Result<ProbeSolver, Box<dyn Error + Send + Sync>> {
        assert!(!cloths.is_empty());
        let count = cloths.iter().map(|cloth| cloth.topology.vertex_count()).sum();
        let v = match self.0 {
            Act::Velocity | Act::VelocityNan | Act::VelocitiesGone => Some(vec![Vector3::zeros(); count]),
            Act::VelocityMissing => Some(vec![Vector3::zeros(); count - 1]),
            _ => None,
        };
        Ok(ProbeSolver { act: self.0, inv_mass: Vec::new(), v })
    }
}

impl ElasticSolver for ProbeSolver {
    fn set_inverse_masses(&mut self, inv_mass: &[f32]) {
        self.inv_mass = inv_mass.to_vec();
    }

    fn advance(
        &mut self,
        step: &ElasticStep<'_>,
        x: &mut [Point3<f64>],
    ) -> Result<ElasticReport, Box<dyn Error + Send + Sync>> {
        if self.inv_mass != step.inv_mass {
            return Err("masses that it was not given".into());
        }
        if x != step.predicted || x.len() != step.x_t0.len() {
            return Err("positions that are not the predicted ones".into());
        }
        if let Some(v) = &mut self.v {
            v.clear();
            v.resize(x.len(), Vector3::new(0.125, -0.25, -0.5));
        }
        // What is immovable is ignored.
        for (x, _) in x.iter_mut().zip(step.inv_mass).filter(|(_, w)| **w == 0.0) {
            *x = Point3::new(f64::NAN, 0.0, 0.0);
        }
        if step.predicted[0].y < -0.01 {
            match self.act {
                Act::Fail => return Err("no solution below -1 cm".into()),
                Act::Panic => panic!("a probe panics"),
                Act::PositionNan => x[3].z = f64::NAN,
                Act::PositionHuge => x[3].z = 1e39,
                Act::VelocityNan => self.v.iter_mut().for_each(|v| v[2].x = f64::NAN),
                Act::VelocitiesGone => self.v.iter_mut().for_each(Vec::clear),
                _ => {}
            }
        }
        Ok(ElasticReport { newton_iterations: 1, ..ElasticReport::default() })
    }

    fn end_velocities(&self) -> Option<&[Vector3<f64>]> {
        self.v.as_deref()
    }
}

/// A sheet that falls, with a vertex that is pinned.
fn falling_scene(act: Act) -> SimulationBuilder {
    let mut cloth = cotton(sheet(4, 0.2));
    cloth.pins = vec![15];
    cloth.material.bend = 0.0;
    let mut scene = scene_with(cloth, airless());
    scene.set_elastic_model(Probe(act));
    scene
}

fn falling(act: Act) -> Simulation {
    falling_scene(act).build().unwrap()
}

#[test]
fn what_a_model_does_wrong_is_an_error_that_changes_nothing() {
    let cases = [
        (Act::Fail, "no solution below -1 cm"),
        (Act::PositionNan, "vertex 3 became non-finite"),
        (Act::PositionHuge, "vertex 3 became non-finite"),
        (Act::VelocityNan, "the velocity of vertex 2 became non-finite"),
        (Act::VelocitiesGone, "it had 16 velocities when it was built and has 0 now"),
    ];
    for (act, fault) in cases {
        let mut sim = falling(act);
        // 1 cm is passed after 45 ms by a fall, and after 40 ms at 0.25 m/s: within the third step.
        run(&mut sim, 2);
        let (before, report) = (sim.snapshot(), *sim.report());
        let failed = sim.step(1.0 / 60.0).map(|_| ()).unwrap_err();
        assert_eq!(failed, StepError::ElasticModel { name: "probe".into(), fault: fault.into() });
        assert_eq!(failed.to_string(), format!("elastic model `probe`: {fault}; the step was undone"));
        assert_eq!(sim.snapshot().difference(&before), None, "{act:?}");
        assert_eq!(*sim.report(), report, "{act:?}");
        // It is the place that fails, so a short step succeeds.
        assert_eq!(sim.step(1e-4).unwrap().elastic.newton_iterations, 10, "{act:?}");
    }
}

#[test]
fn a_panic_of_a_model_is_undone_and_goes_on() {
    let mut sim = falling(Act::Panic);
    run(&mut sim, 2);
    let before = sim.snapshot();
    assert!(catch_unwind(AssertUnwindSafe(|| sim.step(1.0 / 60.0).map(|_| ()))).is_err());
    assert_eq!(sim.snapshot().difference(&before), None);
}

#[test]
fn a_model_gets_the_masses_when_pins_and_masses_change() {
    let mut sim = falling(Act::Nothing);
    let cloth = sim.cloth_id(0).unwrap();
    run(&mut sim, 2);
    sim.pin_all(cloth, &[0, 1]).unwrap();
    run(&mut sim, 2);
    sim.unpin_all(cloth, &[0, 15]).unwrap();
    run(&mut sim, 2);
    sim.set_mass(cloth, 3, 0.5).unwrap();
    run(&mut sim, 2);
    assert_eq!(sim.report().elastic.newton_iterations, 10);
}

#[test]
fn velocities_of_the_end_are_those_of_the_model() {
    let mut sim = falling(Act::Velocity);
    run(&mut sim, 2);
    let expected = Vector3::new(0.125, -0.25, -0.5);
    for (vertex, v) in sim.velocities().iter().enumerate() {
        let expected = if vertex == 15 { Vector3::zeros() } else { expected };
        // Velocities are differences of positions of 0.1 m, over substeps of 1.7 ms.
        assert!((v - expected).norm() < 1e-4, "vertex {vertex}: {v}");
    }
}

#[test]
fn hinges_act_unless_the_model_replaces_bending() {
    let moved = |act| {
        let flat = sheet(6, 0.3);
        let mut cloth = cotton(flat.clone().mapped(|p| Point3::new(p.x, 2.0 * p.x * p.x, p.z)));
        cloth.rest = RestShape::Positions(flat.positions);
        let mut scene = scene_with(cloth, weightless());
        scene.set_elastic_model(Probe(act));
        let mut sim = scene.build().unwrap();
        let start = sim.positions().to_vec();
        run(&mut sim, 10);
        furthest(sim.positions(), &start)
    };
    assert!(moved(Act::Nothing) > 1e-3);
    assert_eq!(moved(Act::ReplaceBending), 0.0);
}

#[test]
fn a_model_is_refused_by_itself_and_with_another() {
    let refused = |scene: SimulationBuilder| scene.build().map(|_| ()).unwrap_err();
    let mut scene = hung();
    scene.set_elastic_model(EdgeSprings { stiffness: f64::NAN, ..SPRINGS });
    let fault = "the stiffness must be finite and greater than zero".to_owned();
    assert_eq!(refused(scene), BuildError::ElasticModel { name: "edge springs".into(), fault });

    let fault = "it has 15 velocities for 16 vertices".to_owned();
    let expected = BuildError::ElasticModel { name: "probe".into(), fault };
    assert_eq!(refused(falling_scene(Act::VelocityMissing)), expected);

    let mut scene = Tested::Own(SPRINGS).act_in(hung());
    scene.settings_mut().model = ElasticModel::named()[2].1;
    let text = refused(scene.clone()).to_string();
    assert!(text.contains("`edge springs`") && text.contains("setting `model` is `fem`"), "{text}");
    scene.remove_elastic_model();
    scene.build().unwrap();
}

#[test]
fn a_snapshot_fits_no_other_model() {
    let builds = [
        Tested::Own(SPRINGS),
        Tested::Own(EdgeSprings { sweeps: 21, ..SPRINGS }),
        Tested::BuiltIn(ElasticModel::Xpbd),
    ];
    let sims = builds.map(|model| model.act_in(hung()).build().unwrap());
    let [springs, others @ ..] = &sims;
    assert_eq!(springs.clone().restore(&springs.snapshot()), Ok(()));
    for other in others {
        let text = other.clone().restore(&springs.snapshot()).unwrap_err().to_string();
        assert!(text.contains("they differ in the elastic model `edge springs`"), "{text}");
        assert!(springs.clone().restore(&other.snapshot()).is_err());
    }
}

#[test]
fn an_edit_changes_the_model_and_moves_no_cloth() {
    let mut sim = hung().build().unwrap();
    run(&mut sim, 3);
    let before = (sim.positions().to_vec(), sim.velocities().to_vec());
    sim.edit(|scene| {
        scene.set_elastic_model(SPRINGS);
        Ok(())
    })
    .unwrap();
    assert_eq!((sim.positions().to_vec(), sim.velocities().to_vec()), before);
    run(&mut sim, 1);
    assert_eq!(sim.report().elastic.solver_iterations, 20 * sim.settings().substeps);
    // Other edits keep it, and a second model is refused without a change.
    sim.edit(|scene| scene.remove_cloth(scene.cloth_id(0).unwrap()).map(|_| ())).unwrap();
    sim.step(1.0 / 60.0).unwrap();
    sim.add_cloth(cotton(sheet(4, 0.2))).unwrap();
    run(&mut sim, 1);
    assert_eq!(sim.report().elastic.solver_iterations, 20 * sim.settings().substeps);
    let model = ElasticModel::named()[1].1;
    assert!(sim.set_settings(Settings { model, ..*sim.settings() }).is_err());
    assert_eq!(sim.settings().model, ElasticModel::Xpbd);
}
