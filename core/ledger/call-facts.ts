/**
 * The facts of a call besides its money, for administrators: key, door, client, upstream, trace and
 * phases. The facts are one short text in the outcome's record, so that the record stays below the
 * 1 kB of one write unit (ADR 0048). The facts contain no argument and no secret.
 */
import { countBytes } from '../json/text-bytes.ts'

export const CALL_DOORS = ['rest', 'mcp', 'sse'] as const
export type CallDoor = (typeof CALL_DOORS)[number]

/** The phases of a call in their order. A phase is measured in milliseconds. */
export const PHASES = ['auth', 'limits', 'hold', 'connect', 'firstByte', 'body', 'answer'] as const
export type Phase = (typeof PHASES)[number]

/** Milliseconds of each phase. A phase that the call did not reach is absent. */
export type CallPhases = { readonly [phase in Phase]?: number }

export type CallFacts = {
  /** Hash of the API key: the key's id in the admin API. */
  readonly keyId: string
  readonly door: CallDoor
  /**
   * Name and version of the agent's client, or the User-Agent. Shortened: the client chooses it.
   */
  readonly client?: string
  /** Host, and the port unless it is the scheme's default. */
  readonly upstreamHost?: string
  readonly traceId?: string
  readonly phases: CallPhases
  /** The owners of the secrets that the call used. */
  readonly secretsUsed?: string
  /**
   * Equal for equal calls (core/ledger/equal-calls.ts); absent if the skill has no `config.repeat`.
   */
  readonly fingerprint?: string
  /** The call's id in the agent's own software. Shortened: the client chooses it. */
  readonly clientCallId?: string
}

/** Enough for `claude-desktop/1.24.3 (darwin arm64)`. */
export const CLIENT_CHARS_MAX = 48
/** The ids that models give their tool calls have 29 to 36 characters. */
export const CLIENT_CALL_ID_CHARS_MAX = 48
/** Hardly any host is longer. A longer host loses its start, as its end tells more. */
export const UPSTREAM_HOST_CHARS_MAX = 64

/**
 * Returns at most {@link CLIENT_CHARS_MAX} printable ASCII characters; undefined if none remain.
 */
export function shortenClient(sent: string | undefined): string | undefined {
  const text = sent?.replace(/[^\x20-\x7e]+/g, '?').trim()
  return text === undefined || text === '' ? undefined : text.slice(0, CLIENT_CHARS_MAX).trim()
}

/**
 * Returns at most {@link CLIENT_CALL_ID_CHARS_MAX} visible ASCII characters; undefined if none
 * remain.
 */
export function shortClientCallId(sent = ''): string | undefined {
  const text = sent.replace(/[^\x21-\x7e]+/g, '?')
  return text === '' ? undefined : text.slice(0, CLIENT_CALL_ID_CHARS_MAX)
}

/** Cuts the start of a host over UPSTREAM_HOST_CHARS_MAX characters. */
export function shortenHost(host: string): string {
  return host.length <= UPSTREAM_HOST_CHARS_MAX
    ? host
    : `…${host.slice(1 - UPSTREAM_HOST_CHARS_MAX)}`
}

/** Bytes of one write unit of DynamoDB; a larger outcome costs two. */
const RECORD_BYTES_MAX = 1024
/**
 * Bytes of an outcome besides ids and facts: attribute names, longest words and numbers, budgets.
 */
const FIXED_BYTES = 355

/**
 * Drops facts until the record fits one write unit, which is needed only if the ids are long. It
 * drops the client first, then the client's call id, the host and the trace. The other facts
 * remain: the key, the door, the phases, the owners of secrets and the fingerprint.
 */
export function fitFacts(
  facts: CallFacts,
  ids: { readonly uid: string; readonly callId: string; readonly skillId: string },
): CallFacts {
  // The partition key and the sort key repeat the ids.
  const bytes =
    FIXED_BYTES + 2 * countBytes(ids.uid) + 2 * countBytes(ids.callId) + countBytes(ids.skillId)
  const fits = (kept: CallFacts) => bytes + countBytes(writeFacts(kept)) <= RECORD_BYTES_MAX
  if (fits(facts)) return facts
  const { client: _client, ...noClient } = facts
  if (fits(noClient)) return noClient
  const { clientCallId: _id, ...noId } = noClient
  if (fits(noId)) return noId
  const { upstreamHost: _host, ...noHost } = noId
  if (fits(noHost)) return noHost
  const { traceId: _trace, ...least } = noHost
  return least
}

type WrittenFacts = readonly [
  keyId: string,
  door: CallDoor,
  phases: readonly (number | null)[],
  client?: string | null,
  upstreamHost?: string | null,
  traceId?: string | null,
  secretsUsed?: string | null,
  fingerprint?: string | null,
  clientCallId?: string | null,
]

/** Returns the facts as a JSON array without names, which {@link readFacts} parses. */
export function writeFacts(facts: CallFacts): string {
  const { client, clientCallId, door, fingerprint, keyId, phases } = facts
  const { secretsUsed, traceId, upstreamHost } = facts
  const times = PHASES.map((phase) => phases[phase] ?? null)
  const texts = [client, upstreamHost, traceId, secretsUsed, fingerprint, clientCallId]
  const rest = texts.map((one) => one ?? null)
  return JSON.stringify([keyId, door, trimNulls(times), ...trimNulls(rest)])
}

function trimNulls<T>(values: readonly (T | null)[]): readonly (T | null)[] {
  return values.slice(0, values.findLastIndex((value) => value !== null) + 1)
}

/** Returns undefined for a text that {@link writeFacts} cannot have made. */
export function readFacts(text: string): CallFacts | undefined {
  const written: unknown = parseJson(text)
  if (!isWrittenFacts(written)) return undefined
  const [keyId, door, times, ...rest] = written
  const [client, upstreamHost, traceId, secretsUsed, fingerprint, clientCallId] = rest
  const phases: { [phase in Phase]?: number } = {}
  for (const [index, phase] of PHASES.entries()) {
    const ms = times[index]
    if (typeof ms === 'number') phases[phase] = ms
  }
  return {
    keyId,
    door,
    phases,
    ...(typeof client === 'string' ? { client } : {}),
    ...(typeof upstreamHost === 'string' ? { upstreamHost } : {}),
    ...(typeof traceId === 'string' ? { traceId } : {}),
    ...(typeof secretsUsed === 'string' ? { secretsUsed } : {}),
    ...(typeof fingerprint === 'string' ? { fingerprint } : {}),
    ...(typeof clientCallId === 'string' ? { clientCallId } : {}),
  }
}

function isWrittenFacts(value: unknown): value is WrittenFacts {
  if (!Array.isArray(value)) return false
  const [keyId, door, times] = value
  return typeof keyId === 'string' && CALL_DOORS.some((one) => one === door) && Array.isArray(times)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller treats a text that is not JSON like any other wrong text.
    return undefined
  }
}
