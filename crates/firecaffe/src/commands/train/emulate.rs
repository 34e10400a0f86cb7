//! `train --emulate`: what to wait for instead of computing, and whether the machine was calm
//! enough for its figures to mean anything.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::{fmt, fs};

use anyhow::{Context, Result};
use train::{DeviceProfile, Emulation, Event, JobConfig, MachineMemory};

use crate::clock::RealClock;
use crate::log::Log;
use crate::machine::{self, CoreTimes};
use crate::memory_limit::free_bytes_here;

/// Above this load of the cores waits end late, and work takes longer than the profile says.
const LOAD_MAX: f64 = 0.7;

/// Flags of an emulated run.
#[derive(Debug, clap::Args)]
pub(crate) struct EmulateArgs {
    /// Wait for the times in this profile instead of computing (see docs/scaling.md); all else is
    /// real, and nothing is learned or saved
    #[arg(long, value_name = "PROFILE", conflicts_with_all = ["weights", "snapshot"])]
    emulate: Option<PathBuf>,
    /// Let the time of an emulated run pass K times slower, so that hosts can share cores; make
    /// links K times slower too
    #[arg(long, value_name = "K", default_value_t = 1, requires = "emulate",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    dilate: u32,
    /// Gradients of an emulated run, as `time --save-gradients` writes them [default: drawn]
    #[arg(long, value_name = "FILE", requires = "emulate")]
    emulate_gradients: Option<PathBuf>,
}

impl EmulateArgs {
    /// Whether the run is emulated.
    pub(super) fn is_given(&self) -> bool {
        self.emulate.is_some()
    }

    /// How many times slower than real time the clock runs.
    pub(super) fn dilation(&self) -> u32 {
        self.dilate
    }

    /// Reads the profile into `config`. Waiting needs no threads beside the worker's own.
    pub(super) fn apply(&self, config: JobConfig) -> Result<JobConfig> {
        let Some(file) = &self.emulate else { return Ok(config) };
        let shown = file.display();
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {shown}"))?;
        let profile = DeviceProfile::from_json(&text).with_context(|| shown.to_string())?;
        let emulation = Emulation {
            file: file.clone(),
            profile,
            dilation: self.dilate,
            gradients: self.emulate_gradients.clone(),
            memory: MachineMemory {
                machine: machine::identity(),
                free_bytes: free_bytes_here().unwrap_or(u64::MAX),
            },
        };
        let clock = Arc::new(RealClock::dilated(self.dilate));
        Ok(JobConfig { emulation: Some(emulation), clock, threads: 1, ..config })
    }
}

/// Measures the load of the cores during the iterations of an emulated run.
#[derive(Debug, Default)]
pub(super) struct LoadMeter {
    begin: Option<CoreTimes>,
    /// The load, if it was too high.
    excess: Option<f64>,
}

impl LoadMeter {
    /// Whether the log may have `event`: a speed is withheld if the cores were too busy.
    pub(super) fn allows(&mut self, event: &Event, log: &Log) -> bool {
        match event {
            Event::Solving { .. } => self.begin = CoreTimes::read(),
            Event::Spent { .. } => {
                let end = self.begin.zip(CoreTimes::read());
                let load = end.map(|(begin, end)| end.load_since(begin));
                let words = load.map_or("unknown".into(), |load| format!("{:.1} %", 100.0 * load));
                log.note(format!("emulated: load of the cores {words}"));
                self.excess = load.filter(|&load| load > LOAD_MAX);
                return self.excess.is_none();
            }
            _ => {}
        }
        true
    }

    /// An error if a speed was withheld.
    pub(super) fn check(&self) -> Result<(), BusyCores> {
        self.excess.map_or(Ok(()), |load| Err(BusyCores { load }))
    }
}

/// The cores were too busy for the figures of an emulated run. The run itself has ended well, so no
/// other rank has to be told.
#[derive(Debug)]
pub(super) struct BusyCores {
    load: f64,
}

impl fmt::Display for BusyCores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no images/s: the cores were {:.0} % busy, and above {:.0} % an emulated run is slower \
             than what it emulates; use a larger `--dilate` with links as much slower, fewer \
             hosts, or a machine that runs nothing else",
            100.0 * self.load,
            100.0 * LOAD_MAX
        )
    }
}

impl Error for BusyCores {}
