// Calls our server with the official client of the extension, whose schema checks each message.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createApplicationInputHandler, createTaskSessionFromClient } from '@modelcontextprotocol/ext-tasks/client';
import { isCreateTaskResultV2, isDetailedTaskV2 } from '@modelcontextprotocol/ext-tasks/core/v2';

const [url] = process.argv.slice(2);
const PROTOCOL = '2026-07-28';
const clientInfo = { name: 'tasks', version: '1' };
const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
const checked = { created: 0, statuses: 0 };
let lastId = 0;

// Sends a request that the SDK's client would not send, and checks the result.
async function rawDispatch(request) {
  const { method, params } = request;
  const name = params.taskId ?? params.name;
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: ++lastId, ...request }),
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': PROTOCOL,
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': name }),
    },
  });
  const text = await response.text();
  const events = text.split('\n').filter((line) => line.startsWith('data: ') && line.length > 6);
  const answer = events.length > 0 ? JSON.parse(events.at(-1).slice(6)) : JSON.parse(text);
  if (answer.result?.resultType === 'task') {
    assert.ok(isCreateTaskResultV2(answer.result), text);
    checked.created += 1;
  } else if (method === 'tasks/get' && answer.result) {
    assert.ok(isDetailedTaskV2(answer.result), text);
    checked.statuses += 1;
  }
  const { error, result } = answer;
  return error ? { kind: 'error', error } : { kind: 'result', result };
}

const client = new Client(clientInfo, { capabilities, versionNegotiation: { mode: { pin: PROTOCOL } } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const session = createTaskSessionFromClient(client, {
  endpointId: 'ours',
  rawDispatch,
  v2RequestFraming: { protocolVersion: PROTOCOL, clientInfo, clientCapabilities: capabilities },
  onInputRequest: createApplicationInputHandler({
    elicitation: () => ({ action: 'accept', content: { answer: 'Metropolis' } }),
    sampling: () => assert.fail('no tool asks a model'),
    roots: () => assert.fail('no tool asks for roots'),
  }),
});

async function call(tool, args) {
  const execution = await session.callTool(tool, args);
  const { outcome } = await execution.settle();
  return { kind: execution.kind, outcome };
}
const text = ({ outcome }) => outcome.result.content[0].text;

const long = await call('render', { scenes: 4 });
assert.equal(long.kind, 'task');
assert.equal(text(long), '4 scenes');
const short = await call('render', { scenes: 0 });
assert.equal(short.kind, 'immediate');
assert.equal(text(short), '0 scenes');
assert.equal(text(await call('name', {})), 'the film is called Metropolis');
const failed = await call('cut', {});
assert.equal(failed.outcome.result.isError, true);
await session.close();
await client.close();
assert.ok(checked.created >= 3 && checked.statuses >= 3, JSON.stringify(checked));
console.log(`official client: ok, ${checked.created} tasks and ${checked.statuses} statuses fit the schema`);
