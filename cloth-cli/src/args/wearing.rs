//! Which cache moves which mesh, and which meshes are bodies: a cache belongs to what it follows on the
//! command line.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

/// A mesh, and the cache that moves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MeshWithCache {
    pub(crate) mesh: PathBuf,
    pub(crate) cache: Option<PathBuf>,
}

/// The meshes of a command line with their caches. The option names are those of [`WearingArgs`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Wearing {
    pub(crate) meshes: Vec<MeshWithCache>,
    pub(crate) bodies: Vec<MeshWithCache>,
}

// No doc comment: it would take the place of the help of the command that has these arguments.
#[derive(Clone, Debug, Args)]
struct WearingArgs {
    /// Check the frames of this cache (PC2, MDD, NPY or NPZ), with the faces of the MESH that it follows;
    /// with several MESHes, one after each.
    #[arg(long, value_name = "C.pc2")]
    cache: Vec<PathBuf>,
    /// Judge the MESHes together with this body: what meets what, and what is inside of the body; may be
    /// repeated. A MESH that is a folder or a pattern, or with --each every MESH, is judged for itself with
    /// the bodies.
    ///
    /// Of a glTF file with a skin, frames are those of its clips (--clip); without clips it stands in its
    /// bind pose. A body or a MESH without frames stands still; all others have the same number.
    #[arg(long, value_name = "BODY")]
    body: Vec<PathBuf>,
    /// Move the --body that it follows by this cache.
    #[arg(long, value_name = "B.pc2", requires = "body")]
    body_cache: Vec<PathBuf>,
}

impl Args for Wearing {
    fn augment_args(command: Command) -> Command {
        WearingArgs::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        WearingArgs::augment_args_for_update(command)
    }
}

impl FromArgMatches for Wearing {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Ok(Self {
            meshes: follow(matches, ["meshes", "cache"], "--cache", "MESH")?,
            bodies: follow(matches, ["body", "body_cache"], "--body-cache", "--body")?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The values of the first argument, each with that of the second which follows it; a single mesh may also
/// come after its cache.
fn follow(
    matches: &ArgMatches,
    [mesh, cache]: [&str; 2],
    option: &str,
    what: &str,
) -> Result<Vec<MeshWithCache>, Error> {
    let values = |id: &str| -> Vec<(usize, PathBuf)> {
        let places = matches.indices_of(id).into_iter().flatten();
        places.zip(matches.get_many::<PathBuf>(id).into_iter().flatten().cloned()).collect()
    };
    let refuse = |text: String| Error::raw(ErrorKind::ArgumentConflict, text);
    let meshes = values(mesh);
    let mut found: Vec<MeshWithCache> =
        meshes.iter().map(|(_, mesh)| MeshWithCache { mesh: mesh.clone(), cache: None }).collect();
    for (place, file) in values(cache) {
        let before = meshes.iter().rposition(|(at, _)| *at < place);
        let Some(owner) = before.or((meshes.len() == 1).then_some(0)) else {
            let file = file.display();
            return Err(refuse(format!("{option} {file} follows no {what}; name it after the one it moves")));
        };
        if let Some(other) = found[owner].cache.replace(file.clone()) {
            return Err(refuse(format!(
                "{option} {} and {option} {} follow one {what}; name each after the one it moves",
                other.display(),
                file.display()
            )));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command as Chosen};
    use clap::Parser;

    fn wearing(line: &str) -> Result<Wearing, String> {
        match Cli::try_parse_from(line.split(' ')).map_err(|e| e.to_string())?.command {
            Chosen::Check(args) => Ok(args.wearing),
            other => panic!("{other:?}"),
        }
    }

    fn words(meshes: &[MeshWithCache]) -> Vec<String> {
        let word = |m: &MeshWithCache| {
            let cache = m.cache.as_ref().map_or("-".into(), |cache| cache.display().to_string());
            format!("{} {cache}", m.mesh.display())
        };
        meshes.iter().map(word).collect()
    }

    #[test]
    fn a_cache_moves_the_mesh_that_it_follows() {
        let found = wearing(
            "cloth check a.obj --cache a.pc2 b.obj c.obj --cache c.pc2 --body x.obj --body y.obj \
             --body-cache y.pc2",
        );
        let found = found.unwrap();
        assert_eq!(words(&found.meshes), ["a.obj a.pc2", "b.obj -", "c.obj c.pc2"]);
        assert_eq!(words(&found.bodies), ["x.obj -", "y.obj y.pc2"]);
        assert_eq!(words(&wearing("cloth check --cache a.pc2 a.obj").unwrap().meshes), ["a.obj a.pc2"]);
    }

    #[test]
    fn refuses_caches_of_nothing_and_two_of_one() {
        let error = wearing("cloth check --cache a.pc2 a.obj b.obj").unwrap_err();
        assert!(error.contains("a.pc2 follows no MESH"), "{error}");
        let error = wearing("cloth check a.obj --cache a.pc2 --cache b.pc2").unwrap_err();
        assert!(error.contains("a.pc2 and --cache b.pc2 follow one MESH"), "{error}");
        assert!(wearing("cloth check a.obj --body-cache b.pc2").is_err());
    }
}
