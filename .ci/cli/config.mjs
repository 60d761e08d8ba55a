// Compares the servers in `ours.json` with the servers that other programs find in the same
// files.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'

const folder = process.argv[2]
const read = (name) => JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8'))

// Describes a server by its URL or command line, as the file contains them.
const line = ({ command, args = [], url }) => url ?? [command, ...args].join(' ')
const ours = read('ours').servers.map((entry) => ({ ...entry, leads: line(entry) }))
const sources = ['project', 'vscode', 'cursor', 'claude-code', 'claude-desktop', 'gemini-cli', 'codex',
  'windsurf', 'zed', 'goose']
assert.deepEqual([...new Set(ours.map(({ source }) => source))], sources)

let compared = 0
function same(what, theirs, mine) {
  const sorted = (entries) => entries.map((entry) => JSON.stringify(entry)).sort()
  assert.ok(mine.length > 0, `${what}: nothing to compare`)
  assert.deepEqual(sorted(mine), sorted(theirs), what)
  compared += mine.length
  console.log(`${what}: ${mine.length} servers agree`)
}

same(
  'codex mcp list',
  read('codex').map(({ name, enabled, transport }) => [name, enabled, line(transport)]),
  ours.filter(({ source }) => source === 'codex').map(({ name, enabled, leads }) => [name, enabled, leads]),
)

for (const client of ['vscode', 'cursor', 'windsurf', 'codex']) {
  same(
    `mcporter config import ${client}`,
    read(`mcporter-${client}`).entries.map(({ name, entry, source }) =>
      [name, source, line({ ...entry, url: entry.baseUrl })]),
    ours.filter(({ source }) => source === client).map(({ name, file, leads }) => [name, file, leads]),
  )
}

if (existsSync(`${folder}/fastmcp.json`)) {
  // FastMCP reads only the nearest file of Cursor, skips disabled entries of Goose, and treats each URL
  // of Gemini CLI as Streamable HTTP.
  const found = read('fastmcp').map(({ transport_summary: summary, source, ...entry }) => {
    const [, transport, leads] = /^(\w+): (.*)$/.exec(summary)
    return { ...entry, source: source === 'gemini' ? 'gemini-cli' : source, transport, leads }
  })
  const files = new Set(found.map(({ config_path: file }) => file))
  for (const client of ['claude-desktop', 'claude-code', 'cursor', 'gemini-cli', 'goose', 'project']) {
    const transport = (it) => (client === 'gemini-cli' && it !== 'stdio' ? 'http' : it)
    same(
      `fastmcp discover, ${client}`,
      found.filter(({ source }) => source === client)
        .map(({ name, config_path: file, transport, leads }) => [name, file, transport, leads]),
      ours.filter(({ source, file, enabled }) => source === client && files.has(file) && enabled)
        .map((it) => [it.name, it.file, transport(it.transport), it.leads]),
    )
  }
}
console.log(`${compared} comparisons held`)
