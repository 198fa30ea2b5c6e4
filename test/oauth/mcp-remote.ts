/**
 * `mcp-remote` without a key: it prints the page of the login, and listens for the person's browser on a port of
 * this machine.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { connectV1 } from '../clients/sdk-v1.ts'
import type { LoginClient, Person } from './agent.ts'

export function mcpRemote(packages: string): LoginClient {
  return {
    name: 'mcp-remote 0.15.1',
    stepUp: 'logs in',
    connect: async ({ mcp, person }) => {
      const folder = mkdtempSync(join(tmpdir(), 'mcp-remote-'))
      const removeFolder = () => rmSync(folder, { recursive: true, force: true })
      const entry = join(packages, 'node_modules/mcp-remote/dist/proxy.js')
      const stdio = new StdioClientTransport({
        command: process.execPath,
        args: [entry, mcp, '--transport', 'http-only'],
        // Without programs on the PATH it opens no browser of the person who runs this.
        env: { MCP_REMOTE_CONFIG_DIR: folder, HOME: folder, PATH: folder },
        stderr: 'pipe',
      })
      const login = new AbortController()
      if (stdio.stderr instanceof Readable) openPages(stdio.stderr, person, login)
      const refused = new Promise<never>((_, reject) => {
        login.signal.addEventListener('abort', () => reject(login.signal.reason))
      })
      refused.catch(() => {})
      const agent = await Promise.race([connectV1(stdio), refused]).catch(
        async (cause: unknown) => {
          await stdio.close()
          removeFolder()
          throw cause
        },
      )
      return {
        toolNames: agent.toolNames,
        call: (name, args) => Promise.race([agent.call(name, args), refused]),
        close: async () => {
          await agent.close()
          removeFolder()
        },
      }
    },
  }
}

const LISTENS_NO_MORE = /Proxy established successfully|Re-authorized with the remote server/

/**
 * Brings each page that the proxy prints to the person, and what the browser brings back to the proxy. A person
 * takes longer than the proxy, which in the middle of a session prints the page before it listens.
 */
function openPages(stderr: Readable, person: Person, login: AbortController): void {
  let listening = Promise.withResolvers<void>()
  createInterface({ input: stderr }).on('line', (line) => {
    if (line.includes('is running the sign-in for this server (callback port')) listening.resolve()
    if (LISTENS_NO_MORE.test(line)) listening = Promise.withResolvers()
    if (!/^https?:\/\/\S+\/auth\S*\?\S*response_type=code/.test(line)) return
    person(new URL(line))
      .then(async (callback) => {
        await listening.promise
        await fetch(callback)
      })
      .catch((cause: unknown) => login.abort(cause))
  })
}
