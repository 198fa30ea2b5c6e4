/** A reply in the table after its writers died or raced. The contract suite tests the rest of the port. */
import { describe, expect, test } from 'vitest'
import { PARTS_MAX } from '../../../../adapters/dynamodb/client/split-bytes.ts'
import { dynamoReplies } from '../../../../adapters/dynamodb/sessions/replies.ts'
import { dynamoSessions } from '../../../../adapters/dynamodb/sessions/sessions.ts'
import { replyPartKey, sessionKey } from '../../../../adapters/dynamodb/table.ts'
import { REPLY_ITEM_BYTES_MAX } from '../../../../core/session/limits.ts'
import type { SessionNews } from '../../../../core/session/session.ts'
import { freshHash, requestOf } from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { useEmbeddedStore } from '../embedded-store.ts'

const clock = testClock()
const { store, seen, troubles } = await useEmbeddedStore(clock)

describe('a stored reply', () => {
  test('of 1 kB is one write of at most two units', async () => {
    const hash = await sessionWith(1)
    seen.length = 0
    await dynamoReplies(store).append({ hash, seq: 1, sealed: new Uint8Array(800) })
    expect(seen).toEqual([{ command: 'put', units: 1 }])
  })

  test('that is long has its head written last, under its seq', async () => {
    const hash = await sessionWith(1)
    const sealed = new Uint8Array(REPLY_ITEM_BYTES_MAX * 2 + 1)
    await dynamoReplies(store).append({ hash, seq: 1, sealed })
    const items = await store.query('Sessions', {
      where: '#pk = :pk',
      values: { pk: sessionKey(hash).pk },
    })
    const keys = items.map((item) => String(item['sk']).replace(/#[\w-]{12}\./, '#writer.'))
    expect(keys).toEqual([
      'meta',
      'reply#000000000001',
      'reply#000000000001#writer.1',
      'reply#000000000001#writer.2',
    ])
    expect(items.map((item) => String(item['ttl']))).toEqual([
      '2000003675',
      '2000003600',
      '2000003600',
      '2000003600',
    ])
  })

  test('whose writer died before the head does not exist, and does not hide the next writer', async () => {
    const hash = await sessionWith(1)
    const data = new Uint8Array([9])
    await store.put('Sessions', { item: { ...replyPartKey(hash, 1, 'dead', 1), part: 1, data } })
    expect(await dynamoReplies(store).append({ hash, seq: 1, sealed: data })).toBe('appended')
    expect(await firstReply(hash)).toEqual({ kind: 'reply', seq: 1, sealed: data })
  })

  test('with a missing part is reported, never answered half', async () => {
    const hash = await sessionWith(1)
    const sealed = new Uint8Array(REPLY_ITEM_BYTES_MAX + 1)
    await dynamoReplies(store).append({ hash, seq: 1, sealed })
    const items = await store.query('Sessions', {
      where: '#pk = :pk AND begins_with(#sk, :part)',
      values: { pk: sessionKey(hash).pk, part: 'reply#000000000001#' },
    })
    for (const item of items) {
      await store.remove('Sessions', { pk: String(item['pk']), sk: String(item['sk']) })
    }
    const stopTail = new AbortController()
    const news: SessionNews[] = []
    const following = follow(hash, stopTail.signal, news)
    await until(() => troubles.length > 0)
    stopTail.abort()
    await following
    expect(news.filter((item) => item.kind === 'reply')).toEqual([])
    expect(String(troubles[0])).toContain('reply#1: part 1 is missing')
  })

  test('has at most 8 parts', async () => {
    const hash = await sessionWith(2)
    const longest = new Uint8Array(PARTS_MAX * REPLY_ITEM_BYTES_MAX)
    expect(longest.length).toBe(2_800_000)
    const replies = dynamoReplies(store)
    expect(await replies.append({ hash, seq: 1, sealed: longest })).toBe('appended')
    const longer = new Uint8Array(2_800_001)
    await expect(replies.append({ hash, seq: 2, sealed: longer })).rejects.toMatchObject({
      code: 'internal',
      message: 'reply: has 2800001 bytes, over the limit of 2800000',
    })
  })
})

describe('a tail with one slow request', () => {
  test('reads no reply twice: each poll costs two units, however much was delivered', async () => {
    const hash = await sessionWith(41)
    const replies = dynamoReplies(store)
    const stopTail = new AbortController()
    const news: SessionNews[] = []
    const following = follow(hash, stopTail.signal, news)
    const sealed = new Uint8Array(4_000)
    for (let seq = 2; seq <= 41; seq += 1) await replies.append({ hash, seq, sealed })
    await until(() => news.filter((item) => item.kind === 'reply').length === 40)
    seen.length = 0
    await until(() => seen.filter(({ command }) => command === 'query').length >= 10)
    stopTail.abort()
    await following
    const queries = seen.filter(({ command }) => command === 'query')
    expect(Math.max(...queries.map(({ units }) => units))).toBe(1)
    expect(queries.length).toBeLessThanOrEqual(13)
    expect(news.filter((item) => item.kind === 'reply')).toHaveLength(40)
  })
})

async function sessionWith(requests: number): Promise<string> {
  const hash = freshHash()
  const nowMs = clock.nowMs()
  const sessions = dynamoSessions(store)
  await sessions.create({
    hash,
    keyHash: 'anonymous',
    uid: undefined,
    sealedCredential: undefined,
    createdAtMs: nowMs,
    lastPostAtMs: nowMs,
    aliveUntilMs: nowMs + 75_000,
    endedAtMs: undefined,
    seq: 0,
    base: 0,
    pending: [],
  })
  for (let id = 1; id <= requests; id += 1) {
    await sessions.accept({ hash, nowMs, writeToken: `m${id}`, request: requestOf(String(id)) })
  }
  return hash
}

async function firstReply(hash: string): Promise<SessionNews | undefined> {
  const stopTail = new AbortController()
  for await (const news of dynamoReplies(store).tail(hash, stopTail.signal)) {
    if (news.kind !== 'reply') continue
    stopTail.abort()
    return news
  }
  return undefined
}

async function follow(hash: string, signal: AbortSignal, into: SessionNews[]): Promise<void> {
  for await (const news of dynamoReplies(store).tail(hash, signal)) into.push(news)
}

async function until(seenIt: () => boolean): Promise<void> {
  for (let looks = 0; looks < 1_000 && !seenIt(); looks += 1) await clock.sleep(3)
}
