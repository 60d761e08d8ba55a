"""Records calls of server-everything, and replays them to the official Python SDK and to the command itself."""

import asyncio

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from checks import end, part
from program import ENVIRONMENT, HOME, MCP, done, fails
from servers import EVERYTHING

FILE = f"{HOME}/everything.jsonl"


@part("the same output from the recording")
def _():
    for words in [["inspect"], ["call", "get-sum", "a=2", "b=3"], ["call", "trigger-long-running-operation", "duration=1", "steps=2", "-v"]]:
        recorded = done(*words, "--record", FILE, "--", *EVERYTHING)
        replayed = done(*words, "--", MCP, "replay", FILE)
        assert replayed.stdout == recorded.stdout, (recorded, replayed)


@part("the Python SDK, which sends other capabilities and other ids")
def _():
    done("call", "get-sum", "a=2", "b=3", "--record", FILE, "--", *EVERYTHING)

    async def calls():
        server = StdioServerParameters(command=MCP, args=["replay", FILE], env=ENVIRONMENT)
        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            await session.initialize()
            tools = await session.list_tools()
            assert "get-sum" in [tool.name for tool in tools.tools], tools
            result = await session.call_tool("get-sum", {"b": 3, "a": 2})
            assert "5" in result.content[0].text, result
            try:
                await session.call_tool("get-sum", {"a": 2, "b": 4})
            except Exception as error:
                assert "has no request tools/call" in str(error) and FILE in str(error), error
            else:
                raise AssertionError("a call that was not recorded has an answer")

    asyncio.run(asyncio.wait_for(calls(), 60))


@part("a call that was not recorded")
def _():
    message = fails(5, "refused", "call", "get-sum", "a=2", "b=4", "--", MCP, "replay", FILE)
    assert '"b":3' in message, message


end()
