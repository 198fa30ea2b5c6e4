/** DynamoDB's description for the light AWS client: names, limits and the items in its errors. */
import type { JsonService } from '../../../aws/signed/json-service.ts'
import { ATTEMPTS_MAX, CONNECTION_TIMEOUT_MS, REQUEST_TIMEOUT_MS, SOCKETS_MAX } from '../limits.ts'
import { decodeItemBytes, type WireItem } from './wire-value.ts'

/** DynamoDB answers at most 16 MB of items, which base64 makes 22 MB. */
const ANSWER_BYTES_MAX = 33_554_432
/** The same first pause as the SDK has for DynamoDB, half of its pause for other services. */
const PAUSE_MS = 25

/** DynamoDB and the firewalls before it keep an idle connection for a minute or more. */
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
  errorMembers: readErrorMembers,
}

type CancellationReason = {
  readonly Code?: string
  readonly Message?: string
  readonly Item?: WireItem
}

/**
 * The item that did not meet a condition and the reasons of a canceled transaction, in wire form
 * with decoded bytes. It casts, as any parser does: this is DynamoDB's own answer.
 */
function readErrorMembers({
  CancellationReasons,
  Item,
}: {
  readonly [member: string]: unknown
}): object {
  const reasons = (CancellationReasons ?? []) as readonly CancellationReason[]
  return {
    ...(Item === undefined ? {} : { Item: decodeItemBytes(Item as WireItem) }),
    ...(CancellationReasons === undefined
      ? {}
      : {
          CancellationReasons: reasons.map(({ Item: old, ...reason }) => ({
            ...reason,
            ...(old === undefined ? {} : { Item: decodeItemBytes(old) }),
          })),
        }),
  }
}
