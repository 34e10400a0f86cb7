//! A small autoencoder with the layers of BVLC's, drawn from a seed, against the same arithmetic in
//! f64: the loss and every gradient.

use kernels::{Cpu, Simd};

use super::{net, run};

const ITEMS: usize = 50;
const SIZES: [usize; 5] = [60, 24, 6, 24, 60];

/// Inner products with sigmoids between them, and both of BVLC's losses on what comes out.
fn text() -> String {
    let mut text = format!(
        r#"layer {{ name: "data" type: "DummyData" top: "data" dummy_data_param {{
            shape {{ dim: {ITEMS} dim: {} }} data_filler {{ type: "uniform" }} }} }}"#,
        SIZES[0]
    );
    let mut below = "data".to_owned();
    for (index, outputs) in SIZES.iter().enumerate().skip(1) {
        text += &format!(
            r#"layer {{ name: "ip{index}" type: "InnerProduct" bottom: "{below}" top: "ip{index}"
                inner_product_param {{ num_output: {outputs}
                    weight_filler {{ type: "gaussian" std: 0.5 }}
                    bias_filler {{ type: "gaussian" std: 0.1 }} }} }}
            layer {{ name: "sig{index}" type: "Sigmoid" bottom: "ip{index}" top: "sig{index}" }}"#
        );
        below = format!("sig{index}");
    }
    text + r#"
        layer { name: "cross" type: "SigmoidCrossEntropyLoss" bottom: "ip4" bottom: "data" top: "cross" }
        layer { name: "l2" type: "EuclideanLoss" bottom: "sig4" bottom: "data" top: "l2" }"#
}

fn widen(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&value| f64::from(value)).collect()
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Loss, and the gradients of weights and bias of each inner product.
fn exact(data: &[f64], params: &[Vec<f64>]) -> (f64, Vec<Vec<f64>>) {
    let mut blobs = vec![data.to_vec()];
    let mut scores = Vec::new();
    for (layer, size) in SIZES.windows(2).enumerate() {
        let (weights, bias) = (&params[2 * layer], &params[2 * layer + 1]);
        scores = Vec::new();
        for x in blobs[layer].chunks(size[0]) {
            for (w, b) in weights.chunks(size[0]).zip(bias) {
                scores.push(b + x.iter().zip(w).map(|(x, w)| x * w).sum::<f64>());
            }
        }
        blobs.push(scores.iter().map(|&x| sigmoid(x)).collect());
    }
    let (mut loss, mut d) = (0.0, Vec::new());
    for ((x, p), t) in scores.iter().zip(&blobs[SIZES.len() - 1]).zip(data) {
        loss += -t * p.ln() - (1.0 - t) * sigmoid(-x).ln() + (p - t).powi(2) / 2.0;
        d.push((p - t) * (1.0 + p * (1.0 - p)) / ITEMS as f64);
    }
    let mut gradients = Vec::new();
    for (layer, size) in SIZES.windows(2).enumerate().rev() {
        let below = &blobs[layer];
        let (mut dw, mut db) = (vec![0.0; size[0] * size[1]], vec![0.0; size[1]]);
        let mut dx = vec![0.0; below.len()];
        for (item, d) in d.chunks(size[1]).enumerate() {
            for (k, d) in d.iter().enumerate() {
                db[k] += d;
                for c in 0..size[0] {
                    let x = below[item * size[0] + c];
                    dw[k * size[0] + c] += d * x;
                    dx[item * size[0] + c] +=
                        d * params[2 * layer][k * size[0] + c] * x * (1.0 - x);
                }
            }
        }
        gradients.splice(0..0, [dw, db]);
        d = dx;
    }
    (loss / ITEMS as f64, gradients)
}

#[test]
fn loss_and_gradients_equal_those_in_f64() {
    let mut net = net(&text());
    let pass = run(&mut net);
    let data = net.blob(&Cpu::new(1, Simd::detect()), "data").unwrap().values;
    let params: Vec<_> =
        net.params().iter().map(|p| widen(&pass.params[p.values.clone()])).collect();
    let (loss, gradients) = exact(&widen(&data), &params);
    let off = (f64::from(pass.loss) / loss - 1.0).abs();
    assert!(off < 2e-7, "loss {}, not {loss}: {off}", pass.loss);
    for (param, want) in net.params().iter().zip(&gradients) {
        let got = &pass.pool[param.gradient.clone().unwrap()];
        let largest = want.iter().fold(0.0, |max: f64, value| max.max(value.abs()));
        for (got, want) in got.iter().zip(want) {
            let off = (f64::from(*got) - want).abs() / largest;
            assert!(off < 1e-6, "{}, param {}: {got}, not {want}", param.layer, param.index);
        }
    }
}
