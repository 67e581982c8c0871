//! Many networks: which belong together, which measures can tell, and which setting makes the difference.

use super::pair::Pair;
use super::verdict::PairVerdict;
use serde::Serialize;
use std::collections::BTreeMap;

/// Networks that hold the same circuit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cluster {
    /// Their numbers, from 0.
    pub members: Vec<usize>,
    /// Whether every two of them were called the same, and not only a chain of them.
    pub complete: bool,
}

/// Networks that are the same circuit, directly or by way of others; the largest cluster first.
pub fn clusters(networks: usize, pairs: &[Pair]) -> Vec<Cluster> {
    let mut of: Vec<usize> = (0..networks).collect();
    let same = |pair: &&Pair| pair.verdict == PairVerdict::SameCircuit;
    for pair in pairs.iter().filter(same) {
        let (to, from) = (of[pair.first].min(of[pair.second]), of[pair.first].max(of[pair.second]));
        of.iter_mut().filter(|cluster| **cluster == from).for_each(|cluster| *cluster = to);
    }
    let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    of.iter().enumerate().for_each(|(network, cluster)| found.entry(*cluster).or_default().push(network));
    let complete = |members: &[usize]| {
        let within = |pair: &&Pair| members.contains(&pair.first) && members.contains(&pair.second);
        pairs.iter().filter(within).all(|pair| pair.verdict == PairVerdict::SameCircuit)
    };
    let mut clusters: Vec<Cluster> =
        found.into_values().map(|members| Cluster { complete: complete(&members), members }).collect();
    clusters.sort_by_key(|cluster| (usize::MAX - cluster.members.len(), cluster.members[0]));
    clusters
}

/// How a measure spreads over pairs that are the same circuit and pairs that compute different functions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Separation {
    /// The measure.
    pub measure: &'static str,
    /// Least, mean and largest over pairs of the same circuit.
    pub same: Option<[f64; 3]>,
    /// The same over pairs with different functions.
    pub different: Option<[f64; 3]>,
    /// The share of choices of one pair of each kind in which the different one is farther apart: 1 where a threshold tells all of
    /// them apart, 0.5 where the measure knows nothing.
    pub told_apart: Option<f64>,
}

type Value = fn(&Pair) -> Option<f64>;

/// The measures by name, each as a distance.
pub(crate) const MEASURES: [(&str, Value); 5] = [
    ("circuit", |pair| pair.distance),
    ("1 - CKA", |pair| pair.measures.cka.map(|cka| 1.0 - cka)),
    ("shape", |pair| pair.measures.shape),
    ("DSA", |pair| pair.measures.dsa),
    ("DSA, eigenvalues", |pair| pair.measures.dsa_wasserstein),
];

/// How well each measure tells pairs of the same circuit from pairs with different functions.
pub fn separations(pairs: &[Pair]) -> Vec<Separation> {
    let of = |(measure, value): &(&'static str, Value)| {
        let values = |verdict: PairVerdict| -> Vec<f64> {
            pairs.iter().filter(|pair| pair.verdict == verdict).filter_map(value).collect()
        };
        let (same, different) = (values(PairVerdict::SameCircuit), values(PairVerdict::Different));
        let spread = |values: &[f64]| {
            let (least, most) = values.iter().fold((f64::INFINITY, 0.0f64), |(a, b), x| (a.min(*x), b.max(*x)));
            (!values.is_empty()).then(|| [least, values.iter().sum::<f64>() / values.len() as f64, most])
        };
        let farther = |a: f64| {
            different
                .iter()
                .map(|b| {
                    if *b > a {
                        1.0
                    } else if *b == a {
                        0.5
                    } else {
                        0.0
                    }
                })
                .sum::<f64>()
        };
        let choices = (same.len() * different.len()) as f64;
        let told_apart = (choices > 0.0).then(|| same.iter().map(|a| farther(*a)).sum::<f64>() / choices);
        Separation { measure, same: spread(&same), different: spread(&different), told_apart }
    };
    MEASURES.iter().map(of).collect()
}

/// What a setting does to the solution: pairs that differ in it alone against pairs that differ in nothing but the seed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// The setting.
    pub setting: String,
    /// Pairs of networks that differ in this setting, and perhaps in the seed, and in nothing else.
    pub pairs: usize,
    /// The share of them that are the same circuit.
    pub same: f64,
    /// Mean distance of the circuits, where both show one.
    pub distance: Option<f64>,
    /// Mean angle left between the memories after the best rotation.
    pub codes: Option<f64>,
    /// Mean shape distance.
    pub shape: Option<f64>,
}

/// The effect of each setting that varies. The first row is the seed alone: what training itself leaves open.
pub fn effects(settings: &[BTreeMap<String, String>], pairs: &[Pair]) -> Vec<Effect> {
    let varying: Vec<&String> = settings
        .first()
        .map(|first| {
            first.keys().filter(|key| settings.iter().any(|other| other.get(*key) != first.get(*key))).collect()
        })
        .unwrap_or_default();
    let differ = |pair: &Pair| -> Vec<&String> {
        let (a, b) = (&settings[pair.first], &settings[pair.second]);
        varying.iter().copied().filter(|key| key.as_str() != SEED && a.get(*key) != b.get(*key)).collect()
    };
    let mut effects = vec![];
    for setting in [None].into_iter().chain(varying.iter().filter(|key| key.as_str() != SEED).map(Some)) {
        let chosen: Vec<&Pair> = pairs
            .iter()
            .filter(|pair| match setting {
                None => differ(pair).is_empty(),
                Some(setting) => differ(pair) == [*setting],
            })
            .collect();
        if chosen.is_empty() {
            continue;
        }
        let mean = |value: &dyn Fn(&Pair) -> Option<f64>| {
            let values: Vec<f64> = chosen.iter().filter_map(|pair| value(pair)).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let same = chosen.iter().filter(|pair| pair.verdict == PairVerdict::SameCircuit).count();
        effects.push(Effect {
            setting: setting.map_or(SEED, |setting| setting).to_string(),
            pairs: chosen.len(),
            same: same as f64 / chosen.len() as f64,
            distance: mean(&|pair| pair.distance),
            codes: mean(&|pair| pair.codes.as_ref().map(|codes| codes.alignment.angle)),
            shape: mean(&|pair| pair.measures.shape),
        });
    }
    effects
}

/// The setting that says nothing but which random numbers were drawn.
const SEED: &str = "seed";
