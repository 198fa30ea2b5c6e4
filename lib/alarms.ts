/**
 * The lists of all alarms, kept short, and of the composites that notify for them. The CDK alarms
 * are made from both, and each has a section in docs/operations.md; test/docs/alarms.test.ts
 * compares the two.
 */
import type { Alarm, Composite } from './alarm.ts'
import { ALARMS_OF_CALLS } from './alarms-of-calls.ts'
import { ALARMS_OF_DOORS } from './alarms-of-doors.ts'
import { ALARMS_OF_STORE } from './alarms-of-store.ts'

export const ALARMS: readonly Alarm[] = [...ALARMS_OF_DOORS, ...ALARMS_OF_CALLS, ...ALARMS_OF_STORE]

/** The first two page somebody, the third one sends a mail. */
export const COMPOSITES: readonly Composite[] = [
  {
    name: 'AgentsHurt',
    means: 'Agents get errors, get no answers, or wait too long.',
    pages: true,
  },
  {
    name: 'MoneyInDoubt',
    means: 'Charges, refunds or their sums may be wrong, or credits stay on hold.',
    pages: true,
  },
  {
    name: 'Operations',
    means: 'Somebody has to act in the next days; agents and their credits are not affected yet.',
    pages: false,
  },
]
