//! From flags to a scene: a garment, a body that fits it, and a floor.

use std::path::Path;

use cloth_geom::{Aabb, TriMesh};
use cloth_io::Scene;
use cloth_io::scene::{Body, Garment, Material, Pin, Preset, Rest, Settings, Shape, Stitches, Up, Wind};
use cloth_verify::CapsuleFigure;
use nalgebra::{Point3, Vector3};

use super::bodies::{colliders, read_body};
use super::garment::{Mended, mend, place as placed};
use super::place::{above, around_figure};
use super::source::Source;
use crate::args::{BodyChoice, QuickArgs, UpAxis};
use crate::failure::Failure;

/// The default ball's radius, and the height of its underside over the floor, as parts of the garment's longest side:
/// it bears the garment, whose borders hang free.
const BALL_RADIUS: f64 = 0.2;
const BALL_HEIGHT: f64 = 0.3;

/// From how high over its body the garment falls, as a part of its longest side.
const DROP: f64 = 0.03;

/// Simulated time (s) and frames a second.
const SECONDS: f64 = 3.0;
const FPS: f64 = 60.0;

/// The scene that the flags describe, and what was decided in it, a sentence each.
pub(super) fn scene(args: &QuickArgs) -> Result<(Source, Scene, Vec<String>), Failure> {
    let missing = || Failure::new("nothing to simulate; give SCENE.toml or --garment MESH");
    let path = args.garment.as_ref().ok_or_else(missing)?;
    let source = Source::Flags(path.clone());
    let mut garment = garment(args, path)?;
    let loaded = cloth_io::read_mesh(path)?.mesh.mapped(|p| placed(&garment, &p));
    let mended = mend(&loaded, garment.weld_distance)
        .map_err(|text| Failure::new(format!("{}: {text}", path.display())))?;
    let stage = stage(args, &mended)?;
    garment.translate = stage.translate.into();
    let fps = args.fps.unwrap_or(FPS);
    let settings = Settings {
        dt: 1.0 / fps,
        duration: args.seconds.unwrap_or(SECONDS),
        substeps: args.substeps,
        ..Settings::default()
    };
    let wind = Some(still_air());
    let scene = Scene { settings, garments: vec![garment], bodies: stage.bodies, wind, ..Scene::default() };
    Ok((source, scene, vec![stage.note]))
}

/// Nobody drops a garment in a vacuum.
fn still_air() -> Wind {
    let air = cloth_solver::Wind::STILL_AIR;
    Wind {
        velocity: air.velocity.cast().into(),
        drag: Some(air.drag.into()),
        lift: Some(air.lift.into()),
        air_damping: None,
    }
}

fn garment(args: &QuickArgs, path: &Path) -> Result<Garment, Failure> {
    let rest = match args.rest.as_deref() {
        None => Rest::Start,
        Some(word) => {
            Rest::try_from(word.to_owned()).map_err(|text| Failure::new(format!("--rest: {text}")))?
        }
    };
    let material = match args.material.as_deref() {
        None | Some("cotton") => Preset::Cotton,
        Some("silk") => Preset::Silk,
        Some("denim") => Preset::Denim,
        Some(other) => {
            return Err(Failure::new(format!("--material: unknown `{other}`; use cotton, silk or denim")));
        }
    };
    Ok(Garment {
        layer: None,
        tethers: false,
        name: None,
        mesh: path.to_path_buf(),
        scale: args.unit.unwrap_or(1.0),
        up: up(args),
        weld_distance: args.weld.unwrap_or(0.0),
        translate: [0.0; 3],
        rotate: None,
        rest,
        material: Material::Preset(material),
        thickness: args.thickness,
        pins: Vec::<Pin>::new(),
        stitches: Stitches::default(),
        regions: Vec::new(),
        excluded_pairs: Vec::new(),
    })
}

fn up(args: &QuickArgs) -> Up {
    match args.up {
        Some(UpAxis::Z) => Up::Z,
        Some(UpAxis::Y) | None => Up::Y,
    }
}

