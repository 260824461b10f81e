//! Scene files: the example that shows every key, round trips, and errors that name line, key and fix.

mod build;
mod model;
mod rigid;
mod timed_pins;

use std::collections::BTreeSet;
use std::path::Path;

use cloth_scene::{
    BendRest, Body, FaceMaterial, FacePlace, Pin, PinPlace, Placing, Rest, Scene, SceneSource, Shape,
    Stitches, Up, VertexAnimation,
};
use cloth_solver::{ContactSource, FaceContacts, Gusts, Material, Settings, Teleport};
use nalgebra::Vector3;

const EXAMPLE: &str = include_str!("../../examples/scene.toml");

fn parse(text: &str) -> Result<Scene, String> {
    Scene::parse(Path::new("scene.toml"), text).map_err(|e| e.to_string())
}

/// A scene with `text` in its only garment.
fn error_of_garment(text: &str) -> String {
    parse(&format!("[[garment]]\nmesh = \"a.obj\"\n{text}")).unwrap_err()
}

fn error_of_body(text: &str) -> String {
    parse(&format!("[[garment]]\nmesh = \"a.obj\"\n[[body]]\n{text}")).unwrap_err()
}

fn with_model(model: &str) -> Result<Scene, String> {
    parse(&format!("[settings]\nmodel = {model}\n[[garment]]\nmesh = \"a.obj\""))
}

fn error_of_model(model: &str) -> String {
    with_model(model).unwrap_err()
}

#[test]
fn a_scale_is_the_unit_unless_one_is_given() {
    let of = |keys: &str| {
        let scene = parse(&format!("[[garment]]\nmesh = \"a.obj\"\n{keys}")).unwrap();
        (scene.garments[0].file_unit(), scene.garments[0].metres_per_unit())
    };
    assert_eq!(of(""), (1.0, 1.0));
    assert_eq!(of("scale = 0.5"), (0.5, 0.5));
    assert_eq!(of("unit = 0.25"), (0.25, 0.25));
    assert_eq!(of("unit = 0.25\nscale = 2"), (0.25, 0.5));
}

#[test]
fn arrays_are_named_for_garments_and_mesh_bodies_alone() {
    let scene = "[[garment]]\nmesh = \"a.npz\"\narrays = \"v,f\"\n\
                 [[body]]\nkind = \"mesh\"\npath = \"b.npz\"\narrays = \"v\"";
    let scene = parse(scene).unwrap();
    let names = |words: &str| Some(words.parse().unwrap());
    assert_eq!(scene.garments[0].arrays, names("v,f"));
    assert!(matches!(&scene.bodies[0].shape, Shape::Mesh { arrays, .. } if *arrays == names("v")));
    assert_eq!(parse(&toml::to_string(&scene).unwrap()).unwrap(), scene);
    assert!(error_of_garment("arrays = \"a,b,c\"").contains("POSITIONS,FACES"));
    assert!(error_of_body("kind = \"plane\"\narrays = \"v\"").contains("`arrays`"));
}

#[test]
fn parses_the_example_that_shows_every_key() {
    let scene = parse(EXAMPLE).unwrap();
    assert_eq!(scene.dt, 1.0 / 60.0);
    let band = &scene.garments[0];
    assert_eq!((band.up, &band.rest, band.material), (Up::Z, &Rest::Uv, Material::COTTON));
    assert_eq!((band.unit, band.scale, band.place), (Some(0.01), 1.0, Placing::AsIs));
    assert_eq!(band.bend_rest, Some(BendRest::Flat));
    let hem = FaceMaterial { faces: FacePlace::Group("hem".into()), material: Material::DENIM };
    assert_eq!(band.face_materials, [hem]);
    assert_eq!(band.pins[0], PinPlace::Vertex(162).into());
    assert_eq!(band.pins[2].place, PinPlace::Nearest { nearest: [0.2, 0.75, 0.0] });
    let cape = &scene.garments[1];
    assert_eq!(cape.stitches, Stitches::File("cape_seams.txt".into()));
    assert_eq!((cape.material.bend, cape.material.damping), (1e-5, 2e-3));
    assert_eq!(cape.material.stretch_weft, 500.0);
    assert_eq!(scene.bodies.len(), 6);
    assert!(matches!(
        &scene.bodies[1],
        Body { shape: Shape::Sphere { radius: 0.15, .. }, motion, .. } if motion.len() == 2
    ));
    let guarded: Vec<usize> = (0..6).filter(|&i| scene.bodies[i].is_guarded).collect();
    assert_eq!(guarded, [2], "the capsule");
    let rigid: Vec<usize> = (0..6).filter(|&i| scene.bodies[i].dynamics.is_some()).collect();
    assert_eq!(rigid, [3], "the box");
    let wind = scene.settings.wind;
    assert_eq!((wind.lift, wind.gusts.unwrap().seed), (0.3, 7));
    assert_eq!(scene.output.unwrap().pictures.unwrap().size, [640, 480]);
}

