// Opens a URL in a headless Chromium, as the program that BROWSER names: `browser.mjs CHROMIUM PROFILE
// URL`. Logs in as `alice`, consents, and writes the text of the last page to the file that LAST_PAGE
// names.

import { appendFileSync, writeFileSync } from 'node:fs';

import { launch } from './chromium.mjs';

const [chromium, profile, url] = process.argv.slice(2);
if (process.env.PAGES) appendFileSync(process.env.PAGES, `${url}\n`);

const { open } = await launch(chromium, profile);
setTimeout(() => process.exit(1), 60_000).unref();
const page = await open(url);

// Fills in and submits the form of the loaded page. Each form is submitted only once.
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
  const text = await page.evaluate(STEP);
  if (text) {
    if (process.env.LAST_PAGE) writeFileSync(process.env.LAST_PAGE, text);
    break;
  }
  await new Promise((done) => setTimeout(done, 100));
}
process.exit(0);
