//! Which arrays of an archive are meant: those that are named, or have a name that data sets give them, or
//! are the only ones that fit.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{
    archive::{Archive, ListedArray},
    array::Array,
    header::Header,
};
use crate::{FileError, quoted};

/// Names of the array of positions, the first that is there.
const POSITIONS: [&str; 10] =
    ["frames", "vertices_seq", "verts_seq", "positions", "vertices", "verts", "v", "points", "pos", "V"];

/// Names of the array of faces, the first that is there.
const FACES: [&str; 6] = ["faces", "triangles", "tris", "f", "tri", "F"];

/// What is read, in words.
const WANTED: &str = "save `faces` (integers, n x 3) and `vertices` or `frames` (floats, v x 3 or f x v x \
    3), or name them by --arrays POSITIONS,FACES";

/// Faces of this many arrays are compared with positions.
const COMPARED: usize = 16;

/// The names of the arrays that are read of archives, `POSITIONS,FACES` or `POSITIONS`; by default names that
/// data sets use, or else the only arrays that fit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ArrayNames {
    /// The array of positions: floats, v x 3 of one state or f x v x 3 of many.
    pub positions: Option<String>,
    /// The array of faces: integers, n x 3.
    pub faces: Option<String>,
}

impl FromStr for ArrayNames {
    type Err = String;

    fn from_str(words: &str) -> Result<Self, String> {
        let names: Vec<&str> = words.split(',').collect();
        match *names.as_slice() {
            [positions] if !positions.is_empty() => {
                Ok(Self { positions: Some(positions.into()), faces: None })
            }
            [positions, faces] if !positions.is_empty() && !faces.is_empty() => {
                Ok(Self { positions: Some(positions.into()), faces: Some(faces.into()) })
            }
            _ => Err("must be the names of two arrays, POSITIONS,FACES, or of one, POSITIONS".into()),
        }
    }
}

impl fmt::Display for ArrayNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.positions.iter().chain(&self.faces).map(String::as_str).collect::<Vec<_>>();
        f.write_str(&names.join(","))
    }
}

impl TryFrom<String> for ArrayNames {
    type Error = String;

    fn try_from(words: String) -> Result<Self, String> {
        words.parse()
    }
}

impl From<ArrayNames> for String {
    fn from(names: ArrayNames) -> Self {
        names.to_string()
    }
}

/// Arrays that may be meant.
struct Candidates {
    indices: Vec<usize>,
    /// Whether a name says that it is the one.
    is_named: bool,
}

impl Candidates {
    fn find(
        archive: &Archive<'_>,
        given: Option<&str>,
        known: &[&str],
        fits: fn(&Header) -> bool,
    ) -> Result<Self, FileError> {
        let fits = |array: &ListedArray| array.header.as_ref().is_some_and(fits);
        let find = |name: &str| archive.arrays.iter().position(|array| array.name == name && fits(array));
        let named = match given {
            Some(name) => Some(find(name).ok_or_else(|| {
                let name = quoted(name);
                archive.refuse(format!("has no array {name} that fits; it {}; {WANTED}", archive.in_words()))
            })?),
            None => known.iter().find_map(|name| find(name)),
        };
        let all = || (0..archive.arrays.len()).filter(|&k| fits(&archive.arrays[k])).collect();
        Ok(Self { is_named: named.is_some(), indices: named.map_or_else(all, |index| vec![index]) })
    }

    fn in_words(&self, archive: &Archive<'_>) -> String {
        self.indices.iter().map(|&k| quoted(&archive.arrays[k].name)).collect::<Vec<_>>().join(" or ")
    }
}

/// The arrays of positions and of faces, and what is to be said of the choice.
pub(super) fn choose_mesh(
    archive: &mut Archive<'_>,
    names: &ArrayNames,
) -> Result<(Array, Array, Option<String>), FileError> {
    let positions = Candidates::find(archive, names.positions.as_deref(), &POSITIONS, Header::is_states)?;
    let faces = Candidates::find(archive, names.faces.as_deref(), &FACES, Header::is_faces)?;
    if positions.indices.is_empty() || faces.indices.is_empty() {
        return Err(archive.refuse(format!("{}; {WANTED}", archive.in_words())));
    }
    if positions.is_named && faces.is_named {
        return Ok((archive.array(positions.indices[0])?, archive.array(faces.indices[0])?, None));
    }
    let mut fitting = Vec::new();
    for &f in faces.indices.iter().take(COMPARED) {
        let array = archive.array(f)?;
        let needed = array.faces().flatten().try_fold(0, |most, v| (v >= 0).then_some(most.max(v + 1)));
        let holds = |&&p: &&usize| {
            let vertices =
                archive.arrays[p].header.as_ref().and_then(|header| header.shape.iter().rev().nth(1));
            needed.zip(vertices).is_some_and(|(needed, &vertices)| needed <= vertices as i128)
        };
        fitting.extend(positions.indices.iter().filter(holds).map(|&p| [p, f]));
    }
    match *fitting {
        [[p, f]] if faces.indices.len() <= COMPARED => {
            let [at, by] = [p, f].map(|k| quoted(&archive.arrays[k].name));
            let note = format!("positions are its array {at}, faces {by}: no others fit");
            Ok((archive.array(p)?, archive.array(f)?, Some(note)))
        }
        [] => Err(archive.refuse(format!(
            "no array of positions has all vertices that one of faces names: it {}; {WANTED}",
            archive.in_words()
        ))),
        _ => Err(archive.refuse(format!(
            "several arrays fit, {} for positions and {} for faces: name them by --arrays POSITIONS,FACES; \
             it {}",
            positions.in_words(archive),
            faces.in_words(archive),
            archive.in_words()
        ))),
    }
}

/// The array of the positions of a mesh of so many vertices, and what is to be said of the choice.
pub(super) fn choose_positions(
    archive: &mut Archive<'_>,
    names: &ArrayNames,
    vertices: usize,
) -> Result<(Array, Option<String>), FileError> {
    let positions = Candidates::find(archive, names.positions.as_deref(), &POSITIONS, Header::is_states)?;
    if positions.is_named {
        return Ok((archive.array(positions.indices[0])?, None));
    }
    let has_all = |array: &ListedArray| {
        array.header.as_ref().is_some_and(|header| header.shape.iter().rev().nth(1) == Some(&vertices))
    };
    let fitting: Vec<usize> =
        positions.indices.iter().copied().filter(|&k| has_all(&archive.arrays[k])).collect();
    match (fitting.as_slice(), positions.indices.as_slice()) {
        (&[k], _) | ([], &[k]) => {
            let note = format!("positions are its array {}: no other fits", quoted(&archive.arrays[k].name));
            Ok((archive.array(k)?, Some(note)))
        }
        ([], []) => {
            let text = "save `frames` (floats, f x v x 3)";
            Err(archive.refuse(format!("{}; {text}", archive.in_words())))
        }
        _ => Err(archive.refuse(format!(
            "several arrays fit, {}: name one by --arrays POSITIONS; it {}",
            positions.in_words(archive),
            archive.in_words()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_two_or_one() {
        let names = |words: &str| words.parse::<ArrayNames>();
        let [positions, faces] = ["verts", "f"].map(|name| Some(name.to_owned()));
        assert_eq!(names("verts,f"), Ok(ArrayNames { positions: positions.clone(), faces }));
        assert_eq!(names("verts"), Ok(ArrayNames { positions, faces: None }));
        for words in ["", ",", "a,", ",b", "a,b,c"] {
            assert!(names(words).unwrap_err().contains("POSITIONS,FACES"), "{words}");
        }
    }
}
