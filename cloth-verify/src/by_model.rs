//! What depends on the elastic model.

use cloth_solver::ElasticModel;

/// A value for each elastic model, since what resists stretch decides what can be expected of cloth.
///
/// One value for all of them converts into it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ByModel<T> {
    /// For [`ElasticModel::Xpbd`].
    pub xpbd: T,
    /// For [`ElasticModel::MassSpring`].
    pub mass_spring: T,
    /// For [`ElasticModel::Fem`], whatever the strain measure and the integrator.
    pub fem: T,
}

impl<T> ByModel<T> {
    /// The value for a model.
    #[must_use]
    pub fn get(&self, model: &ElasticModel) -> &T {
        match model {
            ElasticModel::Xpbd => &self.xpbd,
            ElasticModel::MassSpring(_) => &self.mass_spring,
            ElasticModel::Fem(_) => &self.fem,
        }
    }
}

impl<T: Clone> From<T> for ByModel<T> {
    fn from(value: T) -> Self {
        Self { xpbd: value.clone(), mass_spring: value.clone(), fem: value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_model_has_its_own_value() {
        let values = ByModel { xpbd: "xpbd", mass_spring: "mass-spring", fem: "fem" };
        assert!(ElasticModel::named().iter().all(|(name, model)| values.get(model) == name));
        assert!(ElasticModel::named().iter().all(|(_, model)| *ByModel::from(7).get(model) == 7));
    }
}
