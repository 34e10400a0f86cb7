//! What the engine reports, as far as a script is told, on stderr: the warnings of the command's
//! log, and what a solver displays.
//!
//! pycaffe's log of every layer is not repeated; `caffe.train` reports events.

use train::Event;

use crate::functions::write_log;

/// Tells of one event, if it is a warning.
pub(crate) fn report(event: &Event) {
    match event {
        Event::LayerIgnored { layer } => report_ignored(std::slice::from_ref(layer)),
        Event::Displayed(display) => {
            let (iter, loss, rate) = (display.iter, display.loss, display.rate);
            write_log(&format!("Iteration {iter}, loss = {loss}, lr = {rate}"));
        }
        Event::Tested { outputs, .. } => {
            for (index, output) in outputs.iter().enumerate() {
                for value in &output.values {
                    let text = format!("    Test net output #{index}: {} = {value}", output.name);
                    write_log(&text);
                }
            }
        }
        Event::SnapshotWritten { model, .. } => {
            write_log(&format!("Snapshot written to {}", model.display()));
        }
        event => firecaffe::warnings(event).for_each(|text| write_log(&text)),
    }
}

/// Tells of layers of a model file that the net does not have.
pub(crate) fn report_ignored(layers: &[String]) {
    for layer in layers {
        write_log(&format!("Ignoring source layer {layer}"));
    }
}
