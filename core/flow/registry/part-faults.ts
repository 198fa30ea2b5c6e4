/**
 * Finds the errors in parts of a definition that the readers of fields do not check: schemas,
 * target and hook options. Used for a definition that is already refused, so that its author gets
 * all errors in one answer.
 */

import { err, type FieldError, type Refusal, type Result } from '../../errors.ts'
import { isDeeperThan } from '../../json/depth.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Hooks } from '../../ports/registry.ts'
import { checkTarget } from '../../request/check-target.ts'
import type { Settings } from '../../settings.ts'
import type { Notes } from '../../skills/definition/field-notes.ts'
import { readHooks } from '../../skills/definition/read-hooks.ts'
import { FAULTS_MAX, PARAMETERS_DEPTH_MAX } from '../../skills/limits.ts'

type Needs = Pick<Ports, 'schemas'> & { readonly hooks: Pick<Hooks, 'optionFaults'> }

/** Adds `more` to the refusal's own errors: one error for each pointer. */
export function addFaults(refusal: Refusal, more: readonly FieldError[]): Result<never> {
  const { faults: own = [] } = refusal
  const ownPointers = new Set(own.map(({ pointer }) => pointer))
  // An error of the whole definition: errors of its parts would not help.
  if (ownPointers.has('')) return err(refusal)
  const others = more.filter(({ pointer }) => !ownPointers.has(pointer))
  if (others.length === 0) return err(refusal)
  const faults = [...own, ...others]
  const [first] = faults
  const detail = `The skill definition has ${faults.length} faults: ${first?.pointer} ${first?.message}.`
  return err({ code: 'invalid_skill', detail, faults: faults.slice(0, FAULTS_MAX) })
}

/** Returns the errors with pointers into the definition; empty if the parts are sound. */
export function findPartFaults(
  ports: Needs,
  { outboundAllow, privateHosts }: Settings,
  definition: Json,
): readonly FieldError[] {
  const [meta, config] = [readObject(definition, 'meta'), readObject(definition, 'config')]
  const { endpoint } = config
  const rules = { outboundAllow, privateHosts }
  const target = typeof endpoint === 'string' ? checkTarget(endpoint, rules) : undefined
  return [
    ...findSchemaFaults(ports, '/meta/parameters', meta['parameters']),
    ...findSchemaFaults(ports, '/meta/output_schema', meta['output_schema']),
    ...(target?.ok === false ? (target.error.faults ?? []) : []),
    ...findHookFaults(ports, config),
  ]
}

function findSchemaFaults(
  { schemas }: Needs,
  pointer: string,
  schema: Json | undefined,
): readonly FieldError[] {
  if (!isJsonObject(schema) || isDeeperThan(schema, PARAMETERS_DEPTH_MAX)) return []
  return under(pointer, schemas.schemaFaults(schema))
}

/** The options of a hook that this build does not have are not checked. */
function findHookFaults({ hooks }: Needs, config: JsonObject): readonly FieldError[] {
  // These notes are dropped: errors of the list itself are in the refusal already.
  const notes: Notes = { faults: [], warnings: [], slips: [], notYet: [] }
  return readHooks(notes, config).flatMap(({ name, options, optionsAt }) =>
    under(optionsAt, hooks.optionFaults(name, options) ?? []),
  )
}

function under(pointer: string, faults: readonly FieldError[]): readonly FieldError[] {
  return faults.map((fault) => ({ ...fault, pointer: `${pointer}${fault.pointer}` }))
}

function readObject(value: Json, name: string): JsonObject {
  const member = isJsonObject(value) ? value[name] : undefined
  return isJsonObject(member) ? member : {}
}
