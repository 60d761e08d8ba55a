"""A server over stdio that shows each message: `server.py handshake`, or `server.py stateless`.

The file that RECORD names receives its process number, the runs of tools, and what it is told.
With `stubborn` as well, only SIGKILL ends the server.
"""

import json
import os
import signal
import sys
import threading
import time

ERA, *OPTIONS = sys.argv[1:]
FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
QUESTION = {"method": "elicitation/create", "params": {"message": "Who is it?", "requestedSchema": FORM, "x-own": 1}}
TOOLS = ["ask", "slow", "large", "die", "change", "whoami", "steps"]
writing, client, answers, last = threading.Lock(), {}, {}, 0
arrived = threading.Condition()
PAUSED = threading.Event()


def record(line):
    if os.environ.get("RECORD"):
        with open(os.environ["RECORD"], "a") as file:
            file.write(f"{line}\n")


def write(**message):
    line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
    with writing:
        sys.stdout.write(line)
        sys.stdout.flush()


def text(value):
    return {"content": [{"type": "text", "text": value}]}


def ask(params):
    """Asks a question, and returns the answer, or the result that requests it."""
    global last
    if ERA == "stateless":
        responses = params.get("inputResponses")
        if responses is None:
            return None, {"resultType": "input_required", "inputRequests": {"k 1": QUESTION}, "requestState": "s 1"}
        assert params["requestState"] == "s 1", params
        return responses["k 1"], None
    if "elicitation" not in client["capabilities"]:
        return {"action": "the client can not be asked"}, None
    with arrived:
        last += 1
        question = f"q{last}"
        write(id=question, **QUESTION)
        arrived.wait_for(lambda: question in answers)
        return answers.pop(question).get("result", {"action": "error"}), None


def call(params):
    name, arguments = params["name"], params.get("arguments", {})
    if name not in TOOLS and name not in OPTIONS:
        raise LookupError(f"there is no tool {name}")
    record(f"ran {name}")
    match name:
        case "ask":
            answer, request = ask(params)
            return request or text(json.dumps(answer))
        case "slow":
            time.sleep(arguments["seconds"])
            return text("slept")
        case "large":
            return text("x" * arguments["bytes"])
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "change":
            OPTIONS.append("new")
            write(method="notifications/tools/list_changed", params={})
            write(method="notifications/example", params={"x": 1})
            return text("changed")
        case "steps":
            for step in (1, 2):
                told = {"progressToken": params["_meta"]["progressToken"], "progress": step, "x-own": [step]}
                write(method="notifications/progress", params=told)
            return {**text("done"), "x-own": {"b": None}, "_meta": {"x": 1}}
        case _:
            own = "io.modelcontextprotocol/"
            meta = params.get("_meta", {})
            told = client or {"capabilities": meta.get(own + "clientCapabilities"), "clientInfo": meta.get(own + "clientInfo")}
            return text(json.dumps(told))


def result(method, params):
    capabilities = {"tools": {"listChanged": True}, "logging": {}, "experimental": {"x": {"y": 1}}}
    information = {"name": "wire", "version": "1", "x-own": "z"}
    match method:
        case "initialize" if ERA == "handshake":
            client.update({key: params[key] for key in ["capabilities", "clientInfo"]})
            common = {"capabilities": capabilities, "serverInfo": information, "instructions": "Be kind."}
            return {"protocolVersion": params["protocolVersion"], **common, "x-own": 5}
        case "server/discover" if ERA == "stateless":
            meta = {"_meta": {"io.modelcontextprotocol/serverInfo": information}}
            common = {"ttlMs": 0, "cacheScope": "private", "instructions": "Be kind.", **meta}
            return {"supportedVersions": ["2026-07-28"], "capabilities": capabilities, **common}
        case "tools/list":
            names = TOOLS + [it for it in OPTIONS if it == "new"]
            tools = [{"name": name, "inputSchema": {"type": "object"}, "x-own": [name]} for name in names]
            return {"tools": tools, "x-own": 1, **({"ttlMs": 7, "cacheScope": "private"} if ERA == "stateless" else {})}
        case "tools/call":
            return call(params)
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
        with arrived:
            answers[message["id"]] = message
            arrived.notify_all()
    elif "id" in message:
        threading.Thread(target=serve, args=[message], daemon=True).start()
    else:
        record(f"told {message['method']}")
record("end of input")
while "stubborn" in OPTIONS:
    PAUSED.wait()
