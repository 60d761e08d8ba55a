"""Tests that clients see three replicas behind nginx as one server."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from json import loads

from checks import end, part
from cluster import Cluster, Session, call, listen, request, send, stateless, until
from sdk import connected, text, typescript

COUNT, OTHER = "counter://count", "counter://other"
cluster = Cluster()
first, second, third = cluster.ports
proxy, redis = cluster.port, cluster.redis


@part("thirty calls of each client reach all replicas, and a handshake is noticed once")
def _():
    async def calls(era, user):
        async with connected(cluster.url(), era, user) as client:
            told = [loads(await text(client, "who")) for _ in range(30)]
            assert len({it["process"] for it in told}) == 3, told
            assert {it["caller"] for it in told} == {user}, told

    async def all_clients():
        await asyncio.gather(*(calls(era, f"{era}{n}") for era in ["handshake", "stateless"] for n in range(5)))

    before = redis.counter("clients")
    asyncio.run(all_clients())
    until("each handshake was noticed", lambda: redis.counter("clients") == before + 5)


for era in ["handshake", "stateless"]:

    @part(f"questions and progress of the Python client, {era}")
    def _():
        async def use():
            async with connected(cluster.url(), era) as client:
                answers = [await text(client, "ask") for _ in range(12)]
                assert all(it.startswith("hello Ada") for it in answers), answers
                assert len(set(answers)) == 3, answers
                steps = []

                async def step(*progress):
                    steps.append(progress)

                await client.call_tool("sleep", {"ms": 300}, progress_callback=step)
                assert len(steps) >= 3, steps

        asyncio.run(use())


typescripts = [typescript("features", cluster.url(), era) for era in ["handshake", "stateless"]]


@part("an answer that arrives at another replica")
def _():
    session = Session(first)
    asking = session.call(first, "ask")
    question = asking.next(lambda it: it.get("method") == "elicitation/create")
    answer = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"answer": "Bob"}}}
    begun = time.monotonic()
    assert session.send(second, answer).status == 202
    assert asking.text().startswith("hello Bob")
    assert time.monotonic() - begun < 1
    # Nobody waits for the answer any more.
    assert session.send(third, answer).status == 202


@part("a cancellation and a DELETE at another replica")
def _():
    session = Session(first)
    with ThreadPoolExecutor() as pool:
        slow = pool.submit(session.ask, first, "tools/call", call("sleep", ms=20_000) | {"_meta": {"progressToken": 1}}, 77)
        slow = slow.result()
        slow.next(lambda it: it.get("method") == "notifications/progress")
        assert session.notify(second, "cancelled", {"requestId": 77}).status == 202
        assert slow.has_ended.wait(2), "the call goes on"
        assert not any("result" in it for _, it in slow.seen), slow.seen

        slow = session.ask(second, "tools/call", call("sleep", ms=20_000) | {"_meta": {"progressToken": 2}})
        slow.next(lambda it: it.get("method") == "notifications/progress")
        streams = [session.stream(port) for port in cluster.ports]
        assert session.send(third, method="DELETE").status in (200, 204)
        for open_one in [slow, *streams]:
            assert open_one.has_ended.wait(2), "a stream goes on"
    for port in cluster.ports:
        assert session.call(port, "who").status == 404


@part("a session of another caller is unknown at all replicas")
def _():
    session = Session(first, x_user="ann")
    for port in cluster.ports:
        assert session.call(port, "who").status == 200
        assert session.ask(port, "tools/list", x_user="bob").status == 404
        assert session.ask(port, "tools/list", x_user=None).status == 404


for it, era in zip(typescripts, ["handshake", "stateless"]):

    @part(f"the TypeScript client, {era}")
    def _():
        output, _ = it.communicate(timeout=40)
        assert it.returncode == 0, output


@part("two subscriptions at the same time, at two replicas, of 20 sessions")
def _():
    sessions = [Session(cluster.ports[number % 3]) for number in range(20)]
    with ThreadPoolExecutor(40) as pool:
        for one in [pool.submit(it.subscribe, port, uri) for it in sessions for port, uri in [(first, COUNT), (second, OTHER)]]:
            one.result()
    streams = [it.stream(third) for it in sessions]
    for name in ["increment", "touch"]:
        stateless(first, "tools/call", call(name)).text()
    until("all streams told both", lambda: all(set(it.updates()) == {COUNT, OTHER} for it in streams), 5)
    sessions[0].ask(third, "resources/unsubscribe", {"uri": COUNT}).outcome()
    time.sleep(0.1)
    for name in ["increment", "touch"]:
        stateless(second, "tools/call", call(name)).text()
    until("all others told both again", lambda: all(len(it.updates()[uri]) == 2 for it in streams[1:] for uri in [COUNT, OTHER]), 5)
    assert len(streams[0].updates()[COUNT]) == 1, "the unsubscription was lost"
    for it in streams:
        it.close()


@part("changes are heard at all replicas, in both eras")
def _():
    sessions = [Session(port) for port in cluster.ports]
    for it in sessions:
        it.subscribe(first, COUNT)
    heard = [it.stream(port) for it, port in zip(sessions, cluster.ports)]
    heard += [listen(port, COUNT) for port in cluster.ports]
    times = []
    for number in range(6):
        port = cluster.ports[number % 3]
        begun = time.monotonic()
        stateless(port, "tools/call", call("increment")).text()
        until("all have heard", lambda: all(len(it.updates().get(COUNT, [])) == number + 1 for it in heard), 5)
        times += [it.updates()[COUNT][-1] - begun for it in heard]
        for at in cluster.ports:
            read = stateless(at, "resources/read", {"uri": COUNT}).outcome()
            assert read["contents"][0]["text"] == str(redis.counter("count")), read
        time.sleep(0.2)
    times.sort()
    print(f"changes were heard after {times[len(times) // 2] * 1000:.0f} ms (median), {times[-1] * 1000:.0f} ms (longest)")
    assert all(len(it.updates()[COUNT]) == 6 for it in heard), "a change was told twice"
    for it in heard:
        it.close()


@part("the rate limit is one for all replicas")
def _():
    with Cluster(None, "limit=20", redis=redis) as limited, ThreadPoolExecutor(12) as pool:
        def attempt(number):
            return stateless(limited.ports[number % 3], "tools/call", call("who"), x_user="greedy").status

        statuses = list(pool.map(attempt, range(60)))
        assert 20 <= statuses.count(200) <= 22 and set(statuses) == {200, 429}, statuses
        assert stateless(limited.ports[0], "tools/call", call("who"), x_user="modest").status == 200


cluster.__exit__()
end()
