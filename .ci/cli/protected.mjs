// The example `protected` with a certified authorization server: `protected.mjs PROTECTED WORK`. Prints
// one line, `{ url, browser }`, where `browser` is a program that logs in as `alice`. Each line of
// standard input is a command, which is answered by a line; it ends when standard input does.

import { createInterface } from 'node:readline';

import { answered, freePort, script, start } from '../auth/harness.mjs';
import { Issuer } from '../auth/provider.mjs';

const [PROTECTED, WORK] = process.argv.slice(2);

const issuer = await Issuer.start();
const address = `127.0.0.1:${await freePort()}`;
const url = `http://${address}/mcp`;

async function serve() {
  const server = start(PROTECTED, [address, issuer.url]);
  await answered(server, url);
  return server;
}

let server = await serve();
const say = (line) => console.log(JSON.stringify(line));
say({ url, browser: script(WORK, 'person') });

const commands = {
  /** Sets the seconds for which access tokens are good. */
  lifetime: (seconds) => { issuer.lifetime = Number(seconds); },
  /** Forgets clients, logins, tokens and keys. */
  async forget() {
    await issuer.rotate();
    server.child.kill();
    await server.ended;
    server = await serve();
  },
  /** How often each thing has happened. */
  log: () => issuer.log.map(({ what, grant }) => (grant ? `${what} ${grant}` : what)),
};
for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...rest] = line.split(' ');
  say({ answer: await commands[name](...rest) });
}
process.exit(0);
