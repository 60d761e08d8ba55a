"""Starts servers for the checks."""

import socket
import subprocess
import time
from contextlib import contextmanager


@contextmanager
def serving(command, **values):
    """Starts a server and returns its URL. `{port}` in the command is a free port, `{name}` a value of this name."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [part.format(port=port, **values) for part in command]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert server.poll() is None, f"{command} has ended"
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.kill()
        server.wait()
