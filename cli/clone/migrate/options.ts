/**
 * Reads the options of `npm run migrate`. Refuses unknown options, and requires a choice between a
 * dry run and a real run.
 */
import { parseArgs } from 'node:util'
import { GATEWAY_TABLE } from '../../../adapters/dynamodb/table.ts'
import { err, ok, type Result } from '../../../core/errors.ts'
import {
  MIGRATE_STEP_DEFAULT,
  MIGRATE_STEP_MAX,
} from '../../../core/flow/migration/migrate-table.ts'

export type MigrateOptions = {
  readonly dryRun: boolean
  readonly close: boolean
  readonly where:
    | { readonly kind: 'folder'; readonly path: string }
    | {
        readonly kind: 'table'
        readonly table: string
        readonly region: string | undefined
        readonly endpoint: string | undefined
      }
  readonly cursor: string | undefined
  readonly cursorFile: string | undefined
  readonly stepRecords: number
}

export const USAGE = `npm run migrate -- --dry-run | --apply [options]

  --dry-run            says what would be moved, and moves nothing
  --apply              moves what is left of the earlier service's records
  --close              with --apply, when the old writers are gone: late credits are no longer looked for
  --table NAME         the table on AWS, with the SDK's own credentials (${GATEWAY_TABLE.name})
  --region REGION      its region (the SDK's own)
  --endpoint URL       any other DynamoDB (AWS_ENDPOINT_URL_DYNAMODB)
  --data FOLDER        the folder of a twin that is stopped
  --cursor-file FILE   begins where the last run with this file ended; keeps the position in it
  --cursor CURSOR      begins at this cursor
  --step N             records of the table that one step looks at (${MIGRATE_STEP_DEFAULT}, at most ${MIGRATE_STEP_MAX})`

const TEXT = { type: 'string' } as const
const FLAG = { type: 'boolean', default: false } as const
const OPTIONS = {
  'dry-run': FLAG,
  apply: FLAG,
  close: FLAG,
  table: TEXT,
  region: TEXT,
  endpoint: TEXT,
  data: TEXT,
  'cursor-file': TEXT,
  cursor: TEXT,
  step: TEXT,
}

/** Returns the options, or an error of one line. */
export function readMigrateOptions(
  args: readonly string[],
  environment: { readonly [name: string]: string | undefined },
): Result<MigrateOptions, string> {
  const parsed = parse(args)
  if (typeof parsed === 'string') return err(parsed)
  const wrong = findContradiction(parsed)
  if (wrong !== undefined) return err(wrong)
  const stepRecords = Number(parsed.step ?? MIGRATE_STEP_DEFAULT)
  if (!Number.isInteger(stepRecords) || stepRecords < 1 || stepRecords > MIGRATE_STEP_MAX) {
    return err(`--step: must be a whole number from 1 to ${MIGRATE_STEP_MAX}`)
  }
  return ok({
    dryRun: parsed['dry-run'],
    close: parsed.close,
    where: toWhere(parsed, environment),
    cursor: parsed.cursor,
    cursorFile: parsed['cursor-file'],
    stepRecords,
  })
}

type Parsed = Exclude<ReturnType<typeof parse>, string>

function findContradiction(parsed: Parsed): string | undefined {
  const { apply, close, cursor, data } = parsed
  if (apply === parsed['dry-run']) return 'give one of --dry-run and --apply'
  if (close && !apply) return '--close: goes with --apply'
  if (cursor !== undefined && parsed['cursor-file'] !== undefined) {
    return 'give only one of --cursor and --cursor-file'
  }
  const elsewhere = parsed.table ?? parsed.region ?? parsed.endpoint
  if (data === undefined || elsewhere === undefined) return undefined
  return '--data: goes with none of --table, --region and --endpoint'
}

function toWhere(
  { data, endpoint, region, table = GATEWAY_TABLE.name }: Parsed,
  environment: { readonly [name: string]: string | undefined },
): MigrateOptions['where'] {
  if (data !== undefined) return { kind: 'folder', path: data }
  const any = endpoint ?? environment['AWS_ENDPOINT_URL_DYNAMODB']
  return { kind: 'table', table, region, endpoint: any }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}
