"""Runs the steps of `plan.json` with the official Python client, and prints the messages that it receives.

`client.py` reads jobs `[{ server, era, target }]` from standard input, and prints a line for each: the job with
its steps, and with the messages that came while each step ran, or the job and the reason why it has failed.
"""

import asyncio
import json
import os
import sys
import warnings
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from mcp import Client, StdioServerParameters, stdio_client, types
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

warnings.simplefilter("ignore")
PLAN = json.loads((Path(__file__).parent / "plan.json").read_text())
MODES = {"handshake": "legacy", "stateless": "auto"}
ONLY_WITH_HANDSHAKE = ["wait", "logging/setLevel", "resources/subscribe", "notifications/roots/list_changed"]
LIMIT = 15
LISTS = {
    "tools/list": Client.list_tools,
    "prompts/list": Client.list_prompts,
    "resources/list": Client.list_resources,
    "resources/templates/list": Client.list_resource_templates,
}


class Recorder:
    """A stream that records the messages from the server."""

    def __init__(self):
        self.messages, self.arrived = [], asyncio.Condition()

    @asynccontextmanager
    async def around(self, transport):
        async with transport as (self.reader, writer):
            yield self, writer

    async def __aenter__(self):
        return self

    async def __aexit__(self, *error):
        await self.reader.aclose()

    def __aiter__(self):
        return self

    async def __anext__(self):
        item = await self.reader.__anext__()
        if isinstance(item, Exception):
            self.messages.append({"method": "fault", "params": str(item)})
        else:
            self.messages.append(item.message.model_dump(mode="json", by_alias=True, exclude_unset=True))
        async with self.arrived:
            self.arrived.notify_all()
        return item

    async def came(self, method, count):
        """Waits until `count` messages have come with this method."""
        async with self.arrived:
            await self.arrived.wait_for(lambda: sum(it.get("method") == method for it in self.messages) >= count)


def transport(target, headers):
    if isinstance(target, str):
        return streamable_http_client(target, http_client=create_mcp_http_client(headers=headers))
    environment = {name: os.environ[name] for name in ["HOME", "PATH", "RECORD"]}
    return stdio_client(StdioServerParameters(command=target[0], args=target[1:], env=environment))


async def answer(context, params):
    content = None if params.mode == "url" else {"name": "Ada", "size": "small"}
    return types.ElicitResult(action="accept", content=content)


async def sample(context, params):
    text = types.TextContent(type="text", text="four")
    return types.CreateMessageResult(role="assistant", content=text, model="m", stop_reason="endTurn")


async def roots(context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///tmp/a", name="a")])


async def ignore(*_):
    pass


async def cancelled(call):
    """Cancels a call once the server has recorded a line, and waits for the next line."""
    record = Path(os.environ["RECORD"])
    record.write_text("")
    call = asyncio.create_task(call)
    for line in ["waiting", "cancelled"]:
        while line not in record.read_text():
            await asyncio.sleep(0.02)
        call.cancel()


async def run(client, recorder, method, params, option=None):
    """Runs a step."""
    match method:
        case "tools/call":
            progress = ignore if option == "progress" else None
            call = client.call_tool(params["name"], params["arguments"], progress_callback=progress)
            await (cancelled(call) if option == "cancel" else call)
        case "prompts/get":
            await client.get_prompt(params["name"], params["arguments"])
        case "resources/read":
            await client.read_resource(params["uri"])
        case "completion/complete":
            kinds = {"ref/prompt": types.PromptReference, "ref/resource": types.ResourceTemplateReference}
            await client.complete(kinds[params["ref"]["type"]](**params["ref"]), params["argument"])
        case "logging/setLevel":
            await client.set_logging_level(params["level"])
        case "resources/subscribe":
            await client.subscribe_resource(params["uri"])
        case "notifications/roots/list_changed":
            await client.send_roots_list_changed()
        case "wait":
            await recorder.came(params["for"], params["count"])
        case _:
            await LISTS[method](client)


async def transcript(job):
    recorder, plan = Recorder(), PLAN[job["server"]]
    client = Client(
        recorder.around(transport(job["target"], job.get("headers"))),
        mode=MODES[job["era"]],
        sampling_callback=sample,
        list_roots_callback=roots,
        elicitation_callback=answer,
        logging_callback=ignore,
        log_level="info",
        client_info=types.Implementation(name="py", version="1"),
        cache=None,
    )
    steps, begin = [], 0
    async with client, AsyncExitStack() as stack:
        era = "handshake" if client.protocol_version < "2026" else "stateless"
        capabilities = client.server_capabilities.model_dump_json(exclude_unset=True)
        if era == "stateless" and ("changed\":true" in capabilities or "subscribe\":true" in capabilities):
            uris = [params["uri"] for method, params, *_ in plan if method == "resources/subscribe"]
            changes = {f"{kind}_list_changed": True for kind in ["tools", "prompts", "resources"]}
            await stack.enter_async_context(client.listen(**changes, resource_subscriptions=uris))
        for step in plan:
            fault = None
            try:
                if era == "handshake" or step[0] not in ONLY_WITH_HANDSHAKE:
                    await asyncio.wait_for(run(client, recorder, *step), LIMIT)
            except Exception as error:
                fault = f"{type(error).__name__}: {error}"
            end = len(recorder.messages)
            steps.append({"step": step, "fault": fault, "messages": recorder.messages[begin:end]})
            begin = end
    return {**job, "era": era, "steps": steps}


for job in json.load(sys.stdin):
    try:
        print(json.dumps(asyncio.run(transcript(job))), flush=True)
    except BaseException as error:
        print(json.dumps({**job, "failed": repr(error)}), flush=True)
