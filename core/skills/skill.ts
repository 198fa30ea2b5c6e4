/** A skill: one JSON record that becomes a tool. `definition` keeps the field names of the wire. */
import type { JsonObject } from '../json/json.ts'
import type { ArgumentPlace, BodyForm } from './definition/argument-place.ts'
import type { BodyEncoding } from './definition/body-encoding.ts'
import type { SkillState } from './definition/read-state.ts'
import type { BodyTemplate, Template } from './definition/template.ts'

export type SkillSource = 'private' | 'official' | 'market'
export const SKILL_SOURCES: readonly SkillSource[] = ['private', 'official', 'market']

/** A stored record: the normalised unified JSON, unknown fields included. */
export type SkillRecord = {
  readonly skillId: string
  readonly source: SkillSource
  /** Owner of a private skill; undefined for the other tiers. */
  readonly uid: string | undefined
  /** The name agents call: skillId, or for a private skill the claimed `{username}_{skillId}`. */
  readonly toolName: string
  readonly definition: JsonObject
  readonly createdAtMs: number
  readonly updatedAtMs: number
  /** Each change adds 1. A skill that is made again goes on where the deleted one ended. */
  readonly version: number
  /** Who made this version. */
  readonly by: string
  readonly origin: SkillOrigin
}

/** A record as calls use it, whoever made it. */
export type CallableRecord = Omit<SkillRecord, 'by' | 'origin'>

/** What made a version of a skill; `edit` is a change of price or groups. */
export const SKILL_ORIGINS = [
  'sync',
  'import',
  'rename',
  'rollback',
  'state',
  'edit',
  'set',
] as const

export type SkillOrigin = (typeof SKILL_ORIGINS)[number]

/** The typed view of `definition`, as calls use it. */
export type Skill = {
  readonly skillId: string
  readonly source: SkillSource
  readonly skillUid: string | undefined
  /** The users who see and call it (visible.ts); absent: everyone. No effect on a private skill. */
  readonly groups?: readonly string[]
  readonly name: string
  readonly description: string
  readonly emoji: string | undefined
  readonly tags: readonly string[]
  /** `meta.annotations`: the author's own hints. */
  readonly annotations?: Partial<ToolAnnotations>
  /** JSON Schema, root `type: object`. */
  readonly parameters: JsonObject
  /** `meta.output_schema`: the schema of `structuredContent`; undefined when none is promised. */
  readonly outputSchema?: JsonObject | undefined
  /** `meta.typical_ms`: the usual duration of a call, as the author states it. */
  readonly typicalMs?: number | undefined
  readonly endpoint: string
  readonly method: HttpMethod
  /** In the order in which they run. */
  readonly hooks: readonly SkillHook[]
  readonly auth: SkillAuth | undefined
  /** Lower-case names. */
  readonly headers: { readonly [name: string]: Template }
  readonly query: { readonly [name: string]: Template }
  /** Undefined when the arguments themselves are the body. */
  readonly body: BodyTemplate | undefined
  /** From the skill's own content-type header; undefined without one. */
  readonly bodyEncoding: BodyEncoding | undefined
  /** `config.arguments`: arguments with a place of their own; undefined without any. */
  readonly places?: readonly ArgumentPlace[]
  /** `config.body_as`; undefined: the method decides, as for a skill without places. */
  readonly bodyAs?: BodyForm
  /** At most 14250. */
  readonly timeoutMs: number
  readonly responseAs: 'auto' | 'json' | 'text' | 'mcp'
  /** JSON Pointer (RFC 6901) into the answer; undefined for all of it. */
  readonly responsePick: string | undefined
  /** `response.fail_if`: answers that fail the call whatever their status; undefined without any. */
  readonly failIf?: readonly FailCondition[]
  /** `response.ok_statuses`: statuses of 4xx that are answers. */
  readonly okStatuses?: readonly number[]
  /** `response.show_headers`, lower-case. */
  readonly shownHeaders?: readonly string[]
  /** How often a call may be repeated within its time limit. */
  readonly retries: number
  /** `config.repeat`; undefined: each of two equal calls is paid. */
  readonly repeat?: RepeatRule
  /** `config.task`; undefined: each call ends within 15 s. */
  readonly task?: TaskRule
  readonly responseBytesMax: number
  readonly priceMicroCredits: number
  /** Undefined: listed. */
  readonly state?: SkillState
  /** Why it is disabled, for agents. */
  readonly stateReason?: string
  /**
   * Parts of the definition that this build cannot run; such a skill is not listed and not called.
   */
  readonly notYet: readonly string[]
}

export type SkillHook = {
  readonly name: string
  /** Interpreted by the hook. */
  readonly options: JsonObject
  /** JSON Pointer to the options in the definition. */
  readonly optionsAt: string
}

/** When the second of two equal calls is free (docs/service.md, Equal calls). */
export type RepeatRule = {
  /** Seconds between the end of the first call and the arrival of the second. */
  readonly forgiveWithinSec: number
}

/** A call that may go on behind its answer (docs/service.md, Tasks). */
export type TaskRule = {
  /** Seconds that its upstream has. */
  readonly maxSec: number
  /** True: the call cannot be made by a client without tasks. */
  readonly required: boolean
}

export type FailCondition =
  | { readonly kind: 'equals'; readonly pointer: string; readonly value: JsonScalar }
  | { readonly kind: 'contains'; readonly text: string }

type JsonScalar = string | number | boolean | null

/** The place of a secret in the request. `secret` is its name. */
export type SkillAuth =
  | { readonly type: 'bearer'; readonly secret: string }
  /** Without `username` the secret is `user:password`. */
  | { readonly type: 'basic'; readonly secret: string; readonly username: string | undefined }
  | { readonly type: 'cookie' | 'header' | 'query'; readonly secret: string; readonly name: string }

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** An entry of a tool list in its richest stored form; core/mcp projects it per revision. */
export type Tool = {
  readonly name: string
  readonly title: string | undefined
  readonly description: string
  readonly inputSchema: JsonObject
  /** The skill behind the tool; undefined for built-in tools and for entries pushed without one. */
  readonly skillId: string | undefined
  readonly priceMicroCredits: number
  readonly outputSchema?: JsonObject | undefined
  readonly annotations?: ToolAnnotations | undefined
  readonly emoji?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly typicalMs?: number | undefined
  /** Undefined when the tool calls no upstream. */
  readonly timeoutMs?: number | undefined
  /** Of the skill behind the tool; absent: everyone sees it. Agents are not shown it. */
  readonly groups?: readonly string[] | undefined
  /**
   * Tier and version of the shared skill that the entry was made from; absent in entries that were pushed
   * and of private skills. Agents are not shown them.
   */
  readonly source?: SkillSource | undefined
  readonly version?: number | undefined
}

/** MCP hints, derived from method and tags. */
export type ToolAnnotations = {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** The records that one name may mean, read in one batch. */
export type Candidates = {
  readonly private: SkillRecord | undefined
  readonly official: SkillRecord | undefined
  readonly market: SkillRecord | undefined
}
