//! A scenario with the gate, and beside it without: an animated PNG, intersecting faces in red.
//!
//! ```text
//! animate_gate SCENARIO SIZE FILE.png [WIDTH]
//! ```
//!
//! It prints the intersections of both, of every picture.

use std::error::Error;

use cloth_solver::{IntersectionFilter, Settings, Shape, Simulation};
use cloth_verify::render::{
    self, BodyView, Camera, ClothView, Image, RenderScene, Resolution, filmstrip, render, sphere,
};
use cloth_verify::scenario::{Scenario, Setup};
use cloth_verify::{Size, scenarios};
use nalgebra::Point3;

/// Pictures a second.
const RATE: u16 = 12;
/// Pixels between the runs.
const GAP: usize = 4;

/// A run that goes on picture by picture.
struct Run {
    setup: Setup,
    sim: Simulation,
    frame: usize,
}

impl Run {
    fn new(scenario: &Scenario, size: Size, gate: bool) -> Result<Self, Box<dyn Error>> {
        let setup = (scenario.build)(size)?;
        let settings = Settings { gate: gate && setup.scene.settings.gate, ..setup.scene.settings };
        let sim = setup.scene.builder(settings)?.build()?;
        Ok(Self { setup, sim, frame: 0 })
    }

    /// Goes on to the next picture.
    fn advance(&mut self) -> Result<(), Box<dyn Error>> {
        let due = self.setup.time_after(self.frame) + 1.0 / f32::from(RATE);
        while self.frame < self.setup.frames && self.setup.time_after(self.frame) < due {
            self.setup.drive(&mut self.sim, self.frame)?;
            let substeps = self.sim.settings().substeps;
            let waypoints = self.setup.move_wearer(&mut self.sim, self.frame, substeps)?;
            self.sim.step_through(self.setup.dt_of(self.frame), &waypoints, &mut |_| {})?;
            self.frame += 1;
        }
        Ok(())
    }

    /// The picture of the present state, and its intersections.
    fn draw(&self, camera: &Camera, resolution: Resolution) -> Result<(Image, usize), Box<dyn Error>> {
        let found = self.sim.intersections(IntersectionFilter::CLOTH)?;
        let red = found.intersecting_faces(self.sim.surface().topology());
        let mut first = 0;
        let parts = self.setup.scene.cloths.iter().map(|cloth| {
            let own = first..first + cloth.mesh.faces.len();
            first = own.end;
            let of_cloth = red.iter().filter(|&&f| own.contains(&(f as usize)));
            (own.clone(), of_cloth.map(|f| f - own.start as u32).collect::<Vec<_>>())
        });
        let parts: Vec<_> = parts.collect();
        let cloths: Vec<ClothView<'_>> = parts
            .iter()
            .enumerate()
            .map(|(hue, (own, red_faces))| ClothView {
                positions: self.sim.positions(),
                faces: &self.sim.faces()[own.clone()],
                hue,
                red_faces,
            })
            .collect();
        let balls: Vec<render::Shape> = self
            .sim
            .colliders()
            .iter()
            .filter_map(|collider| match collider.shape {
                Shape::Sphere { radius } => {
                    Some(sphere(Point3::from(collider.pose_t1.translation.vector), radius))
                }
                _ => None,
            })
            .collect();
        let bodies: Vec<BodyView<'_>> = balls
            .iter()
            .map(|b| BodyView { positions: &b.positions, faces: &b.faces, color: None })
            .collect();
        let scene = RenderScene { cloths: &cloths, bodies: &bodies, floor_y: None };
        Ok((render(&scene, camera, resolution), found.count()))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scenario, size, file, rest @ ..] = &arguments[..] else {
        return Err("usage: animate_gate SCENARIO SIZE FILE.png [WIDTH]".into());
    };
    let width = rest.first().map_or(Ok(360), |width| width.parse::<usize>())?;
    let scenario = scenarios::all().iter().find(|s| s.name == scenario).ok_or("there is no such scenario")?;
    let size: Size = size.parse()?;
    let mut runs = [Run::new(scenario, size, true)?, Run::new(scenario, size, false)?];
    let resolution = Resolution::new(width, width * 3 / 4).with_samples(3);
    let start = RenderScene {
        cloths: &[ClothView { positions: runs[0].sim.positions(), faces: &[], hue: 0, red_faces: &[] }],
        ..RenderScene::default()
    };
    let camera = Camera::framing(&start.bounds(), runs[0].setup.view, resolution.aspect());
    let mut pictures = Vec::new();
    loop {
        let [left, right] = [runs[0].draw(&camera, resolution)?, runs[1].draw(&camera, resolution)?];
        println!("frame {}: {} and {} intersections", runs[0].frame, left.1, right.1);
        pictures.push(filmstrip(&[left.0, right.0], 2, GAP));
        if runs[0].frame == runs[0].setup.frames {
            break;
        }
        runs.iter_mut().try_for_each(Run::advance)?;
    }
    std::fs::write(file, animated_png(&pictures)?)?;
    Ok(())
}

/// Pictures of one size, one after another without end. Each holds what has changed.
fn animated_png(pictures: &[Image]) -> Result<Vec<u8>, Box<dyn Error>> {
    let [width, height] = [pictures[0].width, pictures[0].height];
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    encoder.set_animated(pictures.len() as u32, 0)?;
    encoder.set_frame_delay(1, RATE)?;
    let mut writer = encoder.write_header()?;
    for (k, picture) in pictures.iter().enumerate() {
        let last = k + 1 == pictures.len();
        writer.set_frame_delay(if last { 2 * RATE } else { 1 }, RATE)?;
        let [x, y, w, h] = k.checked_sub(1).map_or([0, 0, width, height], |b| changed(&pictures[b], picture));
        if k > 0 {
            writer.reset_frame_position()?;
            writer.set_frame_dimension(w as u32, h as u32)?;
            writer.set_frame_position(x as u32, y as u32)?;
        }
        let rows = (y..y + h).flat_map(|row| &picture.rgb[3 * (row * width + x)..3 * (row * width + x + w)]);
        writer.write_image_data(&rows.copied().collect::<Vec<_>>())?;
    }
    writer.finish()?;
    Ok(bytes)
}

/// The box of the pixels that differ, at least one: its corner and its size.
fn changed(before: &Image, now: &Image) -> [usize; 4] {
    let pixels = before.rgb.chunks(3).zip(now.rgb.chunks(3)).enumerate().filter(|(_, (a, b))| a != b);
    let places = pixels.map(|(k, _)| [k % now.width, k / now.width]);
    let [low, high] = places.fold([[usize::MAX; 2], [0; 2]], |[low, high], p| {
        [[low[0].min(p[0]), low[1].min(p[1])], [high[0].max(p[0]), high[1].max(p[1])]]
    });
    if low[0] > high[0] { [0, 0, 1, 1] } else { [low[0], low[1], high[0] + 1 - low[0], high[1] + 1 - low[1]] }
}
