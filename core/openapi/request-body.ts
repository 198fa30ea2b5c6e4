/**
 * The body of an operation as arguments: the members of an object, or one argument `body`. The first
 * media type that a skill can send is taken, JSON before forms before text.
 */
import type { Json, JsonObject } from '../json/json.ts'
import { type Argument, argumentName, type Remarks } from './argument.ts'
import { type BodyKind, styleIn } from './body-style.ts'
import { countOf, objectOf, textOf } from './fields.ts'
import { flatObjectOf, typesOf } from './flat-object.ts'
import { ARGUMENTS_MAX } from './limits.ts'
import type { Operation } from './operation.ts'
import { renamed } from './parameters.ts'
import { resolved } from './references.ts'

export type BodyArguments = {
  readonly args: readonly Argument[]
  /** `config.body_as`; undefined: the method has no body anyway. */
  readonly bodyAs: 'json' | 'form' | 'multipart' | 'text' | 'none' | undefined
  /** A content-type header that the form does not set by itself. */
  readonly contentType: string | undefined
  readonly isOpen: boolean
}

type Media = { readonly type: string; readonly kind: BodyKind; readonly content: JsonObject }

const NO_BODY: BodyArguments = {
  args: [],
  bodyAs: undefined,
  contentType: undefined,
  isOpen: false,
}
const BODILESS = new Set(['GET', 'HEAD', 'DELETE'])
const KINDS: readonly (readonly [BodyKind, RegExp])[] = [
  ['json', /^application\/json$/i],
  ['json', /^[a-z]+\/[a-z0-9.!#$&^_-]*\+?json$/i],
  ['form', /^application\/x-www-form-urlencoded$/i],
  ['multipart', /^multipart\/form-data$/i],
  ['text', /^text\/plain$/i],
  ['json', /^(?:\*|application)\/\*$/],
  ['text', /^text\/(?!event-stream)[a-z0-9.+-]+$/i],
]

export type BodyContext = {
  readonly document: JsonObject
  readonly operation: Operation
  readonly remarks: Remarks
}

/** Judges the body before the arguments get their names, since parameters are named first. */
export function requestMedia(context: BodyContext): Media | undefined {
  const { document, operation, remarks } = context
  const body = resolved(document, operation.raw['requestBody'])
  if (body === undefined) return undefined
  const isRequired = body['required'] === true
  const content = Object.entries(objectOf(body['content']))
  const media = KINDS.flatMap(([kind, pattern]) =>
    content
      .filter(([type]) => pattern.test(bare(type)))
      .map(([type, one]): Media => ({ type, kind, content: resolved(document, one) ?? {} })),
  )[0]
  const { method } = operation
  const isRefused = method === 'GET' || method === 'HEAD'
  if (media !== undefined && !isRefused) return media
  const why = isRefused
    ? `A skill sends no body with ${method}.`
    : `A skill cannot send a body of ${content.map(([type]) => type).join(', ') || 'no media type'}.`
  if (isRequired || (!isRefused && content.length > 0)) remarks.reasons.push(why)
  else if (content.length > 0) remarks.notes.push(`${why} The body is left out.`)
  return undefined
}

export function bodyArguments(
  { document, operation }: BodyContext,
  media: Media | undefined,
  taken: Set<string>,
): BodyArguments {
  const isBodiless = BODILESS.has(operation.method)
  if (media === undefined) return isBodiless ? NO_BODY : { ...NO_BODY, bodyAs: 'none' }
  const body = resolved(document, operation.raw['requestBody']) ?? {}
  const { content, kind } = media
  const schema = content['schema'] ?? {}
  const flat = kind === 'text' ? undefined : flatObjectOf(document, schema)
  const count = countOf(flat?.properties ?? {})
  const isFlat = flat !== undefined && count > 0 && count + taken.size <= ARGUMENTS_MAX
  const common = { bodyAs: kind, contentType: contentTypeOf(media) }
  if (flat === undefined || !isFlat) {
    return { ...common, args: [wholeBody(media, body, schema, taken)], isOpen: false }
  }
  const isRequired = body['required'] === true
  const args = Object.entries(flat.properties)
    .filter(([, property]) => resolved(document, property)?.['readOnly'] !== true)
    .map(([name, property]) => {
      const argument = argumentName(name, 'body', taken)
      const required = isRequired && flat.required.includes(name)
      return member({ document, media, isBodiless }, { name, argument, property, required })
    })
  return { ...common, args, isOpen: flat.isOpen }
}

function wholeBody({ kind }: Media, body: JsonObject, schema: Json, taken: Set<string>): Argument {
  const name = argumentName('body', 'request', taken)
  return {
    name,
    required: body['required'] === true,
    schema: kind === 'text' ? { type: 'string' } : schema,
    description: textOf(body['description']) ?? 'Body of the request.',
    place: {
      in: 'body',
      name: '',
      ...(kind === 'json' || kind === 'text' ? { style: 'json' } : {}),
    },
  }
}

type Member = {
  readonly name: string
  readonly argument: string
  readonly property: Json
  readonly required: boolean
}

function member(
  { document, isBodiless, media }: { document: JsonObject; media: Media; isBodiless: boolean },
  { argument, name, property, required }: Member,
): Argument {
  const description = textOf(resolved(document, property)?.['description'])
  const encoding = objectOf(objectOf(media.content['encoding'])[name])
  const styled = media.kind === 'json' ? {} : styleIn(document, media.kind, property, encoding)
  const isPlain = Object.keys(styled).length === 0 && argument === name && !isBodiless
  const place = isPlain ? undefined : { in: 'body', ...renamed(name, argument), ...styled }
  if (styled['style'] !== 'file') {
    return { name: argument, required, schema: property, description, place }
  }
  const isList = typesOf(document, property).includes('array')
  const schema = isList ? { type: 'array', items: FILE } : FILE
  return { name: argument, required, schema, isWritten: true, description, place }
}

const FILE: JsonObject = {
  type: 'object',
  description: 'A file.',
  properties: {
    base64: { type: 'string', description: 'The bytes in base64; 1 MB at most.' },
    filename: { type: 'string' },
    contentType: { type: 'string' },
  },
  required: ['base64'],
  additionalProperties: false,
}

/** JSON, a form and multipart set theirs; other types of JSON and text are named. */
function contentTypeOf({ kind, type }: Media): string | undefined {
  const media = bare(type)
  if (media.includes('*')) return undefined
  if (kind === 'json') return /^application\/json$/i.test(media) ? undefined : media
  return kind === 'text' && !/^text\/plain$/i.test(media) ? media : undefined
}

function bare(type: string): string {
  return type.split(';')[0]?.trim() ?? ''
}
