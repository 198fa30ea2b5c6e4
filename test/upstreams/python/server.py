"""One MCP server in Python: `mcp` (the official SDK), `mcp1` (before 2026-07-28) or `fastmcp`, with the tools of the other
servers of this suite. It gets its flavour and prints its URL on one line.
"""

import socket
import sys
from typing import Annotated

import anyio
import uvicorn
from pydantic import BaseModel

FLAVOUR = sys.argv[1]


class Sum(BaseModel):
    sum: float


class Who(BaseModel):
    name: str


def official():
    from mcp.server.mcpserver import Context, MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.mcpserver.resolve import AcceptedElicitation, Elicit, ElicitationResult, Resolve

    server = MCPServer("python")

    @server.tool()
    async def steps(ctx: Context) -> str:
        for step in (1, 2, 3):
            await anyio.sleep(0.25)
            await ctx.report_progress(step, 3, f"step {step}")
        return "all steps"

    async def who() -> Elicit[Who]:
        return Elicit("Who are you?", Who)

    @server.tool()
    async def greet(answer: Annotated[ElicitationResult[Who], Resolve(who)]) -> str:
        name = answer.data.name if isinstance(answer, AcceptedElicitation) else None
        return f"{answer.action} {name}"

    return server, server.streamable_http_app, ToolError


def before_2026():
    from mcp.server.fastmcp import Context, FastMCP
    from mcp.server.fastmcp.exceptions import ToolError

    server = FastMCP("python1")

    @server.tool()
    async def steps(ctx: Context) -> str:
        for step in (1, 2, 3):
            await anyio.sleep(0.25)
            await ctx.report_progress(step, 3, f"step {step}")
        return "all steps"

    @server.tool()
    async def greet(ctx: Context) -> str:
        answer = await ctx.elicit("Who are you?", Who)
        return f"{answer.action} {answer.data.name if answer.action == 'accept' else None}"

    return server, server.streamable_http_app, ToolError


def fastmcp():
    from fastmcp import Context, FastMCP
    from fastmcp.exceptions import ToolError
    from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult

    server = FastMCP("fastmcp")

    @server.tool()
    async def steps(ctx: Context) -> str:
        for step in (1, 2, 3):
            await anyio.sleep(0.25)
            await ctx.report_progress(step, 3, f"step {step}")
        return "all steps"

    # Its ctx.elicit serves the revisions before 2026-07-28 alone.
    @server.tool()
    async def greet(ctx: Context) -> str | InputRequiredResult:
        answer = (ctx.input_responses or {}).get("who")
        if answer is not None:
            return f"{answer.action} {answer.content['name']}"
        form = ElicitRequestFormParams(
            message="Who are you?", requested_schema=Who.model_json_schema()
        )
        return InputRequiredResult(input_requests={"who": ElicitRequest(params=form)})

    return server, server.http_app, ToolError


def main():
    server, app, ToolError = {"mcp": official, "mcp1": before_2026, "fastmcp": fastmcp}[FLAVOUR]()

    @server.tool()
    async def add(a: float, b: float) -> Sum:
        return Sum(sum=a + b)

    @server.tool()
    async def fail() -> str:
        raise ToolError("no such city")

    @server.tool()
    async def wait() -> str:
        await anyio.sleep_forever()
        return "never"

    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    uvicorn.Server(uvicorn.Config(app(), log_level="error")).run(sockets=[listener])


main()
