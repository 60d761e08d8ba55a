// Tests the example `proxied` in front of `oidc-provider`, which knows a single client. The MCP clients
// come from other projects. Usage: `proxy.mjs PROXIED WORK PYTHON [CHROMIUM]`, where an empty PYTHON
// skips the Python client.

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { launch } from './chromium.mjs';
import { answered, check, end, freePort, part, pause, script, start } from './harness.mjs';
import { CLIENTS, Issuer } from './provider.mjs';

const [PROXIED, WORK, PYTHON, CHROMIUM] = process.argv.slice(2);
const PERSON = script(WORK, 'person');
const LAST = join(WORK, 'proxy-redirect');
const REDIRECT = 'http://127.0.0.1:9/callback';

// ---- the proxy ---------------------------------------------------------------------------------

const issuer = await Issuer.start();
/** Handles requests to the provider's token endpoint. `answer()` sends the provider's answer. */
let atTokens = (answer) => answer();
const { callback } = issuer;
issuer.callback = (request, response) => {
  const answer = () => callback(request, response);
  if (request.url === '/token') atTokens(answer, response);
  else answer();
};

const folder = join(WORK, 'proxy');
mkdirSync(folder, { recursive: true });
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
writeFileSync(join(folder, 'signing.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
writeFileSync(join(folder, 'sealing'), randomBytes(32));
const address = `127.0.0.1:${await freePort()}`;
const [origin, url] = [`http://${address}`, `http://${address}/mcp`];
const { client_id: id, client_secret: secret } = CLIENTS.desktop;

async function startProxy() {
  const server = start(PROXIED, [address, issuer.url, id, folder], { CLIENT_SECRET: secret, NO_PROXY: '*' });
  await answered(server, url);
  return server;
}

async function kill(server) {
  server.child.kill('SIGKILL');
  await server.ended;
}

let server = await startProxy();

// ---- a client of the official TypeScript SDK -----------------------------------------------------

/** A client with its own registration and login, as the SDK stores them. */
class Login {
  pages = [];
  redirectUrl = REDIRECT;

  constructor(name = 'a stranger') {
    this.clientMetadata = { client_name: name, redirect_uris: [REDIRECT] };
  }

  state() { return this.wanted ??= randomBytes(8).toString('hex'); }
  clientInformation() { return this.client; }
  saveClientInformation(client) { this.client = client; }
  tokens() { return this.kept; }
  saveTokens(tokens) { this.kept = tokens; }
  redirectToAuthorization(page) { this.pages.push(page.href); }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  codeVerifier() { return this.verifier; }
  saveDiscoveryState(state) { this.discovered = state; }
  discoveryState() { return this.discovered; }
}

/** Connects a client. Returns an error if the user has to log in first. */
async function connect(login) {
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: login });
  const client = new Client({ name: 'proxy.mjs', version: '1' });
  try {
    await client.connect(transport);
    return { client };
  } catch (error) {
    return { transport, error };
  }
}

/** Has the user accept the proxy's page and log in, and returns the parameters of the last redirect. */
async function allowed(page, env = {}) {
  rmSync(LAST, { force: true });
  const person = start(PERSON, [page], { UNTIL: REDIRECT, LAST_PAGE: LAST, ...env });
  const code = await person.ended;
  if (code !== 0) return { error: person.stderr };
  return { parameters: new URL(readFileSync(LAST, 'utf8')).searchParams };
}

/** Logs in up to the provider's redirect, and returns a function that sends this redirect to the proxy. */
async function atCallback(login) {
  await connect(login);
  const COOKIES = join(WORK, 'proxy-cookies');
  rmSync(COOKIES, { force: true });
  const { parameters } = await allowed(login.pages.at(-1), { UNTIL: `${origin}/callback`, COOKIES });
  return (changed = {}) => {
    const query = new URLSearchParams({ ...Object.fromEntries(parameters), ...changed });
    return allowed(`${origin}/callback?${query}`, { COOKIES });
  };
}

/** Logs in up to the redirect to the client. */
async function begun(name) {
  const login = new Login(name);
  const { transport } = await connect(login);
  const { parameters, error } = await allowed(login.pages[0]);
  check('a redirect with a code', parameters?.has('code') && parameters.get('state') === login.wanted, { error });
  return { login, transport, parameters };
}

