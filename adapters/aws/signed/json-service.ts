/** What a service of AWS that speaks JSON over POST / is to the light client: its names, limits and pauses. */
import type { ExchangeLimits } from '../exchange.ts'

export type JsonService = {
  /** Begins the messages of errors: `store`, `kms`. */
  readonly label: string
  /** The name that AWS signs under. */
  readonly signingName: string
  /** Of `X-Amz-Target`, which ends with the name of the operation. */
  readonly targetPrefix: string
  readonly contentType: string
  readonly limits: ServiceLimits
  /** Of an error: what the service tells beside name and message, decoded. */
  readonly errorMembers?: (members: { readonly [member: string]: unknown }) => object
}

export type ServiceLimits = ExchangeLimits & {
  /** The first attempt and its retries. */
  readonly attemptsMax: number
  /** Doubled with each try, then multiplied by a random number from 0 to 1. */
  readonly pauseMs: number
}
