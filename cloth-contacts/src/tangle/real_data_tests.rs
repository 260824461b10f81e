//! Contours of third-party garments: nothing is lost, and each is of the kind that its ends say.

use cloth_geom::{RepairPolicy, repair};

use super::fixtures::Traced;
use super::{ContourKind, brute_force, enclosed_vertices};
use crate::intersect::real_data_tests::load;

const KINDS: [ContourKind; 4] =
    [ContourKind::Closed, ContourKind::Boundary, ContourKind::Open, ContourKind::Tangled];

/// Traces a file, prints what is found, and compares with the definition; the numbers of contours by kind.
fn count(name: &str) -> Option<[usize; 4]> {
    let mesh = load(name)?;
    let policy = RepairPolicy { weld_distance: Some(0.0), ..RepairPolicy::default() };
    let mesh = repair(&mesh, &policy).map_or(mesh, |repaired| repaired.mesh);
    let traced = Traced::new(mesh);
    let of_kind = KINDS.map(|kind| traced.contours.iter().filter(|c| c.kind == kind).count());
    let cut = |c: &&super::Contour| enclosed_vertices(c, &traced.topology).iter().any(Option::is_some);
    let both_sided = traced.contours.iter().filter(|c| c.both_sided).count();
    eprintln!(
        "{name}: {} hits, {} contours (closed, boundary, open, tangled: {of_kind:?}), {} cut something off, \
         {both_sided} meet themselves, {} long",
        traced.hits.len(),
        traced.contours.len(),
        traced.contours.iter().filter(cut).count(),
        traced.length()
    );
    let mut found: Vec<Vec<[u32; 2]>> = traced.contours.iter().map(|c| c.hits.clone()).collect();
    found.iter_mut().for_each(|set| set.sort_unstable());
    if traced.hits.len() < 3000 {
        assert_eq!(found, brute_force::connected(&traced.hits, &traced.topology));
    }
    assert_eq!(found.concat().len(), traced.hits.len(), "each hit is on one contour");
    assert!(traced.length().is_finite());
    Some(of_kind)
}

#[test]
fn garments_of_others_are_traced_whole() {
    let names = [
        "garments/diffcloth/tshirt1900-folding-biFolded.obj",
        "garments/diffcloth/dress-v5k-f10k-v2.obj",
        "garments/codim-ipc/dress_knife_drape.obj",
        "garments/makehuman/female_casualsuit01.obj",
        "garments/garmentcode/shirt_mean_boxmesh.GENERATED.obj",
    ];
    for name in names {
        if let Some(found) = count(name) {
            assert!(found.iter().sum::<usize>() > 0 || !name.contains("Folded"), "{name} starts entangled");
        }
    }
}
