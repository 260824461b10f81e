//! Fits collision proxies to the skin of a character, prints the report and draws both.
//!
//! ```text
//! proxies_over_skin CHARACTER.glb FILE.png [--fingers] [--max N] [--clip NAME TIME]
//! ```
//!
//! Upper row: the skin (grey), proxies over it (blue): grey shows where the skin pokes out. Lower row: the
//! same from behind, and the proxies alone. With `--clip` the skin is posed by a clip at a time (s), and the
//! report is that of the pose.

use std::{error::Error, path::Path, time::Instant};

use cloth_character::{Pose, ProxyOptions, compute_world_proxies, fit_proxies, measure_proxies};
use cloth_io::read_character;
use cloth_show::Direction;
use cloth_show::render::{
    Camera, ClothView, RenderScene, Resolution, Shape, encode_png, filmstrip, render, tapered_capsule,
};
use nalgebra::Point3;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, picture, ..] = &arguments[..] else {
        return Err(
            "usage: proxies_over_skin CHARACTER.glb FILE.png [--fingers] [--max N] [--clip NAME TIME]".into(),
        );
    };
    let place = |name: &str| arguments.iter().position(|a| a == name);
    let value = |name: &str, k: usize| place(name).and_then(|p| arguments.get(p + k));
    let character = read_character(Path::new(file))?.character;
    let mut options = ProxyOptions { fingers: place("--fingers").is_some(), ..ProxyOptions::default() };
    if let Some(max) = value("--max", 1) {
        options.max_proxies = max.parse()?;
    }

    let start = Instant::now();
    let fitted = fit_proxies(&character, &options)?;
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    println!("{file}: height {:.3} m, fit {milliseconds:.0} ms", fitted.report.height);
    print!("{}", fitted.report);
    let left_out = fitted.report.left_out.iter().map(|bone| format!("{} ({:?})", bone.name, bone.reason));
    println!("left out: {}", left_out.collect::<Vec<_>>().join(", "));

    let mut pose = character.bind_pose();
    if let (Some(name), Some(time)) = (value("--clip", 1), value("--clip", 2)) {
        pose = Pose::default();
        character.clips[character.find_clip(name)?].sample(&character.skeleton, time.parse()?, &mut pose);
    }
    let mut world = Vec::new();
    character.skeleton.compute_world(&pose, &mut world);
    if place("--clip").is_some() {
        println!("in the pose:\n{}", measure_proxies(&character, &fitted.proxies, &world, &options)?);
    }

    let mut skins = Vec::new();
    for mesh in &character.meshes {
        let (mut matrices, mut positions) = (Vec::new(), vec![Point3::origin(); mesh.skin.len()]);
        mesh.skin.compute_matrices(&world, &mut matrices);
        mesh.skin.deform_positions(&matrices, &mut positions)?;
        skins.push(Shape { positions, faces: mesh.faces.clone() });
    }
    let mut placed = Vec::new();
    compute_world_proxies(&fitted.proxies, &world, &mut placed);
    let proxies: Vec<Shape> =
        placed.iter().map(|p| tapered_capsule(p.ends.map(Point3::cast), p.radii.map(|r| r as f32))).collect();
    draw(&skins, &proxies, Path::new(picture))
}

fn draw(skins: &[Shape], proxies: &[Shape], file: &Path) -> Result<(), Box<dyn Error>> {
    let bodies: Vec<_> = skins.iter().map(Shape::as_body).collect();
    let cloths: Vec<ClothView> = (0..)
        .zip(proxies)
        .map(|(k, p)| ClothView { positions: &p.positions, faces: &p.faces, hue: k, red_faces: &[] })
        .collect();
    let all = RenderScene { cloths: &cloths, bodies: &bodies, floor_y: None };
    let skin = RenderScene { cloths: &[], ..all };
    let alone = RenderScene { bodies: &[], ..all };
    let resolution = Resolution::new(640, 720);
    let seen = |scene: &RenderScene, azimuth_deg: f32, elevation_deg: f32| {
        let direction = Direction { azimuth_deg, elevation_deg };
        render(scene, &Camera::framing(&all.bounds(), direction, resolution.aspect()), resolution)
    };
    let views = [(&skin, 20.0), (&all, 20.0), (&alone, 20.0), (&all, 200.0), (&all, 90.0), (&skin, 90.0)];
    let images = views.map(|(scene, azimuth)| seen(scene, azimuth, 8.0));
    std::fs::write(file, encode_png(&filmstrip(&images, 3, 4))?)?;
    Ok(())
}
