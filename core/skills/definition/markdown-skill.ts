/**
 * Maps the parts of a Markdown skill to unified JSON: the heading is the name, the YAML block has
 * `config` and a few other fields, and the JSON block has the parameters. `readSkill` checks the
 * result. Bound by docs/service.md, Skill formats.
 */
import { type FieldError, ok, type Refusal, type Result, refuse } from '../../errors.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import { CONFIG_FIELDS } from './read-config.ts'

/** The parts of the text. Line numbers start at 1. */
export type MarkdownParts = {
  readonly name: string
  /** The first paragraph after the heading. */
  readonly paragraph: string | undefined
  readonly yaml: JsonObject
  readonly json: Json
  readonly lines: { readonly heading: number; readonly yaml: number; readonly json: number }
}

const TOP_FIELDS = ['id', 'source', 'skill_uid', 'groups', 'credits_per_call']
const META_FIELDS = ['description', 'emoji', 'tags', 'annotations', 'output_schema', 'typical_ms']

/** Values for fields that texts of the earlier service leave out. */
export type MarkdownDefaults = {
  readonly credits?: number | undefined
  readonly description?: string | undefined
}

export function makeDefinition(
  parts: MarkdownParts,
  prefix: string,
  defaults: MarkdownDefaults = {},
): Result<JsonObject> {
  const { lines, name, paragraph, yaml } = parts
  const rest = omitMembers(yaml, [...TOP_FIELDS, ...META_FIELDS, 'config'])
  const twice = Object.hasOwn(yaml, 'config') ? CONFIG_FIELDS.filter((key) => key in rest) : []
  if (twice.length > 0) {
    const message = `line ${lines.yaml}: ${twice.join(', ')} beside config; put all of them under config, or none`
    return refuseMarkdown([{ pointer: '', message }])
  }
  const id = yaml['id'] ?? makeId(prefix, name)
  if (id === undefined) {
    const message =
      `line ${lines.heading}: the name has no letters or digits of a to z for an id; ` +
      `write one into the YAML block (id: ${prefix}_weather)`
    return refuseMarkdown([{ pointer: '/id', message }])
  }
  const description = yaml['description'] ?? paragraph ?? defaults.description
  const { credits } = defaults
  const config = Object.hasOwn(yaml, 'config')
    ? { config: yaml['config'] ?? null, ...rest }
    : { config: rest }
  return ok({
    ...(credits === undefined ? {} : { credits_per_call: credits }),
    ...pickMembers(yaml, TOP_FIELDS),
    id,
    meta: {
      name,
      ...pickMembers(yaml, META_FIELDS),
      ...(description === undefined ? {} : { description }),
      parameters: parts.json,
    },
    ...config,
  })
}

/** Rewrites a refusal with line numbers, because a Markdown text has no JSON Pointers. */
export function withLineNumbers(refusal: Refusal, parts: MarkdownParts): Refusal {
  if (refusal.faults === undefined) return refusal
  const faults = refusal.faults.map((fault) => ({
    ...fault,
    message: rewriteMessage(fault, parts),
  }))
  // The refusal's text quotes the first error, which is replaced by the rewritten one.
  const before = refusal.faults[0]?.message ?? ''
  const after = before === '' ? '' : (faults[0]?.message ?? '')
  return { ...refusal, detail: refusal.detail.replace(before, () => after), faults }
}

function rewriteMessage(
  { message, pointer }: FieldError,
  { lines, paragraph, yaml }: MarkdownParts,
) {
  if (pointer === '/meta/description' && paragraph === undefined && !('description' in yaml)) {
    const remedy =
      'write a paragraph under the heading, description: in the YAML block, or send ?description='
    return `is missing; ${remedy} (heading, line ${lines.heading})`
  }
  const isPrice = pointer === '/credits_per_call' && !('credits_per_call' in yaml)
  const more = isPrice ? '; write credits_per_call: into the YAML block, or send ?credits=' : ''
  return `${message}${more} (${describePlace(pointer, lines)})`
}

function describePlace(pointer: string, lines: MarkdownParts['lines']): string {
  if (pointer === '/meta/name') return `heading, line ${lines.heading}`
  const isJson = pointer === '/meta/parameters' || pointer.startsWith('/meta/parameters/')
  return isJson ? `JSON block, line ${lines.json}` : `YAML block, line ${lines.yaml}`
}

/** `Wetter für Köln` becomes `sg_wetter_fur_koln`; undefined if no usable character remains. */
function makeId(prefix: string, name: string): string | undefined {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const slug = plain.replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '')
  return slug === '' ? undefined : `${prefix}_${slug}`
}

/** Makes the refusal of a Markdown text. */
export function refuseMarkdown(faults: readonly FieldError[]) {
  return refuse('invalid_skill', `The Markdown of the skill does not fit: ${faults[0]?.message}.`, {
    faults,
  })
}

function pickMembers(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => keys.includes(key)))
}

function omitMembers(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))
}
