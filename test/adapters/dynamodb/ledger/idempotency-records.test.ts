/**
 * A stored answer after its writers died or raced, and what it costs. The contract suite tests the rest of
 * the port.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import type { DynamoStore } from '../../../../adapters/dynamodb/client/document-store.ts'
import type { Item } from '../../../../adapters/dynamodb/client/item.ts'
import { dynamoIdempotencyRecords } from '../../../../adapters/dynamodb/ledger/idempotency-records.ts'
import { answerKey } from '../../../../adapters/dynamodb/table.ts'
import { REPLY_ITEM_BYTES_MAX } from '../../../../core/session/limits.ts'
import { sameBytes } from '../../../contracts/answered.ts'
import { claimOf, freshHash } from '../../../contracts/fresh.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { useEmbeddedStore } from '../embedded-store.ts'

const clock = testClock()
const { store, seen } = await useEmbeddedStore(clock)
beforeEach(() => {
  seen.length = 0
})

const LONG = new Uint8Array(2 * REPLY_ITEM_BYTES_MAX + 1).fill(7)

describe('the units of an idempotent call', () => {
  test.each([
    [500, 1],
    [1_500, 2],
  ])('are one for the claim, and for storing %i bytes %i', async (length, units) => {
    const { answers, claim } = await claimed()
    await answers.keep({ ...claim, sealed: new Uint8Array(length) })
    expect(seen).toEqual([
      { command: 'put', units: 1 },
      { command: 'update', units },
    ])
  })

  test('are those of one refused write for a repeat, which reads nothing', async () => {
    const { answers, claim } = await claimed()
    await answers.keep({ ...claim, sealed: new Uint8Array(500) })
    seen.length = 0
    let puts = 0
    const put: DynamoStore['put'] = (...args) => {
      puts += 1
      return store.put(...args)
    }
    await dynamoIdempotencyRecords({ ...store, put }).claim(claimOf(claim.id))
    // DynamoDB does not report the cost of a refused write: one unit for a head of 1 kB.
    expect([puts, seen]).toEqual([1, []])
  })

  test('are one query more for a repeat of a long answer', async () => {
    const { answers, claim } = await claimed()
    await answers.keep({ ...claim, sealed: LONG })
    seen.length = 0
    await answers.claim(claimOf(claim.id))
    expect(seen.map(({ command }) => command)).toEqual(['query'])
  })

  test('are one for a claim that is dropped again, and one for dropping it', async () => {
    const { answers, claim } = await claimed()
    await answers.drop(claim)
    expect(seen).toEqual([
      { command: 'put', units: 1 },
      { command: 'delete', units: 1 },
    ])
  })
})

describe('a stored answer', () => {
  test('has its head written last, and expires a day after its claim', async () => {
    const { answers, claim } = await claimed()
    await answers.keep({ ...claim, sealed: LONG })
    expect(seen.map(({ command }) => command)).toEqual(['put', 'put', 'put', 'update'])
    const items = await itemsOf(claim.id)
    const sortKeys = items.map((item) => String(item['sk']).replace(/#[\w-]{12}\./, '#writer.'))
    expect(sortKeys).toEqual(['head', 'part#writer.1', 'part#writer.2'])
    expect(items.map((item) => String(item['ttl']))).toEqual(Array(3).fill('2000086400'))
  })

  test('whose writer died before the head is not there yet', async () => {
    const { answers, claim } = await claimed()
    const update = () => Promise.reject(new Error('died'))
    await dynamoIdempotencyRecords({ ...store, update })
      .keep({ ...claim, sealed: LONG })
      .catch(() => {})
    expect(await itemsOf(claim.id)).toHaveLength(3)
    const heard = await answers.claim(claimOf(claim.id))
    expect(heard).toEqual({ kind: 'standing', answer: { ...claim, kept: 'not-yet' } })
  })

  test('is not there yet for readers while its parts are written', async () => {
    const { answers, claim } = await claimed()
    const outcomes: unknown[] = []
    const put: DynamoStore['put'] = async (...args) => {
      const written = await store.put(...args)
      outcomes.push(await answers.claim(claimOf(claim.id)))
      return written
    }
    await dynamoIdempotencyRecords({ ...store, put }).keep({ ...claim, sealed: LONG })
    const notYet = { kind: 'standing', answer: { ...claim, kept: 'not-yet' } }
    expect(outcomes).toEqual([notYet, notYet])
    expect(await isKept(claim.id, LONG)).toBe(true)
  })

  test('that is stored again with other bytes keeps the bytes that readers have seen', async () => {
    const { answers, claim } = await claimed()
    await answers.keep({ ...claim, sealed: LONG })
    await answers.keep({ ...claim, sealed: new Uint8Array(LONG.length).fill(8) })
    expect(await isKept(claim.id, LONG)).toBe(true)
  })

  test('that replaces an expired one has none of its parts', async () => {
    const { answers, claim } = await claimed()
    await answers.keep({ ...claim, sealed: LONG })
    const next = claimOf(claim.id, { claimedAtMs: claim.claimedAtMs + 86_400_000 })
    await answers.claim(next)
    const sealed = new Uint8Array(REPLY_ITEM_BYTES_MAX + 1).fill(9)
    await answers.keep({ ...next, sealed })
    expect(await isKept(claim.id, sealed, next.claimedAtMs)).toBe(true)
  })

  test('with a missing part is a fault, never half an answer', async () => {
    const { answers, claim } = await claimed()
    await answers.keep({ ...claim, sealed: LONG })
    const part = (await itemsOf(claim.id)).at(-1)
    await store.remove('Sessions', { pk: String(part?.['pk']), sk: String(part?.['sk']) })
    await expect(answers.claim(claimOf(claim.id))).rejects.toMatchObject({
      code: 'internal',
      message: `answer ${claim.id}: parts are missing`,
    })
  })

  test('has at most 2.8 MB', async () => {
    const { answers, claim } = await claimed()
    const longer = new Uint8Array(2_800_001)
    await expect(answers.keep({ ...claim, sealed: longer })).rejects.toMatchObject({
      code: 'internal',
      message: 'answer: has 2800001 bytes, over the limit of 2800000',
    })
    await answers.keep({ ...claim, sealed: longer.subarray(1) })
    expect(await isKept(claim.id, new Uint8Array(2_800_000))).toBe(true)
  })
})

describe('a late duplicate of a write', () => {
  test('of the claim after a drop is a claim without a worker, as if its process had died', async () => {
    const { answers, claim } = await claimed()
    await answers.drop(claim)
    await answers.claim(claim)
    expect(await keptOf(claim.id)).toBe('not-yet')
  })

  test('of the keep after another attempt claimed changes nothing for that attempt', async () => {
    const { answers, claim } = await claimed()
    await answers.drop(claim)
    const next = claimOf(claim.id)
    await answers.claim(next)
    await answers.keep({ ...claim, sealed: LONG })
    expect((await keptOf(claim.id)) === 'not-yet').toBe(true)
    await answers.keep({ ...next, sealed: new Uint8Array([1]) })
    expect(await keptOf(claim.id)).toEqual(new Uint8Array([1]))
  })
})

async function claimed() {
  const answers = dynamoIdempotencyRecords(store)
  const claim = claimOf(freshHash())
  await answers.claim(claim)
  return { answers, claim }
}

/** The answer that a repeated call gets. */
async function keptOf(id: string, claimedAtMs = 2_000_000_000_000): Promise<unknown> {
  const claim = await dynamoIdempotencyRecords(store).claim(claimOf(id, { claimedAtMs }))
  return claim.kind === 'standing' ? claim.answer.kept : undefined
}

/** Not `toEqual`: on a failure Vitest would print two lists of a million numbers. */
async function isKept(id: string, sealed: Uint8Array, claimedAtMs?: number): Promise<boolean> {
  const kept = await keptOf(id, claimedAtMs)
  return kept instanceof Uint8Array && sameBytes(kept, sealed)
}

function itemsOf(id: string): Promise<readonly Item[]> {
  return store.query('Sessions', { where: '#pk = :pk', values: { pk: answerKey(id).pk } })
}
