//! Attaches the bounds of exact times to batches, and checks that they and the labels are about the same
//! queries.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cloth_io::queries::{Enclosure, QueryScene, enclosures_in, read_enclosures};

use super::batch::{Batch, Labels, Times};
use crate::failure::Failure;

/// Bounds from one file that counts over all batches, or from a folder with a file for each scene.
pub(super) fn enclose(batches: &mut [Batch], paths: &[PathBuf], toi: &Path) -> Result<(), Failure> {
    if !toi.is_dir() {
        return spread(batches.iter_mut().collect(), toi);
    }
    let mut scenes: BTreeMap<QueryScene, Vec<&mut Batch>> = BTreeMap::new();
    for (batch, path) in batches.iter_mut().zip(paths) {
        let scene = QueryScene::from_path(path).ok_or_else(|| {
            let text =
                "lies in no folder of a scene, so that its times are not found; name their file by --toi";
            Failure::new(format!("{}: {text}", path.display()))
        })?;
        scenes.entry(scene).or_default().push(batch);
    }
    scenes.into_iter().try_for_each(|(scene, batches)| spread(batches, &enclosures_in(toi, &scene)))
}

/// Hands the bounds of a file out to batches, in their order.
fn spread(batches: Vec<&mut Batch>, path: &Path) -> Result<(), Failure> {
    let enclosures = read_enclosures(path)?;
    let queries: usize = batches.iter().map(|batch| batch.queries.len()).sum();
    if enclosures.len() != queries {
        return Err(Failure::new(format!(
            "{}: describes {} queries, but the files given have {queries}; name all files it counts over, in order",
            path.display(),
            enclosures.len()
        )));
    }
    let mut rest = &enclosures[..];
    for batch in batches {
        let own;
        (own, rest) = rest.split_at(batch.queries.len());
        attach(batch, own, path)?;
    }
    Ok(())
}

fn attach(batch: &mut Batch, enclosures: &[Enclosure], path: &Path) -> Result<(), Failure> {
    let origin = path.display().to_string();
    let collides: Vec<bool> = enclosures.iter().map(Enclosure::collides).collect();
    let labels =
        batch.labels.get_or_insert_with(|| Labels { collides: collides.clone(), origin: origin.clone() });
    if let Some(query) = (0..collides.len()).find(|&i| labels.collides[i] != collides[i]) {
        let text = format!(
            "{origin}: contradicts the verdict of {} on query {query} of {}",
            labels.origin, batch.path
        );
        return Err(Failure::new(format!("{text}; name the times of these queries")));
    }
    batch.times = Some(Times { enclosures: enclosures.to_vec(), origin });
    Ok(())
}
