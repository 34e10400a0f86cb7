//! The nets that are drawn, and how long a published device takes for them.

use std::fs;

use anyhow::{Result, ensure};
use cluster_sim::{ComputeTimes, NetModel};
use profile::{DeviceProfile, DeviceTimes};

use crate::bench::cluster_run::{ClusterNet, FOLDER};
use crate::bench::nets::{ALEXNET, GOOGLENET, NIN, RESNET50};
use crate::reproduce::describe_file;
use crate::shell::root;

/// A net with the speed of a device from the papers (`bench/profiles` has their sources).
#[derive(Debug)]
pub(super) struct DrawnNet {
    pub(super) name: &'static str,
    pub(super) net: ClusterNet,
    /// Images per iteration on one device; small, so that an iteration is short on a slow clock.
    pub(super) batch: usize,
    device: &'static str,
    images_per_s: f64,
}

/// All of them.
pub(super) const NETS: &[DrawnNet] = &[
    DrawnNet { name: "AlexNet", net: ALEXNET, batch: 64, device: "P100", images_per_s: 1664.5 },
    DrawnNet { name: "ResNet-50", net: RESNET50, batch: 16, device: "P100", images_per_s: 142.2 },
    DrawnNet { name: "GoogLeNet", net: GOOGLENET, batch: 8, device: "K20", images_per_s: 45.0 },
    DrawnNet { name: "NiN", net: NIN, batch: 16, device: "K20", images_per_s: 112.0 },
];

/// A net as the simulator sees it.
pub(super) struct ModelledNet {
    pub(super) model: NetModel,
    pub(super) times: ComputeTimes,
}

impl DrawnNet {
    /// Seconds that a device computes in one iteration.
    pub(super) fn compute_s(&self) -> f64 {
        self.batch as f64 / self.images_per_s
    }

    /// The same times, in a file for `train --emulate`; its path.
    pub(super) fn write_profile(&self) -> Result<String> {
        let path = format!("{FOLDER}/{}_{}.json", self.net.file, self.device);
        fs::create_dir_all(root().join(FOLDER))?;
        fs::write(root().join(&path), self.profile().to_json())?;
        Ok(path)
    }

    fn profile(&self) -> DeviceProfile {
        DeviceProfile {
            net: self.name.to_owned(),
            batch: self.batch,
            machine: format!("NVIDIA {}", self.device),
            source: "bench/profiles, with another batch".to_owned(),
            times: DeviceTimes::Rate { images_per_second: self.images_per_s },
        }
    }

    /// Reads the net's file.
    pub(super) fn model(&self) -> Result<ModelledNet> {
        let path = self.net.write(self.batch)?;
        let net = describe_file(&root().join(path))?;
        ensure!(net.batch_items() == self.batch, "{} has another batch", self.name);
        let times = ComputeTimes::of_profile(&self.profile(), &net)?;
        Ok(ModelledNet { model: NetModel::of(&net), times })
    }
}
