"""The official Python client with its own OAuth client, driven by lines of JSON.

Takes a URL. A line on stdin asks; a line on stdout answers. In between, {"open": URL} asks for the person's
browser, and the next line on stdin is {"callback": URL} or {"refused": true}. It judges nothing.
"""

import json
import logging
import sys
import time
from urllib.parse import parse_qs, urlparse

import anyio
import httpx2
from anyio import to_thread
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

URL, CALLBACK = sys.argv[1:3]
# A refused login is what the runner waits for; its traceback tells nobody anything.
logging.disable(logging.CRITICAL)


class Memory:
    tokens = None
    client_info = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client_info

    async def set_client_info(self, client_info):
        self.client_info = client_info


def say(line):
    print(json.dumps(line), flush=True)


async def hear():
    line = await to_thread.run_sync(sys.stdin.readline)
    return json.loads(line) if line else None


async def open_page(url):
    say({"open": url})


async def await_callback():
    heard = await hear()
    if heard is None or "callback" not in heard:
        raise RuntimeError("the person did not log in")
    query = parse_qs(urlparse(heard["callback"]).query)
    first = {name: values[0] for name, values in query.items()}
    return AuthorizationCodeResult(code=first["code"], state=first.get("state"), iss=first.get("iss"))


def text_of(content):
    return "".join(getattr(block, "text", "") for block in content)


async def answer(client, provider, question):
    match question["do"]:
        case "list":
            return {"names": [tool.name for tool in (await client.list_tools()).tools]}
        case "call":
            result = await client.call_tool(question["name"], question["args"])
            return {"text": text_of(result.content), "isError": bool(result.is_error)}
        case "expire":
            provider.context.token_expiry_time = time.time() - 1
            return {}


async def main():
    metadata = OAuthClientMetadata(client_name="Python", redirect_uris=[CALLBACK])
    provider = OAuthClientProvider(URL, metadata, Memory(), open_page, await_callback)
    async with httpx2.AsyncClient(auth=provider, timeout=30) as http:
        async with Client(streamable_http_client(URL, http_client=http), mode="auto") as client:
            say({"connected": True})
            while question := await hear():
                try:
                    say(await answer(client, provider, question))
                except Exception as cause:  # any way to fail is the runner's to judge
                    say({"error": f"{type(cause).__name__}: {cause}"})


try:
    anyio.run(main)
except BaseException as cause:
    say({"error": f"could not connect, or ended badly: {cause!r}"})
