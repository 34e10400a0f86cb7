//! One notice about everything that asks for a GPU, which there is no code for.

use caffe_format::{NetParameter, SolverParameter, SolverParameterSolverMode, text};

/// What to tell someone whose files or flags ask for a GPU; `None` when nothing does.
pub(crate) fn notice(
    flag: Option<&str>,
    solver: Option<&SolverParameter>,
    nets: &[&NetParameter],
) -> Option<String> {
    let mut asks = Vec::new();
    if let Some(ids) = flag {
        asks.push(format!("`-gpu {ids}`"));
    }
    if let Some(solver) = solver {
        if solver.solver_mode == Some(SolverParameterSolverMode::Gpu) {
            asks.push("`solver_mode: GPU`".into());
        }
        asks.extend(solver.device_id.map(|id| format!("`device_id: {id}`")));
    }
    if nets.iter().any(|net| text::write(*net).contains("engine: CUDNN")) {
        asks.push("`engine: CUDNN`".into());
    }
    if asks.is_empty() {
        return None;
    }
    let devices = flag.map_or(1, |ids| ids.split(',').filter(|id| !id.is_empty()).count());
    let hint = if devices > 1 {
        format!("; `--workers {devices}` would train {devices} replicas as {devices} GPUs do")
    } else {
        String::new()
    };
    Some(format!("computing on the CPU: {} has no effect here{hint}", asks.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::notice;
    use caffe_format::{SolverParameter, SolverParameterSolverMode};

    #[test]
    fn one_notice_names_everything() {
        let solver = SolverParameter {
            solver_mode: Some(SolverParameterSolverMode::Gpu),
            device_id: Some(0),
            ..SolverParameter::default()
        };
        let net = "layer { name: \"c\" convolution_param { engine: CUDNN } }";
        let net = caffe_format::text::read("net", net).unwrap();
        assert_eq!(notice(None, None, &[]), None);
        assert_eq!(
            notice(Some("0,1"), Some(&solver), &[&net]).unwrap(),
            "computing on the CPU: `-gpu 0,1`, `solver_mode: GPU`, `device_id: 0`, \
             `engine: CUDNN` has no effect here; \
             `--workers 2` would train 2 replicas as 2 GPUs do"
        );
    }
}
