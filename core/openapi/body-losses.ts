/** Notes about parts of a document's body that the tool's arguments do not have. */
import type { Json, JsonObject } from '../json/json.ts'
import type { BodyKind } from './body-style.ts'
import { asObject } from './fields.ts'
import type { FlatObject } from './flat-object.ts'
import { resolveObject } from './references.ts'
import { joinNames, noteLeftOut, type Remarks } from './remarks.ts'

/** Whether the document says that the body is needed. */
export type BodyNeed = 'required' | 'optional' | 'unsaid'

export type Media = { readonly type: string; readonly kind: BodyKind; readonly content: JsonObject }

export function isReadOnly(document: JsonObject, property: Json): boolean {
  return [property, resolveObject(document, property)].some(
    (one) => asObject(one)['readOnly'] === true,
  )
}

/** Notes lost parts of the body. `body` is {} if its description is kept. */
export function noteMedia({ content }: Media, body: JsonObject, { notes }: Remarks): void {
  const lost = [
    ...Object.keys(content).filter((member) => member !== 'schema' && member !== 'encoding'),
    ...Object.keys(body).filter((member) => member === 'description'),
  ]
  if (lost.length > 0)
    notes.push(noteLeftOut(`Of the body ${joinNames(lost)}`, 'a tool does not keep it'))
}

/** Notes the lost schema of a text body. */
export function noteText({ content }: Media, { notes }: Remarks): void {
  const lost = Object.keys(asObject(content['schema'])).filter((keyword) => keyword !== 'type')
  if (lost.length > 0)
    notes.push(noteLeftOut(`Of the body's schema ${joinNames(lost)}`, 'the body is a text'))
}

/** Notes lost parts of an object whose members are the arguments. */
export function noteFlat(
  flat: FlatObject,
  { media, need }: { readonly need: BodyNeed; readonly media: Media },
  { notes }: Remarks,
): void {
  if (flat.lost.length > 0) {
    notes.push(
      noteLeftOut(`Of the body's schema ${joinNames(flat.lost)}`, 'its members are the arguments'),
    )
  }
  if (need !== 'required' && flat.required.length > 0) {
    const names = joinNames(flat.required)
    notes.push(
      need === 'optional'
        ? `The body may be left out; with any of its members, it needs ${names}.`
        : `The document does not say whether the body is required; as its schema says, it needs ${names}.`,
    )
  }
  const unknown = Object.keys(asObject(media.content['encoding'])).filter(
    (name) => media.kind === 'json' || !Object.hasOwn(flat.properties, name),
  )
  if (unknown.length > 0) {
    notes.push(noteLeftOut(`The encoding of ${joinNames(unknown)}`, 'the body has no such part'))
  }
}