async function whoami(login) {
  const { client, error } = await connect(login);
  if (!client) return { error: error.message };
  const result = await client.callTool({ name: 'whoami', arguments: {} });
  await client.close();
  return { name: result.content[0].text };
}

/** Completes a login, and returns the client. */
async function loggedIn(name) {
  const { login, transport, parameters } = await begun(name);
  await transport.finishAuth(parameters);
  return login;
}

/** Sends a request to the proxy's token endpoint. */
async function tokenRequest(form, path = '/token') {
  const response = await fetch(origin + path, { method: 'POST', body: new URLSearchParams(form) });
  const text = await response.text();
  return { status: response.status, text, ...(text.startsWith('{') ? JSON.parse(text) : {}) };
}

const redemption = (login, parameters) => ({
  grant_type: 'authorization_code', code: parameters.get('code'), client_id: login.client.client_id,
  redirect_uri: REDIRECT, code_verifier: login.verifier, resource: url,
});

/** Calls the server with a token, and returns the status. */
async function statusWith(token) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const headers = {
    'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${token}`,
  };
  const { status } = await fetch(url, { method: 'POST', headers, body });
  return status;
}

// ---- the test ----------------------------------------------------------------------------------

await part('the TypeScript client registers, logs in, refreshes and revokes', async () => {
  const login = await loggedIn();
  check('registered', login.client?.client_id, login.client);
  check('whoami', (await whoami(login)).name === 'alice', await whoami(login));
  const { access_token: access, refresh_token: refresh } = login.kept;
  login.kept = { ...login.kept, access_token: 'lost' };
  check('refreshed', (await whoami(login)).name === 'alice' && login.kept.refresh_token !== refresh, login.kept);
  check('one page', login.pages.length === 1, login.pages);
  const form = { token: login.kept.refresh_token, client_id: login.client.client_id };
  check('revoked', (await tokenRequest(form, '/revoke')).status === 200);
  for (const token of [access, login.kept.access_token]) {
    check('no token is good any more', (await statusWith(token)) === 401, await statusWith(token));
  }
});

await part('a refresh token that is used twice ends the login', async () => {
  const login = await loggedIn();
  const form = { grant_type: 'refresh_token', refresh_token: login.kept.refresh_token, client_id: login.client.client_id };
  const first = await tokenRequest(form);
  check('once', first.status === 200, first);
  const second = await tokenRequest(form);
  check('twice', second.status === 400 && second.error === 'invalid_grant', second);
  check('the first has ended', (await statusWith(first.access_token)) === 401);
});

if (PYTHON) {
  await part('the Python client registers and logs in', async () => {
    rmSync(LAST, { force: true });
    const stranger = start(PYTHON, [join(import.meta.dirname, 'stranger.py'), url, PERSON, LAST]);
    const code = await stranger.ended;
    check('whoami', code === 0 && stranger.stdout.trim() === 'alice', stranger);
  });
}

await part('a person who refuses', async () => {
  const login = new Login();
  await connect(login);
  const { parameters } = await allowed(login.pages[0], { REFUSE: '1' });
  check('access_denied', parameters?.get('error') === 'access_denied', parameters?.toString());
});

await part('attacks with codes, redirects and clients', async () => {
  const { login, transport, parameters } = await begun('the victim');
  const other = new Login('the attacker');
  await connect(other);
  const stolen = { ...redemption(login, parameters), client_id: other.client.client_id };
  const foreign = await tokenRequest(stolen);
  check('the code of another client', foreign.error === 'invalid_grant', foreign);
  const guessed = await tokenRequest({ ...redemption(login, parameters), code_verifier: 'x'.repeat(43) });
  check('another verifier', guessed.error === 'invalid_grant', guessed);
  const elsewhere = await tokenRequest({ ...redemption(login, parameters), redirect_uri: `${REDIRECT}/x` });
  check('another redirect URI', elsewhere.error === 'invalid_grant', elsewhere);
  await transport.finishAuth(parameters);
  const again = await tokenRequest(redemption(login, parameters));
  check('the code again', again.error === 'invalid_grant', again);
  check('and the login has ended', (await statusWith(login.kept.access_token)) === 401);
  for (const uri of [`${REDIRECT}/x`, 'http://127.0.0.1:9/callback?x', 'https://attacker.example/callback', 'http://127.0.0.1.attacker.example:9/callback']) {
    const page = new URL(other.pages[0]);
    page.searchParams.set('redirect_uri', uri);
    const response = await fetch(page, { redirect: 'manual' });
    const to = response.headers.get('location') ?? '';
    check(`a redirect to ${uri}`, response.status === 400 && to === '', { status: response.status, to });
  }
});

