// Tests three replicas of `proxied` and of `protected` behind nginx, with `oidc-provider`: logins of the
// official client, and proofs of possession. Usage: `auth.mjs PROXIED PROTECTED LOGIN WORK`.

import { createHash, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { answered, check, end, freePort, part, script, start } from '../auth/harness.mjs';
import { CLIENTS, Issuer } from '../auth/provider.mjs';

const [PROXIED, PROTECTED, LOGIN, WORK] = process.argv.slice(2);
const PERSON = script(WORK, 'person');
const REDIRECT = 'http://127.0.0.1:9/callback';
const TEMPLATE = readFileSync(join(dirname(fileURLToPath(import.meta.url)), 'nginx.conf'), 'utf8');

const issuer = await Issuer.start();
const redisPort = await freePort();
const redis = `redis://127.0.0.1:${redisPort}`;
start('redis-server', ['--port', `${redisPort}`, '--bind', '127.0.0.1', '--dir', WORK, '--save', '']);

/** Starts three replicas behind nginx. `command(address, url)` returns the program and its arguments. */
async function replicas(command, env) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const addresses = [];
  for (let number = 0; number < 3; number += 1) addresses.push(`127.0.0.1:${await freePort()}`);
  await Promise.all(addresses.map((address) => {
    const [program, ...args] = command(address, `${origin}/mcp`);
    return answered(start(program, args, { NO_PROXY: '*', ...env }), `http://${address}/mcp`);
  }));
  const servers = addresses.map((address) => `server ${address} max_fails=0;`).join('\n');
  const file = join(WORK, `nginx-${port}`);
  const settings = TEMPLATE.replaceAll('WORK', file).replace('PORT', port).replace('SERVERS', servers);
  writeFileSync(file, settings.replace('location /mcp', 'location /'));
  await answered(start('nginx', ['-e', `${file}.log`, '-c', file]), `${origin}/mcp`);
  return { origin, url: `${origin}/mcp`, urls: addresses.map((address) => `http://${address}/mcp`) };
}

