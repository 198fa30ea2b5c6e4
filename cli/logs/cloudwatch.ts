/**
 * Reads the log lines of a stage from CloudWatch Logs, through FilterLogEvents. That API works with
 * the credentials that deployed the stage, and unlike a live tail it also reads past lines. Events
 * arrive some seconds late, so each poll reads back.
 */
import type { AwsAccount } from '../aws/ask-service.ts'
import { type Fields, toFields } from '../gateway/admin-client.ts'
import { type CallFilter, matchesFilter, toPattern } from './call-filter.ts'
import { type LogEntry, parseLine } from './log-entry.ts'

/** How late CloudWatch may show a line. */
const READ_BACK_MS = 30_000

/** Lists the log groups of the stage's functions. The CDK generates the rest of their names. */
export async function listLogGroups(
  account: AwsAccount,
  stage: string,
): Promise<readonly string[]> {
  const names: string[] = []
  let nextToken: unknown
  do {
    const page = await requestLogs(account, 'DescribeLogGroups', {
      // With the stack's last word: Skillgate-dev- also begins the names of a stage dev-eu.
      logGroupNamePrefix: `Skillgate-${stage}-Gateway-`,
      nextToken,
    })
    const groups: readonly unknown[] = Array.isArray(page['logGroups']) ? page['logGroups'] : []
    names.push(...groups.map((group) => String(toFields(group)['logGroupName'])))
    nextToken = page['nextToken']
  } while (nextToken !== undefined)
  return names
}

/** Reads at most `rowsMax` entries of one log group. */
export async function fetchLogEntries(
  account: AwsAccount,
  logGroupName: string,
  range: {
    readonly filter: CallFilter
    readonly sinceMs: number
    readonly untilMs: number | undefined
    readonly rowsMax: number
  },
): Promise<readonly LogEntry[]> {
  const { filter, rowsMax, sinceMs, untilMs } = range
  const entries: LogEntry[] = []
  let nextToken: unknown
  do {
    const page = await requestLogs(account, 'FilterLogEvents', {
      logGroupName,
      startTime: sinceMs,
      endTime: untilMs,
      filterPattern: toPattern(filter),
      nextToken,
    })
    const events: readonly unknown[] = Array.isArray(page['events']) ? page['events'] : []
    const found = events.map(toFields).map(toEntry)
    // CloudWatch has filtered by the pattern already; emulators return all lines.
    entries.push(...found.filter(({ fields }) => matchesFilter(filter, fields)))
    nextToken = page['nextToken']
  } while (nextToken !== undefined && entries.length < rowsMax)
  return entries.slice(0, rowsMax)
}

/** Returns the time from which the next poll reads. */
export function getNextLogSinceMs(nowMs: number): number {
  return nowMs - READ_BACK_MS
}

async function requestLogs(account: AwsAccount, action: string, body: object): Promise<Fields> {
  const text = await account.ask({
    service: 'logs',
    path: '/',
    body: JSON.stringify(body),
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `Logs_20140328.${action}`,
    },
  })
  return toFields(JSON.parse(text))
}

function toEntry({ eventId, message, timestamp }: Fields): LogEntry {
  // A line of the platform, such as the trace of a process that died, is shown unchanged.
  const fields = parseLine(String(message)) ?? { event: String(message) }
  return { id: String(eventId), atMs: Number(timestamp), fields }
}
