"""Tests long calls, large results, and what happens when a server, the proxy or its client ends."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

from checks import end, part
from program import ENVIRONMENT, HOME, LIMIT, MCP, WORK
from proxies import SERVER, Program, Proxy, over_stdio
from servers import BENCH, free_port, serving, until
from wire import Http, Stdio, text

ERAS = ["handshake", "stateless"]
MEGABYTE = 1_000_000
SUM = {"name": "add", "arguments": {"a": 2, "b": 3}}


def started(client, program, seconds):
    """Starts a call, and waits until the tool runs."""
    call = client.connect("handshake").start("slow", seconds=seconds)
    until(lambda: "ran slow" in program.record())
    return call


# Calls that take longer than the usual limits run beside the other parts.
long_program, long_proxy = Program("handshake"), Program("stateless").proxy()
long_clients = [
    long_program.stdio().connect("handshake"),
    Http(long_proxy.url).connect("handshake"),
    Http(long_proxy.url).connect("stateless"),
]
long_calls = [client.start("slow", seconds=70) for client in long_clients]


@part("results of 30 MB, and one of 70 MB")
def _():
    program = Program("stateless")
    proxy = program.proxy()
    with program.stdio() as local, Stdio(over_stdio(proxy.url)) as remote:
        for client, era in [(local, "stateless"), (remote, "stateless"), (Http(proxy.url), "handshake")]:
            assert len(client.connect(era).call("large", bytes=30 * MEGABYTE)) == 30 * MEGABYTE
        refused = local.wait(local.start("large", bytes=70 * MEGABYTE))
        assert "64 MiB" in refused["error"]["message"], refused
        assert local.call("slow", seconds=0) == "slept"
    proxy.end()


@part("a program that is killed during a call")
def _():
    for era in ERAS:
        program = Program(era)
        proxy = program.proxy()
        with program.stdio() as local:
            for client in [local, Http(proxy.url)]:
                client.connect(era).call("change")
                assert "new" in json.dumps(client.result("tools/list"))
                assert "new" in json.dumps(client.result("tools/list"))
                call = client.start("slow", seconds=60)
                until(lambda: program.record()[-1] == "ran slow")
                os.kill(program.processes()[-1], signal.SIGKILL)
                reason = client.wait(call, 5)["error"]["message"]
                assert "signal: 9" in reason, reason
                runs = program.record().count("ran slow")
                assert client.call("slow", seconds=0) == "slept" and program.record().count("ran slow") == runs + 1
                # The program that was started again has another list.
                changes = lambda: [it["method"] for it in client.notifications].count("notifications/tools/list_changed")
                until(lambda: era == "stateless" or changes() == 2)
                assert "new" not in json.dumps(client.result("tools/list"))
        proxy.end()


@part("a proxy that is killed leaves no program")
def _():
    for options in [[], ["stubborn"]]:
        for kind in ["stdio", "http"]:
            program = Program("handshake", *options)
            proxy = program.stdio() if kind == "stdio" else program.proxy()
            started(proxy if kind == "stdio" else Http(proxy.url), program, 60)
            proxy.process.kill()
            until(program.is_gone)


@part("the end of standard input, and signals")
def _():
    for how in ["end of input", signal.SIGTERM, signal.SIGINT]:
        program = Program("handshake")
        with program.stdio() as client:
            call = started(client, program, 1)
            client.process.stdin.close() if how == "end of input" else client.process.send_signal(how)
            assert text(client.wait(call)) == "slept", how
            assert client.process.wait(LIMIT) == 0, (how, client.process.returncode, client.stderr)
            assert program.is_gone() and program.record()[-1] == "end of input", (how, program.record())
    program = Program("handshake", "stubborn")
    with program.stdio() as client:
        client.connect("handshake")
        assert client.end() == 0 and program.is_gone(), program.record()
    program = Program("handshake")
    proxy = program.proxy()
    client = Http(proxy.url)
    call = started(client, program, 1)
    assert proxy.end() == (0, ""), proxy.lines
    assert text(client.wait(call)) == "slept" and program.is_gone()


@part("a server over HTTP that is started again")
def _():
    for era in ERAS:
        port = free_port()
        command = [BENCH, "--http", f"127.0.0.1:{port}"]
        with serving(command, port) as url:
            client = Stdio(over_stdio("--era", era, url)).connect(era)
            client.result("tools/call", SUM)
        refused = client.request("tools/call", SUM)
        assert "refused" in refused["error"]["message"].lower(), refused
        with serving(command, port):
            begun = time.monotonic()
            until(lambda: "result" in client.request("tools/call", SUM))
            again = time.monotonic() - begun
            print(f"{era}: calls work {again:.3f} s after the restart", flush=True)
            assert again < 1, again
        assert client.end() == 0


@part("a server that is dead among three")
def _():
    port = free_port()
    config = Path(WORK) / "three.json"
    first, last = ({"command": SERVER[0], "args": [SERVER[1], era]} for era in ERAS)
    dead = {"type": "http", "url": f"http://127.0.0.1:{port}/mcp"}
    config.write_text(json.dumps({"mcpServers": {"first": first, "my dead": dead, "last one": last}}))
    begun = time.monotonic()
    with Stdio(over_stdio("--config", str(config))) as client:
        names = lambda: {tool["name"] for tool in client.result("tools/list")["tools"]}
        client.connect("handshake")
        assert {"first_ask", "last-one_ask"} <= names() and time.monotonic() - begun < 5
        assert client.call("first_slow", seconds=0) == client.call("last-one_slow", seconds=0) == "slept"
        assert "error" in client.request("tools/call", {**SUM, "name": "my-dead_add"})
        with serving([BENCH, "--http", f"127.0.0.1:{port}"], port):
            until(lambda: "my-dead_add" in names())
            client.noticed("notifications/tools/list_changed")
            client.result("tools/call", {**SUM, "name": "my-dead_add"})


@part("a program that does not start")
def _():
    target = ["--", "sh", "-c", "echo it is broken >&2; exit 3"]
    for client in [Stdio(over_stdio(*target)), Http(Proxy(*target).url)]:
        about = {"capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
        failed = client.request("initialize", {"protocolVersion": "2025-11-25", **about})
        for response in [failed, client.connect("stateless").request("server/discover")]:
            reason = response["error"]["message"]
            assert "it is broken" in reason and "exit status: 3" in reason, reason


@part("options")
def _():
    program = Program("handshake")
    for address in ["0.0.0.0:0", "[::]:0", "x"]:
        command = over_stdio("--http", address, *program.target)
        ended = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env=ENVIRONMENT, cwd=HOME)
        assert (ended.returncode, ended.stdout) == (2, "") and ended.stderr.startswith("error: "), ended
    messages = Path(WORK) / "messages"
    options = ["--token-env", "TOKEN", "--skip", "*ar*e", "--record", str(messages)]
    program.environment["TOKEN"] = "a-token-of-this-test"
    proxy = program.proxy(*options)
    stranger = Http(proxy.url)
    stranger.send("tools/list")
    assert stranger.status == 401, stranger.status
    client = Http(proxy.url, authorization=f"Bearer {program.environment['TOKEN']}").connect("handshake")
    assert "large" not in json.dumps(client.result("tools/list"))
    assert "error" in client.wait(client.start("large", bytes=1)) and "ran large" not in program.record()
    assert client.call("slow", seconds=0) == "slept" and proxy.end()[0] == 0
    recorded = messages.read_text()
    lines = [json.loads(line) for line in recorded.splitlines()]
    assert messages.stat().st_mode & 0o777 == 0o600 and len(lines) >= 8 and "a-token" not in recorded, recorded


@part("calls of 70 s")
def _():
    for client, call in zip(long_clients, long_calls):
        assert text(client.wait(call, 80)) == "slept"
    assert long_clients[0].end() == 0 and long_proxy.end()[0] == 0


end()
