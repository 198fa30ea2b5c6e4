/** Makes a tool's title, description and tags of its operation, within a skill's limits. */
import type { JsonObject } from '../json/json.ts'
import type { Argument } from './argument.ts'
import { asList, asText, shortenText } from './fields.ts'
import { readHtml } from './html-text.ts'
import { SKILL_NAME_CHARS_MAX, TOOL_DESCRIPTION_CHARS_MAX } from './limits.ts'
import type { Operation } from './operation.ts'
import { joinNames, noteCut, noteLeftOut, type Remarks } from './remarks.ts'
import { findUnreadSettings, type ToolSettings } from './tool-settings.ts'

export function writeTitle({ key, operationId, raw }: Operation, { notes }: Remarks): string {
  const summary = readHtml(asText(raw['summary']) ?? operationId ?? key)
  const title = summary.replace(/\s+/g, ' ')
  const short = shortenText(title, SKILL_NAME_CHARS_MAX)
  if (isCut(title, short))
    notes.push(noteCut('The name of the tool', `${SKILL_NAME_CHARS_MAX} characters`))
  return short
}

const PAGE_ARGUMENT = /^(?:page|cursor|offset|page_?token|next_?token|starting_after)$/i

export function writeToolDescription(
  { key, operationId, raw }: Operation,
  {
    settings: { description },
    skillId,
  }: { readonly settings: ToolSettings; readonly skillId: string },
  args: readonly Argument[],
  { notes }: Remarks,
): string {
  const cutTo = (text: string, charsMax: number) => {
    const short = shortenText(text, charsMax)
    const limit = `${TOOL_DESCRIPTION_CHARS_MAX} characters`
    if (isCut(text, short)) notes.push(noteCut('The description of the tool', limit))
    return short
  }
  if (description !== undefined) return cutTo(description, TOOL_DESCRIPTION_CHARS_MAX)
  const summary = asText(raw['summary'])
  const text = asText(raw['description'])
  const both = [summary, text === summary ? undefined : text].filter((one) => one !== undefined)
  const plain = both.map((one) => readHtml(one))
  if (plain.some((one, index) => one !== both[index])) {
    notes.push('HTML in the description of the tool is text.')
  }
  const page = args.find(({ name }) => PAGE_ARGUMENT.test(name))
  const pages =
    page === undefined ? '' : `\n\nAnswers come in pages; ask for the next one with ${page.name}.`
  const called = isNamedAfter(skillId, operationId)
    ? ''
    : `\n\nCalled ${shortenText(operationId ?? '', SKILL_NAME_CHARS_MAX)} in the API.`
  const note = `${called}${pages}`
  const whole = plain.filter((one) => one !== '').join('\n\n') || key
  return `${cutTo(whole, TOOL_DESCRIPTION_CHARS_MAX - note.length)}${note}`
}

/** True if the tool's name shows the operation's id: all its letters, with any separators. */
function isNamedAfter(skillId: string, operationId: string | undefined): boolean {
  const letters = (text: string) => text.replace(/[\s\p{P}\p{S}]+/gu, '')
  return operationId === undefined || letters(skillId).endsWith(letters(operationId))
}

function isCut(text: string, short: string): boolean {
  return short.endsWith('…') && !text.trimEnd().endsWith('…')
}

const TAGS_MAX = 8
const TAG_CHARS_MAX = 64
/**
 * Tags that change how clients treat a skill. A document's tag of such a name means something else.
 */
const MEANT_TAGS = new Set(['read-only', 'destructive', 'idempotent'])

export function pickTags({ raw, tags }: Operation, { notes }: Remarks): JsonObject {
  const shortTags = tags
    .map((tag) => shortenText(tag.replace(/\s+/g, ' '), TAG_CHARS_MAX))
    .filter((tag) => tag !== '' && !MEANT_TAGS.has(tag.toLowerCase()))
  const kept = [...new Set(shortTags)].slice(0, TAGS_MAX)
  const lost = asList(raw['tags']).filter((tag) => typeof tag !== 'string' || !kept.includes(tag))
  if (lost.length > 0) {
    const names = joinNames(
      lost.map((tag) => (typeof tag === 'string' ? tag : JSON.stringify(tag))),
    )
    notes.push(
      noteLeftOut(
        `Of the tags ${names}`,
        `a tool has ${TAGS_MAX} of ${TAG_CHARS_MAX} characters, and its own meaning of ${[...MEANT_TAGS].join(', ')}`,
      ),
    )
  }
  return kept.length === 0 ? {} : { tags: kept }
}

/** Parts of an operation that no tool has. */
const IGNORED_PARTS = ['callbacks', 'externalDocs']

export function noteUnusedParts(
  document: JsonObject,
  operation: Operation,
  { notes }: Remarks,
): void {
  const lost = IGNORED_PARTS.filter((member) => operation.raw[member] !== undefined)
  if (lost.length > 0)
    notes.push(noteLeftOut(`Of the operation ${joinNames(lost)}`, 'a tool has none'))
  if (operation.raw['deprecated'] === true) notes.push('The operation is deprecated.')
  const ofPath = ['summary', 'description'].filter((name) => operation.pathItem[name] !== undefined)
  if (ofPath.length > 0) {
    notes.push(noteLeftOut(`Of the path ${joinNames(ofPath)}`, 'the operation has its own'))
  }
  const unread = findUnreadSettings(document, operation)
  if (unread.length > 0) {
    notes.push(
      noteLeftOut(
        `Of x-skillgate ${joinNames(unread)}`,
        'there is no such setting, or it has another form',
      ),
    )
  }
}
