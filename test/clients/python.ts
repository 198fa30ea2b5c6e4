/**
 * Python clients, driven by lines of JSON over stdin and stdout of python/driver.py: one line asks,
 * one answers. The environments are made once. Without Python the run says so; CI has it.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { makePython } from '../python/environment.ts'
import { isRecord, type TestedClient } from './agent.ts'

const DRIVER = fileURLToPath(new URL('./python/driver.py', import.meta.url))
const REQUIREMENTS = fileURLToPath(new URL('./python/requirements.txt', import.meta.url))
const STOP_MS = 3_000

export type PythonClients =
  | { readonly clients: readonly TestedClient[] }
  | { readonly missing: string }

/** mcp 1.22 uses the environment of test:py; mcp 2 and fastmcp share one of their own. */
export function pythonClients(): PythonClients {
  const old = makePython()
  if ('missing' in old) return old
  const now = pythonOfClients()
  if ('missing' in now) return now
  return {
    clients: [
      client(old.python, 'mcp1', { name: 'python mcp 1.22.0 http', revision: '2025-06-18' }),
      client(now.python, 'mcp2-auto', { name: 'python mcp 2.3.0 auto', revision: '2026-07-28' }),
      client(now.python, 'mcp2-legacy', {
        name: 'python mcp 2.3.0 legacy',
        revision: '2025-11-25',
      }),
      client(now.python, 'fastmcp-http', {
        name: 'python fastmcp 4.1.0 http',
        revision: '2026-07-28',
      }),
      client(now.python, 'fastmcp-sse', {
        name: 'python fastmcp 4.1.0 sse',
        revision: '2024-11-05',
      }),
    ],
  }
}

/** An environment with mcp 2 and fastmcp. */
export function pythonOfClients(): ReturnType<typeof makePython> {
  return makePython({ name: 'python-clients', requirements: REQUIREMENTS })
}

type Flavour = 'mcp1' | 'mcp2-auto' | 'mcp2-legacy' | 'fastmcp-http' | 'fastmcp-sse'
type Driver = ChildProcessByStdio<Writable, Readable, null>

function client(
  python: string,
  flavour: Flavour,
  about: Pick<TestedClient, 'name' | 'revision'>,
): TestedClient {
  return {
    ...about,
    hearsProgress: flavour !== 'fastmcp-sse',
    connect: async ({ sse, mcp, key }) => {
      const url = flavour === 'fastmcp-sse' ? sse : mcp
      const child = spawn(python, [DRIVER, flavour, url], {
        env: { ...process.env, SKILLGATE_KEY: key, FASTMCP_CHECK_FOR_UPDATES: 'off' },
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      process.once('exit', () => child.kill('SIGKILL'))
      const ask = asker(child)
      const { revision, changes } = await ask({ do: 'connect' })
      return {
        revision: String(revision),
        toolNames: async () => listOf(await ask({ do: 'list' }), 'names').map(String),
        call: async (name, args, onProgress) => {
          const answer = await ask({ do: 'call', name, args })
          for (let i = 0; i < Number(answer['progress']); i++) onProgress?.()
          return { text: String(answer['text']), isError: answer['isError'] === true }
        },
        changes:
          changes === true
            ? async () => Number((await ask({ do: 'changes' }))['count'])
            : undefined,
        close: () => end(child),
      }
    },
  }
}

type Answer = { readonly [name: string]: unknown }

/** One request at a time, in order. */
function asker(child: Driver): (question: object) => Promise<Answer> {
  const lines = createInterface({ input: child.stdout })
  const iterator = lines[Symbol.asyncIterator]()
  return async (question) => {
    child.stdin.write(`${JSON.stringify(question)}\n`)
    const answer = await nextAnswer(iterator)
    if (typeof answer['error'] === 'string') throw new Error(answer['error'])
    return answer
  }
}

async function nextAnswer(
  lines: ReturnType<Interface[typeof Symbol.asyncIterator]>,
): Promise<Answer> {
  const { value, done } = await lines.next()
  if (done === true) throw new Error('the driver ended')
  const answer: unknown = JSON.parse(value)
  if (!isRecord(answer)) throw new Error(`the driver said ${value}`)
  return answer
}

async function end(child: Driver): Promise<void> {
  if (child.exitCode !== null) return
  const patience = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  const exited = once(child, 'exit')
  child.stdin.end()
  await exited
  clearTimeout(patience)
}

function listOf(answer: Answer, name: string): readonly unknown[] {
  const list = answer[name]
  return Array.isArray(list) ? list : []
}
