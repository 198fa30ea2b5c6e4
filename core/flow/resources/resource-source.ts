/**
 * Where resources and prompts come from: each source has URIs or names of its own, and lists or
 * reads what one reader may see. A new kind of resource is a source in resource-sources.ts.
 */
import type { Principal } from '../../access/principal.ts'
import type { Result } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Reading } from '../../mcp/revision.ts'
import type { Tool } from '../../skills/skill.ts'
import type { Groups } from '../../skills/visible.ts'

/** Who asks, in one request. */
export type Reader = {
  /** Undefined without a key. */
  readonly principal: Principal | undefined
  readonly groups: Groups
  /** The tools that the reader may call, by name. Read at most once. */
  tools(): Promise<readonly Tool[]>
}

export type SourcePage = {
  /** Entries of a list, with the members of the newest revision. */
  readonly entries: readonly JsonObject[]
  /** Goes into `after`; undefined on the last page. Visible ASCII. */
  readonly next: string | undefined
}

/** One page after another. */
export type ListSource = {
  /** In cursors: lower-case letters. */
  readonly name: string
  list(reader: Reader, of: { readonly after: string | undefined }): Promise<SourcePage>
}

/** A resource that was read: its one content, or why it is not answered whole. */
export type ReadResource =
  | { readonly kind: 'content'; readonly content: JsonObject }
  /** A sentence for the model, which follows `params.uri:`. */
  | { readonly kind: 'too-large'; readonly message: string }
  | ReadLater

/**
 * What a server outside has. It is asked outside the time that a request has for the store. Refuses
 * with `not_found` what the server does not have.
 */
export type ReadLater = { readonly kind: 'later'; ask(): Promise<Result<Reading>> }

export type ReadSource = {
  /** Undefined for a URI of another source, an unknown one, and one that the reader may not see. */
  read(reader: Reader, uri: string): Promise<ReadResource | undefined>
}

export type PromptReader = {
  /** The result of prompts/get; undefined for a name that this reader does not see here. */
  get(reader: Reader, asked: AskedPrompt): Promise<FoundPrompt | undefined>
}

export type PromptSource = ListSource & PromptReader

/** Where resources and prompts come from beside guides, which each door has. */
export type FurtherSources = {
  readonly resources: readonly ListSource[]
  readonly templates: readonly ListSource[]
  readonly reads: readonly ReadSource[]
  readonly prompts: readonly PromptSource[]
}

/** `arguments` are texts by name. */
export type AskedPrompt = { readonly name: string; readonly arguments: JsonObject }

export type FoundPrompt = { readonly kind: 'prompt'; readonly members: JsonObject } | ReadLater
