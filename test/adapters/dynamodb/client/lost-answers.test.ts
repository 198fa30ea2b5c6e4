/** The SDK repeats every write whose answer is lost: the write must still count once. */
import { describe, expect, test } from 'vitest'
import { dynamoIdempotencyRecords } from '../../../../adapters/dynamodb/ledger/idempotency-records.ts'
import { dynamoLedger } from '../../../../adapters/dynamodb/ledger/ledger.ts'
import { dynamoSkills } from '../../../../adapters/dynamodb/registry/skills.ts'
import { dynamoToolsCache } from '../../../../adapters/dynamodb/registry/tools-cache.ts'
import { dynamoReplies } from '../../../../adapters/dynamodb/sessions/replies.ts'
import { dynamoSessions } from '../../../../adapters/dynamodb/sessions/sessions.ts'
import { dynamoKeys } from '../../../../adapters/dynamodb/users/keys.ts'
import { dynamoProfiles } from '../../../../adapters/dynamodb/users/profiles.ts'
import { dynamoUsernames } from '../../../../adapters/dynamodb/users/usernames.ts'
import { sameBytes } from '../../../contracts/answered.ts'
import {
  acceptedIn,
  claimOf,
  freshHash,
  freshName,
  holdOf,
  keyOf,
  profileOf,
  refundedOf,
  requestOf,
  settledOf,
  skillOf,
} from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { useLossyStore } from './lossy-store.ts'

const clock = testClock()
const { losing, store } = await useLossyStore(clock)

async function userWith(credits: number): Promise<string> {
  const uid = freshName('u-')
  await dynamoProfiles(store).create(profileOf(uid, { credits }))
  return uid
}

