//! `cloth verify` as its user calls it.

use crate::support::{cloth, text};

#[test]
fn leaves_the_last_state_of_a_scenario_for_the_other_commands() {
    let dir = tempfile::tempdir().unwrap();
    let folder = text(dir.path());
    let ran = cloth(["verify", "--scenario", "drape-sphere", "--size", "small", "--report", &folder]);
    assert_eq!(ran.status, 0, "{ran:?}");
    for file in ["index.html", "drape-sphere-1.html", "drape-sphere-1.js", "player.js"] {
        assert!(dir.path().join(file).exists(), "{file}");
    }
    let last = text(&dir.path().join("drape-sphere-1-last.obj"));
    let checked = cloth(["check", &last]);
    assert_eq!(checked.status, 0, "{checked:?}");
    let culled = cloth(["cull", &last]);
    assert_eq!(culled.status, 0, "{culled:?}");
    // It has fallen on the ball: its middle rests on the top, and its corners hang below.
    let heights = |prefix: &str| {
        let obj = std::fs::read_to_string(&last).unwrap();
        let lines = obj.lines().filter_map(|line| line.strip_prefix(prefix));
        lines.map(|line| line.split(' ').nth(1).unwrap().parse::<f64>().unwrap()).collect::<Vec<_>>()
    };
    let heights = heights("v ");
    let (least, most) = heights.iter().fold((f64::MAX, f64::MIN), |(l, m), &h| (l.min(h), m.max(h)));
    assert!(most - least > 0.1, "{least} to {most}");
}
