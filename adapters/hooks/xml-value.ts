/**
 * Converts XML to JSON with saxes, which checks well-formedness and supports only the five entities
 * of XML: nothing is expanded or fetched, and no file is opened. A document with declarations of
 * its own is refused; a DOCTYPE that only names another document is ignored. The JSON is at most
 * twice as long as the XML, since names are never repeated. docs/hooks.md describes the shape.
 */
import { SaxesParser } from 'saxes'
import { err, ok, type Result } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/json/json.ts'
import { XML_DEPTH_MAX, XML_PARTS_MAX } from './conversion-limits.ts'

export type XmlOptions = {
  /** Names of elements that become lists even if there is only one. */
  readonly lists: ReadonlySet<string>
}

/** Returns JSON text. An error is a clause that continues "The upstream's XML …". */
export function xmlToJson(text: string, options: XmlOptions): Result<string, string> {
  try {
    return ok(JSON.stringify(readDocument(text, options)))
  } catch (cause) {
    if (cause instanceof Unreadable) return err(cause.message)
    throw cause
  }
}

/** Thrown to end the parsing, since saxes cannot be stopped. It quotes nothing of the document. */
class Unreadable extends Error {}

type Open = {
  readonly name: string
  readonly members: Map<string, Json[]>
  text: string
}

function readDocument(text: string, { lists }: XmlOptions): Json {
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
    open.push({ name, members: toAttributeMembers(attributes), text: '' })
  })
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    const closed = open.pop() ?? root
    addMember((open.at(-1) ?? root).members, closed.name, toElementValue(closed, lists))
  })
  parser.write(text).close()
  return toObject(root.members, lists)
}

function toAttributeMembers(attributes: { readonly [name: string]: string }): Open['members'] {
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

/**
 * An element with only text becomes that text; otherwise its trimmed text is the member `#text`.
 */
function toElementValue({ members, text }: Open, lists: XmlOptions['lists']): Json {
  if (members.size === 0) return text
  const trimmed = text.trim()
  const object = toObject(members, lists)
  return trimmed === '' ? object : { ...object, '#text': trimmed }
}

function toObject(members: Open['members'], lists: XmlOptions['lists']): JsonObject {
  return Object.fromEntries(
    [...members].map(([name, values]) => {
      const [only = null] = values
      return [name, values.length > 1 || lists.has(name) ? values : only]
    }),
  )
}
