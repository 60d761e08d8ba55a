"""Tests what each of several clients sees, and questions within an era and between eras."""

import json

from checks import end, part
from proxies import Program
from wire import text

ADA = {"action": "accept", "content": {"name": "Ada"}}
FORM = {"elicitation": {"form": {}}}


def ask(**more):
    return {"name": "ask", "arguments": {"a": 1}, **more}


@part("two clients with different capabilities")
def _():
    program = Program("handshake")
    with program.front("http") as client:
        asked, other = client().connect("handshake", "asked", **FORM), client().connect("handshake", "other")
        for caller, name, capabilities in [(asked, "asked", FORM), (other, "other", {})]:
            told = json.loads(caller.call("whoami"))
            assert told["clientInfo"]["name"] == name and told["capabilities"] == capabilities, told
        slow, call = other.start("slow", seconds=1), asked.start("ask")
        question = asked.questions.get(timeout=10)
        assert question["params"]["x-own"] == 1, question
        # The question is open, and the other client works.
        assert text(other.wait(slow)) == "slept" and "can not be asked" in other.call("ask")
        asked.answer(question, ADA)
        assert json.loads(text(asked.wait(call))) == ADA
        assert other.questions.empty() and program.record().count("ran ask") == 2


for kind in ["stdio", "http"]:

    @part(f"a stateless client of a server with a handshake, over {kind}")
    def _():
        program = Program("handshake")
        with program.front(kind) as client:
            caller = client().connect("stateless", **FORM)
            wanted = [caller.result("tools/call", ask()) for _ in range(2)]
            for name, it in zip(["Ada", "Bob"], wanted):
                [[key, question]] = it["inputRequests"].items()
                assert it["resultType"] == "input_required" and question["method"] == "elicitation/create", it
                assert question["params"]["message"] == "Who is it?", question
                answer = {"action": "accept", "content": {"name": name}}
                retry = {"inputResponses": {key: answer}, "requestState": it["requestState"]}
                strange = {**retry, "requestState": "another"}
                for wrong in [ask(**retry, arguments={"a": 2}), ask(**retry, name="slow"), ask(**strange)]:
                    refused = caller.request("tools/call", wrong)
                    assert refused.get("error", {}).get("code") == -32602, (wrong, refused)
                assert json.loads(text(caller.request("tools/call", ask(**retry)))) == answer
                assert caller.request("tools/call", ask(**retry)).get("error", {}).get("code") == -32602
            assert program.record().count("ran ask") == 2, program.record()
            assert "can not be asked" in client().connect("stateless").call("ask")

    @part(f"a client with a handshake of a stateless server, over {kind}")
    def _():
        program = Program("stateless")
        with program.front(kind) as client:
            caller = client().connect("handshake", **FORM)
            call = caller.start("ask")
            question = caller.questions.get(timeout=10)
            assert question["params"]["message"] == "Who is it?", question
            caller.answer(question, ADA)
            assert json.loads(text(caller.wait(call))) == ADA
            told = json.loads(caller.call("whoami"))
            assert told["clientInfo"]["name"] == "wire" and told["capabilities"] == FORM, told
            assert caller.server["capabilities"]["experimental"] == {"x": {"y": 1}}, caller.server
            assert caller.server["instructions"] == "Be kind." and caller.server["serverInfo"]["name"] == "wire"

    @part(f"messages within an era, over {kind}")
    def _():
        for era in ["handshake", "stateless"]:
            with Program(era).front(kind) as client:
                caller = client().connect(era, **FORM)
                if era == "handshake":
                    assert caller.server["x-own"] == 5 and caller.server["serverInfo"]["x-own"] == "z", caller.server
                else:
                    wanted = caller.result("tools/call", ask())
                    assert wanted["inputRequests"]["k 1"]["params"]["x-own"] == 1, wanted
                    assert wanted["requestState"] == "s 1" and len(wanted["inputRequests"]) == 1, wanted
                    assert caller.result("server/discover")["instructions"] == "Be kind."
                tools = caller.result("tools/list")
                assert tools["x-own"] == 1 and tools["tools"][0]["x-own"] == ["ask"], tools
                assert era == "handshake" or (tools["ttlMs"], tools["cacheScope"]) == (7, "private"), tools
                assert caller.result("example/echo", {"x": [None]})["echo"] == {"x": [None]}
                error = caller.request("tools/call", {"name": "nobody"})["error"]
                assert error == {"code": -32602, "message": "there is no tool nobody", "data": {"x": [1]}}, error
                steps = caller.result("tools/call", {"name": "steps"}, progressToken="t/1")
                assert steps["x-own"] == {"b": None} and steps["_meta"]["x"] == 1, steps
                progress = caller.noticed("notifications/progress")
                assert progress == {"progressToken": "t/1", "progress": 2, "x-own": [2]}, progress

    @part(f"messages that belong to no call, over {kind}")
    def _():
        program = Program("handshake")
        with program.front(kind) as client:
            caller = client().connect("handshake")
            caller.call("change")
            caller.noticed("notifications/tools/list_changed")
            assert caller.noticed("notifications/example") == {"x": 1}
            assert "new" in [tool["name"] for tool in caller.result("tools/list")["tools"]]
            for name in ["roots/list_changed", "example"]:
                caller.notify(f"notifications/{name}")
                caller.call("whoami")
                assert f"told notifications/{name}" in program.record(), program.record()


end()
