#!/usr/bin/env python3
"""Trains the network of a Caffe prototxt in PyTorch and says how long an iteration takes.

The layers and shapes are the file's; the input is fixed, so no data loading is timed. With `--workers W`
the batch is each worker's, and W processes sum their gradients over gloo (DistributedDataParallel).

An iteration is: forget the gradients, forward, backward and, with `--update`, SGD with momentum and
weight decay. The last line is JSON; its times are medians over the iterations:

    {"images_per_s": 8.1, "ms": 1975.3, "update_ms": 4.1, ...}      `ms` contains `update_ms`

With `--on-request` nothing is run before a line `N` arrives on standard input; N iterations follow and
one JSON line, again and again until the input ends. A bench that alternates between programs needs this.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time

import torch
import torch.distributed
import torch.multiprocessing
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

import prototxt

WARM_UP = 2  # iterations that are not counted: memory is allocated and kernels are chosen in them


def convolution(layer):
    p = layer.message("convolution_param")
    return torch.nn.LazyConv2d(
        p.get("num_output", 0),
        p.get("kernel_size", 1),
        stride=p.get("stride", 1),
        padding=p.get("pad", 0),
        dilation=p.get("dilation", 1),
        groups=p.get("group", 1),
        bias=p.get("bias_term", True),
    )


def inner_product(layer):
    p = layer.message("inner_product_param")
    linear = torch.nn.LazyLinear(p.get("num_output", 0), bias=p.get("bias_term", True))
    return torch.nn.Sequential(torch.nn.Flatten(), linear)


def pooling(layer):
    p = layer.message("pooling_param")
    largest = p.get("pool", "MAX") == "MAX"
    if p.get("global_pooling", False):
        return torch.nn.AdaptiveMaxPool2d(1) if largest else torch.nn.AdaptiveAvgPool2d(1)
    kind = torch.nn.MaxPool2d if largest else torch.nn.AvgPool2d
    window = p.get("kernel_size", 1), p.get("stride", 1), p.get("pad", 0)
    return kind(*window, ceil_mode=True)  # Caffe rounds up


def local_response(layer):
    p = layer.message("lrn_param")
    return torch.nn.LocalResponseNorm(
        p.get("local_size", 5), p.get("alpha", 1.0), p.get("beta", 0.75), p.get("k", 1.0)
    )


def dropout(layer):
    return torch.nn.Dropout(layer.message("dropout_param").get("dropout_ratio", 0.5))


class Sum(torch.nn.Module):
    def forward(self, *inputs):
        total = inputs[0]
        for other in inputs[1:]:
            total = total + other
        return total


class Concat(torch.nn.Module):
    def forward(self, *inputs):
        return torch.cat(inputs, 1)


class SoftmaxLoss(torch.nn.Module):
    def __init__(self, weight):
        super().__init__()
        self.weight = weight

    def forward(self, scores, label):
        return self.weight * F.cross_entropy(scores.flatten(1), label)


# One row per layer type. Caffe's BatchNorm has no scale of its own and a Scale layer follows it; PyTorch's has,
# so the pair is one module and Scale passes its input on.
MODULES = {
    "BatchNorm": lambda layer: torch.nn.LazyBatchNorm2d(),
    "Concat": lambda layer: Concat(),
    "Convolution": convolution,
    "Dropout": dropout,
    "Eltwise": lambda layer: Sum(),
    "InnerProduct": inner_product,
    "LRN": local_response,
    "Pooling": pooling,
    "ReLU": lambda layer: torch.nn.ReLU(inplace=True),
    "Scale": lambda layer: torch.nn.Identity(),
    "SoftmaxWithLoss": lambda layer: SoftmaxLoss(layer.get("loss_weight", 1.0)),
}


class Network(torch.nn.Module):
    """The file's layers in its order. Shapes are found by running it once on a batch of one."""

    def __init__(self, net):
        super().__init__()
        self.layers = torch.nn.ModuleList()
        self.wiring = []  # per layer: type, names of its bottoms, name of its top
        for layer in net.all("layer"):
            kind = layer.get("type", "")
            if kind == "DummyData":
                self.inputs = layer.all("top")
                self.shape = [int(d) for d in layer.message("dummy_data_param").all("shape")[0].all("dim")]
                continue
            if kind not in MODULES:
                raise SystemExit(f"torch_peer.py: no peer for layers of type {kind}")
            self.layers.append(MODULES[kind](layer))
            self.wiring.append((kind, layer.all("bottom"), layer.all("top")[0]))
        with torch.no_grad():
            self(torch.zeros([1, *self.shape[1:]]), torch.ones(1, dtype=torch.long))

    def forward(self, data, label):
        blobs = dict(zip(self.inputs, (data, label)))
        loss = 0
        for (kind, bottoms, top), module in zip(self.wiring, self.layers):
            value = module(*(blobs[name] for name in bottoms))
            if kind == "SoftmaxWithLoss":
                loss = loss + value
            else:
                blobs[top] = value
        return loss


