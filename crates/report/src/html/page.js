'use strict';
// Redraws the curves of #curves from their points: smoothing, logarithmic y, zoom in x.
(() => {
  const view = {smoothing: 0, log: false, from: null, to: null};
  const NS = 'http://www.w3.org/2000/svg';

  const nice = step => {
    const power = 10 ** Math.floor(Math.log10(step));
    const factor = [1, 2, 5].find(f => f * power >= step * 0.999) || 10;
    return factor * power;
  };
  const label = value => {
    const size = Math.abs(value);
    if (size && (size < 1e-4 || size >= 1e7)) return value.toExponential(1).replace('.0e', 'e');
    return String(Number(value.toPrecision(6)));
  };
  const axis = (low, high, from, to, log) => {
    const unit = log ? Math.log10 : v => v;
    let a = unit(low), b = unit(high);
    if (!(b > a)) { const m = log ? 1 : 0.05 * Math.abs(b) || 1e-9; a -= m; b += m; }
    const step = log ? Math.max(1, Math.ceil((b - a) / 8)) : nice((b - a) / 5);
    const ticks = [];
    for (let u = Math.ceil(a / step - 1e-9) * step; u <= b + 1e-9 * step && ticks.length < 64; u += step)
      ticks.push(log ? 10 ** u : u);
    return {ticks, at: v => from + (unit(v) - a) / (b - a) * (to - from)};
  };
  const add = (group, name, attributes, text) => {
    const element = document.createElementNS(NS, name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    if (text !== undefined) element.textContent = text;
    group.append(element);
  };
  const pointsOf = path => {
    if (!path.points) {
      const n = path.dataset.points.split(' ').map(Number);
      path.points = [];
      for (let i = 0; i < n.length; i += 2) path.points.push([n[i], n[i + 1]]);
    }
    return path.points;
  };
  // Exponential moving average, corrected for its start.
  const smoothed = points => {
    const keep = view.smoothing;
    let mean = 0, weight = 0;
    return keep === 0 ? points : points.map(([x, y]) => {
      mean = keep * mean + (1 - keep) * y;
      weight = keep * weight + (1 - keep);
      return [x, mean / weight];
    });
  };

  // The part of a curve that is zoomed to; it ends at the border, where a line between points crosses it.
  const within = points => view.from === null ? points : points.flatMap(([x, y], index) => {
    if (index === 0) return x >= view.from && x <= view.to ? [[x, y]] : [];
    const [px, py] = points[index - 1], at = v => [v, py + (v - px) / (x - px) * (y - py)];
    const crossed = [view.from, view.to].filter(v => px < v && v < x).map(at);
    return x >= view.from && x <= view.to ? [...crossed, [x, y]] : crossed;
  });

  const draw = svg => {
    const [left, top, right, bottom] = svg.dataset.area.split(' ').map(Number);
    const paths = [...svg.querySelectorAll('path[data-points]')];
    const shown = paths.map(path => within(smoothed(pointsOf(path)).filter(([, y]) => !view.log || y > 0)));
    const all = shown.flat();
    if (all.length === 0) return;
    let [y0, y1] = [Infinity, -Infinity];
    for (const [, y] of all) { y0 = Math.min(y0, y); y1 = Math.max(y1, y); }
    const [x0, x1] = view.from === null ? svg.dataset.x.split(' ').map(Number) : [view.from, view.to];
    const xs = axis(x0, x1, left, right, false), ys = axis(y0, y1, bottom, top, view.log);
    svg.range = [x0, x1, left, right];
    const gx = svg.querySelector('g.x'), gy = svg.querySelector('g.y');
    gx.replaceChildren(); gy.replaceChildren();
    for (const tick of xs.ticks) {
      const x = xs.at(tick).toFixed(1);
      add(gx, 'path', {class: 'grid', d: `M${x} ${top}V${bottom}`});
      add(gx, 'text', {class: 'middle small', x, y: bottom + 17}, label(tick));
    }
    for (const tick of ys.ticks) {
      const y = ys.at(tick);
      add(gy, 'path', {class: 'grid', d: `M${left} ${y.toFixed(1)}H${right}`});
      add(gy, 'text', {class: 'end small', x: left - 7, y: (y + 4).toFixed(1)}, label(tick));
    }
    paths.forEach((path, index) => {
      const d = shown[index].map(([x, y]) => `${xs.at(x).toFixed(1)} ${ys.at(y).toFixed(1)}`);
      path.setAttribute('d', d.length ? 'M' + d.join('L') : '');
    });
    const names = [...svg.querySelectorAll('.names text')];
    if (names.length === paths.length) {
      // Beside the curves' ends, moved apart where they would overlap.
      const ends = shown.map((points, index) => ({index, y: points.length ? ys.at(points.at(-1)[1]) + 4 : top}));
      ends.sort((a, b) => a.y - b.y);
      ends.forEach((end, place) => { if (place) end.y = Math.max(end.y, ends[place - 1].y + 15); });
      for (const {index, y} of ends) names[index].setAttribute('y', y.toFixed(1));
    }
    // Dots belong to the first view only.
    const first = view.smoothing === 0 && !view.log && view.from === null;
    for (const dot of svg.querySelectorAll('circle')) dot.style.display = first ? '' : 'none';
  };
  const drawAll = () => document.querySelectorAll('#curves svg[data-area]').forEach(draw);

  const place = (svg, event) => {
    const box = svg.getBoundingClientRect(), width = svg.viewBox.baseVal.width;
    return (event.clientX - box.left) / box.width * width;
  };
  // Drag over a curve to zoom.
  const drag = svg => {
    let start = null, rect = null;
    svg.addEventListener('pointerdown', event => {
      if (!svg.range) draw(svg);
      if (!svg.range) return;
      start = place(svg, event);
      rect = document.createElementNS(NS, 'rect');
      rect.setAttribute('class', 'pick');
      const [, top, , bottom] = svg.dataset.area.split(' ').map(Number);
      rect.setAttribute('y', top);
      rect.setAttribute('height', bottom - top);
      svg.append(rect);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener('pointermove', event => {
      if (start === null) return;
      const now = place(svg, event);
      rect.setAttribute('x', Math.min(start, now));
      rect.setAttribute('width', Math.abs(now - start));
    });
    svg.addEventListener('pointercancel', () => { if (rect) rect.remove(); start = null; });
    svg.addEventListener('pointerup', event => {
      if (start === null) return;
      const [x0, x1, left, right] = svg.range;
      const value = at => x0 + (Math.min(Math.max(at, left), right) - left) / (right - left) * (x1 - x0);
      const [a, b] = [value(start), value(place(svg, event))].sort((a, b) => a - b);
      rect.remove();
      start = null;
      if (b - a > (x1 - x0) / 200) { view.from = a; view.to = b; drawAll(); }
    });
  };

  // Called for the page, and whenever a live page has replaced its curves.
  window.prepareCurves = () => {
    const tools = document.querySelector('#curves .tools');
    if (!tools) return;
    const [smoothing, log, reset] = ['.smoothing', '.log', '.reset'].map(c => tools.querySelector(c));
    smoothing.value = view.smoothing;
    log.checked = view.log;
    smoothing.oninput = () => { view.smoothing = Number(smoothing.value); drawAll(); };
    log.onchange = () => { view.log = log.checked; drawAll(); };
    reset.onclick = () => { view.from = view.to = null; drawAll(); };
    tools.hidden = false;
    document.querySelectorAll('#curves svg[data-area]').forEach(drag);
    if (view.smoothing || view.log || view.from !== null) drawAll();
  };
  window.prepareCurves();
})();
