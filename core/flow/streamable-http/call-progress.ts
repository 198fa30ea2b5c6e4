/**
 * Notifies a client while its call runs: `notifications/progress` if the request has a token, log
 * messages if it names a level. Progress is the elapsed seconds of the tool's time limit, until the
 * upstream reports its own; only MCP servers do. Each value is greater than the one before, at most one is sent a second,
 * and none after the answer. Bound by MCP 2026-07-28, basic/patterns/progress, and ADR 0026.
 */
import type { UpstreamProgress } from '../../call/upstream.ts'
import type { JsonObject } from '../../json/json.ts'
import type { CallToolIntent, LogLevel } from '../../mcp/intent.ts'
import type { Revision } from '../../mcp/revision.ts'
import type { Ports } from '../../ports/ports.ts'
import type { ToolOutcome } from '../tools/tool-outcome.ts'

/** Carries messages to the client before the answer. */
export type Channel = {
  send(json: string): void
  /** True once a message was sent: the response has begun, and its status is 200. */
  isOpen(): boolean
}

/**
 * Nothing is sent before this time, so that a refusal can still be a 401 or a 400; execute refuses
 * earlier than this. A call that ends earlier is answered with a plain JSON document.
 */
export const PROGRESS_AFTER_MS = 200

const SECOND_MS = 1_000

export type CallProgress = {
  readonly channel: Channel
  readonly revision: Revision
  readonly intent: CallToolIntent
  /** The time limit of the tool; requested once in each round that sends progress. */
  limitMs(): Promise<number>
  /** Messages to send once the response may begin. */
  readonly queued: string[]
  /** The last progress that was sent, in seconds. A later round of the call continues from it. */
  sentSec: number | undefined
  /** When the round that runs began; undefined between rounds. */
  roundAtMs: number | undefined
  /** Set once the upstream reports progress, which then replaces the seconds. */
  reported: { readonly from: number; atMs: number } | undefined
}

/** Returns undefined if the client wants no notification or accepts none before its answer. */
export function startCallProgress(
  revision: Revision,
  intent: CallToolIntent,
  { channel, limitMs }: { readonly channel: Channel | undefined; limitMs(): Promise<number> },
): CallProgress | undefined {
  const wanted = intent.progressToken !== undefined || intent.logLevel !== undefined
  if (!wanted || channel === undefined) return undefined
  return { channel, revision, intent, limitMs, queued: [], ...NOTHING_SENT }
}

const NOTHING_SENT = { sentSec: undefined, roundAtMs: undefined, reported: undefined }

/** Runs one round of a call and notifies the client while it runs. */
export function withProgress(
  ports: Pick<Ports, 'clock'>,
  notices: CallProgress | undefined,
  run: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  return notices === undefined ? run() : runAndNotify(ports, notices, run)
}

async function runAndNotify(
  ports: Pick<Ports, 'clock'>,
  notices: CallProgress,
  run: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const startedAtMs = ports.clock.nowMs()
  notices.roundAtMs = startedAtMs
  const done = new AbortController()
  queueLog(notices, 'debug', { event: 'call-sent', tool: notices.intent.name })
  void sendProgressEachSecond(ports, notices, startedAtMs, done.signal)
  try {
    const outcome = await run()
    sendEndLog(notices, outcome, ports.clock.nowMs() - startedAtMs)
    return outcome
  } finally {
    notices.roundAtMs = undefined
    done.abort('over')
  }
}

/** Milliseconds between two reports of an upstream that are passed on; more are dropped. */
const REPORT_PAUSE_MS = 100

/**
 * Passes on the progress of an upstream that reports some. Its numbers follow those that were sent
 * before, because progress must increase. Returns undefined if the client wants no progress.
 */
