"""Tests what clients see while Redis is stopped, killed, full or emptied, and with other records."""

import json
import signal
import time
from contextlib import contextmanager

from checks import end, part
from cluster import Cluster, Session, call, listen, request, send, stateless, until

COUNT, OTHER = "counter://count", "counter://other"
cluster = Cluster()
first, second, third = cluster.ports
redis, replicas = cluster.redis, cluster.replicas


def refused(answer, begun):
    """Checks that a request was answered with 503 in time."""
    took = time.monotonic() - begun
    assert answer.status == 503 and int(answer.headers["retry-after"]) >= 1, (answer.status, answer.headers.items())
    assert took < 0.75, f"the answer took {took:.2f} s"


def is_away(session):
    """Checks all replicas while Redis does not answer."""
    for port in cluster.ports:
        for method in ["tools/list", "ping"]:
            begun = time.monotonic()
            refused(session.ask(port, method), begun)
        begun = time.monotonic()
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "ci", "version": "1"}}
        refused(send(port, request("initialize", hello)), begun)
        begun = time.monotonic()
        refused(session.send(port, method="DELETE"), begun)
        who = stateless(port, "tools/call", call("who"))
        assert who.status == 200 and not who.outcome().get("isError"), who.seen


@contextmanager
def watching():
    """A session that has subscribed, with a stream at the third replica, and subscriptions at all."""
    session = Session(first)
    session.subscribe(second, COUNT, OTHER)
    watchers = [session.stream(third), *(listen(port, COUNT, OTHER) for port in cluster.ports)]
    yield session, watchers
    assert not any(it.has_ended.is_set() for it in watchers), "a stream has ended"
    for it in watchers:
        it.close()


def outage(stop, back, **options):
    with watching() as (session, watchers):
        before = [it.updates() for it in watchers]
        assert not any(before), before
        stop()
        is_away(session)
        # A change of one process while the others can't hear it.
        stateless(first, "tools/call", call("touch")).outcome()
        until("its own clients hear of it", lambda: OTHER in watchers[1].updates(), 5)
        back()
        begun = time.monotonic()
        for port in cluster.ports:
            answer = session.call(port, "increment")
            assert answer.status == 200 and not answer.outcome().get("isError"), (answer.status, answer.seen)
        assert time.monotonic() - begun < 1
        until("all clients are told", lambda: all(OTHER in it.updates() for it in watchers), 10)
        time.sleep(3)
        told = [{uri: len(times) for uri, times in it.updates().items()} for it in watchers]
        # Its own clients hear of a change when it happens, and again after the gap.
        others = [it[OTHER] for number, it in enumerate(told) if number != 1]
        assert set(others) == {1} and told[1][OTHER] <= 2, told


@part("Redis stalls")
def _():
    outage(lambda: redis.send(signal.SIGSTOP), lambda: redis.send(signal.SIGCONT))


@part("Redis is killed, and starts again with its file")
def _():
    outage(redis.kill, redis.start)
    for replica in replicas:
        warnings = replica.is_warned("can't be served at the moment")
        assert 1 <= warnings <= 2, f"{warnings} warnings"


@part("Redis is full")
def _():
    with watching() as (session, watchers):
        redis("CONFIG", "SET", "maxmemory-policy", "noeviction")
        redis("CONFIG", "SET", "maxmemory", 1)
        try:
            for port in cluster.ports:
                hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "ci", "version": "1"}}
                refused(send(port, request("initialize", hello)), time.monotonic())
                refused(session.ask(port, "resources/subscribe", {"uri": "counter://new"}), time.monotonic())
                assert stateless(port, "tools/call", call("who")).status == 200
                # Nothing is written for this call.
                assert session.call(port, "who").status == 200
        finally:
            redis("CONFIG", "SET", "maxmemory", 0)
        for port in cluster.ports:
            assert session.call(port, "who").status == 200
            session.subscribe(port, "counter://new")


@part("the bus is away, and the store is there")
def _():
    session = Session(first)
    asking = session.call(first, "ask")
    question = asking.next(lambda it: it.get("method") == "elicitation/create")
    answer = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"answer": "Bob"}}}
    with watching() as (_, watchers):
        redis("ACL", "SETUSER", "default", "resetchannels")
        try:
            refused(session.send(second, answer), time.monotonic())
            assert session.call(second, "who").status == 200 and not asking.has_ended.is_set()
            stateless(first, "tools/call", call("increment")).text()
            until("the clients of the process hear of it", lambda: COUNT in watchers[1].updates(), 5)
        finally:
            redis("ACL", "SETUSER", "default", "allchannels")
        assert session.send(third, answer).status == 202
        assert asking.text().startswith("hello Bob")
        until("all clients are told", lambda: all(COUNT in it.updates() for it in watchers), 10)


@part("messages of other versions and of strangers")
def _():
    strange = [b"", b"strange", bytes(5_000_000), b'{"format":2,"from":0,"content":{"new":1}}']
    with watching() as (_, watchers):
        for message in [*strange, b'{"format":1,"from":0,"content":{"new":1}}']:
            redis("PUBLISH", "replica:bus", message)
        stateless(first, "tools/call", call("increment")).text()
        until("all clients are told", lambda: all(COUNT in it.updates() for it in watchers), 5)
    assert all(replica.is_warned("a message on the bus was ignored") == 1 for replica in replicas)


@part("records of other versions, damaged records and records of others")
def _():
    def edited(edit, **headers):
        session = Session(first, **headers)
        key = f"replica:kv:session:{session.id}"
        record = json.loads(redis("GET", key)[8:])
        # Another version of the value, so that all replicas read it again.
        redis("SET", key, b"edited!!" + edit(record), "KEEPTTL")
        return session, [session.call(port, "who").status for port in cluster.ports]

    def with_(**members):
        return lambda record: json.dumps(record | members).encode()

    session, statuses = edited(lambda record: with_(state=record["state"] | {"new": [1]}, more={"a": 1})(record))
    assert statuses == [200] * 3, statuses
    session.subscribe(second, COUNT)
    stream = session.stream(third)
    stateless(first, "tools/call", call("increment")).text()
    stream.next(lambda it: it.get("method") == "notifications/resources/updated")
    session, statuses = edited(with_(format=2))
    assert statuses == [503] * 3, statuses
    for damage in [lambda _: b"{", lambda _: b"", with_(state=[]), with_(format="x")]:
        session, statuses = edited(damage)
        assert statuses == [404] * 3, (damage({}), statuses)
    # The first replica has the session open, and needs only the state.
    session, statuses = edited(with_(initialize=1))
    assert statuses[1:] == [404] * 2, statuses
    session, statuses = edited(with_(owner="bob"), x_user="ann")
    assert statuses[1:] == [404] * 2, statuses
    session, statuses = edited(lambda record: json.dumps(record).encode(), x_user="ann")
    assert statuses == [200] * 3, statuses


@part("Redis is emptied")
def _():
    session = Session(first)
    stream = session.stream(second)
    redis("FLUSHALL")
    for port in cluster.ports:
        assert session.call(port, "who").status == 404
    assert stream.has_ended.wait(2), "the stream of a lost session goes on"
    assert Session(first).call(second, "who").status == 200
    who = stateless(third, "tools/call", call("who"))
    assert who.status == 200


cluster.__exit__()
end()
