"""Checks that what a command names exists: packages, programs, folders, features, subcommands, flags."""

import functools
import json
import os
import re
import shlex
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEBUG = ROOT / "target/debug"
HERE = "/path/to/this/repository"
CARGO = os.environ.get("REAL_CARGO", "cargo")


@functools.cache
def packages(*folders):
    """Returns the packages of the workspaces in the folders."""
    command = [CARGO, "metadata", "--no-deps", "--offline", "--format-version=1"]
    found = [json.loads(subprocess.check_output(command, cwd=folder)) for folder in folders]
    return [package for workspace in found for package in workspace["packages"]]


@functools.cache
def help_of(*command):
    run = subprocess.run([*command, "--help"], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, f"`--help` fails: {run.stderr}"
    return run.stdout


def check(command):
    words = shlex.split(command, comments=True)
    words = words[: words.index("--")] if "--" in words else words
    flags = [word.split("=")[0] for word in words if word.startswith("-")]
    first = next((at for at, word in enumerate(words) if word.startswith("-")), len(words))
    if words[0] == "mcp":
        check_flags(flags, DEBUG / "mcp", *words[1:2])
    elif words[:2] == ["cargo", "xtask"]:
        check_flags(flags, DEBUG / "xtask", *words[2:first])
    elif words[0] == "cargo":
        check_cargo({flag: words[words.index(flag) + 1] for flag in flags if flag in words[:-1]}, words)
    elif words[0].startswith(".ci/"):
        assert os.access(ROOT / words[0], os.X_OK), "there is no such script"


def check_flags(flags, *program):
    text = help_of(*program)
    for flag in flags:
        assert re.search(rf"(^|[\s,]){flag}(?![\w-])", text), f"there is no flag `{flag}`"


def check_cargo(options, words):
    known = packages(ROOT, ROOT / "benches")
    named = [package for package in known if package["name"] == options.get("-p")]
    assert named or "-p" not in options, f"there is no package `{options['-p']}`"
    programs = [target["name"] for package in named for target in package["targets"] if "bin" in target["kind"]]
    for before, word in zip(words, words[1:]):
        assert before != "--bin" or word in programs, f"there is no program `{word}`"
    if folder := options.get("--path"):
        manifest = ROOT / folder.replace(HERE, str(ROOT)) / "Cargo.toml"
        features = [package["features"] for package in known if package["manifest_path"] == str(manifest)]
        assert features, f"there is no package in `{folder}`"
        unknown = set(options.get("--features", "").split(",")) - {"", *features[0]}
        assert not unknown, f"there are no features {unknown}"
    if profile := options.get("--profile"):
        assert f"[profile.{profile}]" in (ROOT / "Cargo.toml").read_text(), f"there is no profile `{profile}`"
