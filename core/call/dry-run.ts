/**
 * A dry run between our functions: what admin asks of execute, and what execute tells. It holds no secret:
 * requests in it are made with stand-ins (stand-ins.ts). Bound by docs/service.md, Dry runs, and ADR 0054.
 */
import type { ErrorCode, FieldFault } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import type { SecretFrom } from '../secrets/secret.ts'
import type { SkillRecord } from '../skills/skill.ts'
import type { ShownRequest } from './shown-request.ts'
import type { TargetVerdict } from './upstream.ts'

export type DryRunOrder = {
  /** As stored, or as sent by an administrator and stored nowhere. */
  readonly record: SkillRecord
  /** The user as whom; undefined: nobody, whom only shared secrets serve. */
  readonly uid: string | undefined
  readonly arguments: JsonObject
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
  /** What it rests for: this user's failures, no connection, or failures of several users. */
  readonly of?: 'caller' | 'reach' | 'service'
  readonly retryAfterSec?: number
}

/** What becomes of an answer. */
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

export type DryRunReport = {
  readonly problems: readonly DryRunProblem[]
  /** Absent where the arguments make none. */
  readonly request?: ShownRequest
  /** What hooks would send before it, such as the request for a token. */
  readonly hookRequests: readonly ShownRequest[]
  readonly secrets: readonly SecretReport[]
  readonly target: TargetVerdict
  readonly breaker: BreakerReport
  readonly mapping: MappingReport
}
