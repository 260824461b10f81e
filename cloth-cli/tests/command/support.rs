//! Runs the command, and makes the meshes that it is run on.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cloth_geom::TriMesh;
use nalgebra::Point3;

/// What a run of the command left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Exit status; -1 if it was ended.
    pub(crate) status: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error without the lines about progress: how many there are depends on the machine.
    pub(crate) err: String,
}

impl Ran {
    /// The verdict of `cloth simulate`: the last line that is none of its figures.
    pub(crate) fn verdict(&self) -> &str {
        self.out.lines().rev().find(|line| !line.starts_with(' ')).expect("a line")
    }
}

/// Runs `cloth` with arguments.
pub(crate) fn cloth<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ran {
    ran(Command::new(env!("CARGO_BIN_EXE_cloth")).args(arguments))
}

/// Runs `cloth` with arguments, and with some vector instructions.
pub(crate) fn cloth_with(simd: &str, arguments: &[&str]) -> Ran {
    ran(Command::new(env!("CARGO_BIN_EXE_cloth")).env("CLOTH_SIMD", simd).args(arguments))
}

pub(crate) fn ran(command: &mut Command) -> Ran {
    let output = command.output().expect("it starts");
    Ran {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: without_progress(&String::from_utf8_lossy(&output.stderr)),
    }
}

fn without_progress(err: &str) -> String {
    let is_progress = |line: &str| line.ends_with(" so far") || line.ends_with(" left");
    err.split_inclusive('\n').filter(|line| !is_progress(line.trim_end())).collect()
}

/// Ends what hangs. No run that comes to an end is near it, on however loaded a machine: what a run must not
/// do, its tests see in what it counts.
pub(crate) const WATCHDOG: Duration = Duration::from_secs(900);

/// Runs `cloth` with arguments on files of others, on which it might hang.
pub(crate) fn cloth_watched(folder: &Path, arguments: &[&str]) -> Ran {
    // Files, not pipes: a full pipe would block the child, and nobody reads while it is waited for.
    let [out, err] = ["out", "err"].map(|name| folder.join(name));
    let file = |path: &Path| Stdio::from(std::fs::File::create(path).expect("a file"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_cloth"))
        .args(arguments)
        .stdout(file(&out))
        .stderr(file(&err))
        .spawn()
        .expect("it starts");
    let deadline = Instant::now() + WATCHDOG;
    let status = loop {
        match child.try_wait().expect("it can be waited for") {
            Some(status) => break status,
            None if Instant::now() > deadline => {
                child.kill().and_then(|()| child.wait()).expect("it can be ended");
                panic!("{arguments:?} hang");
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let text = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).expect("a file")).into_owned();
    Ran { status: status.code().unwrap_or(-1), out: text(&out), err: without_progress(&text(&err)) }
}

/// Asserts that the command refused to run, with one line that contains these words.
pub(crate) fn assert_refused(ran: &Ran, words: &[&str]) {
    assert_eq!(ran.status, 2, "{ran:?}");
    assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
    assert!(
        ran.err.starts_with("cloth: ") && words.iter().all(|w| ran.err.contains(w)),
        "{words:?} in {ran:?}"
    );
}

/// Writes a mesh to a folder, and gives its path.
pub(crate) fn write(folder: &Path, name: &str, mesh: &TriMesh) -> String {
    let path = folder.join(name);
    cloth_io::write_obj(&path, mesh).expect("it can be written");
    text(&path)
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> String {
    path.to_str().expect("UTF-8").to_owned()
}

/// A flat sheet of a width (m) on the ground, side by side of vertices.
pub(crate) fn sheet(side: usize, width: f64) -> TriMesh {
    cloth_geom::fixtures::sheet(side, side, [width, width]).expect("a sheet").mesh
}

/// Two triangles, of which two edges of the second cross the first.
pub(crate) fn crossing() -> TriMesh {
    let at = [[0., 0., 0.], [4., 0., 0.], [0., 0., 4.], [1., -1., 1.], [1., 2., 1.], [1.5, 2., 1.5]];
    TriMesh::new(at.map(Point3::from).to_vec(), vec![[0, 1, 2], [3, 4, 5]])
}

/// Reads a JSON file.
pub(crate) fn json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}
