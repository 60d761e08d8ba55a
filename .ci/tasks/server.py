"""Runs a FastMCP server with tasks: `server.py PORT`."""

import asyncio
import sys

from fastmcp import FastMCP
from fastmcp_tasks import TasksExtension

mcp = FastMCP("films")
mcp.add_extension(TasksExtension(url="memory://"))


@mcp.tool(task=True)
async def render(scenes: int) -> str:
    await asyncio.sleep(scenes * 0.2)
    return f"{scenes} scenes"


@mcp.tool(task=True)
async def cut() -> str:
    await asyncio.sleep(0.1)
    raise ValueError("the scissors are blunt")


mcp.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]))
