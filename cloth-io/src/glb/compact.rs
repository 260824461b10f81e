//! Leaves out the arrays that a document no longer refers to, and puts the others into one buffer.

use serde_json::{Map, Value, json};

use super::asset::Asset;

type Json = Map<String, Value>;
/// Calls a function for each number that refers to an entry of a list.
type Visit = fn(&mut Json, &mut dyn FnMut(&mut Value));

/// Drops accessors and buffer views that nothing uses, and renumbers the others. For documents whose
/// extensions refer to neither.
pub(super) fn drop_unused(json: &mut Json) -> Result<(), String> {
    retain_used(json, "accessors", visit_accessors)?;
    retain_used(json, "bufferViews", visit_views)
}

fn retain_used(json: &mut Json, list: &str, visit: Visit) -> Result<(), String> {
    let count = json.get(list).and_then(Value::as_array).map_or(0, Vec::len);
    let mut used = vec![false; count];
    let mut missing = None;
    visit(json, &mut |reference| {
        let index = reference.as_u64().and_then(|i| usize::try_from(i).ok());
        match index.and_then(|i| used.get_mut(i)) {
            Some(slot) => *slot = true,
            None => missing = Some(reference.clone()),
        }
    });
    if let Some(reference) = missing {
        return Err(format!("it refers to entry {reference} of its {count} {list}"));
    }
    let numbers: Vec<usize> =
        used.iter().scan(0, |next, &used| Some(std::mem::replace(next, *next + usize::from(used)))).collect();
    visit(json, &mut |reference| {
        if let Some(index) = reference.as_u64() {
            *reference = json!(numbers[index as usize]);
        }
    });
    if let Some(items) = json.get_mut(list).and_then(Value::as_array_mut) {
        let mut used = used.into_iter();
        items.retain(|_| used.next().unwrap_or(false));
    }
    Ok(())
}

/// Calls `found` for each number of an accessor.
fn visit_accessors(json: &mut Json, found: &mut dyn FnMut(&mut Value)) {
    for mesh in items(json.get_mut("meshes")) {
        for primitive in items(mesh.get_mut("primitives")) {
            visit_values(primitive.get_mut("attributes"), found);
            primitive.get_mut("indices").into_iter().for_each(&mut *found);
            for target in items(primitive.get_mut("targets")) {
                visit_values(Some(target), found);
            }
        }
    }
    for skin in items(json.get_mut("skins")) {
        skin.get_mut("inverseBindMatrices").into_iter().for_each(&mut *found);
    }
}

/// Calls `found` for each number of a buffer view.
fn visit_views(json: &mut Json, found: &mut dyn FnMut(&mut Value)) {
    for accessor in items(json.get_mut("accessors")) {
        accessor.get_mut("bufferView").into_iter().for_each(&mut *found);
        for part in ["indices", "values"] {
            let sparse = accessor.get_mut("sparse").and_then(|sparse| sparse.get_mut(part));
            sparse.and_then(|part| part.get_mut("bufferView")).into_iter().for_each(&mut *found);
        }
    }
    for image in items(json.get_mut("images")) {
        image.get_mut("bufferView").into_iter().for_each(&mut *found);
    }
}

fn items(list: Option<&mut Value>) -> impl Iterator<Item = &mut Value> {
    list.and_then(Value::as_array_mut).into_iter().flatten()
}

fn visit_values(object: Option<&mut Value>, found: &mut dyn FnMut(&mut Value)) {
    if let Some(object) = object.and_then(Value::as_object_mut) {
        object.values_mut().for_each(found);
    }
}

/// Copies the bytes of every buffer view into the one buffer of the asset.
pub(super) fn copy_views(asset: &mut Asset, buffers: &[Vec<u8>]) -> Result<(), String> {
    let mut views = asset.json.remove("bufferViews").unwrap_or_else(|| json!([]));
    let available: usize = buffers.iter().map(Vec::len).sum();
    for (index, view) in items(Some(&mut views)).enumerate() {
        let number = |key: &str| {
            let value = view.get(key).map_or(Some(0), Value::as_u64);
            value.and_then(|n| usize::try_from(n).ok())
        };
        let bytes = number("buffer").and_then(|buffer| buffers.get(buffer)).and_then(|buffer| {
            let start = number("byteOffset")?;
            buffer.get(start..start.checked_add(number("byteLength")?)?)
        });
        let bytes = bytes.ok_or_else(|| format!("its buffer view {index} is not inside a buffer"))?;
        let offset = asset.append(bytes);
        // Views may overlap, so that a small file could ask for any amount of memory.
        if asset.binary.len() > 2 * available + 4 * index {
            return Err("its buffer views overlap".into());
        }
        view["buffer"] = json!(0);
        view["byteOffset"] = json!(offset);
    }
    asset.json.insert("bufferViews".into(), views);
    Ok(())
}
