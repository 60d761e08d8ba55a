"""Prints the figures of docs/deployment.md: `REPLICA=target/release/replica .ci/replicas/run measure`."""

import asyncio
import json
import statistics
import time

from cluster import Cluster, Session, call, listen, request, stateless, until

COUNT = "counter://count"
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
cluster = Cluster(None)
redis, port = cluster.redis, cluster.ports[0]


def commands():
    """Returns how many commands of clients Redis has run, by name."""
    info = redis("INFO", "commandstats").decode().split()
    found = (line.removeprefix("cmdstat_").split(":calls=") for line in info if line.startswith("cmdstat_"))
    found = {name: int(rest.split(",")[0]) for name, rest in found}
    return {name: count for name, count in found.items() if name not in ("info", "ping")}


def counted(what, send):
    """Prints the commands of one request."""
    send()
    before = commands()
    for _ in range(100):
        send()
    after = commands()
    more = {name: (count - before.get(name, 0)) / 100 for name, count in after.items() if count != before.get(name)}
    # Renewing leases of tasks happens meanwhile.
    print(f"{what}: {({name: count for name, count in more.items() if count >= 0.1})}")


session = Session(port)
counted("commands of a call in a session", lambda: session.call(port, "who").outcome())
counted("commands of a stateless call", lambda: stateless(port, "tools/call", call("who")).outcome())


class Connection:
    """A connection that is kept open, with little work for the measuring process."""

    async def open(self, port):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port)
        return self

    async def post(self, body, headers):
        body = json.dumps(body).encode()
        lines = ["POST /mcp HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}"]
        headers = headers | {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
        assert head.startswith("http/1.1 200") and "content-length: " in head, head
        await self.reader.readexactly(int(head.split("content-length: ")[1].split("\r")[0]))


async def median(port, body, headers):
    connection, times = await Connection().open(port), []
    for _ in range(3000):
        begun = time.perf_counter()
        await connection.post(body, headers)
        times.append(time.perf_counter() - begun)
    return statistics.median(times) * 1e6


def session_and_stateless():
    body = request("tools/call", call("who"))
    in_session = asyncio.run(median(port, body, session.headers))
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call", "mcp_name": "who"}
    without = asyncio.run(median(port, request("tools/call", call("who") | {"_meta": META}), headers))
    print(f"a call in a session: {in_session:.0f} µs (median); a stateless call: {without:.0f} µs")


async def throughput(ports, seconds=5, at_a_time=32):
    """Keeps 32 calls of 100 ms running at each port, and returns how many end in a second."""
    body = request("tools/call", call("sleep", ms=100) | {"_meta": META})
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call", "mcp_name": "sleep"}
    end, done = time.monotonic() + seconds, 0

    async def caller(port):
        nonlocal done
        connection = await Connection().open(port)
        while time.monotonic() < end:
            await connection.post(body, headers)
            done += 1

    await asyncio.gather(*(caller(port) for port in ports for _ in range(at_a_time)))
    return done / seconds


def three_and_one():
    one, three = (asyncio.run(throughput(ports)) for ports in [cluster.ports[:1], cluster.ports])
    print(f"calls a second: {one:.0f} at one replica, {three:.0f} at three: {three / one:.2f} times")


def changes():
    heard = [listen(port, COUNT) for port in cluster.ports]
    own, others = [], []
    for number in range(20):
        begun = time.monotonic()
        stateless(port, "tools/call", call("increment")).text()
        until("all have heard", lambda: all(len(it.updates().get(COUNT, [])) > number for it in heard))
        times = [(it.updates()[COUNT][number] - begun) * 1000 for it in heard]
        own, others = [*own, times[0]], [*others, *times[1:]]
        time.sleep(0.2)
    print(f"a change is heard after {statistics.median(own):.0f} ms at its replica, and after {statistics.median(others):.0f} ms at others")


session_and_stateless()
three_and_one()
changes()
cluster.__exit__()
