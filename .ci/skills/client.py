"""Prints all skills of a server as JSON, with FastMCP: `client.py URL`. FastMCP has no directories, and supports the
extension only in 2026-07-28."""

import asyncio
import base64
import json
import sys

from fastmcp import Client
from fastmcp.skills import SkillsClientExtension


async def read(url):
    seen = {}
    async with Client(url, extensions=[SkillsClientExtension()]) as client:
        assert client.protocol_version == "2026-07-28", client.protocol_version
        for entry in await client.list_skills():
            assert await client.get_skill(entry.uri) == entry
            skill = await client.read_skill(entry.uri)
            files = {
                f"{entry.uri.removesuffix('SKILL.md')}{path}": base64.b64encode(content).decode()
                for path, content in skill.files.items()
            }
            seen[entry.uri] = {"frontmatter": entry.frontmatter.root, "files": files, "tree": None}
    print(json.dumps(seen))


asyncio.run(read(sys.argv[1]))
