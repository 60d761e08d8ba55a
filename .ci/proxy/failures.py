"""Tests long calls, large results, and what happens when a server, the proxy or its client ends."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from checks import end, part
from program import ENVIRONMENT, HOME, LIMIT, MCP, WORK
from proxies import Proxy, over_http, over_stdio
from servers import BENCH, free_port, serving, until
from wire import Http, Stdio

SERVER = [sys.executable, str(Path(__file__).parent / "server.py")]
MEGABYTE = 1_000_000


class Program:
    """A test server as a target, with the file that it writes."""

    last = 0

    def __init__(self, era, *options):
        Program.last += 1
        self.file = Path(WORK) / f"failures-{Program.last}"
        self.file.touch()
        self.target = ["--env", "RECORD", "--", *SERVER, era, *options]
        self.environment = {"RECORD": str(self.file)}

    def record(self):
        return self.file.read_text().splitlines()

    def processes(self):
        return [int(line.removeprefix("pid ")) for line in self.record() if line.startswith("pid ")]

    def is_gone(self):
        """True if no process of the server runs."""
        return not any(runs(process) for process in self.processes())

    def stdio(self):
        return Stdio(over_stdio(*self.target), **self.environment)

    def proxy(self, *options):
        return Proxy(*options, *self.target, **self.environment)


def runs(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def add(client):
    return client.request("tools/call", {"name": "add", "arguments": {"a": 2, "b": 3}})


def slow(client, seconds):
    return client.send("tools/call", {"name": "slow", "arguments": {"seconds": seconds}})


# Calls that take longer than the usual limits run beside the other parts.
long_program, long_server = Program("handshake"), Program("stateless")
long_proxy = long_server.proxy()
long_calls = [(client, slow(client, 70)) for client in [
    long_program.stdio().with_handshake(), Http(long_proxy.url).with_handshake(), Http(long_proxy.url).stateless()
]]


@part("results of 30 MB, and one of 70 MB")
def _():
    for era in ["handshake", "stateless"]:
        program = Program(era)
        proxy = program.proxy()
        with program.stdio() as local, Stdio(over_stdio(proxy.url)) as remote:
            for client in [local, remote, Http(proxy.url)]:
                client.with_handshake() if era == "handshake" else client.stateless()
                assert len(client.call("large", bytes=30 * MEGABYTE)) == 30 * MEGABYTE
                refused = client.request("tools/call", {"name": "large", "arguments": {"bytes": 70 * MEGABYTE}})
                assert "64 MiB" in refused["error"]["message"], refused
                assert json.loads(client.call("whoami"))["clientInfo"]["name"] == "wire"
        proxy.end()


@part("a program that is killed during a call")
def _():
    for era in ["handshake", "stateless"]:
        program = Program(era)
        proxy = program.proxy()
        with program.stdio() as local:
            for client in [local, Http(proxy.url)]:
                client.with_handshake() if era == "handshake" else client.stateless()
                client.call("change")
                call = slow(client, 60)
                until(lambda: program.record()[-1] == "ran slow")
                os.kill(program.processes()[-1], signal.SIGKILL)
                killed = client.wait(call, 5)
                assert "SIGKILL" in killed["error"]["message"] or "signal: 9" in killed["error"]["message"], killed
                assert client.call("slow", seconds=0) == "slept"
                if era == "handshake":
                    # The program of before the call has one more tool.
                    client.noticed("notifications/tools/list_changed")
                assert "new" not in json.dumps(client.result("tools/list"))
                assert program.record().count("ran slow") == len(program.processes()), program.record()
        proxy.end()


@part("a proxy that is killed leaves no program")
def _():
    for options in [[], ["stubborn"]]:
        program = Program("handshake", *options)
        with program.stdio() as client:
            client.with_handshake()
            slow(client, 60)
            until(lambda: "ran slow" in program.record())
            client.process.kill()
            until(program.is_gone)
        program = Program("handshake", *options)
        proxy = program.proxy()
        slow(Http(proxy.url).with_handshake(), 60)
        until(lambda: "ran slow" in program.record())
        proxy.process.kill()
        until(program.is_gone)


@part("the end of standard input, and signals")
def _():
    for how in ["end of input", signal.SIGTERM, signal.SIGINT]:
        program = Program("handshake")
        with program.stdio() as client:
            call = slow(client.with_handshake(), 1)
            until(lambda: "ran slow" in program.record())
            client.process.stdin.close() if how == "end of input" else client.process.send_signal(how)
            assert "slept" in json.dumps(client.wait(call)), how
            code = client.process.wait(LIMIT)
            assert code == 0, (how, code, client.stderr)
            assert program.is_gone() and "end of input" in program.record(), (how, program.record())
    program = Program("handshake", "stubborn")
    with program.stdio() as client:
        client.with_handshake()
        assert client.end() == 0 and program.is_gone(), program.record()
    program = Program("handshake")
    proxy = program.proxy()
    client = Http(proxy.url).with_handshake()
    call = slow(client, 1)
    until(lambda: "ran slow" in program.record())
    assert proxy.end() == (0, ""), proxy.lines
    assert "slept" in json.dumps(client.wait(call)) and program.is_gone()


@part("a server over HTTP that is started again")
def _():
    for era in ["handshake", "stateless"]:
        port = free_port()
        command = [BENCH, "--http", f"127.0.0.1:{port}"]
        with serving(command, port) as url:
            client = Stdio(over_stdio("--era", era, url))
            client.with_handshake() if era == "handshake" else client.stateless()
            assert add(client)["result"], era
        refused = add(client)
        assert "refused" in refused["error"]["message"].lower(), refused
        with serving(command, port):
            begun = time.monotonic()
            while "result" not in (answer := add(client)):
                assert time.monotonic() < begun + LIMIT, answer
            again = time.monotonic() - begun
            print(f"{era}: works {again:.3f} s after the restart", flush=True)
            assert again < 1, again
        assert client.end() == 0


@part("a server that is dead among three")
def _():
    port = free_port()
    config = Path(WORK) / "three.json"
    servers = {
        "first": {"command": SERVER[0], "args": [SERVER[1], "handshake"]},
        "my dead": {"type": "http", "url": f"http://127.0.0.1:{port}/mcp"},
        "last one": {"command": SERVER[0], "args": [SERVER[1], "stateless"]},
    }
    config.write_text(json.dumps({"mcpServers": servers}))
    with Stdio(over_stdio("--config", str(config))) as client:
        client.with_handshake()
        names = lambda: {tool["name"] for tool in client.result("tools/list")["tools"]}
        begun = time.monotonic()
        assert {"first_ask", "last-one_ask"} <= names() and time.monotonic() - begun < 5
        assert client.call("first_slow", seconds=0) == client.call("last-one_slow", seconds=0) == "slept"
        assert client.request("tools/call", {"name": "my-dead_add", "arguments": {"a": 2, "b": 3}})["error"]
        with serving([BENCH, "--http", f"127.0.0.1:{port}"], port):
            client.noticed("notifications/tools/list_changed")
            assert "my-dead_add" in names()
            assert "result" in client.request("tools/call", {"name": "my-dead_add", "arguments": {"a": 2, "b": 3}})


@part("a program that does not start")
def _():
    target = ["--", "sh", "-c", "echo it is broken >&2; exit 3"]
    for client in [Stdio(over_stdio(*target)), Http(Proxy(*target).url)]:
        failed = client.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}})
        assert "it is broken" in failed["error"]["message"] and "exit status: 3" in failed["error"]["message"], failed
        failed = client.stateless().request("server/discover")
        assert "it is broken" in failed["error"]["message"], failed


@part("options")
def _():
    program = Program("handshake")
    for arguments in [["--http", "0.0.0.0:0"], ["--http", "[::]:0"], ["--http", "x"]]:
        ended = subprocess.run([MCP, "proxy", *arguments, *program.target], capture_output=True, text=True, timeout=LIMIT, env=ENVIRONMENT, cwd=HOME)
        assert (ended.returncode, ended.stdout) == (2, "") and ended.stderr.startswith("error: "), ended
    record = Path(WORK) / "messages"
    options = ["--token-env", "TOKEN", "--skip", "*ar*e", "--record", str(record)]
    proxy = Proxy(*options, *program.target, TOKEN="secret", **program.environment)
    stranger = Http(proxy.url)
    stranger.send("tools/list")
    assert stranger.status == 401, stranger.status
    client = Http(proxy.url, authorization="Bearer secret").with_handshake()
    assert "large" not in json.dumps(client.result("tools/list"))
    assert "error" in client.request("tools/call", {"name": "large", "arguments": {"bytes": 1}})
    assert client.call("slow", seconds=0) == "slept" and "ran large" not in program.record()
    assert proxy.end()[0] == 0
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    assert record.stat().st_mode & 0o777 == 0o600 and len(lines) >= 8 and "secret" not in record.read_text(), lines


@part("calls of 70 s")
def _():
    for client, call in long_calls:
        assert "slept" in json.dumps(client.wait(call, 80))
    assert long_calls[0][0].end() == 0 and long_proxy.end()[0] == 0


end()
