//! The reference solver: f64, one value after another, from the published formulas.

/// A solver's options; names as in a solver prototxt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReferenceOptions {
    pub(crate) rule: &'static str,
    pub(crate) rate: f64,
    pub(crate) momentum: f64,
    pub(crate) weight_decay: f64,
    pub(crate) l1: bool,
    pub(crate) clip: f64,
    pub(crate) iter_size: f64,
}

pub(crate) const MOMENTUM2: f64 = 0.999;
pub(crate) const RMS_DECAY: f64 = 0.95;
pub(crate) const DELTA: f64 = 1e-3;
pub(crate) const TRUST: f64 = 0.02;

/// One learned parameter and its histories.
#[derive(Debug, Clone)]
pub(crate) struct ReferenceParam {
    pub(crate) values: Vec<f64>,
    pub(crate) lr_mult: f64,
    pub(crate) decay_mult: f64,
    pub(crate) first: Vec<f64>,
    pub(crate) second: Vec<f64>,
}

fn norm(x: impl IntoIterator<Item = f64>) -> f64 {
    x.into_iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// One iteration, counted from 0. `gradients` are means over replicas.
pub(crate) fn step(
    o: &ReferenceOptions,
    iter: i32,
    params: &mut [ReferenceParam],
    gradients: &[Vec<f64>],
) {
    let all = norm(gradients.iter().flatten().copied());
    let clip = if o.clip >= 0.0 && all > o.clip { o.clip / all } else { 1.0 };
    for (param, gradient) in params.iter_mut().zip(gradients) {
        let decay = o.weight_decay * param.decay_mult;
        let gradient: Vec<f64> = gradient.iter().map(|g| g * clip / o.iter_size).collect();
        let mut rate = o.rate * param.lr_mult;
        let (w, g) = (norm(param.values.iter().copied()), norm(gradient.iter().copied()));
        if o.rule == "LARS" && w > 0.0 && g > 0.0 {
            rate *= TRUST * w / (g + decay * w);
        }
        for (i, &plain) in gradient.iter().enumerate() {
            let w = param.values[i];
            let g = plain + decay * if o.l1 { sign(w) } else { w };
            let history = (&mut param.first[i], &mut param.second[i]);
            param.values[i] -= update(o, iter, rate, [w, g, plain, decay], history);
        }
    }
}

fn sign(w: f64) -> f64 {
    if w == 0.0 { 0.0 } else { w.signum() }
}

/// The amount subtracted from one value.
fn update(
    o: &ReferenceOptions,
    iter: i32,
    rate: f64,
    [w, g, plain, decay]: [f64; 4],
    (h, d): (&mut f64, &mut f64),
) -> f64 {
    let m = o.momentum;
    let t = iter + 1;
    match o.rule {
        "SGD" | "LARS" => {
            *h = m * *h + rate * g;
            *h
        }
        "Nesterov" => {
            let before = *h;
            *h = m * *h + rate * g;
            (1.0 + m) * *h - m * before
        }
        "AdaGrad" => {
            *h += g * g;
            rate * g / (h.sqrt() + DELTA)
        }
        "RMSProp" => {
            *h = RMS_DECAY * *h + (1.0 - RMS_DECAY) * g * g;
            rate * g / (h.sqrt() + DELTA)
        }
        "AdaDelta" => {
            *h = m * *h + (1.0 - m) * g * g;
            let u = (*d + DELTA).sqrt() / (*h + DELTA).sqrt() * g;
            *d = m * *d + (1.0 - m) * u * u;
            rate * u
        }
        "Adam" => {
            *h = m * *h + (1.0 - m) * g;
            *d = MOMENTUM2 * *d + (1.0 - MOMENTUM2) * g * g;
            let alpha = rate * (1.0 - MOMENTUM2.powi(t)).sqrt() / (1.0 - m.powi(t));
            alpha * *h / (d.sqrt() + DELTA)
        }
        "AdamW" => {
            *h = m * *h + (1.0 - m) * plain;
            *d = MOMENTUM2 * *d + (1.0 - MOMENTUM2) * plain * plain;
            let (mean, square) = (*h / (1.0 - m.powi(t)), *d / (1.0 - MOMENTUM2.powi(t)));
            rate * (mean / (square.sqrt() + DELTA) + decay * w)
        }
        other => panic!("no formula for `{other}`: write it above"),
    }
}
