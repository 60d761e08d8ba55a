// Calls an HTTP API with tools that were made from its OpenAPI document.
import assert from 'node:assert/strict';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { REVISIONS, connected, failure, success } from './clients.mjs';

const [command] = process.argv.slice(2);

const emma = { isbn: '978 0/14?', title: 'Emma', author: 'Jane Austen', similar: ['1'] };
const ulysses = { isbn: '2', title: 'Ulysses', author: 'James Joyce & Söhne' };

async function drive(client, revision) {
  const { tools } = await client.listTools();
  const byName = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
  assert.deepEqual(Object.keys(byName).sort(), ['add_book', 'get_book', 'list_books', 'remove_book']);
  assert.equal(byName.get_book.description, 'Gets a book.');
  assert.equal(byName.get_book.annotations.readOnlyHint, true);
  assert.equal(byName.remove_book.annotations.destructiveHint, true);
  assert.deepEqual(byName.get_book.inputSchema.required, ['isbn']);
  assert.deepEqual(byName.add_book.inputSchema.properties.body, { $ref: '#/$defs/Book' });
  assert.ok(byName.add_book.inputSchema.$defs.Book);

  // Before 2026-07-28, structured content must be an object.
  const list = async (args) => {
    const { structuredContent } = await success(client, 'list_books', args);
    return revision < '2026' ? structuredContent.result : structuredContent;
  };
  assert.deepEqual(await list({}), []);
  for (const body of [emma, ulysses]) {
    assert.deepEqual((await success(client, 'add_book', { body })).structuredContent, body);
  }
  assert.deepEqual(await list({}), [ulysses, emma]);
  assert.deepEqual(await list({ author: ulysses.author }), [ulysses]);
  const { isbn } = emma;
  assert.deepEqual((await success(client, 'get_book', { isbn })).structuredContent, emma);
  await success(client, 'remove_book', { isbn });

  assert.match(await failure(client, 'get_book', { isbn }), /404 Not Found/);
  assert.match(await failure(client, 'get_book', {}), /`isbn`: missing/);
  assert.match(await failure(client, 'get_book', { isbn, page: 1 }), /'page' was unexpected/);
  const nameless = { isbn: '', title: 5, author: 'x' };
  const faults = /`body.isbn`[^]*`body.title`: 5 is not of type/;
  assert.match(await failure(client, 'add_book', { body: nameless }), faults);
  assert.deepEqual(await list({}), [ulysses]);
  console.log(`openapi, ${revision}: ${tools.length} tools call the API`);
}

for (const revision of Object.keys(REVISIONS)) {
  const transport = new StdioClientTransport({ command, stderr: 'inherit' });
  await connected(transport, revision, (client) => drive(client, revision));
}
