//! The parameters of recall.

use super::RecallError;

/// How a group of neurons responds to its potentials.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Response {
    /// The potentials themselves.
    Identity,
    /// `tanh(gain x)`.
    Tanh {
        /// Slope at zero.
        gain: f64,
    },
    /// `exp(sharpness x)`, divided by the sum over the group: one winner. Not invertible.
    Softmax {
        /// Inverse temperature.
        sharpness: f64,
    },
}

impl Response {
    /// The hyperbolic tangent of the Elman network.
    pub const TANH: Self = Self::Tanh { gain: 1.0 };

    /// Replaces potentials by responses.
    pub fn apply(self, values: &mut [f64]) {
        match self {
            Self::Identity => {}
            Self::Tanh { gain } => values.iter_mut().for_each(|x| *x = (gain * *x).tanh()),
            Self::Softmax { sharpness } => {
                let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                values.iter_mut().for_each(|x| *x = (sharpness * (*x - largest)).exp());
                let sum: f64 = values.iter().sum();
                values.iter_mut().for_each(|x| *x /= sum);
            }
        }
    }

    /// Whether potentials can be recovered from responses.
    pub fn is_invertible(self) -> bool {
        match self {
            Self::Identity => true,
            Self::Tanh { gain } => gain != 0.0,
            Self::Softmax { .. } => false,
        }
    }

    fn steepness(self) -> f64 {
        match self {
            Self::Identity => 1.0,
            Self::Tanh { gain } => gain,
            Self::Softmax { sharpness } => sharpness,
        }
    }
}

/// How memories are read: what stands for Xi+.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadRule {
    /// The Moore-Penrose inverse: right for any independent memories.
    #[default]
    PseudoInverse,
    /// The transpose over the number of features: right for orthogonal memories of entries +-1.
    Hebbian,
}

/// Time constants, strengths and responses.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Parameters {
    /// Time constant of the features; positive.
    #[doc(alias = "T_f")]
    pub feature_time: f64,
    /// Time constant of the hidden neurons; 0 settles them at once.
    #[doc(alias = "T_h")]
    pub hidden_time: f64,
    /// Time constant of the delayed trace; 0 removes the delay.
    #[doc(alias = "T_d")]
    pub delay_time: f64,
    /// How strongly a memory holds itself.
    #[doc(alias = "alpha_s")]
    pub memory_strength: f64,
    /// How strongly a memory calls the next.
    #[doc(alias = "alpha_c")]
    pub transition_strength: f64,
    /// Response of the features.
    #[doc(alias = "sigma_f")]
    pub feature_response: Response,
    /// Response of the hidden neurons.
    #[doc(alias = "sigma_h")]
    pub hidden_response: Response,
    /// How memories are read.
    pub rule: ReadRule,
}

impl Default for Parameters {
    /// The paper's choice for the discrete limit.
    fn default() -> Self {
        Self {
            feature_time: 1.0,
            hidden_time: 0.0,
            delay_time: 0.0,
            memory_strength: 1.0,
            transition_strength: 1.0,
            feature_response: Response::TANH,
            hidden_response: Response::Identity,
            rule: ReadRule::PseudoInverse,
        }
    }
}

impl Parameters {
    /// Episodic retrieval: the trace lags behind, each memory is held until its trace has called the next, and the hidden
    /// neurons choose one winner.
    pub fn episodic() -> Self {
        Self {
            hidden_time: 0.1,
            delay_time: 6.0,
            transition_strength: 1.2,
            feature_response: Response::Tanh { gain: 2.0 },
            hidden_response: Response::Softmax { sharpness: 10.0 },
            ..Self::default()
        }
    }

    pub(super) fn check(&self) -> Result<(), RecallError> {
        let require = |name, value: f64, holds: bool, range| match holds && value.is_finite() {
            true => Ok(()),
            false => Err(RecallError::Parameter { name, value, range }),
        };
        require("the feature time constant", self.feature_time, self.feature_time > 0.0, "positive")?;
        for (name, value) in [
            ("the hidden time constant", self.hidden_time),
            ("the delay time constant", self.delay_time),
            ("the memory strength", self.memory_strength),
        ] {
            require(name, value, value >= 0.0, "zero or positive")?;
        }
        require("the transition strength", self.transition_strength, true, "a finite number")?;
        require("the feature response's gain", self.feature_response.steepness(), true, "a finite number")?;
        require("the hidden response's gain", self.hidden_response.steepness(), true, "a finite number")
    }

    /// The smallest time constant that is not zero.
    pub(super) fn shortest_time(&self) -> f64 {
        let times = [self.feature_time, self.hidden_time, self.delay_time];
        times.into_iter().filter(|time| *time > 0.0).fold(f64::INFINITY, f64::min)
    }
}
