/**
 * `npm run test:py`: the twin, started as a user starts it, the Python client against it, and the agent of
 * examples/agents as examples/README.md starts it. Ends
 * with `tests: N passed, N failed`; the exit code is 1 unless all checks ran and passed.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { blocksOf, readText, sectionOf } from '../docs/markdown.ts'
import { syncSkill } from '../e2e/admin.ts'
import { LOST_WHEN, startLosingProxy } from '../e2e/losing-proxy.ts'
import { startTwin, type Twin } from '../e2e/twin.ts'
import { makePython } from './environment.ts'

const REPO = fileURLToPath(new URL('../../', import.meta.url))
const SCRIPT = fileURLToPath(new URL('./stream_test.py', import.meta.url))
const UNKNOWN_KEY = `sgk_${'A'.repeat(43)}`
/** The script has limits of its own; this one ends a script that hangs in spite of them. */
const RUN_MS_MAX = 600_000
/** The number of checks, with that of the example: fewer lines mean that it ended early. */
const CHECKS = 14

const environment = makePython()
if ('missing' in environment) {
  process.stderr.write(`test:py: ${environment.missing}\n`)
  process.exitCode = 1
} else {
  process.exitCode = await test(environment.python)
}

async function test(python: string): Promise<number> {
  const twin = await startTwin(['--memory'])
  try {
    const lines = [...(await runScript(python, twin)), runExample(python, twin)]
    const passed = lines.filter((line) => line.startsWith('ok ')).length
    const failed = Math.max(
      lines.filter((line) => line.startsWith('not ok ')).length,
      CHECKS - passed,
    )
    process.stdout.write(`tests: ${passed} passed, ${failed} failed\n`)
    return failed === 0 ? 0 : 1
  } finally {
    await twin.stop()
  }
}

/** Runs the command of the page; its line of the report. */
function runExample(python: string, twin: Twin): string {
  const section = sectionOf(readText('examples/README.md'), '## An agent')
  const command = blocksOf(section).find(({ text }) => text.startsWith('python3 '))?.text ?? 'false'
  const env = { ...process.env, SKILLGATE_KEY: twin.key, SKILLGATE_MCP_URL: twin.mcp }
  const script = `python3() { '${python}' "$@"; }\n${command}`
  const ran = spawnSync('sh', ['-ec', script], {
    cwd: REPO,
    env,
    encoding: 'utf8',
    timeout: RUN_MS_MAX,
  })
  const isRight = /^tools: .*sg_weather[\s\S]*^answer: .*Oslo/m.test(ran.stdout)
  const line = `${isRight ? 'ok' : 'not ok'} the agent of examples/agents lists the tools and calls one`
  process.stdout.write(`${line}\n`)
  if (!isRight) process.stderr.write(`${ran.stdout}${ran.stderr}\n`)
  return line
}

/** The script's output, line by line; each is shown at once. */
async function runScript(python: string, twin: Twin): Promise<readonly string[]> {
  const failing = await syncSkill(twin, { id: 'sg_broken', at: 'fail?status=500', price: 1 })
  const { origin } = new URL(twin.mcp)
  const proxies = await Promise.all(LOST_WHEN.map((when) => startLosingProxy(origin, when)))
  const losing = proxies.map((proxy) => `${proxy.origin}/mcp`)
  const child = spawn(python, [SCRIPT, twin.sse, twin.key, failing, UNKNOWN_KEY, ...losing], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: RUN_MS_MAX,
    killSignal: 'SIGKILL',
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8')
    process.stdout.write(chunk)
  })
  await once(child, 'close')
  for (const proxy of proxies) await proxy.stop()
  return printed.split('\n')
}
