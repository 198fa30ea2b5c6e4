/**
 * Contract of the port IdempotencyRecords: one attempt claims an id, then keeps one answer whole or
 * frees the id. Later attempts get that record for 24 h. Bound by docs/service.md, Idempotency-Key.
 */
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { KEPT_ANSWER_BYTES_MAX } from '../../core/call/idempotency.ts'
import { REPLY_ITEM_BYTES_MAX } from '../../core/session/limits.ts'
import { bytes, sameBytes } from './answered.ts'
import { atOnce, claimOf, freshHash } from './fresh.ts'
import { type MakePorts, openedPorts, type StorePorts } from './store-ports.ts'

const DAY_MS = 86_400_000

export function describeAnswers(name: string, makePorts: MakePorts): void {
  describe(`${name}: idempotency records`, () => {
    const opened = openedPorts(makePorts)
    describe('claims', () => describeClaims(opened))
    describe('answers that are kept, and claims that are dropped', () => describeKept(opened))
  })
}

function describeClaims(opened: () => StorePorts): void {
  test('the first claim of an id succeeds, and the next one gets its record', async () => {
    const { idempotencyRecords } = opened()
    const first = claimOf(freshHash())
    const other = claimOf(first.id, { bodyHash: 'body-2', sealingKeyHash: 'key-2', callId: '1-c2' })
    expect(await idempotencyRecords.claim(first)).toEqual({ kind: 'claimed' })
    expect(await idempotencyRecords.claim(other)).toEqual({
      kind: 'standing',
      answer: { ...first, kept: 'not-yet' },
    })
    expect(await idempotencyRecords.claim(claimOf(freshHash()))).toEqual({ kind: 'claimed' })
  })

  test('our own claim sent again, after its answer was lost, counts as claimed', async () => {
    const { idempotencyRecords } = opened()
    const claim = claimOf(freshHash())
    await idempotencyRecords.claim(claim)
    expect(await idempotencyRecords.claim(claim)).toEqual({ kind: 'claimed' })
  })

  test('one of 20 attempts at once claims, and the others get its record', async () => {
    const { idempotencyRecords } = opened()
    const id = freshHash()
    const claims = Array.from({ length: 20 }, () => claimOf(id))
    const outcomes = await Promise.all(claims.map((claim) => idempotencyRecords.claim(claim)))
    const winner = claims[outcomes.findIndex(({ kind }) => kind === 'claimed')]
    const standing = outcomes.flatMap((one) => (one.kind === 'standing' ? [one.answer] : []))
    expect(standing).toEqual(Array(19).fill({ ...winner, kept: 'not-yet' }))
  })

  test('a claim stays to its last millisecond, and is free a day after it', async () => {
    const { idempotencyRecords } = opened()
    const first = claimOf(freshHash())
    await idempotencyRecords.claim(first)
    const last = claimOf(first.id, { claimedAtMs: first.claimedAtMs + DAY_MS - 1 })
    expect((await idempotencyRecords.claim(last)).kind).toBe('standing')
    const next = claimOf(first.id, { claimedAtMs: first.claimedAtMs + DAY_MS, callId: '2-c2' })
    expect(await idempotencyRecords.claim(next)).toEqual({ kind: 'claimed' })
    expect(await idempotencyRecords.claim({ ...next, writeToken: 'later' })).toEqual({
      kind: 'standing',
      answer: { ...next, kept: 'not-yet' },
    })
  })

  test('a claim keeps the task of its own call, until its answer follows', async () => {
    const { idempotencyRecords } = opened()
    const claim = claimOf(freshHash())
    const { id, writeToken } = claim
    const task = new Uint8Array([1, 2, 3])
    expect(await idempotencyRecords.keepTask({ id, writeToken, sealed: task })).toBe(false)
    await idempotencyRecords.claim(claim)
    const foreign = { id, writeToken: 'another', sealed: new Uint8Array([4]) }
    expect(await idempotencyRecords.keepTask(foreign)).toBe(false)
    expect(await idempotencyRecords.keepTask({ id, writeToken, sealed: task })).toBe(true)
    expect(await idempotencyRecords.keepTask({ id, writeToken, sealed: task })).toBe(true)
    expect(await idempotencyRecords.claim({ ...claim, writeToken: 'later' })).toEqual({
      kind: 'standing',
      answer: { ...claim, kept: 'not-yet', task },
    })
    const sealed = new Uint8Array([5])
    await idempotencyRecords.keep({ ...claim, sealed })
    expect(await idempotencyRecords.find(id)).toEqual({ ...claim, kept: sealed, task })
    expect(await idempotencyRecords.keepTask({ id, writeToken, sealed: task })).toBe(false)
  })

  test('a record is found as it stands, and an id without one is not found', async () => {
    const { idempotencyRecords } = opened()
    const claim = claimOf(freshHash())
    expect(await idempotencyRecords.find(claim.id)).toBeUndefined()
    await idempotencyRecords.claim(claim)
    expect(await idempotencyRecords.find(claim.id)).toEqual({ ...claim, kept: 'not-yet' })
    const sealed = new Uint8Array(randomBytes(REPLY_ITEM_BYTES_MAX + 1))
    await idempotencyRecords.keep({ ...claim, sealed })
    const { kept, ...rest } = (await idempotencyRecords.find(claim.id)) ?? {}
    expect(rest).toEqual(claim)
    expect(kept instanceof Uint8Array && sameBytes(kept, sealed)).toBe(true)
    const dropped = claimOf(freshHash())
    await idempotencyRecords.claim(dropped)
    await idempotencyRecords.drop(dropped)
    expect(await idempotencyRecords.find(dropped.id)).toBeUndefined()
  })

  test.each(['not-yet', 'kept'])(
    'one of 10 attempts that replace one record (%s) claims, and its late writer changes nothing',
    async (state) => {
      const { idempotencyRecords } = opened()
      const old = claimOf(freshHash())
      await idempotencyRecords.claim(old)
      if (state === 'kept') await idempotencyRecords.keep({ ...old, sealed: bytes(1) })
      const claims = Array.from({ length: 10 }, () => claimOf(old.id, { callId: '2-c2' }))
      const outcomes = await Promise.all(
        claims.map((claim) => idempotencyRecords.claim({ ...claim, over: old.writeToken })),
      )
      const winner = claims[outcomes.findIndex(({ kind }) => kind === 'claimed')]
      const standing = outcomes.flatMap((one) => (one.kind === 'standing' ? [one.answer] : []))
      expect(standing).toEqual(Array(9).fill({ ...winner, kept: 'not-yet' }))
      await idempotencyRecords.keep({ ...old, sealed: bytes(2) })
      await idempotencyRecords.drop(old)
      expect(await idempotencyRecords.find(old.id)).toEqual({ ...winner, kept: 'not-yet' })
    },
  )

  test('a record is replaced under its own token alone', async () => {
    const { idempotencyRecords } = opened()
    const first = claimOf(freshHash())
    await idempotencyRecords.claim(first)
    const other = claimOf(first.id, { callId: '2-c2' })
    expect(await idempotencyRecords.claim({ ...other, over: 'another' })).toEqual({
      kind: 'standing',
      answer: { ...first, kept: 'not-yet' },
    })
  })

  test('one of 10 attempts at once on an expired answer claims, and none gets the old answer', async () => {
    const { idempotencyRecords } = opened()
    const old = claimOf(freshHash())
    await idempotencyRecords.claim(old)
    await idempotencyRecords.keep({ id: old.id, writeToken: old.writeToken, sealed: bytes(1) })
    const claimedAtMs = old.claimedAtMs + DAY_MS
    const claim = await atOnce(10, () => idempotencyRecords.claim(claimOf(old.id, { claimedAtMs })))
    expect(claim.filter(({ kind }) => kind === 'claimed')).toHaveLength(1)
    const kept = claim.flatMap((one) => (one.kind === 'standing' ? [one.answer.kept] : []))
    expect(kept).toEqual(Array(9).fill('not-yet'))
    // An attempt of yesterday goes on: it can neither keep nor drop a record that is no longer its own.
    await idempotencyRecords.keep({ id: old.id, writeToken: old.writeToken, sealed: bytes(2) })
    await idempotencyRecords.drop({ id: old.id, writeToken: old.writeToken })
    const last = await idempotencyRecords.claim(claimOf(old.id, { claimedAtMs }))
    expect(last).toMatchObject({ kind: 'standing', answer: { kept: 'not-yet', claimedAtMs } })
  })
}

