// Compares the example's tools, results and errors with the official memory server's.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { REVISIONS, connected, failure } from './clients.mjs';

const [program] = process.argv.slice(2);
const official = '../node_modules/@modelcontextprotocol/server-memory/dist/index.js';
const folder = mkdtempSync(join(tmpdir(), 'memory-'));

/** Starts a server with its own empty memory. */
function start(command, args, name) {
  const env = { ...process.env, MEMORY_FILE_PATH: join(folder, name) };
  return new StdioClientTransport({ command, args, env, stderr: 'ignore' });
}

/**
 * Removes the members of a tool that do not change its meaning:
 * - `execution`: `taskSupport` is "forbidden" by default, and 2026-07-28 does not have this member;
 * - hints: the specification defines defaults, and two hints only matter for tools that write;
 * - `$schema`: the keywords in these schemas mean the same in draft 7 and 2020-12;
 * - `additionalProperties: false` in output schemas, because zod always adds it and the
 *   results below have no other members, and in the input schema of a tool without arguments, as
 *   the specification recommends.
 */
function meaning({ annotations, execution, inputSchema, outputSchema, ...rest }) {
  assert.equal(execution?.taskSupport ?? 'forbidden', 'forbidden');
  const { readOnlyHint = false, openWorldHint = true } = annotations;
  const { destructiveHint = true, idempotentHint = false } = annotations;
  const hints = readOnlyHint ? { openWorldHint } : { openWorldHint, destructiveHint, idempotentHint };
  const without = (schema, ...keys) =>
    JSON.parse(JSON.stringify(schema, (key, value) => (keys.includes(key) ? undefined : value)));
  const isEmpty = Object.keys(inputSchema.properties).length === 0;
  return {
    ...rest,
    hints: { readOnlyHint, ...hints },
    inputSchema: without(inputSchema, '$schema', ...(isEmpty ? ['additionalProperties'] : [])),
    outputSchema: without(outputSchema, '$schema', 'additionalProperties'),
  };
}

const entity = (name, entityType, ...observations) => ({ name, entityType, observations });
const relation = (from, relationType, to) => ({ from, to, relationType });
const ada = entity('Ada Lovelace', 'person', 'wrote the first program', 'likes horses');
const babbage = entity('Charles Babbage', 'person', 'built engines');
const engine = entity('Analytical Engine', 'machine', 'größer als die Differenzmaschine');
const wrote = relation('Ada Lovelace', 'wrote programs for', 'Analytical Engine');
const designed = relation('Charles Babbage', 'designed', 'Analytical Engine');
const dangling = relation('nobody', 'knows', 'nothing');
const addition = (entityName, ...contents) => ({ entityName, contents });

/** The calls, which are sent to both servers in this order. */
const calls = [
  ['read_graph', {}],
  ['create_entities', { entities: [ada, babbage] }],
  ['create_entities', { entities: [entity('Ada Lovelace', 'other'), engine] }],
  ['create_relations', { relations: [wrote, designed, dangling] }],
  ['create_relations', { relations: [designed, relation('Ada Lovelace', 'knew', 'Charles Babbage')] }],
  ['add_observations', { observations: [addition('Ada Lovelace', 'born in 1815', 'likes horses'), addition('Analytical Engine')] }],
  ['add_observations', { observations: [addition('Ada Lovelace', 'is not kept'), addition('Unknown', 'x')] }],
  ['read_graph', {}],
  ['search_nodes', { query: 'ENGINE' }],
  ['search_nodes', { query: 'GRÖSSER' }],
  ['search_nodes', { query: 'GRÖß' }],
  ['search_nodes', { query: 'machine' }],
  ['search_nodes', { query: '%' }],
  ['search_nodes', { query: '' }],
  ['open_nodes', { names: ['Charles Babbage', 'Unknown'] }],
  ['open_nodes', { names: [] }],
  ['delete_observations', { deletions: [{ entityName: 'Ada Lovelace', observations: ['likes horses', 'x'] }, { entityName: 'Unknown', observations: ['x'] }] }],
  ['delete_relations', { relations: [designed, relation('a', 'b', 'c')] }],
  ['read_graph', {}],
  ['delete_entities', { entityNames: ['Analytical Engine', 'nobody', 'Unknown'] }],
  ['read_graph', {}],
];

/** Returns the tools without redundant members, and the results of all calls. */
async function observe(client) {
  const { tools } = await client.listTools();
  const results = [];
  for (const [name, args] of calls) {
    const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: args });
    results.push([name, args, isError ? content : structuredContent]);
  }
  return { tools: tools.map(meaning), results };
}

try {
  const original = start(process.execPath, [official], 'official.jsonl');
  const wanted = await connected(original, '2025-11-25', observe);
  assert.equal(wanted.tools.length, 9);
  for (const revision of Object.keys(REVISIONS)) {
    await connected(start(program, [], `${revision}.db`), revision, async (client) => {
      const found = await observe(client);
      for (const part of ['tools', 'results']) {
        assert.equal(found[part].length, wanted[part].length);
        found[part].forEach((item, index) => assert.deepEqual(item, wanted[part][index]));
      }
      assert.match(await failure(client, 'open_nodes', { names: 'Ada Lovelace' }), /names/);
    });
    console.log(`memory, ${revision}: 9 tools and ${calls.length} results are those of the official server`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
