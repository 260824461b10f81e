//! What a run writes is never what it reads, a link stays a link, and only regular files are replaced.

use std::fs;
use std::path::{Path, PathBuf};

use cloth_io::Pc2Writer;

use crate::character::post;
use crate::support::{Ran, assert_refused, cloth, cloth_watched, crossing, json, sheet, text, write};

/// A folder with a mesh and a cache of it.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let mesh = sheet(4, 0.3);
        write(folder.path(), "sheet.obj", &mesh);
        let mut cache = Pc2Writer::create(&folder.at("sheet.pc2"), mesh.positions.len(), 0.0, 1.0).unwrap();
        cache.push(&mesh.positions_f32()).unwrap();
        cache.finish().unwrap();
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        text(&self.at(name))
    }

    /// Runs a command line, in which `@` stands for the folder.
    fn run(&self, line: &str) -> Ran {
        let folder = format!("{}/", text(self.path()));
        cloth(line.split(' ').map(|word| word.replace('@', &folder)))
    }

    /// A device in this folder. Only root can make one, and only root could replace that of the system,
    /// should a test fail.
    #[cfg(unix)]
    fn device(&self, name: &str, minor: &str) -> String {
        let made = std::process::Command::new("mknod").arg(self.at(name)).args(["c", "1", minor]).output();
        let is_made = made.is_ok_and(|made| made.status.success());
        let opens = || fs::OpenOptions::new().write(true).open(self.at(name)).is_ok();
        if is_made && opens() { self.text(name) } else { format!("/dev/{name}") }
    }

    /// Runs a command line that must be refused with these words, and must leave every file as it was.
    fn refuses(&self, line: &str, words: &[&str]) {
        let before = self.content();
        assert_refused(&self.run(line), words);
        assert_eq!(self.content(), before, "{line}");
    }

    /// Names and bytes of all files, and where links lead.
    fn content(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut all = Vec::new();
        let mut folders = vec![self.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if let Ok(target) = fs::read_link(&path) {
                    all.push((path, target.into_os_string().into_encoded_bytes()));
                } else if path.is_dir() {
                    folders.push(path);
                } else {
                    all.push((path.clone(), fs::read(&path).unwrap()));
                }
            }
        }
        all.sort();
        all
    }
}

#[test]
fn the_json_of_no_command_replaces_a_file_that_the_command_reads() {
    let f = Folder::new();
    fs::create_dir(f.at("run")).unwrap();
    fs::copy(f.at("sheet.obj"), f.at("run/a_0001.obj")).unwrap();
    for line in [
        "check @sheet.obj --json @sheet.obj",
        "check @sheet.obj --json @./run/../sheet.obj",
        "check @run --json @run/a_0001.obj",
        "check @run/a_*.obj --json @run/a_0001.obj",
    ] {
        f.refuses(line, &["--json would write over it", "name another file"]);
    }
    f.refuses("check @sheet.obj --cache @sheet.pc2 --json @sheet.pc2", &["sheet.pc2: read as --cache"]);
}

