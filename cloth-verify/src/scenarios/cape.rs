//! What the scenarios of capes have in common: the cape of Tourniaire 2025, cut to the built-in character and
//! held at its shoulders.
//!
//! ```text
//!    L . . . S . . . R      row of the top: left shoulder, over the upper spine, right shoulder
//!   /  |         |    \     held at L, R and half-way between each and S (`Hold::Four`),
//!  /                   \    or at L and R alone (`Hold::Two`)
//! /_____________________\   hem, at the calves
//! ```

use std::f64::consts::FRAC_PI_2;

use cloth_character::{
    Chain, ChainItem, Playback, RootMotion, Transition, WorldProxy, compute_world_proxies,
};
use cloth_geom::fixtures::sheet;
use cloth_geom::{Topology, TriMesh};
use cloth_scene::CharacterBody;
use cloth_show::human::FittedCharacter;
use cloth_show::invariants::MeasuredEdges;
use cloth_solver::{Material, Settings};
use nalgebra::{Point3, Vector3};

use super::parts;
use crate::scenario::{Setup, SetupError};
use crate::{Size, Wearer};

/// Where a cape is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// At the shoulders.
    Two,
    /// At the shoulders, and half-way between each and the upper spine, as in the paper.
    Four,
}

/// The joints of a character that a cape needs, by their labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapeJoints<'a> {
    /// Where the left and the right upper arm begin: they decide where the cape is, which way it looks, and
    /// its size.
    pub arms: [&'a str; 2],
    /// What holds the left shoulder, the points half-way to the upper spine, and the right shoulder.
    pub holders: [&'a str; 3],
}

impl CapeJoints<'static> {
    /// Those of the built-in character ([`human`](cloth_show::human::human)).
    pub const HUMAN: Self =
        Self { arms: ["upper arm.L", "upper arm.R"], holders: ["shoulder.L", "chest", "shoulder.R"] };
}

/// A clip by name, and for how long (s) it is played until the next one fades in.
pub type Played<'a> = (&'a str, f64);

/// Where the left upper arm of the built-in character begins (m); the cape of another one is scaled by the
/// height of its own.
const ARM: [f64; 3] = [0.170, 1.385, -0.02];
/// The top: half its width, its height, and how far it is behind the middle at its ends and at the spine (m).
const TOP: [f64; 4] = [0.155, 1.45, 0.05, 0.13];
/// The hem: its radius, its height, how far its circle is behind the middle (m), and how far it reaches to
/// either side (rad).
const HEM: [f64; 4] = [0.42, 0.42, 0.06, 1.25];
/// Greatest thickness `2r + SCR` of the cape (m): that of wool.
const THICKNESS: f64 = 0.006;
/// How far from the proxies the cape starts, in addition to its thickness (m); the skin stands out of them by
/// up to 5 mm.
const CLEARANCE: f64 = 0.007;
/// Wool: heavier and stiffer against bending than cotton.
const FABRIC: Material = Material { bend: 2e-4, ..Material::COTTON };
/// Of the jitter.
const SEED: u64 = 5;
/// Cross-fade from the bind pose to the first pose, and between clips (s).
const PRE_ROLL: f64 = 0.5;
const FADE: f64 = 0.4;

/// Vertices across and down; a quarter of the way across there is one.
pub(super) fn grid(size: Size) -> [usize; 2] {
    match size {
        Size::Small => [17, 23],
        Size::Medium => [29, 37],
        Size::Large => [57, 73],
    }
}

/// A scene of a cape on a character.
pub struct CapeScene<'a> {
    /// Who wears it.
    pub character: &'a FittedCharacter,
    /// Its joints.
    pub joints: CapeJoints<'a>,
    /// Settings of the solver.
    pub settings: Settings,
    /// As what the character collides.
    pub kind: CharacterBody,
    /// Where the cape is held.
    pub hold: Hold,
    /// What the character does after a cross-fade of 0.5 s from the bind pose.
    pub clips: Vec<Played<'a>>,
}

