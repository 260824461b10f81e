//! What was untangled, in a picture: before on the left, after on the right, what intersects in red.

use std::path::Path;

use cloth_contacts::intersect::{Checker, Seams};
use cloth_geom::{Aabb, Topology, TriMesh};
use cloth_show::program::{Failure, RunFiles};
use cloth_show::render::{
    BodyView, Camera, ClothView, Direction, Image, RenderScene, Resolution, filmstrip, render,
};
use nalgebra::Point3;

/// Size of either half (pixels), and the gap between them.
const SIZE: [usize; 2] = [640, 800];
const GAP: usize = 4;

/// A picture.
pub(super) type Drawn = Image;

/// Writes it.
pub(super) fn write(path: &Path, drawn: &Drawn, files: &RunFiles) -> Result<(), Failure> {
    files.write_png(path, drawn)
}

/// Draws two states of the cloth from one place.
pub(super) fn draw(
    cloth: &TriMesh,
    after: &[Point3<f64>],
    bodies: &[TriMesh],
    seams: Option<&Seams>,
) -> Drawn {
    let resolution = Resolution::new(SIZE[0], SIZE[1]);
    let bounds = Aabb::of_points(cloth.positions.iter().chain(after).copied());
    // Relative to the middle, where `f32` is finest.
    let middle = nalgebra::center(&bounds.min, &bounds.max);
    let relative = |x: &[Point3<f64>]| -> Vec<Point3<f32>> {
        x.iter().map(|p| Point3::from((p - middle).cast::<f32>())).collect()
    };
    let framed = Aabb { min: (bounds.min - middle).into(), max: (bounds.max - middle).into() };
    let camera = Camera::framing(&framed, Direction::default(), resolution.aspect());
    let body_positions: Vec<_> = bodies.iter().map(|body| relative(&body.positions)).collect();
    let views = body_positions.iter().zip(bodies);
    let views: Vec<_> =
        views.map(|(positions, body)| BodyView { positions, faces: &body.faces, color: None }).collect();
    let states = [&*cloth.positions, after].map(|x| {
        let (positions, red_faces) = (relative(x), intersecting(cloth, x, bodies, seams));
        let view = ClothView { positions: &positions, faces: &cloth.faces, hue: 0, red_faces: &red_faces };
        render(&RenderScene { cloths: &[view], bodies: &views, floor_y: None }, &camera, resolution)
    });
    filmstrip(&states, states.len(), GAP)
}

/// The faces of the cloth that intersect something in a state.
fn intersecting(cloth: &TriMesh, x: &[Point3<f64>], bodies: &[TriMesh], seams: Option<&Seams>) -> Vec<u32> {
    let mut all = TriMesh::new(x.to_vec(), cloth.faces.clone());
    for body in bodies {
        all.append(body);
    }
    // Both have been checked before.
    let Ok(topology) = Topology::of_mesh(&all) else { return Vec::new() };
    let Ok(mut found) = Checker::default().check(&all.positions, &topology) else { return Vec::new() };
    if let Some(seams) = seams {
        found = seams.closed_in(&all.positions).leave_out(found, &topology);
    }
    let faces = found.intersecting_faces(&topology).into_iter();
    faces.filter(|&f| (f as usize) < cloth.faces.len()).collect()
}

#[cfg(test)]
mod tests {
    use cloth_geom::fixtures::sheet;

    use super::*;

    #[test]
    fn what_intersects_is_red_on_its_side_of_the_picture() {
        let mut cloth = sheet(8, 8, [1.0, 1.0]).unwrap().mesh;
        let count = cloth.positions.len();
        let upright = |p: &Point3<f64>| Point3::new(p.x + 0.31, p.z - 0.4, p.y + 0.02);
        cloth.append(&sheet(8, 8, [1.0, 1.0]).unwrap().mesh.mapped(|p| upright(&p)));
        let mut apart = cloth.positions.clone();
        apart[count..].iter_mut().for_each(|p| p.y += 2.0);
        let image = draw(&cloth, &apart, &[], None);
        let mut red = [0, 0];
        for (pixel, rgb) in image.rgb.chunks(3).enumerate() {
            let is_red = rgb[0] > 200 && rgb[1] < 60 && rgb[2] < 60;
            red[usize::from(pixel % image.width > SIZE[0])] += usize::from(is_red);
        }
        assert!(red[0] > 1000 && red[1] == 0, "{red:?}");
    }
}
