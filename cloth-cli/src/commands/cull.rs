//! `cloth cull`: how many pairs each culling method spares on the poses of a mesh, and whether it misses any.

use std::fmt::Write;
use std::time::Instant;

use cloth_broadphase::cull::{
    BoxesOnly, Certificate, CullError, Culler, NormalCones, PatchTree, StarContour, WithPlanes,
};
use cloth_contacts::intersect::Checker;
use cloth_io::FileError;
use cloth_show::check::{PreparedMesh, Subject};
use cloth_show::program::console::{Progress, count, counted};
use cloth_show::program::interrupt::INTERRUPT;
use cloth_show::program::{Failure, Status};
use nalgebra::Point3;
use serde::Serialize;

use super::meshes::{self, MeshReport, check_effort};
use crate::args::{CullArgs, MeshArgs};

/// The head of the table of a mesh.
const HEADER: &str = "  method                    before       after  spared\
    \x20         (sharing a vertex too)  missed ms a pose\n";

/// Judges each mesh and prints its table.
pub(crate) fn run(args: &CullArgs) -> Result<Status, Failure> {
    let own = args.common.clone();
    let further = [(args.cache.as_deref(), "--cache")];
    meshes::run(&args.common, args.cache.as_deref(), &further, move |mut subject| {
        compare_methods(&mut subject, &own)
    })
}

/// The schema of `--json`.
pub(crate) fn schema() -> schemars::Schema {
    meshes::schema::<PosesReport>()
}

/// The methods over all meshes.
#[derive(Debug, Serialize, schemars::JsonSchema)]
struct MethodTotals {
    methods: Vec<MethodReport>,
}

/// One mesh with its poses; pairs and times are summed over them.
#[derive(Debug, Serialize, schemars::JsonSchema)]
struct PosesReport {
    path: String,
    vertices: usize,
    triangles: usize,
    poses: usize,
    patches: usize,
    /// Patches that are discs.
    discs: usize,
    /// Time (ms) to build the patches, once.
    build_ms: f64,
    /// Pairs of triangles that intersect, exactly, in all poses; those that share a vertex too.
    intersecting_pairs: usize,
    methods: Vec<MethodReport>,
}

/// What a method spares.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
struct MethodReport {
    method: &'static str,
    /// Pairs that share no vertex and whose boxes overlap.
    before: usize,
    /// Those of them that are left.
    after: usize,
    /// `1 - after / before`; none if there is nothing to spare.
    filtration: Option<f64>,
    /// The same with pairs that share a vertex.
    before_all: usize,
    after_all: usize,
    filtration_all: Option<f64>,
    /// Pairs that intersect and are not left.
    missed: usize,
    /// On one thread, of all poses.
    ms: f64,
}

/// Judges a subject; pairs and times are summed over its poses.
fn compare_methods(subject: &mut Subject, args: &MeshArgs) -> Result<PosesReport, FileError> {
    let path = subject.path.clone();
    let refuse = |text: String| FileError::new(&path, text);
    let sound = PreparedMesh::new(&subject.mesh, args.weld).map_err(refuse)?;
    let start = Instant::now();
    let tree = PatchTree::new(&sound.topology);
    let build_ms = start.elapsed().as_secs_f64() * 1e3;
    let mut methods = methods(&tree);
    let named = |m: &Method| MethodReport { method: m.name, ..MethodReport::default() };
    let mut reports: Vec<MethodReport> = methods.iter().map(named).collect();
    let mut checker = Checker::without_culling();
    let mut intersecting_pairs = 0;
    let mut progress = Progress::start(format!("cull {}", path.display()), "pose", subject.state_count());
    let mut poses = 0;
    while poses < subject.state_count() && !INTERRUPT.is_requested() {
        let positions = sound.positions(&subject.read(poses)?);
        check_effort(&path, &positions, &sound, args.max_pairs).map_err(refuse)?;
        let found = checker.check(&positions, &sound.topology).map_err(|e| refuse(e.to_string()))?;
        let (true_pairs, faces) = (found.face_pairs(&sound.topology), sound.topology.faces());
        intersecting_pairs += true_pairs.len();
        let all = methods[0].run(&positions, faces, &true_pairs).map_err(refuse)?;
        for (method, report) in methods.iter_mut().zip(&mut reports) {
            let left = method.run(&positions, faces, &true_pairs).map_err(refuse)?;
            report.sum(&MethodReport { before: all.after, before_all: all.after_all, ..left });
        }
        poses += 1;
        progress.done(poses);
    }
    if poses == 0 {
        return Err(refuse("interrupted before its first pose was judged".to_owned()));
    }
    Ok(PosesReport {
        path: path.display().to_string(),
        vertices: sound.topology.vertex_count(),
        triangles: sound.topology.faces().len(),
        poses,
        patches: tree.patch_count(),
        discs: tree.disc_count(),
        build_ms,
        intersecting_pairs,
        methods: reports,
    })
}

