"""Tests that no call fails when all replicas are restarted, and what fails when one is killed."""

import json
import threading
from http.client import HTTPException

from checks import end, part
from cluster import Cluster, Session, call, stateless, until
from sdk import python, typescript

SECONDS = 14
cluster = Cluster()
haproxy = cluster.proxied_by("haproxy")
redis, replicas = cluster.redis, cluster.replicas


def loaded(urls):
    """Starts two clients of each kind for each URL."""
    return [start("load", SECONDS, *urls) for start in (python, typescript)]


def outcomes(clients):
    counts, faults = [], []
    for it in clients:
        output, _ = it.communicate(timeout=90)
        for ours, theirs in json.loads(output):
            counts, faults = counts + ours, faults + theirs
    return counts, faults


@part("two rolling restarts of all replicas, behind nginx and HAProxy")
def _():
    before = redis.counter("count")
    # Sessions without traffic, with a stream or an open question, live on as well.
    quiet = Session(cluster.port)
    quiet.subscribe(cluster.port, "counter://other")
    clients = loaded([cluster.url(), cluster.url(haproxy)])
    until("all clients call", lambda: redis.counter("count") > before + 100, 40)
    stops = [replica.restart() for _ in range(2) for replica in replicas]
    assert all(it.poll() is None for it in clients), "the restarts took longer than the calls"
    counts, faults = outcomes(clients)
    ran = redis.counter("count") - before
    print(f"{len(counts)} calls; the longest stop took {max(stops):.1f} s")
    assert not faults, faults
    assert ran == len(counts) == len(set(counts)) == 16 * SECONDS * 10, (ran, len(counts))
    stream = quiet.stream(cluster.port)
    stateless(cluster.port, "tools/call", call("touch")).text()
    stream.next(lambda it: it.get("params", {}).get("uri") == "counter://other")


@part("a replica that is killed loses the calls in flight")
def _():
    before = redis.counter("count")
    held = [stateless(replicas[0].port, "tools/call", call("sleep", ms=20_000) | {"_meta": {"progressToken": 1}})]
    held.append(Session(replicas[1].port).stream(replicas[0].port))
    session, counts, failed, has_ended = Session(cluster.port), [], [], threading.Event()

    def calls(send):
        while not has_ended.is_set():
            try:
                answer = send()
                text = answer.outcome()["content"][0]["text"] if answer.status == 200 else answer.status
                (counts if answer.status == 200 else failed).append(text)
            except (OSError, HTTPException, AssertionError) as error:
                failed.append(error)

    senders = [lambda: session.call(cluster.port, "increment")] * 4
    senders += [lambda: stateless(cluster.port, "tools/call", call("increment"))] * 4
    threads = [threading.Thread(target=calls, args=[send]) for send in senders]
    for it in threads:
        it.start()
    until("all call", lambda: len(counts) > 100)
    replicas[0].kill()
    for it in held:
        assert it.has_ended.wait(2), "a stream of a dead process goes on"
    until("all go on", lambda begun=len(counts): len(counts) > begun + 100)
    replicas[0].start()
    has_ended.set()
    for it in threads:
        it.join()
    ran = redis.counter("count") - before
    print(f"{len(counts)} calls, and {len(failed)} that failed: {failed}")
    assert len(failed) <= len(threads) and set(failed) <= {502}, failed
    assert len(counts) == len(set(counts)) and len(counts) <= ran <= len(counts) + len(failed), (ran, len(counts))


cluster.__exit__()
end()
