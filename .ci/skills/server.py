"""Serves a folder of skills with FastMCP: `server.py FOLDER PORT`."""

import sys

from fastmcp import FastMCP
from fastmcp.skills.provider import SkillsDirectoryProvider

folder, port = sys.argv[1:]
mcp = FastMCP("skills", list_page_size=1)
mcp.add_provider(SkillsDirectoryProvider(folder))
mcp.run(transport="http", host="127.0.0.1", port=int(port))
