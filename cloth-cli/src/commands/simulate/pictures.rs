//! Pictures of a run: PNG files spread evenly over its time, all from one place, and all of them in one
//! strip.

use std::path::Path;

use cloth_scene::build::AnimatedCharacter;
use cloth_show::program::{Failure, RunFiles};
use cloth_show::render::{
    BodyView, Camera, ClothView, Direction, Image, RenderScene, Resolution, Shape, collider_shape, filmstrip,
    floor_height, render,
};
use cloth_show::run::Prepared;
use nalgebra::Point3;

use super::output::{DEFAULT_PICTURES, OutputPlan, make_folder};
use super::run::Still;

/// The file of the strip.
const STRIP: &str = "strip.png";

/// Pictures in a row of the strip, and the gap between them (pixels).
const COLUMNS: usize = 3;
const GAP: usize = 4;

/// The frames of which pictures are wanted: the last, or evenly from the start to the last.
pub(super) fn frames_to_keep(plan: &OutputPlan, frames: usize) -> Vec<usize> {
    let Some((_, pictures)) = &plan.pictures else { return Vec::new() };
    // No more than there are frames, whatever a scene asks for.
    match (pictures.count as usize).saturating_sub(1).min(frames) {
        0 => vec![frames],
        last => (0..=last).map(|k| (frames * k + last / 2) / last).collect(),
    }
}

/// The names of all pictures of a run of so many frames.
pub(super) fn file_names(plan: &OutputPlan, frames: usize) -> Vec<String> {
    let frames = frames_to_keep(plan, frames);
    frames.into_iter().map(file_name).chain([STRIP.to_owned()]).collect()
}

fn file_name(frame: usize) -> String {
    format!("frame_{frame:04}.png")
}

/// Draws and writes the newest still at once, from a place that the stills so far decide.
pub(super) fn write_last(
    plan: &OutputPlan,
    prepared: &Prepared,
    stills: &[Still],
    files: &RunFiles,
) -> Result<(), Failure> {
    let newest = stills.len().saturating_sub(1);
    draw_from(plan, prepared, stills, &stills[newest..], files).map(drop)
}

/// Draws and writes all stills from one place, and the strip; the line says what was written.
pub(super) fn write(
    plan: &OutputPlan,
    prepared: &Prepared,
    stills: &[Still],
    files: &RunFiles,
) -> Result<Option<String>, Failure> {
    let images = draw_from(plan, prepared, stills, stills, files)?;
    let Some((folder, _)) = plan.pictures.as_ref().filter(|_| !images.is_empty()) else { return Ok(None) };
    if images.len() > 1 {
        files.write_png(&folder.join(STRIP), &filmstrip(&images, COLUMNS, GAP))?;
    }
    Ok(Some(format!("wrote {} pictures to {}", images.len(), folder.display())))
}

/// Draws and writes the second stills from the place from which all of the first are seen.
fn draw_from(
    plan: &OutputPlan,
    prepared: &Prepared,
    framed: &[Still],
    drawn: &[Still],
    files: &RunFiles,
) -> Result<Vec<Image>, Failure> {
    let Some((folder, pictures)) = plan.pictures.as_ref().filter(|_| !drawn.is_empty()) else {
        return Ok(Vec::new());
    };
    make_folder(folder)?;
    let [width, height] = pictures.size.map(usize::from);
    let resolution = Resolution::new(width, height);
    let camera = Camera::framing_points(&seen(prepared, framed), Direction::default(), resolution.aspect());
    let draw_and_write = |still: &Still| {
        let image = draw(prepared, still, &camera, resolution);
        files.write_png(&folder.join(file_name(still.frame)), &image).map(|()| image)
    };
    drawn.iter().map(draw_and_write).collect()
}

