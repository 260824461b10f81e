//! Every reader opens files in the one place that remembers them, refuses what may never end, and keeps to
//! the largest size.

use std::fs;
use std::path::{Path, PathBuf};

use cloth_io::character::{BvhOptions, read_bvh, read_gltf};
use cloth_io::obj::read_stitches;
use cloth_io::queries::{read_enclosures, read_labels, read_pair_ids, read_queries};
use cloth_io::{
    ContactFile, FileError, MddReader, ObjSequence, ObjTemplate, Pc2Reader, input_at, read_file, read_mesh,
    read_pairs, read_vertices,
};

/// A reader, and the name of a file that it takes.
type Reader = (&'static str, fn(&Path) -> Option<FileError>);

const READERS: [Reader; 19] = [
    ("a.obj", |path| read_mesh(path).err()),
    ("a.ply", |path| read_mesh(path).err()),
    ("a.stl", |path| read_mesh(path).err()),
    ("a.off", |path| read_mesh(path).err()),
    ("template.obj", |path| ObjTemplate::read(path).err()),
    ("template.ply", |path| ObjTemplate::read(path).err()),
    ("frame_1.obj", |path| ObjSequence::open_from(path).err()),
    ("stitches.obj", |path| read_stitches(path).err()),
    ("pairs.txt", |path| read_pairs(path).err()),
    ("pins.txt", |path| read_vertices(path).err()),
    ("a.contacts", |path| ContactFile::read(path).err()),
    ("a.mdd", |path| MddReader::open(path).err()),
    ("a.pc2", |path| Pc2Reader::open(path).err()),
    ("a.gltf", |path| read_gltf(path).err()),
    ("a.bvh", |path| read_bvh(path, &BvhOptions::default()).err()),
    ("queries.csv", |path| read_queries(path).err()),
    ("times.csv", |path| read_enclosures(path).err()),
    ("ids.json", |path| read_pair_ids(path).err()),
    ("labels.json", |path| read_labels(path).err()),
];

#[test]
fn every_reader_makes_its_file_known_as_an_input() {
    let dir = tempfile::tempdir().unwrap();
    for (name, read) in READERS {
        let path = dir.path().join(name);
        fs::write(&path, "0").unwrap();
        assert_eq!(input_at(&path), None, "{name}");
        let _ = read(&path);
        assert_eq!(input_at(&path), Some(path), "{name}");
    }
}

#[test]
fn a_gltf_makes_its_buffers_and_images_known() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let document = r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"my%20data.bin","byteLength":4}],
        "images":[{"uri":"skin.png"},{"uri":"data:image/png;base64,AA=="}]}"#;
    for (name, text) in
        [("a.gltf", document), ("my data.bin", "1234"), ("skin.png", "png"), ("other.png", "")]
    {
        fs::write(at(name), text).unwrap();
    }
    let _ = read_gltf(&at("a.gltf"));
    for (name, expected) in [("my data.bin", true), ("skin.png", true), ("other.png", false)] {
        assert_eq!(input_at(&at(name)).is_some(), expected, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn every_reader_refuses_devices_and_fifos_at_once() {
    let dir = tempfile::tempdir().unwrap();
    for (name, read) in READERS {
        let path = dir.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let error = read(&path).expect("a FIFO is refused");
        assert!(error.problem.contains("is a pipe, not a regular file"), "{name}: {error}");
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        let error = read(&path).expect("a device is refused");
        assert!(error.problem.contains("is a device, not a regular file"), "{name}: {error}");
    }
    assert!(read_file(&PathBuf::from("/dev/zero")).is_err());
}
