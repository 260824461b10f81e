//! A skirt whose layers start swapped in a patch of a hundred triangles comes right by its order, and not
//! without.

use cloth_verify::scenario::Setup;
use cloth_verify::{Size, scenarios};

#[path = "../examples/skirt_report/swap.rs"]
mod swap;

use swap::{Counts, Keeping};

/// Runs the small skirt on legs that stand, or that kick.
fn counts(keeping: Keeping, kick: bool) -> Counts {
    let skirt = scenarios::all().iter().find(|s| s.name == "layered-skirt").expect("a scenario");
    let scene = || {
        let setup = (skirt.build)(Size::Small).expect("a scene");
        Setup { driver: setup.driver.filter(|_| kick), ..setup }
    };
    let counts = swap::run([scene(), scene()], keeping);
    assert_eq!(2 * swap::CELLS[0] * swap::CELLS[1], 100);
    assert!(counts.at_the_start() > 100, "{counts:?}");
    counts
}

#[test]
fn layer_order_untangles_swapped_layers_at_once_and_for_good() {
    for keeping in [Keeping::Order, Keeping::DetectedOrder] {
        let counts = counts(keeping, false);
        let first = counts.first_clean().expect("it becomes clean");
        assert!(first <= 5, "{}: {counts:?}", keeping.name());
        assert_eq!(counts.frames_with() + 1, first, "{}: {counts:?}", keeping.name());
    }
}

#[test]
fn layers_that_start_swapped_come_right_on_kicking_legs_by_their_order() {
    for keeping in [Keeping::Order, Keeping::DetectedOrder] {
        let counts = counts(keeping, true);
        assert!(counts.first_clean().is_some_and(|first| first <= 5), "{}: {counts:?}", keeping.name());
        assert_eq!(counts.at_the_end(), 0, "{}: {counts:?}", keeping.name());
    }
}

#[test]
fn layers_that_start_swapped_stay_tangled_without_their_order() {
    for kick in [false, true] {
        let counts = counts(Keeping::NoOrder, kick);
        assert_eq!(counts.first_clean(), None, "{counts:?}");
        assert!(counts.at_the_end() > 100, "{counts:?}");
    }
}
