// A server over standard streams with the npm package's helpers, whose page uses the package's `App`.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { registerAppResource, registerAppTool } from '@modelcontextprotocol/ext-apps/server';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

const URI = 'ui://counter/page.html';

/** Returns the package's module as the statements of an inline script, with its exports in `names`. */
function inline(names) {
  const file = fileURLToPath(import.meta.resolve('@modelcontextprotocol/ext-apps/app-with-deps'));
  const exports = (list) =>
    `const ${names} = {${list.replace(/([\w$]+) as ([\w$]+)/g, '$2: $1')}};`;
  const module = readFileSync(file, 'utf8').replace(/export\s*\{([^}]*)\};?\s*$/, (_, list) => exports(list));
  return module.replaceAll('</script', '<\\/script');
}

const page = `<!doctype html><html><body><p id="result"></p><button>Count</button><script type="module">
${inline('{ App }')}
const show = ({ content }) => { document.getElementById('result').textContent = content[0].text; };
const app = new App({ name: 'counter', version: '1' }, {});
app.ontoolresult = show;
document.querySelector('button').onclick = async () =>
  show(await app.callServerTool({ name: 'count', arguments: {} }));
await app.connect();
document.body.dataset.host = app.getHostVersion().name;
</script></body></html>`;

const server = new McpServer({ name: 'counter', version: '1' });
let count = 0;
const answer = async () => ({ content: [{ type: 'text', text: `count: ${(count += 1)}` }] });
registerAppTool(server, 'show', { _meta: { ui: { resourceUri: URI } } }, answer);
registerAppTool(server, 'count', { _meta: { ui: { resourceUri: URI, visibility: ['app'] } } }, answer);
registerAppResource(server, 'Counter', URI, {}, async () => ({
  contents: [{ uri: URI, mimeType: 'text/html;profile=mcp-app', text: page }],
}));
await server.connect(new StdioServerTransport());
