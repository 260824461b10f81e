//! From flags to a scene: garments, a body that fits them, and a floor.

use std::path::{Path, PathBuf};

use cloth_geom::{Aabb, TriMesh};
use cloth_scene::build::{AnimatedCharacter, place, repair_mesh};
use cloth_scene::{
    CharacterBody, FaceMaterial, FacePlace, Garment, Placing, Rest, Scene, SceneSource, Stitches, Up,
};
use cloth_show::program::Failure;
use cloth_solver::Material;

use super::arrangement::arrange;
use crate::args::{BodyChoice, Fabric, QuickArgs};

/// Simulated time (s) without a character, and frames a second.
const SECONDS: f64 = 3.0;
const FPS: f64 = 60.0;

/// Units (m) that garments are modelled in.
const UNITS: [f64; 4] = [1.0, 0.1, 0.01, 0.001];

/// The longest side of a garment relative to the height of who wears it: from a sock to a gown with a train.
const SIZES: [f64; 2] = [0.08, 1.6];

/// The scene that the flags describe, and what was decided in it, a sentence each.
pub(super) fn scene(args: &QuickArgs) -> Result<(SceneSource, Scene, Vec<String>), Failure> {
    let missing = || Failure::new("nothing to simulate; give SCENE.toml or --garment MESH");
    let source = SceneSource::Flags(args.garments.first().ok_or_else(missing)?.clone());
    let mut garments = Vec::new();
    let names = args.arrays.clone().unwrap_or_default();
    for path in &args.garments {
        garments.push((garment(args, path)?, cloth_io::read_mesh_arrays(path, &names)?.mesh));
    }
    if garments.len() > 1 {
        check_several(args, &garments[0].0)?;
    }
    let character = args.character.to_scene(args.body.as_ref(), args.body_unit)?;
    let mut notes = Vec::new();
    let mut duration = SECONDS;
    let mut worn_by = None;
    if let Some(wanted) = &character {
        // For its size alone: proxies are fitted once, when the scene is prepared.
        let skin = cloth_scene::Character { body: CharacterBody::Skin, ..wanted.clone() };
        let loaded = AnimatedCharacter::load(&skin, &source)?;
        if args.unit.is_none() {
            let chosen =
                garments.iter_mut().map(|(garment, file)| choose_unit(garment, file, &loaded.bounds()));
            notes.extend(chosen.flatten());
        }
        (duration, worn_by) = (loaded.duration, Some(loaded));
    }
    let mut bounds = Aabb::EMPTY;
    for (garment, file) in &mut garments {
        let at_file = Garment { translate: [0.0; 3], ..garment.clone() };
        let repaired =
            repair_mesh(&std::mem::take(file).mapped(|p| place(&at_file, &p)), garment.weld_distance)
                .map_err(|text| Failure::new(format!("{}: {text}", garment.mesh.display())))?;
        bounds = bounds.union(repaired.mesh.face_bounds());
    }
    let (bodies, said) = arrange(args, &garments[0].0, &bounds, worn_by.as_ref())?;
    notes.extend(said);
    let fps = args.fps.unwrap_or(FPS);
    let mut scene = Scene {
        dt: 1.0 / fps,
        duration: args.seconds.unwrap_or(duration),
        garments: garments.into_iter().map(|(garment, _)| garment).collect(),
        bodies,
        character,
        ..Scene::default()
    };
    scene.settings.substeps = args.substeps.unwrap_or(scene.settings.substeps);
    Ok((source, scene, notes))
}

/// Simulated time (s).
pub(super) fn seconds(args: &QuickArgs) -> f64 {
    args.seconds.unwrap_or(SECONDS)
}

