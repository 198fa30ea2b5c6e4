/**
 * `npm run bench:cold`: what a cold start costs each door: bytes, and the time to import its bundle
 * in a fresh process as a ratio to importing `@aws-sdk/client-dynamodb` alone, bundled the same way,
 * measured in turn with it. Exits 1 when sse, messages or execute is past RATIO_MAX.
 * Where AWS's runtime client is built, also init and first byte under it. Needs `npm run bundle`.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { bundledDoors } from '../scripts/budget.ts'
import { BUNDLE_OPTIONS } from '../scripts/bundle.ts'
import { builtRicEntry, ricCacheDir } from '../test/lambda/paths.ts'
import { median, ms, percentile, printMachine, printTable } from './figures.ts'
import { measureInit } from './init.ts'

const REPO = join(import.meta.dirname, '..')
/** Issue 3, Figures. */
const RATIO_MAX = 1.25
const HELD = ['sse', 'messages', 'execute']
const RUNS = 21

/** What Lambda and the stacks would set, so that a door reads its settings and is ready. */
const ENVIRONMENT = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  AWS_SESSION_TOKEN: 'bench',
  GATEWAY_TABLE: 'Gateway',
  SESSIONS_TABLE: 'Sessions',
  MESSAGES_URL: 'https://messages.invalid/',
  EXECUTE_IAM_URL: 'https://execute.invalid/',
  INTERNAL_API_SECRET: 'secret-of-the-bench',
  ADMIN_KEY: 'secret-of-the-bench',
}

/** Runs in the fresh process: imports the file it is given and says how long that took. */
const IMPORTER = `
globalThis.awslambda = { streamifyResponse: (handler) => handler, HttpResponseStream: { from() {} } }
const startedAt = performance.now()
await import(process.argv[1])
process.stdout.write(String(performance.now() - startedAt))
process.exit(0)`

function importMs(file: string): number {
  const args = ['--input-type=module', '--eval', IMPORTER, file]
  return Number(execFileSync(process.execPath, args, { env: ENVIRONMENT, encoding: 'utf8' }))
}

async function bundleAlone(folder: string): Promise<string> {
  const outfile = join(folder, 'client-dynamodb.mjs')
  const contents = "export * from '@aws-sdk/client-dynamodb'"
  await build({ ...BUNDLE_OPTIONS, stdin: { contents, resolveDir: REPO }, outfile })
  return outfile
}

/** Each file once per round, so that a busy moment of the machine falls on all of them. */
function importAll(files: ReadonlyMap<string, string>): ReadonlyMap<string, number[]> {
  const times = new Map([...files.keys()].map((name) => [name, [] as number[]]))
  for (const file of files.values()) importMs(file)
  for (let run = 0; run < RUNS; run += 1) {
    for (const [name, file] of files) times.get(name)?.push(importMs(file))
  }
  return times
}

const ALONE = '@aws-sdk/client-dynamodb alone'
const folder = mkdtempSync(join(tmpdir(), 'skillgate-cold-'))
try {
  const doors = bundledDoors()
  if (doors.length === 0) throw new Error('nothing is bundled; run npm run bundle')
  const files = new Map([[ALONE, await bundleAlone(folder)]])
  for (const { door } of doors) files.set(door, join(REPO, 'dist', door, 'index.mjs'))
  const times = importAll(files)
  const aloneMs = median(times.get(ALONE) ?? [])
  printMachine('npm run bench:cold')
  const rows = [...times].map(([name, all]) => {
    const size = doors.find(({ door }) => door === name)
    const ratio = median(all) / aloneMs
    const isPast = HELD.includes(name) && ratio > RATIO_MAX
    if (isPast) process.exitCode = 1
    return [
      name,
      size?.bytes ?? '',
      size?.gzBytes ?? '',
      ms(median(all)),
      ms(percentile(all, 90)),
      ratio.toFixed(2),
      HELD.includes(name) ? `≤ ${RATIO_MAX}${isPast ? ' MISSED' : ''}` : '',
    ]
  })
  printTable(['bundle', 'bytes', 'gzipped', 'import p50 ms', 'p90', 'ratio', 'goal'], rows)
} finally {
  rmSync(folder, { recursive: true })
}

if (builtRicEntry(ricCacheDir) === undefined || !existsSync(ricCacheDir)) {
  console.log(
    'Init under AWS’s runtime client: not measured, it is not built (npm run test:lambda builds it).',
  )
} else {
  await measureInit()
}