class Training:
    """A network, its batch and its optimizer on one of the workers."""

    def __init__(self, options):
        torch.manual_seed(0)
        torch.set_num_threads(options.threads)
        network = Network(prototxt.read(options.net))
        self.items = options.batch or network.shape[0]
        self.data = torch.randn([self.items, *network.shape[1:]])
        self.label = torch.ones(self.items, dtype=torch.long)
        if options.layout == "nhwc":
            network = network.to(memory_format=torch.channels_last)
            self.data = self.data.contiguous(memory_format=torch.channels_last)
        if options.workers > 1:
            network = DistributedDataParallel(network, gradient_as_bucket_view=True)
        self.network = network
        self.optimizer = None
        if options.update:
            self.optimizer = torch.optim.SGD(
                network.parameters(), 0.01, momentum=0.9, weight_decay=0.0005, fused=True
            )

    def iteration(self):
        """Runs one; seconds it took, and the update's share of them."""
        begin = time.perf_counter()
        self.network.zero_grad(set_to_none=True)
        self.network(self.data, self.label).backward()
        middle = time.perf_counter()
        if self.optimizer:
            self.optimizer.step()
        end = time.perf_counter()
        return end - begin, end - middle

    def median(self, iterations):
        """Median milliseconds of an iteration and of its update."""
        times = [self.iteration() for _ in range(iterations)]
        return [1e3 * statistics.median(part) for part in zip(*times)]


def worker(rank, options, meeting):
    if options.workers > 1:
        torch.distributed.init_process_group(
            "gloo", init_method=f"file://{meeting}", rank=rank, world_size=options.workers
        )
    training = Training(options)
    training.median(WARM_UP)
    if options.on_request:
        print("{}", flush=True)  # ready
        for line in sys.stdin:
            print(report(training, options, int(line)), flush=True)
        return
    text = report(training, options, options.iters)
    if rank == 0:
        print(text)
    if options.workers > 1:
        torch.distributed.destroy_process_group()


def report(training, options, iterations):
    ms, update_ms = training.median(iterations)
    return json.dumps(
        {
            "peer": f"torch {torch.__version__}",
            "net": os.path.basename(options.net),
            "layout": options.layout,
            "threads": options.threads,
            "workers": options.workers,
            "images": training.items * options.workers,
            "ms": round(ms, 3),
            "update_ms": round(update_ms, 3),
            "images_per_s": round(1e3 * training.items * options.workers / ms, 3),
        }
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("net", help="the network's prototxt")
    parser.add_argument("--layout", choices=["nchw", "nhwc"], default="nchw")
    parser.add_argument("--threads", type=int, default=1, help="of each worker")
    parser.add_argument("--iters", type=int, default=5, help="iterations to measure")
    parser.add_argument("--workers", type=int, default=1, help="processes over gloo")
    parser.add_argument("--batch", type=int, help="instead of the file's")
    parser.add_argument("--update", action="store_true", help="also update the weights")
    parser.add_argument("--on-request", action="store_true", help="one worker only")
    options = parser.parse_args()
    if options.workers == 1:
        worker(0, options, None)
        return
    with tempfile.TemporaryDirectory() as folder:
        arguments = (options, os.path.join(folder, "meeting"))
        torch.multiprocessing.spawn(worker, arguments, nprocs=options.workers)


if __name__ == "__main__":
    main()
