"""Starts servers from other projects. PYTHON names the program, and PACKAGES the folder of npm packages."""

import os
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

from program import LIMIT

HERE = Path(__file__).parent
PACKAGES = Path(os.environ["PACKAGES"]) / "@modelcontextprotocol"

EVERYTHING = ["node", str(PACKAGES / "server-everything/dist/index.js")]
FILESYSTEM = ["node", str(PACKAGES / "server-filesystem/dist/index.js")]
BENCH = str(Path(os.environ["MCP"]).parent / "bench-server")
FASTMCP = [os.environ["PYTHON"], str(HERE / "fastmcp_server.py")]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextmanager
def serving(command, port, **environment):
    """Starts a server, waits until it listens, and yields its URL."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **environment},
    )
    try:
        until(lambda: process.poll() is not None or _accepts(port))
        assert process.poll() is None, f"{command} has ended"
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()


def _accepts(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def until(holds):
    """Polls until `holds` returns true."""
    end = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < end, "the condition did not become true in time"
        time.sleep(0.05)


def everything_over_http():
    port = free_port()
    return serving([*EVERYTHING, "streamableHttp"], port, PORT=str(port))


def announcer():
    port = free_port()
    return serving([os.environ["PYTHON"], str(HERE / "sdk_server.py"), str(port)], port)


def fastmcp_over_http(**environment):
    port = free_port()
    return serving([*FASTMCP, str(port)], port, **environment)
