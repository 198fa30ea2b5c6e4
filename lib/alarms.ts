/**
 * The alarms, few. CDK's alarms and the tests are made from this list, and each alarm has its section in
 * docs/operations.md: test/docs/alarms.test.ts holds the two together.
 */
import type { Alarm } from './alarm.ts'
import { ALARMS_OF_CALLS } from './alarms-of-calls.ts'
import { ALARMS_OF_DOORS } from './alarms-of-doors.ts'
import { ALARMS_OF_STORE } from './alarms-of-store.ts'

export const ALARMS: readonly Alarm[] = [...ALARMS_OF_DOORS, ...ALARMS_OF_CALLS, ...ALARMS_OF_STORE]
