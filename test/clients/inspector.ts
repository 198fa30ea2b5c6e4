/** The MCP Inspector's command line: one process per request, which prints the answer as JSON. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRecord, type TestedClient, textOf } from './agent.ts'

const ENTRY = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js'
const ASK_MS_MAX = 100_000

export function inspectorClients(packages: string): readonly TestedClient[] {
  return [client(packages, 'sse'), client(packages, 'http')]
}

function client(packages: string, transport: 'sse' | 'http'): TestedClient {
  return {
    name: `inspector cli 2.12.0 ${transport}`,
    revision: undefined,
    hearsProgress: false,
    connect: async ({ sse, mcp, key }) => {
      const home = mkdtempSync(join(tmpdir(), 'inspector-'))
      const target = [transport === 'sse' ? sse : mcp, '--transport', transport]
      const common = [...target, '--header', `Authorization: Bearer ${key}`]
      const ask = (words: readonly string[]) =>
        askOnce([join(packages, ENTRY), '--cli', ...common, '--method', ...words], home)
      return {
        revision: undefined,
        toolNames: async () => listOf(await ask(['tools/list']), 'tools').map(nameOf),
        call: async (name, args) => {
          const pairs = Object.entries(args).flatMap(([key, value]) => [
            '--tool-arg',
            `${key}=${value}`,
          ])
          const result = await ask(['tools/call', '--tool-name', name, ...pairs])
          return { text: textOf(listOf(result, 'content')), isError: result['isError'] === true }
        },
        // It has exited before any change.
        changes: undefined,
        close: async () => rmSync(home, { recursive: true, force: true }),
      }
    },
  }
}

type Fields = { readonly [name: string]: unknown }

/** Its output; an error result has an exit code of its own, and is printed all the same. */
async function askOnce(words: readonly string[], home: string): Promise<Fields> {
  const child = spawn(process.execPath, words, {
    env: { PATH: process.env['PATH'], HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: ASK_MS_MAX,
    killSignal: 'SIGKILL',
  })
  let printed = ''
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8')
  })
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8')
  })
  await once(child, 'close')
  // After an error result it prints a second document that says so.
  const [first = ''] = printed.split(/\n(?=\{"error")/)
  try {
    const value: unknown = JSON.parse(first)
    if (isRecord(value)) return value
  } catch {
    // The message below quotes its other output.
  }
  throw new Error(
    `inspector ended with ${child.exitCode ?? child.signalCode}: ${printed} ${output}`,
  )
}

function listOf(result: Fields, name: string): readonly unknown[] {
  const list = result[name]
  return Array.isArray(list) ? list : []
}

function nameOf(tool: unknown): string {
  return isRecord(tool) ? String(tool['name']) : ''
}