impl CapeScene<'_> {
    /// Builds the scene, with `grid` vertices across and down. Across there are a multiple of four and one
    /// more, so that one is a quarter of the way.
    ///
    /// # Errors
    /// If the character lacks a joint or a clip, or the grid is no grid.
    pub fn build(self, grid: [usize; 2]) -> Result<Setup, SetupError> {
        let Self { character, joints, settings, kind, hold, clips } = self;
        let seconds = PRE_ROLL + clips.iter().map(|(_, seconds)| seconds).sum::<f64>();
        let mut setup = Setup::new(settings, seconds as f32);
        let mesh = cape(character, joints, grid)?;
        let mut cloth = parts::cloth(&mesh, FABRIC, SEED)?;
        cloth.thickness = parts::split(f64::from(cloth.thickness.total()).min(THICKNESS));
        let held = held(hold, joints, grid);
        cloth.pins = held.iter().map(|&(vertex, _)| vertex).collect();
        let thickness = cloth.thickness;
        let start = cloth.mesh.positions.clone();
        setup.add(cloth, &MeasuredEdges::of_mesh(&mesh, &Topology::of_mesh(&mesh)?));
        let motion = chain(character, &clips, PRE_ROLL)?.build(character.character.clone())?;
        let friction = parts::BODY_FRICTION;
        let mut wearer = Wearer::add_to_scene(&mut setup, character, motion, kind, friction, thickness)?;
        for (vertex, joint) in held {
            wearer.hold_by_joint(0, [(vertex, start[vertex as usize])], joint)?;
        }
        setup.wearer = Some(wearer);
        setup.focus = Some([Point3::new(-0.65, 0.0, -0.95), Point3::new(0.65, 1.75, 0.55)]);
        Ok(setup)
    }
}

/// Clips of a character one after the other, the first from its own beginning.
pub(super) fn chain(
    character: &FittedCharacter,
    clips: &[Played<'_>],
    pre_roll: f64,
) -> Result<Chain, SetupError> {
    let item = |&(name, seconds): &Played<'_>| {
        let playback = Playback::new(character.character.find_clip(name)?);
        Ok(ChainItem { playback, duration: Some(seconds) })
    };
    Ok(Chain {
        items: clips.iter().map(item).collect::<Result<_, SetupError>>()?,
        pre_roll,
        settle: 0.0,
        transition: Transition { fade: FADE, match_phase: true },
        root_motion: RootMotion::Accumulate,
    })
}

/// The vertices that are held, and by which joint.
fn held<'a>(hold: Hold, joints: CapeJoints<'a>, [across, down]: [usize; 2]) -> Vec<(u32, &'a str)> {
    let top = across * (down - 1);
    let [left, spine, right] = joints.holders;
    let quarter = (across - 1) / 4;
    let all = [(0, left), (quarter, spine), (3 * quarter, spine), (across - 1, right)];
    let chosen: &[usize] = if hold == Hold::Four { &[0, 1, 2, 3] } else { &[0, 3] };
    chosen.iter().map(|&k| ((top + all[k].0) as u32, all[k].1)).collect()
}

/// A cape behind the back, its faces backward, row 0 its hem; from the character's left to its right.
fn cape(
    character: &FittedCharacter,
    joints: CapeJoints<'_>,
    [across, down]: [usize; 2],
) -> Result<TriMesh, SetupError> {
    let skeleton = &character.character.skeleton;
    let mut world = Vec::new();
    skeleton.compute_world(&character.character.bind_pose(), &mut world);
    let place = |label: &str| match skeleton.find_label(label) {
        Some(joint) => Ok(world[joint].origin()),
        None => Err(SetupError::Joint { name: label.to_owned() }),
    };
    let (left, right) = (place(joints.arms[0])?, place(joints.arms[1])?);
    let (middle, to_left) = (nalgebra::center(&left, &right), left - right);
    let scale = middle.y / ARM[1];
    // Left, up and forward, whichever way the character looks.
    let side = Vector3::new(to_left.x, 0.0, to_left.z).try_normalize(0.0).unwrap_or(Vector3::x());
    let forward = side.cross(&Vector3::y());
    let fitted = |p: Point3<f64>| {
        let [along, ahead] = [p.x, p.z - ARM[2]].map(|c| scale * c);
        Point3::new(middle.x, scale * p.y, middle.z) + side * along + forward * ahead
    };
    let mut proxies = Vec::new();
    compute_world_proxies(&character.fitted.proxies, &world, &mut proxies);
    let flat = sheet(across, down, [1.0, 1.0])?.mesh;
    let clear = |p| clear(&proxies, p, THICKNESS + CLEARANCE);
    let mut mesh = flat.mapped(|p| clear(fitted(cut(-2.0 * p.x, p.z + 0.5))));
    even_out(&mut mesh.positions, [across, down], clear);
    Ok(mesh)
}