// ---- logins at `proxied` -----------------------------------------------------------------------

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
writeFileSync(join(WORK, 'signing.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
writeFileSync(join(WORK, 'sealing'), randomBytes(32));
const { client_id: id, client_secret: secret } = CLIENTS.desktop;
// `redis-server` may need a moment.
const proxied = await replicas((address, url) => [PROXIED, address, issuer.url, id, WORK, url, redis], { CLIENT_SECRET: secret });

/** A client with its own registration and login, as the SDK stores them. */
class Login {
  pages = [];
  redirectUrl = REDIRECT;
  clientMetadata = { client_name: 'a stranger', redirect_uris: [REDIRECT] };

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

  async connect() {
    const transport = new StreamableHTTPClientTransport(new URL(proxied.url), { authProvider: this });
    const client = new Client({ name: 'auth.mjs', version: '1' });
    const error = await client.connect(transport).catch((error) => error);
    return { client, transport, error };
  }

  /** Logs in, as alice. */
  async run(number) {
    const { transport } = await this.connect();
    const file = join(WORK, `redirect-${number}`);
    rmSync(file, { force: true });
    const person = start(PERSON, [this.pages[0]], { UNTIL: REDIRECT, LAST_PAGE: file });
    if (await person.ended !== 0) throw new Error(person.stderr);
    await transport.finishAuth(new URL(readFileSync(file, 'utf8')).searchParams);
  }

  /** Returns the names that the server knows, from several calls. */
  async names(count) {
    const { client, error } = await this.connect();
    if (error) throw error;
    const names = [];
    for (let call = 0; call < count; call += 1) {
      const { content } = await client.callTool({ name: 'whoami', arguments: {} });
      names.push(content[0].text);
    }
    await client.close();
    return names;
  }
}

await part('six logins at replicas of a proxy, refreshed and revoked at others', async () => {
  await Promise.all(Array.from({ length: 6 }, async (_, number) => {
    const login = new Login();
    await login.run(number);
    const names = await login.names(6);
    check('alice', names.every((name) => name === 'alice'), names);
    for (let round = 0; round < 3; round += 1) {
      const { refresh_token: refresh } = login.kept;
      login.kept = { ...login.kept, access_token: 'lost' };
      check('refreshed', (await login.names(1))[0] === 'alice' && login.kept.refresh_token !== refresh);
    }
    check('one page', login.pages.length === 1, login.pages);
    const body = new URLSearchParams({ token: login.kept.refresh_token, client_id: login.client.client_id });
    const revoked = await fetch(`${proxied.origin}/revoke`, { method: 'POST', body });
    check('revoked', revoked.status === 200, revoked.status);
    for (const url of proxied.urls) {
      const headers = { authorization: `Bearer ${login.kept.access_token}` };
      const { status } = await fetch(url, { method: 'POST', headers });
      check('no token is good any more', status === 401, status);
    }
  }));
});

// ---- proofs at `protected` ---------------------------------------------------------------------

issuer.dpop = true;
issuer.configure();
const guarded = await replicas((address, url) => [PROTECTED, '--url', url, '--redis', redis, address, issuer.url]);
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { kty, crv, x, y } = key.publicKey.export({ format: 'jwk' });
const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Makes a proof for a request. */
function proof(htm, htu, more = {}) {
  const claims = { jti: randomUUID(), htm, htu, iat: Math.floor(Date.now() / 1000), ...more };
  const signed = `${encoded({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y } })}.${encoded(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

async function token() {
  const { client_id: machine, client_secret: password } = CLIENTS.machine;
  const body = new URLSearchParams({ grant_type: 'client_credentials', resource: guarded.url });
  const authorization = `Basic ${Buffer.from(`${machine}:${encodeURIComponent(password)}`).toString('base64')}`;
  const headers = { authorization, dpop: proof('POST', `${issuer.url}/token`) };
  const response = await fetch(`${issuer.url}/token`, { method: 'POST', body, headers });
  const answer = await response.json();
  if (answer.token_type !== 'DPoP') throw new Error(JSON.stringify(answer));
  return answer.access_token;
}

await part('a proof is good once, and a nonce at all replicas', async () => {
  const access = await token();
  const ath = createHash('sha256').update(access).digest('base64url');
  const ping = async (url, dpop) => {
    const headers = {
      'content-type': 'application/json', accept: 'application/json, text/event-stream',
      authorization: `DPoP ${access}`, dpop, host: new URL(guarded.url).host,
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const response = await fetch(url, { method: 'POST', headers, body });
    return { status: response.status, nonce: response.headers.get('dpop-nonce'), told: response.headers.get('www-authenticate') };
  };
  const made = (more) => proof('POST', guarded.url, { ath, ...more });
  const challenges = await Promise.all(guarded.urls.map((url) => ping(url, made())));
  const nonces = new Set(challenges.map(({ nonce }) => nonce));
  check('one nonce for all', nonces.size === 1 && challenges.every(({ status }) => status === 401), challenges);
  const [nonce] = nonces;
  for (let round = 0; round < 10; round += 1) {
    const used = made({ nonce });
    const answers = await Promise.all([...guarded.urls, guarded.url].map((url) => ping(url, used)));
    const good = answers.filter(({ status }) => status === 200);
    check('good once', good.length === 1 && answers.every(({ status }) => [200, 401].includes(status)), answers);
  }
});

await part('our client, which sends a proof with each request', async () => {
  const store = join(WORK, 'tokens');
  mkdirSync(store, { recursive: true });
  const page = { BROWSER: PERSON, NO_PROXY: '*' };
  for (let round = 0; round < 3; round += 1) {
    const program = start(LOGIN, ['--store', store, guarded.url, 'whoami'], page);
    const code = await program.ended;
    check('whoami', code === 0 && program.stdout.endsWith('alice\n'), [program.stdout, program.stderr]);
  }
});

end();
