/** Reads how a document wants a member of a form or a multipart body to be written. */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { asText } from './fields.ts'
import { listTypes } from './flat-object.ts'
import { resolveObject } from './references.ts'
import { joinNames, noteChosen, noteLeftOut } from './remarks.ts'

export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'binary'

/** Returns only the members of a place that differ from a skill's defaults. */
export function readMemberStyle(
  document: JsonObject,
  kind: BodyKind,
  property: Json,
  { encoding, name, notes }: EncodedMember,
): JsonObject {
  const types = listTypes(document, property)
  const said =
    asText(encoding['contentType'])
      ?.split(',')
      .map((one) => one.trim()) ?? []
  const [contentType, ...others] = said
  const what = `types of the member ${name}`
  if (contentType !== undefined && others.length > 0)
    notes.push(noteChosen(what, contentType, others))
  const kept = kind === 'multipart' ? ['contentType'] : ['style', 'explode']
  const lost = Object.keys(encoding).filter((member) => !kept.includes(member))
  if (lost.length > 0) {
    notes.push(
      noteLeftOut(`Of the encoding of ${name} ${joinNames(lost)}`, `a ${kind} body has none`),
    )
  }
  if (kind === 'multipart') return readPartStyle(document, property, contentType, types)
  if (encoding['style'] !== undefined && !FORM_STYLES.includes(String(encoding['style']))) {
    notes.push(
      noteLeftOut(
        `Of the encoding of ${name} the style ${String(encoding['style'])}`,
        'there is no such style',
      ),
    )
  }
  return readFormStyle(encoding, types)
}

type EncodedMember = {
  readonly name: string
  readonly encoding: JsonObject
  readonly notes: string[]
}

function readPartStyle(
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

function readFormStyle(encoding: JsonObject, types: readonly string[]): JsonObject {
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

/** OpenAPI 3.0 marks a file by `format: binary`; 3.1 by a media type without an encoding. */
function isFile(document: JsonObject, value: Json, isItem = false): boolean {
  const schema = resolveObject(document, value)
  if (schema === undefined) return false
  const { items } = schema
  // Files are looked for only one list deep, because a list may contain itself.
  if (isJsonObject(items)) return !isItem && isFile(document, items, true)
  if (schema['format'] === 'binary') return true
  return schema['contentMediaType'] !== undefined && schema['contentEncoding'] === undefined
}
