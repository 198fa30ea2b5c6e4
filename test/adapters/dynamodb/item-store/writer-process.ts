/** Starts call-writer.ts as a process of its own, as another user or under a limit where that is asked. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const WRITER = join(import.meta.dirname, 'call-writer.ts')
/** The user `nobody`, for a test that runs as root: root may read and write every file. */
const NOBODY = 65_534

export type Said = { readonly did?: unknown; readonly code?: string; readonly message?: string }

export type WriterProcess = {
  readonly pid: number
  tell(order: 'open' | 'call' | 'credits'): Promise<Said>
  kill(): Promise<void>
}

export function startWriter(
  path: string,
  options: {
    /** The largest size of a file, in kilobytes. */
    readonly fileKbMax?: number
    readonly asNobody?: boolean
  } = {},
): WriterProcess {
  const limit = options.fileKbMax === undefined ? '' : `ulimit -S -f ${options.fileKbMax * 2};`
  const user = options.asNobody === true && process.getuid?.() === 0 ? { uid: NOBODY } : {}
  const child = spawn(
    '/bin/sh',
    ['-c', `${limit} exec "$@"`, 'sh', process.execPath, WRITER, path],
    {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      ...user,
    },
  )
  const exit = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await exit
  }
  onTestFinished(kill)
  return { pid: child.pid ?? 0, tell: (order) => told(child, order), kill }
}

async function told(child: ChildProcess, order: string): Promise<Said> {
  const answer = once(child, 'message')
  child.send(order)
  const [message] = await answer
  return message
}
