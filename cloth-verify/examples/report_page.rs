//! Writes a report of two invented scenarios, with a picture, to a directory: what `verify --report` writes.
//!
//! `cargo run -p cloth-verify --features render --example report_page -- DIR`

use cloth_verify::render::{
    BodyView, Camera, Direction, Image, RenderScene, Resolution, encode_png, filmstrip, render, sphere,
};
use cloth_verify::report::{
    Contacts, Control, Figure, Intersections, MsPerFrame, Peak, PerFrame, Picture, ScenarioReport, Stretch,
    VerifyReport, hex, table, write_report,
};
use nalgebra::Point3;

const FRAMES: usize = 180;

/// Figures that only look measured.
fn scenario(name: &str, crossings: u64) -> ScenarioReport {
    let hump = |i: usize, height: f64| {
        let x = (i as f64 / FRAMES as f64 - 0.45) * 6.0;
        (height * (-x * x).exp()) as u64
    };
    let run: Vec<u64> = (0..FRAMES).map(|i| hump(i, crossings as f64)).collect();
    let control: Vec<u64> = (0..FRAMES).map(|i| hump(i, 3324.0).max(20 * i.min(90) as u64)).collect();
    let ms: Vec<f64> =
        (0..FRAMES).map(|i| 2.0 + hump(i, 300.0) as f64 / 100.0 + (i % 7) as f64 * 0.06).collect();
    let failures = match crossings {
        0 => vec![],
        n => vec![format!("{n} intersections in the worst frame, expected 0")],
    };
    ScenarioReport {
        name: name.into(),
        size: "medium".into(),
        broadphase: "parry-bvh".into(),
        gate: false,
        particles: 4096,
        triangles: 7938,
        frames: FRAMES,
        substeps: 4,
        dt_s: (1.0 / 60.0).into(),
        thickness_m: 0.006.into(),
        friction: 0.4.into(),
        friction_cloth: 0.1.into(),
        intersections: Intersections::from_frames(0, &run),
        intersecting_triangle_pairs: Peak { max: crossings * 6 / 10, last: 0 },
        contacts: Contacts { mean: 5321.7.into(), max: 9120 },
        deepest_penetration_m: 0.0.into(),
        stretch: Stretch {
            p99: 0.0123.into(),
            max: 0.041.into(),
            diagonal_p99: 0.052.into(),
            diagonal_max: 0.11.into(),
        },
        ms_per_frame: MsPerFrame::from_frames(&ms),
        stage_ms: [("predict", 0.04), ("detect", 1.31), ("solve", 1.12), ("update", 0.06)]
            .map(|(stage, ms)| (stage.into(), ms.into()))
            .into(),
        state_hash: hex(0x9e37_79b9_7f4a_7c15),
        control: Control {
            name: "no self collision".into(),
            absence: None,
            max_intersections: control.iter().copied().max().unwrap_or(0),
            final_intersections: control.last().copied().unwrap_or(0),
            expected_to_intersect: true,
            stretch_p99: 0.012.into(),
            cases: None,
        },
        pass: failures.is_empty(),
        failures,
        per_frame: PerFrame {
            intersections: run,
            control_intersections: control,
            ms: ms.into_iter().map(Figure::from).collect(),
        },
        ..ScenarioReport::default()
    }
}

/// A ball that falls: six frames seen by one camera.
fn film() -> Image {
    let balls: Vec<_> = (0..6).map(|i| sphere(Point3::new(0.0, 0.9 - 0.14 * i as f32, 0.0), 0.2)).collect();
    let views: Vec<_> =
        balls.iter().map(|b| BodyView { positions: &b.positions, faces: &b.faces, color: None }).collect();
    let all = RenderScene { bodies: &views, ..RenderScene::default() };
    let resolution = Resolution::new(320, 240);
    let camera = Camera::framing(&all.bounds(), Direction::default(), resolution.aspect());
    let frame = |view: &BodyView<'_>| {
        let scene =
            RenderScene { bodies: std::slice::from_ref(view), floor_y: Some(0.0), ..RenderScene::default() };
        render(&scene, &camera, resolution)
    };
    filmstrip(&views.iter().map(frame).collect::<Vec<_>>(), 3, 4)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args().nth(1).ok_or("usage: report_page DIR")?;
    let report = VerifyReport::new(1, vec![scenario("pile", 0), scenario("twist", 12)]);
    let film =
        Picture { scenario: 0, caption: "Frames 0 to 180, each 36th".into(), png: encode_png(&film())? };
    let page = write_report(dir.as_ref(), &report, &[film], &[])?;
    print!("{}", table(&report));
    println!("{}", page.display());
    Ok(())
}
