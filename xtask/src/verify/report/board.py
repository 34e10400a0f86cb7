"""Reads event files with the tensorboard package: scalars as the log has them, no step twice.

    python board.py DIR LOG     or     python board.py DIR
"""
import re
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

accumulator = EventAccumulator(sys.argv[1], size_guidance={'scalars': 0, 'histograms': 0})
accumulator.Reload()
tags = accumulator.Tags()
print('scalars', tags['scalars'], 'histograms', len(tags['histograms']))
for tag in tags['scalars']:
    steps = [event.step for event in accumulator.Scalars(tag)]
    assert len(steps) == len(set(steps)), f'{tag}: a step twice: {steps}'
    assert steps == sorted(steps), f'{tag}: steps are not in order'
losses = {event.step: event.value for event in accumulator.Scalars('train/loss')}
assert losses, 'no losses'
if len(sys.argv) > 2:
    text = open(sys.argv[2]).read()
    logged = {int(i): float(v) for i, v in re.findall(r'Iteration (\d+) \(.*\), loss = (\S+)', text)}
    assert logged.keys() == losses.keys(), (logged.keys(), losses.keys())
    for step, loss in logged.items():
        assert abs(loss - losses[step]) <= 1e-5 * abs(loss), (step, loss, losses[step])
    histogram = accumulator.Histograms(tags['histograms'][0])[0].histogram_value
    assert histogram.num == sum(histogram.bucket) > 0 and histogram.min < histogram.max, histogram
print(f'{len(losses)} losses passed')
