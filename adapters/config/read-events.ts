/** The variables of events: whether they are recorded, where they go, and how the receiver knows them. */
import type { Settings } from '../../core/settings.ts'
import type { EventTargetConfig } from './config.ts'
import type { EnvReader } from './env-reader.ts'
import {
  EVENT_TARGET,
  EVENT_TARGET_RULE,
  eventTargetOf,
  LOW_BALANCE_RULE,
  lowBalanceOf,
} from './event-target.ts'
import { A_SECRET, SECRET_ID } from './forms.ts'
import { readSigning } from './signing.ts'

/** Some texts have the form and are no URL, such as `https://[`. */
const TARGET = {
  test: (text: string) =>
    EVENT_TARGET.test(text) && (text === '' || eventTargetOf(text) !== undefined),
}

const A_LOW_BALANCE = { test: (text: string) => lowBalanceOf(text) !== undefined }

export function readEventTarget(from: EnvReader): EventTargetConfig {
  const text = from.matching('EVENTS_TARGET', TARGET, EVENT_TARGET_RULE, '')
  const target = eventTargetOf(text)
  if (target === undefined) return { kind: 'none' }
  if (target.kind === 'bus') return { ...target, signing: readSigning(from) }
  const secretId = from.matching('EVENTS_SECRET_ID', SECRET_ID, A_SECRET)
  return { ...target, secretId }
}

export function readEvents(from: EnvReader): Pick<Settings, 'events'> {
  const isOn = from.choice('EVENTS', ['on', 'off'], 'off') === 'on'
  const text = from.matching('LOW_BALANCE', A_LOW_BALANCE, LOW_BALANCE_RULE, '0')
  return isOn ? { events: { lowBalance: lowBalanceOf(text) ?? 0 } } : {}
}
