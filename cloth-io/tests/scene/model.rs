//! The elastic model of a scene: a name or a table.

use cloth_io::scene::{
    ElasticModel, Fem, MassSpring, Stiffening, StiffeningSegment, StrainLimit, StrainMeasure,
};

use super::{error_of_model, parse, with_model};

#[test]
fn a_model_is_a_name_or_a_table_and_is_written_as_what_it_was() {
    let fem = |fem: Fem| ElasticModel::Fem(Box::new(fem));
    let limited = Fem {
        strain: Some(StrainMeasure::Green),
        strain_limit: Some(StrainLimit { stretch: 0.05, passes: None }),
        stiffening: Some(Stiffening {
            weft: vec![StiffeningSegment { threshold: 0.03, factor: 20.0 }],
            warp: vec![],
        }),
        ..Fem::default()
    };
    let springs = MassSpring { explicit_steps: Some(20), stretch_damping: None };
    for (text, expected) in [
        ("\"xpbd\"", ElasticModel::Xpbd),
        ("{ kind = \"xpbd\" }", ElasticModel::Xpbd),
        ("\"fem\"", fem(Fem::default())),
        ("\"mass-spring\"", ElasticModel::MassSpring(MassSpring::default())),
        ("{ kind = \"mass-spring\", explicit_steps = 20 }", ElasticModel::MassSpring(springs)),
        (
            "{ kind = \"fem\", strain = \"green\", strain_limit = { stretch = 0.05 }, \
             stiffening = { weft = [{ threshold = 0.03, factor = 20 }] } }",
            fem(limited),
        ),
    ] {
        let scene = with_model(text).unwrap();
        assert_eq!(scene.settings.model, Some(expected), "{text}");
        let written = scene.to_toml().unwrap();
        assert_eq!(parse(&written).unwrap(), scene, "{written}");
    }
    let named = with_model("{ kind = \"fem\" }").unwrap().to_toml().unwrap();
    assert!(named.contains("model = \"fem\""), "{named}");
}

#[test]
fn errors_of_a_model_name_key_line_and_fix() {
    let expected = [
        ("\"fm\"", "unknown word `fm` for `settings.model`; did you mean `fem`?"),
        ("{ strain = \"green\" }", "missing key `kind` in [settings.model]; add it"),
        (
            "{ kind = \"fem\", strian = 1 }",
            "unknown key `strian` in [settings.model]; did you mean `strain`?",
        ),
        (
            "{ kind = \"fem\", strain = \"gren\" }",
            "unknown word `gren` for `settings.model.strain`; did you mean `green`?",
        ),
        (
            "{ kind = \"xpbd\", poisson = 0.1 }",
            "`settings.model` of this kind has no key `poisson`; remove it or change `kind`",
        ),
        (
            "{ kind = \"mass-spring\", newton_iterations = 2 }",
            "`settings.model` of this kind has no key `newton_iterations`; remove it or change `kind`",
        ),
        ("{ kind = \"fem\", poisson = 1 }", "`settings.model.poisson` must be above -1 and below 1, found 1"),
        (
            "{ kind = \"fem\", tolerance = 0 }",
            "`settings.model.tolerance` must be above 0 and below 1, found 0",
        ),
        (
            "{ kind = \"fem\", explicit_steps = 0 }",
            "`settings.model.explicit_steps` must be at least 1, found 0",
        ),
        (
            "{ kind = \"fem\", strain_limit = { stretch = -1 } }",
            "`settings.model.strain_limit.stretch` must be zero or positive, and finite, found -1",
        ),
        (
            "{ kind = \"fem\", strain_limit = { passes = 2 } }",
            "missing key `stretch` in [settings.model.strain_limit]; add it",
        ),
        (
            "{ kind = \"fem\", stiffening = { warp = [{ threshold = 2, factor = 1 }, { threshold = 1, factor = 1 }] } }",
            "`settings.model.stiffening.warp` must have ascending thresholds, found 2 before 1",
        ),
        (
            "{ kind = \"fem\", stiffening = { weft = [{ threshold = 0, factor = 1 }] } }",
            "`settings.model.stiffening.weft.threshold` must be positive and finite, found 0",
        ),
    ];
    for (model, problem) in expected {
        assert_eq!(error_of_model(model), format!("scene.toml:2: {problem}"));
    }
    let four: Vec<String> = (1..=4).map(|i| format!("{{ threshold = {i}, factor = 1 }}")).collect();
    let error =
        error_of_model(&format!("{{ kind = \"fem\", stiffening = {{ weft = [{}] }} }}", four.join(", ")));
    assert!(error.contains("must have at most 3 segments, found 4"), "{error}");
    assert!(
        error_of_model("3").contains("the name of an elastic model or a table"),
        "{}",
        error_of_model("3")
    );
}
