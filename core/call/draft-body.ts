/**
 * The body of a request: the arguments themselves as JSON, or the skill's template. A template of
 * text is filled as its content type asks, so that an argument cannot leave its place: percent-encoded
 * in a form, as a JSON literal in JSON, escaped in XML. Other types take the text as it is.
 */
import type { Json, JsonObject } from '../json/json.ts'
import type { Skill } from '../skills/skill.ts'
import { type BodyTemplate, type Template, templatesOf } from '../skills/template.ts'
import { argOf, type Filled, fillText, finish, textOf } from './fill-template.ts'

export type BodyEncoding = 'json' | 'form' | 'xml' | 'text'

export type BodyDraft = {
  /** Where the skill's headers do not say. */
  readonly contentType: string
  readonly hasSecret: boolean
  text(secrets: ReadonlyMap<string, string>): string
}

/** Of the skill's own content-type header; undefined: it has none. */
export function bodyEncodingOf(contentType: string | undefined): BodyEncoding | undefined {
  if (contentType === undefined) return undefined
  const [type = ''] = contentType.toLowerCase().split(';')
  const trimmed = type.trim()
  if (trimmed === 'application/x-www-form-urlencoded') return 'form'
  if (trimmed === 'application/json' || trimmed.endsWith('+json')) return 'json'
  const isXml = trimmed === 'text/xml' || trimmed === 'application/xml' || trimmed.endsWith('+xml')
  return isXml ? 'xml' : 'text'
}

/** `rest`: the arguments that nothing else takes; undefined where they go into the query. */
export function draftBody(
  { body }: Pick<Skill, 'body'>,
  args: JsonObject,
  rest: readonly (readonly [string, Json])[] | undefined,
  encoding: BodyEncoding | undefined,
): BodyDraft | undefined {
  if (body === undefined) return rest === undefined ? undefined : restBody(rest, encoding)
  const hasSecret = templatesOf(body).some((one) => one.some(({ kind }) => kind === 'secret'))
  if (body.kind === 'text' || (body.kind === 'fixed' && typeof body.value === 'string')) {
    return { ...textBody(body, args, encoding ?? 'text'), hasSecret }
  }
  const isForm = encoding === 'form'
  return {
    contentType: JSON_TYPE,
    hasSecret,
    text: (secrets) => {
      const value = fillBody(body, args, secrets) ?? null
      return isForm ? formOf(value) : JSON.stringify(value)
    },
  }
}

const JSON_TYPE = 'application/json'

function restBody(
  rest: readonly (readonly [string, Json])[],
  encoding: BodyEncoding | undefined,
): BodyDraft {
  const value = Object.fromEntries(rest)
  const text = encoding === 'form' ? formOf(value) : JSON.stringify(value)
  return { contentType: JSON_TYPE, hasSecret: false, text: () => text }
}

function textBody(
  body: BodyTemplate & { kind: 'text' | 'fixed' },
  args: JsonObject,
  encoding: BodyEncoding,
): Omit<BodyDraft, 'hasSecret'> {
  const template: Template =
    body.kind === 'text' ? body.template : [{ kind: 'text', text: String(body.value) }]
  const filled: Filled = fillText(template, args, WRITE[encoding])
  return {
    contentType: 'text/plain; charset=utf-8',
    text: (secrets) => finish(filled, secrets, WRITE[encoding]),
  }
}

const WRITE: { readonly [encoding in BodyEncoding]: (value: Json | undefined) => string } = {
  text: textOf,
  form: (value) => encodeURIComponent(textOf(value).toWellFormed()),
  json: (value) => JSON.stringify(value ?? null),
  xml: (value) => textOf(value).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`),
}

/** Undefined: a place alone whose argument is missing; the member goes, in a list it is null. */
function fillBody(
  body: BodyTemplate,
  args: JsonObject,
  secrets: ReadonlyMap<string, string>,
): Json | undefined {
  switch (body.kind) {
    case 'fixed':
      return body.value
    case 'list':
      return body.items.map((item) => fillBody(item, args, secrets) ?? null)
    case 'object':
      return Object.fromEntries(
        body.members.flatMap(([name, item]) => {
          const value = fillBody(item, args, secrets)
          return value === undefined ? [] : [[name, value]]
        }),
      )
    case 'text': {
      const [only, ...more] = body.template
      if (only?.kind === 'arg' && more.length === 0) return argOf(args, only.name)
      return finish(fillText(body.template, args, textOf), secrets)
    }
    default:
      return body satisfies never
  }
}

/** The top members; an array repeats the name, null is left out, an object goes as JSON. */
function formOf(value: Json): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return textOf(value)
  const pairs = Object.entries(value).flatMap(([name, member]) => {
    const items: readonly Json[] = Array.isArray(member) ? member : [member]
    return items
      .filter((item) => item !== null)
      .map((item): [string, string] => [name, textOf(item)])
  })
  return new URLSearchParams(pairs).toString()
}
