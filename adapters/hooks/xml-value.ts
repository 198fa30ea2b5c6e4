/**
 * XML to JSON by saxes, which checks well-formedness and has no entities but the five of XML: it expands
 * nothing, fetches nothing, and opens no file. A document type declaration of the document's own is
 * refused, one that only names another document is passed over. The JSON is at most twice as long as the
 * XML, since names are never repeated. docs/hooks.md describes the shape.
 */
import { SaxesParser } from 'saxes'
import { err, ok, type Result } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json/json.ts'
import { XML_DEPTH_MAX, XML_PARTS_MAX } from './conversion-limits.ts'

export type XmlOptions = {
  /** Names of elements that are lists, also when there is one. */
  readonly lists: ReadonlySet<string>
}

/** JSON text. An error is a clause that reads after "The upstream's XML …". */
export function xmlToJson(text: string, options: XmlOptions): Result<string, string> {
  try {
    return ok(JSON.stringify(documentOf(text, options)))
  } catch (cause) {
    if (cause instanceof Unreadable) return err(cause.message)
    throw cause
  }
}

/** Ends the parsing: saxes has no other way to stop. Its message quotes nothing of the document. */
class Unreadable extends Error {}

type Open = {
  readonly name: string
  readonly members: Map<string, Json[]>
  text: string
}

function documentOf(text: string, { lists }: XmlOptions): Json {
  const parser = new SaxesParser()
  const root: Open = { name: '', members: new Map(), text: '' }
  const open: Open[] = [root]
  let parts = 0
  const count = () => {
    parts += 1
    if (parts > XML_PARTS_MAX) throw new Unreadable(TOO_MANY)
  }
  const addText = (part: string) => {
    const top = open.at(-1)
    if (top !== undefined) top.text += part
  }
  parser.on('error', () => {
    throw new Unreadable(`is not well-formed at line ${parser.line}, column ${parser.column}`)
  })
  parser.on('doctype', (declaration) => {
    if (declaration.includes('[')) throw new Unreadable(OWN_DOCTYPE)
  })
  parser.on('attribute', count)
  parser.on('opentag', ({ attributes, name }) => {
    count()
    if (open.length > XML_DEPTH_MAX) throw new Unreadable(TOO_DEEP)
    open.push({ name, members: attributeMembers(attributes), text: '' })
  })
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    const closed = open.pop() ?? root
    addMember((open.at(-1) ?? root).members, closed.name, elementOf(closed, lists))
  })
  parser.write(text).close()
  return objectOf(root.members, lists)
}

function attributeMembers(attributes: { readonly [name: string]: string }): Open['members'] {
  return new Map(Object.entries(attributes).map(([name, value]) => [`@${name}`, [value]]))
}

function addMember(members: Open['members'], name: string, value: Json): void {
  const before = members.get(name)
  if (before === undefined) members.set(name, [value])
  else before.push(value)
}

const OWN_DOCTYPE = 'declares entities or elements of its own, which are not read'
const TOO_MANY = `has over ${XML_PARTS_MAX} elements and attributes. Ask the upstream for less`
const TOO_DEEP = `is nested over ${XML_DEPTH_MAX} elements deep`

/** A text alone is a text. Beside attributes and elements it is `#text`, without white space around it. */
function elementOf({ members, text }: Open, lists: XmlOptions['lists']): Json {
  if (members.size === 0) return text
  const trimmed = text.trim()
  const object = objectOf(members, lists)
  return trimmed === '' ? object : { ...object, '#text': trimmed }
}

function objectOf(members: Open['members'], lists: XmlOptions['lists']): JsonObject {
  return Object.fromEntries(
    [...members].map(([name, values]) => {
      const [only = null] = values
      return [name, values.length > 1 || lists.has(name) ? values : only]
    }),
  )
}
