"""A client that shows each message: `Stdio(command)` or `Http(url)`."""

import http.client
import json
import queue
import subprocess
import threading
from contextlib import suppress
from urllib.parse import urlsplit

from program import ENVIRONMENT, HOME, LIMIT

REVISIONS = {"handshake": "2025-11-25", "stateless": "2026-07-28"}
OWN = "io.modelcontextprotocol/"


class Client:
    """Requests are sent with `send` and awaited with `wait`, or both with `request`."""

    def __init__(self):
        self.last, self.era, self.meta = 0, None, {}
        self.responses, self.questions, self.notifications = {}, queue.Queue(), []
        self.changed = threading.Condition()

    def connect(self, era, name="wire", **capabilities):
        self.era, self.revision = era, REVISIONS[era]
        about = {"protocolVersion": self.revision, "clientInfo": {"name": name, "version": "1"}}
        if era == "handshake":
            self.server = self.result("initialize", {**about, "capabilities": capabilities})
            self.notify("notifications/initialized")
        else:
            about["clientCapabilities"] = capabilities
            self.meta = {OWN + key: value for key, value in about.items()}
        return self

    def notify(self, method):
        self._write({"jsonrpc": "2.0", "method": method, "params": {}})

    def send(self, method, params=None, **meta):
        self.last += 1
        params = {**(params or {})}
        if self.meta or meta:
            params["_meta"] = {**self.meta, **meta}
        self._write({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        return self.last

    def wait(self, number, limit=LIMIT):
        """Returns the response to a request."""
        with self.changed:
            came = self.changed.wait_for(lambda: number in self.responses, limit)
            assert came, f"request {number} was not answered within {limit} s"
            return self.responses.pop(number)

    def request(self, method, params=None, **meta):
        return self.wait(self.send(method, params, **meta))

    def result(self, method, params=None, **meta):
        response = self.request(method, params, **meta)
        assert "result" in response, response
        return response["result"]

    def start(self, tool, **arguments):
        """Sends the call of a tool, and returns the number of the request."""
        return self.send("tools/call", {"name": tool, "arguments": arguments})

    def call(self, tool, **arguments):
        """Returns the text of a tool."""
        return text(self.wait(self.start(tool, **arguments)))

    def answer(self, question, result):
        self._write({"jsonrpc": "2.0", "id": question["id"], "result": result})

    def noticed(self, method):
        """Waits for a notification, and returns its parameters."""
        with self.changed:
            of_method = lambda: [it.get("params") for it in self.notifications if it["method"] == method]
            assert self.changed.wait_for(of_method, LIMIT), f"{method} did not come"
            return of_method()[-1]

    def _arrived(self, message):
        with self.changed:
            if "method" not in message:
                self.responses[message.get("id")] = message
            elif "id" in message:
                self.questions.put(message)
            else:
                self.notifications.append(message)
            self.changed.notify_all()


def text(response):
    assert "result" in response, response
    return response["result"]["content"][0]["text"]


class Stdio(Client):
    def __init__(self, command, **environment):
        super().__init__()
        pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, **pipe, cwd=HOME, env={**ENVIRONMENT, **environment})
        self.stderr = []
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=lambda: self.stderr.extend(self.process.stderr), daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self._arrived(json.loads(line))

    def _write(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def end(self):
        """Closes standard input, and returns the exit code."""
        self.process.stdin.close()
        return self.process.wait(LIMIT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Http(Client):
    def __init__(self, url, **headers):
        super().__init__()
        self.url, self.headers = urlsplit(url), headers

    def _write(self, message):
        method, params = message.get("method"), message.get("params", {})
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        if self.era and method != "initialize":
            headers["mcp-protocol-version"] = self.revision
        if self.era == "stateless":
            headers |= {"mcp-method": method, "mcp-name": params.get("name", "")}
        # The response to a call may begin only when the call ends.
        self._exchange("POST", headers, json.dumps(message), wait=method != "tools/call")
        if method == "notifications/initialized":
            self._exchange("GET", {"accept": "text/event-stream"}, None, wait=True)

    def _exchange(self, verb, headers, body, wait):
        """Sends a request, and reads the response beside. Waits until the response begins if `wait` is true."""
        begun = threading.Event()
        threading.Thread(target=self._exchanged, args=[verb, headers | self.headers, body, begun], daemon=True).start()
        assert not wait or begun.wait(LIMIT), f"{verb} {body} was not answered"

    def _exchanged(self, *exchange):
        # Some tests kill the proxy.
        with suppress(OSError, http.client.HTTPException):
            self._read(*exchange)

    def _read(self, verb, headers, body, begun):
        connection = http.client.HTTPConnection(self.url.netloc)
        connection.request(verb, self.url.path, body, headers)
        response = connection.getresponse()
        self.status = response.status
        if session := response.getheader("mcp-session-id"):
            self.headers["mcp-session-id"] = session
        begun.set()
        is_stream = "event-stream" in response.getheader("content-type", "")
        for line in response if is_stream else [response.read()]:
            line = line.removeprefix(b"data: ")
            if line.startswith(b"{"):
                self._arrived(json.loads(line))
