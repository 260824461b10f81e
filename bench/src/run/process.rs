//! Starts the process of a run, reads its events, and stops it when its time is over; or counts its
//! instructions.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use cloth_measure::callgrind;

use super::record::RunRecord;
use super::worker::{Event, WorkerArguments};
use crate::schema::Status;

/// How long a process may go on after its time limit: a worker looks at its clock only between two frames.
const GRACE: Duration = Duration::from_secs(5);

/// The function of the worker within which instructions are counted.
const MEASURED: &str = "cloth_bench::run::worker::timed_step";

/// Bytes of the standard error that are kept.
const KEPT_ERRORS: usize = 1 << 16;

/// Runs a job in a process of its own. Its quality is not judged yet.
///
/// # Errors
/// If the process cannot be started.
pub(super) fn run(arguments: &WorkerArguments) -> Result<RunRecord, String> {
    let started = Instant::now();
    let failed = |e| format!("cannot start a run: {e}");
    let mut worker = worker(arguments).map_err(failed)?;
    worker.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = worker.spawn().map_err(failed)?;
    let events = listen(&mut child);
    let errors = listen_to_errors(&mut child);
    let mut record = RunRecord::new(arguments.job.clone(), arguments.frames);
    let ended = collect(&events, started + arguments.limit + GRACE, &mut record);
    if ended == Ended::OutOfTime {
        // It may have ended meanwhile; then there is nothing to stop.
        drop(child.kill());
        record.status = Status::Stopped { after_s: started.elapsed().as_secs_f64() };
    }
    let exit = child.wait().map_err(failed)?;
    if ended == Ended::Silently {
        // The end of the process has closed its standard error.
        let last = errors.and_then(|thread| thread.join().ok()).and_then(|text| last_lines(&text));
        record.status =
            Status::Failed { error: last.unwrap_or_else(|| format!("the process ended: {exit}")) };
    }
    Ok(record)
}

/// Mean instructions of a frame, over the frames that the worker finished within its limit.
///
/// # Errors
/// If valgrind is not installed, or the run failed.
pub(super) fn count(arguments: &WorkerArguments) -> Result<f64, String> {
    let report = arguments.states.with_extension("callgrind");
    let worker = worker(arguments).map_err(|e| e.to_string())?;
    let counted = callgrind::count(&worker, MEASURED, &report);
    // The file need not exist.
    drop(std::fs::remove_file(&arguments.states));
    let counted = counted?;
    match frames(&counted.output) {
        0 => Err("no frame was finished".into()),
        frames => Ok(counted.instructions as f64 / frames as f64),
    }
}

/// The frames that a worker reports on its standard output.
fn frames(text: &str) -> usize {
    let events = text.lines().filter_map(|line| serde_json::from_str::<Event>(line).ok());
    events.filter(|event| matches!(event, Event::Frame { .. })).count()
}

fn worker(arguments: &WorkerArguments) -> std::io::Result<Command> {
    let mut worker = Command::new(std::env::current_exe()?);
    worker.arg("worker").arg(serde_json::to_string(arguments)?);
    Ok(worker)
}

/// The events of a process, read on a thread that ends with its output.
fn listen(child: &mut Child) -> Receiver<Event> {
    let (send, events) = channel();
    if let Some(out) = child.stdout.take() {
        std::thread::spawn(move || {
            let lines = BufReader::new(out).lines().map_while(Result::ok);
            // A library may print to the standard output; its lines are not events.
            for event in lines.filter_map(|line| serde_json::from_str::<Event>(&line).ok()) {
                if send.send(event).is_err() {
                    break;
                }
            }
        });
    }
    events
}

/// How the events of a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// The last event was seen.
    Properly,
    /// The process ended without its last event.
    Silently,
    /// They had not ended when the time was over.
    OutOfTime,
}

fn collect(events: &Receiver<Event>, deadline: Instant, record: &mut RunRecord) -> Ended {
    loop {
        match events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Event::Frame { time, peak_memory_bytes }) => {
                record.frames.push(time);
                record.peak_memory_bytes = peak_memory_bytes.or(record.peak_memory_bytes);
            }
            Ok(Event::End { status, stage_ms }) => {
                record.status = status;
                record.stage_ms = stage_ms;
                return Ended::Properly;
            }
            Err(RecvTimeoutError::Disconnected) => return Ended::Silently,
            Err(RecvTimeoutError::Timeout) => return Ended::OutOfTime,
        }
    }
}

/// The standard error of a process, read to its end on a thread, so that a process that says much does not
/// wait.
fn listen_to_errors(child: &mut Child) -> Option<JoinHandle<String>> {
    let errors = child.stderr.take()?;
    Some(std::thread::spawn(move || {
        let lines = BufReader::new(errors).lines().map_while(Result::ok);
        lines.fold(String::new(), |kept, line| {
            let from = if kept.len() > KEPT_ERRORS { String::new() } else { kept };
            from + &line + "\n"
        })
    }))
}

/// The last two lines, for example the place and the message of a panic.
fn last_lines(text: &str) -> Option<String> {
    let is_hint = |line: &&str| line.starts_with("note: run with `RUST_BACKTRACE");
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.is_empty() && !is_hint(l)).collect();
    (!lines.is_empty()).then(|| lines[lines.len().saturating_sub(2)..].join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::plan::Job;
    use crate::run::record::FrameTime;

    fn record() -> RunRecord {
        RunRecord::new(Job { scene: "pile".into(), side: 32, contender: "x".into(), run: 0 }, 3)
    }

    #[test]
    fn a_panic_is_told_by_its_last_lines() {
        let text = "warning\nthread 'main' panicked at a.rs:1:\nindex out of bounds\n\
                    note: run with `RUST_BACKTRACE=1`\n";
        assert_eq!(
            last_lines(text).as_deref(),
            Some("thread 'main' panicked at a.rs:1: index out of bounds")
        );
        assert_eq!(last_lines("\n"), None);
    }

    #[test]
    fn counts_the_frames_and_not_other_lines() {
        let frame = r#"{"event":"frame","time":{"wall":1.0,"cpu":null},"peak_memory_bytes":null}"#;
        assert_eq!(frames(&format!("a line of a library\n{frame}\n{frame}\n")), 2);
    }

    #[test]
    fn events_end_by_the_last_one_by_silence_or_by_the_clock() {
        let frame = Event::Frame { time: FrameTime { wall: 1.0, cpu: None }, peak_memory_bytes: Some(5) };
        let end = Event::End { status: Status::Stopped { after_s: 1.0 }, stage_ms: Default::default() };
        let soon = || Instant::now() + Duration::from_secs(20);
        let (send, events) = channel();
        send.send(frame.clone()).expect("sent");
        send.send(end).expect("sent");
        let mut all = record();
        assert_eq!(collect(&events, soon(), &mut all), Ended::Properly);
        assert_eq!((all.frames.len(), all.peak_memory_bytes), (1, Some(5)));
        assert_eq!(all.status, Status::Stopped { after_s: 1.0 });
        send.send(frame).expect("sent");
        assert_eq!(
            collect(&events, Instant::now() + Duration::from_millis(5), &mut record()),
            Ended::OutOfTime
        );
        drop(send);
        assert_eq!(collect(&events, soon(), &mut record()), Ended::Silently);
    }
}
