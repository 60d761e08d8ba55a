// Tests the example host and the example server in a browser, with each other and with other implementations:
// `apps.mjs CHROMIUM OURS HOST MCP PYTHON INSPECTOR [PICTURE]`. PICTURE is a file, into which a picture of the clock is
// written.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch } from '../auth/chromium.mjs';
import { answered, end, freePort, part, pause, start } from '../auth/harness.mjs';
import { hostile } from './cases.mjs';
import { openHost, until } from './host.mjs';
import { OPTIONS, takePicture } from './picture.mjs';

const [chromium, ours, program, mcp, python, inspector, picture] = process.argv.slice(2);
const HERE = dirname(fileURLToPath(import.meta.url));
const browser = await launch(chromium, mkdtempSync(join(HERE, 'profile.')), ...(picture ? OPTIONS : []));
const node = (script, ...args) => ['--', process.execPath, join(HERE, script), ...args];
const isTime = `/^\\d\\d:\\d\\d:\\d\\d$/.test(document.getElementById('time').textContent)`;

/** Starts the host with a server. */
const hostFor = (server, env) => start(program, server, env);

/** Opens the page of a host, runs a function with it, and ends the host. */
async function withHost(started, run) {
  const host = await openHost(browser, started);
  try {
    const tools = await host.tools();
    await run(host, tools);
  } catch (error) {
    const shown = await Promise.race([host.text(), pause(1000)]);
    throw new Error(`${error.message}\nthe host page says: ${shown}\n${host.host.stderr}`, { cause: error });
  } finally {
    await host.close();
  }
}

