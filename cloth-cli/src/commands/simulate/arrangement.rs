//! The bodies that a garment without a scene file meets, and the floor below.

use std::path::Path;

use cloth_geom::{Aabb, TriMesh};
use cloth_scene::build::{AnimatedBody, AnimatedCharacter, BodyAnimation, drop_height, read_body};
use cloth_scene::{Body, CapsuleFigure, Garment, Placing, SceneSource, Shape};
use cloth_show::program::Failure;

use super::quick::{body_up, seconds};
use crate::args::{BodyChoice, QuickArgs};

/// The default ball's radius, and the height of its underside over the floor, as parts of the garment's
/// longest side: it bears the garment, whose borders hang free.
const BALL_RADIUS: f64 = 0.2;
const BALL_HEIGHT: f64 = 0.3;

/// A body without the floor.
struct Stand {
    body: Option<Body>,
    /// Heights (m) of its lowest and its highest point.
    heights: [f64; 2],
}

/// The bodies that the flags ask for, the floor last, and what was decided, a sentence each. `bounds` are
/// those of the garment before it is placed; `character` wears it.
pub(super) fn arrange(
    args: &QuickArgs,
    garment: &Garment,
    bounds: &Aabb,
    character: Option<&AnimatedCharacter>,
) -> Result<(Vec<Body>, Vec<String>), Failure> {
    if args.animation.body_motion.is_some() && !matches!(args.body, Some(BodyChoice::Mesh(_))) {
        return Err(Failure::new("--body-motion animates the vertices of a mesh; give --body MESH"));
    }
    if args.body_up.is_some() && !matches!(args.body, Some(BodyChoice::Mesh(_))) {
        return Err(Failure::new("--body-up is the axis of a body's mesh file; give --body MESH"));
    }
    if args.arms.is_some() && args.body != Some(BodyChoice::Figure) {
        return Err(Failure::new("--arms is the angle of the figure's arms; give --body figure"));
    }
    let mut notes = Vec::new();
    let stand = match (character, args.body.as_ref().unwrap_or(&BodyChoice::Sphere)) {
        (Some(character), _) => {
            let skin = character.bounds();
            Stand { body: None, heights: [skin.min.y, skin.max.y] }
        }
        (None, BodyChoice::None | BodyChoice::Character(_)) => Stand { body: None, heights: [0.0; 2] },
        (None, BodyChoice::Sphere) => {
            let size = (bounds.max - bounds.min).max();
            let (radius, lowest) = (BALL_RADIUS * size, BALL_HEIGHT * size);
            notes.push(format!("the body is a sphere of radius {radius:.3} m over a floor"));
            let ball = Shape::Sphere { center: [0.0, lowest + radius, 0.0], radius };
            Stand { body: Some(body(ball)), heights: [0.0, lowest + 2.0 * radius] }
        }
        (None, BodyChoice::Figure) => Stand {
            body: Some(body(Shape::Figure { arms: args.arms })),
            heights: [0.0, CapsuleFigure::MANNEQUIN_HEIGHT.into()],
        },
        (None, BodyChoice::Mesh(path)) => mesh(args, path)?,
    };
    let [ground, top] = stand.heights;
    let start = match garment.place {
        Placing::AsIs => bounds.min.y,
        Placing::Above => top + drop_height(bounds),
    };
    // Nothing starts in the floor.
    let ground = ground.min(start + garment.translate[1]);
    if garment.place == Placing::AsIs {
        let floor =
            if ground < 0.0 { format!("; the floor is below it, at {ground:.2} m") } else { String::new() };
        notes.push(format!("placed as in its file{floor}"));
    }
    let floor = body(Shape::Plane { point: [0.0, ground, 0.0], normal: [0.0, 1.0, 0.0] });
    Ok((stand.body.into_iter().chain([floor]).collect(), notes))
}

fn mesh(args: &QuickArgs, path: &Path) -> Result<Stand, Failure> {
    let (scale, up) = (args.body_unit.or(args.unit).unwrap_or(1.0), body_up(args));
    let arrays = args.arrays.clone().unwrap_or_default();
    let mut mesh: TriMesh = read_body(path, &arrays, scale, up)?;
    let animation = args.animation.of_body();
    let mut ground = f64::INFINITY;
    if let Some(file) = &animation {
        let source = SceneSource::Flags(path.to_path_buf());
        let body = AnimatedBody { path, arrays: &arrays, scale, up, mesh: &mesh };
        let mut opened = BodyAnimation::open(file, &body, seconds(args), None, &source)?;
        mesh.positions = opened.positions(0.0)?;
        ground = opened.lowest;
    }
    let bounds = mesh.face_bounds();
    let shape = Shape::Mesh { path: path.to_path_buf(), arrays: args.arrays.clone(), scale, up };
    let body = Body { animation, ..body(shape) };
    Ok(Stand { body: Some(body), heights: [ground.min(bounds.min.y), bounds.max.y] })
}

fn body(shape: Shape) -> Body {
    Body {
        name: None,
        shape,
        friction: None,
        is_guarded: false,
        motion: Vec::new(),
        animation: None,
        dynamics: None,
    }
}
