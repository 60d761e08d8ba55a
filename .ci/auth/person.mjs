// Plays a user with a browser: opens a URL, logs in as `alice` and consents, or refuses if REFUSE is
// set. Does not follow a redirect to a URL that begins with UNTIL. Appends the URL of the first page to
// the file that PAGES names, and writes the last page, or the URL of the final redirect, to the file
// LAST_PAGE. If COOKIES is set, that file keeps the cookies.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

const url = process.argv.at(-1);
if (process.env.PAGES) appendFileSync(process.env.PAGES, `${url}\n`);

const { COOKIES } = process.env;
const cookies = new Map(COOKIES && existsSync(COOKIES) ? JSON.parse(readFileSync(COOKIES, 'utf8')) : []);
process.on('exit', () => COOKIES && writeFileSync(COOKIES, JSON.stringify([...cookies])));

/** Requests a page, and follows redirects. */
async function open(url, options = {}) {
  for (let hop = 0; hop < 20; hop += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...options, redirect: 'manual', headers: { ...options.headers, cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (process.env.UNTIL && location?.startsWith(process.env.UNTIL)) {
      return { url: location, status: 200, text: location };
    }
    if (!location) return { url, status: response.status, text: await response.text() };
    url = new URL(location, url).href;
    options = {};
  }
  throw new Error(`too many redirects: ${url}`);
}

/** Posts a form as a page with `Referrer-Policy: no-referrer` does. */
function post(url, form) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: 'null' };
  return open(url, { method: 'POST', headers, body: new URLSearchParams(form).toString() });
}

let page = await open(url);
// The proxy's page precedes the provider's page.
const sealed = /name="login" value="([^"]*)"/.exec(page.text)?.[1];
if (sealed && page.text.includes('value="allow"')) {
  const action = /<form[^>]*action="([^"]*)"/.exec(page.text)[1];
  const decision = process.env.REFUSE ? 'deny' : 'allow';
  page = await post(new URL(action, page.url).href, { login: sealed, decision });
}
while (new URL(page.url).pathname.startsWith('/interaction/')) {
  const abort = /href="([^"]*\/abort)"/.exec(page.text);
  if (process.env.REFUSE && abort) {
    page = await open(new URL(abort[1], page.url).href);
    continue;
  }
  const action = /<form[^>]*action="([^"]*)"/.exec(page.text)[1];
  const prompt = /name="prompt" value="([^"]*)"/.exec(page.text)[1];
  page = await post(new URL(action, page.url).href, { prompt, login: 'alice', password: 'any' });
}
if (page.status !== 200) {
  process.stderr.write(`the last page is ${page.url}: ${page.status}\n${page.text}\n`);
  process.exit(1);
}
if (process.env.LAST_PAGE) appendFileSync(process.env.LAST_PAGE, page.text);
