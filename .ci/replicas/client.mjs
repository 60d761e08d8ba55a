// Uses the replicas with the official TypeScript client.
//
// `client.mjs features URL ERA` fails if something is not as with one server.
// `client.mjs load SECONDS URL…` calls `increment` ten times a second from two clients of each era for
// each URL. For each client, it prints the counts and the faults of calls that failed.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const MODES = { handshake: 'legacy', stateless: { pin: '2026-07-28' } };
const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });
const [what, ...args] = process.argv.slice(2);

async function connected(url, era, user) {
  const client = new Client({ name: 'ts', version: '1' }, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: MODES[era] },
  });
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { answer: 'Ada' } }));
  const headers = user ? { 'x-user': user } : {};
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

async function text(client, name, args = {}, options = undefined) {
  const result = await client.callTool({ name, arguments: args }, options);
  if (result.isError) throw new Error(JSON.stringify(result));
  return result.content[0].text;
}

async function features(url, era) {
  const client = await connected(url, era);
  const processes = new Set();
  for (let count = 0; count < 30; count += 1) processes.add(JSON.parse(await text(client, 'who')).process);
  assert.equal(processes.size, 3);
  for (let count = 0; count < 6; count += 1) assert.match(await text(client, 'ask'), /^hello Ada/);
  let steps = 0;
  await text(client, 'sleep', { ms: 300 }, { onprogress: () => { steps += 1; } });
  assert.ok(steps >= 3, `${steps} steps`);

  const heard = new Set();
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => { heard.add(params.uri); });
  const uris = ['counter://count', 'counter://other'];
  if (era === 'stateless') await client.listen({ resourceSubscriptions: uris });
  else await Promise.all(uris.map((uri) => client.subscribeResource({ uri })));
  for (let round = 0; round < 6; round += 1) {
    heard.clear();
    await Promise.all([text(client, 'increment'), text(client, 'touch')]);
    for (const end = Date.now() + 5000; heard.size < 2; await pause(10)) {
      assert.ok(Date.now() < end, `round ${round}: heard only of ${[...heard]}`);
    }
  }
  await client.close();
}

async function calls(url, era, user, seconds) {
  const client = await connected(url, era, user);
  const counts = [];
  const faults = [];
  const begun = Date.now();
  for (let number = 0; number < seconds * 10; number += 1) {
    await pause(Math.max(0, begun + number * 100 - Date.now()));
    try {
      counts.push(Number(await text(client, 'increment', {}, { timeout: 20_000 })));
    } catch (error) {
      faults.push(`${number / 10} s: ${error}`);
    }
  }
  await text(client, 'who').catch((error) => { faults.push(`at the end: ${error}`); });
  await client.close().catch(() => {});
  return [counts, faults];
}

async function load(seconds, ...urls) {
  const clients = urls.flatMap((url) => Object.keys(MODES).flatMap((era) => [
    calls(url, era, 'typescript 0', seconds),
    calls(url, era, 'typescript 1', seconds),
  ]));
  console.log(JSON.stringify(await Promise.all(clients)));
}

await { features, load }[what](...args);
process.exit(0);
