"""Compares what official clients see of three servers with and without `mcp proxy`.

The messages must be the same, except for ids, progress tokens, times and the like.
"""

import base64
import difflib
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from accounts import TOKENS, log_in, protected
from checks import end, part
from program import ENVIRONMENT, MCP, WORK
from proxies import over_http, over_stdio
from servers import EVERYTHING, FASTMCP, everything_over_http, fastmcp_over_http

HERE = Path(__file__).parent
CLIENTS = {"python": [sys.executable, str(HERE / "client.py")], "typescript": ["node", str(HERE / "client.mjs")]}
ERAS = ["handshake", "stateless"]
# Members that only the stateless era has.
STATELESS = {"resultType", "ttlMs", "cacheScope"}
OWN = "io.modelcontextprotocol/"
ONLY_WITH_HANDSHAKE = ["logging/setLevel", "resources/subscribe", "notifications/roots/list_changed", "wait"]
# The server asks this at any time.
BY_ITSELF = "roots/list"
# These come right after the handshake. Whether they come over HTTP depends on when the client opens its stream.
EARLY = ["notifications/tools/list_changed"]
VARIABLE = [
    (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UUID"),
    (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME"),
    (r"\d+:\d\d:\d\d [AP]M", "TIME"),
    (r"( from)? session (UUID|undefined)| $", ""),
]


def plain(value, key=None):
    """Replaces the parts of a message that differ between two runs."""
    if isinstance(value, dict):
        return {key: plain(inner, key) for key, inner in value.items() if key not in ["id", "jsonrpc"]}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if key in ["progressToken", "requestState", "io.modelcontextprotocol/subscriptionId"]:
        return key
    if not isinstance(value, str):
        return value
    if key == "blob":
        value = base64.b64decode(value).decode(errors="replace")
    for pattern, replacement in VARIABLE:
        value = re.sub(pattern, replacement, value)
    return value


def outcome(step, is_first, is_translated):
    """Returns what a client sees of a step: questions, progress and responses."""
    seen = {"fault": step["fault"], "asked": [], "progress": [], "responses": []}
    for message in step["messages"]:
        method, params, result = message.get("method"), message.get("params"), message.get("result")
        if method and "id" in message:
            seen["asked"].append({"method": method, "params": params})
        elif method == "notifications/progress":
            seen["progress"].append(params)
        elif is_translated and result and result.get("resultType") == "input_required":
            seen["asked"] += result["inputRequests"].values()
        # A client may ask a server with a handshake for a discovery, which is an error.
        elif not method and ("result" in message or not is_first):
            seen["responses"].append(message)
    if step["step"][-1] == "cancel":
        # Some transports answer a cancelled call.
        seen["responses"] = []
    seen["asked"] = [question for question in seen["asked"] if question["method"] != BY_ITSELF]
    if is_translated:
        # The first step begins with the handshake, or with the discovery.
        seen["responses"] = [without_era(message) for message in seen["responses"][-1:]]
        seen["asked"] = [without_era(question) for question in seen["asked"]]
    return plain(seen)


def without_era(value):
    """Removes the members that only one era has."""
    if isinstance(value, list):
        return [without_era(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    kept = {key: without_era(inner) for key, inner in value.items() if key not in STATELESS}
    return {key: inner for key, inner in kept.items() if not key.startswith(OWN) and (key, inner) != ("_meta", {})}


def others(transcript):
    """Returns the notifications that belong to no call. How often they come depends on the transport."""
    notifications = set()
    for message in (message for step in transcript["steps"] for message in step["messages"]):
        method = message.get("method", "notifications/progress")
        if method == BY_ITSELF or ("id" not in message and method not in ["notifications/progress", *EARLY]):
            notifications.add(json.dumps(plain(message), sort_keys=True))
    return notifications


def compare(direct, proxied):
    """Returns the differences between two transcripts, as lines of text."""
    if "failed" in proxied:
        return [proxied["failed"]]
    is_translated = direct["era"] != proxied["era"] or proxied["translated"]
    faults = []
    for number, (expected, found) in enumerate(zip(direct["steps"], proxied["steps"], strict=True)):
        if is_translated and expected["step"][0] in ONLY_WITH_HANDSHAKE:
            continue
        seen = [outcome(step, number == 0, is_translated) for step in (expected, found)]
        a, b = (json.dumps(it, indent=1, sort_keys=True) for it in seen)
        if a != b:
            lines = list(difflib.unified_diff(a.splitlines(), b.splitlines(), "direct", "proxied", n=2, lineterm=""))
            faults += [json.dumps(expected["step"]), *(line[:300] for line in lines[:30])]
    if not is_translated and others(direct) != others(proxied):
        faults += ["notifications", *(f"-{it}" for it in others(direct) - others(proxied))]
        faults += [f"+{it}" for it in others(proxied) - others(direct)]
    return faults


def transcripts(client, jobs, record):
    """Runs jobs with a client."""
    ended = subprocess.run(
        CLIENTS[client],
        input=json.dumps(jobs),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=300,
        env={**ENVIRONMENT, "RECORD": record},
    )
    found = [json.loads(line) for line in ended.stdout.split("\n") if line]
    assert ended.returncode == 0 and len(found) == len(jobs), ended.stderr[-3000:]
    return found


def run(client, server, token):
    """Runs one client with each server, directly and through proxies, and returns the differences."""
    record = f"{WORK}/record-{client}"
    Path(record).touch()
    program = ["--env", "RECORD", "--"]
    with ExitStack() as stack:
        enter = stack.enter_context
        everything, fastmcp = enter(everything_over_http()), enter(fastmcp_over_http(RECORD=record))
        direct = {"everything": EVERYTHING, "fastmcp": FASTMCP, "protected": server.url}
        fronts = {
            "stdio": {
                "everything": over_stdio(everything),
                "fastmcp": over_stdio(fastmcp),
                "protected": over_stdio(server.url),
            },
            "http": {
                "everything": enter(over_http(*program, *EVERYTHING, RECORD=record)),
                "fastmcp": enter(over_http(*program, *FASTMCP, RECORD=record)),
                "protected": enter(over_http(server.url)),
            },
        }
        jobs = [
            {"server": name, "era": era, "target": target, "headers": {"authorization": f"Bearer {token}"}}
            for name, target in direct.items()
            for era in ERAS
            # This server has one era.
            if (name, era) != ("everything", "stateless")
        ]
        known = {(it["server"], it["era"]): it for it in transcripts(client, jobs, record)}
        known["everything", "stateless"] = known["everything", "handshake"]
        jobs = [
            {"server": name, "era": era, "target": target, "front": front}
            for front, targets in fronts.items()
            for name, target in targets.items()
            for era in ERAS
        ]
        for found in transcripts(client, jobs, record):
            name, era = found["server"], found["era"]
            # The proxy connects to servers of both eras without a handshake.
            found["translated"] = era == "handshake" and name != "everything"
            yield f"{client}, {name}, {era}, {found['front']}", compare(known[name, era], found)


@part("official clients see the same")
def _():
    with protected() as server, ThreadPoolExecutor() as threads:
        log_in(server)
        [token] = [json.loads(json.loads(it.read_text())[1]) for it in TOKENS.iterdir() if '"tokens ' in it.read_text()]
        runs = list(threads.map(lambda client: list(run(client, server, token["access_token"])), CLIENTS))
    different = [f"{name}:\n" + "\n".join(faults) for found in runs for name, faults in found if faults]
    assert not different, "\n".join(different)


end()
