/**
 * `npm run bench:short`: runs every bench of package.json with `--short`, two at a time, because
 * they mostly wait. Fails if one of them ends with an error, hangs, or prints a table without rows
 * or a figure that is no number; then prints its whole output. Checks no time. Needs the bundles
 * and AWS's runtime client, which its script makes. A bench that this machine cannot run is named
 * with the missing part. Words name benches: `-- mcp stream` runs only these. Takes two minutes.
 *
 * It is the `--short` of all benches, and takes no such option itself.
 */
import '../lib/help.ts'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatMs, printTable } from '../lib/figures.ts'
import { BENCH_WORDS, NOT_MEASURED, SHORT_OPTION } from '../lib/short.ts'
import { findOutputErrors } from './output-faults.ts'

const REPO = join(import.meta.dirname, '../..')
/**
 * Ends a bench that hangs. The longest bench, that of calls, takes half a minute on a quiet
 * machine, of which it waits 15 s for an upstream that is too slow; on a busy machine it takes many
 * times as long.
 */
const BENCH_MS_MAX = 900_000
const OUTPUT_BYTES_MAX = 10_000_000
const AT_ONCE = 2
const OWN = 'bench/short/short.ts'

const wanted = listBenches().filter(
  ({ name }) => BENCH_WORDS.length === 0 || BENCH_WORDS.includes(name),
)
if (wanted.length === 0) throw new Error(`no bench is named ${BENCH_WORDS.join(' or ')}`)
const rows: (readonly string[])[] = []
const pending = wanted.values()
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (const bench of pending) rows.push(await tryBench(bench))
  }),
)
printTable(['bench', 's', ''], rows)

type Bench = { readonly name: string; readonly file: string }

/**
 * Lists the benches from the scripts of package.json. The script of this file has made what those
 * scripts make first.
 */
function listBenches(): readonly Bench[] {
  const { scripts }: { scripts: { [name: string]: string } } = JSON.parse(
    readFileSync(join(REPO, 'package.json'), 'utf8'),
  )
  return Object.entries(scripts).flatMap(([script, commands]) => {
    const name = /^bench:(.+)$/.exec(script)?.[1]
    const file = /node (\S+)$/.exec(commands)?.[1]
    if (name === undefined || file === OWN) return []
    if (file === undefined) throw new Error(`bench:${name}: must end in the file that node starts`)
    return [{ name, file }]
  })
}

async function tryBench({ file, name }: Bench): Promise<readonly string[]> {
  const startedMs = performance.now()
  const { error, output, text } = await runShort(file)
  const seconds = formatMs((performance.now() - startedMs) / 1_000)
  const lack = text.split('\n').find((line) => line.startsWith(NOT_MEASURED))
  if (error === undefined && lack !== undefined) return [name, seconds, lack]
  const faults = [...(error === undefined ? [] : [error]), ...findOutputErrors(text)]
  if (faults.length === 0) return [name, seconds, 'ran']
  console.log([output, ...faults.map((fault) => `bench:${name} ${fault}`), ''].join('\n'))
  process.exitCode = 1
  return [name, seconds, 'BROKEN']
}

type ShortRun = {
  /** How the bench ended, if it failed. */
  readonly error: string | undefined
  /** The standard output; `output` has stderr too. */
  readonly text: string
  readonly output: string
}

function runShort(file: string): Promise<ShortRun> {
  const options = { cwd: REPO, timeout: BENCH_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX }
  return new Promise((resolve) => {
    execFile(process.execPath, [file, SHORT_OPTION], options, (cause, text, errors) => {
      const error = cause === null ? undefined : `ended with ${cause.code ?? cause.signal}`
      resolve({ error, text, output: `${text}${errors}` })
    })
  })
}