describe('a lost answer', () => {
  test('to a hold is recovered by its write token: credits are taken once', async () => {
    const uid = await userWith(1_000)
    const request = { uid, callId: 'c1', hold: holdOf(1_000), holdsMax: 1 }
    const answer = await losing('UpdateItem', () => dynamoLedger(store).hold(request))
    expect(answer).toEqual({
      kind: 'held',
      profile: profileOf(uid, { credits: 0, holds: { c1: { ...request.hold, placement: 1 } } }),
    })
  })

  test('to a release gives nothing back twice', async () => {
    const uid = await userWith(1_000)
    const ledger = dynamoLedger(store)
    await ledger.hold({ uid, callId: 'c1', hold: holdOf(400), holdsMax: 32 })
    const answer = await losing('UpdateItem', () =>
      ledger.release({ uid, callId: 'c1', giveBack: true }),
    )
    expect(answer).toEqual(profileOf(uid, { credits: 1_000 }))
  })

  test('to an outcome answers that same outcome', async () => {
    const outcome = refundedOf(freshName('u-'), 'c1', 500)
    expect(await losing('PutItem', () => dynamoLedger(store).decide(outcome))).toEqual(outcome)
  })

  test('to a void gives the credits back once', async () => {
    const uid = await userWith(1_000)
    const ledger = dynamoLedger(store)
    await ledger.hold({ uid, callId: 'c1', hold: holdOf(400), holdsMax: 32 })
    await ledger.decide(settledOf(uid, 'c1', 400))
    await ledger.release({ uid, callId: 'c1', giveBack: false })
    const answer = await losing('TransactWriteItems', () =>
      ledger.voidSettled({ uid, callId: 'c1', reason: 'void', nowMs: 3_000_000_000_000 }),
    )
    expect(answer?.state).toBe('refunded')
    expect((await dynamoProfiles(store).read(uid))?.credits).toBe(1_000)
  })

  test('to a grant counts it once, and not as a repetition', async () => {
    const uid = await userWith(0)
    const grant = { uid, grantId: 'g1', amount: 500, creditsMax: 1_000, nowMs: 1 }
    const answer = await losing('TransactWriteItems', () => dynamoLedger(store).grant(grant))
    expect(answer).toEqual({ kind: 'granted', profile: profileOf(uid, { credits: 500 }) })
  })

  test("to an accept keeps the request's one seq", async () => {
    const sessions = dynamoSessions(store)
    const hash = await openSession()
    const post = { hash, nowMs: clock.nowMs(), writeToken: 'm1', request: requestOf('7') }
    const session = await losing('UpdateItem', () => sessions.accept(post))
    expect(session).toMatchObject({ seq: 1, pending: [{ id: '7' }] })
    expect(acceptedIn(session).pending).toHaveLength(1)
    expect((await sessions.read(hash))?.pending).toHaveLength(1)
  })

  test('to the creation of a session, a user or a skill counts as created', async () => {
    const hash = await losing('PutItem', openSession)
    expect((await dynamoSessions(store).read(hash))?.hash).toBe(hash)
    const profile = profileOf(freshName('u-'), { credits: 5 })
    expect(await losing('TransactWriteItems', () => dynamoProfiles(store).create(profile))).toBe(
      true,
    )
    const to = { tier: 'pro' }
    await losing('TransactWriteItems', () => dynamoProfiles(store).change(profile.uid, to))
    expect(await dynamoProfiles(store).read(profile.uid)).toEqual({ ...profile, ...to })
    const skill = skillOf(freshName('sg_'))
    expect(await losing('TransactWriteItems', () => dynamoSkills(store).put(skill, 0))).toBe(true)
    const next = { ...skill, version: 2 }
    expect(await losing('TransactWriteItems', () => dynamoSkills(store).put(next, 1))).toBe(true)
  })

  test('to a claim of a name leaves the name to its claimer', async () => {
    const claim = { uid: freshName('u-'), toolName: 'ada_joke', skillId: 'sg_joke' }
    const holder = await losing('PutItem', () => dynamoSkills(store).claimToolName(claim))
    expect(holder).toBe('sg_joke')
    const [usernames, name] = [dynamoUsernames(store), freshName('ada')]
    for (const version of [1, 2]) {
      const written = () => usernames.write(name, { uids: ['u-1'], version })
      expect(await losing('PutItem', written)).toBe(true)
    }
    expect(await usernames.read(name)).toEqual({ uids: ['u-1'], version: 2 })
  })

  test('to a renewal of a key answers the renewed record', async () => {
    const keys = dynamoKeys(store)
    const keyHash = freshHash()
    const record = { keyHash, uid: 'u-1', username: 'ada', keyPrefix: 'sgk_ab12' }
    await keys.put({ ...record, createdAtMs: 1, expiresAtMs: 2, renewedAtMs: 1 })
    await losing('UpdateItem', () =>
      keys.renew({ keyHash, expiresAtMs: 9_000, renewedAtMs: 5, ifRenewedAtMs: 1 }),
    )
    expect((await keys.find(keyHash))?.expiresAtMs).toBe(9_000)
  })

  test('to the first or second write of a new key stores and lists it', async () => {
    for (const operation of ['PutItem', 'TransactWriteItems']) {
      const keys = dynamoKeys(store)
      const record = keyOf(freshHash(), { uid: freshName('u-') })
      await losing(operation, () => keys.put(record))
      expect(await keys.list(record.uid)).toEqual([record])
      expect(await keys.find(record.keyHash)).toEqual(record)
    }
  })

  test('to the first or second write of a revocation revokes the key', async () => {
    for (const about of ['auth:hash:', 'keys:']) {
      const keys = dynamoKeys(store)
      const record = keyOf(freshHash(), { uid: freshName('u-') })
      await keys.put(record)
      expect(await losing('DeleteItem', () => keys.revoke(record), about)).toBe(true)
      expect(await keys.list(record.uid)).toEqual([])
    }
  })

  test('to a claim of an idempotency record counts as claimed', async () => {
    const claim = claimOf(freshHash())
    const answers = dynamoIdempotencyRecords(store)
    expect(await losing('PutItem', () => answers.claim(claim))).toEqual({ kind: 'claimed' })
  })

  test('to the keeping of an idempotent answer stores it once, whole', async () => {
    const answers = dynamoIdempotencyRecords(store)
    const claim = claimOf(freshHash())
    await answers.claim(claim)
    const sealed = new Uint8Array(400_000).fill(3)
    await losing('UpdateItem', () => answers.keep({ ...claim, sealed }))
    const claimed = await answers.claim(claimOf(claim.id))
    const kept = claimed.kind === 'standing' ? claimed.answer.kept : undefined
    expect(kept instanceof Uint8Array && sameBytes(kept, sealed)).toBe(true)
  })

  test('to a drop of a claim frees the id', async () => {
    const answers = dynamoIdempotencyRecords(store)
    const claim = claimOf(freshHash())
    await answers.claim(claim)
    await losing('DeleteItem', () => answers.drop(claim))
    expect(await answers.claim(claimOf(claim.id))).toEqual({ kind: 'claimed' })
  })

  test('to the head of a reply counts as appended, not as taken', async () => {
    const reply = { hash: await openSession(), seq: 1, sealed: new Uint8Array([1, 2, 3]) }
    expect(await losing('PutItem', () => dynamoReplies(store).append(reply))).toBe('appended')
  })

  test('to the flip of the tools list makes the new version count', async () => {
    const cache = dynamoToolsCache(store)
    const first = await cache.write([], undefined)
    const version = await losing('PutItem', () => cache.write([], first), '"head"')
    expect(version).toBeDefined()
    expect(await cache.read()).toEqual({ version, tools: [] })
  })
})

async function openSession(): Promise<string> {
  const hash = freshHash()
  const nowMs = clock.nowMs()
  await dynamoSessions(store).create({
    hash,
    keyHash: freshHash(),
    uid: 'u-1',
    sealedCredential: new Uint8Array([7]),
    createdAtMs: nowMs,
    lastPostAtMs: nowMs,
    aliveUntilMs: nowMs + 75_000,
    endedAtMs: undefined,
    seq: 0,
    base: 0,
    pending: [],
  })
  return hash
}
