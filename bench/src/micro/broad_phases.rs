//! Broad phases on the edges and the vertices of a sheet that has been crumpled by `pile`.

use std::hint::black_box;

use cloth_broadphase::{
    BlockTree, Boxes, BroadPhase, BruteForce, KdTree, PairFilter, Pairs, ParryBvh, PointGrid, SpatialHash,
    SweepAndPrune, SweepGrid,
};
use cloth_geom::Aabb;
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use nalgebra::Point3;
use parry3d::bounding_volume::Aabb as ParryAabb;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

use super::kernels::vector;
use super::{Effort, time_ms};
use crate::contenders::{Contender, Own, version_of};
use crate::scene::Scene;
use crate::schema::BroadPhaseResult;

/// What the boxes are.
const BOXES: &str = "edges of a crumpled sheet, fattened by its thickness";
/// What the points are.
const POINTS: &str = "vertices of a crumpled sheet, within half an edge";

/// A sheet in two successive frames.
struct Sheet {
    states: [Vec<Point3<f64>>; 2],
    edges: Vec<[u32; 2]>,
    thickness: f64,
}

/// All structures on boxes and on points.
///
/// # Errors
/// If the sheet cannot be simulated, or has a position that is not finite.
pub(super) fn all(effort: Effort) -> Result<Vec<BroadPhaseResult>, String> {
    let sheet = crumpled(effort)?;
    let [before, after] = &sheet.states;
    let boxes = [sheet.boxes(before)?, sheet.boxes(after)?];
    let mut exact = Pairs::new();
    updated::<BruteForce>(&boxes[1]).self_pairs(&PairFilter::all(), &mut exact);
    let set = Set { question: "boxes", input: BOXES, items: boxes[1].len(), exact: exact.as_slice() };
    let n = effort.repetitions;
    let mut found = vec![
        own::<BlockTree>("BlockTree", &boxes, &set, n),
        own::<ParryBvh>("ParryBvh (parry's build, own descent)", &boxes, &set, n),
        own::<SpatialHash>("SpatialHash", &boxes, &set, n),
        own::<SweepGrid>("SweepGrid", &boxes, &set, n),
        own::<SweepAndPrune>("SweepAndPrune", &boxes, &set, n),
        own::<KdTree>("KdTree", &boxes, &set, n),
        parry(&boxes, &set, n),
    ];
    found.extend(points(after, 0.5 * sheet.edge_length(), n)?);
    Ok(found)
}

/// A new broad phase after an update.
fn updated<B: BroadPhase>(boxes: &Boxes) -> B {
    let mut broad_phase = B::default();
    broad_phase.update(boxes);
    broad_phase
}

fn crumpled(effort: Effort) -> Result<Sheet, String> {
    let scene = Scene::new("pile", effort.side)?;
    let [_, mut cloth, _] = Own::presets();
    cloth.load(&scene).map_err(|e| e.to_string())?;
    let mut states = [Vec::new(), Vec::new()];
    for frame in 0..effort.frames {
        cloth.step(f64::from(scene.setup.dt), &[])?;
        cloth.positions(&mut states[usize::from(frame + 1 == effort.frames)]);
    }
    let thickness = scene.setup.scene.thinnest().map_or(0.0, |t| t.total().into());
    Ok(Sheet { states, edges: scene.topology.edges().to_vec(), thickness })
}

impl Sheet {
    fn boxes(&self, state: &[Point3<f64>]) -> Result<Boxes, String> {
        let of_edge =
            |e: &[u32; 2]| Aabb::of_points(e.map(|v| state[v as usize])).inflated(0.5 * self.thickness);
        Boxes::try_from_iter(self.edges.iter().map(of_edge)).map_err(|e| e.to_string())
    }

    /// Median length (m) of the edges.
    fn edge_length(&self) -> f64 {
        let length = |e: &[u32; 2]| {
            let [a, b] = e.map(|v| self.states[1][v as usize]);
            (b - a).norm()
        };
        let mut lengths: Vec<f64> = self.edges.iter().map(length).collect();
        lengths.sort_by(f64::total_cmp);
        lengths.get(lengths.len() / 2).copied().unwrap_or(0.0)
    }
}

/// Boxes or points with all pairs of them, in order.
struct Set<'a> {
    question: &'static str,
    input: &'static str,
    items: usize,
    exact: &'a [[u32; 2]],
}

impl Set<'_> {
    /// The result of a structure that found some pairs, in order; its times are left open.
    fn judged(&self, contender: &str, found: &[[u32; 2]]) -> BroadPhaseResult {
        let package = contender.split(' ').next().unwrap_or_default();
        let lacking = |list: &[[u32; 2]], of: &[[u32; 2]]| {
            of.iter().filter(|pair| list.binary_search(pair).is_err()).count() as u64
        };
        BroadPhaseResult {
            contender: contender.into(),
            version: version_of(package),
            own: package.starts_with("cloth-"),
            input: self.input.into(),
            question: self.question.into(),
            items: self.items,
            pairs: found.len() as u64,
            missing: lacking(found, self.exact),
            extra: lacking(self.exact, found),
            ..BroadPhaseResult::default()
        }
    }
}

