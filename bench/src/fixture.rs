//! A report and a history that are made up, of the shape and size of real ones, for tests of everything that
//! reads reports.

use std::collections::BTreeMap;

use crate::history::{Record, records};
use crate::schema::{
    BenchReport, BroadPhaseResult, CallTimes, CcdResult, Contender, FrameTimes, Growth, Intersections,
    KernelResult, Machine, Measure, Mode, PassThroughs, Provenance, Ratio, SCHEMA_VERSION, SceneResult,
    Status, Stretch,
};

/// Name and cost of a scene: ms a frame of the baseline at side 32.
const SCENES: [(&str, f64); 3] = [("drape-sphere", 0.9), ("pile", 1.6), ("twist", 2.1)];
const SIDES: [u32; 3] = [32, 64, 128];

/// A contender as it is made up.
struct Invented {
    id: &'static str,
    name: &'static str,
    library: &'static str,
    certified: bool,
    /// Time over that of the baseline.
    factor: f64,
    /// Growth with the particles.
    exponent: f64,
    /// Intersections of a pile at side 64.
    pile: u64,
}

const INVENTED: [Invented; 5] = [
    invented(["cloth", "cloth, Settings::default()", "cloth-solver"], true, [1.0, 1.06], 0),
    invented(["cloth-game", "cloth, Settings::game()", "cloth-solver"], true, [0.62, 1.04], 0),
    invented(["cloth-ungated", "cloth without the gate", "cloth-solver"], false, [0.59, 1.05], 12),
    invented(["rapier3d", "rapier3d soft body", "rapier3d"], false, [21.0, 1.31], 9442),
    invented(["rapier-cloth-core", "rapier-cloth-core", "rapier-cloth-core"], false, [7.5, 1.2], 310),
];

