/**
 * Kill tests of tasks. After a restart a task has failed or waits, and was free, or has completed, and was charged.
 * A death between its end and its outcome leaves a result that cost nothing (ADR 0110).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Chain, startChain } from './chain.ts'
import type { Kill } from './crash-points.ts'
import { IS_LONG } from './form.ts'
import { runTask, type TaskEndState } from './task-flow.ts'

let chain: Chain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.stop())

/** `held`: the hold stands until the hour of its question is over. */
type Row = readonly [Kill, 'nobody' | 'failed' | 'completed', 0 | 1, ('short' | 'held')?]

const CALL: readonly Row[] = [
  ['after ledger.hold', 'nobody', 0],
  ['before tasks.create', 'nobody', 0],
  ['after tasks.create', 'nobody', 0],
  ['before tasks.end', 'failed', 0, 'short'],
  ['after tasks.end', 'completed', 0],
  ['before ledger.decide', 'completed', 0],
  ['after ledger.decide', 'completed', 1, 'short'],
  ['before ledger.release', 'completed', 1],
  ['after ledger.release', 'completed', 1],
]

/** What waits for an answer is answered after the restart, and completes. */
const QUESTION: readonly Row[] = [
  ['before ledger.prolong', 'failed', 0],
  ['after ledger.prolong', 'failed', 0],
  ['before tasks.ask', 'failed', 0],
  ['after tasks.ask', 'completed', 1, 'short'],
]

const ANSWER: readonly Row[] = [
  ['before tasks.claim', 'completed', 1],
  ['after tasks.claim', 'failed', 0, 'short'],
  ['before ledger.prolong', 'failed', 0],
  ['after ledger.prolong', 'failed', 0],
  ['before tasks.end', 'failed', 0],
  ['after tasks.end', 'completed', 0, 'held'],
  ['after ledger.decide', 'completed', 1, 'held'],
]

const chosen = (rows: readonly Row[]): Row[] =>
  rows.filter(([, , , short]) => IS_LONG || short === 'short')

function expected([, status, settled, more]: Row): TaskEndState {
  const isError = status === 'completed' ? false : undefined
  const onHold = more === 'held' ? 1 : 0
  const missing = onHold === 0 ? 0 : 1 - settled
  const end = { isError, settled, onHold, missing }
  return { status: status === 'nobody' ? undefined : status, ...end }
}

describe('a twin that is killed in a task', () => {
  test.for(chosen(CALL))('while it runs, loses and doubles nothing: %s', async (row) => {
    expect(await runTask(chain, { kill: row[0], skill: 'sg_long_task' })).toEqual(expected(row))
  })

  test.for(chosen(QUESTION))('as it asks, loses and doubles nothing: %s', async (row) => {
    expect(await runTask(chain, { kill: row[0], skill: 'sg_asking_task' })).toEqual(expected(row))
  })

  test.for(chosen(ANSWER))('as it is answered, loses and doubles nothing: %s', async (row) => {
    const run = { answers: true, kill: row[0], skill: 'sg_asking_task' } as const
    expect(await runTask(chain, run)).toEqual(expected(row))
  })
})
