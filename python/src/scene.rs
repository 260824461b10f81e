//! Descriptions of the Python half as a scene of the solver. Their JSON has the keys of scene files.

use cloth_scene::cloth_geom::TriMesh;
use cloth_scene::{ColliderDesc, RegionInteraction, SceneDesc, ScenePart};
use cloth_solver::{
    ClothDesc, Collider, Material, MeshBodyDesc, RestShape, RigidBodyDesc, Settings, Shape, Thickness,
};
use nalgebra::{Isometry3, Matrix3, Matrix4, Quaternion, Rotation3, Translation3, UnitQuaternion, Vector3};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use serde_json::{Map, Value};

use crate::arrays::rows;
use crate::errors;

/// The share of a thickness, given as one number, that is static collision radius; that of
/// [`Thickness::for_mesh`].
const SCR_SHARE: f32 = 0.4;

/// Keys of a cloth or body as JSON, positions (m) and faces.
pub(crate) type MeshPart<'py> = (String, PyReadonlyArray2<'py, f64>, PyReadonlyArray2<'py, u32>);

/// What a simulation is built of, with lists in the order of the Python half; `others` are cloths that there
/// are besides.
pub(crate) fn describe(
    py: Python<'_>,
    (cloths, others): (&[MeshPart<'_>], &[&ClothDesc]),
    bodies: &[MeshPart<'_>],
    colliders: &[String],
    [preset, settings, interactions]: [&str; 3],
) -> PyResult<SceneDesc> {
    let refuse = |text: String| errors::raise(py, "InputError", text);
    let mut desc = SceneDesc::new(read_settings(preset, settings).map_err(refuse)?);
    for (i, part) in cloths.iter().enumerate() {
        let (cloth, friction) =
            read_cloth(&part.0, mesh(part)?).map_err(|e| refuse(format!("cloth {i}: {e}")))?;
        desc.cloths.push(cloth);
        desc.friction.extend(friction.map(|friction| (ScenePart::Cloth(i), friction)));
    }
    let all = desc.thinnest().into_iter().chain(others.iter().map(|cloth| cloth.thickness));
    let thinnest = all.min_by(|a, b| a.total().total_cmp(&b.total()));
    let thinnest = thinnest.unwrap_or(Thickness { radius: 0.0, scr: 0.0 });
    for (i, part) in bodies.iter().enumerate() {
        let read = read_body(&part.0, mesh(part)?, thinnest);
        let (body, friction) = read.map_err(|e| refuse(format!("body {i}: {e}")))?;
        desc.mesh_bodies.push(body);
        desc.friction.extend(friction.map(|friction| (ScenePart::Body(i), friction)));
    }
    for (i, json) in colliders.iter().enumerate() {
        desc.colliders.push(read_collider(json).map_err(|e| refuse(format!("collider {i}: {e}")))?);
    }
    desc.interactions = serde_json::from_str::<Vec<RegionInteraction>>(interactions)
        .map_err(|e| refuse(format!("interactions: {}", without_place(&e))))?;
    Ok(desc)
}

fn mesh((_, positions, faces): &MeshPart<'_>) -> PyResult<TriMesh> {
    Ok(TriMesh::new(rows(positions)?.iter().map(|&p| p.into()).collect(), rows(faces)?.to_vec()))
}

/// The settings of a preset, some of them replaced; those of threads are the package's own.
fn read_settings(preset: &str, json: &str) -> Result<Settings, String> {
    let preset = match preset {
        "game" => Settings::game(),
        "default" => Settings::default(),
        "film" => Settings::film(),
        _ => return Err(format!("unknown preset `{preset}`; known are `game`, `default`, `film`")),
    };
    change_settings(&preset, json)
}

/// Settings, some of them replaced.
pub(crate) fn change_settings(settings: &Settings, json: &str) -> Result<Settings, String> {
    let base = serde_json::to_value(settings).map_err(|e| e.to_string())?;
    let settings: Settings =
        read(&base, table(json)?, serde_json::from_value).map_err(|e| format!("settings: {e}"))?;
    Ok(Settings { threads: 1, ..settings })
}

/// A cloth, and its friction coefficient if it has one of its own.
fn read_cloth(json: &str, mesh: TriMesh) -> Result<(ClothDesc, Option<f32>), String> {
    let none = Thickness { radius: 0.0, scr: 0.0 };
    let (mut cloth, friction) = change_cloth(ClothDesc::new(mesh, Material::COTTON, none), json)?;
    if table(json)?.get("thickness").is_none_or(Value::is_null) {
        cloth.thickness = match &cloth.rest {
            RestShape::Positions(rest) => {
                Thickness::for_mesh(&TriMesh::new(rest.clone(), cloth.mesh.faces.clone()))
            }
            RestShape::Start | RestShape::Pattern(_) => Thickness::for_mesh(&cloth.mesh),
        };
    }
    Ok((cloth, friction))
}

/// A cloth of which some keys are replaced, and its friction coefficient if that is one of them.
pub(crate) fn change_cloth(mut cloth: ClothDesc, json: &str) -> Result<(ClothDesc, Option<f32>), String> {
    // Of no concern to JSON.
    let mesh = std::mem::take(&mut cloth.mesh);
    let mut keys = table(json)?;
    let friction = take(&mut keys, "friction", serde_json::from_value)?;
    let thickness = take_thickness(&mut keys)?.unwrap_or(cloth.thickness);
    let base = serde_json::to_value(cloth).map_err(|e| e.to_string())?;
    let cloth: ClothDesc = read(&base, keys, serde_json::from_value)?;
    Ok((ClothDesc { mesh, thickness, ..cloth }, friction))
}

/// A body, by default as thick as the thinnest cloth, and its friction coefficient if it has one of its own.
fn read_body(json: &str, mesh: TriMesh, thinnest: Thickness) -> Result<(MeshBodyDesc, Option<f32>), String> {
    let mut keys = table(json)?;
    let friction = take(&mut keys, "friction", serde_json::from_value)?;
    let thickness = take_thickness(&mut keys)?.unwrap_or(thinnest);
    Ok((MeshBodyDesc { mesh, thickness }, friction))
}

/// A collider, or a rigid body if it has a mass.
pub(crate) fn read_collider(json: &str) -> Result<ColliderDesc, String> {
    let mut keys = table(json)?;
    let pose: [f32; 7] =
        take(&mut keys, "pose", serde_json::from_value)?.unwrap_or([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    let friction = take(&mut keys, "friction", serde_json::from_value)?.unwrap_or(0.3);
    let is_guarded = take(&mut keys, "guarded", serde_json::from_value)?.unwrap_or(false);
    let mass: Option<f32> = take(&mut keys, "mass", serde_json::from_value)?;
    let velocity: Option<Vector3<f32>> = take(&mut keys, "velocity", serde_json::from_value)?;
    let angular_velocity: Option<Vector3<f32>> = take(&mut keys, "angular_velocity", serde_json::from_value)?;
    let shape: Shape = serde_json::from_value(Value::Object(keys)).map_err(|e| e.to_string())?;
    let collider = Collider::new(shape, isometry(pose)?, friction).map_err(|e| e.to_string())?;
    let collider = if is_guarded { collider.guarded().map_err(|e| e.to_string())? } else { collider };
    match mass {
        None if velocity.or(angular_velocity).is_some() => {
            Err("has a velocity but no `mass`; only rigid bodies move by themselves".to_owned())
        }
        None => Ok(collider.into()),
        Some(mass) => {
            let (velocity, angular_velocity) =
                (velocity.unwrap_or_default(), angular_velocity.unwrap_or_default());
            Ok(RigidBodyDesc { velocity, angular_velocity, ..RigidBodyDesc::new(collider, mass) }.into())
        }
    }
}

/// A rigid motion as callers pass it.
#[derive(FromPyObject)]
pub(crate) enum RigidMotion {
    /// A translation (m), and a rotation as a quaternion x, y, z, w.
    Pose([f32; 7]),
    /// The rows of a 4x4 matrix.
    Matrix([f64; 16]),
}

/// How far an entry of a rotation matrix times its transpose may be from that of the identity: what a product
/// of a hundred matrices in `f32` is off by.
const ORTHONORMAL: f64 = 1.0e-5;

impl RigidMotion {
    /// The motion; the error is a sentence.
    pub(crate) fn to_isometry(&self) -> Result<Isometry3<f32>, String> {
        let rows = match self {
            Self::Pose(pose) => return isometry(*pose),
            Self::Matrix(rows) => Matrix4::from_row_slice(rows),
        };
        let turn: Matrix3<f64> = rows.fixed_view::<3, 3>(0, 0).into();
        let off = (turn * turn.transpose() - Matrix3::identity()).amax();
        let is_last_row = rows.row(3) == Matrix4::<f64>::identity().row(3);
        // NaN is no rotation either.
        if !(off <= ORTHONORMAL && turn.determinant() > 0.0 && is_last_row) {
            return Err(
                "`motion` is not rigid: its matrix must be a rotation with a translation in the last \
                        column, over a row 0, 0, 0, 1"
                    .to_owned(),
            );
        }
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(turn));
        let translation = Vector3::from(rows.fixed_view::<3, 1>(0, 3)).cast::<f32>();
        let rotation = UnitQuaternion::new_normalize(rotation.into_inner().cast());
        Ok(Isometry3::from_parts(translation.into(), rotation))
    }
}

/// A pose from its position (m) and its rotation as a quaternion x, y, z, w of any length but zero.
pub(crate) fn isometry([x, y, z, i, j, k, w]: [f32; 7]) -> Result<Isometry3<f32>, String> {
    let rotation = UnitQuaternion::try_new(Quaternion::new(w, i, j, k), f32::EPSILON);
    let rotation = rotation.filter(|rotation| rotation.coords.iter().all(|c| c.is_finite()));
    let rotation = rotation.ok_or("`rotation` must be a finite quaternion x, y, z, w that is not zero")?;
    Ok(Isometry3::from_parts(Translation3::new(x, y, z), rotation))
}

fn table(json: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(json).map_err(|e| without_place(&e))
}

/// `serde_json::from_value`.
type Parse<T> = fn(Value) -> Result<T, serde_json::Error>;

/// Takes a key out of a table.
fn take<T>(keys: &mut Map<String, Value>, key: &str, parse: Parse<T>) -> Result<Option<T>, String> {
    let value = keys.remove(key).filter(|value| !value.is_null());
    value.map(parse).transpose().map_err(|e| format!("`{key}`: {e}"))
}

/// The thickness, as its total (m) or as a table; `None` without one.
fn take_thickness(keys: &mut Map<String, Value>) -> Result<Option<Thickness>, String> {
    match keys.get("thickness").and_then(Value::as_f64) {
        Some(total) if total >= 0.0 => {
            keys.remove("thickness");
            Ok(Some(Thickness::from_total(total as f32, SCR_SHARE)))
        }
        Some(total) => Err(format!("`thickness` must not be negative, found {total}")),
        None => take(keys, "thickness", serde_json::from_value),
    }
}

/// Reads a table over defaults. An error names the first key that is refused without the others.
fn read<T>(base: &Value, keys: Map<String, Value>, parse: Parse<T>) -> Result<T, String> {
    let with = |keys: Map<String, Value>| {
        let mut all = base.as_object().cloned().unwrap_or_default();
        all.extend(keys);
        parse(Value::Object(all)).map_err(|error| {
            let text = error.to_string();
            // Of settings, whose `version` is there, behind the keys that come before it in the alphabet.
            text.rsplit_once("`version` follows: ").map_or_else(|| text.clone(), |(_, text)| text.to_owned())
        })
    };
    with(keys.clone()).map_err(|error| {
        let refused = keys.into_iter().find_map(|(key, value)| {
            let error = with(Map::from_iter([(key.clone(), value)])).err()?;
            // An unknown key names itself.
            Some(if error.contains(&format!("field `{key}`")) { error } else { format!("`{key}`: {error}") })
        });
        refused.unwrap_or(error)
    })
}

/// The text of an error without line and column, which say nothing about what a caller wrote.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or_else(|| text.clone(), |(text, _)| text.to_owned())
}
