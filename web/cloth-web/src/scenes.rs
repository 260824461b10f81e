//! The scenes of the page: scenarios of cloth-verify, and those that are for looking at alone.

use std::f32::consts::TAU;

use cloth_geom::fixtures::{Sheet, jitter, sheet};
use cloth_show::Direction;
use cloth_solver::{
    ClothDesc, Collider, Gusts, Material, RestShape, Settings, Shape, Simulation, Teleport, Thickness, Wind,
};
use cloth_verify::scenario::{Setup, SetupError};
use cloth_verify::{Size, scenarios};
use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

/// A scene that can be played.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WebScene {
    /// Its name, as links and [`find`] take it.
    pub name: &'static str,
    /// What is seen, in one line.
    pub about: &'static str,
    #[serde(skip)]
    build: Build,
}

#[derive(Clone, Copy, Debug)]
enum Build {
    /// The scenario of the same name.
    Scenario,
    /// A scene of this file.
    Here(fn(Size) -> Result<Setup, SetupError>),
}

/// What a visitor chooses before the first frame.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Choice {
    /// How fine the meshes are: `small`, `medium` or `large`.
    pub size: String,
    /// The fabric of all cloths: `cotton`, `silk` or `denim`. None: that of the scene.
    pub material: Option<String>,
    /// Whether every motion is certified.
    pub gate: bool,
    /// Whether cloth collides with cloth.
    pub self_collision: bool,
    /// Velocity of the wind (m/s). None: that of the scene.
    pub wind: Option<[f32; 3]>,
    /// From when on a motion of what a cloth is fixed to is a cut, which teleports it. None: never.
    #[serde(with = "cloth_solver::teleport::form")]
    pub teleport: Option<Teleport>,
}

impl Default for Choice {
    fn default() -> Self {
        Self {
            size: "medium".into(),
            material: None,
            gate: true,
            self_collision: true,
            wind: None,
            teleport: None,
        }
    }
}

/// Why a scene cannot be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// No scene has this name.
    #[error("there is no scene `{0}`; the scenes are {known}", known = names())]
    Unknown(String),
    /// No size has this name.
    #[error("there is no size `{0}`; the sizes are small, medium and large")]
    Size(String),
    /// No fabric has this name.
    #[error("there is no material `{0}`; the materials are cotton, silk and denim")]
    Material(String),
    /// The scene cannot be set up.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// Its start cannot be checked.
    #[error(transparent)]
    Start(cloth_solver::StepError),
    /// The solver refuses it.
    #[error(transparent)]
    Build(#[from] cloth_solver::BuildError),
}

const SCENES: [WebScene; 8] = [
    scenario("drape-sphere", "a sheet falls on a ball and drapes it in folds"),
    scenario("pile", "an upright sheet drops on its edge and piles up"),
    scenario("twist", "a sheet is wrung like a towel, four turns"),
    scenario("reef-knot", "two ribbons are pulled into a reef knot"),
    FLAG,
    scenario("cape-walk", "a cape on a walking character"),
    scenario("tangled", "eight tangled starts come undone"),
    PUSH,
];

/// The scenes, in the order of the page.
#[must_use]
pub fn scenes() -> &'static [WebScene] {
    &SCENES
}

/// A scene by its name.
///
/// # Errors
/// If there is none; the error lists all names.
pub fn find(name: &str) -> Result<WebScene, SceneError> {
    let found = SCENES.iter().find(|scene| scene.name == name);
    found.copied().ok_or_else(|| SceneError::Unknown(name.to_owned()))
}

fn names() -> String {
    SCENES.map(|scene| scene.name).join(", ")
}

const fn scenario(name: &'static str, about: &'static str) -> WebScene {
    WebScene { name, about, build: Build::Scenario }
}

const FLAG: WebScene = WebScene { name: "flag", about: "a flag in a gusty wind", build: Build::Here(flag) };
const PUSH: WebScene =
    WebScene { name: "push", about: "a ball pushes through three curtains", build: Build::Here(push) };

impl WebScene {
    /// The scene and its simulation at the start.
    ///
    /// # Errors
    /// If a name in the choice is unknown, or the wind is not finite.
    pub fn build(&self, choice: &Choice) -> Result<(Setup, Simulation), SceneError> {
        let size = Size::ALL.into_iter().find(|size| size.name() == choice.size);
        let size = size.ok_or_else(|| SceneError::Size(choice.size.clone()))?;
        let mut setup = match self.build {
            Build::Here(build) => build(size)?,
            Build::Scenario => {
                let scenario = scenarios::all().iter().find(|scenario| scenario.name == self.name);
                let scenario = scenario.ok_or_else(|| SceneError::Unknown(self.name.to_owned()))?;
                (scenario.build)(size)?
            }
        };
        let settings = &mut setup.scene.settings;
        settings.gate = choice.gate;
        settings.self_collision = choice.self_collision;
        settings.teleport = choice.teleport;
        if let Some(wind) = choice.wind {
            settings.wind.velocity = Vector3::from(wind);
        }
        if let Some(name) = &choice.material {
            let material = self::material(name)?;
            setup.scene.cloths.iter_mut().for_each(|cloth| cloth.material = material);
        }
        let sim = setup.scene.build(setup.scene.settings)?;
        Ok((setup, sim))
    }
}

