/**
 * `npm run bench:import`: the plan of Stripe's and of Kubernetes' operations, each in a process with the
 * heap of a 512 MB function, and an apply of 400 skills on the store of `npm start` and on DynamoDB. Prints Markdown for
 * docs/performance.md; exits 1 past a limit. Needs the documents of `npm run test:openapi`. A minute.
 */
import '../../scripts/help.ts'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { printMachine, printTable } from '../lib/figures.ts'

const PLAN_MS_MAX = 1_500
const PLAN_MB_MAX = 250
const APPLY_MS_MAX = 10_000
/** V8's old space in a function of 512 MB, where Node takes about four fifths of the memory. */
const OLD_SPACE_MB = 410

printMachine('npm run bench:import')
const stripe = measured('plan', 'stripe.com.json')
const kubernetes = measured('plan', 'kubernetes.io.json')
const apply = measured('apply', '400')
const onDynamoDb = measured('units', '400')
printTable(
  ['', 'tools', 'ms', 'CPU ms of its thread', 'peak resident, MB', 'lists made', 'units written'],
  [
    ['plan of Stripe', ...cells(stripe)],
    ['plan of Kubernetes', ...cells(kubernetes)],
    ['apply of 400 skills, SQLite', ...cells(apply)],
    ['apply of 400 skills, embedded DynamoDB', ...cells(onDynamoDb)],
  ],
)
const isOver =
  [stripe, kubernetes].some(({ mb, ms }) => ms > PLAN_MS_MAX || mb > PLAN_MB_MAX) ||
  [apply, onDynamoDb].some(({ lists, ms }) => ms > APPLY_MS_MAX || lists !== 1)
if (isOver) process.exitCode = 1

type Figures = {
  readonly tools: number
  readonly ms: number
  readonly cpuMs: number
  readonly mb: number
  readonly lists: number
  /** 0 where the store counts none. */
  readonly wru: number
}

function measured(mode: 'plan' | 'apply' | 'units', of: string): Figures {
  const worker = join(import.meta.dirname, 'worker.ts')
  const args = [`--max-old-space-size=${OLD_SPACE_MB}`, worker, mode, of]
  const run = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 120_000 })
  if (run.status !== 0) throw new Error(`${mode} ${of}: ${run.stderr.slice(-500)}`)
  return JSON.parse(run.stdout) as Figures
}

function cells({ cpuMs, lists, mb, ms, tools, wru }: Figures): string[] {
  return [tools, Math.round(ms), Math.round(cpuMs), Math.round(mb), lists, Math.round(wru)].map(
    String,
  )
}
