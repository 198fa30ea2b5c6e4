/** DynamoDB as the light client of services sees it: its names and limits, and the items in its errors. */
import type { JsonService } from '../../../aws/signed/json-service.ts'
import { ATTEMPTS_MAX, CONNECTION_TIMEOUT_MS, REQUEST_TIMEOUT_MS, SOCKETS_MAX } from '../limits.ts'
import { decodedItem, type WireItem } from './wire-value.ts'

/** DynamoDB's answers end at 16 MB of items, which base64 makes 22 MB. */
const ANSWER_BYTES_MAX = 33_554_432
/** The SDK's for DynamoDB; half of its pause for other services. */
const PAUSE_MS = 25

/** The service and the firewalls before it keep an idle connection for at least a minute. */
export const IDLE_SOCKET_MS = 50_000

export const STORE_SERVICE: JsonService = {
  label: 'store',
  signingName: 'dynamodb',
  targetPrefix: 'DynamoDB_20120810.',
  contentType: 'application/x-amz-json-1.0',
  limits: {
    attemptsMax: ATTEMPTS_MAX,
    connectionTimeoutMs: CONNECTION_TIMEOUT_MS,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    pauseMs: PAUSE_MS,
    socketsMax: SOCKETS_MAX,
    idleSocketMs: IDLE_SOCKET_MS,
    answerBytesMax: ANSWER_BYTES_MAX,
  },
  errorMembers,
}

type CancellationReason = {
  readonly Code?: string
  readonly Message?: string
  readonly Item?: WireItem
}

/**
 * The item that refused a condition and the reasons of a canceled transaction, in wire form with decoded bytes. Casts,
 * as in any parser: DynamoDB's own answer.
 */
function errorMembers({
  CancellationReasons,
  Item,
}: {
  readonly [member: string]: unknown
}): object {
  const reasons = (CancellationReasons ?? []) as readonly CancellationReason[]
  return {
    ...(Item === undefined ? {} : { Item: decodedItem(Item as WireItem) }),
    ...(CancellationReasons === undefined
      ? {}
      : {
          CancellationReasons: reasons.map(({ Item: old, ...reason }) => ({
            ...reason,
            ...(old === undefined ? {} : { Item: decodedItem(old) }),
          })),
        }),
  }
}
