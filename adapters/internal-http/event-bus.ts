/**
 * Delivers events to an EventBridge bus with PutEvents, signed with the credentials that Lambda
 * gives the function. The SDK's client would be ten times larger in the bundle. Bound by
 * docs/admin-api.md, Events, and
 * https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
 */
import { err, Fault, ok, type Result } from '../../core/errors.ts'
import { type EventRecord, writeEventBody } from '../../core/events/event.ts'
import { isJsonObject } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import type { EventTarget } from '../../core/ports/ledger.ts'
import { makeAwsHost } from '../aws/partition.ts'
import type { InternalAnswer } from './peer-send.ts'
import { makeSignedSend, type SignedSendOptions } from './signed-send.ts'

export const BUS_TIMEOUT_MS = 5_000
/** `source` of each event on the bus. */
export const BUS_SOURCE = 'skillgate'

export type EventBusOptions = Omit<SignedSendOptions, 'service' | 'url'> & {
  /** Name or ARN. */
  readonly bus: string
  /** The URL of an emulator; default: AWS's own endpoint. */
  readonly endpoint?: URL | undefined
}

export function makeEventBusTarget({
  bus,
  endpoint,
  ...options
}: EventBusOptions): Pick<EventTarget, 'deliver'> {
  const url = endpoint ?? new URL(`https://${makeAwsHost('events', options.region)}/`)
  const send = makeSignedSend({ ...options, url, service: 'events' })
  return {
    deliver: async (event) => {
      try {
        return readAnswer(await send(makeRequest(event, bus), { timeoutMs: BUS_TIMEOUT_MS }))
      } catch (cause) {
        if (!(cause instanceof Fault)) throw cause
        return err('the event bus did not answer')
      }
    },
  }
}

function makeRequest(event: EventRecord, bus: string) {
  const entry = {
    EventBusName: bus,
    Source: BUS_SOURCE,
    DetailType: event.type,
    Detail: writeEventBody(event),
    Time: Math.floor(event.createdAtMs / 1_000),
  }
  return {
    path: '/',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'AWSEvents.PutEvents',
    },
    body: Buffer.from(JSON.stringify({ Entries: [entry] })),
  }
}

/** Reads the answer: a 200 may still say that the entry was refused. */
function readAnswer({ body, status }: InternalAnswer): Result<'delivered', string> {
  const parsed = parseJson(Buffer.from(body).toString('utf8'), { subject: 'answer' })
  const answer = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {}
  if (status === 200 && answer['FailedEntryCount'] === 0) return ok('delivered')
  const [entry] = Array.isArray(answer['Entries']) ? answer['Entries'] : []
  const code = isJsonObject(entry) ? entry['ErrorCode'] : answer['__type']
  return err(`the event bus answered ${status}${typeof code === 'string' ? ` ${code}` : ''}`)
}