/// Collects all pairs of a pose that a method leaves.
type Collect = Box<dyn FnMut(&[Point3<f64>], &mut Vec<[u32; 2]>) -> Result<(), CullError>>;

/// A method with its memory.
struct Method {
    name: &'static str,
    collect: Collect,
    pairs: Vec<[u32; 2]>,
}

/// All methods; the first spares nothing.
fn methods(tree: &PatchTree) -> Vec<Method> {
    vec![
        Method::new::<BoxesOnly>("boxes", tree),
        Method::new::<StarContour>("star-contour", tree),
        Method::new::<NormalCones>("normal-cones", tree),
        Method::new::<WithPlanes<StarContour>>("star-contour+planes", tree),
        Method::new::<WithPlanes<NormalCones>>("normal-cones+planes", tree),
    ]
}

impl Method {
    fn new<C: Certificate + 'static>(name: &'static str, tree: &PatchTree) -> Self {
        let mut culler = Culler::<C>::new(tree.clone());
        let collect: Collect = Box::new(move |positions, pairs| {
            pairs.clear();
            culler.visit_candidates(positions, &mut |f, g| pairs.push([f, g]))
        });
        Self { name, collect, pairs: Vec::new() }
    }

    /// What it leaves of a pose, and misses of the pairs of faces that intersect. The error is a sentence.
    fn run(
        &mut self,
        positions: &[Point3<f64>],
        faces: &[[u32; 3]],
        true_pairs: &[[u32; 2]],
    ) -> Result<MethodReport, String> {
        let start = Instant::now();
        (self.collect)(positions, &mut self.pairs).map_err(|e| e.to_string())?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        self.pairs.sort_unstable();
        let share_none = |&&[f, g]: &&[u32; 2]| {
            let g = faces[g as usize];
            faces[f as usize].iter().all(|v| !g.contains(v))
        };
        let missed = |pair: &&[u32; 2]| self.pairs.binary_search(pair).is_err();
        Ok(MethodReport {
            after: self.pairs.iter().filter(share_none).count(),
            after_all: self.pairs.len(),
            missed: true_pairs.iter().filter(missed).count(),
            ms,
            ..MethodReport::default()
        })
    }
}

impl MethodReport {
    /// Adds a pose, or the poses of a mesh.
    fn sum(&mut self, other: &Self) {
        self.before += other.before;
        self.after += other.after;
        self.before_all += other.before_all;
        self.after_all += other.after_all;
        self.missed += other.missed;
        self.ms += other.ms;
        self.filtration = filtration(self.before, self.after);
        self.filtration_all = filtration(self.before_all, self.after_all);
    }
}

fn filtration(before: usize, after: usize) -> Option<f64> {
    (before > 0).then(|| 1.0 - after as f64 / before as f64)
}

impl MeshReport for PosesReport {
    type Total = MethodTotals;