#[test]
fn the_example_leaves_no_key_out() {
    let bogus = "zzzzzzzzzzzzzzzz";
    let shown: BTreeSet<&str> =
        EXAMPLE.split(|c: char| !c.is_ascii_lowercase() && c != '_' && c != '-').collect();
    // Every table, with a key that is near to none, so that the error lists all that are known.
    let errors = [
        parse(&format!("{bogus} = 1")).unwrap_err(),
        parse(&format!("[settings]\n{bogus} = 1")).unwrap_err(),
        parse(&format!("garment = []\n[settings]\nteleport = {{ {bogus} = 1 }}")).unwrap_err(),
        error_of_model(&format!("\"{bogus}\"")),
        error_of_model(&format!("{{ kind = \"fem\", {bogus} = 1 }}")),
        error_of_model(&format!("{{ kind = \"fem\", strain = \"{bogus}\" }}")),
        error_of_model(&format!("{{ kind = \"fem\", assembly = \"{bogus}\" }}")),
        error_of_model(&format!("{{ kind = \"fem\", integrator = \"{bogus}\" }}")),
        error_of_model(&format!("{{ kind = \"fem\", strain_limit = {{ {bogus} = 1 }} }}")),
        error_of_model(&format!("{{ kind = \"fem\", stiffening = {{ {bogus} = 1 }} }}")),
        error_of_model(&format!("{{ kind = \"fem\", stiffening = {{ weft = [{{ {bogus} = 1 }}] }} }}")),
        parse(&format!("garment = []\n[wind]\n{bogus} = 1")).unwrap_err(),
        parse(&format!("garment = []\n[wind]\ngusts = {{ {bogus} = 1 }}")).unwrap_err(),
        parse(&format!("garment = []\n[output]\n{bogus} = 1")).unwrap_err(),
        parse(&format!("garment = []\n[output]\npictures = {{ {bogus} = 1 }}")).unwrap_err(),
        error_of_garment(&format!("{bogus} = 1")),
        error_of_garment(&format!("rotate = {{ {bogus} = 1 }}")),
        error_of_garment(&format!("material = {{ {bogus} = 1 }}")),
        error_of_garment(&format!("material = \"{bogus}\"")),
        error_of_garment(&format!("pins = [{{ {bogus} = 1 }}]")),
        error_of_garment(&format!("regions = [{{ {bogus} = 1 }}]")),
        error_of_garment(&format!("face_materials = [{{ {bogus} = 1 }}]")),
        parse(&format!("garment = []\n[[interaction]]\n{bogus} = 1")).unwrap_err(),
        error_of_body(&format!("kind = \"{bogus}\"")),
        error_of_body(&format!("{bogus} = 1")),
        error_of_body(&format!("motion = [{{ {bogus} = 1 }}]")),
    ];
    for error in errors {
        let (_, known) = error.split_once("known are: ").unwrap_or_else(|| panic!("{error}"));
        for key in known.split(", ") {
            assert!(shown.contains(key), "{key} of: {error}");
        }
    }
}

