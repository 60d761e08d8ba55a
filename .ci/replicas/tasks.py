"""Tests tasks of several replicas."""

import signal
import time

from checks import end, part
from cluster import Cluster, call, stateless, until

cluster = Cluster(None)
first, second, third = cluster.ports


def created(replica, name, ms):
    return stateless(replica.port, "tools/call", call(name, ms=ms)).outcome()["taskId"]


def done(task, status):
    found = stateless(third, "tasks/get", {"taskId": task}).outcome()
    assert found["status"] in ("working", status), found
    return found["status"] == status and found


@part("a task is known at all replicas")
def _():
    for name in ["render", "again"]:
        task = stateless(first, "tools/call", call(name, ms=300), x_user="ann").outcome()
        assert task.get("resultType") == "task", task
        found = {}
        for port in cluster.ports * 40:
            status = stateless(port, "tasks/get", {"taskId": task["taskId"]}, x_user="ann")
            found[port] = status.outcome()
            assert status.status == 200 and "status" in found[port], found
            if all(it["status"] == "completed" for it in found.values()) and len(found) == 3:
                break
            time.sleep(0.02)
        assert len({it["result"]["content"][0]["text"] for it in found.values()}) == 1, found
        other = stateless(second, "tasks/get", {"taskId": task["taskId"]}, x_user="bob")
        assert "code" in other.outcome(), "another caller sees the task"
    task = stateless(first, "tools/call", call("render", ms=60_000)).outcome()
    cancelled = stateless(second, "tasks/cancel", {"taskId": task["taskId"]})
    assert cancelled.status == 200, cancelled.outcome()

    def status():
        return stateless(third, "tasks/get", {"taskId": task["taskId"]}).outcome()["status"]

    until("the task is cancelled", lambda: status() == "cancelled", 5)


@part("a replica that is killed or stops for a while leaves its tasks to the others")
def _():
    victim, paused = cluster.replicas[:2]
    killed = {name: created(victim, name, 1500) for name in ["render", "again"]}
    stopped = created(paused, "again", 1500)
    time.sleep(0.3)
    victim.kill()
    paused.send(signal.SIGSTOP)
    try:
        failed = until("the task has failed", lambda: done(killed["render"], "failed"))
        again = until("the task has run again", lambda: done(killed["again"], "completed"))
        by_other = until("the task of the paused process has run again", lambda: done(stopped, "completed"))
        print(f"{failed.get('statusMessage')}; {again['result']['content'][0]['text']}")
    finally:
        paused.send(signal.SIGCONT)
    third_pid = cluster.replicas[2].pid
    assert again["result"]["content"][0]["text"] == by_other["result"]["content"][0]["text"] == f"slept in process {third_pid}"
    # The former holder goes on, and its result is refused.
    time.sleep(2)
    assert done(stopped, "completed") == by_other, done(stopped, "completed")


cluster.__exit__()
end()