/** Shows the clock, uses it, and cancels a call. */
async function clock(host, tools) {
  assert.deepEqual(tools, ['time', 'alarm']);
  assert.match(await host.call('time', { utc_offset: 2 }), /^\d\d:\d\d:\d\d$/);
  await host.inPage(`${isTime} && document.getElementById('zone').textContent === 'UTC+2'`);
  const page = await host.page();
  await page.evaluate(`document.getElementById('time').textContent = ''`);
  await host.clickInPage('#tick');
  await host.inPage(isTime);
  await host.clickInPage('#copy');
  const copying = `navigator.clipboard.writeText('12:00:00').then(() => 'copied', String)`;
  assert.equal(await page.evaluate(copying), 'copied');

  const outcome = (method, params) =>
    page.evaluate(`request('${method}', ${JSON.stringify(params)}).then(JSON.stringify, (error) => error.message)`);
  assert.match(await outcome('tools/call', { name: 'alarm', arguments: { seconds: 1 } }), /alarm/);
  assert.match(await outcome('tools/call', { name: 'lost' }), /lost/);
  assert.match(await outcome('resources/read', { uri: 'ui://clock' }), /"contents":\[/);
  assert.match(await outcome('resources/read', { uri: 'ui://lost' }), /ui:\/\/lost/);
  assert.equal(await outcome('ping', {}), '{}');

  await host.begin('alarm', { seconds: 60 });
  await host.inPage(`document.getElementById('tick').disabled === false`);
  await host.click('cancel');
  await host.inPage(`document.getElementById('time').textContent === 'cancelled'`);
  await until('the call ends', async () => !(await host.isRunning()));
  assert.equal(await host.text(), 'cancelled by the user');
}

/** The clock behind a proxy of several servers, which gives tools and pages a prefix. */
async function proxied(host, tools) {
  assert.deepEqual(tools, ['clock_time', 'clock_alarm', 'npm_show']);
  await host.call('clock_time');
  await host.inPage(isTime);
  await (await host.page()).evaluate(`document.getElementById('time').textContent = ''`);
  await host.clickInPage('#tick');
  await host.inPage(isTime);
}

/** The messages that a page receives, and their order. */
async function messages(host, tools) {
  assert.ok(tools.includes('secret') && !tools.includes('neither of them'), tools);
  assert.equal(await host.call('probe', { a: 1 }), 'probe ran');
  const last = async () => (await host.notes()).at(-1) ?? { received: [] };
  await until('the page has its result', async () => (await last()).received.length === 3);
  // The answer to `ui/initialize` is the only message before `initialized`.
  const expected = ['initialize', 'ui/notifications/tool-input', 'ui/notifications/tool-result'];
  assert.deepEqual((await last()).received, expected);
  const [initialized, input, result] = (await host.notes()).map((it) => it.last);
  assert.deepEqual(initialized.result.hostCapabilities, { serverTools: {}, serverResources: {} });
  assert.equal(initialized.result.protocolVersion, '2026-01-26');
  assert.equal(initialized.result.hostContext.toolInfo.tool.name, 'probe');
  assert.equal(initialized.result.hostContext.displayMode, 'inline');
  const sent = JSON.stringify(await host.get('seen'));
  assert.equal(sent.split('ui/notifications/sandbox-').length, 2, sent);
  assert.deepEqual(input.params, { arguments: { a: 1 } });
  assert.equal(result.params.content[0].text, 'probe ran');

  const page = await host.page();
  const failure = async (method, params) => {
    const id = `${method} ${JSON.stringify(params)}`;
    await page.evaluate(`send(${JSON.stringify({ id, method, params })})`);
    const note = await until(id, async () => (await host.notes()).find((it) => it.last.id === id));
    return note.last.error;
  };
  for (const method of ['ui/open-link', 'ui/message', 'ui/request-display-mode', 'tools/list', 'sampling/createMessage']) {
    assert.equal((await failure(method, { url: 'https://a.example' })).code, -32601, method);
  }
  assert.match((await failure('tools/call', { name: 'secret' })).message, /secret/);
  assert.match((await failure('tools/call', { name: 'neither of them' })).message, /neither/);
  assert.equal((await failure('tools/call', { name: 7 })).code, -32602);

  await host.click('close');
  await until('the page is removed', async () => (await host.get('seen')).includes('removed'));
  const seen = await host.get('seen');
  const told = seen.findIndex((it) => it?.params?.data?.last?.method === 'ui/resource-teardown');
  const agreed = seen.findIndex((it) => it?.id === 'teardown');
  assert.ok(told >= 0 && told < agreed && agreed < seen.indexOf('removed'), JSON.stringify(seen.slice(-4)));

  assert.equal(await host.call('stubborn'), 'stubborn ran');
  await until('the page has its result', async () => (await last()).received.length === 3);
  const began = Date.now();
  await host.click('close');
  await until('the page is removed', async () => !(await host.hasPage()));
  assert.ok(Date.now() - began > 1500, 'the page had two seconds to end');
}

/** A call that is cancelled is cancelled at the server, too. */
async function cancelled(host) {
  await host.begin('slow');
  await until('the page is initialized', async () => (await host.notes()).at(-1)?.last.method === 'ui/notifications/tool-input');
  await host.click('cancel');
  const note = await until('the page is told', async () =>
    (await host.notes()).find((it) => it.last.method === 'ui/notifications/tool-cancelled'));
  assert.equal(note.last.params.reason, 'cancelled by the user');
  await until('the server is told', async () => (await host.call('cancelled')) === '1');
}

/** The program answers only its own page. */
async function strangers(host) {
  const { origin, port, pathname } = new URL(host.url);
  const ask = async (url, headers) => {
    const body = '{}';
    return (await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })).status;
  };
  const tools = `${origin}${pathname}tools`;
  assert.equal(await ask(tools, { origin }), 200);
  for (const stranger of ['null', 'https://a.example', `http://localhost:${port}`]) {
    assert.equal(await ask(tools, { origin: stranger }), 403, stranger);
  }
  assert.equal(await ask(`http://localhost:${port}${pathname}tools`, {}), 403);
  assert.equal(await ask(`${origin}/tools`, {}), 404);
  assert.equal(await ask(`${origin}${pathname}call`, { 'content-type': 'text/plain' }), 415);
}

