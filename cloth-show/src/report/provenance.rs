//! Where a report comes from: which program, on which machine, when, and how it was called.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// What a report says of its own making, so that it can be identified and reproduced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Provenance {
    /// The version of the program.
    pub version: String,
    /// The commit that it was built from, with `-dirty` if sources were changed since; none if it was built
    /// without a repository.
    pub commit: Option<String>,
    /// The processor, as the system names it; the architecture where it has no name for it.
    pub cpu: String,
    /// Threads that the processor runs at once.
    pub logical_cpus: usize,
    /// When the report was made: `2026-01-31T12:00:00Z`.
    pub date: String,
    /// What the program was called with, its own name left out.
    pub arguments: Vec<String>,
}

impl Provenance {
    /// That of this process, with the version and the commit that the program knows of itself.
    #[must_use]
    pub fn of_this_run(version: &str, commit: Option<&str>) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            version: version.to_owned(),
            commit: commit.map(str::to_owned),
            cpu: cpu(),
            logical_cpus: std::thread::available_parallelism().map_or(1, usize::from),
            date: utc(since.as_secs()),
            arguments: std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect(),
        }
    }
}

/// The processor's name.
fn cpu() -> String {
    let linux = || {
        let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
        model_name(&text)
    };
    let windows = || std::env::var("PROCESSOR_IDENTIFIER").ok().filter(|name| !name.is_empty());
    linux().or_else(windows).unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

fn model_name(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    let name = line.split_once(':')?.1.split_whitespace().collect::<Vec<_>>().join(" ");
    (!name.is_empty()).then_some(name)
}

/// Seconds since 1970 as a date and a time in UTC.
pub(crate) fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days of a calendar whose years begin in March, so that the leap day is the last: 146,097 days are 400
    // years.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let [hour, minute, second] = [rest / 3600, rest / 60 % 60, rest % 60];
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let known = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ];
        for (seconds, expected) in known {
            assert_eq!(utc(seconds), expected);
        }
    }

    #[test]
    fn names_the_processor() {
        let text = "processor\t: 0\nmodel name\t: Some  CPU @ 2 GHz\nmodel name\t: other\n";
        assert_eq!(model_name(text).as_deref(), Some("Some CPU @ 2 GHz"));
        assert_eq!((model_name("model name :\n"), model_name("")), (None, None));
        assert!(!cpu().is_empty());
    }
}
