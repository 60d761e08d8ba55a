// Tests the examples `protected` and `login` with `oidc-provider` as the authorization server:
// `auth.mjs PROTECTED LOGIN WORK DOCUMENT [CHROMIUM]`. DOCUMENT is the page whose walk-through
// is run.

import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { answered, check, end, freePort, part, pause, script, start } from './harness.mjs';
import { CLIENTS, Issuer } from './provider.mjs';

const [PROTECTED, LOGIN, WORK, DOCUMENT, CHROMIUM] = process.argv.slice(2);
const REVISION = '2026-07-28';

const PERSON = script(WORK, 'person');

/** Starts a resource server and waits until it answers. */
async function startProtected(issuer, ...options) {
  const address = `127.0.0.1:${await freePort()}`;
  const server = start(PROTECTED, [...options, address, issuer.url]);
  server.url = `http://${address}/mcp`;
  server.origin = `http://${address}`;
  await answered(server, server.url);
  return server;
}

/** The file with the URLs of the pages that `login` has opened, one per line. */
const PAGES = join(WORK, 'pages');

/** Runs `login`. The browser is `person.mjs` unless `env` names another. */
async function login(args, env = {}) {
  rmSync(PAGES, { force: true });
  const program = start(LOGIN, args, { BROWSER: PERSON, PAGES, NO_PROXY: '*', ...env });
  const timer = setTimeout(() => program.child.kill('SIGKILL'), 40_000);
  const code = await program.ended;
  clearTimeout(timer);
  const pages = existsSync(PAGES) ? readFileSync(PAGES, 'utf8').trim().split('\n') : [];
  return { code, stdout: program.stdout, stderr: program.stderr, pages };
}

// ---- checks ------------------------------------------------------------------------------------

/** Checks that `login` has succeeded and printed the line `text` after the names of the tools. */
function succeeded(what, result, text) {
  const lines = result.stdout.trim().split('\n');
  const expected = ['whoami', 'write', ...(text === undefined ? [] : [text])];
  check(what, result.code === 0 && expected.every((line, at) => lines[at] === line) && lines.length === expected.length, result);
}

/** Checks that `login` has failed and printed one line of error. */
function refused(what, result, pattern = /./) {
  const lines = result.stderr.trim().split('\n');
  check(what, result.code !== 0 && lines.length === 1 && pattern.test(lines[0]), result);
}

// ---- requests ----------------------------------------------------------------------------------

/** Calls a tool with the given headers, without an MCP client. */
async function call(server, headers, tool = 'whoami', query = '') {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'auth.mjs', version: '1' },
  };
  const response = await fetch(server.url + query, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': tool,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: {}, _meta } }),
  });
  const text = await response.text();
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate') ?? '',
    retry: response.headers.get('retry-after'),
    text,
  };
}

const bearer = (token) => ({ authorization: `Bearer ${token}` });

/** Sends a request to the issuer's token endpoint. */
async function tokenRequest(issuer, client, form, path = '/token') {
  const credentials = [client.client_id, client.client_secret].map(encodeURIComponent).join(':');
  const response = await fetch(issuer.url + path, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    body: new URLSearchParams(form),
  });
  return response.headers.get('content-type')?.includes('json') ? response.json() : response.text();
}

/** Requests an access token for a resource with the client credentials grant. */
async function machineToken(issuer, resource, scope) {
  const form = { grant_type: 'client_credentials', resource, ...(scope && { scope }) };
  return (await tokenRequest(issuer, CLIENTS.machine, form)).access_token;
}

/** Requests an ID token of a user. */
async function idToken(issuer) {
  const redirect = 'http://127.0.0.1:1/callback';
  const { client_id: id } = CLIENTS.desktop;
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const query = new URLSearchParams({
    response_type: 'code', client_id: id, redirect_uri: redirect, scope: 'openid', state: '1',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256',
  });
  const last = join(WORK, 'redirect');
  rmSync(last, { force: true });
  const person = start(PERSON, [`${issuer.url}/auth?${query}`], { UNTIL: redirect, LAST_PAGE: last });
  check('the person logs in', (await person.ended) === 0, person.stderr);
  const code = new URL(readFileSync(last, 'utf8')).searchParams.get('code');
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirect, code_verifier: verifier };
  return (await tokenRequest(issuer, CLIENTS.desktop, form)).id_token;
}

