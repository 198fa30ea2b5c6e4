/**
 * `npm run test:conformance`: the official suite of MCP against this gateway, once per revision
 * that it knows, with the expected failures of a server that has tools and guides, and each scenario
 * about tasks and guides by itself. Ends with
 * `conformance: N scenarios, …`; the exit code is 1 unless every run is good.
 *
 * `--runtime lambda`: against the bundled doors under AWS's runtime client instead of the twin.
 * `--revision 2026-07-28`: that run alone.
 *
 * The suite sends no key: key-proxy.ts adds one. For 2025-11-25 it also adds a session id: the
 * gateway is stateless and gives none, and the suite would then warn that it does not try three
 * streams at once (server-sse-multiple-streams), which a run with expected failures counts as
 * failed.
 */
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { EXTENSION_SCENARIOS, judgeScenario } from './extension-scenarios.ts'
import { schemaSkill } from './fixtures.ts'
import { FIXTURES, type Gateway, startTwinGateway } from './gateway.ts'
import { startKeyProxy } from './key-proxy.ts'
import { toGatewayUris } from './mcp-upstream.ts'
import { startPrefixProxy } from './prefix-proxy.ts'
import { judgeRun, RUNS, type Run } from './runs.ts'
import { installSuite, type Suite, type SuiteRun } from './suite.ts'

/** The only revision that has tasks; guides are the same in others. */
const EXTENSIONS_REVISION = '2026-07-28'

const { values } = parseArgs({
  options: {
    runtime: { type: 'string', default: 'twin' },
    revision: { type: 'string' },
  },
})
process.exitCode = await test()

async function test(): Promise<number> {
  const suite = installSuite()
  const wanted = RUNS.filter(
    ({ revision }) => values.revision === undefined || revision === values.revision,
  )
  if (wanted.length === 0)
    throw new Error(`--revision: one of ${RUNS.map((run) => run.revision).join(', ')}`)
  const gateway = await startGateway()
  const counts = { scenarios: 0, expected: 0, faults: 0 }
  try {
    for (const run of wanted) {
      const suiteRun = await runOne(suite, gateway, run)
      counts.scenarios += suiteRun.outcomes.length
      counts.expected += linesAfter(suiteRun.summary, 'Expected failures')
      counts.faults += report(run, suiteRun)
    }
    if (values.revision === undefined || values.revision === EXTENSIONS_REVISION) {
      counts.scenarios += EXTENSION_SCENARIOS.length
      counts.faults += await testExtensions(suite, gateway)
    }
  } finally {
    await gateway.stop()
  }
  if (values.revision === undefined && values.runtime === 'twin')
    counts.faults += await testSchema(suite)
  const verdict = counts.faults === 0 ? 'all as expected' : `${counts.faults} faults`
  say(
    `conformance: ${counts.scenarios} scenarios, ${counts.expected} expected failures, ${verdict}`,
  )
  return counts.faults === 0 ? 0 : 1
}

async function startGateway(): Promise<Gateway> {
  if (values.runtime === 'twin') return startTwinGateway(FIXTURES)
  if (values.runtime !== 'lambda') throw new Error('--runtime: twin or lambda')
  const { startLambdaGateway } = await import('./lambda-gateway.ts')
  return startLambdaGateway(FIXTURES)
}

async function runOne(suite: Suite, gateway: Gateway, run: Run): Promise<SuiteRun> {
  const session = run.withSessionId ? { sessionId: randomUUID() } : {}
  const { key, url } = gateway
  const proxy = await startKeyProxy({ gateway: url, key, rewrite: toGatewayUris, ...session })
  try {
    const args = [...run.args, '--expected-failures', run.expectedFailures]
    return await suite.run(`${values.runtime}-${run.revision}`, `${proxy.url}/mcp`, args)
  } finally {
    await proxy.stop()
  }
}

/** Prints the faults and the suite's own summary; answers the number of faults. */
function report(run: Run, suiteRun: SuiteRun): number {
  const faults = judgeRun(run, suiteRun)
  say(`\n--- ${run.revision} (${(suiteRun.tookMs / 1000).toFixed(1)} s)\n${suiteRun.summary}`)
  for (const fault of faults) say(`FAULT ${run.revision}: ${fault}`)
  if (faults.length > 0) say(`Every check, with what was sent: ${suiteRun.logFile} and beside it`)
  return faults.length
}

/** Returns the number of faults. Those about tasks find their tools' names behind a proxy. */
async function testExtensions(suite: Suite, gateway: Gateway): Promise<number> {
  const key = await startKeyProxy({ gateway: gateway.url, key: gateway.key })
  const proxy = await startPrefixProxy(key.url, `${FIXTURES.prefix}_`)
  let count = 0
  try {
    for (const scenario of EXTENSION_SCENARIOS) {
      const { name } = scenario
      const suiteRun = await suite.run(name, `${proxy.url}/mcp`, ['--scenario', name])
      const faults = judgeScenario(scenario, suiteRun)
      count += faults.length
      say(`--- ${name}: ${faults.length === 0 ? 'passed' : 'FAILED'}`)
      for (const fault of faults) say(`FAULT ${fault}; see ${suiteRun.logFile}`)
    }
  } finally {
    await proxy.stop()
    await key.stop()
  }
  return count
}

/** A scenario that is not scored, and whose tool's name can have no prefix test_. */
async function testSchema(suite: Suite): Promise<number> {
  const gateway = await startTwinGateway({
    prefix: 'json',
    skills: (upstreamUrl) => [schemaSkill(upstreamUrl)],
  })
  const proxy = await startKeyProxy({ gateway: gateway.url, key: gateway.key })
  let faults = 0
  try {
    for (const revision of ['2025-11-25', '2026-07-28']) {
      const args = ['--scenario', 'json-schema-2020-12', '--spec-version', revision]
      const suiteRun = await suite.run(`json-schema-${revision}`, `${proxy.url}/mcp`, args)
      say(
        `\n--- json-schema-2020-12 at ${revision}: ${suiteRun.exitCode === 0 ? 'passed' : 'FAILED'}`,
      )
      if (suiteRun.exitCode === 0) continue
      faults += 1
      say(`FAULT json-schema-2020-12 at ${revision}: see ${suiteRun.logFile}`)
    }
  } finally {
    await proxy.stop()
    await gateway.stop()
  }
  return faults
}

/** The number of lines `  ~ name` below the one that begins with `head`. */
function linesAfter(summary: string, head: string): number {
  const [, below = ''] = summary.split(head)
  return [...(below.split('\n\n')[0] ?? '').matchAll(/^ {2}~ /gm)].length
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
