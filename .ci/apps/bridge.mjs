// A host with the npm package's `AppBridge`, in a web page: `bridge.html?SERVER`.
import { AppBridge, PostMessageTransport, buildAllowAttribute, getToolUiResourceUri } from '@modelcontextprotocol/ext-apps/app-bridge';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const info = { name: 'bridge', version: '1' };
const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
const client = new Client(info, { capabilities: { extensions } });
await client.connect(new StreamableHTTPClientTransport(new URL(location.search.slice(1))));

const { tools } = await client.listTools();
const tool = tools.find((it) => it.name === 'time');
const { contents } = await client.readResource({ uri: getToolUiResourceUri(tool) });
const frame = document.body.appendChild(document.createElement('iframe'));
frame.sandbox = 'allow-scripts';
frame.allow = buildAllowAttribute(contents[0]._meta.ui.permissions);

const bridge = new AppBridge(client, info, { serverTools: {}, serverResources: {} });
const call = { name: 'time', arguments: { utc_offset: 2 } };
bridge.oninitialized = async () => {
  await bridge.sendToolInput({ arguments: call.arguments });
  await bridge.sendToolResult(await client.callTool(call));
};
await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
frame.srcdoc = contents[0].text;
Object.assign(window, { bridge, tools, contents });
