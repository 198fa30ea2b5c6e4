/**
 * Sends the twin's events, by the flow that the deployed sweep runs each minute; here it runs each
 * second, so that a person who tries it does not wait. Buses and mail take the credentials of this
 * terminal.
 */
import { readFile } from 'node:fs/promises'
import { readProcessConfig } from '../adapters/config/env.ts'
import { makeSlackTarget } from '../adapters/events/slack.ts'
import { makeWebhookTarget } from '../adapters/events/webhook.ts'
import { makeEventBusTarget } from '../adapters/internal-http/event-bus.ts'
import { makeMailTarget } from '../adapters/internal-http/mail.ts'
import { Fault } from '../core/errors.ts'
import type { EventTarget } from '../core/ports/ledger.ts'
import type { Clock, Log, Upstream } from '../core/ports/outside.ts'
import { type EventTargetText, parseEventTarget } from '../core/settings/event-target.ts'
import { type RepeatedWork, repeat } from './repeat.ts'
import type { Credentials } from './settings/credentials.ts'
import type { Options } from './settings/option-table.ts'
import { StartFault } from './start-fault.ts'

const EVERY_MS = 1_000

type Twin = {
  readonly options: Pick<Options, 'eventTargets' | 'eventsFrom'>
  readonly credentials: Credentials
  readonly clock: Clock
  readonly upstream: Upstream
}

/**
 * Opens the targets of events; none if none is set. Throws a StartFault if a bus or mail lacks
 * region or credentials, or mail its sender.
 */
export function openEventTargets(twin: Twin): readonly EventTarget[] {
  const targets = twin.options.eventTargets.flatMap((text) => parseEventTarget(text) ?? [])
  return targets.map((target) => {
    const { name, types } = target
    return { ...openTarget(twin, target), name, types }
  })
}

function openTarget(twin: Twin, target: EventTargetText): Pick<EventTarget, 'deliver'> {
  const { clock, credentials, options, upstream } = twin
  switch (target.kind) {
    case 'bus':
      return makeEventBusTarget({ bus: target.bus, clock, ...readSending('bus:NAME').signing })
    case 'email': {
      const from = options.eventsFrom
      if (from === undefined) {
        throw new StartFault('--events email:ADDRESS: needs --events-from ADDRESS, the sender.')
      }
      const { mailEndpoint: endpoint, signing } = readSending('email:ADDRESS')
      return makeMailTarget({ from, to: target.to, clock, endpoint, ...signing })
    }
    case 'slack':
      return makeSlackTarget({ upstream, readUrl: () => readUrlFile(target.secret) })
    case 'webhook': {
      const secrets = async () => [credentials.eventsSecret]
      return makeWebhookTarget({ url: target.url, upstream, secrets, clock })
    }
    default:
      return target satisfies never
  }
}

/** On the twin, the secret of a channel is a file with its URL. */
async function readUrlFile(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (cause) {
    throw new Fault('internal', `--events slack:${path}: the file cannot be read`, cause)
  }
}

function readSending(form: string) {
  try {
    return readProcessConfig(['signing', 'mailEndpoint'])
  } catch (cause) {
    throw new StartFault(
      `--events ${form}: needs AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.`,
      cause,
    )
  }
}

/** Delivers events every second until it is stopped. A failed run is logged. */
export function startEventSender(
  deliver: () => Promise<unknown>,
  log: Pick<Log, 'note'>,
): RepeatedWork {
  const run = async () => {
    try {
      await deliver()
    } catch (cause) {
      log.note('warn', 'events-not-sent', {}, cause)
    }
    return EVERY_MS
  }
  return repeat(run, EVERY_MS)
}
