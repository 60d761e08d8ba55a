// Connects the official TypeScript client to the examples.
import { Client } from '@modelcontextprotocol/client';

/** One revision of each era, with the option that makes the client use it. */
export const REVISIONS = { '2025-11-25': 'legacy', '2026-07-28': { pin: '2026-07-28' } };

/**
 * Calls `use(client)` with a client that uses `revision`. `answer(form)` fills in the forms that the
 * server sends.
 */
export async function connected(transport, revision, use, answer = () => ({ action: 'cancel' })) {
  const info = { name: 'ci', version: '1' };
  const versionNegotiation = { mode: REVISIONS[revision] };
  const client = new Client(info, { capabilities: { elicitation: { form: {} } }, versionNegotiation });
  client.setRequestHandler('elicitation/create', ({ params }) => answer(params));
  await client.connect(transport);
  try {
    const spoken = client.getNegotiatedProtocolVersion();
    if (spoken !== revision) throw new Error(`the server speaks ${spoken}, not ${revision}`);
    return await use(client);
  } finally {
    await client.close();
  }
}

/** Returns the result of a call that must succeed. */
export async function success(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(`${name} has failed: ${JSON.stringify(result)}`);
  return result;
}

/** Returns the message of a call that must fail, from a result with `isError` or from an error. */
export async function failure(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args }).catch((error) => {
    if (error.code !== -32602) throw error;
    return { isError: true, content: [{ text: `${error.message}\n${JSON.stringify(error.data ?? '')}` }] };
  });
  if (!result.isError) throw new Error(`${name} has not failed: ${JSON.stringify(result)}`);
  return result.content.map((block) => block.text).join('\n');
}
