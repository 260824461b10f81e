//! What is run, and in which order.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::contenders;
use crate::scene::{SCENES, SIDES, Scene};
use crate::schema::Mode;

/// One run of a contender in a scene.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Name of the scene.
    pub scene: String,
    /// Vertices along its longer side.
    pub side: usize,
    /// Id of the contender.
    pub contender: String,
    /// Which run of it, from 0.
    pub run: usize,
}

impl Job {
    /// Whether it is another run of the same contender in the same scene, or the same run.
    #[must_use]
    pub fn is_same_cell(&self, other: &Self) -> bool {
        (&self.scene, self.side, &self.contender) == (&other.scene, other.side, &other.contender)
    }
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} run {}", self.scene, self.side, self.contender, self.run + 1)
    }
}

/// A benchmark: the matrix of scenes, sides and contenders, and its limits.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How much it is of the whole.
    pub mode: Mode,
    /// Names of scenes.
    pub scenes: Vec<String>,
    /// Vertices along the longer side.
    pub sides: Vec<usize>,
    /// Ids of contenders.
    pub contenders: Vec<String>,
    /// Runs of each contender in each scene.
    pub runs: usize,
    /// Runs at the largest side, where most runs end at their limit.
    pub runs_at_largest: usize,
    /// Most frames of a run; none for all of the scene.
    pub frames: Option<usize>,
    /// Time after which a run is stopped.
    pub limit: Duration,
    /// First frames whose instructions are counted, once for each contender at the smallest side; none to
    /// count nothing.
    pub counted_frames: Option<usize>,
    /// Time after which pass-throughs of a run are no longer counted.
    pub judge_limit: Duration,
    /// Time after which no further run is started.
    pub budget: Duration,
    /// Whether runs that were recorded by an earlier process of the same plan are kept.
    pub resume: bool,
    /// For the report.
    pub note: String,
}

impl Plan {
    /// The whole matrix: three runs of each (one at the largest side), at most three hours.
    #[must_use]
    pub fn full() -> Self {
        Self {
            mode: Mode::Full,
            scenes: SCENES.map(String::from).to_vec(),
            sides: SIDES.to_vec(),
            contenders: contenders::all().iter().map(|c| c.describe().id).collect(),
            runs: 3,
            runs_at_largest: 1,
            frames: None,
            limit: Duration::from_secs(120),
            counted_frames: Some(10),
            judge_limit: Duration::from_secs(60),
            budget: Duration::from_secs(3 * 3600),
            resume: false,
            note: String::new(),
        }
    }

    /// The smallest side, the first frames, one run of each: a few minutes.
    #[must_use]
    pub fn quick() -> Self {
        Self {
            mode: Mode::Quick,
            sides: vec![SIDES[0]],
            runs: 1,
            frames: Some(60),
            limit: Duration::from_secs(8),
            counted_frames: None,
            judge_limit: Duration::from_secs(5),
            budget: Duration::from_secs(240),
            ..Self::full()
        }
    }

    /// Checks names and numbers before anything is run.
    ///
    /// # Errors
    /// If a scene or a contender is unknown, or nothing would be run.
    pub fn check(&self) -> Result<(), String> {
        let known: Vec<String> = contenders::all().iter().map(|c| c.describe().id).collect();
        if let Some(id) = self.contenders.iter().find(|id| !known.contains(id)) {
            return Err(format!("there is no contender `{id}`; use one of {}", known.join(", ")));
        }
        let counts = [
            ("the number of runs", self.runs.min(self.runs_at_largest)),
            ("the number of scenes", self.scenes.len()),
            ("the number of sides", self.sides.len()),
            ("the number of contenders", self.contenders.len()),
            ("the number of frames", self.frames.unwrap_or(1)),
        ];
        if let Some((what, _)) = counts.iter().find(|c| c.1 == 0) {
            return Err(format!("{what} must be at least 1"));
        }
        for (scene, &side) in self.scenes.iter().flat_map(|s| self.sides.iter().map(move |n| (s, n))) {
            Scene::new(scene, side)?;
        }
        Ok(())
    }

