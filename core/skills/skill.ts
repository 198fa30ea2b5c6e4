/**
 * Types of a skill: one JSON record that becomes a tool. `definition` has the wire's field names.
 */
import type { JsonObject } from '../json/json.ts'
import type { ArgumentPlace, BodyForm } from './definition/argument-place.ts'
import type { BodyEncoding } from './definition/body-encoding.ts'
import type { SkillState } from './definition/read-state.ts'
import type { BodyTemplate, Template } from './definition/template.ts'

export type SkillSource = 'private' | 'official' | 'market'
export const SKILL_SOURCES: readonly SkillSource[] = ['private', 'official', 'market']

/** A stored record: the normalised unified JSON with unknown fields. */
export type SkillRecord = {
  readonly skillId: string
  readonly source: SkillSource
  /** Owner of a private skill; undefined for the other tiers. */
  readonly uid: string | undefined
  /** The tool's name: skillId, or for a private skill the claimed `{username}_{skillId}`. */
  readonly toolName: string
  readonly definition: JsonObject
  readonly createdAtMs: number
  readonly updatedAtMs: number
  /** Each change adds 1. A skill that is made again continues the deleted one's numbers. */
  readonly version: number
  /** The administrator who made this version. */
  readonly by: string
  readonly origin: SkillOrigin
}

/** The part of a record that calls use. */
export type CallableRecord = Omit<SkillRecord, 'by' | 'origin'>

/** The operation that made a version. `edit` is a change of price or groups. */
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

/** The typed form of `definition`, as calls use it. */
export type Skill = {
  readonly skillId: string
  readonly source: SkillSource
  readonly skillUid: string | undefined
  /**
   * Groups whose users see the skill (visible.ts); absent for all users. Not for private skills.
   */
  readonly groups?: readonly string[]
  readonly name: string
  readonly description: string
  readonly emoji: string | undefined
  readonly tags: readonly string[]
  /** `meta.annotations`: the author's own hints. */
  readonly annotations?: Partial<ToolAnnotations>
  /** JSON Schema, root `type: object`. */
  readonly parameters: JsonObject
  /** `meta.output_schema`: the schema of `structuredContent`; undefined without a promise. */
  readonly outputSchema?: JsonObject | undefined
  /** `meta.typical_ms`: the usual duration of a call, as the author states it. */
  readonly typicalMs?: number | undefined
  readonly endpoint: string
  readonly method: HttpMethod
  /** Hooks in the order in which they run. */
  readonly hooks: readonly SkillHook[]
  readonly auth: SkillAuth | undefined
  /** `config.auth` of type `sigv4`: the gateway signs the request for AWS; `auth` is then undefined. */
  readonly signing?: AwsSigning
  /**
   * `config.lambda`: the upstream is a Lambda function. `endpoint` is then made of it, and `body` is
   * the event, or undefined if the arguments are.
   */
  readonly lambda?: LambdaTarget
  /** `config.mcp`: the upstream is a tool of the MCP server at `endpoint`. */
  readonly mcp?: McpTarget
  /** Lower-case names. */
  readonly headers: { readonly [name: string]: Template }
  readonly query: { readonly [name: string]: Template }
  /** Undefined if the arguments themselves are the body. */
  readonly body: BodyTemplate | undefined
  /** Set by the skill's own content-type header; undefined without one. */
  readonly bodyEncoding: BodyEncoding | undefined
  /** `config.arguments`: arguments with a place of their own. */
  readonly places?: readonly ArgumentPlace[]
  /** `config.body_as`. Without it, the method decides. */
  readonly bodyAs?: BodyForm
  /** At most 14250. */
  readonly timeoutMs: number
  readonly responseAs: 'auto' | 'json' | 'text' | 'mcp'
  /** JSON Pointer (RFC 6901) into the answer; undefined for the whole answer. */
  readonly responsePick: string | undefined
  /** `response.keep`: every result is kept; undefined if only large ones are. */
  readonly responseKeep?: 'always'
  /** `response.fail_if`: conditions that make an answer a failure, whatever its status. */
  readonly failIf?: readonly FailCondition[]
  /** `response.ok_statuses`: 4xx statuses that are answers. */
  readonly okStatuses?: readonly number[]
  /** `response.show_headers`, lower-case. */
  readonly shownHeaders?: readonly string[]
  /** How often a send may be repeated within the call's time limit. */
  readonly retries: number
  /** `config.repeat`; undefined: each of two equal calls is paid. */
  readonly repeat?: RepeatRule
  /** `config.task`; undefined: each call ends within 15 s. */
  readonly task?: TaskRule
  readonly responseBytesMax: number
  readonly priceMicroCredits: number
  /** Undefined means listed. */
  readonly state?: SkillState
  /** Tells agents why the skill is disabled. */
  readonly stateReason?: string
  /** Parts of the definition that this build cannot run. Such a skill is not listed or called. */
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
  /** How the upstream is asked about the work, if the skill's own request only starts it. */
  readonly job?: JobRule
}

