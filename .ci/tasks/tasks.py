"""Runs tasks of our server from other clients, and tasks of FastMCP's server from our client.

tasks.py OURS NODE SCRIPT
"""

import asyncio
import subprocess
import sys
from pathlib import Path

import fastmcp_tasks  # noqa: F401, importing it makes the client support tasks
from fastmcp import Client
from fastmcp.exceptions import ToolError
from serving import serving

OURS, NODE, SCRIPT = sys.argv[1:]
HERE = Path(__file__).parent


async def answer(_message, response_type, _params, _context):
    return response_type(answer="Metropolis")


async def fastmcp_client(target):
    async with Client(target, elicitation_handler=answer) as client:

        async def text(tool, **arguments):
            result = await client.call_tool(tool, arguments)
            return result.content[0].text

        assert await text("render", scenes=4) == "4 scenes"
        assert await text("render", scenes=0) == "0 scenes"
        assert await text("name") == "the film is called Metropolis"
        try:
            await client.call_tool("cut", {})
        except ToolError as error:
            assert "the scissors are blunt" in str(error), error
        else:
            raise AssertionError("it did not fail")


def our_client(url, tool, arguments):
    command = [OURS, "call", url, tool, arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


with serving((OURS, "127.0.0.1:{port}")) as url:
    asyncio.run(fastmcp_client(url))
    print("FastMCP's client: ok")
    subprocess.run([NODE, SCRIPT, url], check=True)

with serving((sys.executable, str(HERE / "server.py"), "{port}")) as url:
    rendered = our_client(url, "render", '{"scenes": 4}')
    assert rendered.returncode == 0, rendered
    lines = rendered.stdout.splitlines()
    assert lines[0].startswith("Working") and lines[-1] == "4 scenes", lines
    failed = our_client(url, "cut", "{}")
    assert failed.returncode == 1 and "the scissors are blunt" in failed.stderr, failed
    print("FastMCP's server: ok")
