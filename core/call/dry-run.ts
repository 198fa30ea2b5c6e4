/**
 * A dry run: the order that the admin function sends to execute, and the report that it receives.
 * Neither contains a secret: the requests in a report are made with stand-ins
 * (stand-ins.ts). Bound by docs/service.md, Dry runs, and ADR 0054.
 */
import {
  type ErrorCode,
  type FailureClass,
  type FieldError,
  ok,
  type Refusal,
  type Result,
  refuse,
} from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import type { ContentBlock } from '../mcp/content.ts'
import type { ShownRemedy } from '../remedies/remedy.ts'
import type { ShownHeader, ShownRequest } from '../request/shown-request.ts'
import type { SecretFrom } from '../secrets/secret.ts'
import type { CallableRecord, SkillSource } from '../skills/skill.ts'
import type { TargetVerdict } from './upstream.ts'

export type DryRunOrder = {
  /** A stored skill, or one that an administrator sent and that is not stored. */
  readonly record: CallableRecord
  /** The user whose secrets are used; undefined means that only shared secrets are used. */
  readonly uid: string | undefined
  readonly arguments: JsonObject
  /** True if the call is really sent, free of charge. */
  readonly send: boolean
}

/** A reason why a call would be refused, in the words of the refusal. */
export type DryRunProblem = {
  readonly code: ErrorCode
  readonly detail: string
  readonly remedy?: ShownRemedy
  readonly errors?: readonly FieldError[]
}

export type SecretReport = {
  readonly name: string
  readonly state: 'found' | 'missing' | 'refused'
  /** The owner of the secret; absent for a missing one. */
  readonly from?: SecretFrom
  /** Why the secret is missing or refused, and who can correct that. */
  readonly detail?: string
  readonly remedy?: ShownRemedy
}

/** The breaker's state in the environment that answered. Each environment has its own breakers. */
export type BreakerReport = {
  readonly state: 'closed' | 'open' | 'half-open'
  /** Why the breaker is open: this user's failures, no connection, or failures of several users. */
  readonly of?: 'caller' | 'reach' | 'service'
  readonly retryAfterSec?: number
}

/** The skill's rules for turning an answer into a result. */
export type MappingReport = {
  /** `2xx`, and the statuses of `ok_statuses`. */
  readonly okStatuses: readonly string[]
  readonly as: string
  readonly pick?: string
  readonly failIf: readonly string[]
  readonly showHeaders: readonly string[]
  readonly hasOutputSchema: boolean
  readonly hooks: readonly string[]
  readonly bytesMax: number
  readonly timeoutMs: number
  readonly retries: number
}

/** One request that was sent. `failure` is the kind of an UpstreamAnswer. */
export type SendReport = {
  readonly method: string
  readonly host: string
  readonly status?: number
  readonly failure?: string
  /** In ms. A phase that did not finish ends with the send. */
  readonly phases: {
    readonly connect?: number
    readonly firstByte?: number
    readonly body?: number
  }
}

export type JudgementReport = {
  readonly statusIs: 'success' | 'failure'
  readonly by: '2xx' | 'ok_statuses' | 'no rule'
  readonly failIf: readonly { readonly condition: string; readonly holds: boolean }[]
}

/** The course of a test call. It contains no secret. */
export type SentReport = {
  readonly durationMs: number
  /** All sends in order, including those of hooks and retries. */
  readonly sends: readonly SendReport[]
  /** Absent without an answer, and if the call was cut. */
  readonly answer?: {
    readonly status: number
    readonly mediaType: string
    readonly bytes: number
    readonly headers: readonly ShownHeader[]
    /** The first 2 KB of a text body. */
    readonly start: string
  }
  readonly judgement?: JudgementReport
  readonly result?: { readonly content: readonly ContentBlock[]; readonly structuredContent?: Json }
  /** UTF-16 units of a result that is too long to be shown. */
  readonly resultUnits?: number
  /** The question that the upstream first asks the caller's client. */
  readonly asks?: JsonObject
  readonly failure?: DryRunProblem & { readonly upstreamFault?: FailureClass }
}

export type DryRunReport = {
  readonly problems: readonly DryRunProblem[]
  /** Absent if the arguments do not make a request. */
  readonly request?: ShownRequest
  /** Requests that hooks would send first, such as a request for a token. */
  readonly hookRequests: readonly ShownRequest[]
  readonly secrets: readonly SecretReport[]
  readonly target: TargetVerdict
  readonly breaker: BreakerReport
  readonly mapping: MappingReport
  readonly sent?: SentReport
}

/**
 * Parses the order of a dry run. The form is checked, because the two functions may be of different
 * deployments. Refuses with `malformed`.
 */
export function readDryRunOrder(body: Json): Result<DryRunOrder> {
  if (!isJsonObject(body)) return MALFORMED
  const { arguments: args, record: sent, send, uid } = body
  const record = isJsonObject(sent) ? readRecord(sent) : undefined
  if (record === undefined || !isJsonObject(args)) return MALFORMED
  if (uid !== undefined && typeof uid !== 'string') return MALFORMED
  return ok({ record, uid, arguments: args, send: send === true })
}

const MALFORMED = refuse('malformed', 'body: must be a request for a dry run.')

function readRecord(sent: JsonObject): CallableRecord | undefined {
  const { createdAtMs, definition, skillId, source, toolName, uid, updatedAtMs, version } = sent
  if (typeof skillId !== 'string' || typeof toolName !== 'string' || !isSource(source))
    return undefined
  if (!isJsonObject(definition) || typeof version !== 'number') return undefined
  if (typeof createdAtMs !== 'number' || typeof updatedAtMs !== 'number') return undefined
  if (uid !== undefined && typeof uid !== 'string') return undefined
  return { skillId, source, uid, toolName, definition, createdAtMs, updatedAtMs, version }
}

function isSource(value: Json | undefined): value is SkillSource {
  return value === 'private' || value === 'official' || value === 'market'
}

/** Converts a refusal to the form in which a dry run lists it. */
export function toDryRunProblem({ code, detail, faults }: Refusal): DryRunProblem {
  return { code, detail, ...(faults === undefined ? {} : { errors: faults }) }
}