/// A fabric by its name.
pub(crate) fn material(name: &str) -> Result<Material, SceneError> {
    let found = Material::PRESETS.into_iter().find(|(known, _)| *known == name);
    found.map(|(_, material)| material).ok_or_else(|| SceneError::Material(name.to_owned()))
}

/// Both scenes of this file go on as long as anybody looks.
const SECONDS: f32 = 3600.0;
/// Start positions are moved by this much of an edge: nothing depends on perfect symmetry.
const JITTER: f64 = 1e-3;

/// An upright cloth in the plane z = 0 around the origin, its upper row last, with the vertices along both
/// sides.
fn upright(count: [usize; 2], size: [f64; 2], seed: u64) -> Result<(ClothDesc, Sheet), SetupError> {
    let sheet = sheet(count[0], count[1], size)?;
    let rest = sheet.mesh.clone().rotated(Vector3::x_axis(), -std::f64::consts::FRAC_PI_2);
    let edge = size[0] / (count[0] - 1) as f64;
    let start = jitter(&rest, JITTER * edge, seed)?;
    let thickness = Thickness::for_mesh(&rest);
    let mut cloth = ClothDesc::new(start, Material::COTTON, thickness);
    cloth.rest = RestShape::Positions(rest.positions);
    Ok((cloth, sheet))
}

/// A flag of 1.5 m by 1 m on a pole.
fn flag(size: Size) -> Result<Setup, SetupError> {
    let ny = along(size, [21, 41, 81]);
    let gusts = Gusts { strength: 1.5, length: 0.6, period: 0.5, seed: 1 };
    let wind = Wind { velocity: Vector3::new(6.0, 0.0, 1.0), gusts: Some(gusts), ..Wind::default() };
    let settings = Settings { substeps: 12, wind, sleep: None, ..Settings::default() };
    let mut setup = Setup::new(settings, SECONDS);
    let (mut cloth, sheet) = upright([ny * 3 / 2, ny], [1.5, 1.0], 1)?;
    cloth.mesh = cloth.mesh.translated(Vector3::new(0.75, 1.7, 0.0));
    cloth.material = Material::SILK;
    cloth.pins = (0..sheet.ny).filter_map(|j| sheet.vertex(0, j)).collect();
    setup.scene.cloths.push(cloth);
    let pole = Shape::Capsule { half_length: 1.1, radius: 0.02 };
    setup.scene.add_colliders([
        Collider::new(Shape::Plane, Isometry3::identity(), 0.5)?,
        Collider::new(pole, Isometry3::translation(-0.035, 1.12, 0.0), 0.3)?,
    ]);
    setup.view = Direction { azimuth_deg: 15.0, elevation_deg: 8.0 };
    Ok(setup)
}

/// Three curtains behind each other, and a ball that goes through where they hang.
fn push(size: Size) -> Result<Setup, SetupError> {
    let count = along(size, [21, 41, 81]);
    let settings = Settings { substeps: 12, sleep: None, self_friction: 0.3, ..Settings::default() };
    let mut setup = Setup::new(settings, SECONDS);
    for k in 0..3_u8 {
        let (mut cloth, sheet) = upright([count, count], [0.9, 0.9], u64::from(k) + 1)?;
        cloth.mesh = cloth.mesh.translated(Vector3::new(0.0, 0.6, 0.06 * (f64::from(k) - 1.0)));
        cloth.pins =
            (0..sheet.nx).step_by((count - 1) / 4).filter_map(|i| sheet.vertex(i, count - 1)).collect();
        setup.scene.cloths.push(cloth);
    }
    let ball = |time: f32| Isometry3::translation(0.0, 0.5, 0.6 * libm::cosf(time * TAU / PERIOD));
    setup.scene.add_colliders([
        Collider::new(Shape::Plane, Isometry3::identity(), 0.5)?,
        Collider::new(Shape::Sphere { radius: 0.13 }, ball(0.0), 0.3)?,
    ]);
    setup.driver = Some(Box::new(move |stage, _, time| stage.move_collider(1, ball(time))));
    setup.view = Direction { azimuth_deg: 40.0, elevation_deg: 12.0 };
    Ok(setup)
}

/// Of the ball of `push`, there and back (s).
const PERIOD: f32 = 4.0;

/// Vertices along a side, by size.
fn along(size: Size, [small, medium, large]: [usize; 3]) -> usize {
    match size {
        Size::Small => small,
        Size::Medium => medium,
        Size::Large => large,
    }
}
