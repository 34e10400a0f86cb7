// Opens a page in headless Chromium and prints what a person would see of it, as JSON:
//   node look.mjs PAGE.html SCREENSHOT_PREFIX
// Errors of the console, accessibility violations (axe-core), findings, titles of axes, points of
// curves, and whether the page is wider than the window, at 390 and 1440 pixels.
import {createRequire} from 'node:module';
import {readFileSync} from 'node:fs';
import {resolve} from 'node:path';

const require = createRequire(resolve('package.json'));
const puppeteer = require('puppeteer-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const [page_file, prefix] = process.argv.slice(2);
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
const found = {errors: [], dialogs: 0, violations: [], widths: {}};
for (const [width, scheme] of [[390, 'light'], [1440, 'light'], [1440, 'dark']]) {
  const page = await browser.newPage();
  page.on('console', message => {
    if (['error', 'warn'].includes(message.type())) found.errors.push(message.text());
  });
  page.on('pageerror', error => found.errors.push(String(error)));
  page.on('dialog', dialog => { found.dialogs += 1; dialog.dismiss(); });
  page.on('request', request => {
    if (!/^(file|data):/.test(request.url())) found.errors.push('request: ' + request.url());
  });
  await page.setViewport({width, height: 900});
  await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: scheme}]);
  await page.goto('file://' + resolve(page_file));
  await page.screenshot({path: `${prefix}-${width}-${scheme}.png`, fullPage: true});
  found.widths[`${width} ${scheme}`] = await page.evaluate(() => document.documentElement.scrollWidth);
  await page.evaluate(text => { (0, eval)(text); }, axe).catch(() => {});
  const result = await page.evaluate(async () => window.axe ? (await window.axe.run()).violations
    .map(v => `${v.id}: ${v.nodes.slice(0, 3).map(n => n.target).join(' ')}`) : ['axe did not load']);
  found.violations.push(...result);
  if (width === 1440 && scheme === 'light') {
    found.axes = await page.$$eval('svg.chart .axis', nodes => nodes.map(n => n.textContent));
    found.findings = await page.$$eval('#findings li', nodes => nodes.map(n => n.textContent));
    found.titles = await page.$$eval('svg.chart .title', nodes => nodes.map(n => n.textContent));
    const points = () => page.$$eval('svg.chart path.line', nodes =>
      nodes.map(n => (n.getAttribute('d').match(/[ML]/g) || []).length));
    found.points = await points();
    found.texts = await page.$$eval('svg.chart .names text', nodes => nodes.map(n => n.textContent));
    // The controls: smoothing, logarithm, zoom by dragging, and back.
    const first = () => page.$eval('#curves path.line', n => n.getAttribute('d'));
    const before = await first();
    await page.$eval('#curves .smoothing', n => { n.value = 0.9; n.oninput(); });
    found.smoothed = (await first()) !== before;
    await page.$eval('#curves .smoothing', n => { n.value = 0; n.oninput(); });
    await page.$eval('#curves .log', n => { n.checked = true; n.onchange(); });
    found.logarithmic = (await first()) !== before;
    await page.$eval('#curves .log', n => { n.checked = false; n.onchange(); });
    const chart = await page.$('#curves svg');
    await chart.scrollIntoView();
    const box = await chart.boundingBox();
    await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.5);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5);
    await page.mouse.up();
    found.zoomed = (await points())[0];
    await page.screenshot({path: `${prefix}-zoom.png`});
    await page.click('#curves .reset');
    found.whole = (await points())[0];
  }
  await page.close();
}
await browser.close();
console.log(JSON.stringify(found, null, 1));
