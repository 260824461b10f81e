//! The garments of a scene file that say `place`: they are moved there before anything else is done with
//! them.

use cloth_geom::{Aabb, TriMesh};
use cloth_io::read_mesh;
use cloth_io::scene::{Body, Garment, Placing, Scene, Shape, pose_at};
use nalgebra::{Point3, Vector3};

use super::{FigureSize, above, drop_height, on_figure};
use crate::commands::simulate::bodies::{Bodies, limb_angles};
use crate::commands::simulate::garment::{RepairedMesh, name, place as placed, repair_mesh};
use crate::commands::simulate::source::Source;
use crate::failure::Failure;

/// Places the garments that ask for it, and says where, a sentence each.
pub(in crate::commands::simulate) fn place_garments(
    scene: &mut Scene,
    source: &Source,
) -> Result<Vec<String>, Failure> {
    let mut notes = Vec::new();
    for index in 0..scene.garments.len() {
        let garment = &scene.garments[index];
        if garment.place == Placing::AsIs {
            continue;
        }
        let repaired = at_its_file(garment, source)?;
        let (translate, note) = match (garment.place, figure(&scene.bodies)) {
            (Placing::Auto, None) => continue,
            (Placing::Auto, Some((figure, size))) => dressed(&repaired, figure, size, source)?,
            _ => (over_all(&repaired, scene, source)?, "placed above the bodies".to_owned()),
        };
        notes.push(format!("{}: {note}", name(garment, index, source)));
        let garment = &mut scene.garments[index];
        garment.translate = (Vector3::from(garment.translate) + translate).into();
        garment.place = Placing::AsIs;
    }
    Ok(notes)
}

/// A garment before `translate`.
fn at_its_file(garment: &Garment, source: &Source) -> Result<RepairedMesh, Failure> {
    let still = Garment { translate: [0.0; 3], ..garment.clone() };
    let path = source.resolve(&garment.mesh);
    let mesh: TriMesh = read_mesh(&path)?.mesh.mapped(|p| placed(&still, &p));
    repair_mesh(&mesh, garment.weld_distance)
        .map_err(|text| Failure::new(format!("{}: {text}", path.display())))
}

/// The first figure of a scene, and its size.
fn figure(bodies: &[Body]) -> Option<(&Body, FigureSize)> {
    bodies.iter().find_map(|body| match body.shape {
        // Its limbs are what the scene says: other garments may rely on them.
        Shape::Figure { height, arms, legs } => {
            Some((body, FigureSize::new(height, Some(limb_angles(arms, legs)))))
        }
        _ => None,
    })
}

fn dressed(
    garment: &RepairedMesh,
    figure: &Body,
    size: FigureSize,
    source: &Source,
) -> Result<(Vector3<f64>, String), Failure> {
    let pose = pose_at(&figure.motion, 0.0);
    if pose.rotation.angle() > 0.0 {
        let text = "\"auto\" needs a figure that is not turned at time 0; use \"asis\" with `rotate` and `translate`";
        return Err(source.fail("garment.place", text));
    }
    let (translate, note) = match on_figure(&garment.mesh, size) {
        Ok(found) => (found.translate, found.note),
        Err(why) => {
            let bounds = garment.mesh.bounds();
            let top = Point3::new(0.0, size.height, 0.0);
            let translate = above(&bounds, &Aabb { min: top, max: top }, drop_height(&bounds));
            (translate, format!("placed above the figure: {why}"))
        }
    };
    Ok((translate + pose.translation, note))
}

/// Above all bodies of a scene that have bounds; above the origin if there are none.
fn over_all(garment: &RepairedMesh, scene: &Scene, source: &Source) -> Result<Vector3<f64>, Failure> {
    let origin = Aabb { min: Point3::origin(), max: Point3::origin() };
    let bodies = Bodies::new(scene, source)?.bounds().unwrap_or(origin);
    let bounds = garment.mesh.bounds();
    Ok(above(&bounds, &bodies, drop_height(&bounds)))
}