// ---- the test ----------------------------------------------------------------------------------

const issuer = await Issuer.start();
const server = await startProtected(issuer);
const secrets = new Set();

await part('metadata of the resource', async () => {
  for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource']) {
    const document = await (await fetch(server.origin + path)).json();
    check(path, document.resource === server.url && document.authorization_servers?.[0] === issuer.url, document);
  }
  const { status, challenge } = await call(server, {});
  const named = challenge.includes(`resource_metadata="${server.origin}/.well-known/oauth-protected-resource/mcp"`);
  check('401 without a token', status === 401 && named && !challenge.includes('error='), { status, challenge });
});

for (const algorithm of ['ES256', 'RS256']) {
  await part(`a person logs in, and the token is signed by ${algorithm}`, async () => {
    issuer.algorithm = algorithm;
    const from = issuer.log.length;
    succeeded('tools', await login([server.url]));
    const result = await login([server.url, 'whoami']);
    succeeded('whoami', result, 'alice');
    check('one page', result.pages.length === 1, result.pages);
    check('registered', issuer.count('registration_create.success', undefined, from) === 2, issuer.log.slice(from));
    check('no error', issuer.log.slice(from).every((it) => !it.what.includes('error')), issuer.log.slice(from));
  });
}
issuer.algorithm = 'ES256';

await part('a tool that needs another scope', async () => {
  const from = issuer.log.length;
  const result = await login(['--scope', 'files:read', server.url, 'write', '{}']);
  succeeded('write', result, 'written');
  // The URLs of the pages contain only a reference to the parameters (RFC 9126).
  const pushed = result.pages.every((url) => new URL(url).searchParams.has('request_uri'));
  check('parameters are pushed', pushed, result.pages);
  const logins = issuer.log.slice(from).filter((it) => it.what === 'authorization.success');
  const scopes = logins.map((it) => it.scope.split(' '));
  check('two pages', scopes.length === 2, result.pages);
  check('the second has all scopes', ['files:read', 'files:write'].every((it) => scopes[1]?.includes(it)), scopes);
  const token = await machineToken(issuer, server.url, 'files:read');
  const { status, challenge } = await call(server, bearer(token), 'write');
  const names = /error="insufficient_scope"/.test(challenge) && /scope="[^"]*files:write[^"]*"/.test(challenge);
  check('403', status === 403 && names && challenge.includes('resource_metadata='), { status, challenge });
});

await part('a client that is registered beforehand', async () => {
  const { client_id: id, client_secret: secret } = CLIENTS.desktop;
  const from = issuer.log.length;
  const options = ['--client-id', id, '--client-secret', secret, '--issuer'];
  succeeded('whoami', await login([...options, issuer.url, server.url, 'whoami']), 'alice');
  check('not registered', issuer.count('registration_create.success', undefined, from) === 0);
  check('by its own name', issuer.log.slice(from).some((it) => it.client === id));
  const result = await login([...options, 'https://login.example.com', server.url, 'whoami']);
  refused('at another issuer', result);
  check('no page', result.pages.length === 0, result.pages);
});

await part('the person refuses, and a tool that is none', async () => {
  refused('refused', await login([server.url], { REFUSE: '1' }), /access_denied/);
  refused('unknown tool', await login([server.url, 'nothing']));
  refused('no server', await login([`http://127.0.0.1:${await freePort()}/mcp`]));
});

await part('a machine', async () => {
  const token = await machineToken(issuer, server.url, 'files:write');
  secrets.add(token);
  const who = await call(server, bearer(token));
  check('whoami', who.status === 200 && who.text.includes(CLIENTS.machine.client_id), who);
  const write = await call(server, bearer(token), 'write');
  check('write', write.status === 200 && write.text.includes('written'), write);
});