    /// Whether no method missed a pair.
    fn is_clean(&self) -> bool {
        self.methods.iter().all(|method| method.missed == 0)
    }

    fn total(meshes: &[Self]) -> MethodTotals {
        let mut methods = Vec::new();
        for (m, first) in meshes.first().into_iter().flat_map(|mesh| mesh.methods.iter().enumerate()) {
            let mut total = first.clone();
            meshes[1..].iter().filter_map(|mesh| mesh.methods.get(m)).for_each(|one| total.sum(one));
            methods.push(total);
        }
        MethodTotals { methods }
    }

    /// A head line, and a line for each method.
    fn text(&self) -> String {
        let mut text = format!(
            "{}: {}, {}, {} that intersect; {} ({} discs) in {:.1} ms\n",
            self.path,
            counted(self.triangles, "triangle"),
            counted(self.poses, "pose"),
            counted(self.intersecting_pairs, "pair"),
            if self.patches == 1 { "1 patch".to_owned() } else { format!("{} patches", count(self.patches)) },
            count(self.discs),
            self.build_ms
        );
        text.push_str(HEADER);
        for m in &self.methods {
            let both =
                format!("({} {} {})", count(m.before_all), count(m.after_all), percent(m.filtration_all));
            let _ = writeln!(
                text,
                "  {:20} {:>11} {:>11} {:>7} {both:>31} {:>7} {:>9.3}",
                m.method,
                count(m.before),
                count(m.after),
                percent(m.filtration),
                count(m.missed),
                m.ms / self.poses.max(1) as f64
            );
        }
        text
    }
}

/// Rounded down, so that 100.0 % means all.
fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", (share * 1000.0).floor() / 10.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cloth_geom::Topology;

    #[test]
    fn counts_what_is_left_and_what_is_missed() {
        // Two faces that cross, and a third that shares a vertex with the first.
        let at = [
            [0.0, 0.0, 0.0],
            [4.0, 0.0, 0.0],
            [0.0, 0.0, 4.0],
            [1.0, -1.0, 1.0],
            [1.0, 1.0, 1.0],
            [2.0, 0.0, 2.0],
        ];
        let mut positions: Vec<Point3<f64>> = at.map(Point3::from).to_vec();
        positions.extend([Point3::new(-1.0, 0.0, 0.0), Point3::new(-1.0, 0.5, -1.0)]);
        let faces = [[0, 1, 2], [3, 4, 5], [0, 6, 7]];
        let tree = PatchTree::new(&Topology::new(8, &faces).unwrap());
        for mut method in methods(&tree) {
            let left = method.run(&positions, &faces, &[[0, 1], [1, 2]]).unwrap();
            assert_eq!((left.after, left.after_all), (1, 2), "{}", method.name);
            // Faces 1 and 2 are far apart: had they been a true pair, it would have been missed.
            assert_eq!(left.missed, 1, "{}", method.name);
        }
    }

    #[test]
    fn sums_pairs_and_forms_the_rate_of_the_sums() {
        let pose = |[before, before_all]: [usize; 2], [after, after_all]: [usize; 2]| MethodReport {
            before,
            before_all,
            after,
            after_all,
            ms: 1.0,
            ..MethodReport::default()
        };
        let mut method = MethodReport::default();
        method.sum(&pose([90, 200], [0, 10]));
        method.sum(&pose([10, 200], [10, 190]));
        assert_eq!((method.filtration, method.filtration_all), (Some(0.9), Some(0.5)));
        assert_eq!((method.before, method.after_all, method.ms), (100, 200, 2.0));
        assert_eq!(filtration(0, 0), None);
    }

    #[test]
    fn rounds_no_rate_up_to_all() {
        assert_eq!(percent(Some(1.0 - 1e-5)), "99.9 %");
        assert_eq!((percent(Some(1.0)), percent(None)), ("100.0 %".to_owned(), "-".to_owned()));
    }
}