#[test]
fn teleports_are_on_and_have_a_table_or_false() {
    let with = |key: &str| parse(&format!("[settings]\n{key}\n[[garment]]\nmesh = \"a.obj\""));
    let of = |key| with(key).unwrap().settings.teleport;
    let default = Teleport::default();
    assert_eq!([of(""), of("teleport = true"), of("teleport = {}")], [Some(default); 3]);
    assert_eq!(of("teleport = false"), None);
    let own = of("teleport = { metres = 0.5, degrees = 180 }").unwrap();
    assert_eq!((own.metres, own.sides, own.speed), (0.5, default.sides, default.speed));
    assert!((own.angle - std::f32::consts::PI).abs() < 1e-6, "{own:?}");
    for (key, words) in [
        ("teleport = { metre = 1 }", ["scene.toml:2:", "`metre`", "did you mean `metres`?"]),
        ("teleport = { speed = -1 }", ["scene.toml:2:", "speed", "-1"]),
        ("teleport = 3", ["scene.toml:2:", "teleport", "false, or a table of `metres`"]),
    ] {
        let error = with(key).unwrap_err();
        assert!(words.iter().all(|word| error.contains(word)), "{key}: {error}");
    }
}

#[test]
fn writes_a_scene_that_parses_to_the_same() {
    let scene = parse(EXAMPLE).unwrap();
    assert_eq!(parse(&scene.to_toml().unwrap()).unwrap(), scene);
    let least = parse("[[garment]]\nmesh = \"a.obj\"").unwrap();
    assert_eq!(parse(&least.to_toml().unwrap()).unwrap(), least);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("scene.toml");
    scene.write(&path).unwrap();
    assert_eq!(Scene::read(&path).unwrap(), scene);
}

#[test]
fn a_mesh_moves_by_keyframes_or_by_a_file() {
    let body = |keys: &str| parse(&format!("[[garment]]\nmesh = \"a.obj\"\n[[body]]\n{keys}"));
    let scene = body("kind = \"mesh\"\npath = \"b.obj\"\nmotion = \"b.pc2\"\nmotion_fps = 24").unwrap();
    let expected = VertexAnimation { path: "b.pc2".into(), fps: Some(24.0), start: 0.0 };
    assert_eq!(scene.bodies[0].animation, Some(expected));
    assert!(scene.bodies[0].motion.is_empty());
    assert_eq!(parse(&scene.to_toml().unwrap()).unwrap(), scene);
    let error = error_of_body("kind = \"sphere\"\ncenter = [0, 0, 0]\nradius = 1\nmotion = \"b.pc2\"");
    assert!(error.contains("has no vertices that a file could move"), "{error}");
    let error = error_of_body("kind = \"mesh\"\npath = \"b.obj\"\nmotion_fps = 24");
    assert!(error.contains("the path of a file in `motion`"), "{error}");
    let error = error_of_body("kind = \"mesh\"\npath = \"b.obj\"\nmotion = \"b\"\nmotion_fps = 0");
    assert!(error.contains("must be positive"), "{error}");
    assert!(
        error_of_body("kind = \"mesh\"\npath = \"b.obj\"\nmotion = 3")
            .contains("list of keyframes or the path")
    );
}

#[test]
fn a_pin_may_follow_a_body() {
    let pins = |text: &str| parse(&format!("[[garment]]\nmesh = \"a.obj\"\npins = [{text}]"));
    let scene = pins(
        "3, { vertex = 4 }, { vertex = 5, follow = \"body\" }, { nearest = [1, 2, 3], follow = \"arm\" }",
    )
    .unwrap();
    let found = &scene.garments[0].pins;
    assert_eq!(found[..2], [PinPlace::Vertex(3).into(), PinPlace::Vertex(4).into()]);
    assert_eq!(found[2], Pin { follow: Some("body".into()), ..PinPlace::Vertex(5).into() });
    assert_eq!(found[3].follow.as_deref(), Some("arm"));
    assert_eq!(parse(&scene.to_toml().unwrap()).unwrap(), scene);
    for text in ["{ follow = \"body\" }", "{ vertex = 1, nearest = [1, 2, 3] }"] {
        assert!(
            pins(text)
                .unwrap_err()
                .contains("one of `vertex`, `min` and `max`, `nearest`, `loop`, `group` and `file`")
        );
    }
}

