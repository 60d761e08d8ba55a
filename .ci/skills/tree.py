"""A folder of skills, and what a client must see of it."""

import base64
from urllib.parse import unquote

PDF = """---
name: pdf-processing
description: Fills in PDF forms, ask for größe first
license: Apache-2.0
compatibility: needs Python
metadata:
  version: "2.10"
tags: [pdf, "forms"]
level: 3
ratio: 1.5
draft: false
note: |
  Two lines,
  both kept.
last: end
---

Read references/FORMS.md.
"""
BILLING = "---\r\nname: billing\r\ndescription: Bills\r\n---\r\nSee refunds/SKILL.md.\r\n"
REFUNDS = "---\nname: refunds\ndescription: Refunds\n---\n"

FILES = {
    "pdf-processing/SKILL.md": PDF.encode(),
    "pdf-processing/references/FORMS.md": "\ufeffForms\r\n".encode(),
    "pdf-processing/assets/logo.png": bytes(range(256)),
    "pdf-processing/assets/Q&A, größe 100%.txt": b"a\0b",
    "pdf-processing/[id].md": b"name\n",
    "pdf-processing/scripts/deep/fill.py": b"print('filled')\n",
    "pdf-processing/empty.txt": b"",
    "acme/billing/SKILL.md": BILLING.encode(),
    "acme/billing/refunds/SKILL.md": REFUNDS.encode(),
    "acme/billing/refunds/examples/email.md": "Dear customer,\n".encode(),
}
FRONT_MATTER = {
    "pdf-processing": {
        "name": "pdf-processing",
        "description": "Fills in PDF forms, ask for größe first",
        "license": "Apache-2.0",
        "compatibility": "needs Python",
        "metadata": {"version": "2.10"},
        "tags": ["pdf", "forms"],
        "level": 3,
        "ratio": 1.5,
        "draft": False,
        "note": "Two lines,\nboth kept.\n",
        "last": "end",
    },
    "acme/billing": {"name": "billing", "description": "Bills"},
    "acme/billing/refunds": {"name": "refunds", "description": "Refunds"},
}
NESTED = "acme/billing/refunds"
HIDDEN = "pdf-processing/.env"


def write(folder):
    """Writes the files, and files that must not be served."""
    for path, content in {**FILES, HIDDEN: b"KEY=1\n", "readme.md": b"no skill\n"}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def expected(skills=tuple(FRONT_MATTER), directories=True):
    """What a client sees: for each skill, its front matter, its files in base64, and its tree. In a tree, a directory
    has its children, and a file has `None`."""
    return {
        f"skill://{skill}/SKILL.md": {
            "frontmatter": FRONT_MATTER[skill],
            "files": {
                f"skill://{path}": base64.b64encode(content).decode()
                for path, content in FILES.items()
                if path.startswith(f"{skill}/")
            },
            "tree": _tree(skill) if directories else None,
        }
        for skill in skills
    }


def _tree(skill):
    root = {}
    for path in FILES:
        if path.startswith(f"{skill}/"):
            *folders, name = path.removeprefix(f"{skill}/").split("/")
            place = root
            for folder in folders:
                place = place.setdefault(folder, {})
            place[name] = None
    return root


def plain(seen):
    """Decodes the URIs of files, whose escapes differ between servers."""
    for skill in seen.values():
        skill["files"] = {unquote(uri): content for uri, content in skill["files"].items()}
        skill["tree"] = _plain(skill["tree"])
    return seen


def _plain(children):
    return children and {unquote(name): _plain(below) for name, below in children.items()}
