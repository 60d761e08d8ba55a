// Runs the steps of `plan.json` with the official TypeScript client, as `client.py` does with the
// Python client.
import { readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const PLAN = JSON.parse(readFileSync(new URL('plan.json', import.meta.url), 'utf8'));
const MODES = { handshake: 'legacy', stateless: { pin: '2026-07-28' } };
const ONLY_WITH_HANDSHAKE = ['wait', 'logging/setLevel', 'resources/subscribe', 'notifications/roots/list_changed'];
const LIMIT = 15_000;
const { HOME, PATH, RECORD } = process.env;
const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

/** Waits until `holds` returns true. */
async function until(what, holds) {
  for (const end = Date.now() + LIMIT; !holds(); await pause(10)) {
    if (Date.now() > end) throw new Error(`${what} did not come`);
  }
}

/** The client discovers the server on the connection itself, as it is not a plain `StdioClientTransport`. */
class Stdio extends StdioClientTransport {}

function transport({ target, headers = {} }, messages) {
  const [command, ...args] = target;
  const made = typeof target === 'string'
    ? new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers } })
    : new Stdio({ command, args, env: { HOME, PATH, RECORD }, stderr: 'ignore' });
  // The client replaces this function more than once while it connects.
  let deliver;
  Object.defineProperty(made, 'onmessage', {
    get: () => deliver && ((message, extra) => {
      messages.push(message);
      deliver(message, extra);
    }),
    set: (value) => { deliver = value; },
  });
  return made;
}

const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };
const ANSWERS = {
  'elicitation/create': ({ params: { mode } }) =>
    (mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { name: 'Ada', size: 'small' } }),
  'sampling/createMessage': () =>
    ({ role: 'assistant', content: { type: 'text', text: 'four' }, model: 'm', stopReason: 'endTurn' }),
  'roots/list': () => ({ roots: [{ uri: 'file:///tmp/a', name: 'a' }] }),
};
const LISTS = {
  'tools/list': 'listTools',
  'prompts/list': 'listPrompts',
  'resources/list': 'listResources',
  'resources/templates/list': 'listResourceTemplates',
};

/** Cancels a call once the server has recorded a line, and waits for the next line. */
async function cancelled(client, params) {
  writeFileSync(RECORD, '');
  const controller = new AbortController();
  const call = client.callTool(params, { signal: controller.signal }).catch((error) => error);
  for (const line of ['waiting', 'cancelled']) {
    await until(line, () => readFileSync(RECORD, 'utf8').includes(line));
    controller.abort();
  }
  await call;
}

/** Asks for logs as a stateless client does, in each request. */
const isStateless = (client) => client.getNegotiatedProtocolVersion() > '2026';
const logged = (client) => (isStateless(client) ? { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } } : {});

function run(client, messages, method, params, option) {
  switch (method) {
    case 'tools/call':
      if (option === 'cancel') return cancelled(client, params);
      return client.callTool({ ...params, ...logged(client) }, option && { onprogress() {} });
    case 'prompts/get': return client.getPrompt(params);
    case 'resources/read': return client.readResource(params);
    case 'completion/complete': return client.complete(params);
    case 'logging/setLevel': return client.setLoggingLevel(params.level);
    case 'resources/subscribe': return client.subscribeResource(params);
    case 'notifications/roots/list_changed': return client.sendRootsListChanged();
    case 'wait': return until(params.for, () => messages.filter((it) => it.method === params.for).length >= params.count);
    default: return client[LISTS[method]](undefined, { cacheMode: 'refresh' });
  }
}

async function transcript(job) {
  const messages = [];
  const client = new Client({ name: 'ts', version: '1' }, {
    capabilities: CAPABILITIES,
    versionNegotiation: { mode: MODES[job.era] },
  });
  for (const [method, answer] of Object.entries(ANSWERS)) client.setRequestHandler(method, answer);
  await client.connect(transport(job, messages));
  const era = isStateless(client) ? 'stateless' : 'handshake';
  const plan = PLAN[job.server];
  if (era === 'stateless' && /"(listChanged|subscribe)":true/.test(JSON.stringify(client.getServerCapabilities()))) {
    const uris = plan.filter(([method]) => method === 'resources/subscribe').map(([, { uri }]) => uri);
    const changes = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    await client.listen({ ...changes, resourceSubscriptions: uris });
  }
  const steps = [];
  let begin = 0;
  for (const step of plan) {
    let fault = null;
    if (era === 'handshake' || !ONLY_WITH_HANDSHAKE.includes(step[0])) {
      await Promise.resolve(run(client, messages, ...step)).catch((error) => {
        fault = `${error.name}: ${error.message}`;
      });
    }
    steps.push({ step, fault, messages: messages.slice(begin) });
    begin = messages.length;
  }
  await client.close();
  return { ...job, era, steps };
}

for (const job of JSON.parse(await text(process.stdin))) {
  const done = await transcript(job).catch((error) => ({ ...job, failed: String(error) }));
  console.log(JSON.stringify(done));
}
process.exit(0);
