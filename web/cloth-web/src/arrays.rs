//! Typed arrays of JavaScript: those that show memory of the module, and positions of either precision.

use js_sys::{Float32Array, Float64Array, Uint32Array};
use nalgebra::{Point3, Vector3};
use wasm_bindgen::{JsCast, JsError, JsValue};

/// A view of positions, three numbers each. It shows the memory of the module without a copy, until the next
/// call of the module.
pub(crate) fn view_points(points: &[Point3<f32>]) -> Float32Array {
    view(bytemuck::cast_slice(points))
}

/// A view of vectors, as [`view_points`].
pub(crate) fn view_vectors(vectors: &[Vector3<f32>]) -> Float32Array {
    view(bytemuck::cast_slice(vectors))
}

/// A view of numbers, as [`view_points`].
pub(crate) fn view(numbers: &[f32]) -> Float32Array {
    // SAFETY: the array is read before the next call of the module, which alone moves or frees the numbers;
    // the documentation of every method that returns one says so.
    #[allow(unsafe_code, reason = "without a copy")]
    unsafe {
        Float32Array::view(numbers)
    }
}

/// A view of faces, three indices each, as [`view_points`].
pub(crate) fn view_faces(faces: &[[u32; 3]]) -> Uint32Array {
    // SAFETY: as in `view`.
    #[allow(unsafe_code, reason = "without a copy")]
    unsafe {
        Uint32Array::view(faces.as_flattened())
    }
}

/// Positions (m) as they are handed over.
pub(crate) enum Positions {
    F32(Vec<[f32; 3]>),
    F64(Vec<[f64; 3]>),
}

/// Three numbers for each vertex, of a `Float32Array` or a `Float64Array`.
pub(crate) fn positions(name: &str, array: &JsValue) -> Result<Positions, JsError> {
    if let Some(array) = array.dyn_ref::<Float32Array>() {
        Ok(Positions::F32(rows(name, &array.to_vec())?))
    } else if let Some(array) = array.dyn_ref::<Float64Array>() {
        Ok(Positions::F64(rows(name, &array.to_vec())?))
    } else {
        Err(JsError::new(&format!("`{name}` has to be a Float32Array or a Float64Array")))
    }
}

/// The numbers in rows.
pub(crate) fn rows<T: Copy, const N: usize>(name: &str, numbers: &[T]) -> Result<Vec<[T; N]>, JsError> {
    let (rows, rest) = numbers.as_chunks::<N>();
    if rest.is_empty() {
        return Ok(rows.to_vec());
    }
    let count = numbers.len();
    Err(JsError::new(&format!("`{name}` has {count} entries, which is not {N} for each row")))
}

/// An object of JavaScript.
pub(crate) fn object(value: &impl serde::Serialize) -> Result<JsValue, JsError> {
    js_sys::JSON::parse(&serde_json::to_string(value)?).map_err(|_| JsError::new("an object cannot be made"))
}

/// What an object of JavaScript says; an unknown key is an error.
pub(crate) fn read<T: serde::de::DeserializeOwned>(object: &JsValue) -> Result<T, JsError> {
    let text = js_sys::JSON::stringify(object).ok().and_then(|text| text.as_string());
    Ok(serde_json::from_str(&text.ok_or_else(|| JsError::new("an object is expected"))?)?)
}
