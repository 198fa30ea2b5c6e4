import type { _Record as StreamRecord } from '@aws-sdk/client-dynamodb-streams'
import { describe, expect, test } from 'vitest'
import {
  readSessionHash,
  toFeedNote,
} from '../../../../adapters/dynamodb/reply-stream/record-note.ts'
import { answerKey, leaseKey, replyKey, sessionKey } from '../../../../adapters/dynamodb/table.ts'
import { START_MS } from '../../../core/flow/manual-clock.ts'
import {
  partRecord,
  putRecord,
  removeRecord,
  replyRecord,
  sessionAt,
  sessionRecord,
} from './stream-records.ts'

const SEALED = new Uint8Array([7, 8, 9])

describe('a record of the stream', () => {
  test('of a session or a reply belongs to that session', () => {
    expect(readSessionHash(sessionRecord(sessionAt('ada')))).toBe('ada')
    expect(readSessionHash(replyRecord('ada', 1, SEALED))).toBe('ada')
  })

  test('of a lease or a stored answer belongs to no session', () => {
    expect(readSessionHash(putRecord(leaseKey('key', 'ada'), {}))).toBe(undefined)
    expect(readSessionHash(putRecord(answerKey('ada'), {}))).toBe(undefined)
    expect(readSessionHash({ eventName: 'INSERT' })).toBe(undefined)
  })

  test('of the session becomes the session as stored', () => {
    const pending = [{ id: '"a"', postedAtMs: START_MS, calls: true }]
    const session = sessionAt('ada', {
      seq: 4,
      base: 3,
      pending,
      sealedCredential: SEALED,
      endedAtMs: START_MS + 5,
    })
    expect(toFeedNote(sessionRecord(session), 'ada', START_MS)).toEqual({
      kind: 'session',
      session,
    })
  })

  test('of a session past its hour asks its tail to look', () => {
    const record = sessionRecord(sessionAt('ada'))
    expect(toFeedNote(record, 'ada', START_MS + 75_000 + 3_599_999)).toMatchObject({
      kind: 'session',
    })
    expect(toFeedNote(record, 'ada', START_MS + 75_000 + 3_600_000)).toEqual({ kind: 'look' })
  })

  test('of a reply in one item becomes the reply', () => {
    expect(toFeedNote(replyRecord('ada', 3, SEALED), 'ada', START_MS)).toEqual({
      kind: 'reply',
      reply: { seq: 3, sealed: SEALED },
    })
  })

  test('of a reply past its hour becomes nothing', () => {
    const record = replyRecord('ada', 3, SEALED)
    expect(toFeedNote(record, 'ada', START_MS + 3_599_999)).toMatchObject({ kind: 'reply' })
    expect(toFeedNote(record, 'ada', START_MS + 3_600_000)).toBe(undefined)
  })

  test('of the head of a reply in parts asks its tail to look, and of a part becomes nothing', () => {
    expect(toFeedNote(partRecord('ada', 3, 1), 'ada', START_MS)).toBe(undefined)
    const head = replyRecord('ada', 3, SEALED, { parts: 2 })
    expect(toFeedNote(head, 'ada', START_MS)).toEqual({ kind: 'look' })
  })

  test('of a removed reply becomes nothing, and of a removed session asks its tail to look', () => {
    expect(toFeedNote(removeRecord(replyKey('ada', 3)), 'ada', START_MS)).toBe(undefined)
    expect(toFeedNote(removeRecord(sessionKey('ada')), 'ada', START_MS)).toEqual({ kind: 'look' })
  })

  test('without an image asks its tail to look', () => {
    const { dynamodb, eventName }: StreamRecord = replyRecord('ada', 3, SEALED)
    const keys: StreamRecord = { eventName, dynamodb: { Keys: dynamodb?.Keys } }
    expect(toFeedNote(keys, 'ada', START_MS)).toEqual({ kind: 'look' })
  })

  test('of another shape than ours is a fault that names the item', () => {
    const record = putRecord(sessionKey('ada'), { hash: 'ada', keyHash: 5 })
    expect(() => toFeedNote(record, 'ada', START_MS)).toThrow(
      'stored item session:ada/meta: keyHash is not text',
    )
  })
})
