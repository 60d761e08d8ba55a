#!/usr/bin/env python3
"""Compares `mcp proxy` with other programs that connect a client to a server of the other transport.

`benches/proxies/compare.py [FOLDER]`, where FOLDER has the programs `mcp` and `bench-server`, by default
`target/dist`. It installs the other programs, prints a table, and needs Linux, npm and Python with venv.
"""

import json
import os
import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
BUILT = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/dist").resolve()
INSTALLED = ROOT / "target/bench/proxies"
MCP, SERVER = BUILT / "mcp", BUILT / "bench-server"
NPM = {"mcp-remote": "0.15.1", "supergateway": "4.0.0", "mcp-proxy": "6.7.19"}
PYPI = {"mcp-proxy": "0.13.0"}
STARTS, CALLS, WARMUP, LIMIT = 5, 500, 50, 30
JSON = "content-type: application/json\r\naccept: application/json, text/event-stream\r\n"


def install():
    if not (INSTALLED / "node_modules").exists():
        packages = [f"{name}@{version}" for name, version in NPM.items()]
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", INSTALLED, *packages], check=True)
    if not (INSTALLED / "venv").exists():
        subprocess.run([sys.executable, "-m", "venv", INSTALLED / "venv"], check=True)
        packages = [f"{name}=={version}" for name, version in PYPI.items()]
        subprocess.run([INSTALLED / "venv/bin/pip", "install", "-q", *packages], check=True)


def message(number, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


INITIALIZE = message(
    0, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "bench", "version": "1"}
)
INITIALIZED = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})


class Stdio:
    """A client of a program over standard input and output."""

    def __init__(self, command, _port):
        quiet = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, **quiet)

    def exchange(self, line, answer):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        while answer and answer not in self.process.stdout.readline():
            assert self.process.poll() is None, "the program has ended"

    def connect(self):
        self.exchange(INITIALIZE, b"serverInfo")
        self.exchange(INITIALIZED, None)


class Http:
    """A client of a program over HTTP, with one connection."""

    def __init__(self, command, port):
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, **quiet) if command else None
        self.port, self.session = port, ""

    def exchange(self, line, answer):
        head = f"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{self.port}\r\n{JSON}{self.session}content-length: {len(line)}\r\n\r\n"
        self.socket.sendall((head + line).encode())
        found = b""
        while not ended(found):
            part = self.socket.recv(65536)
            assert part, "the connection was closed"
            found += part
        assert not answer or answer in found, found
        return found.decode()

    def connect(self):
        end = time.monotonic() + LIMIT
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", self.port))
                break
            except OSError:
                assert time.monotonic() < end, "the program does not listen"
                time.sleep(0.001)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        answer = self.exchange(INITIALIZE, b"serverInfo")
        session = re.search(r"(?i)mcp-session-id: *(\S+)", answer)[1]
        self.session = f"mcp-session-id: {session}\r\nmcp-protocol-version: 2025-06-18\r\n"
        self.exchange(INITIALIZED, None)


def ended(response):
    """True if an HTTP response is complete."""
    head, end, body = response.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: *(\d+)", head)
    if length:
        return len(body) >= int(length[1])
    return bool(end) and (b"chunked" not in head.lower() or body.endswith(b"0\r\n\r\n"))


def memory(process):
    """The resident memory of a process and its descendants, in MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6 + sum(map(memory, children))


def measure(client, command, port):
    """Returns the start until the handshake in ms, the median call in ms, and the memory in MB."""
    begun = time.monotonic()
    client = client(command, port)
    try:
        client.connect()
        start = (time.monotonic() - begun) * 1e3
        calls = []
        for number in range(1, WARMUP + CALLS):
            line = message(number, "tools/call", name="add", arguments={"a": 2, "b": 3})
            begun = time.monotonic()
            client.exchange(line, b'"result"')
            calls.append((time.monotonic() - begun) * 1e3)
        return start, median(calls[WARMUP:]), memory(client.process.pid) if client.process else 0
    finally:
        if client.process:
            client.process.terminate()
            client.process.wait()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextmanager
def serving():
    port = free_port()
    server = subprocess.Popen([SERVER, "--http", f"127.0.0.1:{port}"])
    try:
        Http(None, port).connect()
        yield port
    finally:
        server.kill()
        server.wait()


def row(name, client, command, port=None):
    """Prints the medians of several runs, which use new ports."""
    found = []
    for _ in range(STARTS):
        own = port or free_port()
        found.append(measure(client, command and [str(part).format(port=own) for part in command], own))
    start, call, memory = (median(column) for column in zip(*found))
    print(f"| {name} | {start:,.0f} | {call:.2f} | {memory:.0f} |", flush=True)


install()
# Without these, the certificates are those of the operating system, as for most users.
for variable in ["SSL_CERT_FILE", "SSL_CERT_DIR"]:
    os.environ.pop(variable, None)
modules, python = INSTALLED / "node_modules/.bin", INSTALLED / "venv/bin"
print("| stdio → HTTP | start | call | RSS |\n|---|---:|---:|---:|")
with serving() as port:
    url = f"http://127.0.0.1:{port}/mcp"
    row("no proxy", Http, None, port)
    row("`mcp proxy`", Stdio, [MCP, "proxy", url])
    row(f"mcp-remote {NPM['mcp-remote']}", Stdio, [modules / "mcp-remote", url])
    row(f"mcp-proxy (PyPI {PYPI['mcp-proxy']})", Stdio, [python / "mcp-proxy", "--transport", "streamablehttp", url])
print("\n| HTTP → stdio | start | call | RSS |\n|---|---:|---:|---:|")
row("no proxy", Stdio, [SERVER])
row("`mcp proxy`", Http, [MCP, "proxy", "--http", "{port}", "--", SERVER])
options = ["--outputTransport", "streamableHttp", "--stateful", "--port", "{port}", "--logLevel", "none"]
row(f"supergateway {NPM['supergateway']}", Http, [modules / "supergateway", "--stdio", SERVER, *options])
options = ["--server", "stream", "--host", "127.0.0.1", "--port", "{port}"]
row(f"mcp-proxy (npm {NPM['mcp-proxy']})", Http, [modules / "mcp-proxy", *options, "--", SERVER])
