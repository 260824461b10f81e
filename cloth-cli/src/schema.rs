//! `cloth schema`: the JSON schema of every `--json` of this program.

use cloth_show::check::SCHEMA_VERSION;
use cloth_show::program::schema::{Document, write};
use cloth_show::program::{Failure, Status};

use crate::args::SchemaArgs;
use crate::commands::{ccd, check, cull, pairs, simulate, untangle};

/// All documents.
fn documents() -> Vec<Document> {
    let document = |name, call, version, schema| Document { name, call, version: Some(version), schema };
    let own = SCHEMA_VERSION;
    vec![
        document("check", "cloth check MESH... --json FILE", own, check::schema()),
        document(
            "check-outfit",
            "cloth check GARMENT... --body BODY --json FILE",
            own,
            check::outfit_schema(),
        ),
        document("ccd", "cloth ccd QUERIES... --json FILE", own, ccd::schema()),
        document("ccd-candidates", "cloth ccd --candidates --json FILE", own, ccd::candidates_schema()),
        document("cull", "cloth cull MESH... --json FILE", own, cull::schema()),
        document("pairs", "cloth pairs --json FILE", own, pairs::schema()),
        document("untangle", "cloth untangle IN OUT.obj --json FILE", own, untangle::schema()),
        document(
            "simulate",
            "cloth simulate SCENE.toml --json FILE",
            simulate::SCHEMA_VERSION,
            simulate::schema(),
        ),
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
