//! Which faces of a garment something is about.

/// Which faces of a garment something is about.
#[derive(Clone, Debug, PartialEq)]
pub enum FacePlace {
    /// Those of the groups (`g`, `o`) of this name in the mesh file, or where there is none, of the material
    /// (`usemtl`).
    Group(String),
    /// Those whose corners are all among these vertices, counted from 0 in the order of the file.
    Vertices(Vec<u32>),
    /// Those whose corners all start in this closed box (m), once the garment is placed.
    Box {
        /// Its least corner.
        min: [f64; 3],
        /// Its greatest corner.
        max: [f64; 3],
    },
}

/// The keys of a place, as tables have them in addition to their own.
#[derive(Default)]
pub(crate) struct FaceKeys {
    pub(crate) group: Option<String>,
    pub(crate) vertices: Option<Vec<u32>>,
    pub(crate) min: Option<[f64; 3]>,
    pub(crate) max: Option<[f64; 3]>,
}

impl FaceKeys {
    /// The place; `None` without any key.
    ///
    /// # Errors
    /// If the keys are of several places, or of a part of one.
    pub(crate) fn place(self) -> Result<Option<FacePlace>, String> {
        match (self.group, self.vertices, self.min, self.max) {
            (None, None, None, None) => Ok(None),
            (Some(group), None, None, None) => Ok(Some(FacePlace::Group(group))),
            (None, Some(vertices), None, None) => Ok(Some(FacePlace::Vertices(vertices))),
            (None, None, Some(min), Some(max)) if (0..3).any(|k| min[k] > max[k]) => {
                Err(format!("must have `min` below `max`, found {min:?} and {max:?}"))
            }
            (None, None, Some(min), Some(max)) => Ok(Some(FacePlace::Box { min, max })),
            _ => Err("must have only one of `group`, `vertices`, and `min` with `max`".to_owned()),
        }
    }
}

impl From<FacePlace> for FaceKeys {
    fn from(place: FacePlace) -> Self {
        match place {
            FacePlace::Group(group) => Self { group: Some(group), ..Self::default() },
            FacePlace::Vertices(vertices) => Self { vertices: Some(vertices), ..Self::default() },
            FacePlace::Box { min, max } => Self { min: Some(min), max: Some(max), ..Self::default() },
        }
    }
}
