"""Serves an app with FastMCP, over standard streams."""

from fastmcp import FastMCP
from fastmcp.apps import AppConfig, ResourceCSP, ResourcePermissions

URI = "ui://greeting/page.html"
PAGE = """<!doctype html><p id="text">waiting</p><script>
const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
addEventListener('message', ({ data: { id, method, params } }) => {
  if (id === 1) send({ method: 'ui/notifications/initialized' });
  if (method === 'ui/notifications/tool-result') document.getElementById('text').textContent = params.content[0].text;
});
send({ id: 1, method: 'ui/initialize', params: {
  protocolVersion: '2026-01-26', appInfo: { name: 'greeting', version: '1' }, appCapabilities: {} } });
</script>"""

mcp = FastMCP("greeting")


@mcp.tool(app=AppConfig(resource_uri=URI))
def greet(name: str) -> str:
    return f"Hello {name}"


@mcp.tool(app=AppConfig(resource_uri=URI, visibility=["app"]))
def hidden() -> str:
    return "hidden"


# FastMCP passes on what is not a domain.
CSP = ResourceCSP(connect_domains=["https://a.example", "https://b.example; script-src *"])


@mcp.resource(URI, app=AppConfig(csp=CSP, permissions=ResourcePermissions(geolocation={})))
def page() -> str:
    return PAGE


mcp.run(show_banner=False)
