//! This project at its presets.

use std::collections::BTreeMap;

use cloth_solver::{Settings, Simulation, Wind};
use nalgebra::Point3;

use super::{BASELINE, Contender, PinTarget, described};
use crate::scene::{AIR_DAMPING, Scene};
use crate::schema::{self, Status};

/// This project with some settings; gravity, friction and damping are the scene's, and nothing sleeps.
pub struct Own {
    id: &'static str,
    name: &'static str,
    preset: Settings,
    simulation: Option<Simulation>,
    stage_ms: BTreeMap<String, f64>,
}

impl Own {
    /// `Settings::default()`, `Settings::game()` and `Settings::film()`.
    #[must_use]
    pub fn presets() -> [Self; 3] {
        let preset =
            |id, name, preset| Self { id, name, preset, simulation: None, stage_ms: BTreeMap::new() };
        [
            preset(BASELINE, "cloth, Settings::default()", Settings::default()),
            preset("cloth-game", "cloth, Settings::game()", Settings::game()),
            preset("cloth-film", "cloth, Settings::film()", Settings::film()),
        ]
    }

    fn settings(&self, scene: &Scene) -> Settings {
        let of_scene = &scene.setup.scene.settings;
        Settings {
            gravity: of_scene.gravity,
            self_friction: of_scene.self_friction,
            wind: Wind::VACUUM,
            air_damping: AIR_DAMPING,
            sleep: None,
            threads: 1,
            ..self.preset
        }
    }
}

impl Contender for Own {
    fn describe(&self) -> schema::Contender {
        let Settings { substeps, stretch_cycles, detect_interval, friction_iterations, .. } = self.preset;
        let settings = format!(
            "substeps {substeps}, stretch_cycles {stretch_cycles}, detect_interval {detect_interval}, \
             friction_iterations {friction_iterations}; Material::COTTON; no wind, no sleeping, one thread"
        );
        schema::Contender {
            certified: self.preset.gate,
            own: true,
            ..described(self.id, self.name, "cloth-solver", settings)
        }
    }

    fn load(&mut self, scene: &Scene) -> Result<(), Status> {
        let built = scene.setup.scene.build(self.settings(scene));
        self.simulation = Some(built.map_err(Status::failed)?);
        Ok(())
    }

    fn step(&mut self, dt: f64, pins: &[PinTarget]) -> Result<(), String> {
        let simulation = self.simulation.as_mut().ok_or("no scene was loaded")?;
        for pin in pins {
            let moved = simulation
                .cloth_id(pin.cloth)
                .and_then(|cloth| simulation.move_pin(cloth, pin.vertex, pin.target));
            moved.map_err(|e| e.to_string())?;
        }
        let report = simulation.step(dt as f32).map_err(|e| e.to_string())?;
        for (stage, time) in report.times.named() {
            // No allocation after the first frame.
            match self.stage_ms.get_mut(stage) {
                Some(sum) => *sum += 1e3 * time.as_secs_f64(),
                None => drop(self.stage_ms.insert(stage.to_owned(), 1e3 * time.as_secs_f64())),
            }
        }
        Ok(())
    }

    fn positions(&self, out: &mut Vec<Point3<f64>>) {
        out.clear();
        out.extend(self.simulation.iter().flat_map(|s| s.positions().iter().map(|p| p.map(f64::from))));
    }

    fn stage_ms(&self) -> BTreeMap<String, f64> {
        self.stage_ms.clone()
    }
}
