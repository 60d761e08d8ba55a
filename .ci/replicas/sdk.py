"""The official Python client, and the TypeScript client of `client.mjs`."""

import asyncio
import json
import os
import subprocess
import sys
import time
import warnings
from contextlib import asynccontextmanager
from pathlib import Path

from mcp import Client, types
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

warnings.simplefilter("ignore")
MODES = {"handshake": "legacy", "stateless": "2026-07-28"}


async def ada(_context, _params):
    return types.ElicitResult(action="accept", content={"answer": "Ada"})


@asynccontextmanager
async def connected(url, era, user=None, heard=None):
    async def hear(message):
        if heard is not None:
            heard.append((time.monotonic(), message))

    transport = streamable_http_client(url, http_client=create_mcp_http_client({"X-User": user} if user else {}))
    async with Client(transport, mode=MODES[era], elicitation_callback=ada, message_handler=hear, cache=None) as client:
        assert (client.protocol_version > "2026") == (era == "stateless"), client.protocol_version
        yield client


async def text(client, name, **arguments):
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result
    return result.content[0].text


async def load(url, era, user, seconds):
    """Calls `increment` ten times a second. Returns the counts, and the faults of calls that failed."""
    counts, faults = [], []
    async with connected(url, era, user) as client:
        begun = time.monotonic()
        for number in range(seconds * 10):
            await asyncio.sleep(max(0, begun + number / 10 - time.monotonic()))
            try:
                counts.append(int(await asyncio.wait_for(text(client, "increment"), 20)))
            except Exception as error:
                faults.append(f"{number / 10} s: {type(error).__name__}: {error}")
        # The session must still be there.
        try:
            await text(client, "who")
        except Exception as error:
            faults.append(f"at the end: {type(error).__name__}: {error}")
    return counts, faults


async def loads(seconds, urls):
    """Runs two clients of each era for each URL."""
    clients = [(url, era, f"python {number}") for url in urls for era in MODES for number in range(2)]
    return await asyncio.gather(*(load(*client, seconds) for client in clients))


def typescript(*arguments, **options):
    """Starts `client.mjs`."""
    script = Path(__file__).parent / "client.mjs"
    return subprocess.Popen(["node", script, *map(str, arguments)], stdout=subprocess.PIPE, text=True, **options)


def python(*arguments):
    return subprocess.Popen([os.environ["PYTHON"], __file__, *map(str, arguments)], stdout=subprocess.PIPE, text=True)


if __name__ == "__main__":
    # `sdk.py load SECONDS URL…` prints the outcomes.
    print(json.dumps(asyncio.run(loads(int(sys.argv[2]), sys.argv[3:]))))
