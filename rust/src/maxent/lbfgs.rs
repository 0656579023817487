//! Limited-memory BFGS (Nocedal 1980; Nocedal and Wright 2006, algorithms 7.4 and 7.5) for smooth functions, with a
//! line search by bisection for the weak Wolfe conditions (Lewis and Overton 2013).

use std::collections::VecDeque;

use super::sums::{add, dot};
use crate::error::{Error, Result};
use crate::work::interrupt;

#[derive(Clone, Copy, Debug)]
pub struct LbfgsSettings {
    /// The number of steps that the curvature is estimated from.
    pub history: usize,
    pub max_iterations: usize,
    /// The search ends when [`PERIOD`] iterations together reduce the value by at most this fraction.
    pub tolerance: f64,
}

impl Default for LbfgsSettings {
    fn default() -> Self {
        LbfgsSettings { history: 8, max_iterations: 200, tolerance: 1e-5 }
    }
}

/// A single slow iteration is no sign of convergence; this many are.
pub const PERIOD: usize = 5;
/// Sufficient decrease, relative to the prediction of the slope.
const DECREASE: f64 = 1e-4;
/// The slope must fall to this fraction.
const CURVATURE: f64 = 0.9;
/// Halvings and doublings of a step, until only rounding errors are left.
const TRIALS: usize = 50;

#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    pub value: f64,
    pub iterations: usize,
    pub evaluations: usize,
    /// Whether the search converged before the maximum number of iterations.
    pub converged: bool,
}

/// A step: change of the point, change of the gradient, 1 / (their product).
struct Step {
    moved: Vec<f64>,
    turned: Vec<f64>,
    rho: f64,
}

/// Moves `point` to a minimum of the value of `evaluate(point, gradient)`, which fills the gradient. `progress` gets
/// the number of iterations and the value after each.
///
/// The first step is −`scales` · gradient, number by number: an estimate of the inverse curvature along each axis makes
/// the search short where these differ greatly. Later steps begin with the same estimate, which is multiplied by what
/// fits the last step (Nocedal and Wright 2006, section 7.2).
pub fn minimise(
    point: &mut Vec<f64>,
    scales: &[f64],
    settings: &LbfgsSettings,
    mut evaluate: impl FnMut(&[f64], &mut [f64]) -> f64,
    mut progress: impl FnMut(usize, f64) -> Result<()>,
) -> Result<Outcome> {
    let mut gradient = vec![0.0; point.len()];
    let mut value = evaluate(point, &mut gradient);
    if !value.is_finite() {
        return Err(Error::internal("the objective is not finite at the start of the search."));
    }
    let mut outcome = Outcome { value, evaluations: 1, ..Outcome::default() };
    let mut steps: VecDeque<Step> = VecDeque::new();
    let mut values = vec![value];
    let (mut next, mut next_gradient) = (point.clone(), gradient.clone());
    while outcome.iterations < settings.max_iterations {
        if dot(&gradient, &gradient).sqrt() <= f64::EPSILON {
            outcome.converged = true;
            break;
        }
        let direction = direction(&gradient, &steps, scales);
        let slope = dot(&gradient, &direction);
        let mut step = 1.0;
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut found = None;
        for _ in 0..TRIALS {
            interrupt::point();
            next.copy_from_slice(point);
            add(&mut next, step, &direction);
            let there = evaluate(&next, &mut next_gradient);
            outcome.evaluations += 1;
            if there.is_nan() || there > value + DECREASE * step * slope {
                high = step;
            } else if dot(&next_gradient, &direction) < CURVATURE * slope {
                low = step;
            } else {
                found = Some(there);
                break;
            }
            step = if high.is_finite() { (low + high) / 2.0 } else { 2.0 * low };
        }
        let Some(there) = found else {
            // Steps too small to change the value: this is the minimum up to rounding.
            outcome.converged = true;
            break;
        };
        remember(&mut steps, settings.history, point, &next, &gradient, &next_gradient);
        std::mem::swap(point, &mut next);
        std::mem::swap(&mut gradient, &mut next_gradient);
        value = there;
        values.push(value);
        outcome.iterations += 1;
        outcome.value = value;
        progress(outcome.iterations, value)?;
        if values.len() > PERIOD {
            let before = values[values.len() - 1 - PERIOD];
            if before - value <= settings.tolerance * value.abs().max(f64::MIN_POSITIVE) {
                outcome.converged = true;
                break;
            }
        }
    }
    Ok(outcome)
}

