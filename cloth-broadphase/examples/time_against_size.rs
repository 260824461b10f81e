//! Times every broad phase on folded sheets of growing size: a table, and a chart if a path for an SVG is
//! given.
//!
//! A pair's time is that of one step of a simulation: an update with boxes that moved, and a visit of all
//! pairs that share no vertex.
//! `cargo run --release --example time_against_size -- docs/images/broad-phases.svg`

use std::error::Error;
use std::fmt::Write;
use std::time::Instant;

use cloth_broadphase::{
    BlockTree, Boxes, BroadPhase, KdTree, Members, PairFilter, ParryBvh, SpatialHash, Sweep, SweepAndPrune,
    SweepGrid,
};
use nalgebra::Point3;

/// Boxes of the sets, about.
const SIZES: [u32; 7] = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000];

/// A method that took longer (ms) than this is left out of the larger sizes.
const PATIENCE: f64 = 4_000.0;

/// Times by size (ms); none where the method was left out.
type Series = (&'static str, Vec<Option<f64>>);

struct World {
    faces: Vec<[u32; 3]>,
    before: Boxes,
    after: Boxes,
}

fn main() -> Result<(), Box<dyn Error>> {
    let worlds = SIZES.iter().map(|&size| world(size)).collect::<Result<Vec<_>, _>>()?;
    let all = [
        series::<BlockTree>("BlockTree", &worlds),
        series::<ParryBvh>("ParryBvh", &worlds),
        series::<SweepGrid>("SweepGrid", &worlds),
        series::<SpatialHash>("SpatialHash", &worlds),
        series::<KdTree>("KdTree", &worlds),
        series::<SweepAndPrune>("SweepAndPrune", &worlds),
    ];
    print!("{:<14}", "boxes");
    worlds.iter().for_each(|world| print!("{:>10}", world.after.len()));
    for (name, times) in &all {
        print!("\n{name:<14}");
        for time in times {
            print!("{:>10}", time.map_or("-".into(), |ms| format!("{ms:.2}")));
        }
    }
    println!();
    if let Some(path) = std::env::args().nth(1) {
        std::fs::write(path, chart(&all, &worlds))?;
    }
    Ok(())
}

/// A square sheet in folds, of about this many faces, swept over a step in which it moves by half a spacing.
fn world(size: u32) -> Result<World, Box<dyn Error>> {
    let n = ((f64::from(size) / 2.0).sqrt() as u32 + 1).max(2);
    let spacing = 1.0 / f64::from(n - 1);
    let place = |i: u32, sag: f64| {
        let [x, z] = [i % n, i / n].map(|c| f64::from(c) * spacing);
        let fold = |t: f64| (t - (t + 0.5).floor()).abs();
        Point3::new(fold(2.0 * x), 0.1 * fold(7.0 * x + 3.0 * z) - sag * (0.5 + x), fold(1.5 * z + 0.2 * x))
    };
    let positions = |sag: f64| (0..n * n).map(|i| place(i, sag)).collect::<Vec<_>>();
    let cells = (0..(n - 1) * (n - 1)).map(|i| i / (n - 1) * n + i % (n - 1));
    let faces: Vec<[u32; 3]> = cells.flat_map(|v| [[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]).collect();
    let [a, b, c] = [0.0, 0.5 * spacing, spacing].map(positions);
    let before = Boxes::try_from_iter(Sweep::new(&a, &b)?.inflated(0.25 * spacing).faces(&faces))?;
    let after = Boxes::try_from_iter(Sweep::new(&b, &c)?.inflated(0.25 * spacing).faces(&faces))?;
    Ok(World { faces, before, after })
}

fn series<B: BroadPhase>(name: &'static str, worlds: &[World]) -> Series {
    let mut times: Vec<Option<f64>> = Vec::new();
    for world in worlds {
        let patient = times.last().is_none_or(|last| last.is_some_and(|ms| ms < PATIENCE));
        times.push(patient.then(|| step::<B>(world)));
    }
    (name, times)
}

/// The shortest of some steps (ms).
fn step<B: BroadPhase>(world: &World) -> f64 {
    let mut broad_phase = B::default();
    let filter = PairFilter::no_shared_vertex(Members::Faces(&world.faces), Members::Faces(&world.faces));
    let mut shortest = f64::INFINITY;
    let began = Instant::now();
    for round in 0..50 {
        broad_phase.update(&world.before);
        let start = Instant::now();
        broad_phase.update(&world.after);
        let mut pairs = 0u64;
        broad_phase.visit_self_pairs(&filter, &mut |_, _| pairs += 1);
        assert!(pairs > 0);
        shortest = shortest.min(start.elapsed().as_secs_f64() * 1e3);
        if round >= 1 && began.elapsed().as_secs_f64() > 0.5 {
            break;
        }
    }
    shortest
}

/// Lines over two logarithmic axes, with the name of each method at its end.
fn chart(all: &[Series], worlds: &[World]) -> String {
    let x = |boxes: usize| 60.0 + 170.0 * ((boxes as f64).log10() - 3.0);
    let y = |ms: f64| 330.0 - 60.0 * (ms.log10() + 1.0);
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 700 380\" font-family=\"sans-serif\" \
         font-size=\"12\">\n\
         <rect width=\"700\" height=\"380\" fill=\"#fff\"/>\n",
    );
    for (ms, label) in
        [(0.1, "0.1 ms"), (1.0, "1 ms"), (10.0, "10 ms"), (100.0, "0.1 s"), (1e3, "1 s"), (1e4, "10 s")]
    {
        let at = y(ms);
        let _ = writeln!(
            svg,
            "<path d=\"M60 {at:.1}H575\" stroke=\"#ddd\"/><text x=\"8\" y=\"{at:.1}\">{label}</text>"
        );
    }
    for (boxes, label) in
        [(1_000, "1,000"), (10_000, "10,000"), (100_000, "100,000"), (1_000_000, "1,000,000 boxes")]
    {
        let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"360\" text-anchor=\"middle\">{label}</text>", x(boxes));
    }
    let colours = ["#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#8c564b", "#7f7f7f"];
    for ((name, times), colour) in all.iter().zip(colours) {
        let points = worlds.iter().zip(times).filter_map(|(w, ms)| ms.map(|ms| (x(w.after.len()), y(ms))));
        let points: Vec<(f64, f64)> = points.collect();
        let line: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let line = line.join(" ");
        let (x, y) = points.last().copied().unwrap_or_default();
        let _ = writeln!(
            svg,
            "<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>"
        );
        let _ =
            writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{name}</text>", x + 6.0, y + 4.0);
    }
    svg + "</svg>\n"
}
