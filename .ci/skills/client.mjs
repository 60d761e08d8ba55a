// Prints all skills of a server as JSON, with the official client: `client.mjs URL REVISION`.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillVerificationError, SkillsClient } from '@modelcontextprotocol/client/ext/skills';

const [url, revision] = process.argv.slice(2);
const mode = revision === '2025-11-25' ? 'legacy' : { pin: revision };
const client = new Client({ name: 'skills', version: '1' }, { versionNegotiation: { mode } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
assert.equal(client.getNegotiatedProtocolVersion(), revision);
const skills = new SkillsClient(client);

// Returns the children of a directory, with `null` in place of files.
async function tree(uri) {
  const children = {};
  for (const { uri: child, mimeType } of (await skills.readDirectory(uri)).resources) {
    assert.ok(child.startsWith(`${uri}/`), child);
    children[child.slice(uri.length + 1)] = mimeType === 'inode/directory' ? await tree(child) : null;
  }
  return children;
}

const seen = {};
const { skills: listed } = await skills.list();
for (const skill of listed) {
  assert.deepEqual((await skills.get(skill.uri)).skill, skill);
  const files = {};
  for (const { uri } of skill.resources) {
    const file = await skills.read(skill, uri);
    assert.equal(file.verified, true);
    files[uri] = Buffer.from(file.bytes).toString('base64');
  }
  await assert.rejects(skills.read(skill, 'unlisted.md'), SkillVerificationError);
  const root = skill.uri.slice(0, -'/SKILL.md'.length);
  // Not all servers can read directories.
  seen[skill.uri] = { frontmatter: skill.frontmatter, files, tree: skills.directoryRead ? await tree(root) : null };
}
await assert.rejects(skills.get('skill://nobody/SKILL.md'), { code: -32602 });
if (skills.directoryRead) await assert.rejects(skills.readDirectory(listed[0].uri), { code: -32602 });
console.log(JSON.stringify(seen));
await client.close();
