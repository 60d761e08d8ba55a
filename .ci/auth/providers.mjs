// Tests the example `providers`: users log in at an authorization server that imitates each provider.
// Usage: `providers.mjs PROVIDERS LOGIN WORK`.

import { join } from 'node:path';
import { readFileSync, rmSync } from 'node:fs';

import { answered, check, end, freePort, part, script, start } from './harness.mjs';
import { APP, CLIENT, SECRET, SHAPES, ShapedIssuer } from './shapes.mjs';

const [PROVIDERS, LOGIN, WORK] = process.argv.slice(2);
const PERSON = script(WORK, 'person');
const PAGES = join(WORK, 'provider-pages');

/** Runs a client whose user logs in. */
async function run(program, args, env = {}) {
  rmSync(PAGES, { force: true });
  const client = start(program, args, { BROWSER: PERSON, PAGES, NO_PROXY: '*', ...env });
  const timer = setTimeout(() => client.child.kill('SIGKILL'), 40_000);
  const code = await client.ended;
  clearTimeout(timer);
  return { code, stdout: client.stdout.trim(), stderr: client.stderr.trim() };
}

for (const [name, shape] of Object.entries(SHAPES)) {
  await part(`a login at ${name}`, async () => {
    const issuer = await ShapedIssuer.start(name);
    const env = { ISSUER: issuer.url, TOKEN_INFO: `${issuer.url}/tokeninfo` };
    const address = `127.0.0.1:${await freePort()}`;
    const url = `http://${address}/mcp`;
    const server = start(PROVIDERS, ['serve', address, name, ...shape.serve], env);
    await answered(server, url);
    const result = await run(PROVIDERS, ['login', url, name, ...shape.login], env);
    check('whoami', result.code === 0 && result.stdout === 'alice', { result, server: server.stderr });
    const login = issuer.logins.at(-1);
    check('PKCE', login?.code_challenge_method === 'S256', login);
    if (shape.resource === 'refused') check('no resource', login?.resource === undefined, login);
    if (name === 'google') {
      check('a refresh token', issuer.issued.at(-1)?.includes('refresh_token'), issuer.issued);
    }
    if (name === 'entra') {
      check('the prefix of scopes', login?.scope.includes(`api://${APP}/files.read`), login);
    }
    const secret = shape.secret ? ['--client-secret', SECRET] : [];
    const plain = ['--client-id', CLIENT, ...secret, '--issuer', issuer.url, url, 'whoami'];
    const refused = await run(LOGIN, plain);
    check('without the settings', refused.code !== 0 && shape.without.test(refused.stderr), refused);
    const nobody = await run(LOGIN, [url, 'whoami']);
    check('without a client', nobody.code !== 0 && /register one there manually/.test(nobody.stderr), nobody);
    issuer.stop();
  });
}

end();
