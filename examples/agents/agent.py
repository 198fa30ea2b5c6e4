"""An agent by the official SDK (`pip install mcp`): lists the tools, calls one, and prints its answer.

agent.py TOOL JSON
"""

import asyncio
import json
import os
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

URL = os.environ.get("SKILLGATE_MCP_URL", "http://127.0.0.1:8787/mcp")
HEADERS = {"Authorization": f"Bearer {os.environ['SKILLGATE_KEY']}"}


async def main(name, arguments):
    async with streamablehttp_client(URL, headers=HEADERS) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            print("tools:", ", ".join(tool.name for tool in tools))
            # A tool that fails is a result with isError; its text says why, and that the credits are back.
            result = await session.call_tool(name, arguments)
            print("failed:" if result.isError else "answer:", result.content[0].text)


asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
