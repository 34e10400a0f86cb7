use super::sgd;
use crate::{
    reference::pointwise,
    testing::{assert_close, noise, on_every_cpu},
};

#[test]
fn equals_the_reference() {
    let len = 20_003;
    let [grad, history, param] = [1, 2, 3].map(|seed| noise(len, seed));
    let want: Vec<(f64, f64)> = (0..len)
        .map(|i| {
            let [grad, history, param] = [grad[i], history[i], param[i]].map(f64::from);
            pointwise::sgd(f64::from(0.01_f32), f64::from(0.9_f32), grad, history, param)
        })
        .collect();
    let (want_history, want_param): (Vec<f64>, Vec<f64>) = want.into_iter().unzip();
    on_every_cpu(|cpu| {
        let (mut history, mut param) = (history.clone(), param.clone());
        sgd(cpu, 0.01, 0.9, &grad, &mut history, &mut param);
        assert_close(&history, &want_history, 1e-6);
        assert_close(&param, &want_param, 1e-6);
        [history, param].concat()
    });
}