export function passOnProgress(
  { clock }: Pick<Ports, 'clock'>,
  notices: CallProgress | undefined,
): ((progress: UpstreamProgress) => void) | undefined {
  const token = notices?.intent.progressToken
  if (notices === undefined || token === undefined) return undefined
  return ({ message, progress, total }) => {
    const nowMs = clock.nowMs()
    const { intent, revision, roundAtMs, sentSec = Number.NEGATIVE_INFINITY } = notices
    if (roundAtMs === undefined || nowMs - roundAtMs < PROGRESS_AFTER_MS) return
    const { from, atMs } = notices.reported ?? { from: notices.sentSec ?? 0, atMs: 0 }
    const value = from + progress
    if (value <= sentSec || nowMs - atMs < REPORT_PAUSE_MS) return
    sendQueued(notices)
    notices.reported = { from, atMs: nowMs }
    notices.sentSec = value
    const said = { token, progress: value, message: message ?? `${intent.name} makes progress` }
    const all = total === undefined || total < progress ? undefined : from + total
    notices.channel.send(revision.notifications.progress({ ...said, total: all }))
  }
}

async function sendProgressEachSecond(
  { clock }: Pick<Ports, 'clock'>,
  notices: CallProgress,
  startedAtMs: number,
  done: AbortSignal,
): Promise<void> {
  await clock.sleep(PROGRESS_AFTER_MS, done)
  if (done.aborted) return
  sendQueued(notices)
  if (notices.intent.progressToken === undefined) return
  const limitSec = (await notices.limitMs()) / SECOND_MS
  if (done.aborted) return
  const fromSec = notices.sentSec ?? 0
  if (notices.sentSec === undefined) sendProgress(notices, 0, { fromSec, limitSec })
  const elapsedSec = Math.floor((clock.nowMs() - startedAtMs) / SECOND_MS)
  for (let sec = elapsedSec + 1; ; sec += 1) {
    await clock.sleep(Math.max(1, startedAtMs + sec * SECOND_MS - clock.nowMs()), done)
    if (done.aborted) return
    sendProgress(notices, sec, { fromSec, limitSec })
  }
}

type Span = { readonly fromSec: number; readonly limitSec: number }

/**
 * A call ends some time after its limit, when its refund is written, so the total grows if needed.
 */
function sendProgress(notices: CallProgress, sec: number, { fromSec, limitSec }: Span): void {
  const { channel, intent, revision } = notices
  if (intent.progressToken === undefined || notices.reported !== undefined) return
  notices.sentSec = fromSec + sec
  const text = revision.notifications.progress({
    token: intent.progressToken,
    progress: notices.sentSec,
    total: fromSec + Math.max(limitSec, sec),
    message: `${intent.name} has run for ${sec} s${describeLimit(sec, limitSec)}`,
  })
  channel.send(text)
}

function describeLimit(sec: number, limitSec: number): string {
  return sec > limitSec ? `; its limit of ${limitSec} s is over` : ` of at most ${limitSec} s`
}

/** A refusal is not logged, because its status reports it. */
function sendEndLog(notices: CallProgress, outcome: ToolOutcome, durationMs: number): void {
  const { name: tool } = notices.intent
  if (outcome.kind === 'input') {
    if (queueLog(notices, 'info', { event: 'call-needs-input', tool, durationMs }))
      sendQueued(notices)
    return
  }
  if (outcome.kind !== 'result') return
  const { credits, isError } = outcome.result
  const cost = credits === undefined ? {} : { credits }
  const event = isError ? 'call-failed' : 'call-answered'
  if (queueLog(notices, isError ? 'warning' : 'info', { event, tool, durationMs, ...cost }))
    sendQueued(notices)
}

const LEVELS: readonly LogLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

/** Returns false if the client wants no message of this level. */
function queueLog(notices: CallProgress, level: LogLevel, data: JsonObject): boolean {
  const { intent, revision } = notices
  const from = intent.logLevel
  const write = revision.notifications.log
  if (from === undefined || write === undefined) return false
  if (LEVELS.indexOf(level) < LEVELS.indexOf(from)) return false
  notices.queued.push(write({ level, logger: 'skillgate', data }))
  if (notices.channel.isOpen()) sendQueued(notices)
  return true
}

function sendQueued(notices: CallProgress): void {
  for (const text of notices.queued.splice(0)) notices.channel.send(text)
}