await part('tokens that are none of the server\'s', async () => {
  const good = await machineToken(issuer, server.url);
  const [header, payload, signature] = good.split('.');
  const claims = (changed) => Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(payload, 'base64url')), ...changed })).toString('base64url');
  const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
  for (const [what, token] of Object.entries({
    'another audience': await machineToken(issuer, 'http://127.0.0.1:9/mcp'),
    'an ID token': await idToken(issuer),
    'another subject': [header, claims({ sub: 'mallory' }), signature].join('.'),
    'no signature': `${none}.${payload}.`,
    'no JWT': 'abcdefgh',
  })) {
    secrets.add(token);
    const { status, challenge, text } = await call(server, bearer(token));
    check(what, status === 401 && challenge.includes('error="invalid_token"'), { status, challenge });
    check(`${what}: not repeated`, !challenge.includes(token) && !text.includes(token));
  }
  const { status } = await call(server, {}, 'whoami', `?access_token=${good}`);
  check('in the query', status === 400 || status === 401, status);
});

await part('opaque tokens are introspected, and end when they are revoked', async () => {
  issuer.format = 'opaque';
  const { client_id: id, client_secret: secret } = CLIENTS.resource;
  const introspecting = await startProtected(issuer, '--client-id', id, '--client-secret', secret);
  succeeded('whoami', await login([introspecting.url, 'whoami']), 'alice');
  const token = await machineToken(issuer, introspecting.url);
  secrets.add(token);
  await tokenRequest(issuer, CLIENTS.machine, { token }, '/token/revocation');
  check('revoked', (await call(introspecting, bearer(token))).status === 401);
  const other = await machineToken(issuer, server.url);
  check('another audience', (await call(introspecting, bearer(other))).status === 401);
  issuer.format = 'jwt';
  check('a JWT, too', (await call(introspecting, bearer(await machineToken(issuer, introspecting.url)))).status === 200);
});

await part('a store is kept, and its token refreshed', async () => {
  const store = join(WORK, 'store');
  rmSync(store, { recursive: true, force: true });
  issuer.lifetime = 2;
  const arguments_ = ['--store', store, server.url, 'whoami'];
  succeeded('first', await login(arguments_), 'alice');
  for (const path of [store, ...readdirSync(store).map((name) => join(store, name))]) {
    const mode = statSync(path).mode & 0o777;
    check('for its owner only', mode === (path === store ? 0o700 : 0o600), `${path} ${mode.toString(8)}`);
  }
  const from = issuer.log.length;
  for (const _ of [1, 2]) {
    // Wait until the token has expired.
    await pause(issuer.lifetime * 1_000);
    const again = await login(arguments_);
    succeeded('again', again, 'alice');
    check('no page', again.pages.length === 0, again.pages);
  }
  check('refreshed', issuer.count('grant.success', 'refresh_token', from) >= 2, issuer.log.slice(from));
  check('not registered again', issuer.count('registration_create.success', undefined, from) === 0);
  await pause(issuer.lifetime * 1_000);
  issuer.lifetime = 300;
  const both = await Promise.all([login(arguments_), login(arguments_)]);
  both.forEach((it) => succeeded('two at once', it, 'alice'));
  check('no token redeemed twice', issuer.count('grant.error', undefined, from) === 0, issuer.log.slice(from));
});

await part('the issuer signs by new keys and has forgotten everything', async () => {
  const store = join(WORK, 'store');
  const old = await machineToken(issuer, server.url);
  check('before', (await call(server, bearer(old))).status === 200);
  await issuer.rotate();
  const fresh = await machineToken(issuer, server.url);
  // After an unknown key, the server fetches the keys again at most once in 30 s.
  for (let tries = 0; tries < 35 && (await call(server, bearer(fresh))).status !== 200; tries += 1) {
    await pause(1_000);
  }
  check('after', (await call(server, bearer(fresh))).status === 200);
  check('the old token', (await call(server, bearer(old))).status === 401);
  const result = await login(['--store', store, server.url, 'whoami']);
  succeeded('a new login', result, 'alice');
  check('one page', result.pages.length === 1, result.pages);
});

