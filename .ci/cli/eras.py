"""Runs `mcp` against a FastMCP server in both eras, over stdio and HTTP."""

import json
import shlex

from checks import end, part
from program import document, done, fails, run
from servers import FASTMCP, fastmcp_over_http

REVISIONS = {"handshake": "2025-11-25", "stateless": "2026-07-28"}
STDIO = shlex.join(FASTMCP)


def check(target, *options):
    def call(*arguments):
        return done("call", target, *options, *arguments)

    words = ["place.city=5", "tags=a", "tags=b", "unit=kelvin"]
    expected = {"city": "5", "days": 1, "tags": ["a", "b"], "unit": "kelvin", "key": None}
    assert call("forecast", *words).json == expected
    # The argument is a union: a value that parses is sent as JSON, any other value as a string.
    for word, key in [("key=7", 7), ("key=x7", "x7"), ("key:=null", None), ('key:="7"', "7")]:
        assert call("forecast", *words, word).json == {**expected, "key": key}
    given = json.dumps({"place": {"city": "Lima", "height": 3}, "days": 2}).encode()
    read = done("call", target, *options, "forecast", "--input", "-", "place.city=Oslo", stdin=given).json
    assert (read["city"], read["days"]) == ("Oslo", 2), read

    assert call("picture").text == "image/png, 300 B (`--save DIR` keeps it)\n"
    answers = ["--answer", "name=Ada", "--answer", "size=small"]
    assert call("ask", *answers).text == 'accept {"name":"Ada","size":"small","count":7,"sure":true}\n'
    unanswered = fails(5, "input_required", "call", target, *options, "ask")
    assert all(f"--answer {field}=" in unanswered for field in ["name", "size", "count", "sure"]), unanswered

    assert done("prompt", target, *options, "travel", "city=Oslo").text == "user:\nPlan a journey to Oslo; note: none\n"
    assert done("prompt", target, *options, "travel", "--complete", "city", "Os").text == "Oslo\nOsaka\n"
    assert done("read", target, *options, "note://{owner}/{title}", "owner=Ada", "title=a b").text == "a b of Ada"
    assert done("read", target, *options, "note://blob").stdout == bytes([0, 255, 27, 10])


for era, revision in REVISIONS.items():

    @part(f"FastMCP, {era}")
    def _():
        snapshot = document("inspect", STDIO, "--era", era)
        assert snapshot["revision"] == revision, snapshot
        assert document("inspect", STDIO, "--revision", revision)["revision"] == revision
        with fastmcp_over_http() as url:
            assert document("inspect", url, "--era", era) == snapshot
            assert f"{revision}, {era}, as set" in done("inspect", url, "--era", era).text
            check(url, "--era", era)


@part("FastMCP, without a word about the era")
def _():
    with fastmcp_over_http() as url:
        assert f"{REVISIONS['stateless']}, stateless, found by `server/discover`" in done("inspect", url).text
    assert document("inspect", STDIO)["revision"] == REVISIONS["stateless"]
    log = run("-v", "call", STDIO, "climb")
    assert log.code == 0 and "at step 2" in log.stderr and "at step" not in log.text, log
    assert log.text.startswith("at the top\n"), log
    assert "at step" not in run("call", STDIO, "climb").stderr


end()
