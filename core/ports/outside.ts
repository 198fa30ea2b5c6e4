/** Ports for time, random ids, digests, the gateway's secrets, upstreams and the log. */
import type {
  RequestHead,
  TargetVerdict,
  UpstreamAnswer,
  UpstreamProgress,
  UpstreamQuestion,
  UpstreamRequest,
} from '../call/upstream.ts'
import type { Result } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import type { MicroCredits } from '../ledger/ledger.ts'
import type { SecretUsed } from '../secrets/secret.ts'
import type { SkillSource } from '../skills/skill.ts'

export type Clock = {
  nowMs(): number
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /**
   * Calls `ring` after `ms`, unless the returned function is called before. Use it for waits that
   * nearly always end early: a sleep that its signal ends costs three times as much.
   */
  alarm(ms: number, ring: () => void): () => void
}

export type Ids = {
  /** `bytes` of cryptographic randomness, base64url without padding. */
  token(bytes: number): string
}

export type Digests = {
  /** sha256 of the UTF-8 text, base64url without padding (43 characters). */
  sha256(text: string): string
  /** sha256 of bytes, as 64 lower-case hexadecimal digits. */
  sha256Hex(bytes: Uint8Array): string
  /** HMAC-SHA256 of the UTF-8 text under the key's UTF-8 bytes, base64url without padding. */
  mac(key: string, text: string): string
  /** Constant-time comparison of two digests made by `sha256` or `mac`. */
  equal(a: string, b: string): boolean
}

/**
 * AES-256-GCM under HKDF(session id), so a copy of the store opens nothing. Gzips if that is
 * shorter.
 */
export type Seals = {
  /** `purpose` is bound to the ciphertext (`authorization`, `reply#12`). */
  seal(sessionId: string, purpose: string, text: string): Uint8Array
  /**
   * Throws `Fault('internal')` if the text does not open: other session, other purpose, or changed.
   */
  open(sessionId: string, purpose: string, sealed: Uint8Array): string
}

/** The credentials of administrators. */
export type AdminSecrets = {
  /**
   * The values of each kind that are valid now: one, or two during a rotation. They may be up to a
   * minute old. Throws `Fault('store_unavailable')` if they cannot be read; then no administrator
   * is admitted by them.
   */
  read(): Promise<{
    readonly internalApiSecrets: readonly string[]
    readonly adminKeys: readonly string[]
  }>
}

export type Upstream = {
  /**
   * Sends one request; `signal` stops it (answer `cut`). Reads at most `responseBytesMax` bytes. A
   * connection that has carried a body of the user `uid` carries no request of another user.
   */
  send(request: UpstreamRequest, limits: UpstreamLimits): Promise<UpstreamAnswer>
}

/** Tells what `Upstream` would do with a request, by the same rules. Sends nothing to an upstream. */
export type UpstreamPreviews = {
  /**
   * Resolves the host name and checks the address. For a Lambda function, asks whether it may be
   * invoked.
   */
  target(to: Pick<UpstreamRequest, 'lambda' | 'url'>): Promise<TargetVerdict>
  /** An error is a clause without a full stop about a header that cannot be sent. */
  head(request: UpstreamRequest): Promise<Result<RequestHead, string>>
}

export type UpstreamLimits = {
  readonly responseBytesMax: number
  readonly signal: AbortSignal
  readonly uid: string
  /** The time until the deadline aborts `signal`, for a sender that `signal` does not reach. */
  readonly timeoutMs?: number | undefined
  /** How many redirects are followed; default: REDIRECTS_MAX of core/request/redirect.ts. */
  readonly redirectsMax?: number
  /** Lower-case names of response headers that the answer must include. */
  readonly showHeaders?: readonly string[] | undefined
  /**
   * Called when a connection for the request is open (at once for a kept one), and at the first
   * byte of an answer; again for each redirect. `agoMs`: how long ago that was; 0 by default. Must
   * not throw.
   */
  readonly onStep?: ((step: UpstreamStep, agoMs?: number) => void) | undefined
  /**
   * Called with the headers of each answer, redirects included: names and values in turn. Must not
   * throw.
   */
  readonly onHeaders?: ((headers: readonly string[]) => void) | undefined
  /**
   * Called with each value of a signature that nobody else may see, before it is sent. Must not
   * throw.
   */
  readonly onSigned?: ((name: string, value: string) => void) | undefined
  /**
   * For a request whose answer may be a stream of events: called with each part of a 2xx answer of
   * the type text/event-stream as it arrives, unpacked; such a body is not kept. False ends the
   * exchange. Its answer then has an empty body. Must not throw.
   */
  readonly onEvents?: ((part: Uint8Array) => boolean) | undefined
  /**
   * True for a stream of events that lasts until `signal`: a sender that hands nothing on before
   * the end refuses it.
   */
  readonly isHeld?: boolean | undefined
} & UpstreamListener

/** What the caller's client takes while a call of an MCP server runs. */
export type UpstreamListener = {
  /** Called with each progress notification of the server. Must not throw. */
  readonly onProgress?: ((progress: UpstreamProgress) => void) | undefined
  /** Undefined if the client cannot be asked while its call runs. */
  readonly asker?: UpstreamAsker | undefined
}

export type UpstreamAsker = {
  /** As a client declares them: what it can be asked. */
  readonly capabilities: JsonObject
  /** Undefined if no answer came. Never rejects. */
  ask(question: UpstreamQuestion): Promise<JsonObject | undefined>
}

export type UpstreamStep = 'connected' | 'first-byte'

/** One line per call; allow-listed fields, no argument values, no secrets. */
export type CallLine = {
  readonly callId: string
  readonly uid: string
  readonly username: string
  readonly skillId: string
  readonly source: SkillSource
  readonly outcome: 'settled' | 'refunded' | 'free' | 'refused'
  /** The ErrorCode if the call failed or was refused. */
  readonly code: string | undefined
  readonly upstreamStatus: number | undefined
  /** From sending to the last byte or to the stop; undefined if nothing was sent. */
  readonly upstreamMs: number | undefined
  readonly durationMs: number
  /**
   * Amount of the hold that this call placed and ended; 0 without a hold, or if the sweep must end
   * it.
   */
  readonly held: MicroCredits
  readonly charged: MicroCredits
  readonly refunded: MicroCredits
  readonly remaining: MicroCredits
  /** Which secrets the call used; absent if it needed none or could not load them. */

  readonly secretsUsed?: readonly SecretUsed[]
}

/** Ids, counts and codes only. A list holds measurements. */
export type NoteFields = {
  readonly [name: string]: string | number | boolean | readonly number[] | undefined
}

export type Log = {
  call(line: CallLine): void
  /** `event` is a constant in kebab-case. */
  note(level: 'info' | 'warn' | 'error', event: string, fields?: NoteFields, cause?: unknown): void
}
