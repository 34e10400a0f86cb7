#!/usr/bin/env python3
"""libjpeg-turbo beside our JPEG decoder: makes files, decodes them, and is timed.

    jpeg_peer.py make FOLDER --count N --seed S --width W --height H --quality Q --sampling 420|422|444|gray
                             [--progressive]
    jpeg_peer.py mix FOLDER --count N --seed S      sizes, qualities, samplings and encoders at random
    jpeg_peer.py decode FOLDER                      writes NAME.bgr and NAME.gray beside each NAME.jpg
    jpeg_peer.py time FOLDER..                      for each line `INDEX PASSES` on standard input, decodes the
                                                    files of a folder so often and prints the seconds it took

Decoding is `simplejpeg`, which holds libjpeg-turbo, with its slow (exact) DCT and upsampling, on one thread, into
memory that is reused. `cargo xtask bench jpeg` and `cargo xtask verify jpeg` call this script.
"""

import argparse
import io
import pathlib
import sys
import time

import numpy
import simplejpeg
from PIL import Image

EXACT = {"fastdct": False, "fastupsample": False}
PILLOW_SAMPLINGS = {"444": 0, "422": 1, "420": 2}


def picture(rng, height, width, detail):
    """Noise with the spectrum of photographs, edges, and less of everything in the chromas."""
    frequency = numpy.hypot(numpy.fft.fftfreq(height)[:, None], numpy.fft.rfftfreq(width)[None, :])
    amplitude = 1 / (frequency + 1 / 64) ** 1.7

    def plane(deviation):
        noise = numpy.fft.rfft2(rng.standard_normal((height, width)))
        values = numpy.fft.irfft2(noise * amplitude, s=(height, width))
        return values * (deviation / max(values.std(), 1e-9))

    luma = 128 + plane(45 * detail)
    for _ in range(6):
        top, left = rng.integers(0, height), rng.integers(0, width)
        luma[top : top + rng.integers(1, height + 1), left : left + rng.integers(1, width + 1)] += rng.normal(0, 30)
    blue, red = plane(16 * detail), plane(16 * detail)
    rgb = numpy.stack([luma + 1.4 * red, luma - 0.34 * blue - 0.71 * red, luma + 1.77 * blue], axis=-1)
    return numpy.ascontiguousarray(rgb.clip(0, 255).astype(numpy.uint8))


def encode(rgb, sampling, quality, **options):
    """By Pillow, which holds libjpeg-turbo too."""
    image = Image.fromarray(rgb)
    if sampling == "gray":
        image = image.convert("L")
    else:
        options["subsampling"] = PILLOW_SAMPLINGS[sampling]
    out = io.BytesIO()
    image.save(out, "JPEG", quality=quality, **options)
    return out.getvalue()


def make(args):
    rng = numpy.random.default_rng(args.seed)
    for i in range(args.count):
        rgb = picture(rng, args.height, args.width, 1.0)
        options = {"progressive": True} if args.progressive else {}
        data = encode(rgb, args.sampling, args.quality, **options)
        (args.folder / f"{i:04}.jpg").write_bytes(data)


def mix(args):
    rng = numpy.random.default_rng(args.seed)
    for i in range(args.count):
        height, width = (int(rng.choice([rng.integers(1, 24), rng.integers(1, 200), 8 * rng.integers(1, 30)])) for _ in "hw")
        rgb = picture(rng, height, width, float(rng.choice([0.1, 1.0, 3.0])))
        quality = int(rng.integers(5, 101))
        sampling = str(rng.choice(["444", "422", "420", "440", "411", "gray"]))
        if sampling in ("440", "411"):
            data = simplejpeg.encode_jpeg(rgb, quality=quality, colorsubsampling=sampling)
        else:
            options = {}
            if rng.integers(2):
                options["progressive"] = True
            if rng.integers(2):
                options["optimize"] = True
            if rng.integers(3) == 0:
                options["restart_marker_blocks"] = int(rng.integers(1, 20))
            data = encode(rgb, sampling, quality, **options)
        (args.folder / f"{i:04}.jpg").write_bytes(data)


def decode(args):
    for path in sorted(args.folder.glob("*.jpg")):
        data = path.read_bytes()
        for colorspace, ending in [("BGR", ".bgr"), ("GRAY", ".gray")]:
            pixels = simplejpeg.decode_jpeg(data, colorspace, **EXACT)
            path.with_suffix(ending).write_bytes(pixels.tobytes())


def measure(args):
    folders = [[path.read_bytes() for path in sorted(folder.glob("*.jpg"))] for folder in args.folders]
    buffers = [simplejpeg.decode_jpeg(files[0], "BGR", **EXACT) for files in folders]
    for line in sys.stdin:
        index, passes = map(int, line.split())
        files, buffer = folders[index], buffers[index]
        begin = time.perf_counter()
        for _ in range(passes):
            for data in files:
                simplejpeg.decode_jpeg(data, "BGR", buffer=buffer, **EXACT)
        print(time.perf_counter() - begin, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, run in [("make", make), ("mix", mix), ("decode", decode)]:
        command = commands.add_parser(name)
        command.set_defaults(run=run)
        command.add_argument("folder", type=pathlib.Path)
        if name != "decode":
            command.add_argument("--count", type=int, required=True)
            command.add_argument("--seed", type=int, required=True)
        if name == "make":
            for option in ("--width", "--height", "--quality"):
                command.add_argument(option, type=int, required=True)
            command.add_argument("--sampling", choices=[*PILLOW_SAMPLINGS, "gray"], required=True)
            command.add_argument("--progressive", action="store_true")
    command = commands.add_parser("time")
    command.set_defaults(run=measure)
    command.add_argument("folders", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
