//! `--batch global`: the net states the batch of all replicas, and each takes an equal number of
//! items.

use caffe_format::{LayerParameter, NetParameter, Phase};

use crate::{PlacementProblem, TrainError};

/// Divides every `batch_size` of the train net by the number of replicas.
pub(crate) fn divide_batches(net: &mut NetParameter, replicas: usize) -> Result<(), TrainError> {
    let divisor = u32::try_from(replicas).unwrap_or(u32::MAX);
    let trains = |layer: &&mut LayerParameter| {
        layer.include.is_empty() || layer.include.iter().any(|rule| rule.phase() == Phase::Train)
    };
    for layer in net.layer.iter_mut().filter(trains) {
        let name = layer.name().to_owned();
        let sizes = [
            layer.data_param.as_mut().map(|p| &mut p.batch_size),
            layer.image_data_param.as_mut().map(|p| &mut p.batch_size),
            layer.hdf5_data_param.as_mut().map(|p| &mut p.batch_size),
            layer.memory_data_param.as_mut().map(|p| &mut p.batch_size),
            layer.window_data_param.as_mut().map(|p| &mut p.batch_size),
        ];
        for size in sizes.into_iter().flatten().flatten() {
            if *size % divisor != 0 {
                return Err(
                    PlacementProblem::GlobalBatch { layer: name, batch: *size, replicas }.into()
                );
            }
            *size /= divisor;
        }
    }
    Ok(())
}
