/** How long sealed secrets are cached, counted in requests, and races with changes of a secret. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { ConsumedUnits } from '../../../../adapters/dynamodb/client/connection.ts'
import type { DynamoStore } from '../../../../adapters/dynamodb/client/document-store.ts'
import { secretsKey } from '../../../../adapters/dynamodb/table.ts'
import { ANSWER_BYTES_MAX, ANSWERS_MAX } from '../../../../adapters/dynamodb/users/secret-cache.ts'
import { dynamoSecrets } from '../../../../adapters/dynamodb/users/secrets.ts'
import { dynamoSharedSecrets } from '../../../../adapters/dynamodb/users/shared-secrets.ts'
import type { SecretStore } from '../../../../core/ports/secrets.ts'
import { bytes } from '../../../contracts/answered.ts'
import { freshName, secretOf } from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { useEmbeddedStore } from '../embedded-store.ts'

const clock = testClock()
const { store, seen } = await useEmbeddedStore(clock)
beforeEach(() => {
  seen.length = 0
})

/** Two records in one batch, each strongly consistent. */
const READ: ConsumedUnits = { command: 'batchGet', units: 2 }

describe('an answer with secrets', () => {
  test('is read once in 30 s, counted from the start of the read', async () => {
    const { find, secrets } = await storedSecret()
    await find(secrets)
    clock.advance(29_999)
    expect(await find(secrets)).toEqual([bytes(1)])
    expect(seen).toEqual([READ])
    clock.advance(1)
    await find(secrets)
    expect(seen).toEqual([READ, READ])
  })

  test('that was changed elsewhere is used for 30 s at most', async () => {
    const { find, secrets, uid } = await storedSecret()
    await find(secrets)
    await dynamoSecrets(store).put(secretOf(uid, 'KEY', { sealed: bytes(2) }))
    clock.advance(29_999)
    expect(await find(secrets)).toEqual([bytes(1)])
    clock.advance(1)
    expect(await find(secrets)).toEqual([bytes(2)])
  })

  test('that was changed elsewhere is found at once by a fresh read, and then remembered', async () => {
    const { find, secrets, uid } = await storedSecret()
    await find(secrets)
    await dynamoSecrets(store).put(secretOf(uid, 'KEY', { sealed: bytes(2) }))
    const found = await secrets.find({ uid, skillId: 'sg_a', names: ['KEY'], isFresh: true })
    expect(found.map(({ sealed }) => sealed)).toEqual([bytes(2)])
    expect(await find(secrets)).toEqual([bytes(2)])
  })

  test('that was removed elsewhere is gone after 30 s at most', async () => {
    const { find, secrets, uid } = await storedSecret()
    await find(secrets)
    await dynamoSecrets(store).remove({ uid, skillId: undefined, name: 'KEY' })
    clock.advance(30_000)
    expect(await find(secrets)).toEqual([])
  })

  test('that is shared and was rotated or removed elsewhere is used for 30 s at most, whatever the store does', async () => {
    const [skillId, name] = [freshName('sg_'), 'KEY']
    const admin = dynamoSharedSecrets(store)
    const shared = { skillId, name, binding: '{}', setBy: 'admin', updatedAtMs: 1 }
    await admin.put({ ...shared, sealed: bytes(1) })
    let isDown = false
    const batchGet: DynamoStore['batchGet'] = (...args) =>
      isDown ? Promise.reject(new Error('down')) : store.batchGet(...args)
    const secrets = dynamoSecrets({ ...store, batchGet })
    const find = async () => {
      const asked = { uid: freshUid, skillId, names: [name], withShared: true }
      return (await secrets.find(asked)).map(({ sealed }) => sealed)
    }
    const freshUid = freshName('u-')
    expect(await find()).toEqual([bytes(1)])
    await admin.put({ ...shared, sealed: bytes(2) }, clock.nowMs() + 90_000)
    clock.advance(29_999)
    expect(await find()).toEqual([bytes(1)])
    clock.advance(1)
    expect(await find()).toEqual([bytes(2)])
    await admin.remove({ skillId, name })
    isDown = true
    clock.advance(30_000)
    await expect(find()).rejects.toThrow('down')
    isDown = false
    expect(await find()).toEqual([])
  })

  test('that is shared is not served where shared ones are not asked for', async () => {
    const [skillId, uid] = [freshName('sg_'), freshName('u-')]
    const shared = { skillId, name: 'KEY', binding: '{}', setBy: 'admin', updatedAtMs: 1 }
    await dynamoSharedSecrets(store).put({ ...shared, sealed: bytes(1) })
    const secrets = dynamoSecrets(store)
    const asked = { uid, skillId, names: ['KEY'] }
    expect(await secrets.find({ ...asked, withShared: true })).toHaveLength(1)
    expect(await secrets.find(asked)).toEqual([])
  })

  test('is cached for its user, skill and names alone', async () => {
    const { find, secrets, uid } = await storedSecret()
    const other = freshName('u-')
    await dynamoSecrets(store).put(secretOf(other, 'KEY', { sealed: bytes(9) }))
    seen.length = 0
    await find(secrets)
    const asked = { uid, skillId: 'sg_a', names: ['KEY'] }
    expect((await secrets.find({ ...asked, uid: other })).map(({ sealed }) => sealed)).toEqual([
      bytes(9),
    ])
    await secrets.find({ ...asked, skillId: 'sg_b' })
    expect(seen).toEqual([READ, READ, READ])
    await secrets.find({ ...asked, names: ['KEY', 'NONE'] })
    expect(seen).toHaveLength(4)
  })

  test('is not cached while a name is missing, so that a call works as soon as it is set', async () => {
    const { secrets, uid } = await storedSecret()
    const asked = { uid, skillId: 'sg_a', names: ['KEY', 'LATE'] }
    expect(await secrets.find(asked)).toHaveLength(1)
    await dynamoSecrets(store).put(secretOf(uid, 'LATE', { skillId: 'sg_a' }))
    expect(await secrets.find(asked)).toHaveLength(2)
  })

  test('is not cached past 65,536 bytes', async () => {
    const uid = freshName('u-')
    const half = ANSWER_BYTES_MAX / 2
    await dynamoSecrets(store).put(secretOf(uid, 'A', { sealed: new Uint8Array(half) }))
    await dynamoSecrets(store).put(secretOf(uid, 'B', { sealed: new Uint8Array(half) }))
    await dynamoSecrets(store).put(secretOf(uid, 'C', { sealed: new Uint8Array(1) }))
    const secrets = dynamoSecrets(store)
    const reads = async (names: readonly string[]) => {
      seen.length = 0
      for (let again = 0; again < 2; again += 1) {
        await secrets.find({ uid, skillId: 'sg_a', names })
      }
      return seen.length
    }
    expect([await reads(['A', 'B']), await reads(['A', 'B', 'C'])]).toEqual([1, 2])
    expect([ANSWER_BYTES_MAX, ANSWERS_MAX]).toEqual([65_536, 256])
  })

  test('is one of 256 cached answers, of which the oldest goes first', async () => {
    const uid = freshName('u-')
    let reads = 0
    const batchGet: DynamoStore['batchGet'] = async () => {
      reads += 1
      return [{ ...secretsKey(uid, undefined), sealed: {}, updatedAtMs: {} }]
    }
    const secrets = dynamoSecrets({ ...store, batchGet })
    const ask = (n: number) => secrets.find({ uid, skillId: `sg_${n}`, names: [] })
    for (let n = 0; n <= ANSWERS_MAX; n += 1) await ask(n)
    reads = 0
    await ask(1)
    await ask(ANSWERS_MAX)
    expect(reads).toBe(0)
    await ask(0)
    expect(reads).toBe(1)
  })

  test('from a slow read is used for 30 s from the start of the read', async () => {
    const { find, uid } = await storedSecret()
    const slow = gatedReads()
    const secrets = dynamoSecrets(slow.store)
    const finding = find(secrets)
    await slow.answered
    await dynamoSecrets(store).put(secretOf(uid, 'KEY', { sealed: bytes(2) }))
    clock.advance(29_999)
    slow.open()
    await finding
    expect(await find(secrets)).toEqual([bytes(1)])
    clock.advance(1)
    expect(await find(secrets)).toEqual([bytes(2)])
  })

  test('that was changed here during its read is not cached', async () => {
    const { find, uid } = await storedSecret()
    const slow = gatedReads()
    const secrets = dynamoSecrets(slow.store)
    const finding = find(secrets)
    await slow.answered
    await secrets.put(secretOf(uid, 'KEY', { sealed: bytes(2) }))
    slow.open()
    expect(await finding).toEqual([bytes(1)])
    expect(await find(secrets)).toEqual([bytes(2)])
  })

  test('is read anew after a write here whose answer is unknown', async () => {
    const { find, uid } = await storedSecret()
    const transact: DynamoStore['transact'] = async (writes) => {
      await store.transact(writes)
      throw new Error('no answer')
    }
    const secrets = dynamoSecrets({ ...store, transact })
    await find(secrets)
    const put = secrets.put(secretOf(uid, 'KEY', { sealed: bytes(2) }))
    await expect(put).rejects.toThrow('no answer')
    expect(await find(secrets)).toEqual([bytes(2)])
    const removal = secrets.remove({ uid, skillId: undefined, name: 'KEY' })
    await expect(removal).rejects.toThrow('no answer')
    expect(await find(secrets)).toEqual([])
  })
})

/** A user with one global secret, in an adapter that has not cached it. */
async function storedSecret() {
  const uid = freshName('u-')
  await dynamoSecrets(store).put(secretOf(uid, 'KEY', { sealed: bytes(1) }))
  seen.length = 0
  const find = async (secrets: SecretStore) => {
    const found = await secrets.find({ uid, skillId: 'sg_a', names: ['KEY'] })
    return found.map(({ sealed }) => sealed)
  }
  return { uid, find, secrets: dynamoSecrets(store) }
}

/**
 * Holds back the store's first answer until it is opened; `answered` resolves when the store gave
 * it.
 */
function gatedReads() {
  const [answered, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let first = true
  const batchGet: DynamoStore['batchGet'] = async (...args) => {
    const items = await store.batchGet(...args)
    if (first) {
      first = false
      answered.resolve()
      await opened.promise
    }
    return items
  }
  return { store: { ...store, batchGet }, answered: answered.promise, open: () => opened.resolve() }
}
