/**
 * The command `logs`: prints calls as they end. The entries come from the log of a twin's data
 * folder, or with --stage from the log of a deployed stage; both also have refused calls, warnings
 * and errors. Any other gateway lists ended calls over its admin API.
 */
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findTwinLogFiles, type TwinLogFiles } from '../../adapters/profiles/twin-log.ts'
import { openAwsAccount } from '../aws/ask-service.ts'
import { readStageEnvironment } from '../aws/stage-environment.ts'
import { type Command, getOption, type Invocation, isOn } from '../command/command.ts'
import { printLine } from '../command/print.ts'
import { readTime, SINCE } from '../command/time-value.ts'
import { type AdminClient, openAdminClient } from '../gateway/admin-client.ts'
import { findProfile } from '../gateway/target.ts'
import { type CallFilter, REFUSED } from '../logs/call-filter.ts'
import { fetchLogEntries, getNextLogSinceMs, listLogGroups } from '../logs/cloudwatch.ts'
import { fetchGatewayCalls, getNextCallSinceMs } from '../logs/gateway-calls.ts'
import { formatEntry, type LogEntry } from '../logs/log-entry.ts'
import { followTwinLog } from '../logs/twin-log.ts'
import {
  asCommandFault,
  CommandFault,
  EXIT,
  type ExitCode,
  toUsageFault,
} from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { CALL_FILTERS } from './calls.ts'

const SINCE_DEFAULT_MS = 600_000
const POLL_PAUSE_MS = 1_000
/** Most entries of one poll over the network; filters narrow a busy stage. */
const ENTRIES_MAX = 10_000
/**
 * Ids that are remembered so that no entry is printed twice: each poll reads the last seconds of
 * the previous one again.
 */
const IDS_MAX = 100_000

type Source = {
  read(sinceMs: number): Promise<readonly LogEntry[]>
  /** Returns the time from which the next poll reads. */
  nextSinceMs(nowMs: number): number
  /** Most entries that one poll returns; undefined for no limit. */
  readonly entriesMax?: number
  close?(): Promise<void>
}

async function logs(call: Invocation): Promise<ExitCode> {
  const sinceMs = readSince(call)
  const filter = {
    user: getOption(call, 'user'),
    skill: getOption(call, 'skill'),
    outcome: getOption(call, 'outcome'),
  }
  const source = await openSource(call, filter)
  try {
    return await printEntries(call, source, sinceMs)
  } finally {
    await source.close?.()
  }
}

async function openSource(call: Invocation, filter: CallFilter): Promise<Source> {
  const stage = getOption(call, 'stage')
  if (stage !== undefined) return openStageSource(call, stage, filter)
  const profile = findProfile(call)?.profile
  const credential = profile?.credential
  if (credential?.store === 'twin')
    return openTwinSource(findTwinLogFiles(dirname(credential.path)), filter)
  if (filter['outcome'] === REFUSED) {
    throw profile?.writtenBy === 'twin'
      ? toUsageFault(
          '--outcome refused: a twin in memory keeps no log.',
          'It prints refused calls where it runs; a twin without --memory keeps them.',
        )
      : toUsageFault(
          '--outcome refused: the gateway keeps no record of refused calls.',
          'Add --stage to read the log of a stage, or --profile local for that of a twin.',
        )
  }
  return openGatewaySource(await openAdminClient(call), filter)
}

async function printEntries(call: Invocation, source: Source, sinceMs: number): Promise<ExitCode> {
  const { entriesMax = Number.POSITIVE_INFINITY } = source
  const seen = new Set<string>()
  let from = sinceMs
  let hasNoted = false
  for (;;) {
    const entries = [...(await source.read(from))].filter(({ atMs }) => atMs >= sinceMs)
    if (entries.length >= entriesMax) {
      printNote(call.shell, `There are ${entriesMax} or more; filters and --since show fewer.`)
    }
    printNew(call, entries, seen)
    const sampled = hasNoted ? undefined : entries.find(({ fields }) => fields['weight'])
    if (sampled !== undefined) {
      hasNoted = true
      printNote(
        call.shell,
        `A line of a success stands for ${sampled.fields['weight']} such calls.`,
      )
      printNote(call.shell, 'skillgate calls ls has each call.')
    }
    if (!isOn(call, 'follow')) return EXIT.ok
    const nextMs = source.nextSinceMs(call.shell.nowMs())
    from = Math.max(sinceMs, nextMs)
    await sleep(POLL_PAUSE_MS, undefined, { signal: call.shell.signal })
  }
}

