//! An archive of arrays (`.npz`), read by the crate `zip`.

use std::{
    io::{BufReader, Read},
    path::Path,
};

use zip::{CompressionMethod, ZipArchive};

use super::{
    array::{Array, ArrayPlace},
    header::Header,
};
use crate::{
    FileError,
    input::{self, Source},
    quoted,
};

/// How many arrays an error lists.
const LISTED: usize = 8;

/// How many entries are looked at: no mesh has more arrays.
const LOOKED_AT: usize = 1024;

/// Whether a file begins with these bytes.
pub(super) fn begins_with(path: &Path, bytes: &[u8]) -> bool {
    let mut start = Vec::new();
    let read =
        input::open(path).is_ok_and(|file| file.take(bytes.len() as u64).read_to_end(&mut start).is_ok());
    read && start == bytes
}

/// An open archive.
pub(super) struct Archive<'a> {
    path: &'a Path,
    zip: ZipArchive<BufReader<Source>>,
    pub(super) arrays: Vec<ListedArray>,
}

/// An entry of an archive.
pub(super) struct ListedArray {
    pub(super) name: String,
    entry: usize,
    /// None of what is no array.
    pub(super) header: Option<Header>,
}

impl<'a> Archive<'a> {
    pub(super) fn open(path: &'a Path) -> Result<Self, FileError> {
        let no_archive = |e| match begins_with(path, b"\x93NUMPY") {
            true => FileError::new(path, "is one array, no archive; give it the extension .npy, as a cache"),
            false => FileError::new(path, format!("is not a NumPy archive: {e}; save it by numpy.savez")),
        };
        let mut zip = ZipArchive::new(BufReader::new(input::open(path)?)).map_err(no_archive)?;
        let names: Vec<String> =
            zip.file_names().take(LOOKED_AT).map(|name| name.unwrap_or_default().into_owned()).collect();
        let list = |(entry, name): (usize, String)| {
            let header = zip.by_index(entry).ok().and_then(|mut file| Header::read(&mut file).ok());
            let name = name.strip_suffix(".npy").unwrap_or(&name).to_owned();
            ListedArray { name, entry, header: header.map(|(header, _)| header) }
        };
        let arrays = names.into_iter().enumerate().map(list).collect();
        Ok(Self { path, zip, arrays })
    }

    /// An array of the list. Frames that are not compressed stay in the file.
    pub(super) fn array(&mut self, index: usize) -> Result<Array, FileError> {
        let listed = &self.arrays[index];
        let place = ArrayPlace { path: self.path, name: Some(&listed.name) };
        let entry = self.zip.by_index(listed.entry).map_err(|e| place.refuse(e.to_string()))?;
        match (entry.compression(), entry.data_start()) {
            (CompressionMethod::Stored, Some(start)) => {
                let size = entry.size();
                drop(entry);
                Array::open(place, input::open(self.path)?, [start, size])
            }
            _ => Array::unpack(place, entry),
        }
    }

    /// What the archive holds, in words.
    pub(super) fn in_words(&self) -> String {
        let describe = |array: &ListedArray| {
            let header = array.header.as_ref().map_or("no array".into(), Header::in_words);
            format!("{} ({header})", quoted(&array.name))
        };
        let described: Vec<String> = self.arrays.iter().take(LISTED).map(describe).collect();
        let more = if self.arrays.len() > LISTED { ", ..." } else { "" };
        match described.is_empty() {
            true => "holds no arrays".into(),
            false => format!("holds {}{more}", described.join(", ")),
        }
    }

    pub(super) fn refuse(&self, text: impl AsRef<str>) -> FileError {
        FileError::new(self.path, text)
    }
}
