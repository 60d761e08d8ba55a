"""Tests what each of several clients sees, and questions within an era and between eras."""

import json
import queue
import sys
from contextlib import contextmanager
from pathlib import Path

from checks import end, part
from program import WORK
from proxies import over_http, over_stdio
from wire import Http, Stdio

SERVER = [sys.executable, str(Path(__file__).parent / "server.py")]
RECORD = Path(WORK) / "record"
ADA = {"action": "accept", "content": {"name": "Ada"}}
FORM = {"form": {}}


@contextmanager
def front(kind, era, *options):
    """A function that connects clients to a proxy in front of the test server."""
    RECORD.write_text("")
    arguments = [*options, "--env", "RECORD", "--", *SERVER, era]
    if kind == "http":
        with over_http(*arguments, RECORD=str(RECORD)) as url:
            yield lambda: Http(url)
    else:
        with Stdio(over_stdio(*arguments), RECORD=str(RECORD)) as client:
            yield lambda: client


def runs(tool):
    return RECORD.read_text().splitlines().count(f"ran {tool}")


def ask(**more):
    return {"name": "ask", "arguments": {"a": 1}, **more}


def refused(client, **more):
    response = client.request("tools/call", ask(**more))
    assert response.get("error", {}).get("code") == -32602, response


@part("two clients with different capabilities")
def _():
    with front("http", "handshake") as connect:
        asked, other = connect().with_handshake("asked", elicitation=FORM), connect().with_handshake("other")
        for client, name, capabilities in [(asked, "asked", {"elicitation": FORM}), (other, "other", {})]:
            told = json.loads(client.call("whoami"))
            assert told["clientInfo"]["name"] == name and told["capabilities"] == capabilities, told
        slow = other.send("tools/call", {"name": "slow", "arguments": {"seconds": 1}})
        call = asked.send("tools/call", ask())
        question = asked.questions.get(timeout=10)
        assert question["params"]["x-own"] == 1, question
        assert "slept" in json.dumps(other.wait(slow)), "the other client's call"
        # The question is open, and the other client works.
        assert "can not be asked" in other.call("ask")
        asked.answer(question, ADA)
        assert json.loads(asked.wait(call)["result"]["content"][0]["text"]) == ADA
        assert other.questions.empty() and runs("ask") == 2


for kind in ["stdio", "http"]:

    @part(f"a stateless client of a server with a handshake, over {kind}")
    def _():
        with front(kind, "handshake") as connect:
            client = connect().stateless(elicitation=FORM)
            wanted = client.result("tools/call", ask())
            assert wanted["resultType"] == "input_required", wanted
            [[key, question]] = wanted["inputRequests"].items()
            assert question["method"] == "elicitation/create" and question["params"]["message"] == "Who is it?"
            retry = {"inputResponses": {key: ADA}, "requestState": wanted["requestState"]}
            refused(client, **retry, arguments={"a": 2})
            refused(client, **{**retry, "requestState": "another"})
            assert json.loads(client.result("tools/call", ask(**retry))["content"][0]["text"]) == ADA
            refused(client, **retry)
            assert runs("ask") == 1, RECORD.read_text()
            # Two callers who are asked at the same time.
            wanted = [client.result("tools/call", ask()) for _ in range(2)]
            for number, it in enumerate(wanted):
                answer = {"action": "accept", "content": {"name": f"{number}"}}
                retry = {"inputResponses": {key: answer for key in it["inputRequests"]}, "requestState": it["requestState"]}
                assert json.loads(client.result("tools/call", ask(**retry))["content"][0]["text"]) == answer
            assert "can not be asked" in connect().stateless().call("ask")

    @part(f"a client with a handshake and a stateless server, over {kind}")
    def _():
        with front(kind, "stateless") as connect:
            client = connect().with_handshake(elicitation=FORM)
            call = client.send("tools/call", ask())
            question = client.questions.get(timeout=10)
            assert question["params"]["message"] == "Who is it?", question
            client.answer(question, ADA)
            assert json.loads(client.wait(call)["result"]["content"][0]["text"]) == ADA
            told = json.loads(client.call("whoami"))
            assert told["clientInfo"]["name"] == "wire" and told["capabilities"] == {"elicitation": FORM}, told
            assert client.server["capabilities"]["experimental"] == {"x": {"y": 1}}, client.server
            assert client.server["instructions"] == "Be kind." and client.server["serverInfo"]["name"] == "wire"
            assert client.request("example/echo")["error"]["code"] == -32601

    @part(f"messages within an era, over {kind}")
    def _():
        for era in ["handshake", "stateless"]:
            with front(kind, era) as connect:
                client = connect()
                if era == "handshake":
                    client.with_handshake(elicitation=FORM)
                    assert client.server["x-own"] == 5 and client.server["serverInfo"]["x-own"] == "z", client.server
                else:
                    client.stateless(elicitation=FORM)
                    wanted = client.result("tools/call", ask())
                    assert list(wanted["inputRequests"]) == ["k 1"] and wanted["requestState"] == "s 1", wanted
                    assert wanted["inputRequests"]["k 1"]["params"]["x-own"] == 1, wanted
                    assert client.result("server/discover")["instructions"] == "Be kind."
                tools = client.result("tools/list")
                assert tools["x-own"] == 1 and tools["tools"][0]["x-own"] == ["ask"], tools
                assert era == "handshake" or (tools["ttlMs"], tools["cacheScope"]) == (7, "private"), tools
                assert client.result("example/echo", {"x": [None]})["echo"] == {"x": [None]}
                error = client.request("tools/call", {"name": "nobody"})["error"]
                assert error == {"code": -32602, "message": "there is no tool nobody", "data": {"x": [1]}}, error
                meta = {"_meta": {**client.meta.get("_meta", {}), "progressToken": "t/1"}}
                client.meta = {}
                steps = client.result("tools/call", {"name": "steps", "arguments": {}, **meta})
                assert steps["x-own"] == {"b": None} and steps["_meta"]["x"] == 1, steps
                progress = client.noticed("notifications/progress")
                assert progress == {"progressToken": "t/1", "progress": 2, "x-own": [2]}, progress


@part("messages that belong to no call")
def _():
    for kind in ["stdio", "http"]:
        with front(kind, "handshake") as connect:
            client = connect().with_handshake()
            client.call("change")
            client.noticed("notifications/tools/list_changed")
            assert client.noticed("notifications/example") == {"x": 1}
            assert "new" in [tool["name"] for tool in client.result("tools/list")["tools"]]
            client.notify("notifications/roots/list_changed")
            client.notify("notifications/strange")
            client.call("whoami")
            told = RECORD.read_text()
            assert "told notifications/roots/list_changed\n" in told and "told notifications/strange\n" in told, told


end()
