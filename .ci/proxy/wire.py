"""A client that shows each message: `Stdio(command)` or `Http(url)`."""

import http.client
import json
import os
import queue
import subprocess
import threading
from urllib.parse import urlsplit

from program import ENVIRONMENT, HOME, LIMIT

STATELESS = "2026-07-28"
HANDSHAKE = "2025-11-25"
OWN = "io.modelcontextprotocol/"


class Client:
    """Requests are sent with `send` and awaited with `wait`, or both with `request`."""

    def __init__(self):
        self.last, self.revision, self.meta = 0, None, {}
        self.responses, self.questions, self.notifications = {}, queue.Queue(), []
        self.changed = threading.Condition()

    def with_handshake(self, name="wire", **capabilities):
        self.revision = HANDSHAKE
        information = {"name": name, "version": "1"}
        params = {"protocolVersion": HANDSHAKE, "capabilities": capabilities, "clientInfo": information}
        self.server = self.result("initialize", params)
        self.notify("notifications/initialized")
        return self

    def stateless(self, name="wire", **capabilities):
        self.revision = STATELESS
        values = {"protocolVersion": STATELESS, "clientCapabilities": capabilities}
        values["clientInfo"] = {"name": name, "version": "1"}
        self.meta = {"_meta": {OWN + key: value for key, value in values.items()}}
        return self

    def send(self, method, params=None):
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": {**(params or {}), **self.meta}}
        self._write(message)
        return self.last

    def notify(self, method, params=None):
        self._write({"jsonrpc": "2.0", "method": method, "params": params or {}})

    def answer(self, question, result):
        self._write({"jsonrpc": "2.0", "id": question["id"], "result": result})

    def wait(self, number, limit=LIMIT):
        """Returns the response to a request."""
        with self.changed:
            came = self.changed.wait_for(lambda: number in self.responses, limit)
            assert came, f"request {number} was not answered within {limit} s"
            return self.responses.pop(number)

    def request(self, method, params=None, limit=LIMIT):
        return self.wait(self.send(method, params), limit)

    def result(self, method, params=None, limit=LIMIT):
        response = self.request(method, params, limit)
        assert "result" in response, response
        return response["result"]

    def call(self, tool, **arguments):
        """Returns the text of a tool."""
        return text(self.result("tools/call", {"name": tool, "arguments": arguments}))

    def noticed(self, method, limit=LIMIT):
        """Waits for a notification, and returns its parameters."""
        with self.changed:
            of_method = lambda: [it["params"] for it in self.notifications if it["method"] == method]
            assert self.changed.wait_for(of_method, limit), f"{method} did not come"
            return of_method()[-1]

    def _arrived(self, message):
        with self.changed:
            if "method" not in message:
                self.responses[message["id"]] = message
            elif "id" in message:
                self.questions.put(message)
            else:
                self.notifications.append({"params": {}, **message})
            self.changed.notify_all()


def text(result):
    return result["content"][0]["text"]


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
        self.url, self.session, self.headers = urlsplit(url), {}, headers

    def _write(self, message):
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        headers |= self.session | self.headers
        method = message.get("method")
        if self.revision and method != "initialize":
            headers["mcp-protocol-version"] = self.revision
        if self.revision == STATELESS:
            headers["mcp-method"] = method
            if name := message["params"].get("name", message["params"].get("uri")):
                headers["mcp-name"] = name
        response = self._open("POST", headers, json.dumps(message))
        self.status = response.status
        if found := response.getheader("mcp-session-id"):
            self.session = {"mcp-session-id": found}
        threading.Thread(target=self._read, args=[response], daemon=True).start()
        if method == "notifications/initialized":
            response = self._open("GET", {"accept": "text/event-stream", **self.session, **self.headers}, None)
            threading.Thread(target=self._read, args=[response], daemon=True).start()

    def _open(self, verb, headers, body):
        connection = http.client.HTTPConnection(self.url.netloc)
        connection.request(verb, self.url.path, body, headers)
        return connection.getresponse()

    def _read(self, response):
        if "event-stream" not in response.getheader("content-type", ""):
            body = response.read()
            if body.startswith(b"{"):
                self._arrived(json.loads(body))
            return
        for line in response:
            if line.startswith(b"data: {"):
                self._arrived(json.loads(line[6:]))
