/**
 * Writes of secrets that the SDK repeats after a lost answer, and records that something else
 * wrote.
 */
import { describe, expect, test } from 'vitest'
import { secretsKey } from '../../../../adapters/dynamodb/table.ts'
import { dynamoSecrets } from '../../../../adapters/dynamodb/users/secrets.ts'
import { freshName, secretOf } from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { useLossyStore } from '../client/lossy-store.ts'
import { TABLES } from '../embedded-store.ts'

const { losing, store } = await useLossyStore(testClock())

describe('a lost answer', () => {
  test('to a removal counts as removed', async () => {
    const uid = freshName('u-')
    await dynamoSecrets(store).put(secretOf(uid, 'KEY'))
    const place = { uid, skillId: undefined, name: 'KEY' }
    expect(await losing('TransactWriteItems', () => dynamoSecrets(store).remove(place))).toBe(true)
    expect(await dynamoSecrets(store).list(uid)).toEqual([])
  })

  test('to a put, the first or a later one, stores the secret once', async () => {
    const uid = freshName('u-')
    const secrets = dynamoSecrets(store)
    expect(await losing('TransactWriteItems', () => secrets.put(secretOf(uid, 'A')))).toBe('stored')
    expect(await losing('TransactWriteItems', () => secrets.put(secretOf(uid, 'B')))).toBe('stored')
    expect((await secrets.list(uid)).map(({ name }) => name)).toEqual(['A', 'B'])
  })
})

test('a record that something else changed is a fault, and its value is not in the fault', async () => {
  const uid = freshName('u-')
  const item = {
    ...secretsKey(uid, undefined),
    sealed: { KEY: 'plain-text' },
    updatedAtMs: { KEY: { atMs: 1, binding: '{}' } },
    removals: 0,
  }
  await store.put(TABLES.gateway, { item })
  const finding = dynamoSecrets(store).find({ uid, skillId: 'sg_a', names: ['KEY'] })
  const fault = await finding.catch((cause: unknown) => String(cause))
  expect(fault).toContain('KEY is not bytes')
  expect(fault).not.toContain('plain-text')
})
