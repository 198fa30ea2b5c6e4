/** Requests to the load generator of bench:mcp, and its results. */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'

export type LoadCase = {
  readonly url: string
  /** Connections use these in turn: one set per user. */
  readonly headers: readonly { readonly [name: string]: string }[]
  /**
   * Contains CITY at least once; each call replaces it by its own value, which the reply must
   * repeat.
   */
  readonly body: string
  /** Must occur in each reply, with the call's own value for CITY. */
  readonly wants: readonly string[]
  readonly connections: number
  readonly forMs: number
  /** A status that is counted and repeated instead of being an error. */
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