#[test]
fn a_pin_may_be_a_boundary_a_group_or_a_list() {
    let text = "[[garment]]\nmesh = \"a.obj\"\npins = [{ loop = [1, 2, 3] }, { group = \"hem\", follow = \
                \"body\" }, { file = \"pins.txt\" }]";
    let scene = parse(text).unwrap();
    let found: Vec<&PinPlace> = scene.garments[0].pins.iter().map(|pin| &pin.place).collect();
    let expected = [
        PinPlace::Loop { near: [1.0, 2.0, 3.0] },
        PinPlace::Group("hem".into()),
        PinPlace::File("pins.txt".into()),
    ];
    assert!(found.into_iter().eq(&expected));
    assert_eq!(parse(&scene.to_toml().unwrap()).unwrap(), scene);
}

#[test]
fn a_fabric_of_faces_is_of_a_group_a_box_or_vertices() {
    let text = "[[garment]]\nmesh = \"a.obj\"\n[[garment.face_materials]]\ngroup = \"cuff\"\nmaterial = \
                \"denim\"\n\
                [[garment.face_materials]]\nmin = [0, 0, 0]\nmax = [1, 2, 3]\nmaterial = \"silk\"\n\
                [[garment.face_materials]]\nvertices = [3, 1, 2]\n\
                material = { density = 0.25, stretch = 10, shear = 1, bend = 0 }\n";
    let scene = parse(text).unwrap();
    let own = Material {
        density: 0.25,
        stretch_warp: 10.0,
        stretch_weft: 10.0,
        shear: 1.0,
        bend: 0.0,
        damping: 0.0,
    };
    let in_box = FacePlace::Box { min: [0.0; 3], max: [1.0, 2.0, 3.0] };
    let expected = [
        FaceMaterial { faces: FacePlace::Group("cuff".into()), material: Material::DENIM },
        FaceMaterial { faces: in_box, material: Material::SILK },
        FaceMaterial { faces: FacePlace::Vertices(vec![3, 1, 2]), material: own },
    ];
    assert_eq!(scene.garments[0].face_materials, expected);
    assert_eq!(parse(&scene.to_toml().unwrap()).unwrap(), scene);
}

#[test]
fn a_fabric_of_faces_that_is_unclear_is_refused_where_it_stands() {
    let error = |entry: &str| error_of_garment(&format!("face_materials = [\n  {{ {entry} }},\n]"));
    assert_eq!(
        error("group = \"cuff\", material = \"denin\""),
        "scene.toml:4:32: unknown word `denin` for `garment.face_materials.material`; did you mean `denim`?"
    );
    assert_eq!(
        error("grop = \"cuff\", material = \"denim\""),
        "scene.toml:4:5: unknown key `grop` in [garment.face_materials]; did you mean `group`?"
    );
    assert!(error("group = \"cuff\"").contains("missing key `material` in [garment.face_materials]"));
    let density = error("group = \"a\", material = { density = 0, stretch = 1, shear = 1, bend = 1 }");
    assert!(
        density.starts_with("scene.toml:4:41: `garment.face_materials.material.density` must be"),
        "{density}"
    );
    for (entry, wanted) in [
        ("material = \"silk\"", "must have one of `group`, `vertices`, and `min` with `max`"),
        ("group = \"a\", vertices = [1], material = \"silk\"", "must have only one of `group`"),
        ("min = [0, 0, 0], material = \"silk\"", "must have only one of `group`"),
        ("min = [1, 0, 0], max = [0, 0, 0], material = \"silk\"", "must have `min` below `max`"),
    ] {
        let found = error(entry);
        assert!(found.starts_with("scene.toml:4:3: `garment.face_materials` must"), "{found}");
        assert!(found.contains(wanted), "{found}");
    }
}