const fn invented(names: [&'static str; 3], certified: bool, time: [f64; 2], pile: u64) -> Invented {
    let ([id, name, library], [factor, exponent]) = (names, time);
    Invented { id, name, library, certified, factor, exponent, pile }
}

/// The report.
pub(crate) fn report() -> BenchReport {
    let scenes: Vec<SceneResult> = SCENES
        .iter()
        .flat_map(|scene| SIDES.iter().map(move |side| (scene, *side)))
        .flat_map(|(scene, side)| INVENTED.iter().map(move |invented| result(scene, side, invented)))
        .collect();
    BenchReport {
        schema_version: SCHEMA_VERSION,
        provenance: provenance(),
        mode: Mode::Full,
        interrupted: false,
        ratios: ratios(),
        growth: growth(),
        kernels: kernels(),
        broad_phases: broad_phases(),
        ccd: ccd(),
        scenes,
    }
}

fn provenance() -> Provenance {
    Provenance {
        version: "0.1.0".into(),
        commit: Some("6312e8e7c1a54f0e9b2d7f6a1c3e5d7f9b1a2c4e".into()),
        dirty: false,
        date_utc: "2026-11-24T08:00:00Z".into(),
        arguments: vec!["--full".into(), "--runs".into(), "7".into()],
        toolchain: "rustc 1.95.0".into(),
        machine: Machine {
            cpu: "Example CPU 3.0 GHz".into(),
            cores: 2,
            memory_bytes: Some(8 << 30),
            os: "linux x86_64".into(),
            fingerprint: "0123456789abcdef".into(),
        },
        instruction_set: "avx2".into(),
        note: String::new(),
        load_average: Some([3.1, 2.4]),
    }
}

fn contender(invented: &Invented) -> Contender {
    let own = invented.library == "cloth-solver";
    Contender {
        id: invented.id.into(),
        name: invented.name.into(),
        library: invented.library.into(),
        version: if own { "0.1.0" } else { "0.36.0" }.into(),
        settings: "threads = 1".into(),
        certified: invented.certified,
        own,
    }
}

/// Median of a frame (ms).
fn median((scene, base): (&str, f64), side: u32, invented: &Invented) -> f64 {
    let size = f64::from(side) / 32.0;
    let twist = if scene == "twist" && invented.id == "rapier3d" { 4.0 } else { 1.0 };
    base * twist * invented.factor * size.powf(2.0 * invented.exponent)
}

/// How a contender ends, and the frames that it finishes.
fn ending(scene: &str, side: u32, invented: &Invented) -> (Status, usize) {
    match (invented.id, scene, side) {
        ("rapier-cloth-core", "twist", _) => {
            (Status::Failed { error: "solver diverged: position of particle 917 is NaN".into() }, 41)
        }
        ("rapier3d", "twist" | "pile", 128) => (Status::Stopped { after_s: 120.0 }, 73),
        ("rapier-cloth-core", "pile", 128) => {
            (Status::Unsupported { reason: "more than 10,000 particles".into() }, 0)
        }
        _ => (Status::Completed, 240),
    }
}

fn result(&(scene, base): &(&str, f64), side: u32, invented: &Invented) -> SceneResult {
    let (status, done) = ending(scene, side, invented);
    let ran = done > 0;
    let time = median((scene, base), side, invented);
    let share = f64::from(side * side) / 4096.0;
    let worst = match scene {
        "drape-sphere" => 0,
        "pile" => (invented.pile as f64 * share) as u64,
        _ => (0.4 * invented.pile as f64 * share) as u64,
    };
    let own = contender(invented).own;
    SceneResult {
        scene: scene.into(),
        side,
        particles: (side * side) as usize,
        triangles: (2 * (side - 1) * (side - 1)) as usize,
        dt_s: 1.0 / 60.0,
        thickness_m: 0.006,
        frames_wanted: 240,
        frames_done: done,
        contender: contender(invented),
        runs: 7,
        status,
        wall_ms: ran.then(|| times(time, done)),
        cpu_ms: ran.then(|| times(0.99 * time, done)),
        instructions_per_frame: ran.then_some(4.1e6 * time),
        peak_memory_bytes: ran.then_some(((9.0 + 22.0 * share) * 1048576.0) as u64),
        energy_drift: (ran && scene != "twist").then_some(if own { 0.0 } else { 0.013 }),
        stretch: ran
            .then_some(Stretch { p99: if own { 0.011 } else { 0.034 }, max: if own { 0.038 } else { 0.21 } }),
        intersections: ran.then(|| intersections(worst, done)),
        pass_throughs: ran.then_some(PassThroughs { pairs: 2 * worst, frames_with: worst.min(done as u64) }),
        penetration_m: ran.then_some(if own { 0.0 } else { 0.0007 }),
        stage_ms: if own && ran { stages(time, invented.certified) } else { BTreeMap::new() },
        threads: 1,
        picture: None,
    }
}

fn times(median: f64, frames: usize) -> FrameTimes {
    let per_frame: Vec<f64> = (0..frames).map(|k| median * (0.9 + 0.2 * k as f64 / frames as f64)).collect();
    FrameTimes { median, p95: 1.09 * median, worst: 1.6 * median, per_frame }
}

fn intersections(worst: u64, frames: usize) -> Intersections {
    let per_frame: Vec<u64> = (0..frames as u64).map(|k| worst * k / frames as u64).collect();
    let frames_with = per_frame.iter().filter(|n| **n > 0).count() as u64;
    Intersections { initial: 0, max: worst, last: worst - worst / 5, frames_with, per_frame }
}

fn stages(time: f64, gated: bool) -> BTreeMap<String, f64> {
    let shares = [
        ("animate", 0.01),
        ("predict", 0.04),
        ("detect", 0.27),
        ("recover", 0.01),
        ("solve", 0.41),
        ("gate", if gated { 0.22 } else { 0.0 }),
        ("update", 0.04),
    ];
    shares.iter().filter(|s| s.1 > 0.0).map(|&(name, share)| (name.to_owned(), share * time)).collect()
}

/// Ratios to `cloth`, for both measures; that of `cloth-ungated` at side 32 is undecided.
fn ratios() -> Vec<Ratio> {
    let mut found = Vec::new();
    for &scene in &SCENES {
        for (side, invented) in SIDES.iter().flat_map(|side| INVENTED.iter().map(move |i| (*side, i))) {
            let frames = ending(scene.0, side, invented).1;
            let ratio = median(scene, side, invented) / median(scene, side, &INVENTED[0]);
            let undecided = invented.id == "cloth-ungated" && side == 32;
            let (low, high) =
                if undecided { (0.55 * ratio, 1.8 * ratio) } else { (0.97 * ratio, 1.04 * ratio) };
            for measure in [Measure::Wall, Measure::Cpu] {
                let is_measured = frames > 0 && invented.id != INVENTED[0].id;
                found.extend(is_measured.then(|| Ratio {
                    scene: scene.0.into(),
                    side,
                    contender: invented.id.into(),
                    baseline: INVENTED[0].id.into(),
                    measure,
                    frames,
                    ratio,
                    low,
                    high,
                    decided: !(low..=high).contains(&1.0),
                }));
            }
        }
    }
    found
}

fn growth() -> Vec<Growth> {
    let of = |scene: &str, invented: &Invented| Growth {
        scene: scene.to_owned(),
        contender: invented.id.into(),
        exponent: invented.exponent,
        sides: SIDES.to_vec(),
    };
    SCENES.iter().flat_map(|(scene, _)| INVENTED.iter().map(|invented| of(scene, invented))).collect()
}

fn calls(median: f64) -> CallTimes {
    CallTimes { median, low: 0.97 * median, high: 1.12 * median }
}

fn kernels() -> Vec<KernelResult> {
    let rows = [
        ("point-triangle", "random", "cloth-geom closest", true, 9.1, 0),
        ("point-triangle", "random", "parry3d project_local_point", false, 14.8, 0),
        ("point-triangle", "near-degenerate", "cloth-geom closest", true, 10.2, 0),
        ("point-triangle", "near-degenerate", "parry3d project_local_point", false, 15.0, 318),
        ("orient3d", "near-degenerate", "robust orient3d", false, 380.0, 0),
        ("orient3d", "near-degenerate", "geometry-predicates orient3d", false, 2010.0, 0),
        ("orient3d", "near-degenerate", "cloth-geom orient3d", true, 212.0, 0),
    ];
    rows.iter()
        .map(|&(kernel, input, contender, own, ns, wrong)| KernelResult {
            kernel: kernel.into(),
            contender: contender.into(),
            version: "0.31.0".into(),
            own,
            input: input.into(),
            queries: 4096,
            ns: Some(calls(ns)),
            checked_against: "minimum over all features in f64".into(),
            wrong,
            largest_error_m: (kernel != "orient3d").then_some(3.1e-8),
        })
        .collect()
}

fn broad_phases() -> Vec<BroadPhaseResult> {
    let rows = [
        ("cloth-broadphase BlockTree", true, "boxes", 17.0, Some(3.6), 75.0),
        ("parry3d Bvh", false, "boxes", 117.0, Some(5.8), 192.0),
        ("cloth-broadphase SweepGrid", true, "boxes", 10.0, None, 855.0),
        ("cloth-broadphase PointGrid", true, "points", 1.1, None, 7.4),
        ("kiddo KdTree", false, "points", 9.8, None, 88.0),
    ];
    rows.iter()
        .map(|&(contender, own, question, build_ms, refit_ms, query_ms)| BroadPhaseResult {
            contender: contender.into(),
            version: "0.1.0".into(),
            own,
            input: "edges of a crumpled sheet".into(),
            question: question.into(),
            items: 138_825,
            pairs: 5_197_332,
            missing: u64::from(contender.starts_with("kiddo")) * 17,
            extra: 0,
            build_ms,
            refit_ms,
            query_ms,
        })
        .collect()
}

fn ccd() -> Vec<CcdResult> {
    let rows = [
        ("cloth-ccd filtered", true, 310.0, [0, 0, 0], ""),
        ("cloth-ccd inclusion", true, 2900.0, [0, 41, 0], ""),
        ("cloth-ccd additive", true, 5200.0, [0, 220, 0], ""),
        ("parry3d cast_shapes", false, 840.0, [37, 12, 90], ""),
        ("rapier3d", false, 0.0, [0, 0, 0], "no public function for one pair"),
    ];
    rows.iter()
        .map(|&(contender, own, ns, [false_negatives, false_positives, late], unsupported)| CcdResult {
            contender: contender.into(),
            version: "0.1.0".into(),
            own,
            input: "random point-triangle".into(),
            queries: 10_000,
            positives: 1_234,
            false_negatives,
            false_positives,
            late,
            ns: calls(ns),
            unsupported: unsupported.into(),
        })
        .collect()
}

/// Twelve runs of the report: instructions with a little noise, and 5 % more of them in `pile` from the
/// eighth on.
pub(crate) fn history() -> Vec<Record> {
    let run = |k: usize| {
        let mut found = records(&report());
        found.retain(|record| record.own);
        for (at, record) in found.iter_mut().enumerate() {
            record.date_utc = format!("2026-11-{:02}T08:00:00Z", k + 1);
            record.commit = Some(format!("{:07x}", 0x0a1_b2c3_usize + 77_777 * k));
            let noise = 1.0 + 0.0005 * ((7 * k + 3 * at) % 5) as f64;
            let slower = if k >= 7 && record.id.starts_with("pile") { 1.05 } else { 1.0 };
            record.instructions = record.instructions.map(|n| n * noise * slower);
        }
        found
    };
    (0..12).flat_map(run).collect()
}
