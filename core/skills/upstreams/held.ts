/**
 * What a server holds beside its tools: resources, templates of resources, and prompts, as its last
 * listing had them. Entries keep the server's own URIs and names; whoever lists them rewrites both.
 * Each entry is rebuilt from its known members, and an unusable one is left out alone.
 */
import { explainHiddenText, removeHiddenText } from '../../json/hidden-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { countBytes } from '../../json/text-bytes.ts'
import { toUpstreamUri } from '../../json/upstream-uris.ts'
import {
  UPSTREAM_HELD_BYTES_MAX,
  UPSTREAM_HELD_ENTRIES_MAX,
  UPSTREAM_HELD_TEXT_CHARS_MAX,
  UPSTREAM_TOOL_CHARS_MAX,
} from './limits.ts'
import { readPageMeta } from './ui-meta.ts'

export const HELD_KINDS = ['resources', 'resourceTemplates', 'prompts'] as const
export type HeldKind = (typeof HELD_KINDS)[number]

export type HeldEntries = { readonly [kind in HeldKind]: readonly JsonObject[] }

/** `left` counts entries that are unusable here, or past a limit. */
export type HeldListing = HeldEntries & { readonly left: number }

/** `id` is the upstream's: URIs that are too long behind it are left out. */
export function readHeld(id: string, listed: HeldEntries): HeldListing {
  const kept: { [kind in HeldKind]: JsonObject[] } = {
    resources: [],
    resourceTemplates: [],
    prompts: [],
  }
  let bytes = 0
  let left = 0
  for (const kind of HELD_KINDS) {
    const seen = new Set<string>()
    for (const sent of listed[kind]) {
      const entry = readFresh(READERS[kind](id, sent), KEYS[kind], seen)
      const size = entry === undefined ? 0 : countBytes(JSON.stringify(entry)) + 1
      const isFull = kept[kind].length >= UPSTREAM_HELD_ENTRIES_MAX || bytes + size > HELD_ROOM
      if (entry === undefined || isFull) {
        left += 1
      } else {
        bytes += size
        kept[kind].push(entry)
      }
    }
  }
  return { ...kept, left }
}

/** Undefined for an entry that an earlier one has the key of. */
function readFresh(entry: Entry, key: string, seen: Set<string>): Entry {
  const name = entry?.[key]
  if (typeof name !== 'string' || seen.has(name)) return undefined
  seen.add(name)
  return entry
}

/** The names of the lists, their count and punctuation take the rest. */
const HELD_ROOM = UPSTREAM_HELD_BYTES_MAX - 200

const KEYS = { resources: 'uri', resourceTemplates: 'uriTemplate', prompts: 'name' } as const

const READERS: { readonly [kind in HeldKind]: (id: string, sent: JsonObject) => Entry } = {
  resources: readResource,
  resourceTemplates: readTemplate,
  prompts: readPrompt,
}

type Entry = JsonObject | undefined

function readResource(id: string, sent: JsonObject): Entry {
  const { size, uri } = sent
  if (typeof uri !== 'string' || toUpstreamUri(id, uri) === undefined) return undefined
  const common = readCommon(sent, uri)
  const isSize = typeof size === 'number' && Number.isSafeInteger(size) && size >= 0
  return common && { uri, ...common, ...(isSize ? { size } : {}) }
}

function readTemplate(id: string, sent: JsonObject): Entry {
  const { uriTemplate } = sent
  if (typeof uriTemplate !== 'string') return undefined
  // An expression may stand where the scheme would be: then the URI has no place here.
  if (toUpstreamUri(id, uriTemplate) === undefined) return undefined
  const common = readCommon(sent, uriTemplate)
  return common && { uriTemplate, ...common }
}

/** Characters of a media type, as in results of tools. */
const MIME_TYPE_CHARS_MAX = 128

/** Members of resources and templates; undefined if a text is too long. */
function readCommon(sent: JsonObject, fallback: string): Entry {
  const texts = readTexts(sent, fallback)
  if (texts === undefined) return undefined
  const { annotations, mimeType } = sent
  const isType =
    typeof mimeType === 'string' &&
    mimeType.length <= MIME_TYPE_CHARS_MAX &&
    /^[\x21-\x7e][\x20-\x7e]*$/.test(mimeType)
  const hints = readAnnotations(annotations)
  const meta = readPageMeta(sent['_meta'])
  return {
    ...texts,
    ...(isType ? { mimeType } : {}),
    ...(hints === undefined ? {} : { annotations: hints }),
    ...(meta === undefined ? {} : { _meta: meta }),
  }
}

function readTexts(sent: JsonObject, fallback: string): Entry {
  const texts: [string, string][] = []
  for (const name of ['name', 'title', 'description']) {
    const value = sent[name]
    const text = typeof value === 'string' ? removeHiddenText(value) : ''
    if (text.length > UPSTREAM_HELD_TEXT_CHARS_MAX) return undefined
    if (text !== '') texts.push([name, text])
    else if (name === 'name') texts.push([name, fallback])
  }
  return Object.fromEntries(texts)
}

function readAnnotations(value: Json | undefined): Entry {
  if (!isJsonObject(value)) return undefined
  const { audience, lastModified, priority } = value
  const roles: readonly Json[] = Array.isArray(audience) ? audience : []
  const known = ['user', 'assistant'].filter((role) => roles.includes(role))
  const isPriority = typeof priority === 'number' && priority >= 0 && priority <= 1
  const isTime = typeof lastModified === 'string' && /^[0-9T:.Z+-]{10,40}$/.test(lastModified)
  return {
    ...(known.length === 0 ? {} : { audience: known }),
    ...(isPriority ? { priority } : {}),
    ...(isTime ? { lastModified } : {}),
  }
}

/** Arguments of a prompt. People fill them in, so no prompt that is meant well has more. */
const PROMPT_ARGUMENTS_MAX = 50

function readPrompt(_id: string, sent: JsonObject): Entry {
  const { name } = sent
  if (typeof name !== 'string' || !isPlainName(name)) return undefined
  const texts = readTexts(sent, name)
  const args = readArguments(sent['arguments'])
  if (texts === undefined || args === undefined) return undefined
  return { ...texts, name, ...(args.length === 0 ? {} : { arguments: [...args] }) }
}

function readArguments(value: Json | undefined): readonly JsonObject[] | undefined {
  if (!Array.isArray(value)) return []
  if (value.length > PROMPT_ARGUMENTS_MAX) return undefined
  const read = value.map((sent: Json): Entry => {
    if (!isJsonObject(sent) || typeof sent['name'] !== 'string') return undefined
    const { name, required } = sent
    if (!isPlainName(name)) return undefined
    const texts = readTexts(sent, name)
    return texts && { ...texts, name, ...(typeof required === 'boolean' ? { required } : {}) }
  })
  return read.every((one) => one !== undefined) ? read : undefined
}

function isPlainName(name: string): boolean {
  const isShort = name !== '' && name.length <= UPSTREAM_TOOL_CHARS_MAX
  return isShort && explainHiddenText(name) === undefined
}
