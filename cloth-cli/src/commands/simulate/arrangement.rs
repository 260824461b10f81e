//! Where a garment without a scene file starts, and the bodies that it meets.

use std::path::Path;

use cloth_geom::{Aabb, TriMesh};
use cloth_io::scene::{Body, Placing, Shape};
use cloth_verify::CapsuleFigure;
use nalgebra::{Point3, Vector3};

use super::animation::{AnimatedBody, BodyAnimation};
use super::bodies::read_body;
use super::character::AnimatedCharacter;
use super::garment::RepairedMesh;
use super::placement::{FigureSize, above, drop_height, on_figure};
use super::quick::{seconds, up};
use super::source::Source;
use super::wearing;
use crate::args::{BodyChoice, QuickArgs};
use crate::failure::Failure;

/// The default ball's radius, and the height of its underside over the floor, as parts of the garment's
/// longest side: it bears the garment, whose borders hang free.
const BALL_RADIUS: f64 = 0.2;
const BALL_HEIGHT: f64 = 0.3;

/// Where the garment is placed, and on what it falls.
pub(super) struct Arrangement {
    /// How placing moves it (m).
    pub(super) translate: Vector3<f64>,
    pub(super) bodies: Vec<Body>,
    /// What was decided, a sentence.
    pub(super) note: String,
}

/// The stage that the flags ask for; `character` wears the garment. After placing, the garment is moved by
/// `then` (m); the floor is below it there.
pub(super) fn arrange(
    args: &QuickArgs,
    garment: &RepairedMesh,
    then: &Vector3<f64>,
    character: Option<&AnimatedCharacter>,
) -> Result<Arrangement, Failure> {
    let bounds = garment.mesh.bounds();
    let place = args.placing.place();
    if args.animation.body_motion.is_some() && !matches!(args.body, Some(BodyChoice::Mesh(_))) {
        return Err(Failure::new("--body-motion animates the vertices of a mesh; give --body MESH"));
    }
    if let Some(character) = character {
        // Who says where it goes has placed it.
        let place = if args.placing.translate.is_some() { Placing::AsIs } else { place };
        let (translate, note) = wearing::place(&garment.mesh, character, place).map_err(Failure::new)?;
        return Ok(Arrangement { translate, bodies: vec![floor(character.bounds().min.y)], note });
    }
    let mut stage = match args.body.as_ref().unwrap_or(&BodyChoice::Sphere) {
        // A character is arranged above.
        BodyChoice::None | BodyChoice::Character(_) => on_floor(&bounds),
        BodyChoice::Sphere => on_ball(&bounds),
        BodyChoice::Figure => dressed(garment, place),
        BodyChoice::Mesh(path) => on_mesh(args, path, &bounds)?,
    };
    if place == Placing::AsIs {
        stage.translate = Vector3::zeros();
        stage.note = "placed as in its file".to_owned();
    }
    let lowest = bounds.min.y + stage.translate.y + then.y;
    let ground = match args.body {
        Some(BodyChoice::Mesh(_)) => stage.ground.min(lowest),
        // A garment that is modelled around the origin would start half in the floor.
        _ if place == Placing::AsIs => lowest.min(0.0),
        _ => 0.0,
    };
    if ground < 0.0 && place == Placing::AsIs {
        stage.note.push_str(&format!("; the floor is below it, at {ground:.2} m"));
    }
    stage.bodies.push(floor(ground));
    let ArrangementWithoutFloor { translate, bodies, note, .. } = stage;
    Ok(Arrangement { translate, bodies, note })
}

/// A stage without its floor.
struct ArrangementWithoutFloor {
    translate: Vector3<f64>,
    bodies: Vec<Body>,
    note: String,
    /// The height (m) of the lowest point of the bodies.
    ground: f64,
}

fn on_floor(garment: &Aabb) -> ArrangementWithoutFloor {
    let translate = above(garment, &flat(0.0), drop_height(garment));
    ArrangementWithoutFloor { translate, bodies: vec![], note: "placed above the floor".into(), ground: 0.0 }
}

fn on_ball(garment: &Aabb) -> ArrangementWithoutFloor {
    let size = (garment.max - garment.min).max();
    let radius = BALL_RADIUS * size;
    let center = Point3::new(0.0, BALL_HEIGHT * size + radius, 0.0);
    let half = Vector3::repeat(radius);
    let ball = Aabb { min: center - half, max: center + half };
    ArrangementWithoutFloor {
        translate: above(garment, &ball, drop_height(garment)),
        bodies: vec![body(Shape::Sphere { center: center.into(), radius })],
        note: format!("placed above a sphere of radius {radius:.3} m over a floor"),
        ground: 0.0,
    }
}

fn dressed(garment: &RepairedMesh, place: Placing) -> ArrangementWithoutFloor {
    let bounds = garment.mesh.bounds();
    let head = flat(f64::from(CapsuleFigure::HEIGHT));
    let translate = above(&bounds, &head, drop_height(&bounds));
    let found = match place {
        Placing::Auto => on_figure(&garment.mesh, FigureSize::new(None, None)).map_err(Some),
        Placing::AsIs | Placing::Above => Err(None),
    };
    let (translate, limbs, note) = match found {
        Ok(found) => (found.translate, Some(found.limbs), found.note),
        Err(Some(why)) => (translate, None, format!("placed above the figure: {why}")),
        Err(None) => (translate, None, "placed above the figure".to_owned()),
    };
    let (arms, legs) = (limbs.map(|limbs| limbs.arms_deg.into()), limbs.map(|limbs| limbs.legs_deg.into()));
    let figure = body(Shape::Figure { height: None, arms, legs });
    ArrangementWithoutFloor { translate, bodies: vec![figure], note, ground: 0.0 }
}

fn on_mesh(args: &QuickArgs, path: &Path, garment: &Aabb) -> Result<ArrangementWithoutFloor, Failure> {
    let scale = args.body_unit.or(args.unit).unwrap_or(1.0);
    let mut mesh: TriMesh = read_body(path, scale, up(args))?;
    let animation = args.animation.of_body();
    let mut ground = f64::INFINITY;
    if let Some(file) = &animation {
        let (up, source) = (up(args), Source::Flags(path.to_path_buf()));
        let body = AnimatedBody { path, scale, up, mesh: &mesh };
        let mut opened = BodyAnimation::open(file, &body, seconds(args), &source)?;
        mesh.positions = opened.positions(0.0)?;
        ground = opened.lowest;
    }
    let bounds = mesh.bounds();
    let (translate, note) = match args.placing.place() {
        Placing::Above => (above(garment, &bounds, drop_height(garment)), "placed above the body"),
        Placing::Auto | Placing::AsIs => (Vector3::zeros(), "placed as in the files of garment and body"),
    };
    let shape = Shape::Mesh { path: path.to_path_buf(), scale, up: up(args) };
    let body = Body { animation, ..body(shape) };
    Ok(ArrangementWithoutFloor {
        translate,
        bodies: vec![body],
        note: note.to_owned(),
        ground: ground.min(bounds.min.y),
    })
}

fn flat(y: f64) -> Aabb {
    Aabb { min: Point3::new(0.0, y, 0.0), max: Point3::new(0.0, y, 0.0) }
}

fn floor(y: f64) -> Body {
    body(Shape::Plane { point: [0.0, y, 0.0], normal: [0.0, 1.0, 0.0] })
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
