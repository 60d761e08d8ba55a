"""Looks at the command in terminals of three widths, with tmux: lists, progress, forms."""

import json
import os
import re
import shlex
import sys

from checks import end, part
from pane import WIDTHS, Pane
from program import WORK
from servers import EVERYTHING, FASTMCP, fastmcp_over_http

RELEASE = f"{WORK}/release"
os.environ.update(RELEASE=RELEASE)
# Default, bold, dim, red, green, and their ends: the terminal chooses the shades, which suit its background.
STYLES = {"", "0", "1", "2", "22", "31", "32", "39", "49"}
serving = fastmcp_over_http()
URL = serving.__enter__()
FEW = f"{WORK}/few.json"
with open(FEW, "w") as few:
    servers = {"everything": {"command": "node", "args": EVERYTHING[1:]}, "docs": {"url": "https://docs.example.com/mcp"}}
    json.dump({"mcpServers": servers}, few)
PROGRAM = shlex.quote(shlex.join(EVERYTHING))


def held():
    """Lets the tool `climb` report its progress, and then wait."""
    if os.path.exists(RELEASE):
        os.remove(RELEASE)


def release():
    open(RELEASE, "w").close()


@part("no screen is wider than the terminal")
def _():
    release()
    commands = [
        f"inspect {PROGRAM}",
        f"inspect {URL}",
        f"inspect {PROGRAM} --tool gzip-file-as-resource",
        f"inspect {PROGRAM} --prompt args-prompt",
        f"call {URL}",
        f"call {PROGRAM} get-structured-content location=Chicago",
        f"call {PROGRAM} get-resource-links",
        f"call {URL} picture",
        f"call {URL} fail",
        f"call {URL} climb",
        f"call {URL} forecast days=many",
        f"doctor {URL}",
        f"servers --config {FEW}",
        "listen --for 1s " + PROGRAM,
    ]
    for columns in WIDTHS:
        for command in commands:
            with Pane(columns, f"mcp {command}") as pane:
                code, shown = pane.end()
                assert code in (0, 2, 5), (command, code, shown)
                # Errors, commands and the text of a tool are not wrapped, so they can be found and copied.
                broken = [it for it in pane.broken() if not it.startswith(("error: ", "  mcp "))]
                assert command.startswith("call ") or not broken, (columns, command, broken)
                assert pane.styles() <= STYLES, (command, pane.styles())


@part("progress is one line, which is gone at the end")
def _():
    for columns in WIDTHS:
        held()
        with Pane(columns, f"mcp call {URL} climb") as pane:
            shown = pane.until("step 3")
            assert len(shown.splitlines()) == 1 and re.search(r"3/3.* step 3", shown), shown
            release()
            code, shown = pane.end()
            assert code == 0 and shown.startswith("at the top") and "3/3" not in shown, shown


@part("each report of progress is a line with -v")
def _():
    release()
    with Pane(80, f"mcp -v call {URL} climb 2>&1 | cat") as pane:
        code, shown = pane.end()
        assert code == 0 and all(f"step {it}" in shown for it in (1, 2, 3)), shown


@part("a call without progress shows the time after a second")
def _():
    os.environ["RECORD"] = f"{WORK}/record"
    program = shlex.quote(shlex.join(FASTMCP))
    with Pane(60, f"mcp call {program} --env RECORD={WORK}/record wait") as pane:
        pane.until(r"wait .*\b[2-9]s|\b[2-9](\.\d)?s")
        pane.send("C-c")
        code, shown = pane.end()
        assert code == 130, (code, shown)
        assert not re.search(r"\ds$", shown, re.M), shown


@part("a form at each width")
def _():
    for columns in WIDTHS:
        with Pane(columns, f"mcp call {URL} ask") as pane:
            pane.until("What will it be")
            pane.until("Answer")
            pane.send("Enter")
            pane.until(r"[Nn]ame")
            pane.send("Ada", "Enter")
            pane.until("Size")
            pane.send("Enter")
            pane.until("Count")
            pane.send("Enter")
            pane.until("[Ss]ure")
            pane.send("Enter")
            code, shown = pane.end()
            assert code == 0 and 'accept {"name":"Ada","size":"large"' in shown, shown


serving.__exit__(*sys.exc_info())
end()