function describeKept(opened: () => StorePorts): void {
  test.each([
    ['empty', 0],
    ['one byte', 1],
    ['one full item', REPLY_ITEM_BYTES_MAX],
    ['one byte past one item', REPLY_ITEM_BYTES_MAX + 1],
    ['two full items', 2 * REPLY_ITEM_BYTES_MAX],
    ['the longest text and its seal', KEPT_ANSWER_BYTES_MAX + 64],
  ])('a kept answer of %s comes back whole, each time', async (_what, length) => {
    const { idempotencyRecords } = opened()
    const claim = claimOf(freshHash())
    await idempotencyRecords.claim(claim)
    const sealed = new Uint8Array(randomBytes(length))
    await idempotencyRecords.keep({ id: claim.id, writeToken: claim.writeToken, sealed })
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const outcome = await idempotencyRecords.claim(claimOf(claim.id))
      if (outcome.kind !== 'standing') throw new Error('it is not kept')
      const { kept, ...rest } = outcome.answer
      expect(rest).toEqual(claim)
      expect(kept instanceof Uint8Array && sameBytes(kept, sealed)).toBe(true)
    }
  })

  test.each(['too_large', 'interrupted'] as const)(
    'a note that there is no answer (%s) is kept in its place',
    async (sealed) => {
      const { idempotencyRecords } = opened()
      const claim = claimOf(freshHash())
      const { id, writeToken } = claim
      await idempotencyRecords.claim(claim)
      await idempotencyRecords.keep({ id, writeToken, sealed })
      await idempotencyRecords.keep({ id, writeToken, sealed: bytes(1) })
      expect(await idempotencyRecords.claim(claimOf(claim.id))).toEqual({
        kind: 'standing',
        answer: { ...claim, kept: sealed },
      })
    },
  )

  test('the first answer stays: keeping again, dropping or claiming again changes nothing', async () => {
    const { idempotencyRecords } = opened()
    const claim = claimOf(freshHash())
    const { id, writeToken } = claim
    await idempotencyRecords.claim(claim)
    await idempotencyRecords.keep({ id, writeToken, sealed: bytes(1) })
    await idempotencyRecords.keep({ id, writeToken, sealed: bytes(2) })
    await idempotencyRecords.keep({ id, writeToken, sealed: 'too_large' })
    await idempotencyRecords.drop({ id, writeToken })
    // A late duplicate of the claim: to accept it would run the call twice.
    const standing = { kind: 'standing', answer: { ...claim, kept: bytes(1) } }
    expect(await idempotencyRecords.claim(claim)).toEqual(standing)
    expect(await idempotencyRecords.claim(claimOf(id))).toEqual(standing)
  })

  test('only the attempt that claimed may keep or drop', async () => {
    const { idempotencyRecords } = opened()
    const claim = claimOf(freshHash())
    await idempotencyRecords.claim(claim)
    await idempotencyRecords.keep({ id: claim.id, writeToken: 'other', sealed: bytes(1) })
    await idempotencyRecords.drop({ id: claim.id, writeToken: 'other' })
    expect(await idempotencyRecords.claim(claimOf(claim.id))).toEqual({
      kind: 'standing',
      answer: { ...claim, kept: 'not-yet' },
    })
  })

  test('a dropped claim frees the id for another body, and a late keep of it changes nothing', async () => {
    const { idempotencyRecords } = opened()
    const first = claimOf(freshHash())
    const { id, writeToken } = first
    await idempotencyRecords.claim(first)
    await idempotencyRecords.drop({ id, writeToken })
    await idempotencyRecords.drop({ id, writeToken })
    await idempotencyRecords.keep({ id, writeToken, sealed: bytes(1) })
    const next = claimOf(id, { bodyHash: 'body-2' })
    expect(await idempotencyRecords.claim(next)).toEqual({ kind: 'claimed' })
    await idempotencyRecords.drop({ id, writeToken })
    expect(await idempotencyRecords.claim(claimOf(id))).toEqual({
      kind: 'standing',
      answer: { ...next, kept: 'not-yet' },
    })
  })
}
