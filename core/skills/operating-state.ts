/**
 * The operating state of a skill: whether agents may call it, which users see it, and what a call
 * costs. Administrators set this state; the author writes the rest of the definition. A text that
 * replaces a definition keeps the parts that it does not name, so that no push, rollback or import
 * starts a skill that an administrator has stopped (ADR 0097).
 */
import type { Json, JsonObject } from '../json/json.ts'

/** Each part with its fields: a reason belongs to its state. */
const PARTS = [
  { name: 'state', fields: ['state', 'state_reason'] },
  { name: 'groups', fields: ['groups'] },
  { name: 'credits_per_call', fields: ['credits_per_call'] },
] as const

export type OperatingPart = (typeof PARTS)[number]['name']

export const OPERATING_PARTS: readonly OperatingPart[] = PARTS.map(({ name }) => name)

/** Returns the part of a field; undefined for other fields. */
export function findOperatingPart(field: string): OperatingPart | undefined {
  return PARTS.find(({ fields }) => fields.some((one) => one === field))?.name
}

/** Returns the parts that a definition has. A null state is ignored; other nulls are refused. */
export function listOperatingParts(definition: JsonObject): ReadonlySet<OperatingPart> {
  const isNamed = (name: OperatingPart) => (definition[name] ?? null) !== null
  return new Set(OPERATING_PARTS.filter(isNamed))
}

/** Returns `sent` with the parts of `old` that `named` does not include. */
export function keepOperating(
  old: JsonObject,
  sent: JsonObject,
  named: ReadonlySet<OperatingPart>,
): JsonObject {
  const fields: { [name: string]: Json } = { ...sent }
  for (const part of PARTS) {
    const before = part.fields.filter((field) => old[field] !== undefined)
    if (named.has(part.name)) continue
    const isRemoved = part.name !== 'state' || before.length > 0
    if (isRemoved) for (const field of part.fields) delete fields[field]
    for (const field of before) fields[field] = old[field] ?? null
  }
  return fields
}

/** Returns a sentence for each part that the text changed, or that was kept against the text. */
export function writeOperatingNotes(
  old: JsonObject,
  sent: JsonObject,
  now: JsonObject,
): readonly string[] {
  return OPERATING_PARTS.flatMap((part) => {
    const [before, after, asked] = [old, now, sent].map((one) => describePart(part, one))
    if (before !== after) return [`${part}: was ${before} and is ${after} now, as the text says`]
    return after === asked
      ? []
      : [`${part}: ${after} was kept${describeReason(part, now)}; ${REMEDIES[part]}`]
  })
}

function describePart(part: OperatingPart, definition: JsonObject): string {
  const value = definition[part] ?? null
  switch (part) {
    case 'state':
      return value === null ? 'listed' : String(value)
    case 'groups':
      return Array.isArray(value) && value.length > 0 ? [...value].sort().join(', ') : 'everyone'
    case 'credits_per_call':
      return String(value)
    default:
      return part satisfies never
  }
}

function describeReason(part: OperatingPart, { state_reason: reason }: JsonObject): string {
  return part === 'state' && typeof reason === 'string' ? ` (${reason})` : ''
}

const REMEDIES: { readonly [part in OperatingPart]: string } = {
  state: 'enable the skill to start it',
  groups: 'change the groups of the skill to replace them',
  credits_per_call: 'change the price of the skill to replace it',
}
