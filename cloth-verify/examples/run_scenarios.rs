//! Runs scenarios and prints the table; with a directory, writes the report there, with pictures if the
//! feature `render` is enabled.
//!
//! `cargo run --release -p cloth-verify --features render --example run_scenarios -- [SIZE [DIR
//! [SCENARIO...]]]`

use cloth_verify::{Size, VerifyEvent, VerifyOptions, report, verify};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let size = arguments.next().map_or(Ok(Size::Small), |word| word.parse())?;
    let directory = arguments.next();
    let scenarios = arguments.collect();
    let pictures = directory.is_some() && cfg!(feature = "render");
    let mut options = VerifyOptions { scenarios, size, ..VerifyOptions::default() };
    options.run.pictures = pictures;
    let outcome = verify(&options, &mut |event| {
        if let VerifyEvent::Verdict { report, .. } = event {
            eprintln!("{}: {}", report.run.name, if report.run.pass { "pass" } else { "FAIL" });
        }
    })?;
    print!("{}", report::table(&outcome.report));
    if let Some(directory) = directory {
        let page = report::write_report(
            directory.as_ref(),
            &outcome.report,
            &outcome.pictures,
            &outcome.recordings,
        )?;
        println!("{}", page.display());
    }
    Ok(())
}
