//! What Caffe's commands log: the lines of `caffe.cpp` of Caffe 1.0, wording and line number
//! together.
//!
//! Programs that read logs look at the text; the numbers are there so that logs can be compared.

use std::path::Path;

use base::general;
use net::Output;

use super::line::LogLine;
use super::lines::{number, output_value};

/// One line of a command. Times are in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CaffeLine<'a> {
    /// All commands.
    UseCpu,
    /// `train`.
    ResumingFrom(&'a Path),
    StartingOptimization,
    OptimizationDone,
    /// `test`.
    RunningFor {
        iterations: u32,
    },
    BatchOutput {
        batch: usize,
        output: &'a Output,
        value: f32,
    },
    MeanLoss(f32),
    MeanOutput {
        output: &'a Output,
        value: f32,
    },
    /// `time`.
    PerformingForward,
    InitialLoss(f32),
    PerformingBackward,
    BenchmarkBegins,
    TestingFor {
        iterations: u32,
    },
    IterationTime {
        iteration: u32,
        time: f64,
    },
    AverageTimePerLayer,
    LayerForward {
        layer: &'a str,
        average: f64,
    },
    LayerBackward {
        layer: &'a str,
        average: f64,
    },
    AverageForward(f64),
    AverageBackward(f64),
    AverageForwardBackward(f64),
    TotalTime(f64),
    BenchmarkEnds,
}

impl CaffeLine<'_> {
    /// The line as it is logged.
    pub(super) fn logged(self) -> LogLine {
        let (number, text) = self.number_and_text();
        LogLine::at("caffe.cpp", number, text)
    }

    fn number_and_text(self) -> (u32, String) {
        match self {
            Self::UseCpu => (197, "Use CPU.".into()),
            Self::ResumingFrom(state) => (234, format!("Resuming from {}", state.display())),
            Self::StartingOptimization => (239, "Starting Optimization".into()),
            Self::OptimizationDone => (250, "Optimization Done.".into()),
            Self::RunningFor { iterations } => {
                (281, format!("Running for {iterations} iterations."))
            }
            Self::BatchOutput { batch, output, value } => {
                (304, format!("Batch {batch}, {} = {}", output.name, number(value)))
            }
            Self::MeanLoss(loss) => (309, format!("Loss: {}", number(loss))),
            Self::MeanOutput { output, value } => (321, output_value(output, value)),
            Self::PerformingForward => (352, "Performing Forward".into()),
            Self::InitialLoss(loss) => (357, format!("Initial loss: {}", number(loss))),
            Self::PerformingBackward => (358, "Performing Backward".into()),
            Self::BenchmarkBegins => (366, "*** Benchmark begins ***".into()),
            Self::TestingFor { iterations } => {
                (367, format!("Testing for {iterations} iterations."))
            }
            Self::IterationTime { iteration, time } => {
                (395, format!("Iteration: {iteration} forward-backward time: {}", ms(time)))
            }
            Self::AverageTimePerLayer => (398, "Average time per layer: ".into()),
            Self::LayerForward { layer, average } => {
                (401, format!("{layer:>10}\tforward: {}", ms(average)))
            }
            Self::LayerBackward { layer, average } => {
                (404, format!("{layer:>10}\tbackward: {}", ms(average)))
            }
            Self::AverageForward(time) => (409, format!("Average Forward pass: {}", ms(time))),
            Self::AverageBackward(time) => (411, format!("Average Backward pass: {}", ms(time))),
            Self::AverageForwardBackward(time) => {
                (413, format!("Average Forward-Backward: {}", ms(time)))
            }
            Self::TotalTime(time) => (415, format!("Total Time: {}", ms(time))),
            Self::BenchmarkEnds => (416, "*** Benchmark ends ***".into()),
        }
    }
}

fn ms(time: f64) -> String {
    format!("{} ms.", general(time))
}