/// Where the garment starts, and on what it falls.
struct Stage {
    translate: Vector3<f64>,
    bodies: Vec<Body>,
    note: String,
}

fn stage(args: &QuickArgs, garment: &Mended) -> Result<Stage, Failure> {
    let bounds = garment.mesh.bounds();
    let size = (bounds.max - bounds.min).max();
    let lower = |body: &Aabb| above(&bounds, body, DROP * size);
    match args.body.as_ref().unwrap_or(&BodyChoice::Sphere) {
        BodyChoice::None => {
            let translate = lower(&flat(0.0));
            Ok(Stage { translate, bodies: vec![floor(0.0)], note: "placed above the floor".into() })
        }
        BodyChoice::Sphere => Ok(on_ball(size, lower)),
        BodyChoice::Figure => on_figure(args, garment, lower),
        BodyChoice::Mesh(path) => on_mesh(args, path, &bounds, lower),
    }
}

fn on_ball(size: f64, lower: impl Fn(&Aabb) -> Vector3<f64>) -> Stage {
    let radius = BALL_RADIUS * size;
    let center = Point3::new(0.0, BALL_HEIGHT * size + radius, 0.0);
    let half = Vector3::repeat(radius);
    let ball = body(Shape::Sphere { center: center.into(), radius });
    Stage {
        translate: lower(&Aabb { min: center - half, max: center + half }),
        bodies: vec![ball, floor(0.0)],
        note: format!("placed above a sphere of radius {radius:.3} m over a floor"),
    }
}

fn on_figure(
    args: &QuickArgs,
    garment: &Mended,
    lower: impl Fn(&Aabb) -> Vector3<f64>,
) -> Result<Stage, Failure> {
    let shape = Shape::Figure { height: None };
    let capsules = colliders(&shape, 0.0).map_err(|e| Failure::new(e.to_string()))?;
    let fit =
        if args.place_above { None } else { around_figure(&garment.mesh, &garment.topology, &capsules) };
    let (translate, note) = match fit {
        Some(fit) => {
            let deep = match fit.depth {
                0.0 => "nothing starts inside it".to_owned(),
                depth => format!("it starts up to {:.1} mm inside, and is pushed out", 1e3 * depth),
            };
            (
                fit.translate,
                format!("placed around the figure, its highest opening at {:.2} m; {deep}", fit.height),
            )
        }
        None => (
            lower(&flat(f64::from(CapsuleFigure::HEIGHT))),
            "placed above the figure, around which it does not fit".to_owned(),
        ),
    };
    let note = if args.place_above { "placed above the figure".to_owned() } else { note };
    Ok(Stage { translate, bodies: vec![body(shape), floor(0.0)], note })
}

fn on_mesh(
    args: &QuickArgs,
    path: &Path,
    garment: &Aabb,
    lower: impl Fn(&Aabb) -> Vector3<f64>,
) -> Result<Stage, Failure> {
    let scale = args.body_unit.or(args.unit).unwrap_or(1.0);
    let mesh: TriMesh = read_body(path, scale, up(args))?;
    let bounds = mesh.bounds();
    let (translate, note) = if args.place_above {
        (lower(&bounds), "placed above the body")
    } else {
        (Vector3::zeros(), "placed where the files have garment and body")
    };
    let ground = bounds.min.y.min(garment.min.y + translate.y);
    let shape = Shape::Mesh { path: path.to_path_buf(), scale, up: up(args) };
    Ok(Stage { translate, bodies: vec![body(shape), floor(ground)], note: note.to_owned() })
}

fn flat(y: f64) -> Aabb {
    Aabb { min: Point3::new(0.0, y, 0.0), max: Point3::new(0.0, y, 0.0) }
}

fn floor(y: f64) -> Body {
    body(Shape::Plane { point: [0.0, y, 0.0], normal: [0.0, 1.0, 0.0] })
}

fn body(shape: Shape) -> Body {
    Body { name: None, shape, friction: None, motion: Vec::new() }
}
