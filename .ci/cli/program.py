"""Runs the command under test in pipes and on a terminal. MCP names the program, and WORK a folder for files."""

import json
import os
import re
import signal
import subprocess
import termios
import time
from dataclasses import dataclass

import pexpect

MCP = os.environ["MCP"]
WORK = os.environ["WORK"]
HOME = f"{WORK}/home"
# The time limit of each step, in seconds.
LIMIT = 60

os.makedirs(HOME, exist_ok=True)
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("XDG_")},
    "HOME": HOME,
    "NO_PROXY": "*",
    "MCP": MCP,
    "TERM": "xterm-256color",
}
ENVIRONMENT.pop("NO_COLOR", None)


@dataclass
class Ended:
    """The result of a command that has ended."""

    code: int
    stdout: bytes
    stderr: str

    def __repr__(self):
        return f"code {self.code}, stdout {self.stdout[:800]!r}, stderr {self.stderr[:800]!r}"

    @property
    def text(self):
        return self.stdout.decode()

    @property
    def json(self):
        """The only JSON document on standard output."""
        return json.loads(self.stdout)

    @property
    def error(self):
        """The error in the only line on standard error, with `--json`."""
        [line] = self.stderr.splitlines()
        return json.loads(line)["error"]


def run(*arguments, stdin=b"", **environment):
    """Runs the command in pipes."""
    ended = subprocess.run(
        [MCP, *arguments], input=stdin, capture_output=True, timeout=LIMIT, cwd=HOME, env={**ENVIRONMENT, **environment}
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr.decode())


def done(*arguments, **options):
    """Runs a command that must succeed."""
    ended = run(*arguments, **options)
    assert ended.code == 0, ended
    return ended


def document(*arguments, **options):
    """Runs a command that must succeed, and returns the JSON document that it prints."""
    return done("--json", *arguments, **options).json


def fails(code, kind, *arguments, data=False, **options):
    """Runs a command that must fail, without and with `--json`, and returns its message.

    `data` is true if the command prints output before it fails.
    """
    for_people = run(*arguments, **options)
    assert for_people.code == code and "panicked" not in for_people.stderr, for_people
    ended = run("--json", *arguments, **options)
    assert ended.code == code and bool(ended.stdout) == data, ended
    if data:
        ended.json
    assert ended.error["code"] == kind, ended
    message = ended.error["message"]
    if not data:
        assert for_people.stdout == b"" and for_people.stderr == f"error: {message}\n", (for_people, ended)
    return message


class Terminal:
    """The command in a pseudoterminal, which is its standard input, output and error."""

    def __init__(self, *arguments, **environment):
        self._start(MCP, list(arguments), environment)

    @classmethod
    def shell(cls, line, *arguments, **environment):
        """Runs a line of shell in which `mcp` is the command. `arguments` become `$1` and so on."""
        self = cls.__new__(cls)
        self._start("sh", ["-c", f'mcp() {{ "$MCP" "$@"; }}; {line}', "sh", *arguments], environment)
        return self

    def _start(self, program, arguments, environment):
        self.child = pexpect.spawn(
            program, arguments, timeout=LIMIT, cwd=HOME, dimensions=(50, 160), env={**ENVIRONMENT, **environment}
        )
        self.child.delaybeforesend = None
        self.output = b""

    def until(self, text):
        """Waits until the terminal shows `text`, and returns the output before it."""
        self.child.expect_exact(text)
        self.output += self.child.before + self.child.after
        return plain(self.child.before)

    def send(self, keys):
        self.child.send(keys)

    def answer(self, question, keys="\r"):
        """Waits for a question, and types an answer once the command reads keys."""
        self.until(question)
        # Before that, the terminal itself edits the line, and a backspace would not reach the command.
        deadline = time.monotonic() + LIMIT
        while termios.tcgetattr(self.child.fileno())[3] & termios.ICANON and time.monotonic() < deadline:
            time.sleep(0.01)
        self.send(keys)

    def interrupt(self):
        self.child.kill(signal.SIGINT)

    def end(self):
        """Waits until the command has ended, and returns its exit code and all of its output."""
        self.child.expect(pexpect.EOF)
        self.output += self.child.before
        self.child.close()
        assert self.child.exitstatus is not None, (self.child.signalstatus, self.output)
        return self.child.exitstatus, self.output


ESCAPE = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


def plain(output):
    """Returns the output without escape sequences for colors and cursor movement."""
    return ESCAPE.sub(b"", output).decode().replace("\r\n", "\n")
