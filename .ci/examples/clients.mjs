// The official TypeScript client, connected to an example in each era.
import { Client } from '@modelcontextprotocol/client';

const MODES = { '2025-11-25': 'legacy', '2026-07-28': { pin: '2026-07-28' } };

/** Calls `use(client, revision)` with a client of each era; `transport(revision)` makes its transport. */
export async function inEachEra(transport, use, prepare = () => {}) {
  for (const [revision, mode] of Object.entries(MODES)) {
    await connected(transport(revision), mode, async (client) => {
      if (client.getNegotiatedProtocolVersion() !== revision) throw new Error(`not ${revision}`);
      await use(client, revision);
    }, prepare);
  }
}

/** Calls `use(client)` with a client that speaks the era of its server. */
export async function connected(transport, mode, use, prepare = () => {}) {
  const capabilities = { elicitation: { form: {} } };
  const client = new Client({ name: 'ci', version: '1' }, { capabilities, versionNegotiation: { mode } });
  prepare(client);
  await client.connect(transport);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** The text of a call that fails: a result with `isError`, or a JSON-RPC error about the arguments. */
export async function failure(client, name, args) {
  try {
    const { isError, content } = await client.callTool({ name, arguments: args });
    if (!isError) throw new Error(`${name} has not failed: ${JSON.stringify(content)}`);
    return content.map((block) => block.text).join('\n');
  } catch (error) {
    if (error.code !== -32602) throw error;
    return [error.message, JSON.stringify(error.data ?? '')].join('\n');
  }
}
