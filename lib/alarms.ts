/**
 * The lists of all alarms, kept short. The CDK alarms are made from it, and each has a section in
 * docs/operations.md; test/docs/alarms.test.ts compares the two.
 */
import type { Alarm } from './alarm.ts'
import { ALARMS_OF_CALLS } from './alarms-of-calls.ts'
import { ALARMS_OF_DOORS } from './alarms-of-doors.ts'
import { ALARMS_OF_STORE } from './alarms-of-store.ts'

export const ALARMS: readonly Alarm[] = [...ALARMS_OF_DOORS, ...ALARMS_OF_CALLS, ...ALARMS_OF_STORE]
