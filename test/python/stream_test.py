"""The stream as the Python client `mcp` 1.22 reads it: sse_client and ClientSession, unchanged.

Takes the URL of the stream, a key, the name of a tool whose upstream fails, and an unknown
key. Prints one line for each check, `ok …` or `not ok …`, and nothing is skipped: a check that
cannot run because an earlier one failed is `not ok` too.
"""

import json
import logging
import sys
from contextlib import asynccontextmanager

import anyio
import httpx
from mcp import ClientSession
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamablehttp_client
from mcp.shared.exceptions import McpError

SSE, KEY, FAILING_TOOL, UNKNOWN_KEY, LOSES_SENT, LOSES_BEGUN = sys.argv[1:7]
# An unreadable first block hangs this client at connect, for ever.
CONNECT_SEC_MAX = 5
STEP_SEC_MAX = 60
# A client that hears nothing of a broken connection is left then.
LOST_SEC_MAX = 5
WEATHER_PRICE = 0.5
# Two heartbeats and a margin.
QUIET_SEC = 12


class Puzzled(logging.Handler):
    """Keeps the client's log lines about a stream that it cannot read."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


def check_that(holds, what):
    if not holds:
        raise AssertionError(what)


async def run(name, step, sec_max=STEP_SEC_MAX):
    try:
        with anyio.fail_after(sec_max):
            await step()
    except Exception as cause:  # every failure counts alike: it is printed, and the next check runs
        print(f"not ok {name}: {type(cause).__name__}: {cause}".replace("\n", " "), flush=True)
    else:
        print(f"ok {name}", flush=True)


@asynccontextmanager
async def connected(key):
    async with sse_client(SSE, headers={"Authorization": f"Bearer {key}"}) as (read, write):
        async with ClientSession(read, write) as session:
            yield session


def text_of(result):
    return "".join(block.text for block in result.content if block.type == "text")


async def session_steps(session):
    async def initializes():
        result = await session.initialize()
        check_that(result.protocolVersion == "2024-11-05", f"version {result.protocolVersion}")
        check_that(result.serverInfo.name == "skillgate", f"server {result.serverInfo.name}")
        check_that(result.capabilities.tools.listChanged is True, "no tools.listChanged")

    async def lists():
        names = [tool.name for tool in (await session.list_tools()).tools]
        expected = {"sg_account", "sg_echo", FAILING_TOOL, "sg_slow", "sg_weather"}
        check_that(expected <= set(names), f"listed {names}")
        check_that(len(names) == len(set(names)), f"listed twice: {names}")

    async def calls():
        result = await session.call_tool("sg_weather", {"city": "Oslo"})
        check_that(result.isError is False, f"isError {result.isError}")
        check_that(json.loads(text_of(result))["city"] == "Oslo", text_of(result))

    async def fails():
        result = await session.call_tool(FAILING_TOOL, {})
        check_that(result.isError is True, f"isError {result.isError}")
        check_that("refunded" in text_of(result), text_of(result))

    async def refuses_unknown():
        try:
            await session.call_tool("sg_nothing", {})
        except McpError as error:
            check_that(error.error.code == -32602, f"code {error.error.code}")
        else:
            raise AssertionError("an unknown tool was called")

    async def calls_at_once():
        seen = {}

        async def one(number):
            result = await session.call_tool("sg_echo", {"text": f"<{number}>"})
            seen[number] = text_of(result)

        async with anyio.create_task_group() as group:
            for number in range(10):
                group.start_soon(one, number)
        wrong = [number for number in range(10) if f"<{number}>" not in seen[number]]
        check_that(wrong == [], f"wrong replies for {wrong}")

    async def stays():
        await anyio.sleep(QUIET_SEC)
        result = await session.call_tool("sg_echo", {"text": "still here"})
        check_that("still here" in text_of(result), text_of(result))

    async def pings():
        await session.send_ping()

    await run("initialize gives the version of the protocol", initializes)
    await run("the list has every tool", lists)
    await run("a call is answered", calls)
    await run("a call whose upstream fails is an error result", fails)
    await run("an unknown tool is the error -32602", refuses_unknown)
    await run("ten calls at once get a reply each", calls_at_once)
    await run("a ping is answered", pings)
    await run(f"the stream is there after {QUIET_SEC} s of heartbeats", stays, QUIET_SEC + STEP_SEC_MAX)


async def connects():
    """Returns after the steps of the session, so that their lines precede the others."""
    entered = False
    with anyio.move_on_after(CONNECT_SEC_MAX) as patience:
        async with connected(KEY) as session:
            entered = True
            patience.deadline = float("inf")
            print("ok the client connects", flush=True)
            await session_steps(session)
    if not entered:
        print(f"not ok the client connects: nothing within {CONNECT_SEC_MAX} s", flush=True)


async def refuses_wrong_key():
    try:
        async with connected(UNKNOWN_KEY):
            raise AssertionError("an unknown key connected")
    except BaseExceptionGroup as group:
        statuses = [
            cause.response.status_code
            for cause in leaves(group)
            if isinstance(cause, httpx.HTTPStatusError)
        ]
        check_that(statuses == [401], f"ended with {leaves(group)}")


async def account(session):
    """The credits that the key's user has left."""
    result = await session.call_tool("sg_account", {})
    return json.loads(text_of(result))["credits"]


async def call_once(url, name, key):
    """One call in a session of its own, whose requests all have the key in their header."""
    headers = {"Authorization": f"Bearer {KEY}", "Idempotency-Key": key}
    async with streamablehttp_client(url, headers=headers) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            before = await account(session)
            result = await session.call_tool(name, {"city": "Oslo"})
            return result, before - await account(session)


def paid_once(url, name, key):
    async def pays():
        async with connected(KEY) as session:
            await session.initialize()
            before = await account(session)
        with anyio.move_on_after(LOST_SEC_MAX):
            try:
                await call_once(url, name, key)
            except BaseExceptionGroup:
                pass  # a broken connection ends this client
            else:
                raise AssertionError("the answer was not lost")
        result, _ = await call_once(url, name, key)
        check_that(json.loads(text_of(result))["city"] == "Oslo", text_of(result))
        again, paid = await call_once(url, name, key)
        check_that(again.meta["skillgate/replayed"] is True, f"_meta {again.meta}")
        check_that(paid == 0, f"paid {paid} for a repeat")
        async with connected(KEY) as session:
            await session.initialize()
            paid = before - await account(session)
        check_that(paid == WEATHER_PRICE, f"paid {paid}")

    return pays


def leaves(group):
    found = []
    for cause in group.exceptions:
        found.extend(leaves(cause) if isinstance(cause, BaseExceptionGroup) else [cause])
    return found


async def main():
    puzzled = Puzzled()
    logging.getLogger().addHandler(puzzled)
    try:
        await connects()
    except BaseException as cause:
        print(f"not ok the session ends without a fault: {cause!r}".replace("\n", " "), flush=True)

    async def understands():
        check_that(puzzled.lines == [], "; ".join(puzzled.lines))

    await run("nothing on the stream puzzles the client", understands)
    await run("a wrong key is refused with 401", refuses_wrong_key)
    for url, when in ((LOSES_SENT, "request is sent"), (LOSES_BEGUN, "answer begins")):
        name = f"a call with a key that is lost when its {when} is paid once"
        await run(name, paid_once(url, "sg_weather", f"lost-{when}".replace(" ", "-")), 30)


anyio.run(main)
