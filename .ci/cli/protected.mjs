// Runs the example `protected` with a certified authorization server: `protected.mjs PROTECTED WORK`.
// Prints the line `{ url, browser }`, where `browser` is a program that logs in as `alice`. Then answers
// each command on standard input with a line, until standard input ends.

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
  /** Sets the lifetime of access tokens in seconds. */
  lifetime: (seconds) => { issuer.lifetime = Number(seconds); },
  /** Forgets clients, logins, tokens and keys. */
  async forget() {
    await issuer.rotate();
    server.child.kill();
    await server.ended;
    server = await serve();
  },
  /** Lists the events so far. */
  log: () => issuer.log.map(({ what, grant }) => (grant ? `${what} ${grant}` : what)),
};
for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...rest] = line.split(' ');
  say({ answer: await commands[name](...rest) });
}
process.exit(0);
