//! The scenarios, one file each.
//!
//! Each file's first lines say what it stresses and where it comes from, and its constants are all that can
//! be tuned of it. To add one, write its file and put it in the list.

pub mod cape;
mod cape_run_stop;
mod cape_walk;
mod catch;
mod coat_fingers;
mod drape_sphere;
mod dress_dance;
mod exempt;
mod fem_hang;
mod fem_sphere;
mod flaps;
mod funnel;
mod garment;
mod hang;
mod knot;
mod layered_skirt;
mod needles;
mod obstacle;
pub(crate) mod parts;
mod pile;
mod pinch;
mod reef_knot;
mod rolling_ball;
mod rotating_sphere;
mod stack;
mod tablecloth;
pub mod tangled;
mod tunnelling;
mod twist;
mod violent_character;

use crate::Size;
use crate::scenario::{Scenario, Setup, SetupError};
pub(crate) use exempt::exempt_pair_substeps;

const ALL: [Scenario; 27] = [
    hang::SCENARIO,
    drape_sphere::SCENARIO,
    pile::SCENARIO,
    stack::SCENARIO,
    tunnelling::SCENARIO,
    rotating_sphere::SCENARIO,
    knot::SCENARIO,
    flaps::SCENARIO,
    layered_skirt::SCENARIO,
    violent_character::SCENARIO,
    garment::SCENARIO,
    twist::SCENARIO,
    needles::SCENARIO,
    tablecloth::SCENARIO,
    funnel::SCENARIO,
    pinch::SCENARIO,
    reef_knot::SCENARIO,
    tangled::SCENARIO,
    coat_fingers::SCENARIO,
    cape_walk::SCENARIO,
    cape_run_stop::SCENARIO,
    dress_dance::SCENARIO,
    fem_hang::SCENARIO,
    fem_sphere::SCENARIO,
    catch::SCENARIO,
    rolling_ball::SCENARIO,
    obstacle::SCENARIO,
];

/// All scenarios, in the order in which they run.
#[must_use]
pub fn all() -> &'static [Scenario] {
    &ALL
}

/// The scene of `cape-walk` with a cape that is held at two points or at four.
///
/// # Errors
/// As [`Scenario::build`].
pub fn cape_walk_with(size: Size, hold: cape::Hold) -> Result<Setup, SetupError> {
    cape_walk::with_hold(size, hold)
}

/// A scenario with a mesh of another resolution.
pub struct Resized {
    /// The scene, with the expectations of the scenario where they do not depend on the resolution.
    pub setup: Setup,
    /// Vertices of each cloth along its first axis and along its second; vertex (i, j) is `j * grid[0] + i`.
    pub grid: [usize; 2],
}

/// A scenario made of rectangular sheets, with about `side` squared vertices, for measurements over sizes:
/// `hang`, `drape-sphere`, `pile`, `twist` and `stack`. `None` for other names.
///
/// A `stack` is five sheets of `side / 2` vertices along each side; a `twist` a strip with square cells.
///
/// # Errors
/// As [`Scenario::build`], for example if `side` is too small.
pub fn with_side(name: &str, side: usize) -> Option<Result<Resized, SetupError>> {
    let square = [side, side];
    let (grid, setup) = match name {
        "hang" => (square, hang::with_side(side)),
        "drape-sphere" => (square, drape_sphere::with_side(side)),
        "pile" => (square, pile::with_side(side)),
        "twist" => (twist::grid(side), twist::with_grid(twist::grid(side))),
        "stack" => ([side / 2, side / 2], stack::with_sheets(5, side / 2)),
        _ => return None,
    };
    Some(setup.map(|setup| Resized { setup, grid }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resized_scenario_has_about_the_square_of_its_side() {
        for name in ["hang", "drape-sphere", "pile", "twist", "stack"] {
            for side in [32, 64, 128] {
                let Resized { setup, grid } = with_side(name, side).expect("resizable").expect("a scene");
                let count: usize = setup.scene.cloths.iter().map(|c| c.mesh.positions.len()).sum();
                assert_eq!(count, grid[0] * grid[1] * setup.scene.cloths.len());
                let share = count as f64 / (side * side) as f64;
                assert!((0.9..1.3).contains(&share), "{name} {side}: {count}");
            }
        }
        assert!(with_side("knot", 32).is_none());
        assert!(with_side("hang", 1).is_some_and(|built| built.is_err()));
    }

    #[test]
    fn a_resized_scenario_of_the_medium_size_is_the_medium_scenario() {
        for name in ["hang", "drape-sphere", "pile", "twist"] {
            let scenario = all().iter().find(|s| s.name == name).expect("known");
            let medium = (scenario.build)(Size::Medium).expect("a scene");
            let resized = with_side(name, 64).expect("resizable").expect("a scene").setup;
            assert_eq!(medium.scene.cloths, resized.scene.cloths, "{name}");
            assert_eq!((medium.frames, medium.dt), (resized.frames, resized.dt));
        }
    }
}
