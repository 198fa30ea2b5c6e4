/**
 * Parses templates: texts with places such as `{{args.name}}`, `{{args.name.part}}`,
 * `{{secrets.NAME}}` and `{{input.responses}}`, in `config.headers`, `config.query` and
 * `config.body` (docs/service.md, Skill config). A template is parsed when its skill is read, so
 * that a call only fills places. Templates have no logic and no escapes: a skill cannot send a
 * literal `{{`.
 */
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { toJsonPointer } from '../../json/json-pointer.ts'
import { ARG_PARTS_MAX } from '../limits.ts'

export type TemplatePiece =
  | { readonly kind: 'text'; readonly text: string }
  /** `path` is a path inside the argument: names of members and indexes of items. */
  | { readonly kind: 'arg'; readonly name: string; readonly path?: readonly string[] }
  | { readonly kind: 'secret'; readonly name: string }
  | { readonly kind: 'input'; readonly name: InputName }

/** The client's answers, the upstream's state, and the client's capabilities (ADR 0027). */
export type InputName = 'responses' | 'state' | 'capabilities'

export type Template = readonly TemplatePiece[]

/** A JSON value whose strings are templates. `toFixed` contains no place. */
export type BodyTemplate =
  | { readonly kind: 'fixed'; readonly value: Json }
  | { readonly kind: 'text'; readonly template: Template }
  | { readonly kind: 'list'; readonly items: readonly BodyTemplate[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, BodyTemplate])[] }

const PLACE = /\{\{([^{}]*)\}\}/g
const ARG = /^\s*args\.([A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_-]{1,64})*)\s*$/
const SECRET = /^\s*secrets\.([A-Z][A-Z0-9_]{0,63})\s*$/
const INPUT = /^\s*input\.([a-z]+)\s*$/
const INPUT_NAMES: readonly InputName[] = ['responses', 'state', 'capabilities']
/**
 * A place with a missing brace, which is an error. `}}` alone is text, because it is frequent in
 * nested JSON and GraphQL. After `input.` only the three known names match, because stored skills
 * may contain `{input.…` as text.
 */
const BROKEN = /\{\{|\{\s*(?:args\.|secrets\.|input\.(?:responses|state|capabilities)\b)/
const SHOWN_CHARS_MAX = 80
const WANTED =
  `write {{args.name}} (1 to 64 characters of A-Z a-z 0-9 _ -; up to ${ARG_PARTS_MAX} joined by dots lead into an argument), ` +
  '{{secrets.NAME}} (1 to 64 characters of A-Z 0-9 _, a letter ' +
  'first), {{input.responses}}, {{input.state}} or {{input.capabilities}}'

export type ParsedTemplate =
  | { readonly template: Template }
  /** A clause that follows a pointer. */
  | { readonly wrong: string }

/** Parses one text. */
export function parseTemplate(text: string): ParsedTemplate {
  if (!text.includes('{')) return { template: toTextPieces(text) }
  const pieces: TemplatePiece[] = []
  let end = 0
  for (const { 0: whole, 1: inner = '', index } of text.matchAll(PLACE)) {
    const place = parsePlace(inner)
    if (place === undefined) {
      return { wrong: `has the placeholder ${whole.slice(0, SHOWN_CHARS_MAX)}; ${WANTED}` }
    }
    pieces.push(...toTextPieces(text.slice(end, index)), place)
    end = index + whole.length
  }
  const template = [...pieces, ...toTextPieces(text.slice(end))]
  const isBroken = template.some((piece) => piece.kind === 'text' && BROKEN.test(piece.text))
  return isBroken ? { wrong: `has a placeholder that lacks a brace; ${WANTED}` } : { template }
}

export type ParsedBody =
  | { readonly body: BodyTemplate }
  | { readonly pointer: string; readonly wrong: string }

/**
 * Parses a body. An error's `pointer` is relative to the body. Member names cannot be templates.
 */
export function parseBody(value: Json, pointer = ''): ParsedBody {
  if (typeof value === 'string') {
    const parsed = parseTemplate(value)
    if ('wrong' in parsed) return { pointer, wrong: parsed.wrong }
    const isFixed = parsed.template.every(({ kind }) => kind === 'text')
    return { body: isFixed ? toFixed(value) : { kind: 'text', template: parsed.template } }
  }
  if (typeof value !== 'object' || value === null) return { body: toFixed(value) }
  return isJsonObject(value) ? parseObject(value, pointer) : parseList(value, pointer)
}

function parseList(value: readonly Json[], pointer: string): ParsedBody {
  const items: BodyTemplate[] = []
  for (const [index, item] of value.entries()) {
    const parsed = parseBody(item, pointer + toJsonPointer([index]))
    if ('wrong' in parsed) return parsed
    items.push(parsed.body)
  }
  const isFixed = items.every(({ kind }) => kind === 'fixed')
  return { body: isFixed ? toFixed(value) : { kind: 'list', items } }
}

function parseObject(value: JsonObject, pointer: string): ParsedBody {
  const members: [string, BodyTemplate][] = []
  for (const [name, item] of Object.entries(value)) {
    const at = pointer + toJsonPointer([name])
    if (name.includes('{{'))
      return { pointer: at, wrong: 'has a placeholder in a name; put it into the value' }
    const parsed = parseBody(item, at)
    if ('wrong' in parsed) return parsed
    members.push([name, parsed.body])
  }
  const isFixed = members.every(([, { kind }]) => kind === 'fixed')
  return { body: isFixed ? toFixed(value) : { kind: 'object', members } }
}

function parsePlace(inner: string): TemplatePiece | undefined {
  const arg = ARG.exec(inner)?.[1]
  if (arg !== undefined) return toArgPlace(arg.split('.'))
  const secret = SECRET.exec(inner)?.[1]
  if (secret !== undefined) return { kind: 'secret', name: secret }
  const input = INPUT_NAMES.find((name) => name === INPUT.exec(inner)?.[1])
  return input === undefined ? undefined : { kind: 'input', name: input }
}

function toArgPlace([name = '', ...path]: readonly string[]): TemplatePiece | undefined {
  if (path.length === 0) return { kind: 'arg', name }
  return path.length < ARG_PARTS_MAX ? { kind: 'arg', name, path } : undefined
}

function toTextPieces(text: string): Template {
  return text === '' ? [] : [{ kind: 'text', text }]
}

function toFixed(value: Json): BodyTemplate {
  return { kind: 'fixed', value }
}
