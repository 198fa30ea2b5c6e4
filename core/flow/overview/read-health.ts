/**
 * GET health: what the gateway can tell of itself, each check as one line in the words of `doctor`.
 * A check that cannot be made is a finding, not a failure of the request, so the page is there when
 * it is needed most. Bound by ADR 0149.
 */
import { toMinute } from '../../access/minute.ts'
import { Fault } from '../../errors.ts'
import { DAY_MS, toUtcSecond } from '../../json/utc-time.ts'
import type { Alarm, FoundAlarms } from '../../ports/alarms.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import {
  describeUpstreams,
  findUpstreamFaults,
  joinUpstreamFaults,
} from '../../skills/upstreams/describe-upstreams.ts'
import { toUpstreamState } from '../upstreams/show-upstream.ts'

/** A sweep runs each minute; one that missed this many is not running. */
export const SWEEP_LATE_MINUTES = 10
/** An event that failed longer ago than this is history, and no longer something to act on. */
export const FAILED_EVENT_MS = 7 * DAY_MS
/** Failed events that are counted. */
export const FAILED_EVENTS_MAX = 100

export type HealthFinding = {
  readonly check: string
  readonly ok: boolean
  readonly finding: string
}

export type Health = {
  readonly checkedAtMs: number
  readonly version: string
  readonly node: string
  /** Revisions of MCP that are served, newest first. */
  readonly revisions: readonly string[]
  readonly findings: readonly HealthFinding[]
  /** Absent where nothing watches the gateway, or where the alarms could not be read. */
  readonly alarms?: readonly Alarm[]
}

type Needs = Pick<Ports, 'alarms' | 'clock'> & {
  readonly events: Pick<Ports['events'], 'list'>
  readonly mcpUpstreams: Pick<Ports['mcpUpstreams'], 'list'>
  readonly sweepEntries: Pick<Ports['sweepEntries'], 'readCursor'>
  readonly toolListVersion: Pick<Ports['toolListVersion'], 'read'>
}

/** What the process is, which the core cannot know. */
export type Build = { readonly node: string; readonly revisions: readonly string[] }

/** Makes all checks at once. */
export async function readHealth(
  ports: Needs,
  settings: Settings,
  { node, revisions }: Build,
): Promise<Health> {
  const [alarms, ...findings] = await Promise.all([
    ports.alarms.read(),
    runCheck('store', () => checkStore(ports)),
    runCheck('sweep', () => checkSweep(ports)),
    runCheck('upstreams', () => checkUpstreams(ports)),
    runCheck('events', () => checkEvents(ports, settings)),
  ])
  return {
    checkedAtMs: ports.clock.nowMs(),
    version: settings.version,
    node,
    revisions,
    findings: [
      ...findings,
      checkAlarms(alarms),
      { check: 'issuers', ok: true, finding: describeIssuers(settings) },
      { check: 'login', ok: true, finding: describeLogin(settings) },
    ],
    ...(alarms.kind === 'found' ? { alarms: alarms.alarms } : {}),
  }
}

/** What is wrong, and what to do about it. */
type Wrong = { readonly wrong: string }

/** The store logs its own trouble. */
async function runCheck(check: string, run: () => Promise<string | Wrong>): Promise<HealthFinding> {
  try {
    const found = await run()
    return typeof found === 'string'
      ? { check, ok: true, finding: found }
      : { check, ok: false, finding: found.wrong }
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    return { check, ok: false, finding: 'not known: the store did not answer. Try again.' }
  }
}

async function checkStore({ toolListVersion }: Needs): Promise<string> {
  const changedAtMs = await toolListVersion.read()
  return changedAtMs === 0
    ? 'answers; the tool list was never changed'
    : `answers; the tool list was last changed at ${toUtcSecond(changedAtMs)}`
}

/** A visited minute is at least two minutes old, because its holds are. */
async function checkSweep({ clock, sweepEntries }: Needs): Promise<string | Wrong> {
  const cursor = await sweepEntries.readCursor()
  if (cursor === undefined) return { wrong: 'has not run yet; it runs each minute.' }
  const behind = toMinute(clock.nowMs()) - cursor.minute
  if (behind <= SWEEP_LATE_MINUTES) return 'runs; holds of calls that died are given back'
  const wrong = `is ${behind} minutes behind: holds of calls that died stay. See the log of the function sweep.`
  return { wrong }
}

async function checkUpstreams({ mcpUpstreams }: Needs): Promise<string | Wrong> {
  const upstreams = await mcpUpstreams.list()
  const faults = upstreams.flatMap((upstream) => {
    const { counts, lastFailure = '' } = upstream.status
    return findUpstreamFaults({
      id: upstream.id,
      state: toUpstreamState(upstream),
      held: counts.changed + counts.flagged,
      lastFailure,
    })
  })
  if (faults.length > 0) return { wrong: joinUpstreamFaults(faults) }
  return describeUpstreams(upstreams.length)
}

async function checkEvents({ clock, events }: Needs, settings: Settings): Promise<string | Wrong> {
  const failed = await events.list({ state: 'failed', limit: FAILED_EVENTS_MAX })
  const sinceMs = clock.nowMs() - FAILED_EVENT_MS
  const count = failed.events.filter(({ endedAtMs = 0 }) => endedAtMs >= sinceMs).length
  if (count > 0) {
    const events = count === 1 ? '1 event was' : `${count} events were`
    return { wrong: `${events} not delivered in the last 7 days: skillgate events ls.` }
  }
  return settings.events === undefined
    ? 'none are sent: there is no target'
    : 'all of the last 7 days were delivered, or are about to be'
}

function checkAlarms(found: FoundAlarms): HealthFinding {
  const check = 'alarms'
  switch (found.kind) {
    case 'found': {
      const on = found.alarms.filter(({ state }) => state === 'on').map(({ name }) => name)
      const finding =
        on.length === 0 ? `none of ${found.alarms.length} is on` : `${on.join(', ')}: on`
      return { check, ok: on.length === 0, finding }
    }
    case 'none_here':
      return { check, ok: true, finding: 'none here: they are a part of a stage on AWS' }
    case 'no_right':
      return {
        check,
        ok: false,
        finding:
          'not known: the role of admin lacks cloudwatch:DescribeAlarms. Deploy this version.',
      }
    case 'failed':
      return { check, ok: false, finding: `not known: CloudWatch answered ${found.name}.` }
    default:
      return found satisfies never
  }
}

function describeIssuers({ issuers }: Settings): string {
  const named = issuers.filter(({ admin }) => admin !== undefined).map(({ issuer }) => issuer)
  return named.length === 0
    ? 'none: administrators use keys'
    : `people sign in at ${named.join(', ')}`
}

function describeLogin({ login, publicOrigin }: Settings): string {
  return login === undefined
    ? 'none: clients need a key (docs/login.md says how to switch a login on)'
    : `${publicOrigin}/mcp can be logged in with`
}