#[test]
fn every_json_says_how_it_was_made() {
    let f = Folder::new();
    for line in
        ["check @sheet.obj --json @r.json", "simulate --garment @sheet.obj --seconds 0.02 --json @r.json"]
    {
        f.run(line);
        let text = fs::read_to_string(f.at("r.json")).unwrap();
        assert_eq!(text.matches("\"provenance\"").count(), 1, "{line}: {text}");
        let made = json(&f.at("r.json"))["provenance"].clone();
        assert_eq!(made["version"], env!("CARGO_PKG_VERSION"), "{line}");
        assert_eq!(made["arguments"][0], line.split(' ').next().unwrap(), "{line}");
        assert!(made["date"].as_str().is_some_and(|d| d.len() == 20 && d.ends_with('Z')), "{line}: {made}");
        assert!(made["cpu"].as_str().is_some_and(|cpu| !cpu.is_empty()), "{line}: {made}");
        assert!(made["logical_cpus"].as_u64() > Some(0) && made.get("commit").is_some(), "{line}: {made}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_an_input_is_that_input() {
    let f = Folder::new();
    std::os::unix::fs::symlink(f.path(), f.at("up")).unwrap();
    std::os::unix::fs::symlink("sheet.obj", f.at("soft.pc2")).unwrap();
    fs::hard_link(f.at("sheet.obj"), f.at("hard.pc2")).unwrap();
    for output in ["soft.pc2", "hard.pc2", "up/sheet.obj", "up/soft.pc2"] {
        f.refuses(&format!("check @sheet.obj --json @{output}"), &[output, "read as MESH", "sheet.obj"]);
        // And the other way around: the link is read.
        f.refuses(
            &format!("simulate --garment @sheet.obj --out @{output}"),
            &[output, "would write over it"],
        );
    }
}

#[test]
fn no_output_of_a_simulation_replaces_what_its_scene_names() {
    let f = Folder::new();
    for name in ["rest.obj", "body.obj", "run_0003.obj"] {
        fs::copy(f.at("sheet.obj"), f.at(name)).unwrap();
    }
    fs::write(f.at("seam.txt"), "0 1\n").unwrap();
    let scene = "[settings]\nduration = 0.1\n[[garment]]\nname = \"run\"\nmesh = \"sheet.obj\"\nrest = \
        \"rest.obj\"\n\
        stitches = \"seam.txt\"\n[[body]]\nkind = \"mesh\"\npath = \"body.obj\"\n";
    fs::write(f.at("s.toml"), scene).unwrap();
    for output in ["sheet.obj", "rest.obj", "seam.txt", "body.obj", "s.toml"] {
        f.refuses(&format!("simulate @s.toml --json @{output}"), &[output, "would write over it"]);
        let is_cache = output.ends_with(".obj");
        let word = if is_cache { "would write over it" } else { "is not a cache format" };
        f.refuses(&format!("simulate @s.toml --out @{output}"), &[output, word]);
        let with_cache = format!("{scene}[output]\ncache = \"{output}\"\n");
        fs::write(f.at("cache.toml"), with_cache).unwrap();
        f.refuses("simulate @cache.toml", &[output, word]);
    }
    // A frame of the sequence, in the middle of it.
    fs::write(f.at("frames.toml"), scene.replace("sheet.obj", "run_0003.obj")).unwrap();
    f.refuses("simulate @frames.toml --out-obj @.", &["run_0003.obj", "the cache would write over it"]);
}

#[test]
fn no_output_replaces_the_buffers_and_images_of_a_gltf() {
    let f = Folder::new();
    let character = post(f.path());
    let with_image =
        fs::read_to_string(&character).unwrap().replacen('{', r#"{"images":[{"uri":"skin.png"}],"#, 1);
    fs::write(&character, with_image).unwrap();
    fs::write(f.at("skin.png"), "no picture").unwrap();
    // As a file system that ignores case has it: one file under two names.
    fs::hard_link(f.at("post.bin"), f.at("POST.BIN")).unwrap();
    fs::hard_link(f.at("post.bin"), f.at("cache.pc2")).unwrap();
    let line = "simulate --garment @sheet.obj --character @post.gltf --seconds 0.05";
    for (output, input) in [
        ("--json @post.bin", "post.bin"),
        ("--json @no/../post.bin", "post.bin"),
        ("--json @POST.BIN", "post.bin"),
        ("--json @skin.png", "skin.png"),
        ("--out @cache.pc2", "post.bin"),
        ("--out-glb @skin.png", "skin.png"),
    ] {
        f.refuses(
            &format!("{line} {output}"),
            &[input, "read as a part of the input", "would write over it"],
        );
    }
}

#[test]
fn an_input_above_the_largest_size_is_refused() {
    let f = Folder::new();
    for line in ["check @sheet.obj", "simulate --garment @sheet.obj --seconds 0.05"] {
        assert_refused(&f.run(&format!("{line} --max-input 100")), &["more than 100 bytes", "--max-input"]);
        assert_eq!(f.run(&format!("{line} --max-input 1M")).status, 0, "{line}");
    }
}

#[cfg(unix)]
#[test]
fn inputs_that_may_never_end_are_refused_at_once() {
    let f = Folder::new();
    assert!(std::process::Command::new("mkfifo").arg(f.at("fifo.obj")).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", f.at("zero.obj")).unwrap();
    std::os::unix::fs::symlink("/dev/stdin", f.at("stdin.obj")).unwrap();
    for (name, kind) in [("fifo.obj", "is a pipe"), ("zero.obj", "is a device"), ("stdin.obj", "is a ")] {
        for line in ["check", "simulate --garment", "simulate --seconds 1 --garment @sheet.obj --body"] {
            let mut words: Vec<String> = line.split(' ').map(|w| w.replace('@', &f.text(""))).collect();
            words.push(f.text(name));
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            assert_refused(&cloth_watched(f.path(), &words), &[name, kind]);
        }
    }
}

#[test]
fn two_outputs_of_a_run_are_two_files() {
    let f = Folder::new();
    let simulate = "simulate --garment @sheet.obj --seconds 0.05";
    for (line, words) in [
        (
            format!("{simulate} --out @a.pc2 --json @a.pc2"),
            ["the cache and --json are one file", "name another"],
        ),
        (
            format!("{simulate} --out @a.pc2 --json @no/../a.pc2"),
            ["the cache and --json are one file", "name another"],
        ),
        (
            format!("{simulate} --out-obj @o --json @o/sheet_0001.obj"),
            ["the cache and --json", "sheet_0001.obj"],
        ),
        (format!("{simulate} --pictures @p --json @p/strip.png"), ["a picture and --json", "strip.png"]),
    ] {
        f.refuses(&line, &words);
    }
}

#[test]
fn a_contacts_file_is_reused_and_must_differ_from_other_files() {
    let f = Folder::new();
    let scene = |file: &str| {
        format!(
            "[settings]\nduration = 0.05\nthickness = 0.02\n[contacts]\nsource = \"cached\"\nreach = 0.1\n\
             file = \"{file}\"\n\
             [[garment]]\nname = \"a\"\nmesh = \"sheet.obj\"\nlayer = 0\n\
             [[garment]]\nname = \"b\"\nmesh = \"sheet.obj\"\nlayer = 1\ntranslate = [0.01, 0.03, 0.01]\n"
        )
    };
    fs::write(f.at("s.toml"), scene("sheet.obj")).unwrap();
    f.refuses("simulate @s.toml", &["sheet.obj", "`contacts.file` would write over it"]);
    fs::write(f.at("s.toml"), scene("c.contacts")).unwrap();
    f.refuses("simulate @s.toml --json @c.contacts", &["`contacts.file` and --json are one file"]);
    for _ in 0..2 {
        let ran = f.run("simulate @s.toml");
        assert_eq!(ran.status, 0, "{ran:?}");
    }
    assert!(fs::read_to_string(f.at("c.contacts")).unwrap().starts_with("cloth-contacts 1"));
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_and_stays() {
    let f = Folder::new();
    fs::create_dir(f.at("far")).unwrap();
    std::os::unix::fs::symlink("far/report.json", f.at("report.json")).unwrap();
    std::os::unix::fs::symlink("far/cache.pc2", f.at("cache.pc2")).unwrap();
    let line = "simulate --garment @sheet.obj --seconds 0.05 --json @report.json --out @cache.pc2";
    for _ in 0..2 {
        let ran = f.run(line);
        assert_eq!(ran.status, 0, "{ran:?}");
        assert!(json(&f.at("far/report.json"))["pass"].as_bool().unwrap());
        assert!(fs::read(f.at("far/cache.pc2")).unwrap().starts_with(b"POINTCACHE2"));
        for link in ["report.json", "cache.pc2"] {
            assert!(fs::symlink_metadata(f.at(link)).unwrap().is_symlink(), "{link}");
        }
        assert_eq!(fs::read_dir(f.at("far")).unwrap().count(), 2, "nothing temporary stays");
    }
}

#[cfg(unix)]
#[test]
fn devices_are_written_through_and_never_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let f = Folder::new();
    let (null, full) = (f.device("null", "3"), f.device("full", "7"));
    let ran = f.run(&format!("check @sheet.obj --json {full}"));
    assert_refused(&ran, &["full", "No space left"]);
    let ran = f.run(&format!("simulate --garment @sheet.obj --seconds 0.05 --out {null} --json {null}"));
    assert_eq!(ran.status, 0, "{ran:?}");
    let ran = f.run("check @sheet.obj --json /dev/stdout");
    assert_eq!(ran.status, 0, "{ran:?}");
    let from = ran.out.find('{').expect("the JSON goes to standard output");
    assert!(serde_json::from_str::<serde_json::Value>(&ran.out[from..]).is_ok(), "{}", ran.out);
    let ran = f.run("simulate --garment @sheet.obj --seconds 0.05 --out /dev/stdout");
    assert_refused(&ran, &["/dev/stdout", "is a stream", "name a file"]);
    for device in [full, null] {
        assert!(fs::symlink_metadata(&device).unwrap().file_type().is_char_device(), "{device}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_standard_output_does_not_take_is_an_error() {
    let f = Folder::new();
    let run = |line: &str| {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let words = line.split(' ').map(|word| word.replace('@', &f.text("")));
        std::process::Command::new(env!("CARGO_BIN_EXE_cloth")).args(words).stdout(full).output().unwrap()
    };
    for line in ["check @sheet.obj", "simulate --garment @sheet.obj --seconds 0.02", "--help", "check --help"]
    {
        let ran = run(line);
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2), "{line}: {said}");
        assert!(said.contains("standard output cannot be written: No space left"), "{line}: {said}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_gone_away_changes_no_verdict() {
    let f = Folder::new();
    write(f.path(), "crossing.obj", &crossing());
    for (line, status) in [
        ("check @sheet.obj", 0),
        ("check @crossing.obj", 1),
        ("check @crossing.obj --json /dev/stdout", 1),
        ("--help", 0),
    ] {
        let words = line.split(' ').map(|word| word.replace('@', &f.text("")));
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_cloth"));
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = command.args(words).stdout(writer).status().unwrap();
        assert_eq!(ran.code(), Some(status), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn folders_sockets_and_fifos_are_refused() {
    let f = Folder::new();
    let _socket = std::os::unix::net::UnixListener::bind(f.at("socket")).unwrap();
    let fifo = std::process::Command::new("mkfifo").arg(f.at("fifo")).status();
    assert!(fifo.unwrap().success());
    for (name, words) in
        [("socket", "not a regular file"), ("fifo", "not a regular file"), ("", "is a folder")]
    {
        assert_refused(&f.run(&format!("check @sheet.obj --json @{name}")), &[words]);
        let line = format!("simulate --garment @sheet.obj --seconds 0.05 --out {}", f.text(name));
        assert_refused(&f.run(&line), &[words]);
    }
}
