/** Skills, the list of tools, and what checks and reads a skill. */
import type { UpstreamAnswer, UpstreamRequest, UpstreamResponse } from '../call/upstream.ts'
import type { FieldFault, Result } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import type { StatusFault } from '../response/upstream-fault.ts'
import type { MarkdownParts } from '../skills/definition/markdown-skill.ts'
import type { SkillRecord, SkillSource, Tool } from '../skills/skill.ts'

export type Skills = {
  /** Strongly consistent. `uid` is needed for `private` and ignored elsewhere. */
  get(key: { source: SkillSource; skillId: string; uid?: string }): Promise<SkillRecord | undefined>
  /**
   * Writes the record if the stored version is `ifVersion` (0: none) and its own was never written;
   * false otherwise. Keeps it as a version, and removes the oldest one that is kept.
   */
  put(record: SkillRecord, ifVersion: number): Promise<boolean>
  /** Removes the record if it still has this version; false when it has another, or is gone. */
  remove(
    key: { source: SkillSource; skillId: string; uid?: string },
    ifVersion: number,
  ): Promise<boolean>
  /** One page in skillId order; strongly consistent. `limit` ≤ 1000. */
  list(of: { source: SkillSource; uid?: string; after?: string; limit: number }): Promise<{
    records: readonly SkillRecord[]
    /** skillId to pass as `after`; undefined on the last page. */
    next: string | undefined
  }>
  /**
   * Claims toolname:{uid}/{toolName} for a private skill. The first claim stands; returns its
   * skillId.
   */
  claimToolName(claim: { uid: string; toolName: string; skillId: string }): Promise<string>
  /** Removes every claim of the user's. Repeatable. */
  dropToolNames(uid: string): Promise<void>
}

/**
 * Whole versions of skills: the last SKILL_VERSIONS_KEPT of each, also of deleted ones. `put` of
 * {@link Skills} writes a version with its skill, and removes the oldest.
 */
export type SkillVersions = {
  /** Newest first, strongly consistent; with `before` only those below it. `next` goes into `before`. */
  list(of: SkillVersionsOf & { readonly before?: number; readonly limit: number }): Promise<{
    versions: readonly SkillRecord[]
    next: number | undefined
  }>
  /** Strongly consistent. */
  get(of: SkillVersionsOf & { readonly version: number }): Promise<SkillRecord | undefined>
  /**
   * Removes up to `limit` versions of the user's private skills, in no particular order; true when none
   * is left.
   */
  dropOwned(of: { readonly uid: string; readonly limit: number }): Promise<boolean>
}

/** `uid` is needed for `private` and ignored elsewhere. */
export type SkillVersionsOf = {
  readonly source: SkillSource
  readonly skillId: string
  readonly uid?: string | undefined
}

export type ToolsCache = {
  /** The list; undefined when there is none. Functions cache it by version. */
  read(): Promise<{ version: string; tools: readonly Tool[] } | undefined>
  /**
   * Writes a new version, then flips the head if it still names `ifVersion` (undefined: no list).
   * Returns the new version, or undefined when another writer flipped first.
   */
  write(tools: readonly Tool[], ifVersion: string | undefined): Promise<string | undefined>
  /**
   * Gives the same list a new version, if the head still names `ifVersion`. A writer that read that
   * version and has not written yet must read again. False when another writer was first.
   */
  renew(ifVersion: string): Promise<boolean>
  /** Removes the list, so that only built-in tools are left. */
  drop(): Promise<void>
  /** Stores a piece of a list under construction for TOOLS_DRAFT_TTL_SEC; returns its new id. */
  stage(tools: readonly Tool[]): Promise<string>
  /** A piece as it was staged; undefined when the id is unknown or has expired. */
  staged(id: string): Promise<readonly Tool[] | undefined>
}

export type ToolListVersion = {
  /** Time of the last global tool refresh, as of now; 0 before the first. */
  read(): Promise<number>
  /**
   * The same for callers that ask again and again: up to a second stale, or up to `ageMsMax` where that is
   * less, and not older than what this process has seen or written.
   */
  recent(ageMsMax?: number): Promise<number>
  /**
   * Writes `nowMs`, or one more than the stored value if that is not smaller; returns the value.
   */
  write(nowMs: number): Promise<number>
}

