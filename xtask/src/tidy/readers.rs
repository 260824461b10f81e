//! Files are opened to be read in one place, which remembers them as inputs, refuses what may never end, and
//! keeps to the largest size.

use super::code;

/// Where the product reads files of its user.
pub(super) const FOLDERS: [&str; 3] = ["cloth-io/src/", "cloth-scene/src/", "cloth-cli/src/"];

/// The one place.
const PLACE: &str = "cloth-io/src/input.rs";

/// How a file is opened or read.
const OPENS: [&str; 5] =
    ["fs::read(", "fs::read_to_string(", "File::open(", "OpenOptions::new().read(", "File::options()"];

/// Complaints about a list of (path, text).
pub(super) fn violations(files: &[(&str, &str)]) -> Vec<String> {
    let elsewhere = files.iter().filter(|(path, _)| *path != PLACE && !code::is_test(path));
    let opens = elsewhere.flat_map(|&(path, text)| {
        let text = code::product(text);
        OPENS.into_iter().filter(move |open| has(&text, open)).map(move |open| (path, open))
    });
    opens.map(|(path, open)| format!("{path} has `{open}`: read files by `cloth_io::read_file`")).collect()
}

/// Whether a text has a call that is not the end of a longer name.
fn has(text: &str, call: &str) -> bool {
    text.match_indices(call).any(|(at, _)| !text[..at].ends_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_of_its_own_is_found_outside_of_tests() {
        let text = "fn read() { fs::read(path) }\nfn open() { CacheFile::open(path) }\n#[cfg(test)]\n\
                    mod tests { fn f() { File::open(path) } }\n";
        let complaints = violations(&[("cloth-io/src/ply.rs", text), (PLACE, text)]);
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].starts_with("cloth-io/src/ply.rs has `fs::read(`"), "{complaints:?}");
    }
}
