/** An AWS service with JSON over POST /, as the light client needs it: names, limits, pauses. */
import type { ExchangeLimits } from '../exchange.ts'

export type JsonService = {
  /** The beginning of error messages: `store`, `kms`. */
  readonly label: string
  /** AWS's signing name. */
  readonly signingName: string
  /** The beginning of `X-Amz-Target`, which ends with the name of the operation. */
  readonly targetPrefix: string
  readonly contentType: string
  readonly limits: ServiceLimits
  /** Decodes the members of an error answer besides name and message. */
  readonly errorMembers?: (members: { readonly [member: string]: unknown }) => object
}

export type ServiceLimits = ExchangeLimits & {
  /** The first attempt and its retries. */
  readonly attemptsMax: number
  /** The first pause: doubled with each try, then multiplied by a random number from 0 to 1. */
  readonly pauseMs: number
}
