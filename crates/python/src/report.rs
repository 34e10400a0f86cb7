//! What the engine reports, as far as a script is told: warnings on stderr.
//!
//! pycaffe's log of every layer is not repeated; `caffe.train` reports events.

use train::Event;

/// Tells of one event, if it is a warning.
pub(crate) fn report(event: &Event) {
    match event {
        Event::LayerIgnored { layer } => report_ignored(std::slice::from_ref(layer)),
        Event::Displayed(display) => {
            let (iter, loss, rate) = (display.iter, display.loss, display.rate);
            crate::functions::write_log(&format!("Iteration {iter}, loss = {loss}, lr = {rate}"));
        }
        Event::Tested { outputs, .. } => {
            for (index, output) in outputs.iter().enumerate() {
                for value in &output.values {
                    let text = format!("    Test net output #{index}: {} = {value}", output.name);
                    crate::functions::write_log(&text);
                }
            }
        }
        Event::SnapshotWritten { model, .. } => {
            crate::functions::write_log(&format!("Snapshot written to {}", model.display()));
        }
        _ => {}
    }
}

/// Tells of layers of a model file that the net does not have.
pub(crate) fn report_ignored(layers: &[String]) {
    for layer in layers {
        crate::functions::write_log(&format!("Ignoring source layer {layer}"));
    }
}
