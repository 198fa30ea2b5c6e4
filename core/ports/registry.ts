/** Ports for skills, the tool list, and the code that checks and parses skills. */
import type { UpstreamAnswer, UpstreamRequest, UpstreamResponse } from '../call/upstream.ts'
import type { FieldError, Result } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import type { StatusFailure } from '../response/upstream-fault.ts'
import type { MarkdownParts } from '../skills/definition/markdown-skill.ts'
import type { SkillRecord, SkillSource, Tool } from '../skills/skill.ts'

export type Skills = {
  /** Strongly consistent. `uid` is needed for `private` and ignored elsewhere. */
  get(key: { source: SkillSource; skillId: string; uid?: string }): Promise<SkillRecord | undefined>
  /**
   * Writes the record if the stored version is `ifVersion` (0 for none) and the record's own
   * version was never written; otherwise returns false. Stores the record as a version too, and
   * removes the oldest stored version.
   */
  put(record: SkillRecord, ifVersion: number): Promise<boolean>
  /**
   * Removes the record if it still has this version. Returns false if it has another or does not
   * exist.
   */
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
   * Claims toolname:{uid}/{toolName} for a private skill. The first claim is kept. Returns its
   * skillId.
   */
  claimToolName(claim: { uid: string; toolName: string; skillId: string }): Promise<string>
  /** Removes all claims of the user. Repeatable. */
  dropToolNames(uid: string): Promise<void>
}

/**
 * Complete versions of skills: the last SKILL_VERSIONS_KEPT of each skill, deleted skills included.
 * `put` of {@link Skills} writes a version with its skill and removes the oldest.
 */
export type SkillVersions = {
  /**
   * Newest first, strongly consistent. With `before`, only lower versions. `next` goes into
   * `before`.
   */
  list(of: SkillVersionsOf & { readonly before?: number; readonly limit: number }): Promise<{
    versions: readonly SkillRecord[]
    next: number | undefined
  }>
  /** Strongly consistent. */
  get(of: SkillVersionsOf & { readonly version: number }): Promise<SkillRecord | undefined>
  /**
   * Removes up to `limit` versions of the user's private skills, in no particular order. Returns
   * true if none remains.
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
  /** The list; undefined if there is none. Functions cache it by version. */
  read(): Promise<{ version: string; tools: readonly Tool[] } | undefined>
  /**
   * Writes a new version, then switches the head if it still names `ifVersion` (undefined for no
   * list). Returns the new version, or undefined if another writer switched first.
   */
  write(tools: readonly Tool[], ifVersion: string | undefined): Promise<string | undefined>
  /**
   * Gives the same list a new version if the head still names `ifVersion`. A writer that read that
   * version and has not written yet must read again. Returns false if another writer came first.
   */
  renew(ifVersion: string): Promise<boolean>
  /** Removes the list, so that only built-in tools remain. */
  drop(): Promise<void>
  /** Stores a part of a list under construction for TOOLS_DRAFT_TTL_SEC. Returns its new id. */
  stage(tools: readonly Tool[]): Promise<string>
  /** A staged part; undefined if the id is unknown or has expired. */
  staged(id: string): Promise<readonly Tool[] | undefined>
}

export type ToolListVersion = {
  /** Time of the last global tool refresh, strongly consistent; 0 before the first. */
  read(): Promise<number>
  /**
   * The same for callers that read often: up to a second old, or up to `ageMsMax` if that is less,
   * and never older than what this process has read or written.
   */
  recent(ageMsMax?: number): Promise<number>
  /**
   * Writes `nowMs`, or one more than the stored value if that is not smaller. Returns the value.
   */
  write(nowMs: number): Promise<number>
}

/** The tool list of any user, the outcome of one call, or the state of one task, by its hash. */
export type ChangeTopic = 'tool-lists' | `call:${string}` | `task:${string}`

/** Announces changes if the store can. Other stores announce nothing, so callers also poll. */
export type Changes = {
  /**
   * Calls `onChange` soon after each change, by this process or another, and sometimes without one.
   * `onChange` must not throw. Returns a function that ends the listening.
   */
  listen(topic: ChangeTopic, onChange: () => void): () => void
}

/**
 * Named code that runs before and after an upstream call (`plugin_hook`), one file each in
 * adapters/hooks.
 */
export type Hooks = {
  /**
   * For a process that loads its hooks late: resolves once the other members may be called. Throws
   * `Fault('internal')` if the hooks cannot be loaded.
   */
  open?(): Promise<void>
  /**
   * Field errors of a skill's `plugin_options`, with pointers into them; undefined if there is no
   * such hook.
   */
  optionFaults(name: string, options: JsonObject): readonly FieldError[] | undefined
  /** Names of the secrets that the hook needs. */
  secretNames(name: string, options: JsonObject): readonly string[]
  /**
   * URLs from the options to which the hook itself sends requests, besides the skill's endpoint.
   */
  urls(name: string, options: JsonObject): readonly string[]
  before(
    name: string,
    request: UpstreamRequest,
    context: HookContext,
  ): Promise<Result<UpstreamRequest, HookFailure>>
  /**
   * `again` requests one more round, `before` included (for example, a token has expired); allowed
   * once a call.
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
  /**
   * The access token that the caller sent, if an issuer made it and the call runs in the process of
   * its door. It is for that issuer's token endpoint alone, never for the upstream.
   */
  readonly callerToken?: string | undefined
  /** Sends under the same rules, deadline and limits as the call itself. */
  send(request: UpstreamRequest): Promise<UpstreamAnswer>
  /** From now on `value` is masked like a secret in the call's answer, as `[secret name]`. */
  conceal(name: string, value: string): void
  /**
   * `text` with every secret and concealed value of the call masked. A hook that converts an answer
   * masks it first, because no mask finds a secret that a conversion spells differently.
   */
  mask(text: string): string
  readonly signal: AbortSignal
}

/** Text for the model, without secrets and argument values. */
export type HookFailure = StatusFailure & { readonly detail: string }

export type Schemas = {
  /** Field errors of `value` under a JSON Schema (2020-12); [] if it is valid. */
  faults(schema: JsonObject, value: Json): readonly FieldError[]
  /** Errors of the schema itself; [] if it can be used. */
  schemaFaults(schema: JsonObject): readonly FieldError[]
  /**
   * Parts of a valid schema that `faults` does not check: patterns that no linear search can
   * express.
   */
  notices(schema: JsonObject): readonly FieldError[]
  /** Loads what `faults` needs for this schema. Throws `Fault` if that fails. */
  open(schema: JsonObject): Promise<void>
}

/** The parsers for Markdown skills. */
export type SkillMarkdown = {
  /**
   * The parts of the text. Refuses with `invalid_skill` and the line a part that is missing,
   * doubled, or not valid YAML or JSON. Never throws because of the text.
   */
  read(text: string): Promise<Result<MarkdownParts>>
  /**
   * The YAML between the `---` lines at the beginning of a guide's SKILL.md. Refuses with
   * `invalid_skill` and the line. Never throws because of the text.
   */
  frontMatter(text: string): Promise<Result<JsonObject>>
}

/** The parsers for OpenAPI documents. None follows a reference or opens a file or connection. */
export type OpenApiDocuments = {
  /** JSON or YAML. Refuses with `malformed` or `too_large`; never throws because of the text. */
  read(text: string): Promise<Result<JsonObject>>
  /** Swagger 2.0 and OpenAPI 3.0 become 3.1; 3.1 and 3.2 stay. Refuses other versions. */
  upgrade(document: JsonObject): Promise<Result<JsonObject>>
}
