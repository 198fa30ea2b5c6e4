/**
 * `npm run archive:ledger`: writes entries that the archive lacks from the store into the archive:
 * calls, grants and days of the trail of changes. Use it for batches that the usage function gave
 * up, and once for a ledger that is older than its archive. Removes and replaces nothing, and can
 * be run again.
 *
 *   -- --archive PLACE        a folder, or s3://BUCKET
 *   -- --data FOLDER          a folder of the twin that no twin uses (default: .local)
 *   -- --endpoint URL         any DynamoDB; or AWS_ENDPOINT_URL_DYNAMODB
 *   -- --table NAME           on AWS, with the SDK's own region and credentials
 */
import '../bench/lib/help.ts'
import { mkdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { nodeDigests } from '../adapters/crypto/node-digests.ts'
import { systemClock } from '../adapters/crypto/system-clock.ts'
import { GATEWAY_TABLE } from '../adapters/dynamodb/table.ts'
import { toOutput } from '../cli/terminal/output.ts'
import { type ArchiveEntry, toArchiveLine } from '../core/archive/archive-entry.ts'
import { LEDGER_PREFIX, OBJECT_LINES_MAX } from '../core/archive/archive-object.ts'
import { readArchive } from '../core/archive/read-archive.ts'
import { AUDIT_DAYS_KEPT } from '../core/audit/limits.ts'
import { exportTrail } from '../core/flow/usage/export-trail.ts'
import { archiveEntries } from '../core/flow/usage/take-entries.ts'
import type { Archive } from '../core/ports/usage.ts'
import { StartFault } from '../local/start-fault.ts'
import { openArchive } from './audit/archive-at.ts'
import { type OpenLedger, withFolder, withTable } from './audit/ledger-at.ts'

export type ArchiveTotals = {
  readonly entries: number
  readonly objects: number
  readonly days: number
}

export async function archiveLedger(
  { accounts, auditTrail }: OpenLedger,
  archive: Archive,
): Promise<ArchiveTotals> {
  const known = await readLines(archive)
  const needs = { archive, digests: nodeDigests() }
  let waiting: ArchiveEntry[] = []
  let [entries, objects] = [0, 0]
  const put = async () => {
    objects += await archiveEntries(needs, waiting)
    entries += waiting.length
    waiting = []
  }
  for await (const account of accounts) {
    if ('busy' in account)
      throw new StartFault(`${account.uid} kept changing while it was read: run this again`)
    const { grants, outcomes, uid } = account
    const stored = [
      ...outcomes.map((outcome) => ({ kind: 'call', outcome }) as const),
      ...grants.map((grant) => ({ kind: 'grant', uid, grant }) as const),
    ]
    waiting.push(...stored.filter((entry) => !known.has(toArchiveLine(entry).text)))
    if (waiting.length >= OBJECT_LINES_MAX) await put()
  }
  await put()
  const days = await exportTrail({ archive, auditTrail, clock: systemClock() }, AUDIT_DAYS_KEPT)
  return { entries, objects, days: days.length }
}

async function readLines(archive: Archive): Promise<ReadonlySet<string>> {
  const lines = new Set<string>()
  for (const { text } of await readArchive(archive, LEDGER_PREFIX)) {
    for (const line of text.split('\n')) lines.add(line)
  }
  return lines
}

async function run(): Promise<ArchiveTotals> {
  const text = { type: 'string' } as const
  const options = { archive: text, data: text, endpoint: text, table: text }
  const { archive: place, data, endpoint: endpointOption, table } = parseArgs({ options }).values
  if (place === undefined) throw new StartFault('--archive: name a folder, or s3://BUCKET')
  if (!place.startsWith('s3:')) mkdirSync(place, { recursive: true, mode: 0o700 })
  const archive = await openArchive(place)
  const endpoint = endpointOption ?? process.env['AWS_ENDPOINT_URL_DYNAMODB']
  const work = (ledger: OpenLedger) => archiveLedger(ledger, archive)
  if (data === undefined && (endpoint ?? table) !== undefined) {
    return withTable({ endpoint, table: table ?? GATEWAY_TABLE.name }, work)
  }
  return withFolder(data ?? '.local', work)
}

if (import.meta.main) {
  try {
    const { days, entries, objects } = await run()
    console.log(`Archived ${entries} entries in ${objects} objects, and ${days} days of changes.`)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    toOutput(process.stderr).write(`archive: ${why}\n`)
    process.exitCode = 1
  }
}
