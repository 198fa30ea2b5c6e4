/**
 * Starts a crashing twin for a test, arms it and waits for its death. No twin outlives the test
 * process, however that ends.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { PATIENCE_MS } from '../e2e/wait.ts'
import type { Kill } from './crash-points.ts'
import type { Books, Order, Setup } from './orders.ts'

export type TwinProcess = {
  readonly url: string
  readonly admin: string
  readonly execute: string
  readonly sse: string
  readonly internalApiSecret: string
  isAlive(): boolean
  arm(kill: Kill, nth?: number): Promise<void>
  /** Runs one sweep; `died` when it reached its crash point. */
  sweep(): Promise<'swept' | 'died'>
  books(uid: string): Promise<Books>
  /** SIGKILL from outside; resolves when the process is gone. */
  kill(): Promise<void>
  /** Resolves when the twin has killed itself; rejects if it never reached its crash point. */
  died(): Promise<void>
}

type Ready = { readonly origin: string; readonly internalApiSecret: string }

/** `file` is the test build. */
export async function startTwinProcess(file: string, setup: Setup): Promise<TwinProcess> {
  const child = fork(file, [JSON.stringify(setup)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: [],
    serialization: 'advanced',
  })
  let output = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString('utf8')).slice(-2_000)
  })
  const killChild = () => child.kill('SIGKILL')
  process.once('exit', killChild)
  const exit = once(child, 'exit').then(() => {
    process.off('exit', killChild)
    return 'died' as const
  })
  const ready = await answerOf<Ready>(child, exit, PATIENCE_MS)
  if (ready === 'died') throw new Error(`the twin did not start: ${output}`)
  const ask = <T>(order: Order) => {
    child.send(order)
    return answerOf<T>(child, exit, PATIENCE_MS)
  }
  return {
    url: ready.origin,
    admin: `${ready.origin}/v1/admin`,
    execute: `${ready.origin}/v1/execute`,
    sse: `${ready.origin}/v1/mcp/sse`,
    internalApiSecret: ready.internalApiSecret,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    arm: async (kill, nth = 1) => {
      if ((await ask({ kind: 'arm', kill, nth })) === 'died')
        throw new Error(`died early: ${output}`)
    },
    sweep: async () => ((await ask({ kind: 'sweep' })) === 'died' ? 'died' : 'swept'),
    books: async (uid) => {
      const books = await ask<Books>({ kind: 'books', uid })
      if (books === 'died') throw new Error(`died over its books: ${output}`)
      return books
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exit
    },
    died: async () => {
      await within(exit, PATIENCE_MS, 'it lives: the crash point was not reached')
      if (child.signalCode !== 'SIGKILL') throw new Error(`ended by itself: ${output}`)
    },
  }
}

/** The child's next message; it sends only replies. */
async function answerOf<T>(
  child: ChildProcess,
  gone: Promise<'died'>,
  withinMs: number,
): Promise<T | 'died'> {
  const stop = new AbortController()
  // Our own program is on the other side of the pipe, and sends the types of orders.ts.
  const message = once(child, 'message', { signal: stop.signal }).then(([reply]) => reply as T)
  message.catch(() => {})
  try {
    return await within(Promise.race([message, gone]), withinMs, 'no answer from the twin')
  } finally {
    stop.abort()
  }
}

async function within<T>(work: Promise<T>, ms: number, otherwise: string): Promise<T> {
  const done = new AbortController()
  const late = sleep(ms, undefined, { signal: done.signal }).then(() => {
    throw new Error(`${otherwise} (${ms} ms)`)
  })
  late.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    done.abort()
  }
}