/** Listens on a port, and records the requests. */
async function listener() {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(request.url);
    response.setHeader('access-control-allow-origin', '*');
    const isFrame = ['/frame', '/form'].includes(request.url);
    const type = isFrame ? 'html' : request.url === '/style' ? 'css' : 'javascript';
    response.setHeader('content-type', `text/${type}`);
    response.end(isFrame ? '<script>parent.postMessage(location.pathname, "*")</script>' : '');
  });
  server.on('upgrade', (request, socket) => {
    requests.push(request.url);
    socket.destroy();
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { port: server.address().port, requests };
}

/** Calls a tool. Returns the report of its page, or the text if there is no page. */
async function attack(host, name) {
  const text = await host.call(name);
  if (!(await host.hasPage())) return text;
  return until('the page reports', async () => (await host.notes())[0]);
}

/** A page reaches the listener if it has declared it. */
async function reaches(host, requests) {
  const reached = await attack(host, 'declared');
  for (const it of ['eval', 'form', 'object', 'parent', 'storage', 'top', 'window']) {
    assert.equal(reached[it], 'blocked', JSON.stringify(reached));
  }
  await until('the page is replaced', () => requests.includes('/location'));
  assert.ok(!requests.includes('/sandbox'));
  for (const it of ['fetch', 'import', 'font', 'image', 'script', 'style', 'prefetch', 'frame', 'video', 'socket', 'beacon']) {
    assert.ok(requests.includes(`/${it}`), `a declared ${it} must be reached: ${requests}`);
  }
}

/** Shows pages with hostile declarations, which must not reach the listener. */
async function attacks(host, { port, requests }) {
  await reaches(host, requests);
  requests.length = 0;
  const cases = Object.entries(hostile(port));
  for (const [name, { isRefused, allow }] of cases) {
    const report = await attack(host, name);
    if (isRefused) assert.match(String(report), /^No page: .*can't be shown.*\n.* ran$/, name);
    else assert.ok(Object.values(report).every((it) => it === 'blocked'), `${name}: ${JSON.stringify(report)}`);
    if (allow !== undefined) assert.equal(await host.evaluate('document.querySelector("iframe").allow'), allow, name);
    assert.deepEqual(requests, [], name);
  }
  // The last attempt of a page is to go to the listener.
  await pause(300);
  assert.deepEqual(requests, []);
  console.log(`ok: ${cases.length} pages reach nothing`);
}

/** A server that has ended. */
async function gone(host) {
  assert.equal(await host.call('probe'), 'probe ran');
  await host.call('exit');
  const text = await host.call('probe');
  assert.match(text, /server|connection|request/);
}

/** A page with the npm package's `App`. */
async function npmPage(host, tools) {
  assert.deepEqual(tools, ['show']);
  assert.equal(await host.call('show'), 'count: 1');
  await host.inPage(`document.getElementById('result').textContent === 'count: 1'`);
  await host.inPage(`document.body.dataset.host === 'mcp-example-app-host'`);
  await host.clickInPage('button');
  await host.inPage(`document.getElementById('result').textContent === 'count: 2'`);
  // `App` answers when it ends.
  const began = Date.now();
  await host.click('close');
  await until('the page is removed', async () => !(await host.hasPage()));
  assert.ok(Date.now() - began < 1500, 'the page must answer');
}

async function fastmcpPage(host, tools) {
  assert.deepEqual(tools, ['greet']);
  assert.equal(await host.call('greet', { name: 'Ada' }), 'Hello Ada');
  await host.inPage(`document.getElementById('text').textContent === 'Hello Ada'`);
  assert.equal(await host.evaluate('document.querySelector("iframe").allow'), 'geolocation');
}

/** Our server behind the npm package's `AppBridge`. */
async function bridge() {
  const files = { '/': ['text/html', '<!doctype html><body><script type="module" src="bundle.js"></script>'] };
  files['/bundle.js'] = ['text/javascript', readFileSync(join(HERE, 'bundle.js'))];
  const pages = createServer(({ url }, response) => {
    const [type, text] = files[new URL(url, 'http://a').pathname] ?? [];
    response.writeHead(text ? 200 : 404, { 'content-type': type ?? 'text/plain' }).end(text);
  });
  await new Promise((done) => pages.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${pages.address().port}`;
  const port = await freePort();
  const server = start(ours, [`127.0.0.1:${port}`, origin]);
  await answered(server, `http://127.0.0.1:${port}/mcp`);
  const tab = await browser.open(`${origin}/?http://127.0.0.1:${port}/mcp`);
  try {
    await until('the page is loaded', () => tab.evaluate('window.bridge !== undefined'));
    const meta = JSON.parse(await tab.evaluate('JSON.stringify(Object.fromEntries(tools.map((it) => [it.name, it._meta])))'));
    assert.deepEqual(meta.time, { ui: { resourceUri: 'ui://clock', visibility: ['model', 'app'] }, 'ui/resourceUri': 'ui://clock' });
    assert.deepEqual(meta.tick.ui.visibility, ['app']);
    const page = await until('the page is loaded', () => browser.foreignFrame(tab, 'about:srcdoc'));
    await until('the page shows the time', () => page.evaluate(isTime));
    await page.evaluate(`document.getElementById('time').textContent = ''; document.getElementById('tick').click()`);
    await until('the tool is called', () => page.evaluate(isTime));
    assert.equal(await tab.evaluate('bridge.teardownResource({}).then(JSON.stringify)'), '{}');
  } finally {
    await tab.close();
    pages.close();
    server.child.kill();
  }
}

/** The Inspector's report about our tools. */
const inspect = () => Promise.all(['legacy', 'modern'].map(async (era) => {
  const options = ['--protocol-era', era, '--format', 'json', '--method', 'tools/list', '--app-info'];
  const ran = start(process.execPath, [inspector, '--cli', ours, ...options]);
  assert.equal(await ran.ended, 0, ran.stderr);
  const reports = ran.stdout.trim().split('\n').map((line) => JSON.parse(line));
  const time = reports.find(({ toolName }) => toolName === 'time');
  assert.equal(time.resourceUri, 'ui://clock', ran.stdout);
  assert.deepEqual(time.csp.connectDomains, ['https://api.example'], ran.stdout);
  assert.deepEqual(time.permissions, { clipboardWrite: {} }, ran.stdout);
}));

if (picture) {
  await withHost(hostFor(['--', ours]), (host) => takePicture(host, picture));
  process.exit(0);
}
const raw = await listener();
// Python and the Inspector start slowly.
const fastmcp = hostFor(['--', python, join(HERE, 'fastmcp_server.py')]);
const inspected = inspect();
inspected.catch(() => {});
for (const revision of ['2025-11-25', '2026-07-28']) {
  await part(`the clock in our host, ${revision}`, () => withHost(hostFor(['--', ours], { MCP_REVISION: revision }), clock));
}
const both = join(HERE, 'servers.json');
writeFileSync(both, JSON.stringify({ mcpServers: {
  clock: { command: ours },
  npm: { command: process.execPath, args: [join(HERE, 'npm_server.mjs')] },
} }));
await part('the clock behind a proxy', () => withHost(hostFor(['--', mcp, 'proxy', '--config', both]), proxied));
await part('the order of messages', () => withHost(hostFor(node('server.mjs', raw.port)), messages));
await part('a cancelled call', () => withHost(hostFor(node('server.mjs', raw.port)), cancelled));
await part('other origins', () => withHost(hostFor(['--', ours]), strangers));
await part('a server that ends', () => withHost(hostFor(node('server.mjs', raw.port)), gone));
await part('a page with the npm package', () => withHost(hostFor(node('npm_server.mjs')), npmPage));
await part('a FastMCP server', () => withHost(fastmcp, fastmcpPage));
await part('our server behind AppBridge', bridge);
await part('the Inspector', () => inspected);
await part('hostile declarations', () => withHost(hostFor(node('server.mjs', raw.port)), (host) => attacks(host, raw)));
end();
