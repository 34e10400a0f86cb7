// Watches a live page: node live.mjs URL SCREENSHOT PID
// The curve grows; other tokens, origins and names get nothing; crowds and readers that never read
// do not slow the run; the stop button stops it.
import {createRequire} from 'node:module';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {resolve} from 'node:path';
import net from 'node:net';

const require = createRequire(resolve('package.json'));
const puppeteer = require('puppeteer-core');
const [url, screenshot, pid] = process.argv.slice(2);
const {port, origin, searchParams} = new URL(url);
const token = searchParams.get('token');
const launch = args => puppeteer.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', ...args],
});
const found = {errors: []};
const sleep = ms => new Promise(done => setTimeout(done, ms));

found.no_token = (await fetch(origin + '/')).status;
found.wrong_token = (await fetch(origin + '/?token=' + '0'.repeat(32))).status;

const browser = await launch([`--host-resolver-rules=MAP evil.test 127.0.0.1`]);
const page = await browser.newPage();
page.on('console', message => {
  if (message.type() === 'error') found.errors.push(message.text());
});
page.on('pageerror', error => found.errors.push(String(error)));
page.on('dialog', dialog => { found.errors.push('dialog'); dialog.dismiss(); });
await page.setViewport({width: 1440, height: 900});
await page.goto(url);
found.address = page.url().includes('token') ? 'has the token' : 'clean';
// The last iteration of the curve: points are thinned, so that their number stays the same.
const reached = () => page.$eval('#curves path.line', n => Number(n.dataset.points.split(' ').at(-2))).catch(() => 0);
const grows = async from => {
  for (let i = 0; i < 120 && await reached() <= from; i++) await sleep(250);
  return reached();
};
found.before = await grows(0);
found.after = await grows(found.before);
found.cookie = (await browser.cookies()).map(c => `${c.httpOnly} ${c.sameSite}`).join();
found.script_sees_cookie = await page.evaluate(() => document.cookie);
for (const [width, scheme] of [[390, 'light'], [1440, 'dark'], [1440, 'light']]) {
  await page.setViewport({width, height: 900});
  await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: scheme}]);
  await page.screenshot({path: `${screenshot}-${width}-${scheme}.png`, fullPage: true});
}

// A page of another origin, in the same browser, which has the cookie.
const other = await browser.newPage();
await other.goto('data:text/html,<p>other');
found.other_origin = await other.evaluate(async target => {
  try { return (await fetch(target + '/', {credentials: 'include'})).status; } catch { return 'nothing'; }
}, origin);
await other.evaluate(async target => {
  try { await fetch(target + '/stop', {method: 'POST', mode: 'no-cors', credentials: 'include'}); } catch {}
}, origin);
// A name that leads here.
const rebound = await other.goto(`http://evil.test:${port}/`);
found.rebinding = rebound.status();
await other.close();

const connect = (count, request) => Array.from({length: count}, () => {
  const socket = net.connect(Number(port), '127.0.0.1', () => { if (request) socket.write(request); });
  socket.on('error', () => {});
  return socket.pause();
});
// Threads of the server that are busy with a client.
const clients = () => readdirSync(`/proc/${pid}/task`).filter(task => {
  try { return readFileSync(`/proc/${pid}/task/${task}/comm`, 'utf8') === 'page client\n'; } catch { return false; }
}).length;
const iterations = async () => {
  for (;;) {
    const reply = await fetch(origin + '/metrics', {headers: {authorization: `Bearer ${token}`}}).catch(() => null);
    if (reply && reply.status === 200) return Number((await reply.text()).match(/\nfirecaffe_iterations_total (\d+)/)[1]);
    await sleep(20);
  }
};
// Iterations a second while something happens.
const rate = async act => {
  const [begin, before] = [performance.now(), await iterations()];
  await act();
  return (await iterations() - before) / (performance.now() - begin) * 1000;
};

// The best of three each: other programs disturb single ones.
const crowd = async () => {
  const sockets = connect(1000);
  await sleep(1000);
  const [one] = connect(1, 'GET / HTTP/1.1\r\n\r\n');
  found.crowded = await new Promise(done => {
    one.on('data', data => done(String(data).split(' ')[1]));
    one.on('close', () => done('closed'));
    one.resume();
  });
  await sleep(500);
  sockets.forEach(socket => socket.destroy());
};
const [quiet, crowded] = [[], []];
const cookie = `firecaffe-${port}=${token}`;
const stream = `GET /events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n\r\n`;
// The page's own stream stays; connections that the browser opened in advance end after a while.
const clients_become = async (count, seconds) => {
  for (let i = 0; i < 4 * seconds && clients() !== count; i++) await sleep(250);
  return clients();
};
await clients_become(1, 15);
for (let round = 0; round < 3; round++) quiet.push(await rate(() => sleep(1500)));
const readers = connect(8, stream);
found.readers = await clients_become(9, 15) - 1;
for (let round = 0; round < 3; round++) crowded.push(await rate(crowd));
found.quiet_rate = Math.max(...quiet);
found.crowded_rate = Math.max(...crowded);
// Buffers of the kernel take a few megabytes first: a minute or two.
found.readers_kept = await clients_become(1, 180) - 1;
readers.forEach(socket => socket.destroy());

await page.reload();
await sleep(1500);
await page.click('#stop');
await sleep(3000);
found.state = await page.$eval('#state', n => n.textContent);
// The server ends with the run; what the browser says then is not an error of the page.
found.errors = found.errors.filter(text => !/ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|403|503/.test(text));
await browser.close();
writeFileSync(`${screenshot}.json`, JSON.stringify(found, null, 1));
console.log(JSON.stringify(found));
