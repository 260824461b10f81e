//! Starts a skirt with two of its layers swapped in a patch, and reports when they are in order again.

use cloth_contacts::intersect::Checker;
use cloth_solver::{ContactCache, ContactSource, Simulation};
use cloth_verify::scenario::Setup;

/// Rows and columns of cells whose layers are swapped: two faces each, 100 triangles.
pub(crate) const CELLS: [usize; 2] = [5, 10];
/// Rows between the waist and the patch.
const BELOW_WAIST: usize = 3;

/// What keeps the layers apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Keeping {
    /// The order, with the contacts of the scene, which are computed once.
    Order,
    /// The order, with contacts that are detected.
    DetectedOrder,
    /// Contacts that are detected, without an order.
    NoOrder,
}

/// Intersections of the start, and after each frame.
#[derive(Clone, Debug)]
pub(crate) struct Counts(Vec<usize>);

impl Counts {
    /// Of the start.
    pub(crate) fn at_the_start(&self) -> usize {
        self.0[0]
    }

    /// Of the last frame.
    pub(crate) fn at_the_end(&self) -> usize {
        self.0[self.0.len() - 1]
    }

    /// The first frame, counted from 1, without any; none if there is no such frame.
    pub(crate) fn first_clean(&self) -> Option<usize> {
        self.0.iter().position(|&n| n == 0)
    }

    /// Frames with any.
    pub(crate) fn frames_with(&self) -> usize {
        self.0[1..].iter().filter(|&&n| n > 0).count()
    }
}

impl Keeping {
    /// In words.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Order => "order, contacts computed once",
            Self::DetectedOrder => "order, contacts detected",
            Self::NoOrder => "no order",
        }
    }
}

/// Runs a skirt whose two inner layers start in each other's places: of two equal scenes, the first one.
pub(crate) fn run([mut setup, authored]: [Setup; 2], keeping: Keeping) -> Counts {
    setup.scene.contact_cache = keep(&mut setup, keeping, authored);
    swap(&mut setup);
    let sim = setup.scene.build(setup.scene.settings).expect("the scene of the scenario");
    count_swaps(setup, sim)
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
