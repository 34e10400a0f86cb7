//! The benchmark's nets, as jobs of the namespace cluster write them with another batch.

use super::cluster_run::ClusterNet;

pub(crate) const ALEXNET: ClusterNet = ClusterNet {
    file: "alexnet_b32",
    written: "dim: 32 dim: 3 dim: 227 dim: 227 } shape { dim: 32 }",
    shapes: "dim: {} dim: 3 dim: 227 dim: 227 } shape { dim: {} }",
};
pub(crate) const CIFAR10: ClusterNet = ClusterNet {
    file: "cifar10_quick_b100",
    written: "dim: 100 dim: 3 dim: 32 dim: 32 } shape { dim: 100 }",
    shapes: "dim: {} dim: 3 dim: 32 dim: 32 } shape { dim: {} }",
};
pub(crate) const GOOGLENET: ClusterNet = ClusterNet {
    file: "googlenet_b16",
    written: "dim: 16 dim: 3 dim: 224 dim: 224 } shape { dim: 16 }",
    shapes: "dim: {} dim: 3 dim: 224 dim: 224 } shape { dim: {} }",
};
pub(crate) const LENET: ClusterNet = ClusterNet {
    file: "lenet_b64",
    written: "dim: 64 dim: 1 dim: 28 dim: 28 } shape { dim: 64 }",
    shapes: "dim: {} dim: 1 dim: 28 dim: 28 } shape { dim: {} }",
};
pub(crate) const NIN: ClusterNet = ClusterNet {
    file: "nin_b32",
    written: "dim: 32 dim: 3 dim: 224 dim: 224 } shape { dim: 32 }",
    shapes: "dim: {} dim: 3 dim: 224 dim: 224 } shape { dim: {} }",
};
pub(crate) const RESNET50: ClusterNet = ClusterNet {
    file: "resnet50_b8",
    written: "dim: 8 dim: 3 dim: 224 dim: 224 } shape { dim: 8 }",
    shapes: "dim: {} dim: 3 dim: 224 dim: 224 } shape { dim: {} }",
};
