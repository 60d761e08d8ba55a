// Serves a folder of skills with the official server: `server.mjs FOLDER PORT REVISION`.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { McpServer, createMcpHandler, legacyStatelessFallback } from '@modelcontextprotocol/server';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';

const [folder, port, revision] = process.argv.slice(2);
const skills = await loadSkills(folder, { strict: true, pageSize: 1 });
function skillsServer() {
  const server = new McpServer({ name: 'skills', version: '1' });
  skills.attach(server);
  return server;
}
const answer =
  revision === '2025-11-25'
    ? legacyStatelessFallback(skillsServer)
    : createMcpHandler(skillsServer, { legacy: 'reject' }).fetch;
createServer(async (request, response) => {
  const { method, headers, url } = request;
  const body = method === 'POST' ? await text(request) : undefined;
  const answered = await answer(new Request(`http://127.0.0.1:${port}${url}`, { method, headers, body }));
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  for await (const part of answered.body ?? []) response.write(part);
  response.end();
}).listen(port, '127.0.0.1');
