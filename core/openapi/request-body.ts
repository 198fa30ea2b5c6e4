/**
 * Makes arguments of an operation's body: the members of an object, or one argument `body`. Uses
 * the first media type that a skill can send, in the order JSON, forms, text, data.
 */
import type { Json, JsonObject } from '../json/json.ts'
import {
  type Argument,
  type ArgumentNames,
  takeArgumentName,
  withOriginalName,
} from './argument.ts'
import {
  type BodyNeed,
  isReadOnly,
  type Media,
  noteFlat,
  noteMedia,
  noteText,
} from './body-losses.ts'
import { type BodyKind, readMemberStyle } from './body-style.ts'
import { isDataType } from './data-types.ts'
import { asObject, asText, countMembers } from './fields.ts'
import { type FlatObject, flattenObject, listTypes } from './flat-object.ts'
import { ARGUMENTS_MAX } from './limits.ts'
import type { Operation } from './operation.ts'
import { withSentName } from './parameter-parts.ts'
import { resolveObject } from './references.ts'
import { noteChanged, noteChosen, noteLeftOut, type Remarks } from './remarks.ts'
import {
  countMemberSteps,
  countSteps,
  STEPS_PER_SHARED,
  spendDocumentSteps,
} from './work-budget.ts'

export type BodyArguments = {
  readonly args: readonly Argument[]
  /** `config.body_as`; undefined if the method has no body. */
  readonly bodyAs: 'json' | 'form' | 'multipart' | 'text' | 'binary' | 'none' | undefined
  /** A content-type header that differs from the default of the body's form. */
  readonly contentType: string | undefined
  readonly isOpen: boolean
  /** Arguments that are required if any argument of the body is given. */
  readonly together: readonly string[]
}