/// Moves every vertex towards the middle of its neighbours in the grid, on a border of those on the border,
/// and out of the proxies again: what these have pushed together gets edges of even lengths.
fn even_out(
    positions: &mut [Point3<f64>],
    [across, down]: [usize; 2],
    clear: impl Fn(Point3<f64>) -> Point3<f64>,
) {
    const ROUNDS: usize = 40;
    let last = [across - 1, down - 1];
    for _ in 0..ROUNDS {
        let before = positions.to_vec();
        let at = |column: usize, row: usize| before[row * across + column].coords;
        for (v, p) in positions.iter_mut().enumerate() {
            let [column, row] = [v % across, v / across];
            let beside = (column > 0 && column < last[0]).then(|| at(column - 1, row) + at(column + 1, row));
            let along = (row > 0 && row < last[1]).then(|| at(column, row - 1) + at(column, row + 1));
            let mean = match (beside, along) {
                (Some(a), Some(b)) => (a + b) / 4.0,
                (Some(a), None) | (None, Some(a)) => a / 2.0,
                (None, None) => continue,
            };
            *p = clear(*p + (mean - p.coords) * 0.5);
        }
    }
}

/// A point (m) of the cape of the built-in character: to the left from -1 to 1, and up from the hem to the
/// top from 0 to 1.
fn cut(side: f64, up: f64) -> Point3<f64> {
    let [half, height, ends, spine] = TOP;
    let angle = side * FRAC_PI_2;
    let behind = ends + (spine - ends) * libm::cos(angle);
    let top = Vector3::new(half * libm::sin(angle), height, -behind);
    let [radius, height, behind, reach] = HEM;
    let angle = side * reach;
    let hem = Vector3::new(radius * libm::sin(angle), height, -behind - radius * libm::cos(angle));
    Point3::from(hem + (top - hem) * up)
}

/// The nearest place (m), about, that is `distance` from all proxies.
fn clear(proxies: &[WorldProxy], mut p: Point3<f64>, distance: f64) -> Point3<f64> {
    const ROUNDS: usize = 40;
    const STEP: f64 = 1e-5;
    let nearest =
        |p: &Point3<f64>| proxies.iter().map(|proxy| proxy.signed_distance(p)).fold(f64::MAX, f64::min);
    for _ in 0..ROUNDS {
        let lacking = distance - nearest(&p);
        if lacking <= 0.0 {
            break;
        }
        let gradient = Vector3::from_fn(|k, _| {
            let mut step = Vector3::zeros();
            step[k] = STEP;
            (nearest(&(p + step)) - nearest(&(p - step))) / (2.0 * STEP)
        });
        p += gradient * (lacking / gradient.norm_squared().max(0.1)).min(0.02);
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_show::human::human;

    #[test]
    fn a_cape_is_held_at_the_shoulders_and_between_them() {
        let grid = grid(Size::Medium);
        let mesh = cape(human().expect("a character"), CapeJoints::HUMAN, grid).expect("a cape");
        let points =
            held(Hold::Four, CapeJoints::HUMAN, grid).into_iter().map(|(v, _)| mesh.positions[v as usize]);
        let points: Vec<_> = points.collect();
        assert!(points.iter().all(|p| p.y > 1.38), "{points:?}");
        assert!(points[0].x > 0.13 && points[1].x > 0.05 && points[1].x < points[0].x, "{points:?}");
        for (left, right) in [(0, 3), (1, 2)] {
            assert!((points[left].x + points[right].x).abs() < 0.01, "{points:?}");
        }
        assert_eq!(held(Hold::Two, CapeJoints::HUMAN, grid).len(), 2);
    }

    #[test]
    fn what_is_too_near_is_moved_out_and_the_rest_stays() {
        let ball = WorldProxy { ends: [Point3::origin(); 2], radii: [0.5; 2] };
        let out = clear(&[ball], Point3::new(0.0, 0.3, 0.0), 0.1);
        assert!((out - Point3::new(0.0, 0.6, 0.0)).norm() < 1e-6, "{out}");
        let far = Point3::new(0.7, 0.0, 0.0);
        assert_eq!(clear(&[ball], far, 0.1), far);
    }
}
