/**
 * `npm run bench:mcp`: measures tokens of issuers, then POST /mcp of the twin beside yardsticks in
 * the same run, calls of MCP servers behind skills, the cost of open streams, and the twin's memory
 * after many calls. Prints Markdown for docs/performance.md; exits with 1 if a goal that it prints
 * is missed. Takes about five minutes. `-- --issuers`, `-- --calls`, `-- --proxied`, `-- --streams`
 * and `-- --memory` measure one of the five.
 * `-- --short` only checks that the bench works.
 */
import '../lib/help.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { printLoad, printMachine } from '../lib/figures.ts'
import { startMeasuredProcess } from '../lib/measured-process.ts'
import { BENCH_WORDS, failIfMissed } from '../lib/short.ts'
import { measureCalls } from './calls.ts'
import { measureIssuerTokens } from './issuer-tokens.ts'
import { startLoad } from './load-case.ts'
import { measureMemory } from './memory.ts'
import { measureProxied } from './proxied.ts'
import { measureStreams } from './streams.ts'

const PARTS = {
  '--issuers': measureIssuerTokens,
  '--calls': measureCalls,
  '--proxied': measureProxied,
  '--streams': measureStreams,
  '--memory': measureMemory,
}

printMachine('npm run bench:mcp')
const folder = mkdtempSync(join(tmpdir(), 'skillgate-bench-'))
const upstream = await startMeasuredProcess('bench/mcp/upstream.ts')
const load = startLoad()
try {
  for (const [word, measure] of Object.entries(PARTS)) {
    if (BENCH_WORDS.length > 0 && !BENCH_WORDS.includes(word)) continue
    failIfMissed(await measure(load.run, upstream.ready['url'] ?? '', join(folder, word)))
  }
  printLoad()
} finally {
  load.stop()
  await upstream.stop()
  rmSync(folder, { recursive: true })
}
