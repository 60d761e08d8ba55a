"""A server over stdio that shows each message: `server.py handshake`, or `server.py stateless`.

The file that RECORD names receives its process number, the tools that run, and the notifications. With
`stubborn` as well, only SIGKILL ends the server.
"""

import json
import os
import signal
import sys
import threading
import time

ERA, *OPTIONS = sys.argv[1:]
OWN = "io.modelcontextprotocol/"
FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
QUESTION = {"method": "elicitation/create", "params": {"message": "Who is it?", "requestedSchema": FORM, "x-own": 1}}
CAPABILITIES = {"tools": {"listChanged": True}, "logging": {}, "experimental": {"x": {"y": 1}}}
CALLER = {"capabilities": "clientCapabilities", "clientInfo": "clientInfo"}
ABOUT = {"name": "wire", "version": "1", "x-own": "z"}
tools = ["ask", "slow", "large", "change", "whoami", "steps"]
client, answers, last = {}, {}, 0
lock = threading.Condition()


def record(line):
    if path := os.environ.get("RECORD"):
        with open(path, "a") as file:
            file.write(f"{line}\n")


def write(**message):
    line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
    with lock:
        sys.stdout.write(line)
        sys.stdout.flush()


def text(value):
    return {"content": [{"type": "text", "text": value}]}


def ask(params):
    """Asks a question, and returns the answer, or the result that requests the answer."""
    global last
    if ERA == "stateless":
        if "inputResponses" not in params:
            return {"resultType": "input_required", "inputRequests": {"k 1": QUESTION}, "requestState": "s 1"}
        assert params["requestState"] == "s 1", params
        return text(json.dumps(params["inputResponses"]["k 1"]))
    if "elicitation" not in client["capabilities"]:
        return text("the client can not be asked")
    with lock:
        last += 1
        question = f"q{last}"
        write(id=question, **QUESTION)
        lock.wait_for(lambda: question in answers)
        return text(json.dumps(answers[question].get("result", "an error")))


def call(name, arguments, params):
    if name not in tools:
        raise LookupError(f"there is no tool {name}")
    record(f"ran {name}")
    match name:
        case "ask":
            return ask(params)
        case "slow":
            time.sleep(arguments["seconds"])
            return text("slept")
        case "large":
            return text("x" * arguments["bytes"])
        case "change":
            tools.append("new")
            write(method="notifications/tools/list_changed", params={})
            write(method="notifications/example", params={"x": 1})
            return text("changed")
        case "steps":
            for step in (1, 2):
                told = {"progressToken": params["_meta"]["progressToken"], "progress": step, "x-own": [step]}
                write(method="notifications/progress", params=told)
            return {**text("done"), "x-own": {"b": None}, "_meta": {"x": 1}}
        case _:
            meta = params.get("_meta", {})
            told = client or {key: meta.get(OWN + name) for key, name in CALLER.items()}
            return text(json.dumps(told))


def result(method, params):
    match method:
        case "initialize" if ERA == "handshake":
            client.update({key: params[key] for key in CALLER})
            about = {"serverInfo": ABOUT, "instructions": "Be kind.", "x-own": 5}
            return {"protocolVersion": params["protocolVersion"], "capabilities": CAPABILITIES, **about}
        case "server/discover" if ERA == "stateless":
            about = {"_meta": {OWN + "serverInfo": ABOUT}, "instructions": "Be kind.", "ttlMs": 0, "cacheScope": "private"}
            return {"supportedVersions": ["2026-07-28"], "capabilities": CAPABILITIES, **about}
        case "tools/list":
            about = {"ttlMs": 7, "cacheScope": "private"} if ERA == "stateless" else {}
            listed = [{"name": name, "inputSchema": {"type": "object"}, "x-own": [name]} for name in tools]
            return {"tools": listed, "x-own": 1, **about}
        case "tools/call":
            return call(params["name"], params.get("arguments", {}), params)
        case "ping" | "logging/setLevel":
            return {}
        case "example/echo":
            return {"echo": {key: value for key, value in params.items() if key != "_meta"}}
    raise LookupError(f"there is no method {method}")


def serve(message):
    try:
        found = result(message["method"], message.get("params", {}))
        if ERA == "stateless":
            found.setdefault("resultType", "complete")
        write(id=message["id"], result=found)
    except LookupError as error:
        code = -32602 if message["method"] == "tools/call" else -32601
        write(id=message["id"], error={"code": code, "message": str(error), "data": {"x": [1]}})


if "stubborn" in OPTIONS:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
record(f"pid {os.getpid()}")
for line in sys.stdin:
    message = json.loads(line)
    if "method" not in message:
        with lock:
            answers[message["id"]] = message
            lock.notify_all()
    elif "id" in message:
        threading.Thread(target=serve, args=[message], daemon=True).start()
    else:
        record(f"told {message['method']}")
record("end of input")
while "stubborn" in OPTIONS:
    time.sleep(60)
