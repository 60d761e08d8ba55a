"""Reads the skills of our server with other clients, and the skills of other servers with our client.

skills.py OURS RMCP NODE INSPECTOR
"""

import base64
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote

import tree
from serving import serving

OURS, RMCP, NODE, INSPECTOR = sys.argv[1:]
HERE = Path(__file__).parent
REVISIONS = "2025-11-25", "2026-07-28"
NEWEST = REVISIONS[-1]

CLIENTS = {
    "TypeScript": (NODE, str(HERE / "client.mjs"), "{url}", "{revision}"),
    "rmcp": (RMCP, "read", "{url}", "{revision}"),
    "FastMCP": (sys.executable, str(HERE / "client.py"), "{url}", "{revision}"),
}
SERVERS = {
    "TypeScript": (NODE, str(HERE / "server.mjs"), "{folder}", "{port}", "{revision}"),
    "rmcp": (RMCP, "serve", "{folder}", "{port}", "{revision}"),
    "FastMCP": (sys.executable, str(HERE / "server.py"), "{folder}", "{port}"),
}


def run(*command, **values):
    command = [part.format(**values) for part in command]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def output(*command, **values):
    ran = run(*command, **values)
    assert ran.returncode == 0, f"{ran.args}\n{ran.stdout}{ran.stderr}"
    return ran.stdout


def same(seen, expected):
    """Fails with the first difference."""
    for uri in sorted({*seen, *expected}):
        for part in "frontmatter", "files", "tree":
            left, right = (each.get(uri, {}).get(part) for each in (seen, expected))
            assert left == right, f"{part} of {uri}:\n{left}\n{right}"
    assert seen == expected


def others_read_ours(url):
    for revision in REVISIONS:
        for name, command in CLIENTS.items():
            if name == "FastMCP" and revision != NEWEST:
                continue  # It has no skills in older revisions.
            seen = json.loads(output(*command, url=url, revision=revision))
            same(tree.plain(seen), tree.expected(directories=name != "FastMCP"))
            print(f"{name} reads ours in {revision}: ok")
        inspect(url, revision)


def inspect(url, revision):
    era = "legacy" if revision == REVISIONS[0] else "modern"
    options = "--protocol-era", era, "--format", "json", "--method", "skills/list", "--verify", "--require-digests"
    reports = [json.loads(line) for line in output(NODE, INSPECTOR, "--cli", url, *options).splitlines()]
    seen = {
        report["uri"]: (report["outcome"], report["conformance"], report["frontmatter"], len(report["files"]))
        for report in reports
    }
    expected = {uri: ("verified", [], [], len(skill["files"])) for uri, skill in tree.expected().items()}
    assert seen == expected, reports
    assert all(file["status"] == "verified" for report in reports for file in report["files"]), reports
    print(f"the Inspector verifies ours in {revision}: ok")


def ours_reads_others(name, url, skills, revision):
    directories = name != "FastMCP"
    expected = tree.expected(skills, directories)
    listed = run(OURS, "list", url)
    seen = [tuple(line.split("\t")) for line in listed.stdout.splitlines()]
    wanted = [
        (uri, f"{len(skill['files'])} files", skill["frontmatter"]["description"]) for uri, skill in expected.items()
    ]
    assert sorted(seen) == sorted(wanted) and not listed.stderr, listed
    for uri, skill in expected.items():
        root = uri.removesuffix("SKILL.md")
        for file, content in skill["files"].items():
            assert read(url, uri, file.removeprefix(root)) == base64.b64decode(content), file
        refused = run(OURS, "read", url, uri, "unlisted.md")
        assert refused.returncode == 1 and not refused.stdout and "unlisted.md" in refused.stderr, refused
        if directories:
            seen = directory(url, root.removesuffix("/"))
            assert seen == skill["tree"], seen
    print(f"ours reads {name} in {revision}: ok")


def read(url, skill, reference):
    arguments = [] if reference == "SKILL.md" else [reference]
    ran = subprocess.run([OURS, "read", url, skill, *arguments], capture_output=True, timeout=60)
    assert ran.returncode == 0, ran
    return ran.stdout


def directory(url, uri):
    """Returns the tree of a directory."""
    seen = {}
    for line in output(OURS, "directory", url, uri).splitlines():
        child, media_type = line.split("\t")
        name = unquote(child.removeprefix(f"{uri}/"))
        seen[name] = directory(url, child) if media_type == "inode/directory" else None
    return seen


with tempfile.TemporaryDirectory() as temporary:
    folder = Path(temporary)
    tree.write(folder)
    with serving((OURS, "{folder}", "127.0.0.1:{port}"), folder=folder) as url:
        others_read_ours(url)
    # FastMCP serves hidden files.
    (folder / tree.HIDDEN).unlink()
    for name, command in SERVERS.items():
        # FastMCP does not list nested skills, and has no skills in older revisions.
        skills = [it for it in tree.FRONT_MATTER if name != "FastMCP" or it != tree.NESTED]
        for revision in REVISIONS if name != "FastMCP" else [NEWEST]:
            with serving(command, folder=folder, revision=revision) as url:
                ours_reads_others(name, url, skills, revision)
