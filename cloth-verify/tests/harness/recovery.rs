//! A skirt whose layers start swapped in a patch of a hundred triangles comes right by its order, and not
//! without.

use cloth_contacts::intersect::Checker;
use cloth_solver::{ContactCache, ContactSource, Simulation};
use cloth_verify::scenario::Setup;
use cloth_verify::{Size, scenarios};

/// Rows and columns of cells whose layers are swapped: two faces each, 100 triangles.
const CELLS: [usize; 2] = [5, 10];
/// Rows between the waist and the patch.
const BELOW_WAIST: usize = 3;

/// What keeps the layers apart.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Keeping {
    /// The order, with the contacts of the scene, which are computed once.
    Order,
    /// The order, with contacts that are detected.
    DetectedOrder,
    /// Contacts that are detected, without an order.
    NoOrder,
}

/// Intersections of the start, and after each frame.
#[derive(Clone, Debug)]
struct Counts(Vec<usize>);

impl Counts {
    /// Of the start.
    fn at_the_start(&self) -> usize {
        self.0[0]
    }

    /// Of the last frame.
    fn at_the_end(&self) -> usize {
        self.0[self.0.len() - 1]
    }

    /// The first frame, counted from 1, without any; none if there is no such frame.
    fn first_clean(&self) -> Option<usize> {
        self.0.iter().position(|&n| n == 0)
    }

    /// Frames with any.
    fn frames_with(&self) -> usize {
        self.0[1..].iter().filter(|&&n| n > 0).count()
    }
}

/// Runs the small skirt on legs that stand, or that kick, its two inner layers in each other's places.
fn counts(keeping: Keeping, kick: bool) -> Counts {
    let skirt = scenarios::all().iter().find(|s| s.name == "layered-skirt").expect("a scenario");
    let scene = || {
        let setup = (skirt.build)(Size::Small).expect("a scene");
        Setup { driver: setup.driver.filter(|_| kick), ..setup }
    };
    let mut setup = scene();
    setup.scene.contact_cache = keep(&mut setup, keeping, scene());
    swap(&mut setup);
    let sim = setup.scene.build(setup.scene.settings).expect("the scene of the scenario");
    let counts = count_swaps(setup, sim);
    assert_eq!(2 * CELLS[0] * CELLS[1], 100);
    assert!(counts.at_the_start() > 100, "{counts:?}");
    counts
}

/// Sets up what keeps the layers apart. Contacts computed once are those of the pose that was authored, not
/// of the swapped one.
fn keep(setup: &mut Setup, keeping: Keeping, authored: Setup) -> Option<ContactCache> {
    match keeping {
        Keeping::Order => {
            let sim = authored.scene.build(authored.scene.settings).expect("the scene of the scenario");
            return sim.contact_cache().cloned();
        }
        Keeping::DetectedOrder => {}
        Keeping::NoOrder => setup.scene.settings.layer_order = false,
    }
    setup.scene.settings.contacts = ContactSource::Detected;
    None
}

/// Moves the vertices of a patch of the inner layer and those of the next one to each other's places.
fn swap(setup: &mut Setup) {
    let around = setup.scene.cloths[0].pins.len();
    let rows = [0, 1].map(|k| setup.scene.cloths[k].mesh.positions.len() / around);
    let (low, high) = setup.scene.cloths.split_at_mut(1);
    for row in (0..=CELLS[0]).map(|row| BELOW_WAIST + row) {
        // In front, where the legs kick.
        for column in (0..=CELLS[1]).map(|column| around / 2 + column) {
            let [inner, outer] = rows.map(|rows| (rows - 1 - row) * around + column % around);
            std::mem::swap(&mut low[0].mesh.positions[inner], &mut high[0].mesh.positions[outer]);
        }
    }
}

fn count_swaps(mut setup: Setup, mut sim: Simulation) -> Counts {
    let mut checker = Checker::default();
    let mut count = |sim: &Simulation| {
        let positions: Vec<_> = sim.positions().iter().map(|p| p.cast::<f64>()).collect();
        checker.check(&positions, sim.surface().topology()).expect("finite").count()
    };
    let mut counts = vec![count(&sim)];
    for frame in 0..setup.frames {
        setup.drive(&mut sim, frame).expect("its own colliders");
        sim.step(setup.dt_of(frame)).expect("a step");
        counts.push(count(&sim));
    }
    Counts(counts)
}

#[test]
fn layer_order_untangles_swapped_layers_at_once_and_for_good() {
    for keeping in [Keeping::Order, Keeping::DetectedOrder] {
        let counts = counts(keeping, false);
        let first = counts.first_clean().expect("it becomes clean");
        assert!(first <= 5, "{keeping:?}: {counts:?}");
        assert_eq!(counts.frames_with() + 1, first, "{keeping:?}: {counts:?}");
    }
}

#[test]
fn layers_that_start_swapped_come_right_on_kicking_legs_by_their_order() {
    for keeping in [Keeping::Order, Keeping::DetectedOrder] {
        let counts = counts(keeping, true);
        assert!(counts.first_clean().is_some_and(|first| first <= 5), "{keeping:?}: {counts:?}");
        assert_eq!(counts.at_the_end(), 0, "{keeping:?}: {counts:?}");
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
