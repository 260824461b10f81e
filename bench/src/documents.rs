//! The JSON schemas (draft 2020-12) of a run, of pushes and of a line of the history, generated from their
//! types; `docs/schema` holds them.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use crate::history::{RECORD_VERSION, Record};
use crate::schema::{BenchReport, PUSH_VERSION, PushReport, SCHEMA_VERSION};

/// Name of each document in `docs/schema`, and its text.
///
/// # Errors
/// If one cannot be written as JSON.
pub fn documents() -> serde_json::Result<[(&'static str, String); 3]> {
    let report = root::<BenchReport>("`cargo xtask bench`: bench.json", "schema_version", SCHEMA_VERSION);
    let record = root::<Record>("a line of bench/history/*.jsonl", "record_version", RECORD_VERSION);
    let push = root::<PushReport>("`cloth-bench push`: push.json", "push_version", PUSH_VERSION);
    Ok([
        ("bench.schema.json", text(report)?),
        ("bench-record.schema.json", text(record)?),
        ("bench-push.schema.json", text(push)?),
    ])
}

fn root<T: JsonSchema>(title: &str, version_field: &str, version: u32) -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".into(), title.into());
    if let Some(property) = schema.pointer_mut(&format!("/properties/{version_field}")) {
        let about = "Version of this format: adding a field keeps it, a changed meaning raises it.";
        *property = json!({"const": version, "description": about});
    }
    schema
}

fn text(schema: Schema) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(&Value::from(schema))? + "\n")
}

#[cfg(test)]
mod tests {
    use jsonschema::validator_for;

    use super::*;
    use crate::fixture;
    use crate::history::records;

    #[test]
    fn the_documents_of_docs_schema_are_those_of_the_types() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema");
        for (name, text) in documents().expect("JSON") {
            let kept = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
            assert!(kept == text, "{name} is stale: run the `schema` command of the bench program");
        }
    }

    #[test]
    fn a_report_and_its_records_are_what_the_documents_describe() {
        let [(_, report), (_, record), (_, push)] = documents().expect("JSON");
        let closed = |text: &str| {
            let mut schema: Value = serde_json::from_str(text).expect("JSON");
            close(&mut schema);
            validator_for(&schema).expect("a schema")
        };
        let written = serde_json::to_value(fixture::report()).expect("JSON");
        let faults: Vec<String> = closed(&report).iter_errors(&written).map(|e| e.to_string()).collect();
        assert!(faults.is_empty(), "{faults:?}");
        let record = closed(&record);
        for line in records(&fixture::report()) {
            assert!(record.is_valid(&serde_json::to_value(&line).expect("JSON")), "{line:?}");
        }
        let pushes = serde_json::to_value(fixture::pushes()).expect("JSON");
        assert!(closed(&push).is_valid(&pushes), "{pushes:#}");
        let mut foreign = written;
        foreign["scenes"][0]["no_such_field"] = 1.into();
        assert!(!closed(&report).is_valid(&foreign), "a field that is not described must be found");
    }

    /// Makes fields that a schema does not describe faults.
    fn close(schema: &mut Value) {
        match schema {
            Value::Object(fields) => {
                if fields.contains_key("properties") {
                    fields.insert("additionalProperties".into(), false.into());
                }
                fields.values_mut().for_each(close);
            }
            Value::Array(items) => items.iter_mut().for_each(close),
            _ => {}
        }
    }
}
