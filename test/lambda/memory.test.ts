// The functions that make calls, with the memory that they are deployed with less a tenth: Linux kills what does not fit, as
// on Lambda. Needs control groups, which a user other than root cannot make.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MeasuredProcess, startMeasuredProcess } from '../../bench/lib/measured-process.ts'
import { type ControlGroup, createControlGroup } from '../../bench/size/control-group.ts'
import { runWorstSequence, USED_MB } from '../../bench/size/worst-sequence.ts'

/** Ends a test that hangs; a busy machine needs many times what a quiet one does. */
const HANGS_MS = 900_000

function groupOrReason(): ControlGroup | string {
  try {
    return createControlGroup(`skillgate-memory-test-${process.pid}`, USED_MB)
  } catch (cause) {
    return String(cause)
  }
}

const group = groupOrReason()

describe.skipIf(typeof group !== 'string')('a machine without control groups', () => {
  test('does not test the memory of the functions, and says so', ({ skip }) => {
    process.stderr.write(`test:lambda: the memory of the functions was NOT tested: ${group}\n`)
    skip(`the memory of the functions was NOT tested: ${group}`)
  })
})

describe.runIf(typeof group !== 'string')('a function of the deployed size, less a tenth', () => {
  const limited = group as ControlGroup
  let upstream: MeasuredProcess
  beforeAll(async () => {
    upstream = await startMeasuredProcess('bench/size/answers.ts')
  })
  afterAll(async () => {
    await upstream.stop()
    limited.close()
  })

  test.each(['mcp', 'execute'] as const)(
    'the function %s lives through the largest answers of each form, one after the other',
    async (door) => {
      const steps = await runWorstSequence(door, limited, upstream.ready['url'] ?? '', 2)
      expect(steps.filter(({ died, right }) => died || !right)).toEqual([])
      expect(limited.kills()).toBe(0)
    },
    HANGS_MS,
  )
})
