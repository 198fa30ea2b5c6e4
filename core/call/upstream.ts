/** Requests to and answers of an upstream. Bytes in, bytes out; header names in lower case. */
import type { HttpMethod } from '../skills/skill.ts'

export type UpstreamRequest = {
  readonly method: HttpMethod
  readonly url: string
  /** Lower-case names. */
  readonly headers: { readonly [name: string]: string }
  /** Bytes when files are in it. */
  readonly body: string | Uint8Array | undefined
  /** Parts that hold secrets; undefined when none does. They never go to another origin. */
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
  /** The Retry-After header unchanged, if there was one. */
  readonly retryAfter?: string
  /** The headers that the sender asked for, by lower-case name; several of one name joined by commas. */
  readonly headers?: { readonly [name: string]: string }
}

/**
 * The outcome of an upstream call; a failure is a value, so that the charge can follow it. A
 * `detail` is a clause without a full stop that reads after "The upstream could not be reached: …";
 * those of `unreachable` and `unreadable` read after "… it …".
 */
export type UpstreamAnswer =
  | { readonly kind: 'answered'; readonly response: UpstreamResponse }
  /** Nothing was sent: a URL, an address, a redirect or a header was not allowed. */
  | { readonly kind: 'refused_target'; readonly detail: string }
  /**
   * `neverConnected`: no connection to the host of the request itself could be made, so nothing was
   * sent. `hasPartialAnswer`: part of an answer had come, so the upstream may have done its work.
   */
  | {
      readonly kind: 'unreachable'
      readonly detail: string
      readonly neverConnected?: true
      readonly hasPartialAnswer?: true
    }
  /** An answer came that is not valid HTTP, or in a form that was not asked for. */
  | { readonly kind: 'unreadable'; readonly detail: string }
  | { readonly kind: 'too_large'; readonly bytesMax: number }
  | { readonly kind: 'cut' }

/** The head of a request as it is written: its URL as parsed, then every header in its order. */
export type RequestHead = {
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** Whether a URL may be called now. Rules are sentences without a full stop. */
export type TargetVerdict = {
  readonly origin: string
  readonly allowed: boolean
  /** The rule that decided. */
  readonly rule: string
  /** The addresses that the name has now; empty where the URL was refused before the name was resolved. */
  readonly addresses: readonly {
    readonly address: string
    readonly allowed: boolean
    readonly rule: string
  }[]
}