await part('the state of another browser', async () => {
  const login = new Login();
  await connect(login);
  // The attacker accepts the page and logs in, and then passes the provider's redirect to the
  // victim.
  const provider = await allowed(login.pages[0], { UNTIL: `${origin}/callback` });
  const fixed = `${origin}/callback?${provider.parameters}`;
  const victim = await fetch(fixed, { redirect: 'manual' });
  check('in a browser without the cookie', victim.status === 403 && !victim.headers.get('location'), victim.status);
});

for (const iss of ['https://attacker.example', '']) {
  await part(`a response of another provider: iss=${iss}`, async () => {
    const from = issuer.log.length;
    const come = await atCallback(new Login());
    const { parameters, error } = await come({ iss });
    check('the client gets an error', parameters?.get('error') === 'server_error', error ?? parameters.toString());
    check('no code', parameters?.has('code') === false);
    check('nothing is redeemed', issuer.count('grant.success', undefined, from) === 0, issuer.log.slice(from));
    check('it is over', /403/.test((await come()).error));
  });
}

/** How the process ends while the provider redeems the code, and the expected result of a retry. */
const KILLS = {
  'before the provider has redeemed its code': {
    async end(answer, response) { await kill(server); response.destroy(); },
    expected: 'code',
  },
  'after the provider has redeemed its code': {
    end(answer, response) {
      response.end = () => kill(server).then(() => response.destroy());
      answer();
    },
    expected: 'server_error',
  },
};
for (const [when, { end, expected }] of Object.entries(KILLS)) {
  await part(`a process that is killed ${when}`, async () => {
    const login = new Login();
    const come = await atCallback(login);
    const from = issuer.log.length;
    atTokens = (...request) => {
      atTokens = (answer) => answer();
      return end(...request);
    };
    const { error } = await come();
    check('the browser meets a closed connection', error !== undefined, error);
    await server.ended;
    server = await startProxy();
    const logins = join(folder, 'logins');
    const files = existsSync(logins) ? readdirSync(logins) : [];
    const kept = files.map((name) => readFileSync(join(logins, name), 'utf8')).join('\n');
    check('nothing secret is in the files', !/eyJ[\w-]+\.[\w-]+\.|alice/.test(kept), kept.slice(0, 200));
    // The browser tries again.
    const { parameters, error: refused } = await come();
    const outcome = parameters?.has('code') ? 'code' : parameters?.get('error');
    check('completed or refused', outcome === expected, refused ?? parameters?.toString());
    const isOurs = parameters?.get('state') === login.wanted && parameters.get('iss') === origin;
    check('a response to the request', isOurs, parameters?.toString());
    check('granted once', issuer.count('grant.success', undefined, from) === 1, issuer.log.slice(from));
    check('no third time', /403/.test((await come()).error));
    if (outcome === 'code') {
      const first = await tokenRequest(redemption(login, parameters));
      check('the code is good', first.status === 200, first);
      const again = await tokenRequest(redemption(login, parameters));
      check('once', again.error === 'invalid_grant' && (await statusWith(first.access_token)) === 401, again);
    }
    // The same client logs in again, without another registration.
    const { transport } = await connect(login);
    const second = await allowed(login.pages.at(-1));
    await transport.finishAuth(second.parameters);
    check('a second login', (await whoami(login)).name === 'alice', login);
  });
}

await part('a process that is killed between its code and its token', async () => {
  const { login, transport, parameters } = await begun();
  await kill(server);
  server = await startProxy();
  await transport.finishAuth(parameters);
  check('the code is good once', (await whoami(login)).name === 'alice');
  const again = await tokenRequest(redemption(login, parameters));
  check('and no second time', again.error === 'invalid_grant', again);
  const kept = await loggedIn();
  await kill(server);
  server = await startProxy();
  check('a login outlasts the process', (await whoami(kept)).name === 'alice');
});

