"""A server on the official Python SDK whose tool `touch` announces changes: `sdk_server.py PORT`."""

import asyncio
import sys

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("announcer", log_level="ERROR")


@server.resource("note://a")
def note() -> str:
    """A note."""
    return "a"


@server.tool()
async def touch(context: Context) -> str:
    """Announces that the tools and the note have changed."""
    await context.notify_tools_changed()
    await context.notify_resource_updated("note://a")
    return "touched"


asyncio.run(server.run_streamable_http_async(port=int(sys.argv[1])))
