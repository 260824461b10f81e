//! The states of a character: its bind pose, and its clips, sampled at a fixed rate.

use std::sync::Arc;

use cloth_character::{Character, Clip, Pose};
use cloth_geom::TriMesh;
use nalgebra::Point3;

/// Which states of a character are judged.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipChoice {
    /// The names of the clips; all of them if there are none.
    pub names: Vec<String>,
    /// States of a second of a clip.
    pub rate: f64,
    /// Whether the bind pose comes before the clips; without clips it is the only state.
    pub bind_pose: bool,
}

impl Default for ClipChoice {
    fn default() -> Self {
        Self { names: Vec::new(), rate: 30.0, bind_pose: true }
    }
}

/// More states are of no clip that an exporter wrote: that of an hour has 108,000.
const MAX_STATES: f64 = 1e6;

/// A character with the states that are judged: state 0 is the bind pose if it is wanted or there is no clip,
/// the others are those of clips. A cut leads to the first state of each.
#[derive(Clone, Debug)]
pub(super) struct SkinnedStates {
    character: Arc<Character>,
    /// For each vertex of the surface of all meshes, the first mesh and its vertex that are there.
    sources: Vec<[usize; 2]>,
    faces: Vec<[u32; 3]>,
    /// The clips that are judged, by their numbers.
    clips: Vec<usize>,
    /// The first state of each clip, and the end of the last.
    starts: Vec<usize>,
    rate: f64,
}

impl SkinnedStates {
    /// The error is a sentence.
    pub(super) fn new(character: impl Into<Arc<Character>>, choice: &ClipChoice) -> Result<Self, String> {
        let character = character.into();
        let &ClipChoice { ref names, rate, bind_pose } = choice;
        let clips: Vec<usize> = match names.as_slice() {
            [] => (0..character.clips.len()).collect(),
            names => {
                let found = names.iter().map(|name| character.find_clip(name));
                found.collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?
            }
        };
        let mut starts = vec![usize::from(bind_pose || clips.is_empty())];
        for &clip in &clips {
            let clip = &character.clips[clip];
            let end = starts[starts.len() - 1] as f64 + step_count(clip, rate) + 1.0;
            if end > MAX_STATES {
                let name = clip.name();
                return Err(format!(
                    "clip {name:?} is too long for {rate} states a second; export a shorter one"
                ));
            }
            starts.push(end as usize);
        }
        let numbers = character.join_meshes();
        let (mut sources, mut faces) = (Vec::new(), Vec::new());
        for (mesh, numbers) in numbers.iter().enumerate() {
            for (vertex, &number) in numbers.iter().enumerate() {
                // Numbers are given in this order.
                if number as usize == sources.len() {
                    sources.push([mesh, vertex]);
                }
            }
            let number = |v: u32| numbers.get(v as usize).copied();
            let own = character.meshes[mesh].faces.iter();
            faces.extend(own.filter_map(|&[a, b, c]| Some([number(a)?, number(b)?, number(c)?])));
        }
        Ok(Self { character, sources, faces, clips, starts, rate })
    }

    pub(super) fn character(&self) -> Arc<Character> {
        Arc::clone(&self.character)
    }

    /// The surface in its bind pose.
    pub(super) fn mesh(&self) -> TriMesh {
        TriMesh::new(self.positions(0), self.faces.clone())
    }

