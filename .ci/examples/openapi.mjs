// Calls an HTTP API through tools that were made from its OpenAPI document.
import assert from 'node:assert/strict';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { failure, inEachEra } from './clients.mjs';

const [command] = process.argv.slice(2);

const emma = { isbn: '978 0/14?', title: 'Emma', author: 'Jane Austen', similar: ['1'] };
const ulysses = { isbn: '2', title: 'Ulysses', author: 'James Joyce & Söhne' };

await inEachEra(() => new StdioClientTransport({ command, stderr: 'inherit' }), async (client, revision) => {
  const { tools } = await client.listTools();
  const byName = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
  assert.deepEqual(Object.keys(byName).sort(), ['add_book', 'get_book', 'list_books', 'remove_book']);
  assert.equal(byName.get_book.description, 'Gets a book.');
  assert.equal(byName.get_book.annotations.readOnlyHint, true);
  assert.equal(byName.remove_book.annotations.destructiveHint, true);
  assert.deepEqual(byName.get_book.inputSchema.required, ['isbn']);
  assert.deepEqual(byName.add_book.inputSchema.properties.body, { $ref: '#/$defs/Book' });
  assert.ok(byName.add_book.inputSchema.$defs.Book);

  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError, JSON.stringify(result));
    return result;
  };
  // Before 2026-07-28, structured content is an object.
  const list = async (args) => {
    const { structuredContent } = await call('list_books', args);
    return revision < '2026' ? structuredContent.result : structuredContent;
  };
  assert.deepEqual(await list({}), []);
  for (const body of [emma, ulysses]) {
    assert.deepEqual((await call('add_book', { body })).structuredContent, body);
  }
  assert.deepEqual(await list({}), [ulysses, emma]);
  assert.deepEqual(await list({ author: ulysses.author }), [ulysses]);
  assert.deepEqual((await call('get_book', { isbn: emma.isbn })).structuredContent, emma);
  assert.equal((await call('remove_book', { isbn: emma.isbn })).content[0].text, 'null');

  assert.match(await failure(client, 'get_book', { isbn: emma.isbn }), /404 Not Found/);
  assert.match(await failure(client, 'get_book', {}), /`isbn`: missing/);
  assert.match(await failure(client, 'get_book', { isbn: '2', page: 1 }), /'page' was unexpected/);
  const nameless = { body: { isbn: '', title: 5, author: 'x' } };
  assert.match(await failure(client, 'add_book', nameless), /`body.isbn`[^]*`body.title`: 5 is not of type/);
  assert.deepEqual(await list({}), [ulysses]);
  console.log(`openapi, ${revision}: ${tools.length} tools call the API`);
});