const NO_BODY: BodyArguments = {
  args: [],
  bodyAs: undefined,
  contentType: undefined,
  isOpen: false,
  together: [],
}
const BODILESS = new Set(['GET', 'HEAD', 'DELETE'])
const KINDS: readonly (readonly [BodyKind, Pick<RegExp, 'test'>])[] = [
  ['json', /^application\/json$/i],
  ['json', /^[a-z]+\/[a-z0-9.!#$&^_-]*\+?json$/i],
  ['form', /^application\/x-www-form-urlencoded$/i],
  ['multipart', /^multipart\/form-data$/i],
  ['text', /^text\/plain$/i],
  ['json', /^(?:\*|application)\/\*$/],
  ['text', /^text\/(?!event-stream)[a-z0-9.+-]+$/i],
  ['binary', { test: isDataType }],
]

export type BodyContext = {
  readonly document: JsonObject
  readonly operation: Operation
  readonly remarks: Remarks
}

/** Chooses the media type, before the arguments get names, because parameters are named first. */
export function chooseMedia(context: BodyContext): Media | undefined {
  const { document, operation, remarks } = context
  const body = resolveObject(document, operation.raw['requestBody'])
  if (body === undefined) return undefined
  const isRequired = body['required'] === true
  const content = Object.entries(asObject(body['content']))
  spendDocumentSteps(document, STEPS_PER_SHARED * KINDS.length * content.length)
  const found = KINDS.flatMap(([kind, pattern]) =>
    content
      .filter(([type]) => pattern.test(withoutParameters(type)))
      .map(([type, one]): Media => ({ type, kind, content: resolveObject(document, one) ?? {} })),
  )
  const [media] = found
  const isRefused = operation.method === 'GET' || operation.method === 'HEAD'
  if (media !== undefined && !isRefused) {
    const others = content.map(([type]) => type).filter((type) => type !== media.type)
    if (others.length > 0) remarks.notes.push(noteChosen('bodies', media.type, others))
    return media
  }
  const why = isRefused
    ? `A skill sends no body with ${operation.method}.`
    : `A skill cannot send a body of ${content.map(([type]) => type).join(', ') || 'no media type'}.`
  if (isRequired || (!isRefused && content.length > 0)) remarks.reasons.push(why)
  else if (content.length > 0) remarks.notes.push(noteLeftOut('The body', why.replace(/\.$/, '')))
  return undefined
}

/** Makes the arguments of a body of that media type. */
export function makeBodyArguments(
  context: BodyContext,
  media: Media | undefined,
  names: ArgumentNames,
): BodyArguments {
  const { document, operation, remarks } = context
  const isBodiless = BODILESS.has(operation.method)
  if (media === undefined) return isBodiless ? NO_BODY : { ...NO_BODY, bodyAs: 'none' }
  const body = resolveObject(document, operation.raw['requestBody']) ?? {}
  const { content, kind } = media
  const schema = content['schema'] ?? {}
  const isWhole = kind === 'text' || kind === 'binary'
  const flat = isWhole ? undefined : flattenBody(document, schema, names)
  const shared =
    countMemberSteps(body) + countMemberSteps(content) + countSteps(content['encoding'])
  spendDocumentSteps(document, STEPS_PER_SHARED * shared)
  const common = { bodyAs: kind, contentType: pickContentType(media), together: [] }
  noteMedia(media, flat === undefined ? {} : body, remarks)
  if (flat === undefined) {
    if (kind === 'text') noteText(media, remarks)
    return { ...common, args: [makeWholeBody(media, body, schema, names)], isOpen: false }
  }
  const need = readNeed(body)
  noteFlat(flat, { need, media }, remarks)
  spendDocumentSteps(document, STEPS_PER_SHARED * (flat.lost.length + flat.required.length))
  const required = new Set(flat.required)
  const args = Object.entries(flat.properties)
    .filter(([, property]) => !isReadOnly(document, property))
    .map(([name, property]) => {
      const argument = takeArgumentName(name, 'body', names)
      noteName(name, argument, remarks)
      const terms = { name, argument, property, required: required.has(name) }
      return makeMember({ ...context, media, isBodiless }, terms)
    })
  if (need !== 'optional') return { ...common, args, isOpen: flat.isOpen }
  return {
    ...common,
    isOpen: flat.isOpen,
    args: args.map((one) => ({ ...one, required: false })),
    together: args.filter((one) => one.required).map(({ name }) => name),
  }
}

/**
 * Many documents leave `required` out, whose default is false, and so do upgraded forms of Swagger
 * 2.0. A schema with required members is then believed (ADR 0140).
 */
function readNeed({ required }: JsonObject): BodyNeed {
  if (required === true) return 'required'
  return required === false ? 'optional' : 'unsaid'
}

/** Returns undefined for a schema without members, or with too many for a tool's arguments. */
function flattenBody(
  document: JsonObject,
  schema: Json,
  { taken }: ArgumentNames,
): FlatObject | undefined {
  const flat = flattenObject(document, schema)
  const count = countMembers(flat?.properties ?? {})
  return count > 0 && count + taken.size <= ARGUMENTS_MAX ? flat : undefined
}

function noteName(name: string, argument: string, { notes }: Remarks): void {
  if (name === argument) return
  notes.push(noteChanged(`The member ${name} of the body`, `the argument ${argument}`))
}

function makeWholeBody(
  { kind, type }: Media,
  body: JsonObject,
  schema: Json,
  names: ArgumentNames,
): Argument {
  const name = takeArgumentName('body', 'request', names)
  return {
    name,
    required: body['required'] === true,
    ...pickWholeSchema(kind, schema),
    description: asText(body['description']) ?? 'Body of the request.',
    place: {
      in: 'body',
      name: '',
      ...(kind === 'json' || kind === 'text' ? { style: 'json' } : {}),
      ...(kind === 'binary' ? { style: 'file', ...pickFileType(type) } : {}),
    },
  }
}

function pickWholeSchema(kind: BodyKind, schema: Json): Pick<Argument, 'isWritten' | 'schema'> {
  if (kind === 'binary') return { schema: FILE, isWritten: true }
  return { schema: kind === 'text' ? { type: 'string' } : schema }
}

/** The type of a file whose caller names none. */
function pickFileType(type: string): JsonObject {
  const media = withoutParameters(type)
  return media.includes('*') ? {} : { content_type: media }
}

type MemberContext = BodyContext & { readonly media: Media; readonly isBodiless: boolean }

type BodyMember = {
  readonly name: string
  readonly argument: string
  readonly property: Json
  readonly required: boolean
}

function makeMember(
  { document, isBodiless, media, remarks: { notes } }: MemberContext,
  { argument, name, property, required }: BodyMember,
): Argument {
  const said = asText(asObject(property)['description'])
  const description = said ?? asText(resolveObject(document, property)?.['description'])
  const encoding = asObject(asObject(media.content['encoding'])[name])
  const isJson = media.kind === 'json'
  const styled = isJson
    ? {}
    : readMemberStyle(document, media.kind, property, { encoding, name, notes })
  const originally = { name: argument, ...withOriginalName(name, argument) }
  const isPlain = Object.keys(styled).length === 0 && argument === name && !isBodiless
  const place = isPlain ? undefined : { in: 'body', ...withSentName(name, argument), ...styled }
  if (styled['style'] !== 'file') {
    return { ...originally, required, schema: property, description, place }
  }
  const isList = listTypes(document, property).includes('array')
  const schema = isList ? { type: 'array', items: FILE } : FILE
  return { ...originally, required, schema, isWritten: true, description, place }
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

/** Returns the header for other types of JSON and text; the common types are set by default. */
function pickContentType({ kind, type }: Media): string | undefined {
  const media = withoutParameters(type)
  if (media.includes('*')) return undefined
  if (kind === 'json') return /^application\/json$/i.test(media) ? undefined : media
  return kind === 'text' && !/^text\/plain$/i.test(media) ? media : undefined
}

function withoutParameters(type: string): string {
  return type.split(';')[0]?.trim() ?? ''
}