fn own<B: BroadPhase>(name: &str, [before, after]: &[Boxes; 2], set: &Set<'_>, n: usize) -> BroadPhaseResult {
    let filter = PairFilter::all();
    let build_ms = time_ms(n, || drop(black_box(updated::<B>(after))));
    let mut broad_phase = updated::<B>(after);
    let mut turn = false;
    let refit_ms = Some(time_ms(2 * n, || {
        turn = !turn;
        broad_phase.update(if turn { before } else { after });
    }));
    broad_phase.update(after);
    let query_ms = time_ms(n, || {
        let mut count = 0_u64;
        broad_phase.visit_self_pairs(&filter, &mut |_, _| count += 1);
        black_box(count);
    });
    let mut found = Pairs::new();
    broad_phase.self_pairs(&filter, &mut found);
    let judged = set.judged(&format!("cloth-broadphase {name}"), found.as_slice());
    BroadPhaseResult { build_ms, refit_ms, query_ms, ..judged }
}

/// parry's own tree with its own refit and traversal; its boxes are `f32`, rounded to nearest.
fn parry(boxes: &[Boxes; 2], set: &Set<'_>, n: usize) -> BroadPhaseResult {
    let of = |b: &Aabb| ParryAabb::new(vector(&b.min), vector(&b.max));
    let [before, after] = [&boxes[0], &boxes[1]].map(|set| set.as_slice().iter().map(of).collect::<Vec<_>>());
    let build_ms = time_ms(n, || drop(black_box(Bvh::from_leaves(BvhBuildStrategy::Binned, &after))));
    let mut tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &after);
    let mut workspace = BvhWorkspace::default();
    let mut refit = |tree: &mut Bvh, leaves: &[ParryAabb]| {
        for (leaf, index) in leaves.iter().zip(0..) {
            tree.insert_or_update_partially(*leaf, index, 0.0);
        }
        tree.refit(&mut workspace);
    };
    let mut turn = false;
    let refit_ms = Some(time_ms(2 * n, || {
        turn = !turn;
        refit(&mut tree, if turn { &before } else { &after });
    }));
    refit(&mut tree, &after);
    let mut stack = BvhWorkspace::default();
    let mut found = Vec::new();
    tree.traverse_bvtt_single_tree::<false>(&mut stack, &mut |a, b| found.push([a.min(b), a.max(b)]));
    let query_ms = time_ms(n, || {
        let mut count = 0_u64;
        tree.traverse_bvtt_single_tree::<false>(&mut stack, &mut |_, _| count += 1);
        black_box(count);
    });
    found.sort_unstable();
    BroadPhaseResult { build_ms, refit_ms, query_ms, ..set.judged("parry3d Bvh", &found) }
}

/// All pairs of points within a distance (m): this project's grid and kiddo's tree.
fn points(state: &[Point3<f64>], distance: f64, n: usize) -> Result<Vec<BroadPhaseResult>, String> {
    let single: Vec<Point3<f32>> = state.iter().map(|p| p.map(|c| c as f32)).collect();
    let double: Vec<[f64; 3]> = single.iter().map(|p| p.map(f64::from).into()).collect();
    let mut grid = PointGrid::default();
    grid.update(&single, None, distance).map_err(|e| e.to_string())?;
    let mut of_grid = Vec::new();
    grid.visit_pairs(&mut |a, b| of_grid.push([a, b]));
    of_grid.sort_unstable();
    let tree = tree(&double)?;
    let mut of_tree = within(&tree, &double, distance);
    of_tree.sort_unstable();
    let exact = near_pairs(&double, distance);
    let set = Set { question: "points", input: POINTS, items: double.len(), exact: &exact };
    Ok(vec![
        BroadPhaseResult {
            build_ms: time_ms(n, || drop(black_box(grid.update(&single, None, distance)))),
            query_ms: time_ms(n, || {
                let mut count = 0_u64;
                grid.visit_pairs(&mut |_, _| count += 1);
                black_box(count);
            }),
            ..set.judged("cloth-broadphase PointGrid", &of_grid)
        },
        BroadPhaseResult {
            build_ms: time_ms(n, || drop(black_box(self::tree(&double)))),
            query_ms: time_ms(n, || drop(black_box(within(&tree, &double, distance)))),
            ..set.judged("kiddo ImmutableKdTree", &of_tree)
        },
    ])
}

type Tree = ImmutableKdTree<f64, 3>;

fn tree(points: &[[f64; 3]]) -> Result<Tree, String> {
    ImmutableKdTree::new_from_slice(points).map_err(|e| format!("kiddo: {e:?}"))
}

fn within(tree: &Tree, points: &[[f64; 3]], distance: f64) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    for (i, point) in (0_u32..).zip(points) {
        let near = tree.query(point).within::<SquaredEuclidean<f64>>(distance * distance);
        near.unsorted().visit(|other| {
            if other.item > i {
                found.push([i, other.item]);
            }
        });
    }
    found
}

/// The same by trying all pairs.
fn near_pairs(points: &[[f64; 3]], distance: f64) -> Vec<[u32; 2]> {
    let squared = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>();
    let mut found = Vec::new();
    for (i, a) in points.iter().enumerate() {
        let rest = points[i + 1..].iter().enumerate();
        let near = rest.filter(|(_, b)| squared(a, b) <= distance * distance);
        found.extend(near.map(|(j, _)| [i as u32, (i + 1 + j) as u32]));
    }
    found
}
