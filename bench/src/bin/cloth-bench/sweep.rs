//! `sweep`: settings of the peers on `hang`, by which their best settings were chosen.

use std::time::Instant;

use clap::Args;
use cloth_bench::contenders::{ClothCore, ClothCoreSettings, Contender, Own, Rapier, RapierSettings};
use cloth_bench::scene::Scene;
use cloth_show::invariants::Strain;
use nalgebra::Point3;

/// Natural frequencies (Hz) of rapier3d's springs.
const FREQUENCIES: [f32; 4] = [30.0, 120.0, 480.0, 1920.0];
/// Its solver iterations.
const ITERATIONS: [usize; 4] = [4, 8, 16, 32];
/// Its additional passes over the constraints of soft bodies.
const PASSES: [usize; 2] = [3, 7];
/// Substeps and iterations of XPBD.
const XPBD: [(u32, usize); 6] = [(4, 8), (4, 16), (4, 32), (8, 8), (16, 8), (32, 2)];

/// Time and stretch are those of one run.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Vertices along a side.
    #[arg(long, value_name = "N", default_value_t = 32)]
    side: usize,
    /// Frames.
    #[arg(long, value_name = "N", default_value_t = 60)]
    frames: usize,
}

impl Arguments {
    pub(super) fn run(self) -> Result<(), String> {
        println!("| settings | ms a frame | stretch p99 | largest |\n|---|---|---|---|");
        let [baseline, game, film] = Own::presets();
        for mut contender in [game, baseline, film] {
            let name = contender.describe().name;
            self.row(&name, &mut contender)?;
        }
        for (edge_hz, solver_iterations) in FREQUENCIES.iter().flat_map(|f| ITERATIONS.map(|n| (*f, n))) {
            for additional_pgs_iterations in PASSES {
                let settings = RapierSettings {
                    edge_hz,
                    solver_iterations,
                    additional_pgs_iterations,
                    ..RapierSettings::library_default()
                };
                let name =
                    format!("rapier3d {edge_hz} Hz, {solver_iterations} x (1 + {additional_pgs_iterations})");
                self.row(&name, &mut Rapier::new(settings))?;
            }
        }
        for (substeps, iterations) in XPBD {
            let settings = ClothCoreSettings { substeps, iterations, ..ClothCoreSettings::xpbd() };
            self.row(&format!("XPBD {substeps} x {iterations}"), &mut ClothCore::new(settings))?;
        }
        self.row("implicit", &mut ClothCore::new(ClothCoreSettings::implicit()))
    }

    fn row(&self, name: &str, contender: &mut dyn Contender) -> Result<(), String> {
        let scene = Scene::new("hang", self.side)?;
        contender.load(&scene).map_err(|e| e.to_string())?;
        let (mut strain, mut seconds) = (None, 0.0);
        let (mut positions, mut room): (Vec<Point3<f64>>, Vec<f64>) = Default::default();
        for frame in 0..self.frames {
            let start = Instant::now();
            if let Err(error) = contender.step(f64::from(scene.setup.dt_of(frame)), &[]) {
                println!("| {name} | frame {}: {error} | | |", frame + 1);
                return Ok(());
            }
            seconds += start.elapsed().as_secs_f64();
            contender.positions(&mut positions);
            let found = Strain::measure(&positions, &scene.setup.measured.threads, &mut room);
            strain = Strain::worst([strain, found]);
        }
        let strain = strain.ok_or("the scene has no edges to measure")?;
        let ms = 1e3 * seconds / self.frames as f64;
        println!("| {name} | {ms:.2} | {:.2} % | {:.1} % |", 100.0 * strain.p99, 100.0 * strain.max);
        Ok(())
    }
}
