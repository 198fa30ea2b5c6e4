/** How a member of a form or a multipart body is written, when the document asks for its own way. */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { textOf } from './fields.ts'
import { typesOf } from './flat-object.ts'
import { resolved } from './references.ts'

export type BodyKind = 'json' | 'form' | 'multipart' | 'text'

/** Only what differs from how a skill writes a member of a form anyway. */
export function styleIn(
  document: JsonObject,
  kind: BodyKind,
  property: Json,
  encoding: JsonObject,
): JsonObject {
  const types = typesOf(document, property)
  const contentType = textOf(encoding['contentType'])?.split(',')[0]?.trim()
  if (kind === 'multipart') return partStyle(document, property, contentType, types)
  return formStyle(encoding, types)
}

function partStyle(
  document: JsonObject,
  property: Json,
  contentType: string | undefined,
  types: readonly string[],
): JsonObject {
  const type = contentType === undefined ? {} : { content_type: contentType }
  if (isFile(document, property)) return { style: 'file', ...type }
  return contentType === undefined
    ? {}
    : { ...type, ...(types.includes('object') ? { style: 'json' } : {}) }
}

function formStyle(encoding: JsonObject, types: readonly string[]): JsonObject {
  const { style } = encoding
  const isKnown = typeof style === 'string' && FORM_STYLES.includes(style)
  if (!isKnown) return types.includes('object') ? { style: 'json' } : {}
  const explode = encoding['explode'] ?? style === 'form'
  const isDefault = style === 'form' && explode === true && !types.includes('object')
  return isDefault
    ? {}
    : { style, ...(style === 'deepObject' ? {} : { explode: explode === true }) }
}

const FORM_STYLES = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject']

/** 3.0 says `format: binary`; 3.1 a media type and no encoding. */
function isFile(document: JsonObject, value: Json, isItem = false): boolean {
  const schema = resolved(document, value)
  if (schema === undefined) return false
  const { items } = schema
  // A list of lists holds no files, and may hold itself.
  if (isJsonObject(items)) return !isItem && isFile(document, items, true)
  if (schema['format'] === 'binary') return true
  return schema['contentMediaType'] !== undefined && schema['contentEncoding'] === undefined
}