    /// All runs: rounds outermost, contenders innermost, small sides first, so that an ended benchmark has
    /// measured all scenes.
    #[must_use]
    pub fn jobs(&self) -> Vec<Job> {
        let mut sides = self.sides.clone();
        sides.sort_unstable();
        let mut jobs = Vec::new();
        for run in 0..self.runs {
            let sides = sides.iter().filter(|&&side| run < self.runs_of(side));
            for (&side, scene) in sides.flat_map(|n| self.scenes.iter().map(move |s| (n, s))) {
                jobs.extend(self.contenders.iter().map(|contender| Job {
                    scene: scene.clone(),
                    side,
                    contender: contender.clone(),
                    run,
                }));
            }
        }
        jobs
    }

    fn runs_of(&self, side: usize) -> usize {
        let is_largest = self.sides.len() > 1 && self.sides.iter().max() == Some(&side);
        if is_largest { self.runs_at_largest } else { self.runs }
    }

    /// Frames of a run.
    ///
    /// # Errors
    /// If the scene cannot be built.
    pub fn frames_of(&self, job: &Job) -> Result<usize, String> {
        let frames = Scene::new(&job.scene, job.side)?.setup.frames;
        Ok(self.frames.map_or(frames, |most| frames.min(most)))
    }

    /// Frames of a run whose instructions are counted; none if it is not the run that counts.
    ///
    /// # Errors
    /// If the scene cannot be built.
    pub fn counted_frames_of(&self, job: &Job) -> Result<Option<usize>, String> {
        let counts = job.run == 0 && self.sides.iter().min() == Some(&job.side);
        let Some(most) = self.counted_frames.filter(|_| counts) else { return Ok(None) };
        Ok(Some(self.frames_of(job)?.min(most)))
    }

    /// What recorded runs must have been measured with to be a part of this plan.
    #[must_use]
    pub fn stamp(&self) -> String {
        let frames = self.frames.map_or("all".into(), |n| n.to_string());
        let commit = super::machine::commit().unwrap_or_default();
        format!("commit {commit}, frames {frames}, limit {} s", self.limit.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_alternate_between_the_contenders_of_a_scene() {
        let plan = Plan { runs: 2, contenders: vec!["a".into(), "b".into()], ..Plan::quick() };
        let jobs = plan.jobs();
        assert_eq!(jobs.len(), 2 * 5 * 2);
        let contenders: Vec<&str> = jobs.iter().map(|j| j.contender.as_str()).collect();
        assert!(contenders.chunks(2).all(|pair| pair == ["a", "b"]));
        assert!(jobs[..10].iter().all(|j| j.run == 0) && jobs[10..].iter().all(|j| j.run == 1));
    }

    #[test]
    fn the_largest_side_is_run_once_unless_it_is_the_only_one() {
        let count = |sides: &[usize], side: usize| {
            let plan = Plan { sides: sides.to_vec(), ..Plan::full() };
            plan.jobs()
                .iter()
                .filter(|j| j.side == side && j.scene == "pile" && j.contender == "cloth")
                .count()
        };
        assert_eq!((count(&[32, 64, 128], 64), count(&[32, 64, 128], 128)), (3, 1));
        assert_eq!(count(&[128], 128), 3);
    }

    #[test]
    fn small_sides_come_first() {
        let jobs = Plan { sides: vec![64, 32], runs: 1, ..Plan::full() }.jobs();
        assert!(jobs.windows(2).all(|pair| pair[0].side <= pair[1].side));
    }

    #[test]
    fn instructions_are_counted_once_at_the_smallest_side() {
        let plan = Plan { sides: vec![64, 32], runs: 2, contenders: vec!["a".into()], ..Plan::full() };
        let counted = |job: &Job| plan.counted_frames_of(job).expect("a scene");
        let jobs = plan.jobs();
        assert!(jobs.iter().all(|j| counted(j).is_some() == (j.side == 32 && j.run == 0)));
        assert_eq!(counted(&jobs[0]), plan.counted_frames);
        assert_eq!(Plan::quick().counted_frames_of(&jobs[0]).expect("a scene"), None);
    }

    #[test]
    fn unknown_names_and_empty_plans_are_refused() {
        let check = |plan: Plan| plan.check().expect_err("refused");
        assert!(check(Plan { contenders: vec!["x".into()], ..Plan::quick() }).contains("rapier3d"));
        assert!(check(Plan { scenes: vec!["x".into()], ..Plan::quick() }).contains("drape-sphere"));
        assert!(check(Plan { runs: 0, ..Plan::quick() }).contains("runs"));
        assert!(Plan::quick().check().is_ok());
    }
}
