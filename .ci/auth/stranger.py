"""Logs in with the official Python client, calls `whoami`, refreshes and revokes the token.

Usage: `stranger.py URL PERSON FILE`. PERSON is a program that logs in at a URL,
and FILE receives the URL of the last redirect.
"""

import asyncio
import os
import sys
from urllib.parse import parse_qs, urlparse

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

URL, PERSON, FILE = sys.argv[1:]
REDIRECT = "http://127.0.0.1:9/callback"


class Memory:
    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


visits = 0


async def visit(url):
    global visits
    visits += 1
    person = await asyncio.create_subprocess_exec(
        PERSON, url, env={**os.environ, "UNTIL": REDIRECT, "LAST_PAGE": FILE}
    )
    assert await person.wait() == 0


async def answered():
    query = parse_qs(urlparse(open(FILE).read()).query)
    values = {name: query[name][0] for name in ("code", "state", "iss")}
    return AuthorizationCodeResult(**values)


async def main():
    memory = Memory()
    metadata = OAuthClientMetadata(client_name="a python stranger", redirect_uris=[REDIRECT])
    auth = OAuthClientProvider(URL, metadata, memory, visit, answered)
    async with httpx2.AsyncClient(auth=auth, trust_env=False) as http:
        async with Client(streamable_http_client(URL, http_client=http)) as client:
            result = await client.call_tool("whoami", {})
            print(result.content[0].text)
            first = memory.tokens
            # Pretend that the access token has expired.
            auth.context.token_expiry_time = 1
            await client.call_tool("whoami", {})
    assert memory.tokens.access_token != first.access_token
    assert memory.tokens.refresh_token != first.refresh_token
    assert visits == 1, visits
    await revoke(str(auth.context.oauth_metadata.revocation_endpoint), memory)


async def revoke(endpoint, memory):
    """Revokes the refresh token without the client, which does not support revocation."""
    form = {"token": memory.tokens.refresh_token, "client_id": memory.client.client_id}
    headers = {"authorization": f"Bearer {memory.tokens.access_token}"}
    async with httpx2.AsyncClient(trust_env=False) as http:
        before = await http.post(URL, headers=headers)
        revoked = await http.post(endpoint, data=form)
        after = await http.post(URL, headers=headers)
    found = (before.status_code, revoked.status_code, after.status_code)
    assert before.status_code != 401 and found[1:] == (200, 401), found


asyncio.run(main())