if (CHROMIUM) {
  const browser = await launch(CHROMIUM, join(WORK, 'proxy-profile'));

  /** Waits until a script in a page has a value, and returns the value. */
  async function when(page, expression) {
    for (let tries = 0; tries < 100; tries += 1) {
      const value = await page.evaluate(`document.readyState === 'complete' ? (${expression}) : undefined`);
      if (value) return value;
      await pause(100);
    }
    return undefined;
  }

  const here = 'location.pathname === "/authorize" && document.body.innerText';

  await part('the page in a browser, its cookies, and a login', async () => {
    const login = new Login('<b>a stranger</b>');
    const { transport } = await connect(login);
    const page = await browser.open(login.pages[0]);
    const text = await when(page, here);
    check('the name is text', text?.includes('<b>a stranger</b>') || text?.includes('a stranger'), text);
    check('no markup of the client', (await page.evaluate('document.querySelectorAll("b").length')) === 0);
    check('the place', text?.includes('127.0.0.1:9') || text?.includes('127.0.0.1'), text);
    check('no cookie for scripts', (await page.evaluate('document.cookie')) === '');
    const own = (await browser.cookies()).filter((it) => it.name.startsWith('__Host-'));
    const isSafe = (it) => it.secure && it.httpOnly && it.sameSite === 'Lax' && it.path === '/';
    check('cookies', own.length > 0 && own.every(isSafe), own);
    await page.evaluate('document.querySelector("[value=allow]").click()');
    const form = 'location.pathname.startsWith("/interaction/") && document.querySelector("form [name=login]") !== null';
    check('the provider asks', await when(page, form));
    await page.evaluate(`document.querySelector("[name=login]").value = "alice";
      document.querySelector("[name=password]").value = "any"; document.querySelector("[type=submit]").click()`);
    // The provider also asks for consent.
    const consent = 'location.pathname.startsWith("/interaction/") && !document.querySelector("[name=login]") && document.querySelector("form") !== null';
    if (await when(page, consent)) await page.evaluate('document.querySelector("[type=submit]").click()');
    // The client's redirect URI has no listener, so Chromium shows its own error page.
    let to;
    for (let tries = 0; tries < 100 && !to; tries += 1) {
      const frame = await page.frame();
      to = [frame.url, frame.unreachableUrl].find((it) => it?.startsWith(REDIRECT));
      await pause(100);
    }
    check('back at the client', to !== undefined, await page.frame());
    if (to) {
      await transport.finishAuth(new URL(to).searchParams);
      check('whoami', (await whoami(login)).name === 'alice');
    }
  });

  await part('a page of an attacker', async () => {
    const login = new Login('the attacker');
    await connect(login);
    // Give the attacker a form that is valid in this browser, so that only the cookie is
    // missing.
    const own = await browser.open(login.pages[0]);
    const sealed = await when(own, `${here} && document.querySelector("[name=login]").value`);
    const framing = `<iframe src="${login.pages[0].replaceAll('&', '&amp;')}"></iframe>`;
    const posting = `<form method="post" action="${origin}/consent"><input name="login" value="${sealed}">
      <input name="decision" value="allow"></form><script>document.forms[0].submit()</script>`;
    const attacker = createServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(request.url === '/frame' ? framing : posting);
    });
    await new Promise((done) => attacker.listen(0, '127.0.0.1', done));
    const site = `http://localhost:${attacker.address().port}`;
    const framed = await browser.open(`${site}/frame`);
    await when(framed, 'true');
    let frame;
    for (let tries = 0; tries < 50 && !frame; tries += 1) {
      await pause(100);
      frame = await browser.foreignFrame(framed);
    }
    const shown = frame && await when(frame, 'location.href + " " + document.body.innerText');
    check('a frame shows nothing', shown?.startsWith('chrome-error:') && !shown.includes('asks for access'), shown);
    const posted = await browser.open(`${site}/post`);
    const answer = await when(posted, `location.origin === ${JSON.stringify(origin)} && location.pathname + ' ' + document.body.innerText`);
    check('a form of another site', answer?.startsWith('/consent This browser was not asked'), answer);
    attacker.close();
  });
}

await part('nothing secret is in the output of the server', async () => {
  check('the secret of the client', !(server.stdout + server.stderr).includes(secret), server.stderr);
});

end();
