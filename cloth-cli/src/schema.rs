//! `cloth schema`: the JSON schemas of what `cloth check` and `cloth simulate` write with `--json`.

use cloth_show::check::SCHEMA_VERSION;
use cloth_show::program::schema::{Document, write};
use cloth_show::program::{Failure, Status};
use cloth_show::run;

use crate::args::SchemaArgs;
use crate::commands::{check, simulate};

/// All documents.
fn documents() -> Vec<Document> {
    vec![
        Document {
            name: "check",
            call: "cloth check MESH... --json FILE",
            version: SCHEMA_VERSION,
            schema: check::schema(),
        },
        Document {
            name: "simulate",
            call: "cloth simulate SCENE.toml --json FILE",
            version: run::SCHEMA_VERSION,
            schema: simulate::schema(),
        },
    ]
}

/// Writes the documents.
pub(crate) fn run(args: &SchemaArgs) -> Result<Status, Failure> {
    write(documents(), &args.folder)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_documents_of_docs_schema_are_those_of_the_types() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema");
        let stale = cloth_show::program::schema::stale(documents(), &folder).expect("JSON");
        assert_eq!(stale, Vec::<String>::new(), "run `cargo xtask schema`");
    }
}