fn garment(args: &QuickArgs, path: &Path) -> Result<Garment, Failure> {
    let rest = match args.rest.as_deref() {
        None => Rest::Start,
        Some(word) => {
            Rest::try_from(word.to_owned()).map_err(|text| Failure::new(format!("--rest: {text}")))?
        }
    };
    let of_whole = args.fabrics.iter().filter(|fabric| fabric.group.is_none());
    let of_whole: Vec<Material> = of_whole.map(|fabric| fabric.material).collect();
    if of_whole.len() > 1 {
        let text =
            "--material is given twice for the whole garment; one for a part of it is group:NAME=FABRIC";
        return Err(Failure::new(text));
    }
    let of_part = |fabric: &Fabric| {
        let faces = FacePlace::Group(fabric.group.clone()?);
        Some(FaceMaterial { faces, material: fabric.material })
    };
    Ok(Garment {
        layer: None,
        friction: None,
        tethers: false,
        name: None,
        mesh: path.to_path_buf(),
        arrays: args.arrays.clone(),
        unit: Some(args.unit.unwrap_or(1.0)),
        scale: args.placing.scale.unwrap_or(1.0),
        up: args.up.unwrap_or_default(),
        weld_distance: args.weld,
        translate: args.placing.translate.unwrap_or_default(),
        rotate: args.placing.rotate.iter().copied().reduce(|all, next| all.then(&next)),
        place: args.placing.place.unwrap_or_else(|| default_place(args)),
        rest,
        bend_rest: args.placing.bend_rest,
        material: of_whole.first().copied().unwrap_or_default(),
        face_materials: args.fabrics.iter().filter_map(of_part).collect(),
        thickness: args.thickness,
        pins: args.animation.pins(),
        stitches: Stitches::default(),
        regions: Vec::new(),
        excluded_pairs: Vec::new(),
    })
}

/// Options of one garment are not those of several: what falls falls into each other, and a pin or a rest
/// shape belongs to one.
fn check_several(args: &QuickArgs, garment: &Garment) -> Result<(), Failure> {
    let scene = "give a scene file, with a [[garment]] for each";
    if garment.place == Placing::Above {
        return Err(Failure::new(format!(
            "several --garment would fall from one place: name who wears them (--character, --body), add \
             --place asis, or {scene}"
        )));
    }
    let of_one = [
        (!garment.pins.is_empty(), "--pin"),
        (!garment.face_materials.is_empty(), "--material group:NAME=FABRIC"),
        (matches!(garment.rest, Rest::Mesh(_)), "--rest MESH"),
    ];
    if let Some((_, option)) = of_one.into_iter().find(|(given, _)| *given) {
        return Err(Failure::new(format!("{option} is of one garment, and there are several: {scene}")));
    }
    let again =
        |(k, path): (usize, &PathBuf)| args.garments[..k].contains(path).then(|| path.display().to_string());
    match args.garments.iter().enumerate().find_map(again) {
        Some(path) => Err(Failure::new(format!("--garment {path} is given twice"))),
        None => Ok(()),
    }
}

/// As in its file where something wears it, and above what it falls on.
fn default_place(args: &QuickArgs) -> Placing {
    let is_worn = matches!(args.body, Some(BodyChoice::Figure | BodyChoice::Mesh(_)));
    if is_worn || args.character.character.is_some() { Placing::AsIs } else { Placing::Above }
}

/// Chooses the unit of a garment's file that gives the garment a size which the character can wear; `mesh` is
/// as in the file. Says which if it is not the metre.
fn choose_unit(garment: &mut Garment, mesh: &TriMesh, character: &Aabb) -> Option<String> {
    let height = character.max.y - character.min.y;
    let bounds = mesh.face_bounds();
    let size = (bounds.max - bounds.min).max() * garment.scale / height;
    let unit = UNITS.into_iter().find(|unit| (SIZES[0]..=SIZES[1]).contains(&(size * unit)))?;
    garment.unit = Some(unit);
    (unit != 1.0).then(|| {
        format!("fitted to the character's height of {height:.2} m: unit {unit} m; --unit overrides")
    })
}

/// The axis that points up in the file of the body.
pub(super) fn body_up(args: &QuickArgs) -> Up {
    args.body_up.or(args.up).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;

    #[test]
    fn the_unit_comes_from_the_sizes_of_garment_and_character() {
        let person = Aabb { min: Point3::new(-0.8, 0.0, -0.2), max: Point3::new(0.8, 1.7, 0.2) };
        let chosen = |longest: f64| {
            let mut garment: Garment = toml::from_str("mesh = \"a.obj\"").unwrap();
            let ends = vec![Point3::origin(), Point3::new(longest, 0.0, 0.0), Point3::new(0.0, 0.1, 0.0)];
            let note = choose_unit(&mut garment, &TriMesh::new(ends, vec![[0, 1, 2]]), &person);
            (garment.unit, note)
        };
        let (unit, note) = chosen(8.0);
        assert_eq!(unit, Some(0.1));
        assert!(note.is_some_and(|note| note.contains("unit 0.1 m")));
        assert_eq!(chosen(80.0).0, Some(0.01));
        assert_eq!(chosen(0.6), (Some(1.0), None));
        assert_eq!(chosen(1e9), (None, None));
    }
}