    pub(super) fn state_count(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    pub(super) fn cuts(&self) -> &[usize] {
        let first = usize::from(self.starts[0] == 0).min(self.clips.len());
        &self.starts[first..self.clips.len()]
    }

    /// Where the vertices are in a state, rounded to `f32`, in which viewers compute them.
    pub(super) fn positions(&self, state: usize) -> Vec<Point3<f64>> {
        let (mut world, mut matrices) = (Vec::new(), Vec::new());
        self.character.skeleton.compute_world(&self.pose(state), &mut world);
        let deformed = self.character.meshes.iter().map(|mesh| {
            mesh.skin.compute_matrices(&world, &mut matrices);
            let mut positions = vec![Point3::origin(); mesh.skin.len()];
            // As many positions as the skin has vertices, and its own matrices.
            let written = mesh.skin.deform_positions(&matrices, &mut positions);
            debug_assert!(written.is_ok(), "{written:?}");
            positions
        });
        let deformed: Vec<Vec<Point3<f32>>> = deformed.collect();
        self.sources.iter().map(|&[mesh, vertex]| deformed[mesh][vertex].cast()).collect()
    }

    fn pose(&self, state: usize) -> Pose {
        let played = self.clips.iter().zip(&self.starts).rfind(|(_, start)| **start <= state);
        let Some((&clip, start)) = played else { return self.character.bind_pose() };
        let clip = &self.character.clips[clip];
        let time = clip.start() + (state - start) as f64 / self.rate;
        let mut pose = Pose::default();
        clip.sample(&self.character.skeleton, time.min(clip.duration()), &mut pose);
        pose
    }

    /// What the states are, a sentence each.
    pub(super) fn in_words(&self) -> Vec<String> {
        let pose = "vertices that always move together are counted once";
        if self.clips.is_empty() {
            return vec![format!("this is the bind pose; {pose}")];
        }
        let bind = if self.starts[0] == 0 { "" } else { "frame 0 is the bind pose; " };
        let first = format!("{bind}clips have {} frames a second; {pose}", self.rate);
        let clip = |(&clip, ends): (&usize, &[usize])| {
            format!("frames {} to {} are clip {:?}", ends[0], ends[1] - 1, self.character.clips[clip].name())
        };
        [first].into_iter().chain(self.clips.iter().zip(self.starts.windows(2)).map(clip)).collect()
    }
}

/// Steps from the first state of a clip to its end, which the last may fall short of by rounding.
fn step_count(clip: &Clip, rate: f64) -> f64 {
    (clip.length() * rate - 1e-6).ceil().max(0.0)
}

#[cfg(test)]
mod tests {
    use cloth_character::{
        ChannelDescription, ChannelValues, CharacterMesh, Interpolation, Joint, Skeleton, SkinDescription,
    };
    use nalgebra::Vector3;

    use super::*;

    /// A triangle that a clip of so many seconds moves 1 m along x.
    fn character(seconds: &[f64]) -> Character {
        let skeleton = Skeleton::new(vec![Joint::default()]).unwrap();
        let clips = seconds.iter().enumerate().map(|(k, &end)| {
            let channel = ChannelDescription {
                joint: 0,
                times: vec![0.0, end],
                interpolation: Interpolation::Linear,
                values: ChannelValues::Translation(vec![Vector3::zeros(), Vector3::x()]),
            };
            Clip::new(format!("c{k}"), vec![channel], 1).unwrap()
        });
        let skin = SkinDescription {
            positions: [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from).to_vec(),
            joints: vec![0],
            influences: 1,
            entries: vec![0; 3],
            weights: vec![1.0; 3],
            ..SkinDescription::default()
        };
        let mesh = CharacterMesh {
            skin: skin.build(1).unwrap(),
            faces: vec![[0, 1, 2]],
            ..CharacterMesh::default()
        };
        Character { clips: clips.collect(), skeleton, meshes: vec![mesh] }
    }

    #[test]
    fn states_are_the_bind_pose_and_clips_at_their_rate() {
        let states = SkinnedStates::new(character(&[0.1, 0.05]), &ClipChoice::default()).unwrap();
        assert_eq!((states.state_count(), states.cuts()), (8, &[1, 5][..]));
        let x: Vec<f64> = (0..8).map(|state| (states.positions(state)[0].x * 1e4).round() / 1e4).collect();
        assert_eq!(x, [0.0, 0.0, 0.3333, 0.6667, 1.0, 0.0, 0.6667, 1.0]);
        assert_eq!(
            states.in_words()[1..],
            ["frames 1 to 4 are clip \"c0\"", "frames 5 to 7 are clip \"c1\""]
        );
        let one = ClipChoice { names: vec!["c1".to_owned()], ..ClipChoice::default() };
        let chosen = SkinnedStates::new(states.character(), &one).unwrap();
        assert_eq!((chosen.state_count(), chosen.cuts()), (4, &[1][..]));
        let body = ClipChoice { rate: 60.0, bind_pose: false, ..one };
        let chosen = SkinnedStates::new(states.character(), &body).unwrap();
        assert_eq!((chosen.state_count(), chosen.cuts()), (4, &[][..]));
        assert_eq!((chosen.positions(0)[0].x, chosen.positions(3)[0].x), (0.0, 1.0));
        assert_eq!(
            SkinnedStates::new(character(&[]), &ClipChoice { bind_pose: false, ..ClipChoice::default() })
                .unwrap()
                .state_count(),
            1
        );
    }

    #[test]
    fn refuses_clips_without_end_and_clips_that_are_missing() {
        let error = SkinnedStates::new(character(&[1.0, 1e300]), &ClipChoice::default()).unwrap_err();
        assert!(error.contains("\"c1\" is too long"), "{error}");
        let walk = ClipChoice { names: vec!["Walk".to_owned()], ..ClipChoice::default() };
        let error = SkinnedStates::new(character(&[1.0]), &walk).unwrap_err();
        assert!(error.contains("Walk") && error.contains("c0"), "{error}");
    }
}