/// Draws and writes one still.
pub(super) fn write_one(
    path: &Path,
    prepared: &Prepared,
    still: &Still,
    plan: &OutputPlan,
    files: &RunFiles,
) -> Result<(), Failure> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        make_folder(folder)?;
    }
    let size = plan.pictures.as_ref().map_or(DEFAULT_PICTURES, |(_, pictures)| *pictures).size;
    let resolution = Resolution::new(size[0].into(), size[1].into());
    let seen = seen(prepared, std::slice::from_ref(still));
    let camera = Camera::framing_points(&seen, Direction::default(), resolution.aspect());
    files.write_png(path, &draw(prepared, still, &camera, resolution))
}

fn draw(prepared: &Prepared, still: &Still, camera: &Camera, resolution: Resolution) -> Image {
    let faces = prepared.simulation.faces();
    let (mut first, mut cloths, mut reds) = (0, Vec::new(), Vec::new());
    for garment in &prepared.scene.garments {
        let range = first..first + garment.mesh.faces.len();
        let red = still.red_faces.iter().map(|&f| f as usize).filter(|f| range.contains(f));
        reds.push(red.map(|f| (f - first) as u32).collect::<Vec<_>>());
        first = range.end;
        cloths.push(range);
    }
    let views: Vec<ClothView<'_>> = cloths
        .into_iter()
        .zip(&reds)
        .enumerate()
        .map(|(hue, (range, red_faces))| ClothView {
            positions: &still.positions,
            faces: &faces[range],
            hue,
            red_faces,
        })
        .collect();
    // A character is drawn by its skin.
    let proxies = prepared.scene.bodies.character().map_or(0, AnimatedCharacter::proxy_count);
    let rigid = &still.colliders[..still.colliders.len() - proxies];
    let shapes: Vec<Shape> = rigid.iter().filter_map(collider_shape).collect();
    let mut bodies: Vec<BodyView<'_>> = shapes.iter().map(Shape::as_body).collect();
    // The skin of a character has colours of its own.
    let rigid = faces.len() - first - skin_faces(prepared);
    bodies.push(BodyView { positions: &still.positions, faces: &faces[first..first + rigid], color: None });
    if let Some(character) = prepared.scene.bodies.character().filter(|_| !still.skin.is_empty()) {
        let part = |(color, faces)| BodyView { positions: &still.skin, faces, color: Some(color) };
        bodies.extend(character.coloured_faces().map(part));
    }
    render(
        &RenderScene { cloths: &views, bodies: &bodies, floor_y: floor_height(&still.colliders) },
        camera,
        resolution,
    )
}

/// The faces of the simulation that are skin, its last.
fn skin_faces(prepared: &Prepared) -> usize {
    let character = prepared.scene.bodies.character().filter(|c| c.body.has_skin());
    character.map_or(0, |character| character.faces().len())
}

/// The cloth and what it falls on, in all stills.
fn seen(prepared: &Prepared, stills: &[Still]) -> Vec<Point3<f32>> {
    let used = prepared.simulation.faces().iter().flatten();
    let used: Vec<usize> = used.map(|&v| v as usize).collect();
    let points = stills.iter().flat_map(|still| {
        let shapes = still.colliders.iter().filter_map(collider_shape).flat_map(|s| s.positions);
        used.iter().map(|&v| still.positions[v]).chain(shapes).chain(still.skin.iter().copied())
    });
    points.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::OutputArgs;
    use cloth_scene::SceneSource;

    #[test]
    fn keeps_frames_evenly_from_the_start_to_the_last() {
        let keep = |count, frames| {
            let args = OutputArgs {
                pictures: Some("p".into()),
                picture_count: Some(count),
                ..OutputArgs::default()
            };
            let plan = OutputPlan::new(&args, None, &SceneSource::Flags("g".into())).unwrap();
            frames_to_keep(&plan, frames)
        };
        assert_eq!(keep(1, 180), [180]);
        assert_eq!(keep(4, 180), [0, 60, 120, 180]);
        assert_eq!(keep(9, 2), [0, 1, 2]);
        assert_eq!(keep(u32::MAX, 3), [0, 1, 2, 3]);
        assert_eq!(keep(0, 3), [3]);
    }
}