/**
 * A job of an upstream: its start answers at once, and its state is asked for (docs/skills.md,
 * Jobs).
 */
export type JobRule = {
  /** JSON Pointers into the start's answer, by the names that the addresses use. */
  readonly values: { readonly [name: string]: string }
  readonly status: {
    /** An address with `{name}` places for values; always GET. */
    readonly endpoint: string
    /** JSON Pointer to the word that tells the state. */
    readonly pointer: string
    readonly done: readonly JsonScalar[]
    readonly failed: readonly JsonScalar[]
    /** The word of a job that waits for answers, which `answer` takes; its questions are at
     * `/inputRequests`. */
    readonly asks?: string
    /** JSON Pointers to what a person reads meanwhile. */
    readonly message?: string
    readonly progress?: string
  }
  /** Where the result is; undefined if the answer that says `done` has it. */
  readonly result?: { readonly endpoint: string }
  /** What takes the answers to its questions. */
  readonly answer?: { readonly endpoint: string; readonly method: HttpMethod }
  /** What stops the job. */
  readonly cancel?: { readonly endpoint: string; readonly method: HttpMethod }
  readonly pollMs: number
}

export type FailCondition =
  | { readonly kind: 'equals'; readonly pointer: string; readonly value: JsonScalar }
  | { readonly kind: 'contains'; readonly text: string }

export type JsonScalar = string | number | boolean | null

/** Where a secret goes in the request. `secret` is its name. */
export type SkillAuth =
  | { readonly type: 'bearer'; readonly secret: string }
  /** Without `username`, the secret is `user:password`. */
  | { readonly type: 'basic'; readonly secret: string; readonly username: string | undefined }
  | { readonly type: 'cookie' | 'header' | 'query'; readonly secret: string; readonly name: string }
  | OAuthLogin

/** Each user logs in at the upstream; the secret of this name has the tokens. */
export type OAuthLogin = {
  readonly type: 'oauth2'
  readonly grant: 'authorization_code'
  readonly secret: string
  /** What the tokens are for (RFC 8707). */
  readonly resource: string
  /** Undefined: the resource's own metadata name the authorization server. */
  readonly issuer: string | undefined
  /** Undefined: the gateway's document, or a registration. */
  readonly clientId: string | undefined
  readonly scope: string | undefined
}

/** AWS Signature Version 4 with the credentials of the function that makes the call. */
export type AwsSigning = {
  /** The service in the signature, such as `execute-api`. */
  readonly service: string
  readonly region: string
  /** A role to assume first, in sessions named by the user. */
  readonly role?: { readonly arn: string; readonly externalId?: string }
}

export type LambdaTarget = {
  /** Name or ARN, without qualifier. */
  readonly functionName: string
  /** Version or alias. */
  readonly qualifier?: string
  /** The function answers as API Gateway's proxy integration asks: status, headers and body. */
  readonly isProxy?: true
}

export type McpTarget = {
  /** The tool's name at the server. */
  readonly tool: string
  /** The upstream that the skill was made of; undefined for a skill that was pushed by hand. */
  readonly upstreamId?: string
  /** True: a result with `isError` is charged like a success. */
  readonly chargesErrors?: true
  /** True: a call whose answer was lost may be sent again. */
  readonly isIdempotent?: true
  /** True: agents read the upstream's resources, so results may name them. */
  readonly hasResources?: true
  /** The page that shows the tool's results, with the server's own URI. */
  readonly ui?: ToolUi
}

/** `_meta.ui` of a tool (Apps, SEP-1865). */
export type ToolUi = {
  readonly resourceUri: string
  /** Absent for both. */
  readonly visibility?: readonly ('model' | 'app')[]
}

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** An entry of a tool list with all stored fields; core/mcp writes it for each revision. */
export type Tool = {
  readonly name: string
  readonly title: string | undefined
  readonly description: string
  readonly inputSchema: JsonObject
  /** The tool's skill; undefined for built-in tools and for entries pushed without a skill. */
  readonly skillId: string | undefined
  readonly priceMicroCredits: number
  /** True if a call has the price of the tool that it names; `priceMicroCredits` is then 0. */
  readonly costsAsNamed?: true
  readonly outputSchema?: JsonObject | undefined
  readonly annotations?: ToolAnnotations | undefined
  readonly emoji?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly typicalMs?: number | undefined
  /** Undefined if the tool calls no upstream. */
  readonly timeoutMs?: number | undefined
  /** Groups of the tool's skill; absent for all users. Agents do not see this field. */
  readonly groups?: readonly string[] | undefined
  /** The tool's skill runs as a task alone. Agents do not see this field. */
  readonly needsTask?: true | undefined
  /** The page that shows the tool's results, by its URI here. */
  readonly ui?: ToolUi | undefined
  /**
   * Tier and version of the shared skill that the entry was made from; absent for pushed entries
   * and private skills. Agents do not see these fields.
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
