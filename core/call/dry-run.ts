/**
 * A dry run between our functions: the order that admin sends to execute, and the report that it gets. Neither
 * holds a secret: requests in it are made with stand-ins (stand-ins.ts). Bound by docs/service.md, Dry runs,
 * and ADR 0054.
 */
import type { ErrorCode, FieldFault, UpstreamFault } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import type { ContentBlock } from '../mcp/content.ts'
import type { ShownHeader, ShownRequest } from '../request/shown-request.ts'
import type { SecretFrom } from '../secrets/secret.ts'
import type { CallableRecord } from '../skills/skill.ts'
import type { TargetVerdict } from './upstream.ts'

export type DryRunOrder = {
  /** As stored, or as sent by an administrator and stored nowhere. */
  readonly record: CallableRecord
  /** The user in whose name it runs; undefined for nobody, who has shared secrets alone. */
  readonly uid: string | undefined
  readonly arguments: JsonObject
  /** True: the call is really sent, free of charge. */
  readonly send: boolean
}

/** A reason for which a call would be refused, as the call would say it. */
export type DryRunProblem = {
  readonly code: ErrorCode
  readonly detail: string
  readonly errors?: readonly FieldFault[]
}

export type SecretReport = {
  readonly name: string
  readonly state: 'found' | 'missing' | 'refused'
  /** Whose it is; absent for a missing one. */
  readonly from?: SecretFrom
  /** Why it is missing or refused, and who mends it. */
  readonly detail?: string
}

/** As the environment that answered sees it: each has breakers of its own. */
export type BreakerReport = {
  readonly state: 'closed' | 'open' | 'half-open'
  /** Why it is open: this user's failures, no connection, or failures of several users. */
  readonly of?: 'caller' | 'reach' | 'service'
  readonly retryAfterSec?: number
}

/** How an answer would become a result. */
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

/** One request that was sent; a failure is the kind of an UpstreamAnswer. */
export type SendReport = {
  readonly method: string
  readonly host: string
  readonly status?: number
  readonly failure?: string
  /** In ms; a phase that never ended is over with the send. */
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

/** How a test call went. No secret of the call is in it. */
export type SentReport = {
  readonly durationMs: number
  /** All sends in their order, those of hooks and retries included. */
  readonly sends: readonly SendReport[]
  /** Absent when there is none, or the call was cut. */
  readonly answer?: {
    readonly status: number
    readonly mediaType: string
    readonly bytes: number
    readonly headers: readonly ShownHeader[]
    /** The first 2 KB of a text. */
    readonly start: string
  }
  readonly judgement?: JudgementReport
  readonly result?: { readonly content: readonly ContentBlock[]; readonly structuredContent?: Json }
  /** Length of a result that is too long to be shown. */
  readonly resultUnits?: number
  /** The question that the upstream asks the caller's client first. */
  readonly asks?: JsonObject
  readonly failure?: DryRunProblem & { readonly upstreamFault?: UpstreamFault }
}

export type DryRunReport = {
  readonly problems: readonly DryRunProblem[]
  /** Absent where the arguments make none. */
  readonly request?: ShownRequest
  /** Requests that hooks would send before it, such as the one for a token. */
  readonly hookRequests: readonly ShownRequest[]
  readonly secrets: readonly SecretReport[]
  readonly target: TargetVerdict
  readonly breaker: BreakerReport
  readonly mapping: MappingReport
  readonly sent?: SentReport
}
