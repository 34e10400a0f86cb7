// Watches a live page: node live.mjs URL SCREENSHOT
// The curve grows; other tokens, origins and names get nothing; the stop button stops.
import {createRequire} from 'node:module';
import {resolve} from 'node:path';
import net from 'node:net';

const require = createRequire(resolve('package.json'));
const puppeteer = require('puppeteer-core');
const [url, screenshot] = process.argv.slice(2);
const {port, origin} = new URL(url);
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
const points = () => page.$eval('#curves path.line', n => (n.getAttribute('d').match(/[ML]/g) || []).length).catch(() => 0);
await sleep(2500);
found.before = await points();
await sleep(4000);
found.after = await points();
found.cookie = (await browser.cookies()).map(c => `${c.httpOnly} ${c.sameSite}`).join();
found.script_sees_cookie = await page.evaluate(() => document.cookie);
await page.screenshot({path: screenshot});

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

// Many connections, and readers that never read.
const sockets = [];
for (let i = 0; i < 1000; i++) {
  const socket = net.connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  socket.pause();
  sockets.push(socket);
}
await sleep(1000);
found.crowded = await new Promise(done => {
  const socket = net.connect(Number(port), '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\n\r\n'));
  socket.on('data', data => done(String(data).split(' ')[1]));
  socket.on('error', () => done('error'));
  socket.on('close', () => done('closed'));
});
sockets.forEach(socket => socket.destroy());
await sleep(6500);
await page.reload();
await sleep(1500);
await page.click('#stop');
await sleep(3000);
found.state = await page.$eval('#state', n => n.textContent);
// The server ends with the run; what the browser says then is not an error of the page.
found.errors = found.errors.filter(text => !/ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|403|503/.test(text));
await browser.close();
console.log(JSON.stringify(found));
