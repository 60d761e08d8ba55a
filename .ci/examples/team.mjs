// Uses the team app as two users, who fill in forms.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { REVISIONS, connected, failure, success } from './clients.mjs';

const [program] = process.argv.slice(2);

/** Returns the headers of a user. */
const token = (user) => ({ authorization: `Bearer token-of-${user}` });

/** Connects as `user`, who answers forms with `answers`, and calls `use(client, forms)`. */
function as(user, url, revision, answers, use) {
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers: token(user) } });
  const forms = [];
  const answer = (form) => {
    forms.push(form);
    return answers.shift();
  };
  return connected(transport, revision, (client) => use(client, forms), answer);
}

/** Subscribes to `uri`. The promise `updated` resolves when a change is announced. */
async function subscribed(client, uri, revision) {
  const updated = new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`no news of ${uri}`)), 20_000);
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      clearTimeout(late);
      resolve(params.uri);
    });
  });
  if (revision < '2026') await client.subscribeResource({ uri });
  else await client.listen({ resourceSubscriptions: [uri] });
  return { updated };
}

const read = async (client, uri) => JSON.parse((await client.readResource({ uri })).contents[0].text);
const names = async (client) => (await client.listTools()).tools.map((tool) => tool.name);
// Before 2026-07-28, structured content must be an object.
const tasks = async (client) => {
  const { structuredContent } = await success(client, 'list_tasks');
  return structuredContent.result ?? structuredContent;
};

async function drive(url, revision) {
  const accept = (content) => ({ action: 'accept', content });
  const plan = { urgency: 'high', days: 3 };
  const paint = { title: 'Paint', owner: 'Bob', ...plan };

  await as('bob', url, revision, [accept(plan), { action: 'decline' }], async (client, forms) => {
    assert.deepEqual(await names(client), ['list_tasks', 'add_task']);
    const { updated } = await subscribed(client, 'team://tasks/Bob', revision);
    const added = await success(client, 'add_task', { title: 'Paint' });
    assert.deepEqual(added.structuredContent, paint);
    assert.equal(forms[0].message, 'A plan for “Paint”, please.');
    const { properties, required } = forms[0].requestedSchema;
    assert.deepEqual(required, ['urgency', 'days']);
    assert.deepEqual(properties.urgency.enum, ['low', 'high']);
    assert.deepEqual([properties.days.minimum, properties.days.maximum], [1, 30]);
    assert.match(await failure(client, 'add_task', { title: 'Sleep' }), /declined/);
    assert.match(await failure(client, 'add_task', { title: '' }), /`title`/);
    assert.match(await failure(client, 'remove_tasks', { title: 'Paint' }), /remove_tasks/);
    assert.equal(forms.length, 2);
    assert.deepEqual(await tasks(client), [paint]);
    assert.equal(await updated, 'team://tasks/Bob');
    assert.deepEqual(await read(client, 'team://tasks/Bob'), [paint]);
    await assert.rejects(read(client, 'team://tasks/Ann'), ({ code }) => [-32002, -32602].includes(code));
  });

  const answers = [accept({ urgency: 'low', days: 30 }), accept({ agreed: false }), accept({ agreed: true })];
  await as('ann', url, revision, answers, async (client, forms) => {
    assert.deepEqual(await names(client), ['list_tasks', 'add_task', 'remove_tasks']);
    await success(client, 'add_task', { title: 'Cook' });
    assert.deepEqual((await tasks(client)).map((task) => task.owner), ['Bob', 'Ann']);
    assert.match(await failure(client, 'remove_tasks', { title: 'Paint' }), /keep/);
    assert.deepEqual(await read(client, 'team://tasks/Bob'), [paint]);
    const { content } = await success(client, 'remove_tasks', { title: 'Paint' });
    assert.equal(content[0].text, '1 removed');
    assert.deepEqual(await read(client, 'team://tasks/Bob'), []);
    assert.deepEqual(forms[2].requestedSchema.required, ['agreed']);
    assert.deepEqual((await tasks(client)).map((task) => task.title), ['Cook']);
  });

  // The HTTP page shows the same tasks for the same users.
  const page = async (headers) => fetch(new URL('/tasks', url), { headers });
  assert.deepEqual(await (await page(token('bob'))).json(), []);
  assert.equal((await (await page(token('ann'))).json()).length, 1);
  assert.equal((await page({})).status, 401);
  await assert.rejects(as('eve', url, revision, [], () => {}), ({ data }) => data.status === 401);
  console.log(`team, ${revision}: two users fill in forms, and see what is theirs`);
}

for (const revision of Object.keys(REVISIONS)) {
  const app = spawn(program, ['127.0.0.1:0'], { stdio: ['ignore', 'inherit', 'pipe'] });
  const exit = once(app, 'exit');
  try {
    const [url] = await once(createInterface(app.stderr), 'line');
    await drive(url, revision);
  } finally {
    app.kill('SIGINT');
  }
  assert.deepEqual(await exit, [0, null]);
}
