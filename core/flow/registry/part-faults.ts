/**
 * The faults of a definition's parts that no field reader judges: schemas, target, hook options. For a
 * definition that was refused already, so that its author gets all faults in one answer.
 */

import { err, type FieldFault, type Refusal, type Result } from '../../errors.ts'
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

/** `more` after the refusal's own faults, one for each place. */
export function withFaults(refusal: Refusal, more: readonly FieldFault[]): Result<never> {
  const { faults: own = [] } = refusal
  const known = new Set(own.map(({ pointer }) => pointer))
  // The whole text does not fit: no part of it is judged.
  if (known.has('')) return err(refusal)
  const others = more.filter(({ pointer }) => !known.has(pointer))
  if (others.length === 0) return err(refusal)
  const faults = [...own, ...others]
  const [first] = faults
  const detail = `The skill definition has ${faults.length} faults: ${first?.pointer} ${first?.message}.`
  return err({ code: 'invalid_skill', detail, faults: faults.slice(0, FAULTS_MAX) })
}

export function partFaults(
  ports: Needs,
  { outboundAllow }: Settings,
  definition: Json,
): readonly FieldFault[] {
  const [meta, config] = [objectAt(definition, 'meta'), objectAt(definition, 'config')]
  const { endpoint } = config
  const target = typeof endpoint === 'string' ? checkTarget(endpoint, { outboundAllow }) : undefined
  return [
    ...schemaFaults(ports, '/meta/parameters', meta['parameters']),
    ...schemaFaults(ports, '/meta/output_schema', meta['output_schema']),
    ...(target?.ok === false ? (target.error.faults ?? []) : []),
    ...hookFaults(ports, config),
  ]
}

function schemaFaults(
  { schemas }: Needs,
  pointer: string,
  schema: Json | undefined,
): readonly FieldFault[] {
  if (!isJsonObject(schema) || isDeeperThan(schema, PARAMETERS_DEPTH_MAX)) return []
  return under(pointer, schemas.schemaFaults(schema))
}

/** The options of a hook that this build does not have are not judged. */
function hookFaults({ hooks }: Needs, config: JsonObject): readonly FieldFault[] {
  // Faults of the list itself were noted when the definition was read.
  const notes: Notes = { faults: [], warnings: [], slips: [], notYet: [] }
  return readHooks(notes, config).flatMap(({ name, options, optionsAt }) =>
    under(optionsAt, hooks.optionFaults(name, options) ?? []),
  )
}

function under(pointer: string, faults: readonly FieldFault[]): readonly FieldFault[] {
  return faults.map((fault) => ({ ...fault, pointer: `${pointer}${fault.pointer}` }))
}

function objectAt(value: Json, name: string): JsonObject {
  const member = isJsonObject(value) ? value[name] : undefined
  return isJsonObject(member) ? member : {}
}
