//! The elastic model of a scene: a name or a table.

use cloth_solver::fem::{
    Assembly, FemSettings, Integrator, Segment, Stiffening, StiffeningCurve, StrainLimit, StrainMeasure,
};
use cloth_solver::{ElasticModel, MassSpringSettings};

use super::{EXAMPLE, error_of_model, parse, with_model};

fn model(text: &str) -> ElasticModel {
    with_model(text).unwrap().settings.model
}

#[test]
fn a_name_or_a_kind_alone_is_the_model_at_its_defaults() {
    for (name, expected) in ElasticModel::named() {
        assert_eq!(model(&format!("\"{name}\"")), expected);
        assert_eq!(model(&format!("{{ kind = \"{name}\" }}")), expected);
    }
}

#[test]
fn a_model_is_written_as_it_was_read() {
    let limited = FemSettings {
        strain: StrainMeasure::Green,
        strain_limit: Some(StrainLimit { stretch: 0.05, ..StrainLimit::default() }),
        stiffening: Stiffening { weft: StiffeningCurve::with_threshold(0.03, 20.0), ..Stiffening::CONSTANT },
        ..FemSettings::default()
    };
    let springs = MassSpringSettings { explicit_steps: 20, ..MassSpringSettings::default() };
    for (text, expected) in [
        ("\"xpbd\"", ElasticModel::Xpbd),
        ("{ explicit_steps = 20, kind = \"mass-spring\" }", ElasticModel::MassSpring(springs)),
        (
            "{ kind = \"fem\", strain = \"green\", strain_limit = { stretch = 0.05 }, \
             stiffening = { weft = [{ threshold = 0.03, factor = 20 }] } }",
            ElasticModel::Fem(limited),
        ),
    ] {
        let scene = with_model(text).unwrap();
        assert_eq!(scene.settings.model, expected, "{text}");
        let written = scene.to_toml().unwrap();
        assert_eq!(parse(&written).unwrap(), scene, "{written}");
    }
    let named = with_model("{ kind = \"fem\" }").unwrap().to_toml().unwrap();
    assert!(named.contains("model = \"fem\""), "{named}");
}

#[test]
fn every_key_reaches_the_solver() {
    let found = model(
        "{ kind = \"fem\", strain = \"green\", assembly = \"global\", integrator = \"explicit\", \
         newton_iterations = 7, tolerance = 0.5, solver_iterations = 8, explicit_steps = 9, \
         poisson = -0.25, stretch_damping = 0.125, strain_limit = { stretch = 0.0625, passes = 3 }, \
         stiffening = { weft = [{ threshold = 0.5, factor = 2 }, { threshold = 1, factor = 3 }], \
         warp = [{ threshold = 0.25, factor = 4 }] } }",
    );
    let mut weft = StiffeningCurve::with_threshold(0.5, 2.0);
    weft.segments[1] = Some(Segment { threshold: 1.0, factor: 3.0 });
    // Spelled out, so that a new setting is missed by the compiler.
    let expected = FemSettings {
        strain: StrainMeasure::Green,
        assembly: Assembly::Global,
        integrator: Integrator::Explicit,
        newton_iterations: 7,
        tolerance: 0.5,
        solver_iterations: 8,
        explicit_steps: 9,
        poisson: -0.25,
        stretch_damping: 0.125,
        stiffening: Stiffening { weft, warp: StiffeningCurve::with_threshold(0.25, 4.0) },
        strain_limit: Some(StrainLimit { stretch: 0.0625, passes: 3 }),
    };
    assert_eq!(found, ElasticModel::Fem(expected));
    let springs = MassSpringSettings { explicit_steps: 5, stretch_damping: 0.5 };
    let text = "{ kind = \"mass-spring\", explicit_steps = 5, stretch_damping = 0.5 }";
    assert_eq!(model(text), ElasticModel::MassSpring(springs));
    assert!(matches!(model("{ kind = \"fem\", strain = \"cauchy\" }"), ElasticModel::Fem(fem)
        if fem == FemSettings { strain: StrainMeasure::Cauchy, ..FemSettings::default() }));
}

#[test]
fn the_example_states_the_defaults_of_finite_elements() {
    let default = FemSettings::default();
    for (key, value) in [
        ("newton_iterations", f64::from(default.newton_iterations)),
        ("solver_iterations", f64::from(default.solver_iterations)),
        ("explicit_steps", f64::from(default.explicit_steps)),
    ] {
        assert!(EXAMPLE.contains(&format!("{key} = {value}")), "{key}");
    }
    assert!(EXAMPLE.contains("tolerance = 1e-6") && default.tolerance == 1e-6);
    assert_eq!((default.poisson, default.stretch_damping, default.strain_limit), (0.0, 0.0, None));
    assert!(EXAMPLE.contains(&format!("passes = {}", StrainLimit::default().passes)));
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
            "{ kind = \"fem\", stiffening = { warp = [{ threshold = 2, factor = 1 }, { threshold = 1, factor \
             = 1 }] } }",
            "`settings.model.stiffening.warp` must have ascending thresholds, found 2 before 1",
        ),
        (
            "{ kind = \"fem\", stiffening = { weft = [{ threshold = 0, factor = 1 }] } }",
            "`settings.model.stiffening.weft.threshold` must be positive and finite, found 0",
        ),
    ];
    for (model, problem) in expected {
        let error = error_of_model(model);
        let rest = error.strip_prefix("scene.toml:2:").and_then(|rest| rest.split_once(": "));
        assert_eq!(rest.map(|(_, rest)| rest), Some(problem), "{error}");
    }
    let misspelled = error_of_model("{ kind = \"fem\",\n strian = 1 }");
    assert!(misspelled.starts_with("scene.toml:3:2: unknown key `strian`"), "{misspelled}");
    let kind = error_of_model("{ knd = \"fem\" }");
    assert!(kind.ends_with("unknown key `knd` in [settings.model]; did you mean `kind`?"), "{kind}");
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
