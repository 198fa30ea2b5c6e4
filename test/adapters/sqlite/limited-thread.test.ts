/** The memory of threads of the store, in a process that has flags of its own, as `npm start` has. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const MODULE = new URL('../../../adapters/sqlite/database/limited-thread.ts', import.meta.url)

/** Runs `code` in a thread of 16 MB and answers what the process printed. */
function printed(code: string): string {
  const script = `
    const { startLimitedThread } = await import(${JSON.stringify(MODULE.href)})
    const thread = startLimitedThread(${JSON.stringify(code)}, 7, { heapMb: 16, youngMb: 4 })
    thread.on('message', (text) => console.log(text))
    thread.on('error', (cause) => console.log(cause.code))`
  const flags = ['--max-semi-space-size=32', '--max-old-space-size=768', '--input-type=module']
  const run = spawnSync(process.execPath, [...flags, '-e', script], { encoding: 'utf8' })
  return run.stdout + run.stderr
}

test('a thread that holds more than its limit ends, and its process goes on', () => {
  const code = 'const held = []; for (let n = 0; n < 4_000_000; n += 1) held.push({ n })'
  expect(printed(code)).toBe('ERR_WORKER_OUT_OF_MEMORY\n')
})

test('a thread within its limit finds its data, and no variable of its process', () => {
  const code = `
    const { parentPort, workerData } = require('node:worker_threads')
    parentPort.postMessage(workerData + ' ' + Object.keys(process.env).length)`
  expect(printed(code)).toBe('7 0\n')
})
