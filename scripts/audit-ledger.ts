/**
 * `npm run audit:ledger`: recomputes every user's sum from grants, holds and outcomes, and names
 * sums that do not add up; exits with 1 if there is one. Only reads.
 *
 *   -- --data FOLDER          a folder of the twin that no twin uses (default: .local)
 *   -- --endpoint URL         any DynamoDB; or AWS_ENDPOINT_URL_DYNAMODB
 *   -- --table NAME           on AWS, with the SDK's own region and credentials (default: Gateway)
 *   -- --hot-days N           how long the store keeps calls (14); charges of older calls come from sums
 *   -- --archive PLACE        instead, checks whether an archive adds up to the ledger: a folder, or s3://BUCKET
 *   -- --archive-days N       with --archive, the archiveDays of the stage; older entries are not compared
 *   -- --month YYYY-MM        with --archive, one month (default: all)
 */
import '../bench/lib/help.ts'
import { parseArgs } from 'node:util'
import { GATEWAY_TABLE } from '../adapters/dynamodb/table.ts'
import { toOutput } from '../cli/terminal/output.ts'
import { DAY_MS } from '../core/json/utc-time.ts'
import { type Audit, auditAccount } from '../core/ledger/audit.ts'
import { LEDGER_HOT_MS_DEFAULT } from '../core/ledger/limits.ts'
import { readText } from '../core/settings/read-setting.ts'
import { SETTINGS, STAGE_SETTINGS } from '../core/settings/table.ts'
import { groupChargesByUser, sumExpiredCharges, toColdHour } from '../core/usage/cold-charges.ts'
import { StartFault } from '../local/start-fault.ts'
import { openArchive } from './audit/archive-at.ts'
import { auditArchive } from './audit/audit-archive.ts'
import {
  type LedgerWork,
  type OpenLedger,
  type TableAt,
  withFolder,
  withTable,
} from './audit/ledger-at.ts'
import { formatReport, type Report } from './audit/report.ts'
import { readUserSums } from './audit/user-sums.ts'

/**
 * How long the archive may be behind: batches of the stream wait a minute, and are tried again if they
 * fail.
 */
const ARCHIVE_LAG_MS = 900_000
/** The setting as on the twin, because the audited folder may be a twin's. */
const HOT_DAYS = { ...SETTINGS.ledgerHotDays, ...SETTINGS.ledgerHotDays.twin }

/**
 * Audits the store of a folder. Throws a StartFault if there is nothing to audit, or if a twin uses
 * the folder.
 */
export function auditFolder(path: string, hotMs = LEDGER_HOT_MS_DEFAULT): Promise<Report> {
  return withFolder(path, (ledger) => auditAccounts(ledger, hotMs))
}

async function auditAccounts({ accounts, usageSums }: OpenLedger, hotMs: number): Promise<Report> {
  const head = await usageSums.readHead('hour')
  const coldHour = toColdHour(Date.now(), hotMs)
  const to = Math.min(coldHour - 1, head?.rolled ?? 0)
  const charges = groupChargesByUser(await readUserSums(usageSums, { from: 0, to }))
  const audits: Audit[] = []
  const busy: string[] = []
  for await (const account of accounts) {
    if ('busy' in account) {
      busy.push(account.uid)
      continue
    }
    const ended = sumExpiredCharges(
      account.outcomes,
      charges.get(account.uid) ?? new Map(),
      coldHour,
    )
    audits.push(auditAccount({ ...account, endedCharges: ended }))
  }
  return formatReport(audits, busy)
}

type Values = { readonly [name in (typeof NAMES)[number]]?: string | undefined }

const NAMES = ['archive', 'archive-days', 'data', 'endpoint', 'hot-days', 'month', 'table'] as const

async function audit(values: Values): Promise<Report> {
  const { archive: place, month } = values
  const hotMs = readHotDays(values['hot-days']) * DAY_MS
  if (month !== undefined && !/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month)) {
    throw new StartFault(`--month: give a month such as 2026-11, not ${month}`)
  }
  const endpoint = values.endpoint ?? process.env['AWS_ENDPOINT_URL_DYNAMODB']
  const isTable = values.data === undefined && (endpoint ?? values.table) !== undefined
  const at: TableAt = { endpoint, table: values.table ?? GATEWAY_TABLE.name }
  const run = (work: LedgerWork<Report>) =>
    isTable ? withTable(at, work) : withFolder(values.data ?? '.local', work)
  if (place === undefined) return run((ledger) => auditAccounts(ledger, hotMs))
  const archive = await openArchive(place)
  const archiveMs = readArchiveMs(values['archive-days'])
  const lagMs = isTable ? ARCHIVE_LAG_MS : 0
  return run((ledger) =>
    auditArchive({ archive, ledger, month, hotMs, archiveMs, lagMs, nowMs: Date.now() }),
  )
}

function readArchiveMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const days = readText('--archive-days', STAGE_SETTINGS.archiveDays, { reader: 'twin', text })
  if (days.ok) return Number(days.value) * DAY_MS
  throw new StartFault(days.error.join(' '))
}

function readHotDays(text: string | undefined): number {
  const days = readText('--hot-days', HOT_DAYS, {
    reader: 'twin',
    text: text ?? String(HOT_DAYS.default),
  })
  if (days.ok) return Number(days.value)
  throw new StartFault(days.error.join(' '))
}

if (import.meta.main) {
  try {
    const text = { type: 'string' } as const
    const options = Object.fromEntries(NAMES.map((name) => [name, text]))
    const { lines, wrong } = await audit(parseArgs({ options }).values)
    for (const line of lines) toOutput(process.stdout).write(`${line}\n`)
    if (wrong > 0) process.exitCode = 1
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    toOutput(process.stderr).write(`audit: ${why}\n`)
    process.exitCode = 1
  }
}
