//! The auditor shares nothing with what it audits: its sources name nothing of it.

use std::path::Path;

/// What the sources may name of the crates under audit: plain data and the words of authors, exact
/// predicates, the reference of continuous collision detection, adjacency.
const ALLOWED: [&str; 14] = [
    "cloth_contacts::ccd::{Ccd, Query, Reference}",
    "cloth_contacts::Surface",
    "cloth_contacts::{Interaction, Interactions}",
    "cloth_geom::exact::segment_meets_triangle",
    "cloth_geom::closest::{point_triangle, segment_segment}",
    "cloth_geom::Topology",
    "cloth_geom::TopologyError",
    "cloth_geom::{Topology, TopologyError}",
    "cloth_solver::AcceptedMotion",
    "cloth_solver::Cut",
    "cloth_solver::ExaminedPair",
    "cloth_solver::Simulation",
    "cloth_solver::{ClothId, Simulation}",
    "crate::audit",
];

/// Names of what is under audit, wherever they stand in code.
const FORBIDDEN: [&str; 18] = [
    "cloth_broadphase",
    "gate::",
    "tangle::",
    "tangle_set",
    "candidates",
    "bounds::",
    "cull",
    "intersect::",
    "Checker",
    "Filtered",
    "Inclusion",
    "Additive",
    "impacts",
    "relative_motion",
    "Detector",
    "is_tangled",
    "is_guarded_hit",
    "fuzz::",
];

/// The code of a source file, without comments and without its tests.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    code.lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_sources_name_nothing_of_what_they_audit() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/audit");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "rs") {
            continue;
        }
        files += 1;
        let text = code(&std::fs::read_to_string(&path).unwrap());
        let file = path.display();
        for name in FORBIDDEN {
            assert!(!text.contains(name), "{file} names {name}");
        }
        for line in text.lines().map(str::trim) {
            let named = line.match_indices("cloth_").filter(|(at, _)| line[*at..].contains("::"));
            for (at, _) in named {
                let rest = &line[at..];
                assert!(ALLOWED.iter().any(|name| rest.starts_with(name)), "{file}: {line}");
            }
            let inner = line.strip_prefix("use crate::");
            assert!(inner.is_none_or(|rest| rest.starts_with("audit")), "{file}: {line}");
        }
    }
    assert!(files >= 11, "{files} files were read");
}

#[test]
fn the_rings_are_those_that_the_gate_promises() {
    assert_eq!(super::super::RINGS, cloth_contacts::gate::RINGS);
}
