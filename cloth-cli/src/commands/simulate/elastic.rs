//! The elastic model of a scene as that of the solver. What a scene leaves out is the default of the solver.

use cloth_io::scene;
use cloth_solver::fem::{
    Assembly, FemSettings, Integrator, Segment, Stiffening, StiffeningCurve, StrainLimit, StrainMeasure,
};
use cloth_solver::{ElasticModel, MassSpringSettings};

pub(super) fn model(model: &scene::ElasticModel) -> ElasticModel {
    match model {
        scene::ElasticModel::Xpbd => ElasticModel::Xpbd,
        scene::ElasticModel::MassSpring(springs) => {
            let default = MassSpringSettings::default();
            ElasticModel::MassSpring(MassSpringSettings {
                explicit_steps: springs.explicit_steps.unwrap_or(default.explicit_steps),
                stretch_damping: springs.stretch_damping.map_or(default.stretch_damping, |s| s as f32),
            })
        }
        scene::ElasticModel::Fem(fem) => ElasticModel::Fem(finite_elements(fem)),
    }
}

fn finite_elements(fem: &scene::Fem) -> FemSettings {
    let default = FemSettings::default();
    let curve = |segments: fn(&scene::Stiffening) -> &[scene::StiffeningSegment], default| {
        fem.stiffening.as_ref().map_or(default, |stiffening| stiffening_curve(segments(stiffening)))
    };
    FemSettings {
        strain: fem.strain.map_or(default.strain, |strain| match strain {
            scene::StrainMeasure::Corotated => StrainMeasure::Corotated,
            scene::StrainMeasure::Green => StrainMeasure::Green,
            scene::StrainMeasure::Cauchy => StrainMeasure::Cauchy,
        }),
        assembly: fem.assembly.map_or(default.assembly, |assembly| match assembly {
            scene::Assembly::Direct => Assembly::Direct,
            scene::Assembly::Global => Assembly::Global,
        }),
        integrator: fem.integrator.map_or(default.integrator, |integrator| match integrator {
            scene::Integrator::Implicit => Integrator::Implicit,
            scene::Integrator::Explicit => Integrator::Explicit,
        }),
        linear_solver: default.linear_solver,
        newton_iterations: fem.newton_iterations.unwrap_or(default.newton_iterations),
        tolerance: fem.tolerance.map_or(default.tolerance, |t| t as f32),
        solver_iterations: fem.solver_iterations.unwrap_or(default.solver_iterations),
        explicit_steps: fem.explicit_steps.unwrap_or(default.explicit_steps),
        poisson: fem.poisson.map_or(default.poisson, |p| p as f32),
        stretch_damping: fem.stretch_damping.map_or(default.stretch_damping, |s| s as f32),
        stiffening: Stiffening {
            weft: curve(|stiffening| &stiffening.weft, default.stiffening.weft),
            warp: curve(|stiffening| &stiffening.warp, default.stiffening.warp),
        },
        strain_limit: fem.strain_limit.map_or(default.strain_limit, |limit| {
            let passes = limit.passes.unwrap_or(StrainLimit::default().passes);
            Some(StrainLimit { stretch: limit.stretch as f32, passes })
        }),
    }
}

/// A curve of the first segments that the solver has room for, which are all that a scene may have.
fn stiffening_curve(segments: &[scene::StiffeningSegment]) -> StiffeningCurve {
    let mut curve = StiffeningCurve::CONSTANT;
    for (place, segment) in curve.segments.iter_mut().zip(segments) {
        *place = Some(Segment { threshold: segment.threshold as f32, factor: segment.factor as f32 });
    }
    curve
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cloth_io::scene::Scene;
    use cloth_solver::fem::LinearSolver;

    use super::*;

    fn parse(model: &str) -> ElasticModel {
        let text = format!("[settings]\nmodel = {model}\n[[garment]]\nmesh = \"a.obj\"\n");
        let scene = Scene::parse(Path::new("s.toml"), &text).expect("a scene");
        super::model(&scene.settings.model.expect("a model"))
    }

    #[test]
    fn a_name_or_a_kind_alone_is_the_model_at_its_defaults() {
        for (name, expected) in ElasticModel::named() {
            assert_eq!(parse(&format!("\"{name}\"")), expected);
            assert_eq!(parse(&format!("{{ kind = \"{name}\" }}")), expected);
        }
    }

    #[test]
    fn every_key_reaches_the_solver() {
        let found = parse(
            "{ kind = \"fem\", strain = \"green\", assembly = \"global\", integrator = \"explicit\", newton_iterations = 7, \
             tolerance = 0.5, solver_iterations = 8, explicit_steps = 9, poisson = -0.25, stretch_damping = 0.125, \
             strain_limit = { stretch = 0.0625, passes = 3 }, stiffening = { weft = [{ threshold = 0.5, factor = 2 }, \
             { threshold = 1, factor = 3 }], warp = [{ threshold = 0.25, factor = 4 }] } }",
        );
        let mut weft = StiffeningCurve::with_threshold(0.5, 2.0);
        weft.segments[1] = Some(Segment { threshold: 1.0, factor: 3.0 });
        // Spelled out, so that a new setting is missed by the compiler.
        let expected = FemSettings {
            strain: StrainMeasure::Green,
            assembly: Assembly::Global,
            integrator: Integrator::Explicit,
            linear_solver: LinearSolver::ConjugateGradients,
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
        assert_eq!(parse(text), ElasticModel::MassSpring(springs));
        assert!(matches!(parse("{ kind = \"fem\", strain = \"cauchy\" }"), ElasticModel::Fem(fem)
            if fem == FemSettings { strain: StrainMeasure::Cauchy, ..FemSettings::default() }));
    }

    #[test]
    fn a_scene_may_have_as_many_segments_as_the_solver() {
        assert_eq!(scene::MAX_SEGMENTS, cloth_solver::fem::MAX_SEGMENTS);
    }

    #[test]
    fn the_example_tells_the_defaults_of_finite_elements() {
        let text = include_str!("../../../../cloth-io/examples/scene.toml");
        let default = FemSettings::default();
        for (key, value) in [
            ("newton_iterations", f64::from(default.newton_iterations)),
            ("solver_iterations", f64::from(default.solver_iterations)),
            ("explicit_steps", f64::from(default.explicit_steps)),
        ] {
            assert!(text.contains(&format!("{key} = {value}")), "{key}");
        }
        assert!(text.contains("tolerance = 1e-6") && default.tolerance == 1e-6);
        assert_eq!((default.poisson, default.stretch_damping, default.strain_limit), (0.0, 0.0, None));
        assert!(text.contains(&format!("passes = {}", StrainLimit::default().passes)));
    }
}
