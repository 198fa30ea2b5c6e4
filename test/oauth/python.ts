/** The official Python client: driver.py is a process of its own, asked by lines of JSON. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { isRecord } from '../clients/agent.ts'
import { CALLBACK, type LoginClient, type Person } from './agent.ts'

const DRIVER = fileURLToPath(new URL('./python/driver.py', import.meta.url))
const STOP_MS = 3_000

/** `python` is the environment of test:clients. */
export function pythonClient(python: string): LoginClient {
  return {
    name: 'python mcp 2.3.0',
    stepUp: 'logs in',
    connect: async ({ mcp, person }) => {
      const child = spawn(python, [DRIVER, mcp, CALLBACK], { stdio: ['pipe', 'pipe', 'inherit'] })
      process.once('exit', () => child.kill('SIGKILL'))
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      const next = () => nextAnswer(child, lines, person)
      const ask = (question: object) => {
        tell(child, question)
        return next()
      }
      await next()
      return {
        toolNames: async () => {
          const { names } = await ask({ do: 'list' })
          return Array.isArray(names) ? names.map(String) : []
        },
        call: async (name, args) => {
          const answer = await ask({ do: 'call', name, args })
          return { text: String(answer['text']), isError: answer['isError'] === true }
        },
        expire: async () => {
          await ask({ do: 'expire' })
        },
        close: () => end(child),
      }
    },
  }
}

type Driver = ChildProcessByStdio<Writable, Readable, null>
type Answer = { readonly [name: string]: unknown }

/** Serves each page that comes before the answer. Rejects with what the driver calls an error. */
async function nextAnswer(
  child: Driver,
  lines: AsyncIterator<string>,
  person: Person,
): Promise<Answer> {
  for (;;) {
    const { done, value } = await lines.next()
    if (done === true) throw new Error('the driver ended')
    const answer: unknown = JSON.parse(value)
    if (!isRecord(answer)) throw new Error(`the driver said ${value}`)
    if (typeof answer['error'] === 'string') throw new Error(answer['error'])
    if (typeof answer['open'] !== 'string') return answer
    const callback = await person(new URL(answer['open'])).catch(() => undefined)
    tell(child, callback === undefined ? { refused: true } : { callback: callback.href })
  }
}

function tell(child: Driver, line: object): void {
  child.stdin.write(`${JSON.stringify(line)}\n`)
}

async function end(child: Driver): Promise<void> {
  if (child.exitCode !== null) return
  const patience = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  const exited = once(child, 'exit')
  child.stdin.end()
  await exited
  clearTimeout(patience)
}