await part('the issuer is down', async () => {
  const store = join(WORK, 'store');
  const token = await machineToken(issuer, server.url);
  await issuer.stop();
  check('a token whose key is known', (await call(server, bearer(token))).status === 200);
  succeeded('a login that is kept', await login(['--store', store, server.url, 'whoami']), 'alice');
  const result = await login([server.url, 'whoami']);
  refused('a new login', result, new RegExp(issuer.url.replaceAll('.', '\\.')));
  const fresh = await startProtected(issuer);
  const early = await call(fresh, bearer(token));
  check('503', early.status === 503 && Number(early.retry) > 0, early);
  await issuer.restart();
  const other = await machineToken(issuer, fresh.url);
  let after = await call(fresh, bearer(other));
  for (let tries = 0; tries < 35 && after.status === 503; tries += 1) {
    await pause(1_000);
    after = await call(fresh, bearer(other));
  }
  check('when it is back', after.status === 200, after);
});

for (const nonces of [false, true]) {
  await part(`tokens are bound to a key${nonces ? ', and proofs have the issuer\'s nonce' : ''}`, async () => {
    Object.assign(issuer, { dpop: true, nonces });
    issuer.configure();
    const from = issuer.log.length;
    const store = join(WORK, `bound-${nonces}`);
    rmSync(store, { recursive: true, force: true });
    succeeded('whoami', await login(['--store', store, server.url, 'whoami']), 'alice');
    const granted = issuer.log.slice(from).filter((it) => it.what === 'grant.success');
    check('bound', granted.length > 0 && granted.every((it) => it.bound), issuer.log.slice(from));
    succeeded('from the store', await login(['--store', store, server.url, 'whoami']), 'alice');
    const kept = readdirSync(store).map((name) => readFileSync(join(store, name), 'utf8')).join('\n');
    const jwts = kept.match(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g) ?? [];
    check('a token is kept', jwts.length > 0);
    for (const token of jwts) {
      const plain = await call(server, bearer(token));
      check('not without a proof', plain.status === 401, plain);
    }
  });
}

await part('the walk-through of the document', async () => {
  const [, program] = /<<'END'\n([^]*?)\nEND\n/.exec(readFileSync(DOCUMENT, 'utf8'));
  const url = `http://127.0.0.1:${await freePort()}`;
  const file = join(WORK, 'walk-through.mjs');
  writeFileSync(file, program.replace('http://127.0.0.1:9000', url));
  const provider = start(process.execPath, [file]);
  await answered(provider, url);
  const walked = await startProtected({ url });
  const store = join(WORK, 'tokens');
  succeeded('whoami', await login([walked.url, 'whoami']), 'alice');
  succeeded('write', await login(['--store', store, walked.url, 'write']), 'written');
  const again = await login(['--store', store, walked.url, 'write']);
  succeeded('write again', again, 'written');
  check('no page', again.pages.length === 0, again.pages);
  check('the provider runs', provider.child.exitCode === null, provider.stderr);
});

if (CHROMIUM) {
  await part('a browser', async () => {
    issuer.dpop = false;
    issuer.configure();
    const last = join(WORK, 'last-page');
    rmSync(last, { force: true });
    const browser = script(WORK, 'browser', CHROMIUM, join(WORK, 'profile'));
    succeeded('whoami', await login([server.url, 'whoami'], { BROWSER: browser, LAST_PAGE: last }), 'alice');
    for (let tries = 0; tries < 50 && !existsSync(last); tries += 1) await pause(100);
    const page = existsSync(last) ? readFileSync(last, 'utf8') : '';
    check('the last page tells that the person may go back', /\bback\b|\bclose\b/i.test(page), page);
  });
}

await part('nothing secret is in the output of the server', async () => {
  const output = server.stdout + server.stderr;
  for (const secret of secrets) check('a token', !output.includes(secret), output);
});

end();
