"""Starts replicas with Redis and proxies, and sends them requests byte by byte."""

import http.client
import itertools
import json
import os
import queue
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

STATELESS = "2026-07-28"
HANDSHAKE = "2025-11-25"
REPLICA, WORK = os.environ["REPLICA"], Path(os.environ["WORK"])
_ids = itertools.count(1)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def until(what, holds, limit=20):
    """Waits until `holds()` is true, and returns its value."""
    end = time.monotonic() + limit
    while not (value := holds()):
        assert time.monotonic() < end, f"in vain for {limit} s: {what}"
        time.sleep(0.01)
    return value


def listens(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


class Redis:
    """A Redis server that keeps each write in a file."""

    def __init__(self):
        self.port = free_port()
        self.folder = WORK / f"redis-{self.port}"
        self.folder.mkdir()
        self.start()

    def start(self):
        options = {"port": self.port, "bind": "127.0.0.1", "dir": self.folder, "appendonly": "yes", "save": ""}
        options |= {"appendfsync": "no", "daemonize": "no"}
        command = ["redis-server", *itertools.chain(*([f"--{name}", str(value)] for name, value in options.items()))]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        until("Redis has read its file", self.answers)

    def answers(self):
        try:
            return self("PING") == b"PONG"
        except (OSError, AssertionError):
            return False

    def __call__(self, *command):
        """Runs a command, and returns its answer: bytes, a number, or a list of them."""
        with socket.create_connection(("127.0.0.1", self.port), 5) as connection:
            parts = [part if isinstance(part, bytes) else str(part).encode() for part in command]
            request = b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
            connection.sendall(b"*%d\r\n%s" % (len(parts), request))
            return self._read(connection.makefile("rb"))

    def _read(self, answer):
        kind, rest = (line := answer.readline())[:1], line[1:].strip()
        if kind == b"*":
            return [self._read(answer) for _ in range(int(rest))]
        if kind == b"$":
            return None if int(rest) < 0 else answer.read(int(rest) + 2)[:-2]
        assert kind != b"-", (rest, "from Redis")
        return int(rest) if kind == b":" else rest

    def counter(self, name):
        """Returns a counter of the replicas. The first bytes of a value are its version."""
        return int((self("GET", f"replica:kv:counter/{name}") or bytes(8) + b"0")[8:])

    def send(self, what):
        self.process.send_signal(what)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Replica:
    def __init__(self, redis, *arguments):
        self.port, self.arguments = free_port(), arguments
        self.command = [REPLICA, f"127.0.0.1:{self.port}", f"redis://127.0.0.1:{redis.port}", *arguments]
        self.log = WORK / f"replica-{self.port}.log"
        self.start()

    def start(self):
        with self.log.open("a") as log:
            self.process = subprocess.Popen(self.command, stderr=log, stdout=subprocess.DEVNULL)
        until(f"a replica listens; see {self.log}", lambda: listens(self.port))

    @property
    def pid(self):
        return self.process.pid

    def send(self, what):
        self.process.send_signal(what)

    def restart(self):
        """Restarts the replica as a deploy does, and returns how long it took to stop."""
        begun = time.monotonic()
        self.send(signal.SIGTERM)
        self.process.wait(30)
        took = time.monotonic() - begun
        self.start()
        return took

    def kill(self):
        self.process.kill()
        self.process.wait()

    def is_warned(self, part):
        return self.log.read_text().count(part)


class Cluster:
    """Three replicas, and a proxy that sends each request to the next one."""

    def __init__(self, proxy="nginx", *arguments, redis=None):
        self.redis = redis or Redis()
        self.replicas = [Replica(self.redis, *arguments) for _ in range(3)]
        self.ports = [replica.port for replica in self.replicas]
        self.helpers = []
        self.port = proxy and self.proxied_by(proxy)
        self.owns_redis = redis is None
        # Each replica reports a gap when it begins to listen.
        until("all replicas hear each other", lambda: self.redis("PUBSUB", "NUMSUB", "replica:bus")[1] >= 3)

    def proxied_by(self, proxy):
        port = free_port()
        file = WORK / f"{proxy}-{port}.conf"
        template = (Path(__file__).parent / f"{proxy}.conf").read_text()
        servers = {"nginx": "server 127.0.0.1:{} max_fails=0;", "haproxy": "  server s{0} 127.0.0.1:{0} check"}[proxy]
        servers = "\n".join(servers.format(port) for port in self.ports)
        file.write_text(template.replace("WORK", f"{WORK}/{port}").replace("PORT", str(port)).replace("SERVERS", servers))
        command = {"nginx": ["nginx", "-e", f"{WORK}/{port}.log", "-c", file], "haproxy": ["haproxy", "-q", "-f", file]}
        log = (WORK / f"{proxy}-{port}.out").open("w")
        self.helpers.append(subprocess.Popen(command[proxy], stdout=log, stderr=log))
        until(f"{proxy} listens", lambda: listens(port))
        return port

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for replica in self.replicas:
            replica.kill()
        for helper in self.helpers:
            helper.terminate()
            helper.wait()
        if self.owns_redis:
            self.redis.kill()

    def url(self, port=None):
        return f"http://127.0.0.1:{port or self.port}/mcp"


class Answer:
    """The status, the headers and the messages of a response, which are read as they come."""

    def __init__(self, connection, response):
        self.connection, self.response = connection, response
        self.status, self.headers = response.status, response.headers
        self.messages, self.has_ended = queue.Queue(), threading.Event()
        self.seen = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            if "event-stream" in self.headers.get("content-type", ""):
                for line in self.response:
                    if line.startswith(b"data:") and len(line) > 7:
                        self._came(json.loads(line[5:]))
            elif body := self.response.read():
                self._came(json.loads(body) if body.startswith((b"{", b"[")) else body.decode())
        except (OSError, ValueError, http.client.HTTPException, AttributeError) as error:
            self.fault = error
        self.has_ended.set()
        self.messages.put(None)

    def _came(self, message):
        self.seen.append((time.monotonic(), message))
        self.messages.put(message)

    def next(self, holds, limit=10):
        """Waits for a message for which `holds` is true. Fails at the end of the stream."""
        end = time.monotonic() + limit
        while True:
            try:
                message = self.messages.get(timeout=max(0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no such message in {limit} s: {self.seen}") from None
            assert message is not None, f"the stream has ended: {self.status} {self.seen}"
            if holds(message):
                return message

    def outcome(self, limit=10):
        """Waits for the response, and returns its result or error."""
        message = self.next(lambda it: isinstance(it, dict) and ("result" in it or "error" in it), limit)
        return message["result"] if "result" in message else message["error"]

    def text(self, limit=10):
        result = self.outcome(limit)
        assert not result.get("isError"), result
        return result["content"][0]["text"]

    def updates(self):
        """Returns the times at which resources were reported as changed, by URI."""
        found = {}
        for at, message in list(self.seen):
            if isinstance(message, dict) and message.get("method") == "notifications/resources/updated":
                found.setdefault(message["params"]["uri"], []).append(at)
        return found

    def close(self):
        # Wakes the thread that reads.
        if self.connection.sock:
            self.connection.sock.shutdown(socket.SHUT_RDWR)


def send(port, body=None, method="POST", limit=30, **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
    headers |= {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=limit)
    connection.request(method, "/mcp", body and json.dumps(body), headers)
    return Answer(connection, connection.getresponse())


def request(method, params, id=None):
    return {"jsonrpc": "2.0", "id": id or next(_ids), "method": method, "params": params}


def stateless(port, method, params, **headers):
    """Sends a request of the era without sessions."""
    capabilities = {"elicitation": {"form": {}}, "extensions": {"io.modelcontextprotocol/tasks": {}}}
    meta = {"protocolVersion": STATELESS, "clientCapabilities": capabilities}
    meta = {f"io.modelcontextprotocol/{name}": value for name, value in meta.items()}
    body = request(method, {**params, "_meta": meta | params.get("_meta", {})})
    name = params.get("name") or params.get("uri") or params.get("taskId")
    return send(port, body, mcp_protocol_version=STATELESS, mcp_method=method, mcp_name=name, **headers)


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


class Session:
    """A session, whose requests may go to any port."""

    def __init__(self, port, **headers):
        self.headers = headers
        hello = {"protocolVersion": HANDSHAKE, "capabilities": {"elicitation": {}}}
        answer = send(port, request("initialize", hello | {"clientInfo": {"name": "ci", "version": "1"}}), **headers)
        assert answer.status == 200, answer.status
        self.headers |= {"mcp_session_id": answer.headers["mcp-session-id"], "mcp_protocol_version": HANDSHAKE}
        self.id = self.headers["mcp_session_id"]
        assert self.notify(port, "initialized").status == 202

    def send(self, port, body=None, method="POST", **headers):
        return send(port, body, method, **(self.headers | headers))

    def notify(self, port, method, params=None):
        body = {"jsonrpc": "2.0", "method": f"notifications/{method}", "params": params or {}}
        return self.send(port, body)

    def ask(self, port, method, params=None, id=None, **headers):
        return self.send(port, request(method, params or {}, id), **headers)

    def call(self, port, name, **arguments):
        return self.ask(port, "tools/call", call(name, **arguments))

    def stream(self, port):
        answer = self.send(port, method="GET")
        assert answer.status == 200, answer.status
        return answer

    def subscribe(self, port, *uris):
        for uri in uris:
            answer = self.ask(port, "resources/subscribe", {"uri": uri})
            assert answer.status == 200 and answer.outcome() in ({}, {"resultType": "complete"}), answer.seen


def listen(port, *uris):
    """Opens a subscription of the era without sessions."""
    answer = stateless(port, "subscriptions/listen", {"notifications": {"resourceSubscriptions": list(uris)}})
    answer.next(lambda it: it.get("method", "").endswith("acknowledged"))
    return answer
