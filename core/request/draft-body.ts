/**
 * Makes the body of a request: the arguments as JSON, or the skill's template. Arguments in a text
 * template are encoded for its content type, so that they cannot break out of their place:
 * percent-encoded in a form, JSON literals in JSON, escaped in XML. Other types get plain text.
 */
import { err, ok, type Result } from '../errors.ts'
import type { Json } from '../json/json.ts'
import type { BodyEncoding } from '../skills/definition/body-encoding.ts'
import type { BodyTemplate, Template } from '../skills/definition/template.ts'
import type { Skill } from '../skills/skill.ts'
import { listBodyTemplates } from './draft-names.ts'
import {
  countFillUnits,
  type Fills,
  fillSecretPieces,
  fillText,
  findLonePlace,
  readFill,
  toPlainText,
  type Write,
} from './fill-template.ts'
import type { Unplaced } from './unplaced.ts'

/** UTF-16 units: twice what a caller can send, because a template may repeat an argument. */
export const BODY_UNITS_MAX = 2_000_000

export type BodyDraft = {
  /** Used if the skill's headers have no content type. */
  readonly contentType: string
  readonly hasSecret: boolean
  /** Returns bytes if the body has files. */
  text(secrets: ReadonlyMap<string, string>): string | Uint8Array
}

/**
 * Drafts the body. `rest` has the arguments that no template uses; undefined if they go into the
 * query. An error is a clause that follows "The arguments …".
 */
export function draftBody(
  { body, bodyEncoding }: Pick<Skill, 'body' | 'bodyEncoding'>,
  fills: Fills,
  rest: Unplaced | undefined,
): Result<BodyDraft | undefined, string> {
  if (body === undefined)
    return ok(rest === undefined ? undefined : draftRestBody(rest, bodyEncoding))
  const templates = listBodyTemplates(body)
  if (countFillUnits(templates, fills) > BODY_UNITS_MAX) {
    return err(`make a body of over ${BODY_UNITS_MAX} characters; shorten them`)
  }
  const hasSecret = templates.flat().some(({ kind }) => kind === 'secret')
  const text = findTextTemplate(body, bodyEncoding)
  return ok(
    text === undefined
      ? { ...draftValueBody(body, fills, bodyEncoding), hasSecret }
      : { ...draftTextBody(text, fills, bodyEncoding ?? 'text'), hasSecret },
  )
}

export const JSON_TYPE = 'application/json'

function draftRestBody(
  { all, first, last }: Unplaced,
  encoding: BodyEncoding | undefined,
): BodyDraft {
  const text =
    encoding === 'form'
      ? writeFormPairs([...first, ...last])
      : JSON.stringify(Object.fromEntries(all))
  return { contentType: JSON_TYPE, hasSecret: false, text: () => text }
}

/** Returns undefined for a body of any JSON value: a template that is not text, or a lone place. */
function findTextTemplate(
  body: BodyTemplate,
  encoding: BodyEncoding | undefined,
): Template | undefined {
  if (body.kind === 'fixed' && typeof body.value === 'string') {
    return [{ kind: 'text', text: body.value }]
  }
  if (body.kind !== 'text') return undefined
  const takesText = encoding === 'text' || encoding === 'xml'
  return findLonePlace(body.template) === undefined || takesText ? body.template : undefined
}

function draftTextBody(
  template: Template,
  fills: Fills,
  encoding: BodyEncoding,
): Omit<BodyDraft, 'hasSecret'> {
  const write = WRITERS[encoding]
  const filled = fillText(template, fills, write)
  return {
    contentType: 'text/plain; charset=utf-8',
    text: (secrets) => fillSecretPieces(filled, secrets, write),
  }
}

const WRITERS: { readonly [encoding in BodyEncoding]: Write } = {
  text: toPlainText,
  form: (value) => encodeURIComponent(toPlainText(value).toWellFormed()),
  json: (value) => JSON.stringify(value ?? null),
  xml: (value) => toPlainText(value).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`),
}

function draftValueBody(
  body: BodyTemplate,
  fills: Fills,
  encoding: BodyEncoding | undefined,
): Omit<BodyDraft, 'hasSecret'> {
  const text = (secrets: ReadonlyMap<string, string>) =>
    writeValue(fillBody(body, fills, secrets) ?? null, encoding)
  return { contentType: JSON_TYPE, text }
}

/**
 * Returns undefined for a lone place without its argument: a member is left out, a list item
 * becomes null.
 */
function fillBody(
  body: BodyTemplate,
  fills: Fills,
  secrets: ReadonlyMap<string, string>,
): Json | undefined {
  switch (body.kind) {
    case 'fixed':
      return body.value
    case 'list':
      return body.items.map((item) => fillBody(item, fills, secrets) ?? null)
    case 'object':
      return Object.fromEntries(
        body.members.flatMap(([name, item]) => {
          const value = fillBody(item, fills, secrets)
          return value === undefined ? [] : [[name, value]]
        }),
      )
    case 'text': {
      const alone = findLonePlace(body.template)
      if (alone !== undefined) return readFill(fills, alone)
      return fillSecretPieces(fillText(body.template, fills, toPlainText), secrets)
    }
    default:
      return body satisfies never
  }
}

/** A form has one pair per member. Arrays repeat the name, null is left out, objects are JSON. */
function writeValue(value: Json, encoding: BodyEncoding | undefined): string {
  if (encoding !== 'form') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return WRITERS.form(value)
  return writeFormPairs(Object.entries(value))
}

function writeFormPairs(members: Unplaced['all']): string {
  const pairs = members.flatMap(([name, member]) => {
    const items: readonly Json[] = Array.isArray(member) ? member : [member]
    return items
      .filter((item) => item !== null)
      .map((item): [string, string] => [name, toPlainText(item)])
  })
  return new URLSearchParams(pairs).toString()
}
