//! Writes an archive whose last entry grows: a ZIP of entries that are not compressed.
//!
//! ```text
//! head  entry | head  entry ....grows... | directory
//!  ^ length and checksum, written again whenever the entry has grown, and then the directory behind it
//! ```
//!
//! The crate `zip` finishes an archive once. Here the directory is written after every frame, so that the
//! temporary file of a killed process is an archive of all frames that were pushed, unless it was killed in
//! the middle of a frame. Sizes and places are those of ZIP64, as `numpy.savez` has them too.

use std::io::{self, Seek, SeekFrom, Write};

use crc32fast::Hasher;

use crate::AtomicFile;

/// Version of the format that has ZIP64.
const VERSION: u16 = 45;

/// The first day that the format knows, 1980-01-01: no clock has a part in what is written.
const DATE: u16 = 0x21;

/// Stands for a number that is in the further fields.
const ELSEWHERE: u32 = u32::MAX;

/// An archive under construction.
#[derive(Debug)]
pub(super) struct StoredZip {
    file: AtomicFile,
    entries: Vec<Entry>,
    /// Where the directory begins.
    end: u64,
}

#[derive(Debug)]
struct Entry {
    name: String,
    at: u64,
    size: u64,
    /// Of the first bytes of the entry, which may change, and of the others.
    crc: [Hasher; 2],
}

impl Entry {
    fn crc(&self) -> u32 {
        let [mut start, rest] = self.crc.clone();
        start.combine(&rest);
        start.finalize()
    }

    fn data_at(&self) -> u64 {
        // The numbers of the head, the name, and its further fields.
        self.at + 30 + self.name.len() as u64 + 20
    }

    fn head(&self) -> Vec<u8> {
        let mut head = Bytes::default();
        head.u32(0x0403_4b50).u16(VERSION);
        self.describe(&mut head);
        head.u16(self.name.len() as u16).u16(20).bytes(self.name.as_bytes());
        head.u16(1).u16(16).u64(self.size).u64(self.size);
        head.0
    }

    fn directory(&self, to: &mut Bytes) {
        to.u32(0x0201_4b50).u16(VERSION).u16(VERSION);
        self.describe(to);
        to.u16(self.name.len() as u16).u16(28);
        // No comment, the first disk, no attributes.
        to.u16(0).u16(0).u16(0).u32(0).u32(ELSEWHERE).bytes(self.name.as_bytes());
        to.u16(1).u16(24).u64(self.size).u64(self.size).u64(self.at);
    }

    /// What head and directory say alike: no flags, not compressed.
    fn describe(&self, to: &mut Bytes) {
        to.u16(0).u16(0).u16(0).u16(DATE).u32(self.crc()).u32(ELSEWHERE).u32(ELSEWHERE);
    }
}

impl StoredZip {
    pub(super) fn new(mut file: AtomicFile) -> io::Result<Self> {
        // Where it cannot be written again, nothing is written at all.
        file.stream_position()?;
        Ok(Self { file, entries: Vec::new(), end: 0 })
    }

    /// Begins an entry with these bytes, which [`Self::append`] may replace.
    pub(super) fn begin(&mut self, name: &str, start: &[u8]) -> io::Result<()> {
        let mut crc = [Hasher::new(), Hasher::new()];
        crc[0].update(start);
        let entry = Entry { name: name.to_owned(), at: self.end, size: start.len() as u64, crc };
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&entry.head())?;
        self.file.write_all(start)?;
        self.end = entry.data_at() + entry.size;
        self.entries.push(entry);
        self.write_directory()
    }

    /// Appends bytes to the last entry, and replaces its first bytes by as many others.
    pub(super) fn append(&mut self, start: &[u8], bytes: &[u8]) -> io::Result<()> {
        let Some(entry) = self.entries.last_mut() else { return Ok(()) };
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(bytes)?;
        entry.size += bytes.len() as u64;
        entry.crc[0] = Hasher::new();
        entry.crc[0].update(start);
        entry.crc[1].update(bytes);
        self.end += bytes.len() as u64;
        let (at, head) = (entry.at, entry.head());
        self.write_directory()?;
        self.file.seek(SeekFrom::Start(at))?;
        self.file.write_all(&head)?;
        self.file.write_all(start)?;
        self.file.flush()
    }

    fn write_directory(&mut self) -> io::Result<()> {
        let mut bytes = Bytes::default();
        self.entries.iter().for_each(|entry| entry.directory(&mut bytes));
        let (count, size) = (self.entries.len(), bytes.0.len() as u64);
        bytes.u32(0x0606_4b50).u64(44).u16(VERSION).u16(VERSION).u32(0).u32(0);
        bytes.u64(count as u64).u64(count as u64).u64(size).u64(self.end);
        bytes.u32(0x0706_4b50).u32(0).u64(self.end + size).u32(1);
        bytes.u32(0x0605_4b50).u16(0).u16(0).u16(count as u16).u16(count as u16);
        bytes.u32(ELSEWHERE).u32(ELSEWHERE).u16(0);
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&bytes.0)
    }

    pub(super) fn into_file(self) -> AtomicFile {
        self.file
    }
}

/// Numbers, the least byte first.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn u16(&mut self, n: u16) -> &mut Self {
        self.bytes(&n.to_le_bytes())
    }

    fn u32(&mut self, n: u32) -> &mut Self {
        self.bytes(&n.to_le_bytes())
    }

    fn u64(&mut self, n: u64) -> &mut Self {
        self.bytes(&n.to_le_bytes())
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }
}
