// The program for the variable BROWSER that starts a headless Chromium: `browser.mjs CHROMIUM PROFILE
// URL`. It logs in as `alice` and consents; the text of the last page goes to the file that LAST_PAGE
// names. It speaks the DevTools protocol over the pipes 3 and 4.

import { appendFileSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';

const [chromium, profile, url] = process.argv.slice(2);
if (process.env.PAGES) appendFileSync(process.env.PAGES, `${url}\n`);

const child = spawn(chromium, [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--disable-dev-shm-usage', `--user-data-dir=${profile}`, '--no-proxy-server',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--remote-debugging-pipe', 'about:blank',
], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
process.on('exit', () => child.kill('SIGKILL'));
setTimeout(() => process.exit(1), 60_000).unref();

const answers = new Map();
let unread = '';
child.stdio[4].on('data', (data) => {
  const messages = (unread + data).split('\0');
  unread = messages.pop();
  for (const text of messages) {
    const message = JSON.parse(text);
    answers.get(message.id)?.(message.result ?? {});
  }
});

let count = 0;
function send(method, params = {}, sessionId = undefined) {
  count += 1;
  child.stdio[3].write(`${JSON.stringify({ id: count, method, params, sessionId })}\0`);
  return new Promise((done) => answers.set(count, done));
}

const { targetId } = await send('Target.createTarget', { url });
const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });

// Fills in the form of a page that is loaded, once.
const STEP = `(() => {
  if (document.readyState !== 'complete') return '';
  if (location.pathname === '/callback') return document.body.innerText;
  const form = document.querySelector('form');
  if (!form || form.dataset.sent) return '';
  form.dataset.sent = 'yes';
  const login = form.querySelector('[name=login]');
  if (login) { login.value = 'alice'; form.querySelector('[name=password]').value = 'any'; }
  form.querySelector('[type=submit]').click();
  return '';
})()`;
for (;;) {
  const { result } = await send('Runtime.evaluate', { expression: STEP }, sessionId);
  if (result?.value) {
    if (process.env.LAST_PAGE) writeFileSync(process.env.LAST_PAGE, result.value);
    break;
  }
  await new Promise((done) => setTimeout(done, 100));
}
process.exit(0);
