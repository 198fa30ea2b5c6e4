"""One Python client, driven by lines of JSON: what stands on stdin is asked, one line answers.

Takes a flavour (mcp1, mcp2-auto, mcp2-legacy, fastmcp-http, fastmcp-sse) and a URL; the key comes in
SKILLGATE_KEY. It judges nothing: the checks are the runner's.
"""

import json
import os
import sys
from contextlib import AsyncExitStack, asynccontextmanager

import anyio
from anyio import to_thread

FLAVOUR, URL = sys.argv[1:3]
HEADERS = {"Authorization": f"Bearer {os.environ['SKILLGATE_KEY']}"}


class Driven:
    """What the runner can ask for. `changes` is None where nothing could bring news of one."""

    def __init__(self):
        self.revision = None
        self.changes = None
        self.progress = 0

    async def heard_progress(self, *_):
        self.progress += 1


def text_of(content):
    return "".join(getattr(block, "text", "") for block in content)


@asynccontextmanager
async def mcp1():
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    driven = Driven()
    async with streamablehttp_client(URL, headers=HEADERS) as (read, write, _):
        async with ClientSession(read, write) as session:
            result = await session.initialize()
            driven.revision = result.protocolVersion

            async def names():
                return [tool.name for tool in (await session.list_tools()).tools]

            async def call(name, args):
                result = await session.call_tool(name, args, progress_callback=driven.heard_progress)
                return text_of(result.content), bool(result.isError)

            driven.names, driven.call = names, call
            yield driven


@asynccontextmanager
async def mcp2(mode):
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    driven = Driven()
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(httpx2.AsyncClient(headers=HEADERS, timeout=30))
        transport = streamable_http_client(URL, http_client=http)
        client = await stack.enter_async_context(Client(transport, mode=mode))
        driven.revision = client.protocol_version
        if mode == "auto":
            await listen(stack, client, driven)

        async def names():
            return [tool.name for tool in (await client.list_tools()).tools]

        async def call(name, args):
            result = await client.call_tool(name, args, progress_callback=driven.heard_progress)
            return text_of(result.content), bool(result.is_error)

        driven.names, driven.call = names, call
        yield driven


async def listen(stack, client, driven):
    """Opens subscriptions/listen and counts what it tells of."""
    driven.changes = 0
    subscription = await stack.enter_async_context(client.listen(tools_list_changed=True))
    group = await stack.enter_async_context(anyio.create_task_group())
    stack.callback(group.cancel_scope.cancel)

    async def count():
        async for _ in subscription:
            driven.changes += 1

    group.start_soon(count)


@asynccontextmanager
async def fastmcp(kind):
    from fastmcp import Client
    from fastmcp.client.messages import MessageHandler
    from fastmcp.client.transports import SSETransport, StreamableHttpTransport

    driven = Driven()

    class News(MessageHandler):
        async def on_tool_list_changed(self, message):
            driven.changes += 1

    if kind == "sse":
        driven.changes = 0
    transport = (SSETransport if kind == "sse" else StreamableHttpTransport)(URL, headers=HEADERS)
    async def not_shown(_):
        pass

    async with Client(transport, message_handler=News(), log_handler=not_shown) as client:
        driven.revision = client.protocol_version

        async def names():
            return [tool.name for tool in await client.list_tools()]

        async def call(name, args):
            how = {"raise_on_error": False, "progress_handler": driven.heard_progress}
            result = await client.call_tool(name, args, **how)
            return text_of(result.content), bool(result.is_error)

        driven.names, driven.call = names, call
        yield driven


FLAVOURS = {
    "mcp1": mcp1,
    "mcp2-auto": lambda: mcp2("auto"),
    "mcp2-legacy": lambda: mcp2("legacy"),
    "fastmcp-http": lambda: fastmcp("http"),
    "fastmcp-sse": lambda: fastmcp("sse"),
}


async def answer(driven, question):
    match question["do"]:
        case "connect":
            return {"revision": driven.revision, "changes": driven.changes is not None}
        case "list":
            return {"names": await driven.names()}
        case "call":
            driven.progress = 0
            text, is_error = await driven.call(question["name"], question["args"])
            return {"text": text, "isError": is_error, "progress": driven.progress}
        case "changes":
            return {"count": driven.changes}


def say(line):
    print(json.dumps(line), flush=True)


async def main():
    async with FLAVOURS[FLAVOUR]() as driven:
        while line := await to_thread.run_sync(sys.stdin.readline):
            try:
                say(await answer(driven, json.loads(line)))
            except Exception as cause:  # any way to fail is the runner's to judge
                say({"error": f"{type(cause).__name__}: {cause}"})


try:
    anyio.run(main)
except BaseException as cause:
    say({"error": f"could not connect, or ended badly: {cause!r}"})
