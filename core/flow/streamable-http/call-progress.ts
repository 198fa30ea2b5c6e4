/**
 * What a client hears while its call runs: `notifications/progress` where it gave a token, log
 * messages where it named a level. Progress is elapsed seconds against the guard, since an upstream
 * tells nothing of its own; each is greater than the one before, at most one a second, none after
 * the answer. Bound by MCP 2026-07-28, basic/patterns/progress, and ADR 0026.
 */
import { CALL_TIMEOUT_MS } from '../../call/limits.ts'
import type { JsonObject } from '../../json/json.ts'
import type { CallToolIntent, LogLevel } from '../../mcp/intent.ts'
import type { Revision } from '../../mcp/revision.ts'
import type { Ports } from '../../ports.ts'
import type { ToolOutcome } from '../tools/tool-outcome.ts'

/** Where messages go that come before the answer. */
export type Channel = {
  send(json: string): void
  /** Something was sent: the answer has no status any more. */
  readonly isOpen: boolean
}

/**
 * Nothing is sent before: 401 and 400 are statuses, and must be said while they can be. Refusals
 * come from execute within it; a call that is done by then is answered by a plain document.
 */
export const PROGRESS_AFTER_MS = 200

const SECOND_MS = 1_000
const GUARD_SEC = CALL_TIMEOUT_MS / SECOND_MS

export type CallProgress = {
  readonly channel: Channel
  readonly revision: Revision
  readonly intent: CallToolIntent
  /** Messages that wait for the channel to be opened. */
  readonly held: string[]
  /** Seconds told so far; of the rounds of one call each goes on where the last one ended. */
  toldSec: number | undefined
}

/** Undefined where there is nobody to tell. */
export function callProgress(
  revision: Revision,
  intent: CallToolIntent,
  channel: Channel | undefined,
): CallProgress | undefined {
  const wanted = intent.progressToken !== undefined || intent.logLevel !== undefined
  if (!wanted || channel === undefined) return undefined
  return { channel, revision, intent, held: [], toldSec: undefined }
}

/** Runs one round of a call and tells of it while it lasts. */
export function withProgress(
  ports: Pick<Ports, 'clock'>,
  news: CallProgress | undefined,
  run: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  return news === undefined ? run() : telling(ports, news, run)
}

async function telling(
  ports: Pick<Ports, 'clock'>,
  news: CallProgress,
  run: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const startedAtMs = ports.clock.nowMs()
  const done = new AbortController()
  log(news, 'debug', { event: 'call-sent', tool: news.intent.name })
  void beat(ports, news, startedAtMs, done.signal)
  try {
    const called = await run()
    logEnd(news, called, ports.clock.nowMs() - startedAtMs)
    return called
  } finally {
    done.abort('over')
  }
}

async function beat(
  { clock }: Pick<Ports, 'clock'>,
  news: CallProgress,
  startedAtMs: number,
  done: AbortSignal,
): Promise<void> {
  await clock.sleep(PROGRESS_AFTER_MS, done)
  if (done.aborted) return
  release(news)
  if (news.intent.progressToken === undefined) return
  const fromSec = news.toldSec ?? 0
  if (news.toldSec === undefined) progress(news, 0, fromSec)
  for (let sec = 1; ; sec += 1) {
    await clock.sleep(Math.max(1, startedAtMs + sec * SECOND_MS - clock.nowMs()), done)
    if (done.aborted) return
    progress(news, sec, fromSec)
  }
}

function progress(news: CallProgress, sec: number, fromSec: number): void {
  const { channel, intent, revision } = news
  if (intent.progressToken === undefined) return
  news.toldSec = fromSec + sec
  const text = revision.notifications.progress({
    token: intent.progressToken,
    progress: news.toldSec,
    total: fromSec + GUARD_SEC,
    message: `${intent.name} has run for ${sec} s of at most ${GUARD_SEC} s`,
  })
  channel.send(text)
}

/** What is refused is not logged: its status says it. */
function logEnd(news: CallProgress, called: ToolOutcome, durationMs: number): void {
  const { name: tool } = news.intent
  if (called.kind === 'input') {
    if (log(news, 'info', { event: 'call-needs-input', tool, durationMs })) release(news)
    return
  }
  if (called.kind !== 'result') return
  const { credits, isError } = called.result
  const cost = credits === undefined ? {} : { credits }
  const event = isError ? 'call-failed' : 'call-answered'
  if (log(news, isError ? 'warning' : 'info', { event, tool, durationMs, ...cost })) release(news)
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

/** False where the client does not want to hear of it. */
function log(news: CallProgress, level: LogLevel, data: JsonObject): boolean {
  const { intent, revision } = news
  const from = intent.logLevel
  const write = revision.notifications.log
  if (from === undefined || write === undefined) return false
  if (LEVELS.indexOf(level) < LEVELS.indexOf(from)) return false
  news.held.push(write({ level, logger: 'skillgate', data }))
  if (news.channel.isOpen) release(news)
  return true
}

function release(news: CallProgress): void {
  for (const text of news.held.splice(0)) news.channel.send(text)
}
