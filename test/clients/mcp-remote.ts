/**
 * `mcp-remote`, through which programs that only start other programs reach us: its proxy as a
 * process of its own, driven over stdin and stdout by the official SDK, as Claude Desktop does it.
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
    // What it negotiated with us is its own affair.
    revision: undefined,
    hearsProgress: transport === 'http',
    connect: async ({ sse, mcp, key }) => {
      // Where it would keep tokens, were there any: never in the home of who runs this.
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
      const changes = transport === 'sse' ? agent.changes : undefined
      return { ...agent, changes, close, revision: undefined }
    },
  }
}
