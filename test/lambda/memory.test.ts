// The functions that make calls, with the memory that they are deployed with less a tenth: Linux kills what does not fit, as
// on Lambda. Needs control groups, which a user other than root cannot make.

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type MeasuredProcess, startMeasured } from '../../bench/lib/measured-process.ts'
import { type ControlGroup, controlGroup } from '../../bench/size/control-group.ts'
import { prepare, runSequence } from '../../bench/size/worst-sequence.ts'
import { WAITING_MB } from '../../lib/door-sizes.ts'
import { startWorld } from './doors/world.ts'

const TEST_MS = 240_000
/** The tenth is for what Lambda itself may take. */
const USED_MB = WAITING_MB * 0.9

function groupOrReason(): ControlGroup | string {
  try {
    return controlGroup(`skillgate-memory-test-${process.pid}`)
  } catch (cause) {
    return String(cause)
  }
}

const group = groupOrReason()

describe.skipIf(typeof group !== 'string')('a machine without control groups', () => {
  it('a machine without control groups does not test the memory of the functions, and says so', (test) => {
    process.stderr.write(`test:lambda: the memory of the functions was NOT tested: ${group}\n`)
    test.skip(`the memory of the functions was NOT tested: ${group}`)
  })
})

describe.runIf(typeof group !== 'string')('a function of the deployed size, less a tenth', () => {
  const { close, kills, launcher, limitMemory } = group as ControlGroup
  let upstream: MeasuredProcess
  beforeAll(async () => {
    upstream = await startMeasured('bench/size/answers.ts')
    limitMemory(USED_MB)
  })
  afterAll(async () => {
    await upstream.stop()
    close()
  })

  it.each(['mcp', 'execute'] as const)(
    'the function %s lives through the largest answers of each form, one after the other',
    async (door) => {
      const world = await startWorld({
        env: { TIER_LIMITS: 'free:100000', OUTBOUND_ALLOW: '127.0.0.1' },
        [door]: { memoryMb: WAITING_MB, launcher, timeoutMs: TEST_MS },
      })
      onTestFinished(() => world.stop())
      const user = await prepare(world, upstream.ready['url'] ?? '')
      const steps = await runSequence({ world, door, user }, 2)
      expect(steps.filter(({ ended, right }) => ended === 'died' || !right)).toEqual([])
      expect(kills()).toBe(0)
    },
    TEST_MS,
  )
})