#[test]
fn a_weld_distance_of_zero_is_not_none() {
    let of = |key: &str| parse(&format!("[[garment]]\nmesh = \"a.obj\"\n{key}")).unwrap();
    assert_eq!(of("").garments[0].weld_distance, None);
    let zero = of("weld_distance = 0");
    assert_eq!(zero.garments[0].weld_distance, Some(0.0));
    assert_eq!(parse(&zero.to_toml().unwrap()).unwrap(), zero);
}

#[test]
fn a_pin_may_be_a_spring() {
    let pins = |text: &str| parse(&format!("[[garment]]\nmesh = \"a.obj\"\npins = [{text}]"));
    let scene =
        pins("{ vertex = 4, compliance = 0.001 }, { nearest = [1, 2, 3], follow = \"arm\", compliance = 0 }");
    let scene = scene.unwrap();
    let found = &scene.garments[0].pins;
    assert_eq!(found[0], Pin { compliance: Some(0.001), ..PinPlace::Vertex(4).into() });
    assert_eq!((found[1].follow.as_deref(), found[1].compliance), (Some("arm"), Some(0.0)));
    assert_eq!(parse(&scene.to_toml().unwrap()).unwrap(), scene);
    assert!(pins("{ vertex = 1, compliance = -1 }").unwrap_err().contains("`garment.pins"));
}

#[test]
fn names_the_nearest_known_key() {
    let text = "[settings]\ndt = 0.01\nthicknes = 0.004\n[[garment]]\nmesh = \"a.obj\"";
    assert_eq!(
        parse(text).unwrap_err(),
        "scene.toml:3:1: unknown key `thicknes` in [settings]; did you mean `thickness`?"
    );
    assert_eq!(
        error_of_garment("material = { density = 0.1, strech = 1.0 }"),
        "scene.toml:3:29: unknown key `strech` in [garment.material]; did you mean `stretch`?"
    );
    assert_eq!(
        error_of_garment("pins = [\n 1,\n { neerest = [0, 0, 0] }]"),
        "scene.toml:5:4: unknown key `neerest` in [garment.pins]; did you mean `nearest`?"
    );
    assert_eq!(
        error_of_body("kind = \"sphere\"\nradios = 1"),
        "scene.toml:5:1: unknown key `radios` in [body]; did you mean `radius`?"
    );
    assert_eq!(
        parse("[garmet]\nmesh = 1").unwrap_err(),
        "scene.toml:1:2: unknown key `garmet` at the top; did you mean `garment`?"
    );
    assert_eq!(
        error_of_garment("[output]\nq = 1"),
        "scene.toml:4:1: unknown key `q` in [output]; known are: cache, format, units, pictures"
    );
}

#[test]
fn names_the_nearest_known_word() {
    assert_eq!(
        error_of_garment("material = \"coton\""),
        "scene.toml:3:12: unknown word `coton` for `garment.material`; did you mean `cotton`?"
    );
    assert!(error_of_body("kind = \"spere\"").ends_with("did you mean `sphere`?"));
    assert!(error_of_garment("up = \"x\"").starts_with("scene.toml:3:6: unknown word `x` for `garment.up`"));
}

#[test]
fn names_a_key_that_is_missing_or_of_another_kind() {
    assert_eq!(
        parse("[[garment]]\nup = \"y\"").unwrap_err(),
        "scene.toml:1:1: missing key `mesh` in [garment]; add it"
    );
    assert_eq!(
        error_of_body("kind = \"sphere\"\nradius = 1"),
        "scene.toml:3:1: `body` of this kind needs the key `center`"
    );
    assert_eq!(
        error_of_body("kind = \"plane\"\nradius = 1"),
        "scene.toml:3:1: `body` of this kind has no key `radius`; remove it or change `kind`"
    );
    assert_eq!(
        error_of_body("kind = \"plane\"\nguarded = true"),
        "scene.toml:3:1: `body` of this kind cannot be guarded, because it has no axis; remove `guarded`, or \
         make it of spheres, capsules, boxes or a mesh"
    );
    assert!(parse("garment = []").unwrap_err().contains("has no [[garment]]"));
    assert!(parse("").unwrap_err().contains("garment"));
}

