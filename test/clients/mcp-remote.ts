/**
 * `mcp-remote`, the proxy for programs that can only start other programs: a process of its own,
 * driven over stdin and stdout by the official SDK, as Claude Desktop does.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { TestedClient } from './agent.ts'
import { connectV1 } from './sdk-v1.ts'

export function mcpRemoteClients(packages: string): readonly TestedClient[] {
  return [client(packages, 'sse'), client(packages, 'http')]
}

function client(packages: string, transport: 'sse' | 'http'): TestedClient {
  return {
    name: `mcp-remote 0.15.1 ${transport}`,
    // The proxy's own negotiation with us is not visible here.
    revision: undefined,
    hearsProgress: transport === 'http',
    connect: async ({ sse, mcp, key }) => {
      // The folder for tokens, if there were any: never the home of the person who runs this.
      const folder = mkdtempSync(join(tmpdir(), 'mcp-remote-'))
      const entry = join(packages, 'node_modules/mcp-remote/dist/proxy.js')
      const url = transport === 'sse' ? sse : mcp
      const how = ['--transport', `${transport}-only`, '--silent']
      // biome-ignore lint/suspicious/noTemplateCurlyInString: mcp-remote fills it from its environment.
      const header = 'Authorization:${AUTH_HEADER}'
      const stdio = new StdioClientTransport({
        command: process.execPath,
        args: [entry, url, ...how, '--header', header],
        env: { AUTH_HEADER: `Bearer ${key}`, MCP_REMOTE_CONFIG_DIR: folder, HOME: folder },
        stderr: 'ignore',
      })
      const removeFolder = () => rmSync(folder, { recursive: true, force: true })
      const agent = await connectV1(stdio).catch((cause: unknown) => {
        removeFolder()
        throw cause
      })
      const close = async () => {
        await agent.close()
        removeFolder()
      }
      const { callOnce: _, ...overSse } = agent
      // Over HTTP+SSE answers come over a stream, whose end takes the call back.
      if (transport === 'sse') return { ...overSse, close, revision: undefined }
      return { ...agent, changes: undefined, close, revision: undefined }
    },
  }
}
