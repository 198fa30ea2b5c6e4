/**
 * Work for the machine: processes that do nothing but use a core each. None outlives the process that started
 * it: each checks for its parent, and ends by itself after a time that no run of tests should take.
 */
import { spawn } from 'node:child_process'

export type Load = {
  readonly loops: number
  stop(): void
}

/** Ten runs of `npm test` beside this load take an hour. */
const LOOP_SEC_MAX = 3 * 3_600

const LOOP = `
const endMs = Date.now() + ${LOOP_SEC_MAX} * 1000
while (Date.now() < endMs && process.ppid === ${process.pid}) for (let i = 0; i < 1e8; i += 1);
`

export function startLoad(loops: number): Load {
  const children = Array.from({ length: loops }, () =>
    spawn(process.execPath, ['-e', LOOP], { stdio: 'ignore' }),
  )
  const stop = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  process.once('exit', stop)
  return {
    loops,
    stop: () => {
      process.off('exit', stop)
      stop()
    },
  }
}
