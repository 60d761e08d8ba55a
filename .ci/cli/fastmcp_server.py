"""A FastMCP server that is difficult for clients: `fastmcp_server.py`, or `… PORT` for HTTP.

The server supports both eras. The file that RECORD names receives what the server records.
"""

import asyncio
import logging
import os
import sys
from typing import Literal

from fastmcp import Context, FastMCP
from fastmcp.server.completions import CompletionValues
from fastmcp.utilities.types import Image
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult
from pydantic import BaseModel, Field

server = FastMCP("stranger", version="1.0", instructions="Handle with care.")

CITIES = ["Oslo", "Osaka", "Lima"]


class Place(BaseModel):
    city: str
    height: int = 0


class Forecast(BaseModel):
    city: str
    days: int
    tags: list[str]
    unit: str
    key: int | str | None


class Choice(BaseModel):
    """The form of the tool `ask`."""

    name: str
    size: Literal["small", "large"] = Field(default="large", title="Size")
    count: int = Field(default=7, ge=1, le=9)
    sure: bool = True


def record(line):
    with open(os.environ["RECORD"], "a") as file:
        file.write(line + "\n")


@server.tool
def forecast(
    place: Place,
    days: int = 1,
    tags: list[str] = [],
    unit: Literal["celsius", "kelvin"] = "celsius",
    key: int | str | None = None,
) -> Forecast:
    """Answers what it was given."""
    return Forecast(city=place.city, days=days, tags=tags, unit=unit, key=key)


@server.tool
async def ask(context: Context):
    """Asks for a choice, in the way of either era."""
    if context.request_context.protocol_version < "2026":
        answer = await context.elicit("What will it be?", Choice)
        return answer.action if answer.action != "accept" else f"accept {answer.data.model_dump_json()}"
    if not context.input_responses:
        form = ElicitRequestFormParams(message="What will it be?", requested_schema=Choice.model_json_schema())
        return InputRequiredResult(input_requests={"choice": ElicitRequest(params=form)})
    answer = context.input_responses["choice"]
    return answer.action if answer.action != "accept" else f"accept {Choice(**answer.content).model_dump_json()}"


@server.tool
async def climb(context: Context) -> str:
    """Reports progress until RELEASE exists, if that is set."""
    for step in range(1, 4):
        await context.report_progress(step, 3, f"step {step}")
        await context.info(f"at step {step}")
    while (release := os.environ.get("RELEASE")) and not os.path.exists(release):
        await asyncio.sleep(0.05)
    return "at the top"


@server.tool
async def wait() -> str:
    """Waits until it is cancelled."""
    record("waiting")
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        record("cancelled")
        raise
    return "nobody cancelled it"


@server.tool
def picture() -> Image:
    """An image, of 300 bytes."""
    return Image(data=b"\x89PNG" + bytes(296), format="png")


@server.tool
def escape() -> str:
    """Text that controls a terminal."""
    return "\x1b]0;title\x07\x1b[8mhidden\u202e"


@server.tool
def fail() -> str:
    """Fails."""
    raise ValueError("it is broken")


@server.tool
def many() -> str:
    """More lines than a pipe holds."""
    return "\n".join(f"line {number}" for number in range(100_000))


@server.prompt
def travel(city: str, note: str = "none") -> str:
    """Asks for a journey."""
    return f"Plan a journey to {city}; note: {note}"


@server.completion
async def complete(reference, argument, context) -> CompletionValues:
    return [city for city in CITIES if city.startswith(argument.value)]


@server.resource("note://{owner}/{title}")
def note(owner: str, title: str) -> str:
    """A note."""
    return f"{title} of {owner}"


@server.resource("note://blob", mime_type="application/octet-stream")
def blob() -> bytes:
    """Bytes that are no text."""
    return bytes([0, 255, 27, 10])


if __name__ == "__main__":
    logging.disable()
    if len(sys.argv) > 1:
        server.run("http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False, log_level="error")
    else:
        server.run("stdio", show_banner=False, log_level="error")
