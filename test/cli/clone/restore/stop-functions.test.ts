/** The pauses of a stop are longer than what they wait for, by the stage's template. */
import { expect, test } from 'vitest'
import { CALLS_END_MS, NEWS_END_MS } from '../../../../cli/clone/restore/stop-functions.ts'
import { DOOR_SIZES } from '../../../../lib/door-sizes.ts'
import { getStage } from '../../../../lib/stages.ts'
import { resourcesOf, synthesize } from '../../../lib/synthesized.ts'

test('usage gets the last batch of the table in use before it is stopped', () => {
  const { gateway } = synthesize(getStage('prod'))
  const [mapping] = resourcesOf(gateway, 'AWS::Lambda::EventSourceMapping')
  const windowSec = Number(mapping?.[1]['MaximumBatchingWindowInSeconds'])
  expect(windowSec).toBe(60)
  expect(NEWS_END_MS).toBeGreaterThan(windowSec * 1_000)
})

test('functions that end calls have ended before the restored table is used', () => {
  const { admin, execute, messages, sweep } = DOOR_SIZES
  for (const { timeoutSec } of [admin, execute, messages, sweep]) {
    expect(CALLS_END_MS).toBeGreaterThanOrEqual(timeoutSec * 1_000)
  }
})
