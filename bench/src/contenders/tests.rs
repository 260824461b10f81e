use super::*;

#[test]
fn ids_are_unique_and_versions_are_those_of_the_lock_file() {
    let mut ids: Vec<String> = all().iter().map(|c| c.describe().id).collect();
    assert_eq!(ids[0], BASELINE);
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
    for contender in all() {
        let about = contender.describe();
        assert!(!about.version.is_empty() && !about.settings.is_empty(), "{}", about.id);
        assert_eq!(by_id(&about.id).map(|c| c.describe()), Some(about));
    }
    assert_eq!(version_of("no-such-crate"), "");
}

/// Every contender is given the same start, and holds the pins of a sheet while the rest of it sags.
#[test]
fn every_contender_hangs_a_sheet_by_its_pins() {
    let scene = Scene::new("hang", 12).expect("a scene");
    let start = scene.start();
    for mut contender in all() {
        let id = contender.describe().id;
        contender.load(&scene).unwrap_or_else(|e| panic!("{id}: {e}"));
        let mut positions = Vec::new();
        contender.positions(&mut positions);
        let moved = start.iter().zip(&positions).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(moved < 1e-6, "{id} starts {moved} m off");
        for frame in 0..10 {
            contender.step(1.0 / 60.0, &[]).unwrap_or_else(|e| panic!("{id}, frame {frame}: {e}"));
        }
        contender.positions(&mut positions);
        for &pin in &scene.setup.scene.cloths[0].pins {
            let off = (positions[pin as usize] - start[pin as usize]).norm();
            assert!(off < 1e-5, "{id}: pin {pin} is {off} m off");
        }
        let sunk = start.iter().zip(&positions).map(|(a, b)| a.y - b.y).fold(0.0, f64::max);
        // Springs of 1,920 Hz along the diagonals let a sheet of this size sag by 0.28 mm.
        assert!(sunk > 1e-4, "{id} does not sag: {sunk} m");
    }
}

#[test]
fn every_contender_moves_pins_to_their_targets() {
    for mut contender in all() {
        let id = contender.describe().id;
        let mut scene = Scene::new("twist", 12).expect("a scene");
        contender.load(&scene).unwrap_or_else(|e| panic!("{id}: {e}"));
        let mut positions = Vec::new();
        for frame in 0..3 {
            let pins = scene.pin_targets(frame).expect("pins");
            contender.step(1.0 / 60.0, &pins).unwrap_or_else(|e| panic!("{id}, frame {frame}: {e}"));
            contender.positions(&mut positions);
            for pin in &pins {
                let off = (positions[pin.vertex as usize] - pin.target.map(f64::from)).norm();
                assert!(off < 1e-5, "{id}, frame {frame}: a pin is {off} m off");
            }
        }
    }
}
