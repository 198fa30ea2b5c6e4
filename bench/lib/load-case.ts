/** What bench:execute asks of its load generator, and what it is told. */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'

export type LoadCase = {
  readonly url: string
  /** Taken in turn by the connections: one set per user. */
  readonly headers: readonly { readonly [name: string]: string }[]
  /** With CITY in it, once or more, for which each call has a value of its own; the reply must repeat it. */
  readonly body: string
  /** Must stand in each reply, with the call's own value for CITY. */
  readonly wants: readonly string[]
  readonly connections: number
  readonly forMs: number
  /** A status that is counted and sent again instead of being wrong. */
  readonly retryOn?: number
}

export type LoadResult = {
  readonly calls: number
  readonly refused: number
  readonly tookMs: number
  readonly p50Ms: number
  readonly p99Ms: number
}

export type LoadGenerator = {
  run(load: LoadCase): Promise<LoadResult>
  stop(): void
}

export function startLoad(): LoadGenerator {
  const child = fork(join(import.meta.dirname, 'load.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  return { run: (load) => runOn(child, load), stop: () => child.kill('SIGTERM') }
}

function runOn(child: ChildProcess, load: LoadCase): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('the load generator ended: a reply was wrong'))
    child.once('exit', ended)
    child.once('message', (result: LoadResult) => {
      child.off('exit', ended)
      resolve(result)
    })
    child.send(load)
  })
}