function readSince(call: Invocation): number {
  const text = readTime(call, 'since')
  if (text === undefined) {
    return isOn(call, 'follow') ? call.shell.nowMs() : call.shell.nowMs() - SINCE_DEFAULT_MS
  }
  const ms = /^\d{13}$/.test(text) ? Number(text) : Date.parse(text)
  if (!Number.isNaN(ms)) return ms
  throw toUsageFault(
    `--since: ${text} is not a time.`,
    'Write --since 30m, 2h or 2026-11-22T08:00:00Z.',
  )
}

function printNew(call: Invocation, entries: readonly LogEntry[], seen: Set<string>): void {
  const fresh = entries.filter(({ id }) => !seen.has(id)).sort((a, b) => a.atMs - b.atMs)
  for (const entry of fresh) {
    seen.add(entry.id)
    if (isOn(call, 'json')) printLine(call, entry.fields)
    else call.shell.out.write(`${formatEntry(entry)}\n`)
  }
  // The set iterates from the oldest id. Polls read back only seconds, so old ids are not needed.
  for (const id of seen) {
    if (seen.size <= IDS_MAX) break
    seen.delete(id)
  }
}

/** Reads a twin's log; each poll continues where the previous one ended. */
function openTwinSource(files: TwinLogFiles, filter: CallFilter): Source {
  const log = followTwinLog(files, filter)
  return {
    read: async () => {
      const entries = await log.poll()
      if (entries !== undefined) return entries
      throw new CommandFault(`${files.current} does not exist, where the twin keeps its log.`, {
        remedy: 'Start the twin with skillgate dev, or choose another gateway with --profile.',
      })
    },
    nextSinceMs: (nowMs) => nowMs,
    close: log.close,
  }
}

function openGatewaySource(admin: AdminClient, filter: CallFilter): Source {
  return {
    read: (sinceMs) => fetchGatewayCalls(admin, filter, { sinceMs, rowsMax: ENTRIES_MAX }),
    nextSinceMs: getNextCallSinceMs,
    entriesMax: ENTRIES_MAX,
  }
}

async function openStageSource(
  call: Invocation,
  stage: string,
  filter: CallFilter,
): Promise<Source> {
  const account = await asCommandFault(openAwsAccount(readStageEnvironment(stage, call.shell)))
  const groups = await asCommandFault(listLogGroups(account, stage))
  if (groups.length === 0) {
    throw new CommandFault(`${account.region} has no logs of stage ${stage}.`, {
      remedy: 'Is the stage deployed there? AWS_REGION and AWS_PROFILE choose another place.',
    })
  }
  return {
    read: async (sinceMs) => {
      const range = { filter, sinceMs, untilMs: undefined, rowsMax: ENTRIES_MAX }
      const all = await asCommandFault(
        Promise.all(groups.map((group) => fetchLogEntries(account, group, range))),
      )
      return all.flat()
    },
    nextSinceMs: getNextLogSinceMs,
    entriesMax: ENTRIES_MAX,
  }
}

export const LOGS_COMMAND: Command = {
  name: 'logs',
  summary: 'Show calls as they end',
  details:
    'Oldest first, of the last ten minutes unless --since says otherwise. A twin has a log in its data folder, and a deployed stage has one that --stage reads with your AWS credentials: both have refused calls, and without a filter what else happened: changes, connections, sweeps, warnings and errors. Of any other gateway, and of a twin in memory, ended calls are shown.',
  arguments: [],
  options: [
    { flag: 'follow', help: 'go on until Ctrl-C; without --since from now on' },
    SINCE,
    ...CALL_FILTERS.map((row) =>
      row.flag === 'outcome' ? { ...row, choices: [...(row.choices ?? []), REFUSED] } : row,
    ),
    { flag: 'stage', value: 'STAGE', help: 'read the log of this stage', completes: 'stages' },
  ],
  examples: [
    {
      says: "What the demo user's agent did in the last hour",
      line: 'skillgate logs --user demo --since 1h',
    },
    {
      says: 'Which calls were refused in the last two hours, and why',
      line: 'skillgate logs --outcome refused --since 2h',
    },
    {
      says: 'Follow the calls',
      line: 'skillgate logs --follow',
      untested: 'runs until it is interrupted',
    },
    {
      says: 'Follow the failed calls of a stage',
      line: 'skillgate logs --follow --stage prod --outcome refunded',
      untested: 'needs an AWS account',
    },
  ],
  prints: 'a line for each call; with --json a line of JSON',
  data: 'document',
  run: logs,
}