#[test]
fn refuses_values_out_of_range_by_key_and_line() {
    let expected = [
        (9, "scale = -1", "`garment.scale` must be positive and finite, found -1"),
        (9, "scale = inf", "`garment.scale` must be positive and finite, found inf"),
        (
            17,
            "weld_distance = nan",
            "`garment.weld_distance` must be zero or positive, and finite, found NaN",
        ),
        (13, "translate = [0, nan, 0]", "`garment.translate` must be finite, found [0.0, NaN, 0.0]"),
        (
            19,
            "rotate = { axis = [0, 0, 0], degrees = 1 }",
            "`garment.rotate.axis` must be a direction, found [0.0, 0.0, 0.0]",
        ),
        (12, "stitches = [[4, 4]]", "`garment.stitches` must join two vertices, found 4 twice"),
        (9, "pins = [-1]", "`garment.pins` must be a vertex from 0 on, found -1"),
        (
            9,
            "pins = [{ min = [0, 0, 0] }]",
            "`garment.pins` must have one of `vertex`, `min` and `max`, `nearest`, `loop`, `group` and \
             `file`",
        ),
        (8, "rest = \"\"", "`garment.rest` must be \"start\", \"uv\" or the path of a mesh"),
    ];
    for (column, text, problem) in expected {
        assert_eq!(error_of_garment(text), format!("scene.toml:3:{column}: {problem}"));
    }
    let crossed = error_of_garment("pins = [{ min = [0, 2, 0], max = [1, 1, 1] }]");
    assert!(crossed.contains("must have `min` below `max`"), "{crossed}");
    for settings in
        ["dt = 0", "substeps = 0", "static_collision_share = 1.0", "friction = -0.1", "threads = 0"]
    {
        let key = settings.split_once(' ').unwrap().0;
        let column = key.len() + 4;
        let error = parse(&format!("[settings]\n{settings}\n[[garment]]\nmesh = \"a\"")).unwrap_err();
        assert!(error.starts_with(&format!("scene.toml:2:{column}: `settings.{key}` must be")), "{error}");
    }
}

#[test]
fn refuses_keyframes_out_of_order() {
    let error = error_of_body("kind = \"figure\"\nmotion = [{ time = 1 }, { time = 1 }]");
    assert_eq!(
        error,
        "scene.toml:3:1: `body` must have keyframes in the order of time, found 1 s before 1 s"
    );
}

#[test]
fn refuses_turns_that_the_shortest_arc_would_get_wrong() {
    let turn = |from: f64, to: f64| {
        let key = |time: f64, degrees: f64| {
            format!("{{ time = {time}, rotate = {{ axis = [0, 1, 0], degrees = {degrees} }} }}")
        };
        parse(&format!(
            "[[garment]]\nmesh = \"a\"\n[[body]]\nkind = \"figure\"\nmotion = [{{ time = -1 }}, {}, {}]",
            key(0.0, from),
            key(1.0, to)
        ))
    };
    assert!(turn(100.0, 279.0).is_ok());
    let wanted =
        "scene.toml:3:1: `body` must turn less than 180 degrees from 0 s to 1 s; put a keyframe between";
    assert_eq!(turn(100.0, 280.0).unwrap_err(), wanted);
    assert!(turn(180.0, 180.0).unwrap_err().contains("from -1 s to 0 s"));
}

#[test]
fn says_on_one_line_what_is_no_toml() {
    for text in ["[settings\n", "a = \n", "x = 1 1", "\u{0}", "[[garment]]\nmesh = 5"] {
        let error = parse(text).unwrap_err();
        assert!(!error.contains('\n') && error.starts_with("scene.toml:"), "{error:?}");
    }
}

#[test]
fn finds_files_beside_the_scene() {
    let resolve = |scene: &str| SceneSource::File(scene.into()).resolve(Path::new("shirt.obj"));
    assert_eq!(resolve("a/b/scene.toml"), Path::new("a/b/shirt.obj"));
    assert_eq!(resolve("scene.toml"), Path::new("shirt.obj"));
}

