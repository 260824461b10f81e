//! Draws a wavy sheet that lies over a ball in folds, a tucked strip and some red faces, and writes a PNG.
//!
//! `cargo run -p cloth-show --features pictures --example render_folds -- FILE.png [WIDTH]`

use cloth_show::render::{
    Camera, ClothView, Direction, RenderScene, Resolution, Shape, encode_png, render, sphere,
};
use nalgebra::{Point3, Vector3};

/// Vertices along each side.
const SIDE: u32 = 140;
/// Side of the sheet (m).
const WIDTH: f32 = 1.1;
const RADIUS: f32 = 0.17;
const CENTER: Point3<f32> = Point3::new(0.0, 0.54, 0.0);

/// How far out on the fold a place is, 0 in its valley and 1 on its ridge: eight folds, no two alike.
fn ridge(turn: f32) -> f32 {
    0.5 + 0.5 * (turn * 8.0 + 0.7 * (turn * 3.0 + 1.0).sin()).cos()
}

/// Places a point of the flat sheet, middle at the origin, over the ball: it follows the ball down to the
/// equator, then hangs as a tablecloth does, and the farther out a place is, the deeper it waves.
fn hang(x: f32, z: f32) -> Point3<f32> {
    let (along, turn) = (x.hypot(z), z.atan2(x));
    let over = RADIUS + 0.004;
    let angle = (along / over).min(std::f32::consts::FRAC_PI_2);
    let rest = along - angle * over;
    let free = (along - 0.75 * over).max(0.0);
    let depth = (free * free * 0.9).min(0.6 * free) * ridge(turn) * (1.0 + 0.3 * (turn * 2.0).cos());
    let away = over * angle.sin() + depth + rest * 0.05;
    let y = over * angle.cos() - rest * (1.0 - 0.12 * ridge(turn));
    // Ridges are wider than the valleys between them, and lean over.
    let lean = 1.3 * free * (turn * 8.0 + 0.7 * (turn * 3.0 + 1.0).sin()).sin() + 0.25 * free;
    let turn = turn + lean.clamp(-0.16, 0.16);
    CENTER + Vector3::new(away * turn.cos(), y, away * turn.sin())
}

fn flat(vertex: u32) -> [f32; 2] {
    [vertex % SIDE, vertex / SIDE].map(|i| (i as f32 / (SIDE - 1) as f32 - 0.5) * WIDTH)
}

fn sheet() -> Shape {
    let positions = (0..SIDE * SIDE).map(|v| hang(flat(v)[0], flat(v)[1])).collect();
    let faces = (0..(SIDE - 1) * (SIDE - 1)).flat_map(|k| {
        let p = k / (SIDE - 1) * SIDE + k % (SIDE - 1);
        [[p, p + SIDE, p + SIDE + 1], [p, p + SIDE + 1, p + 1]]
    });
    Shape { positions, faces: faces.collect() }
}

/// Faces in one valley, as if the two ridges beside it had grown through each other there.
fn crossing(sheet: &Shape) -> Vec<u32> {
    let in_valley = |f: &[u32; 3]| {
        let [x, z] = flat(f[0]);
        (1.15..1.75).contains(&z.atan2(x)) && ridge(z.atan2(x)) < 0.02 && (0.38..0.47).contains(&x.hypot(z))
    };
    (0..).zip(&sheet.faces).filter(|(_, f)| in_valley(f)).map(|(i, _)| i).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: render_folds FILE.png [WIDTH]")?;
    let width = arguments.next().map_or(Ok(960), |w| w.parse::<usize>())?;

    let (cloth, ball) = (sheet(), sphere(CENTER, RADIUS));
    let red_faces = crossing(&cloth);
    let cloths =
        [ClothView { positions: &cloth.positions, faces: &cloth.faces, hue: 0, red_faces: &red_faces }];
    let scene = RenderScene { cloths: &cloths, bodies: &[ball.as_body()], floor_y: Some(0.0) };

    let resolution = Resolution::new(width, width * 3 / 4);
    let camera = Camera::framing(&scene.bounds(), Direction::default(), resolution.aspect());
    let image = render(&scene, &camera, resolution);
    std::fs::write(&file, encode_png(&image)?)?;
    Ok(())
}
