/** Makes the body of a skill from that of a pasted request: its values become parameters. */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import { parseJson } from '../../../core/json/parse-json.ts'
import { toUsageFault } from '../../terminal/exit-code.ts'
import { FILE_SCHEMA, inferSchema, inferTextSchema } from './infer-schema.ts'
import type { CurlPair, CurlRequest } from './read-curl.ts'
import type { SecretNames } from './secret-names.ts'
import type { SkillParameters } from './skill-parameters.ts'

export type BodyDraft = {
  readonly request: CurlRequest
  readonly contentType: string
  readonly parameters: SkillParameters
  readonly secrets: SecretNames
}

/** Returns the members of `config` about the body; empty without a body. */
export function makeBody(draft: BodyDraft): JsonObject {
  const { contentType, request } = draft
  const { data, isDataFile, isJson, method, parts } = request
  if (data === undefined && !isDataFile && parts.length === 0) return {}
  if (method === 'GET' || method === 'HEAD') {
    const remedy = 'Use -G for a query, or another method.'
    throw toUsageFault(`A skill sends no body with ${method}.`, remedy)
  }
  if (parts.length > 0) return makeMultipart(draft)
  if (isDataFile || data === undefined) return makeBinary(draft)
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  const looksLikeJson = type === '' && /^\s*[[{]/.test(data)
  if (isJson || looksLikeJson || /^application\/(?:[\w.+-]+\+)?json$/.test(type))
    return makeJson(draft, data)
  if (type === '' || type === 'application/x-www-form-urlencoded') return makeForm(draft, data)
  draft.parameters.place(draft.parameters.add('body', { type: 'string' }), { in: 'body', name: '' })
  return { body_as: 'text', headers: { 'content-type': contentType } }
}

function makeJson({ parameters, request, secrets }: BodyDraft, data: string): JsonObject {
  const parsed = parseJson(data, { subject: 'The body of the line' })
  if (!parsed.ok) throw toUsageFault(`${parsed.error.detail}.`, 'Paste the whole line.')
  if (!isJsonObject(parsed.value)) {
    const name = parameters.add('body', inferSchema(parsed.value))
    parameters.place(name, { in: 'body', name: '', style: 'json' })
    return { body_as: 'json' }
  }
  const members = Object.entries(parsed.value)
  const hidden = new Map(members.map(([name, value]) => [name, hideInside(secrets, name, value)]))
  const hasSecrets = [...hidden.values()].some((value) => value !== undefined)
  const isPlain = members.every(([name]) => /^[A-Za-z0-9][\w-]{0,58}$/.test(name))
  if (!hasSecrets && isPlain && request.method !== 'DELETE') {
    for (const [name, value] of members) {
      const added = parameters.add(name, inferSchema(value))
      if (added !== name) parameters.place(added, { in: 'body', name })
    }
    return { body_as: 'json' }
  }
  const body = members.map(([name, value]): [string, Json] => {
    const template = hidden.get(name)
    return [name, template ?? `{{args.${parameters.add(name, inferSchema(value))}}}`]
  })
  return { body: Object.fromEntries(body) }
}

/** Returns the value with its credentials replaced; undefined if it has none. */
function hideInside(secrets: SecretNames, name: string, value: Json): Json | undefined {
  if (typeof value === 'string') return secrets.hide(name, value, `${name} of the body`)
  if (!isJsonObject(value)) return undefined
  const members = Object.entries(value)
  const hidden = members.map(([inner, item]) => hideInside(secrets, inner, item))
  if (hidden.every((one) => one === undefined)) return undefined
  return Object.fromEntries(members.map(([inner, item], at) => [inner, hidden[at] ?? item]))
}

function makeForm({ parameters, secrets }: BodyDraft, data: string): JsonObject {
  const pairs = groupPairs([...new URLSearchParams(data)])
  const hidden = pairs.map(({ name, values: [value = ''] }) =>
    secrets.hide(name, value, `${name} of the form`),
  )
  if (hidden.every((one) => one === undefined)) {
    for (const { name, values } of pairs) {
      const added = parameters.add(name, toPairSchema(values))
      if (added !== name || values.length > 1) parameters.place(added, { in: 'body', name })
    }
    return { body_as: 'form' }
  }
  const body = pairs.map(({ name, values }, at): [string, Json] => [
    name,
    hidden[at] ?? `{{args.${parameters.add(name, toPairSchema(values))}}}`,
  ])
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return { headers, body: Object.fromEntries(body) }
}

function makeMultipart({ parameters, request }: BodyDraft): JsonObject {
  for (const { contentType, isFile, name, value } of request.parts) {
    const added = parameters.add(name, isFile ? FILE_SCHEMA : inferTextSchema(value))
    const type = contentType === undefined ? {} : { content_type: contentType }
    parameters.place(added, { in: 'body', name, ...(isFile ? { style: 'file' } : {}), ...type })
  }
  return { body_as: 'multipart' }
}

function makeBinary({ contentType, parameters }: BodyDraft): JsonObject {
  const type = contentType === '' ? {} : { content_type: contentType }
  const name = parameters.add('file', FILE_SCHEMA)
  parameters.place(name, { in: 'body', name: '', style: 'file', ...type })
  return { body_as: 'binary' }
}

export type PairGroup = { readonly name: string; readonly values: readonly string[] }

/** Joins pairs of one name, in the order of their first values. */
export function groupPairs(pairs: readonly CurlPair[]): readonly PairGroup[] {
  const groups = Map.groupBy(pairs, ([name]) => name)
  return [...groups].map(([name, same]) => ({ name, values: same.map(([, value]) => value) }))
}

export function toPairSchema(values: readonly string[]): JsonObject {
  const [first = ''] = values
  const schema = inferTextSchema(first)
  return values.length > 1 ? { type: 'array', items: schema } : schema
}