#[test]
fn settings_wind_and_contacts_are_those_of_the_solver() {
    let with = |text: &str| parse(&format!("{text}\n[[garment]]\nmesh = \"a.obj\"")).unwrap().settings;
    // An animation is to be exact to the last frame: nothing sleeps.
    let own = Settings {
        sleep: None,
        face_contacts: FaceContacts::Auto,
        teleport: Some(Teleport::default()),
        ..Settings::default()
    };
    assert_eq!(with(""), own);
    let found = with(
        "[settings]\nsubsteps = 7\nself_friction = 0.15\ngravity = [0, 1, 0]\ngate = false\n\
         recovery = false\nthreads = 3\n\
         [wind]\nvelocity = [1, 2, 3]\ndrag = 0.5\nlift = 0.25\nair_damping = 0.75\n\
         gusts = { strength = 1.5, period = 0.25, seed = 9 }\n\
         [contacts]\nsource = \"cached\"\nreach = 0.04\nfollow = false\nlayer_depth = 0.01\n\
         recovery_speed = 2",
    );
    let mut expected = Settings { substeps: 7, self_friction: 0.15, air_damping: 0.75, threads: 3, ..own };
    (expected.gate, expected.recovery, expected.gravity) = (false, false, Vector3::y());
    (expected.wind.velocity, expected.wind.drag, expected.wind.lift) =
        (Vector3::new(1.0, 2.0, 3.0), 0.5, 0.25);
    expected.wind.gusts = Some(Gusts { strength: 1.5, length: 1.0, period: 0.25, seed: 9 });
    expected.contacts = ContactSource::Cached { reach: 0.04, follow: false };
    (expected.layer_depth, expected.recovery_speed) = (0.01, 2.0);
    assert_eq!(found, expected);
    let cached = ContactSource::Cached { reach: 0.05, follow: true };
    assert_eq!(with("[contacts]\nsource = \"cached\"").contacts, cached);
}

#[test]
fn a_wind_that_is_named_has_lift() {
    let scene = parse("[wind]\nvelocity = [1, 0, 0]\n[[garment]]\nmesh = \"a.obj\"").unwrap();
    let wind = scene.settings.wind;
    assert_eq!((wind.drag, wind.lift, wind.velocity.x), (1.2, 0.3, 1.0));
    assert!(parse("[wind]\ndrag = 1").unwrap_err().contains("missing key `velocity` in [wind]"));
    let error = parse("[wind]\nvelocity = [0, 0, 0]\ngusts = { seed = 1 }").unwrap_err();
    assert!(error.contains("missing key `strength` in [wind.gusts]"), "{error}");
}

#[test]
fn a_number_beyond_32_bits_is_refused_by_key_and_line() {
    let error = |text: &str| parse(&format!("{text}\n[[garment]]\nmesh = \"a.obj\"")).unwrap_err();
    let large = error("[settings]\nself_friction = 1e39");
    assert!(
        large.starts_with("scene.toml:2:17: `settings.self_friction` must be at most 3.4028235e38"),
        "{large}"
    );
    let small = error("[wind]\nvelocity = [0, 0, 1e-50]");
    assert!(small.starts_with("scene.toml:2:12: `wind.velocity` must be zero or at least 1e-45"), "{small}");
    let material = error_of_garment("material = { density = 1e-60, stretch = 1, shear = 1, bend = 1 }");
    assert!(material.starts_with("scene.toml:3:24: `garment.material.density` must be"), "{material}");
}

#[test]
fn the_example_states_the_defaults_that_hold() {
    let (example, default) = (parse(EXAMPLE).unwrap(), Scene::default());
    assert_eq!((example.settings.substeps, example.dt), (default.settings.substeps, default.dt));
    assert_eq!(example.garments[1].material.damping, Material::COTTON.damping);
    assert_eq!(default.duration, 4.0);
    assert!(EXAMPLE.contains("; 4 by default"));
}

#[test]
fn a_scene_with_settings_that_have_no_key_is_not_written() {
    let mut scene = parse(EXAMPLE).unwrap();
    scene.settings.stretch_cycles += 1;
    assert!(scene.to_toml().unwrap_err().to_string().contains("no key"));
}
