/** Which runs `npm run test:loaded` counts as passed, and that its load ends. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { runTests } from '../../../scripts/loaded/run-tests.ts'

const LOAD = new URL('../../../scripts/loaded/load.ts', import.meta.url).href

/** A command that prints this text and ends with this code. */
function run(text: string, code: number) {
  return runTests(process.execPath, [
    '-e',
    `console.log(${JSON.stringify(text)}); process.exitCode = ${code}`,
  ])
}

test.each([
  ['more\ntests: 12 passed, 0 failed', 0, true, 'tests: 12 passed, 0 failed'],
  ['tests: 12 passed, 0 failed, 1 skipped', 0, true, 'tests: 12 passed, 0 failed, 1 skipped'],
  ['tests: 12 passed, 1 failed', 1, false, 'tests: 12 passed, 1 failed'],
  ['tests: 12 passed, 1 failed', 0, false, 'tests: 12 passed, 1 failed'],
  ['tests: 12 passed, 0 failed', 1, false, 'tests: 12 passed, 0 failed'],
  ['tests: 12 passed, 0 failed\nmore', 0, false, 'no closing line, exit code 0'],
  ['', 137, false, 'no closing line, exit code 137'],
])(
  'a run that prints %j and ends with %d is green: %s',
  async (text, code, isGreen, closingLine) => {
    expect(await run(text, code)).toMatchObject({ isGreen, closingLine })
  },
)

test('the output of a run on both streams is kept', async () => {
  const { output } = await runTests(process.execPath, [
    '-e',
    'console.error("warned"); console.log("tests: 1 passed, 1 failed")',
  ])
  expect(output).toContain('warned\n')
})

test('busy loops end when their parent is killed', async () => {
  const script = `const { startLoad } = await import(${JSON.stringify(LOAD)})
    startLoad(1)
    console.log('loaded')`
  // A process group of its own: it is there for as long as anything in it runs.
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  await once(parent.stdout, 'data')
  const isRunning = () => isGroup(parent.pid ?? 0)
  expect(isRunning()).toBe(true)
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  await expect.poll(isRunning).toBe(false)
})

function isGroup(pid: number): boolean {
  try {
    return process.kill(-pid, 0)
  } catch {
    return false
  }
}
