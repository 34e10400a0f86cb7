//! The net's `input`, `input_shape` and `input_dim` fields, made an Input layer in front.
//!
//! `input_dim` lists four numbers per input. A model file may list inputs without shapes: they are
//! dropped, since the net that takes its weights has its own.

use super::{UpgradeChange, UpgradeError};
use crate::{BlobShape, InputParameter, LayerParameter, NetParameter};

pub(super) fn net(
    net: &mut NetParameter,
    changes: &mut Vec<UpgradeChange>,
) -> Result<(), UpgradeError> {
    if net.input.is_empty() {
        return Ok(());
    }
    let shaped = !(net.input_shape.is_empty() && net.input_dim.is_empty());
    if shaped {
        let shape = shapes(net)?;
        let layer = LayerParameter {
            name: Some("input".to_owned()),
            type_: Some("Input".to_owned()),
            top: net.input.clone(),
            input_param: Some(InputParameter { shape, ..InputParameter::EMPTY }),
            ..LayerParameter::EMPTY
        };
        net.layer.insert(0, layer);
    }
    net.input.clear();
    net.input_shape.clear();
    net.input_dim.clear();
    changes.push(if shaped { UpgradeChange::InputLayer } else { UpgradeChange::DroppedInputs });
    Ok(())
}

/// One shape per input; `input_shape` wins over `input_dim`.
fn shapes(net: &NetParameter) -> Result<Vec<BlobShape>, UpgradeError> {
    let inputs = net.input.len();
    let missing = |input: usize, want: String, got: usize| UpgradeError::InputShape {
        input: net.input[input].clone(),
        want,
        inputs,
        got,
    };
    if !net.input_shape.is_empty() {
        let got = net.input_shape.len();
        let given = net.input_shape.get(..inputs);
        return given
            .map(<[_]>::to_vec)
            .ok_or_else(|| missing(got, format!("{inputs} `input_shape`"), got));
    }
    let (given, _) = net.input_dim.as_chunks::<4>();
    if given.len() < inputs {
        // Caffe takes whatever is in memory after the list.
        let want = format!("{} `input_dim` (images, channels, height, width)", 4 * inputs);
        return Err(missing(given.len(), want, net.input_dim.len()));
    }
    let shape =
        |dims: &[i32; 4]| BlobShape { dim: dims.map(i64::from).to_vec(), ..BlobShape::EMPTY };
    Ok(given[..inputs].iter().map(shape).collect())
}
