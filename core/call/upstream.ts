/** The shapes on either side of an upstream call. Bytes in, bytes out; headers lower-cased. */
import type { HttpMethod } from '../skills/skill.ts'

export type UpstreamRequest = {
  readonly method: HttpMethod
  readonly url: string
  /** Lower-case names. */
  readonly headers: { readonly [name: string]: string }
  readonly body: string | undefined
  /** Where secrets are; undefined when there are none. They never go to another origin. */
  readonly sensitive?: {
    /** Lower-case names. */
    readonly headers: readonly string[]
    readonly query: boolean
    readonly body: boolean
  }
}

export type UpstreamResponse = {
  readonly status: number
  /** Media type without parameters, lower-case; '' when the upstream sent none. */
  readonly mediaType: string
  /** Charset parameter, lower-case; 'utf-8' when absent. */
  readonly charset: string
  readonly body: Uint8Array
  /** The header of that name as it came, where there was one. */
  readonly retryAfter?: string
}

/**
 * How an upstream call went; every way is a value, so that money can follow it. A `detail` is a clause
 * without a full stop that reads after "The upstream could not be reached: …", and of `unreachable` after "… it …".
 */
export type UpstreamAnswer =
  | { readonly kind: 'answered'; readonly response: UpstreamResponse }
  /** Nothing was sent there: a URL, an address, a redirect or a header that is not allowed. */
  | { readonly kind: 'refused_target'; readonly detail: string }
  /** `begun`: something had come that is no answer, so the upstream may have done its part. */
  | { readonly kind: 'unreachable'; readonly detail: string; readonly begun?: true }
  | { readonly kind: 'too_large'; readonly bytesMax: number }
  | { readonly kind: 'cut' }
