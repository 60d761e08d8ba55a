// A server over standard streams, without a library, whose pages test the host: `server.mjs PORT`. The port is that of
// a listener on 127.0.0.1, which pages try to reach.
import { createInterface } from 'node:readline';
import { MIME_TYPE, attack, declared, hostile } from './cases.mjs';

const port = Number(process.argv[2]);

/** A page that reports the messages it receives, and initializes itself late. */
const probe = (answersTeardown) => `<!doctype html><p>probe</p><script>
const received = [];
const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
addEventListener('message', ({ data }) => {
  received.push(data.method ?? data.id);
  send({ method: 'notifications/message', params: { level: 'info', data: { received: [...received], last: data } } });
  if (data.method === 'ui/resource-teardown' && ${answersTeardown})
    setTimeout(() => send({ id: data.id, result: {} }), 200);
});
// Malformed messages are ignored.
for (const it of [null, 'ping', 7, [], {}, { jsonrpc: '1.0', id: 1, method: 'ping' }]) parent.postMessage(it, '*');
send({ id: {}, method: 'ping' });
send({ id: 2, method: 7 });
send({ id: 3, method: 'ping', params: 'text' });
// So are messages that do not come through the sandbox, and reserved messages are not forwarded.
top.postMessage({ jsonrpc: '2.0', id: 4, method: 'ping' }, '*');
send({ method: 'ui/notifications/sandbox-proxy-ready' });
send({ id: 'initialize', method: 'ui/initialize', params: {} });
setTimeout(() => send({ method: 'ui/notifications/initialized' }), 300);
</script>`;

const tools = { secret: { ui: { visibility: ['model'] } }, 'neither of them': { ui: { visibility: [] } }, cancelled: {}, exit: {} };
const pages = {};
function add(name, html, { ui, listed = ui, mimeType = MIME_TYPE, uri = `ui://${encodeURIComponent(name)}` }) {
  tools[name] = { ui: { resourceUri: uri } };
  pages[uri] = { uri, mimeType, text: html, _meta: { ui }, listed: { ui: listed } };
}
add('probe', probe(true), { ui: {} });
add('slow', probe(true), { ui: {} });
add('stubborn', probe(false), { ui: {} });
add('declared', attack(port), declared(port));
for (const [name, page] of Object.entries(hostile(port))) add(name, attack(port), page);

const started = new Set();
let cancelled = 0;

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'hostile', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: Object.entries(tools).map(([name, _meta]) => ({ name, inputSchema: { type: 'object' }, _meta })),
  }),
  'resources/list': () => ({
    resources: Object.values(pages).map(({ uri, mimeType, listed }) => ({ uri, name: uri, mimeType, _meta: listed })),
  }),
  'resources/read': ({ uri }) => {
    const { listed, ...contents } = pages[uri];
    return { contents: [contents] };
  },
  'tools/call': ({ name }, id) => {
    if (name === 'exit') process.exit();
    if (name === 'slow') started.add(id);
    else return { content: [{ type: 'text', text: name === 'cancelled' ? String(cancelled) : `${name} ran` }] };
  },
  'notifications/cancelled': ({ requestId }) => {
    if (started.delete(requestId)) cancelled += 1;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  const result = methods[method]?.(params, id);
  if (id === undefined || (method === 'tools/call' && !result)) continue;
  const answer = result ? { result } : { error: { code: -32601, message: method } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}
