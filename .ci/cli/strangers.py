"""Tests `mcp` with server-everything over stdio and HTTP, with server-filesystem, and with change notifications."""

import json
import shlex
import subprocess
from pathlib import Path

from checks import end, part
from program import ENVIRONMENT, HOME, LIMIT, MCP, WORK, document, done, run
from servers import EVERYTHING, FILESYSTEM, announcer, everything_over_http


def keys(value):
    """Yields all keys of the objects in a document."""
    if isinstance(value, dict):
        return set(value).union(*map(keys, value.values()))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


def offers_everything(target):
    first, second = done("--json", "inspect", target), done("--json", "inspect", target)
    assert first.stdout == second.stdout
    snapshot = first.json
    assert len(snapshot["tools"]) == 17, snapshot["tools"]
    for list_, name in [
        ("tools", "name"),
        ("prompts", "name"),
        ("resources", "uri"),
        ("resourceTemplates", "uriTemplate"),
    ]:
        names = [item[name] for item in snapshot[list_]]
        assert names and names == sorted(names), names
    assert not keys({**snapshot, "tools": [{**tool, "inputSchema": {}} for tool in snapshot["tools"]]}) & {
        "_meta",
        "icons",
    }
    shown = done("inspect", target).text
    sum_ = "  get-sum  read-only\n    Returns the sum of two numbers\n      a  number  required  First number\n"
    prompt = "  args-prompt\n    A prompt with two arguments, one required and one optional\n      city   required  "
    for part_ in ["tools (17)\n", sum_, prompt, "found by `initialize`"]:
        assert part_ in shown, shown


def answers_everything(target):
    assert done("call", target, "get-sum", "a=2", "b=3").text == "The sum of 2 and 3 is 5.\n"
    # Structured content is shown without the copy in text.
    weather = done("call", target, "get-structured-content", "location=New York").json
    assert set(weather) == {"temperature", "conditions", "humidity"}, weather
    folder = Path(WORK) / "images"
    image = done("call", target, "get-tiny-image", "--save", str(folder)).text
    assert "image/png, " in image, image
    written = [path for path in folder.iterdir() if str(path) in image]
    assert [path.read_bytes()[:4] for path in written] == [b"\x89PNG"], image
    assert "file://" + HOME in done("call", target, "get-roots-list", "--root", HOME).text

    text = "demo://resource/dynamic/text/{resourceId}"
    assert done("read", target, text, "resourceId=1").text.startswith("Resource 1: This is a plaintext")
    # A blob is written to a pipe unchanged.
    blob = done("read", target, "demo://resource/dynamic/blob/1")
    assert blob.stdout.startswith(b"Resource 1: This is a base64 blob"), blob
    assert done("prompt", target, "args-prompt", "city=Oslo").text == "user:\nWhat's weather in Oslo?\n"
    complete = ["prompt", target, "completable-prompt", "--complete", "department", "S"]
    assert done(*complete).text == "Sales\nSupport\n"
    assert document(*complete)["values"] == ["Sales", "Support"]


@part("server-everything over stdio")
def _():
    target = shlex.join(EVERYTHING)
    offers_everything(target)
    answers_everything(target)
    # The server registers additional tools once it knows the client's capabilities.
    assert done("listen", target, "--count", "2").text == "tools\ntools\n"
    changed = done("--json", "listen", "--count", "2", "--", *EVERYTHING).text.splitlines()
    assert [json.loads(line) for line in changed] == [{"changed": "tools"}] * 2


@part("server-everything over HTTP")
def _():
    with everything_over_http() as url:
        offers_everything(url)
        answers_everything(url)


@part("server-filesystem over stdio")
def _():
    folder = Path(WORK) / "folder"
    folder.mkdir(exist_ok=True)
    (folder / "a b.txt").write_text("first\nsecond\n")
    server = ["--", *FILESYSTEM, str(folder)]
    assert {"read_text_file", "edit_file"} <= {tool["name"] for tool in document("inspect", *server)["tools"]}
    read = ["call", "read_text_file", f"path={folder}/a b.txt"]
    assert done(*read, "head=5", *server).text.startswith("first\nsecond\n")
    edits = ["edits:=" + json.dumps([{"oldText": "first", "newText": "1."}]), "dryRun=false"]
    done("call", "edit_file", f"path={folder}/a b.txt", *edits, *server)
    assert (folder / "a b.txt").read_text() == "1.\nsecond\n"
    outside = run("call", "read_text_file", "path=/etc/hostname", *server)
    assert outside.code == 5 and "Access denied" in outside.text + outside.stderr, outside


@part("changes in the stateless era, from a server of the official SDK")
def _():
    with announcer() as url:
        command = [MCP, "--json", "listen", url, "note://a", "--count", "2"]
        listener = subprocess.Popen(command, stdout=subprocess.PIPE, env=ENVIRONMENT, cwd=HOME)
        try:
            # Changes before the subscription are lost, so the call is repeated.
            for _ in range(100):
                assert done("call", url, "touch").text.startswith("touched\n")
                if listener.poll() is not None:
                    break
            lines = listener.communicate(timeout=LIMIT)[0].splitlines()
        finally:
            listener.kill()
        assert listener.returncode == 0
        # The subscription may begin between the two changes.
        assert sorted(lines) == [b'{"changed":"resource","uri":"note://a"}', b'{"changed":"tools"}'], lines


end()
