// Calls a tool that uses an extension, from a client that does not know the extension.
import assert from 'node:assert/strict';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { REVISIONS, connected, success } from './clients.mjs';

const [program] = process.argv.slice(2);
for (const revision of Object.keys(REVISIONS)) {
  const transport = new StdioClientTransport({ command: program });
  await connected(transport, revision, async (client) => {
    const { tools } = await client.listTools();
    assert.deepEqual(tools[0]._meta, { 'com.example/tickets': { afterMs: 50 } });
    const repaired = await success(client, 'repair', { days: 2 });
    assert.deepEqual(repaired.content, [{ type: 'text', text: 'repaired, and painted red' }]);
    assert.ok('com.example/tickets' in client.getServerCapabilities().extensions);
  }, () => ({ action: 'accept', content: { answer: 'red' } }));
}
console.log('extension: ok');
