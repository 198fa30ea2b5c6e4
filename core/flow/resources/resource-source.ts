/**
 * Where resources and prompts come from: each source has URIs or names of its own, and lists or
 * reads what one reader may see. A new kind of resource is a source in resource-sources.ts.
 */
import type { JsonObject } from '../../json/json.ts'
import type { Tool } from '../../skills/skill.ts'
import type { Groups } from '../../skills/visible.ts'

/** Who asks, in one request. */
export type Reader = {
  /** Undefined without a key. */
  readonly uid: string | undefined
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

export type ReadSource = {
  /** Undefined for a URI of another source, an unknown one, and one that the reader may not see. */
  read(reader: Reader, uri: string): Promise<ReadResource | undefined>
}

export type PromptSource = ListSource & {
  /** The result of prompts/get; undefined for a name that this reader does not see here. */
  get(reader: Reader, name: string): Promise<JsonObject | undefined>
}
