use std::collections::BTreeSet;

use cloth_geom::Topology;
use cloth_geom::fixtures::sheet;

use super::*;

/// Flat points of a sheet of so many vertices a side.
fn square(side: usize) -> Vec<Point3<f32>> {
    sheet(side, side, [1.0, 1.0]).unwrap().mesh.positions_f32()
}

/// The vertices of each chunk.
fn all_chunks(chunks: &Chunks) -> Vec<&[u32]> {
    let slots_of = |chunk: usize| {
        let end = |chunk: usize| chunks.parts().of_items().partition_point(|&own| usize::from(own) < chunk);
        end(chunk)..end(chunk + 1)
    };
    (0..chunks.count()).map(|chunk| &chunks.vertices()[slots_of(chunk)]).collect()
}

/// The edges of a sheet of so many vertices a side.
fn edges(side: usize) -> Vec<[u32; 2]> {
    Topology::of_mesh(&sheet(side, side, [1.0, 1.0]).unwrap().mesh).unwrap().edges().to_vec()
}

#[test]
fn every_vertex_has_a_slot_of_its_own_in_its_chunk() {
    for (side, wanted, count) in [(2, 1, 1), (23, 2, 2), (40, 3, 3), (64, 7, 7), (130, 99, 16)] {
        let rest = square(side);
        let chunks = Chunks::new(&rest, std::iter::once(0..rest.len()), edges(side).into_iter(), wanted);
        assert_eq!(chunks.workers(), count, "{side}");
        for (v, &slot) in (0..).zip(chunks.slots()) {
            assert_eq!(chunks.vertices()[slot as usize], v);
            assert_eq!(chunks.parts().of_items()[slot as usize], chunks.chunk_of(v));
        }
        let all = all_chunks(&chunks);
        assert!(all.iter().all(|own| own.is_sorted()));
        assert_eq!(all.concat().len(), rest.len());
        let own = all.chunks(2).map(|own| own.iter().map(|own| own.len()).sum::<usize>());
        assert!(own.into_iter().all(|len| len.abs_diff(rest.len() / count) <= 1));
    }
}

#[test]
fn few_vertices_are_for_one_worker() {
    let count = |side: usize, threads| {
        let links = std::iter::empty();
        let parts = std::iter::once(0..side * side);
        Chunks::new(&square(side), parts, links, workers(side * side, threads)).workers()
    };
    assert_eq!([count(45, 4), count(64, 4), count(91, 4), count(91, 3)], [1, 2, 4, 3]);
}

#[test]
fn a_sheet_is_cut_straight_and_its_border_is_narrow() {
    let chunks = Chunks::new(&square(64), std::iter::once(0..4096), edges(64).into_iter(), 2);
    let count = all_chunks(&chunks).iter().map(|own| own.len()).collect::<Vec<_>>();
    assert_eq!(count, [128, 1920, 128, 1920]);
}

#[test]
fn parts_are_divided_one_after_the_other() {
    let rest = square(40);
    let chunks = Chunks::new(&rest, [0..800, 800..800, 800..1600], std::iter::empty(), 4);
    let part = |own: &&[u32]| own.iter().map(|&v| v >= 800).collect::<BTreeSet<_>>();
    let parts: Vec<_> = all_chunks(&chunks).iter().map(part).filter(|parts| !parts.is_empty()).collect();
    assert_eq!(parts, [[false].into(), [false].into(), [true].into(), [true].into()]);
}

#[test]
fn points_in_one_place_and_no_points_have_chunks() {
    let chunks = Chunks::new(&[Point3::origin(); 1200], std::iter::once(0..1200), std::iter::empty(), 3);
    assert_eq!(all_chunks(&chunks).iter().map(|own| own.len()).collect::<Vec<_>>(), [0, 400, 0, 400, 0, 400]);
    assert_eq!(all_chunks(&Chunks::new(&[], [], std::iter::empty(), workers(0, 2))), [[0; 0]]);
}