/// −H · gradient, by the two loops of algorithm 7.4.
fn direction(gradient: &[f64], steps: &VecDeque<Step>, scales: &[f64]) -> Vec<f64> {
    let mut q: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut alphas = Vec::with_capacity(steps.len());
    for step in steps.iter().rev() {
        let alpha = step.rho * dot(&step.moved, &q);
        add(&mut q, -alpha, &step.turned);
        alphas.push(alpha);
    }
    let fitting = steps.back().map_or(1.0, |last| {
        let scaled: Vec<f64> = last.turned.iter().zip(scales).map(|(turned, scale)| turned * scale).collect();
        1.0 / (last.rho * dot(&last.turned, &scaled))
    });
    q.iter_mut().zip(scales).for_each(|(value, scale)| *value *= fitting * scale);
    for (step, alpha) in steps.iter().zip(alphas.iter().rev()) {
        let beta = step.rho * dot(&step.turned, &q);
        add(&mut q, alpha - beta, &step.moved);
    }
    q
}

fn remember(
    steps: &mut VecDeque<Step>,
    history: usize,
    from: &[f64],
    to: &[f64],
    before: &[f64],
    after: &[f64],
) {
    // Reuse the vectors of the oldest step.
    let mut step = if steps.len() >= history.max(1) { steps.pop_front() } else { None }.unwrap_or(Step {
        moved: Vec::new(),
        turned: Vec::new(),
        rho: 0.0,
    });
    let difference = |out: &mut Vec<f64>, to: &[f64], from: &[f64]| {
        out.clear();
        out.extend(to.iter().zip(from).map(|(to, from)| to - from));
    };
    difference(&mut step.moved, to, from);
    difference(&mut step.turned, after, before);
    let product = dot(&step.moved, &step.turned);
    // The Wolfe conditions make it positive, up to rounding.
    if product > 0.0 {
        step.rho = 1.0 / product;
        steps.push_back(step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(start: &[f64], f: impl Fn(&[f64], &mut [f64]) -> f64) -> (Vec<f64>, Outcome) {
        let mut point = start.to_vec();
        let settings = LbfgsSettings { tolerance: 1e-14, max_iterations: 500, ..LbfgsSettings::default() };
        let scales = vec![1e-2; start.len()];
        let outcome = minimise(&mut point, &scales, &settings, f, |_, _| Ok(())).unwrap();
        (point, outcome)
    }

    #[test]
    fn a_stretched_bowl_has_its_minimum_where_it_has() {
        let (point, outcome) = search(&[5.0, -3.0, 0.5], |x, g| {
            let scales = [1.0, 100.0, 0.01];
            let centre = [1.0, 2.0, 3.0];
            (0..3).for_each(|k| g[k] = scales[k] * (x[k] - centre[k]));
            1.0 + (0..3).map(|k| 0.5 * scales[k] * (x[k] - centre[k]).powi(2)).sum::<f64>()
        });
        for (found, wanted) in point.iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - wanted).abs() < 1e-5, "{point:?}");
        }
        assert!(outcome.converged && (outcome.value - 1.0).abs() < 1e-12);
    }

    /// Not convex, and a classic example of slow steepest descent.
    #[test]
    fn rosenbrocks_valley_is_followed_to_its_end() {
        let (point, outcome) = search(&[-1.2, 1.0], |x, g| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            g[0] = -2.0 * a - 400.0 * x[0] * b;
            g[1] = 200.0 * b;
            a * a + 100.0 * b * b
        });
        assert!((point[0] - 1.0).abs() < 1e-6 && (point[1] - 1.0).abs() < 1e-6, "{point:?}");
        assert!(outcome.iterations < 80, "{outcome:?}");
    }

    /// With the inverse curvatures of a quadratic function as scales, the first step ends at its minimum.
    #[test]
    fn known_curvatures_need_one_step() {
        let curvatures = [1.0, 1e6, 1e-4];
        let mut point = vec![3.0, -2.0, 5.0];
        let evaluate = |x: &[f64], g: &mut [f64]| {
            (0..3).for_each(|k| g[k] = curvatures[k] * (x[k] - 1.0));
            1.0 + (0..3).map(|k| 0.5 * curvatures[k] * (x[k] - 1.0).powi(2)).sum::<f64>()
        };
        let scales = curvatures.map(f64::recip);
        let outcome =
            minimise(&mut point, &scales, &LbfgsSettings::default(), evaluate, |_, _| Ok(())).unwrap();
        assert!(outcome.converged && outcome.evaluations <= 3, "{outcome:?}");
        assert!(point.iter().all(|x| (x - 1.0).abs() < 1e-9), "{point:?}");
    }

    #[test]
    fn what_progress_raises_ends_the_search() {
        let mut point = vec![3.0];
        let stopped = minimise(
            &mut point,
            &[1.0],
            &LbfgsSettings::default(),
            |x, g| {
                g[0] = 2.0 * x[0];
                x[0] * x[0]
            },
            |_, _| Err(Error::input("stop.")),
        );
        assert_eq!(stopped.err().unwrap().message, "stop.");
    }
}
