/**
 * Reads the settings of tools in a document: `x-skillgate` at an operation, at its tags, or at the
 * root, in this order of precedence. `x-mcp-name` and `x-speakeasy-mcp` may also name tools.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { asList, asObject, asText } from './fields.ts'
import type { Operation } from './operation.ts'

export type ToolSettings = {
  readonly credits?: Json
  readonly timeoutMs?: Json
  readonly name?: string
  readonly description?: string
  readonly skip?: boolean
  /** `meta.annotations` of the skill, whose reader checks them. */
  readonly annotations?: Json
}

const KNOWN = ['credits', 'timeoutMs', 'name', 'description', 'skip', 'annotations']

/** Returns unknown members of `x-skillgate` at the operation, its tags and the root. */
export function findUnreadSettings(document: JsonObject, operation: Operation): readonly string[] {
  const tags = asList(document['tags'])
    .filter(isJsonObject)
    .filter(({ name }) => typeof name === 'string' && operation.tags.includes(name))
  return [document, ...tags, operation.raw].flatMap((place) => {
    const said = place['x-skillgate']
    if (said === undefined) return []
    if (!isJsonObject(said)) return ['x-skillgate']
    const read = readSettings(said)
    const isRead = (name: string) => KNOWN.includes(name) && Object.hasOwn(read, name)
    return Object.keys(said).filter(
      (name) => !isRead(name) || (name === 'name' && place !== operation.raw),
    )
  })
}

export function readToolSettings(document: JsonObject, operation: Operation): ToolSettings {
  const tags = asList(document['tags'])
    .filter(isJsonObject)
    .filter(({ name }) => typeof name === 'string' && operation.tags.includes(name))
  const { raw } = operation
  const speakeasy = asObject(raw['x-speakeasy-mcp'])
  const others: ToolSettings = {
    ...toNameSetting(asText(raw['x-mcp-name']) ?? asText(speakeasy['name'])),
    ...(speakeasy['disabled'] === true ? { skip: true } : {}),
  }
  const own = readSettings(raw['x-skillgate'])
  const { name: _, ...ofRoot } = readSettings(document['x-skillgate'])
  const ofTags = tags.map((tag) => withoutName(readSettings(tag['x-skillgate'])))
  return Object.assign({}, ofRoot, ...ofTags, others, own)
}

function readSettings(value: Json | undefined): ToolSettings {
  const settings = asObject(value)
  const description = asText(settings['description'])
  return {
    ...(settings['credits'] === undefined ? {} : { credits: settings['credits'] }),
    ...(settings['timeoutMs'] === undefined ? {} : { timeoutMs: settings['timeoutMs'] }),
    ...toNameSetting(asText(settings['name'])),
    ...(description === undefined ? {} : { description }),
    ...(typeof settings['skip'] === 'boolean' ? { skip: settings['skip'] } : {}),
    ...(isJsonObject(settings['annotations']) ? { annotations: settings['annotations'] } : {}),
  }
}

/** Removes the name, which cannot be shared by several tools. */
function withoutName({ name: _, ...rest }: ToolSettings): ToolSettings {
  return rest
}

function toNameSetting(name: string | undefined): ToolSettings {
  return name === undefined ? {} : { name }
}
