/** Sizes, steps and units of the session record. The contract suite tests what callers may do. */
import { describe, expect, test } from 'vitest'
import { dynamoSessions, FORGET_STEP_MAX } from '../../../../adapters/dynamodb/sessions/sessions.ts'
import { sessionKey } from '../../../../adapters/dynamodb/table.ts'
import { ID_LENGTH_MAX } from '../../../../core/jsonrpc/read-message.ts'
import { PENDING_MAX } from '../../../../core/session/limits.ts'
import type { PendingRequest } from '../../../../core/session/session.ts'
import { freshHash, requestOf } from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { useEmbeddedStore } from '../embedded-store.ts'

const clock = testClock()
const { store, seen } = await useEmbeddedStore(clock)

describe('the session record', () => {
  test('costs one write unit per POST, renewal, removal of entries and end', async () => {
    const sessions = dynamoSessions(store)
    const hash = await created()
    seen.length = 0
    for (const id of ['"a"', '"b"', '"c"', '"d"']) await accept(hash, id)
    await sessions.renew(hash, clock.nowMs() + 90_000)
    await sessions.forget({ hash, ifBase: 0, base: 3 })
    await sessions.end({ hash, nowMs: clock.nowMs() })
    expect(seen).toEqual(Array(7).fill({ command: 'update', units: 1 }))
  })

  test('keeps write tokens beside requests when 101 are forgotten at once', async () => {
    const sessions = dynamoSessions(store)
    const hash = await created()
    for (let id = 1; id <= 103; id += 1) await accept(hash, String(id))
    seen.length = 0
    await sessions.forget({ hash, ifBase: 0, base: 101 })
    expect(FORGET_STEP_MAX).toBe(50)
    expect(seen).toHaveLength(3)
    const session = await sessions.read(hash)
    expect([session?.seq, session?.base]).toEqual([103, 101])
    expect(session?.pending.map((request) => request.id)).toEqual(['102', '103'])
    const item = await store.get('Sessions', sessionKey(hash), 'consistent')
    expect(item?.['writeTokens']).toEqual(['m102', 'm103'])
  })

  test('removes no request that was never accepted', async () => {
    const sessions = dynamoSessions(store)
    const hash = await created()
    await accept(hash, '1')
    await sessions.forget({ hash, ifBase: 0, base: 2 })
    expect((await sessions.read(hash))?.base).toBe(0)
  })

  test('has room for 256 ids of the longest form, and can still be ended', async () => {
    const sessions = dynamoSessions(store)
    const longest = requestOf(JSON.stringify('\u0001'.repeat(ID_LENGTH_MAX)))
    const hash = await created(Array<PendingRequest>(PENDING_MAX - 1).fill(longest))
    const post = { hash, nowMs: clock.nowMs(), writeToken: 'm-of-12-long', request: longest }
    expect(await sessions.accept(post)).toMatchObject({ seq: 256 })
    expect(await sessions.end({ hash, nowMs: 2_000_000_001_000 })).toBe(true)
    expect((await sessions.read(hash))?.endedAtMs).toBe(2_000_000_001_000)
  })

  test("may be deleted one hour after its stream's last renewal", async () => {
    const hash = await created()
    const item = await store.get('Sessions', sessionKey(hash), 'consistent')
    expect(String(item?.['ttl'])).toBe('2000003675')
    await dynamoSessions(store).renew(hash, 2_000_000_100_001)
    const renewed = await store.get('Sessions', sessionKey(hash), 'consistent')
    expect(String(renewed?.['ttl'])).toBe('2000003701')
  })
})

async function created(pending: readonly PendingRequest[] = []): Promise<string> {
  const hash = freshHash()
  const nowMs = clock.nowMs()
  await dynamoSessions(store).create({
    hash,
    keyHash: freshHash(),
    uid: 'u-1',
    sealedCredential: new Uint8Array(80),
    createdAtMs: nowMs,
    lastPostAtMs: nowMs,
    aliveUntilMs: nowMs + 75_000,
    endedAtMs: undefined,
    seq: pending.length,
    base: 0,
    pending,
  })
  return hash
}

async function accept(hash: string, id: string): Promise<void> {
  const post = { hash, nowMs: clock.nowMs(), writeToken: `m${id}`, request: requestOf(id) }
  await dynamoSessions(store).accept(post)
}
