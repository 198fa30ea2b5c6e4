/**
 * Measures what only the real platform shows, as table rows: the time to the first byte, whether
 * small chunks are held back, replies after a 202, and whether a dropped connection is noticed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openSmokeStream, type SmokeStream } from './stream.ts'
import type { SmokeTarget } from './target.ts'

export type Row = readonly [what: string, samples: number, p50: string, p99: string]

const STREAMS = 5
/** Number of pings; they are not counted in the key's rate limit. */
const PINGS = 20
/**
 * A comment follows each event in the next tick. A comment that arrives later than this was held
 * back.
 */
const HELD_BACK_MS = 1_000
/**
 * Wait after a dropped connection. A dead stream stops renewing its session, and 75 s later POSTs
 * are refused.
 */
const DROP_WAIT_MS = 90_000

/**
 * Opens streams and sends pings one after the other. Throws an Error if the gateway does not answer
 * as expected.
 */
export async function measurePlatform(
  target: SmokeTarget,
  pingCount = PINGS,
): Promise<readonly Row[]> {
  const url = new URL('/v1/mcp/sse', target.sse)
  const firstBytesMs: number[] = []
  for (let one = 0; one < STREAMS; one += 1) {
    const stream = await openSmokeStream(url, target.key)
    firstBytesMs.push(stream.firstByteMs)
    stream.cut()
  }
  const stream = await openSmokeStream(url, target.key)
  const pings: Ping[] = []
  for (let id = 1; id <= pingCount; id += 1) pings.push(await ping(stream, id))
  const dropped = target.disconnects ? await measureDrop(stream) : undefined
  stream.cut()
  const comments = pings.flatMap(({ commentMs }) => commentMs ?? [])
  return [
    formatRow('GET the stream → first block', firstBytesMs),
    formatRow(
      'POST → 202',
      pings.map(({ acceptedMs }) => acceptedMs),
    ),
    formatRow(
      '202 → reply event',
      pings.map(({ replyMs }) => replyMs),
    ),
    formatRow('event → the comment behind it', comments),
    [
      'comments held back 1 s and longer (small-chunk delay)',
      pingCount,
      `${pingCount - comments.length} of ${pingCount}`,
      '',
    ],
    [
      'POST 90 s after a dropped connection',
      dropped === undefined ? 0 : 1,
      dropped ?? 'not asked (--disconnects)',
      '',
    ],
  ]
}

type Ping = {
  readonly acceptedMs: number
  readonly replyMs: number
  readonly commentMs: number | undefined
}

async function ping(stream: SmokeStream, id: number): Promise<Ping> {
  const before = stream.arrived.length
  const { status, tookMs } = await stream.post({ jsonrpc: '2.0', id, method: 'ping' })
  if (status !== 202) throw new Error(`a ping was answered ${status} instead of 202`)
  const acceptedAtMs = performance.now()
  const reply = await stream.next(
    before,
    ({ kind, data }) => kind === 'event' && readId(data) === id,
  )
  if (reply === undefined)
    throw new Error(
      'a ping got 202 and no reply in 20 s: messages does not work on after its answer',
    )
  const index = stream.arrived.indexOf(reply) + 1
  const comment = await stream.next(index, ({ kind }) => kind === 'comment', HELD_BACK_MS)
  return {
    acceptedMs: tookMs,
    replyMs: Math.max(0, reply.atMs - acceptedAtMs),
    commentMs: comment === undefined ? undefined : comment.atMs - reply.atMs,
  }
}

function readId(data: string): unknown {
  const message: unknown = JSON.parse(data)
  return typeof message === 'object' && message !== null && 'id' in message ? message.id : undefined
}

async function measureDrop(stream: SmokeStream): Promise<string> {
  stream.cut()
  await sleep(DROP_WAIT_MS)
  const { status } = await stream.post({ jsonrpc: '2.0', id: 0, method: 'ping' })
  return status === 404 ? '404: the host told us' : `${status}: nobody noticed`
}

function formatRow(name: string, values: readonly number[]): Row {
  if (values.length === 0) return [name, 0, 'none came', '']
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
  return [name, values.length, `${at(0.5)?.toFixed(1)} ms`, `${at(0.99)?.toFixed(1)} ms`]
}