/** The tool list of anybody, or the outcome of one call. */
export type ChangeTopic = 'tool-lists' | `call:${string}`

/**
 * Notifies of changes, where the store can. Other stores stay silent, so callers poll as well.
 */
export type Changes = {
  /**
   * Calls `onChange` soon after each change, by this process or another, and sometimes without one.
   * `onChange` must not throw. Returns a function that ends the listening.
   */
  listen(topic: ChangeTopic, onChange: () => void): () => void
}

/**
 * Named pieces of code around an upstream call (`plugin_hook`), one file each in adapters/hooks.
 */
export type Hooks = {
  /**
   * For a process that loads its hooks late: answers once the rest may be asked for. Throws `Fault('internal')` where they
   * cannot be loaded.
   */
  open?(): Promise<void>
  /**
   * Faults of a skill's `plugin_options` (pointers into them); undefined when there is no such
   * hook.
   */
  optionFaults(name: string, options: JsonObject): readonly FieldFault[] | undefined
  /** Names of the secrets that the hook will ask for. */
  secretNames(name: string, options: JsonObject): readonly string[]
  /** Where the hook itself sends requests, beside the skill's endpoint: URLs out of its options. */
  urls(name: string, options: JsonObject): readonly string[]
  before(
    name: string,
    request: UpstreamRequest,
    context: HookContext,
  ): Promise<Result<UpstreamRequest, HookFailure>>
  /**
   * `again` asks for one more round, `before` included (say, a token was stale); granted once a
   * call.
   */
  after(
    name: string,
    response: UpstreamResponse,
    context: HookContext,
  ): Promise<Result<UpstreamResponse | 'again', HookFailure>>
}

/** The context of one round (`before`, sends, `after`): the same object throughout. */
export type HookContext = {
  readonly uid: string
  readonly skillId: string
  readonly options: JsonObject
  readonly secrets: ReadonlyMap<string, string>
  /** Sends under the same rules, deadline and limits as the call itself. */
  send(request: UpstreamRequest): Promise<UpstreamAnswer>
  /** From now on `value` is masked like a secret in the call's answer, as `[secret name]`. */
  conceal(name: string, value: string): void
  /**
   * `text` with every secret and concealed value of the call masked. A hook that converts an answer
   * masks it first: a conversion may spell a secret as no mask knows it.
   */
  mask(text: string): string
  readonly signal: AbortSignal
}

/** Text for the model; holds no secret and no argument value. */
export type HookFailure = StatusFault & { readonly detail: string }

export type Schemas = {
  /** Faults of `value` under a JSON Schema (2020-12); [] when it fits. */
  faults(schema: JsonObject, value: Json): readonly FieldFault[]
  /** What is wrong with the schema itself; [] when it can be used. */
  schemaFaults(schema: JsonObject): readonly FieldFault[]
  /** What `faults` does not check of a schema without faults: patterns that no linear search can express. */
  notices(schema: JsonObject): readonly FieldFault[]
  /** Loads what `faults` needs for this schema. A failure is a `Fault`. */
  open(schema: JsonObject): Promise<void>
}

/** The parsers behind Markdown skills. */
export type SkillMarkdown = {
  /**
   * The parts of the text. Refuses with `invalid_skill`, and the line, a part that is missing,
   * doubled, or not valid YAML or JSON. Never throws because of the text.
   */
  read(text: string): Promise<Result<MarkdownParts>>
}

/** The parsers behind OpenAPI documents. Neither follows a reference or opens anything. */
export type OpenApiDocuments = {
  /** JSON or YAML. Refuses with `malformed` or `too_large`; never throws because of the text. */
  read(text: string): Promise<Result<JsonObject>>
  /** Swagger 2.0 and OpenAPI 3.0 become 3.1; 3.1 and 3.2 stay. Refuses other versions. */
  upgrade(document: JsonObject): Promise<Result<JsonObject>>
}
